/* SPDX-License-Identifier: MIT */
/*
 * options.c - the provider's options: the vendor's, with its defaults, and two of its own (driver
 * and operators).
 */

#include "cann.h"

#include <errno.h>
#include <stdlib.h>

/* Rows of the table. */
enum {
    OPT_DRIVER,
    OPT_OPERATORS,
    OPT_DEVICE_ID,
    OPT_NPU_MEM_LIMIT,
    OPT_ARENA_EXTEND_STRATEGY,
    OPT_MAX_OPQUEUE_NUM,
    OPT_DO_COPY,
    OPT_ENABLE_CANN_GRAPH,
    OPT_ENABLE_CANN_SUBGRAPH,
    OPT_PRECISION_MODE,
    OPT_OP_SELECT_IMPL_MODE,
    OPT_OPTYPELIST,
    OPT_DUMP_GRAPHS,
    OPT_DUMP_OM_MODEL,
    N_OPTIONS
};

/* In the order of BP_CANN_DOCUMENTED... */
static const char *const profiles[] = {"documented", "kernels", "graph"};
/* In the order of BP_CANN_NEXT_POWER_OF_TWO... */
static const char *const strategies[] = {"kNextPowerOfTwo", "kSameAsRequested"};
/*
 * What the vendor's builder takes; the host's table has no optional choices, so these are checked
 * here.
 */
static const char *const precisions[] = {"force_fp16",
                                         "force_fp32",
                                         "cube_fp16in_fp32out",
                                         "allow_mix_precision",
                                         "allow_mix_precision_fp16",
                                         "allow_mix_precision_bf16",
                                         "allow_fp32_to_fp16",
                                         "allow_fp32_to_bf16",
                                         "must_keep_origin_dtype"};
static const char *const impl_modes[] = {"high_performance", "high_precision",
                                         "high_performance_for_all", "high_precision_for_all"};

/* The default value is not passed to ACL, see README.md. */
#define QUEUE_DEFAULT 10000
#define COUNT(names) ((uint32_t)(sizeof(names) / sizeof((names)[0])))

/* A row of bp_cann_option_rows: see bp_option. */
#define ROW(row, kind, name, value, ...)                                                           \
    [row] = {.struct_size = sizeof(bp_option),                                                     \
             .type = BP_OPT_##kind,                                                                \
             .key = name,                                                                          \
             .def = value,                                                                         \
             __VA_ARGS__}

