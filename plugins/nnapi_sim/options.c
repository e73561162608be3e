/* SPDX-License-Identifier: MIT */
/* options.c - the provider's options: ONNX Runtime's flags, as a word and by name, and NNAPI's own. */

#include "nn.h"

enum {
    OPT_DRIVER,
    OPT_FLAGS,
    OPT_USE_FP16,
    OPT_USE_NCHW,
    OPT_CPU_DISABLED,
    OPT_CPU_ONLY,
    OPT_STOP_OPS,
    OPT_PREFERENCE,
    OPT_PRIORITY,
    OPT_COMPILE_DEADLINE,
    OPT_RUN_DEADLINE,
    OPT_CACHE_DIR,
    N_OPTIONS
};

static const char *const preferences[] = {"fast_single_answer", "low_power", "sustained_speed"};
static const int32_t preference_codes[] = {ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER,
                                           ANEURALNETWORKS_PREFER_LOW_POWER,
                                           ANEURALNETWORKS_PREFER_SUSTAINED_SPEED};
static const char *const priorities[] = {"medium", "low", "high"};
static const int32_t priority_codes[] = {
    ANEURALNETWORKS_PRIORITY_MEDIUM, ANEURALNETWORKS_PRIORITY_LOW, ANEURALNETWORKS_PRIORITY_HIGH};

/* The longest deadline: an hour, in milliseconds. */
#define LONGEST 3600000

/* A row of bp_nn_option_rows: see bp_option. */
#define ROW(row, kind, name, value, ...)                                                           \
    [row] = {.struct_size = sizeof(bp_option),                                                     \
             .type = BP_OPT_##kind,                                                                \
             .key = name,                                                                          \
             .def = value,                                                                         \
             __VA_ARGS__}

const bp_option bp_nn_option_rows[BP_NN_N_OPTIONS] = {
    ROW(OPT_DRIVER, STRING, "driver", "auto",
        .help = "auto opens Android's libneuralnetworks.so, and the simulator where there is none; "
                "sim opens the simulator; anything else is a library's path."),
    ROW(OPT_FLAGS, INT, "nnapi_flags", "0",
        .help = "ONNX Runtime's flags as a number: 1 use_fp16, 2 use_nchw, 4 cpu_disabled, 8 "
                "cpu_only; added to the options of these names.",
        .min = 0, .max = UINT32_MAX),
    ROW(OPT_USE_FP16, BOOL, "use_fp16", "false",
        .help = "Lets devices compute float32 as float16; needs Android 9 (level 28)."),
    ROW(OPT_USE_NCHW, BOOL, "use_nchw", "false",
        .help = "Gives NNAPI channels-first data, which needs Android 10 (level 29); else "
                "channels-last."),
    ROW(OPT_CPU_DISABLED, BOOL, "cpu_disabled", "false",
        .help = "Leaves NNAPI's own CPU device out, so that nodes which no other device takes go "
                "to the next provider; ignored before Android 10 (level 29)."),
    ROW(OPT_CPU_ONLY, BOOL, "cpu_only", "false",
        .help = "Uses NNAPI's own CPU device alone, for reference results; ignored before Android "
                "10 (level 29)."),
    ROW(OPT_STOP_OPS, STRING, "partitioning_stop_ops", "NonMaxSuppression",
        .help = "Operators, with commas between, that are left to other providers with all that "
                "depends on them; empty is none."),
    ROW(OPT_PREFERENCE, CHOICE, "execution_preference", "fast_single_answer",
        .help = "What NNAPI compiles for.", .choices = preferences, .n_choices = 3),
    ROW(OPT_PRIORITY, CHOICE, "priority", "medium",
        .help = "Of this session beside other users of the device; needs level 30.",
        .choices = priorities, .n_choices = 3),
    ROW(OPT_COMPILE_DEADLINE, FLOAT, "compile_deadline_ms", "0",
        .help = "Milliseconds that compiling a group may take, 0 is no limit; needs level 30.",
        .min = 0, .max = LONGEST),
    ROW(OPT_RUN_DEADLINE, FLOAT, "run_deadline_ms", "0",
        .help = "Milliseconds that a run of a group may take, 0 is no limit; needs level 30. The "
                "deadline of the session's run counts too.",
        .min = 0, .max = LONGEST),
    ROW(OPT_CACHE_DIR, STRING, "cache_dir", "",
        .help = "A folder in which NNAPI's drivers keep compiled models; empty is none; needs "
                "level 29."),
};
_Static_assert((int)N_OPTIONS == (int)BP_NN_N_OPTIONS, "the table is as long as it says");

/* ---- values ---------------------------------------------------------------------------------- */

static const bp_opt *find(const bp_opt *opts, uint32_t n, uint32_t row)
{
    return bp_opt_find(opts, n, bp_nn_option_rows[row].key);
}

/* The default of the table where it was not given. */
static const char *text_of(const bp_opt *opts, uint32_t n, uint32_t row)
{
    const bp_opt *opt = find(opts, n, row);

    return opt && opt->str ? opt->str : bp_nn_option_rows[row].def;
}

/* Booleans and choices are numbers too; their defaults, and that of the word, are 0. */
static int64_t number_of(const bp_opt *opts, uint32_t n, uint32_t row)
{
    const bp_opt *opt = find(opts, n, row);

    return opt ? opt->i : 0;
}

static uint64_t nanoseconds(const bp_opt *opts, uint32_t n, uint32_t row)
{
    const bp_opt *opt = find(opts, n, row);

    return opt ? (uint64_t)(opt->f * 1e6) : 0;
}

bp_rc bp_nn_read_options(const bp_opt *opts, uint32_t n_opts, struct bp_nn_options *out,
                         bp_err *err)
{
    *out = (struct bp_nn_options){
        .driver = text_of(opts, n_opts, OPT_DRIVER),
        .stop_ops = text_of(opts, n_opts, OPT_STOP_OPS),
        .cache_dir = text_of(opts, n_opts, OPT_CACHE_DIR),
        .flags = (uint32_t)number_of(opts, n_opts, OPT_FLAGS),
        .preference = preference_codes[number_of(opts, n_opts, OPT_PREFERENCE)],
        .priority = priority_codes[number_of(opts, n_opts, OPT_PRIORITY)],
        .compile_deadline_ns = nanoseconds(opts, n_opts, OPT_COMPILE_DEADLINE),
        .run_deadline_ns = nanoseconds(opts, n_opts, OPT_RUN_DEADLINE),
    };
    for (uint32_t bit = 0; bit < 4; bit++)
        out->flags |= (uint32_t)(number_of(opts, n_opts, OPT_USE_FP16 + bit) != 0) << bit;
    if (out->flags & BP_NN_CPU_DISABLED && out->flags & BP_NN_CPU_ONLY)
        return bp_fail(err, BP_E_OPTION,
                       "nnapi: cpu_disabled and cpu_only exclude each other: give one of them");
    return BP_OK;
}