const bp_option bp_cann_option_rows[N_OPTIONS] = {
    ROW(OPT_DRIVER, STRING, "driver", "auto",
        .help =
            "auto opens the vendor's libascendcl.so, and the simulator where there is none; sim "
            "opens the simulator; anything else is a library's path."),
    ROW(OPT_OPERATORS, CHOICE, "operators", "documented",
        .help = "documented takes the sixteen operators of the vendor's first pages under the "
                "conditions named there; kernels takes what the code of later releases registers; "
                "graph takes what of their graph mode ACL has here.",
        .choices = profiles, .n_choices = COUNT(profiles)),
    ROW(OPT_DEVICE_ID, INT, "device_id", "0", .help = "The device, counted from 0.", .min = 0,
        .max = INT32_MAX),
    ROW(OPT_NPU_MEM_LIMIT, STRING, "npu_mem_limit", "18446744073709551615",
        .help =
            "Most bytes of device memory for tensors, with K, M, G or T for powers of 1024; 0 is "
            "no limit. What the driver itself takes is not counted."),
    ROW(OPT_ARENA_EXTEND_STRATEGY, CHOICE, "arena_extend_strategy", "kNextPowerOfTwo",
        .help =
            "How device memory grows: by regions of 1 MiB, 2 MiB and so on to 1 GiB, or by what "
            "is asked for.",
        .choices = strategies, .n_choices = COUNT(strategies)),
    ROW(OPT_MAX_OPQUEUE_NUM, INT, "max_opqueue_num", "10000",
        .help = "Compiled operators that ACL keeps; passed to ACL only if it is not 10000, because "
                "the vendor's provider never passes it. One setting for the process.",
        .min = 1, .max = INT32_MAX),
    ROW(OPT_DO_COPY, BOOL, "do_copy_in_default_stream", "true",
        .help = "false puts copies into two streams of their own, in the same order."),
    ROW(OPT_ENABLE_CANN_GRAPH, STRING, "enable_cann_graph", "",
        .help =
            "true makes a whole group one offline model for each set of shapes, false calls "
            "operators one by one; empty is true with operators=graph, as the vendor's default is "
            "in releases with that table, else false."),
    ROW(OPT_ENABLE_CANN_SUBGRAPH, BOOL, "enable_cann_subgraph", "false",
        .help = "Without effect: nodes that are not taken are always left to the next provider."),
    ROW(OPT_PRECISION_MODE, STRING, "precision_mode", "",
        .help =
            "How float32 is computed, force_fp16 or must_keep_origin_dtype say; empty leaves it "
            "to ACL. One setting for the process."),
    ROW(OPT_OP_SELECT_IMPL_MODE, STRING, "op_select_impl_mode", "",
        .help =
            "high_performance or high_precision kernels; empty leaves it to ACL. One setting for "
            "the process."),
    ROW(OPT_OPTYPELIST, STRING, "optypelist_for_implmode", "",
        .help = "Operators of ACL, with commas between, that op_select_impl_mode is for; empty is "
                "all. One setting for the process."),
    ROW(OPT_DUMP_GRAPHS, BOOL, "dump_graphs", "false",
        .help = "Writes each group that becomes a model as NAME.onnx into the current folder."),
    ROW(OPT_DUMP_OM_MODEL, BOOL, "dump_om_model", "true",
        .help = "Writes each model that is built as NAME_SHAPES.om into the current folder, where "
                "later processes find it."),
};
_Static_assert((int)N_OPTIONS == (int)BP_CANN_N_OPTIONS, "the table is as long as it says");

/* ---- values ---------------------------------------------------------------------------------- */

/* NULL: the user has not given it. */
static const bp_opt *find(const bp_opt *opts, uint32_t n, uint32_t row)
{
    return bp_opt_find(opts, n, bp_cann_option_rows[row].key);
}

/* The default of the table where it was not given. */
static const char *text_of(const bp_opt *opts, uint32_t n, uint32_t row)
{
    const bp_opt *opt = find(opts, n, row);

    return opt && opt->str ? opt->str : bp_cann_option_rows[row].def;
}

/* The host has parsed it; booleans and choices are numbers too. */
static int64_t number_of(const bp_opt *opts, uint32_t n, uint32_t row, int64_t otherwise)
{
    const bp_opt *opt = find(opts, n, row);

    return opt ? opt->i : otherwise;
}

/*
 * Bytes of 64 bits, which the host's integers do not hold: decimal or with 0x, then K, M, G or T. 0
 * means no limit, as the vendor's.
 */
static bp_rc read_bytes(const char *text, uint64_t *out, bp_err *err)
{
    static const char powers[] = "KMGT";
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *power;
    unsigned shift = 0;
    char *end = NULL;

    errno = 0;
    *out = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, is_hex ? 16 : 10) : 0;
    if (end && *end && (power = strchr(powers, *end)) != NULL) {
        shift = 10 * (unsigned)(power - powers + 1);
        end++;
    }
    if (!end || *end || errno || *out > UINT64_MAX >> shift)
        return bp_fail(
            err, BP_E_OPTION,
            "cann: npu_mem_limit=%s is not a number of bytes from 0 to 18446744073709551615", text);
    *out <<= shift;
    if (*out == 0)
        *out = UINT64_MAX;
    return BP_OK;
}

/* A boolean that may be empty, which gives -1. The words are those of the vendor's parser. */
static bp_rc read_switch(uint32_t row, const char *text, int *out, bp_err *err)
{
    static const char *const words[] = {"0", "1", "false", "true", "False", "True"};

    *out = -1;
    for (int i = 0; i < 6; i++) {
        if (strcmp(text, words[i]) == 0)
            *out = i % 2;
    }
    if (*out >= 0 || !*text)
        return BP_OK;
    return bp_fail(err, BP_E_OPTION, "cann: %s=%s: possible are true, false, 1, 0, and nothing",
                   bp_cann_option_rows[row].key, text);
}

/* One of the words, or "". The failure lists them. */
static bp_rc check_word(uint32_t row, const char *text, const char *const *words, uint32_t n,
                        bp_err *err)
{
    char list[256] = "";
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(text, words[i]) == 0)
            return BP_OK;
        if (at < sizeof list - 1)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", words[i]);
    }
    if (!*text)
        return BP_OK;
    return bp_fail(err, BP_E_OPTION, "cann: %s=%s: possible are %s, and nothing",
                   bp_cann_option_rows[row].key, text, list);
}

/* The vendor's builder refuses them at the first run; here it is known before. */
static bp_rc check_settings(const struct bp_cann_options *out, bp_err *err)
{
    const char *list = out->settings[BP_CANN_SET_IMPL_LIST];
    bp_rc rc = check_word(OPT_PRECISION_MODE, out->settings[BP_CANN_SET_PRECISION], precisions,
                          COUNT(precisions), err);

    if (rc >= 0)
        rc = check_word(OPT_OP_SELECT_IMPL_MODE, out->settings[BP_CANN_SET_IMPL_MODE], impl_modes,
                        COUNT(impl_modes), err);
    if (rc < 0)
        return rc;
    if (*list && !*out->settings[BP_CANN_SET_IMPL_MODE])
        return bp_fail(err, BP_E_OPTION,
                       "cann: optypelist_for_implmode=%s is for op_select_impl_mode, which is not "
                       "given",
                       list);
    return BP_OK;
}

/* "" in settings leaves it to ACL. */
bp_rc bp_cann_read_options(const bp_opt *opts, uint32_t n_opts, struct bp_cann_options *out,
                           bp_err *err)
{
    const bp_opt *queue = find(opts, n_opts, OPT_MAX_OPQUEUE_NUM);
    int wants_graph;
    bp_rc rc;

    *out = (struct bp_cann_options){
        .driver = text_of(opts, n_opts, OPT_DRIVER),
        .device_id = (int32_t)number_of(opts, n_opts, OPT_DEVICE_ID, 0),
        .strategy = (uint32_t)number_of(opts, n_opts, OPT_ARENA_EXTEND_STRATEGY, 0),
        .profile = (uint32_t)number_of(opts, n_opts, OPT_OPERATORS, 0),
        .copies_apart = number_of(opts, n_opts, OPT_DO_COPY, 1) == 0,
        .dumps_graphs = number_of(opts, n_opts, OPT_DUMP_GRAPHS, 0) != 0,
        .dumps_models = number_of(opts, n_opts, OPT_DUMP_OM_MODEL, 1) != 0,
    };
    out->settings[BP_CANN_SET_PRECISION] = text_of(opts, n_opts, OPT_PRECISION_MODE);
    out->settings[BP_CANN_SET_IMPL_MODE] = text_of(opts, n_opts, OPT_OP_SELECT_IMPL_MODE);
    out->settings[BP_CANN_SET_IMPL_LIST] = text_of(opts, n_opts, OPT_OPTYPELIST);
    out->settings[BP_CANN_SET_QUEUE] = queue && queue->i != QUEUE_DEFAULT ? queue->str : "";
    rc = read_switch(OPT_ENABLE_CANN_GRAPH, text_of(opts, n_opts, OPT_ENABLE_CANN_GRAPH),
                     &wants_graph, err);
    if (rc < 0)
        return rc;
    out->wants_graph = wants_graph < 0 ? out->profile == BP_CANN_GRAPH : wants_graph;
    rc = read_bytes(text_of(opts, n_opts, OPT_NPU_MEM_LIMIT), &out->mem_limit, err);
    return rc < 0 ? rc : check_settings(out, err);
}
