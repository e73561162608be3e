/* SPDX-License-Identifier: MIT */
/* provider.c - the dnnl provider's entry, tables and options. */

#include "base/instance.h"
#include "base/library.h"
#include "base/threads.h"
#include "build/build_frame.h"
#include "capability.h"
#include "compile.h"
#include "frame_create.h"
#include "run/execute.h"

static const char *const math_modes[] = {"exact", "fast", "bf16"};
static const char *const claim_modes[] = {"profitable", "all"};
static const char *const isa_names[] = {"any",
                                        "sse41",
                                        "avx",
                                        "avx2",
                                        "avx512_core",
                                        "avx512_core_vnni",
                                        "avx512_core_bf16",
                                        "avx512_core_amx"};
static const dnnl_cpu_isa_t isas[] = {dnnl_cpu_isa_all,
                                      dnnl_cpu_isa_sse41,
                                      dnnl_cpu_isa_avx,
                                      dnnl_cpu_isa_avx2,
                                      dnnl_cpu_isa_avx512_core,
                                      dnnl_cpu_isa_avx512_core_vnni,
                                      dnnl_cpu_isa_avx512_core_bf16,
                                      dnnl_cpu_isa_avx512_core_amx};

enum { MATH_EXACT, MATH_FAST, MATH_BF16 };
enum {
    OPT_MATH_MODE,
    OPT_THREADS,
    OPT_MAX_ISA,
    OPT_CLAIM,
    OPT_AUTOTUNE,
    OPT_AUTOTUNE_CACHE,
    OPT_MAX_PRIMITIVE,
    OPT_VERBOSE,
    OPT_USE_ARENA,
    N_OPTIONS
};

#define CHOICES(names) .choices = (names), .n_choices = sizeof(names) / sizeof((names)[0])

static const bp_option options[N_OPTIONS] = {
    [OPT_MATH_MODE] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_CHOICE,
            .key = "math_mode",
            .help =
                "exact computes float32; fast computes convolutions and products in bfloat16, and "
                "keeps it between them, if the processor multiplies that; bf16 does so on any "
                "with AVX-512, slower than exact where it is emulated.",
            .def = "exact",
            CHOICES(math_modes),
        },
    [OPT_THREADS] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_INT,
            .key = "threads",
            .help = "Threads of oneDNN's team, never more than the session has; 0 means as many.",
            .def = "0",
            .min = 0,
            .max = 1024,
        },
    [OPT_MAX_ISA] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_CHOICE,
            .key = "max_isa",
            .help = "The best instruction set that oneDNN may use; one setting for the process.",
            .def = "any",
            CHOICES(isa_names),
        },
    [OPT_CLAIM] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_CHOICE,
            .key = "claim",
            .help = "profitable takes convolutions and products above a million operations, and "
                    "what is connected to them; all takes whatever can be run.",
            .def = "profitable",
            CHOICES(claim_modes),
        },
    [OPT_AUTOTUNE] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_BOOL,
            .key = "autotune",
            .help =
                "Runs the network in each layout before its first run with a set of shapes, and "
                "chooses layouts and convolution algorithms by the time it took; else by "
                "estimates.",
            .def = "false",
        },
    [OPT_AUTOTUNE_CACHE] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_STRING,
            .key = "autotune_cache",
            .help =
                "A folder in which autotune saves what it measured, so that later processes need "
                "not; it is made if only its own name is missing. Empty: nothing is written.",
            .def = "",
        },
    [OPT_MAX_PRIMITIVE] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_INT,
            .key = "max_primitive_us",
            .help = "Microseconds, by an estimate, after which a primitive is cut into several: a "
                    "run stops between them when its deadline has passed or it is cancelled.",
            .def = "20000",
            .min = 1,
            .max = 1000000000,
        },
    [OPT_VERBOSE] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_INT,
            .key = "verbose",
            .help = "What oneDNN prints on standard output: 0 nothing, 1 primitives as they run, 2 "
                    "also as they are made; one setting for the process.",
            .def = "0",
            .min = 0,
            .max = 2,
        },
    [OPT_USE_ARENA] =
        {
            .struct_size = sizeof(bp_option),
            .type = BP_OPT_BOOL,
            .key = "use_arena",
            .help = "Has no effect; programs written for ONNX Runtime give it. All memory of a run "
                    "is from the host's arena.",
            .def = "true",
        },
};

/* The library was opened by the entry; here is only told what came of it. */
static bp_rc is_available(const bp_host *host, bp_avail *avail, bp_err *err)
{
    (void)host;
    (void)err;
    avail->state = bp_dnnl.is_open ? BP_AVAIL_YES : BP_AVAIL_NO;
    avail->n_devices = bp_dnnl.is_open ? 1 : 0;
    if (bp_dnnl.is_open)
        return BP_OK;
    if (avail->reason && avail->reason_cap > 0)
        snprintf(avail->reason, avail->reason_cap, "%s", bp_dnnl.why);
    if (avail->fix && avail->fix_cap > 0)
        snprintf(avail->fix, avail->fix_cap, "install oneDNN (Debian's libdnnl2)");
    return BP_OK;
}

/*
 * The instruction set is the process's: oneDNN takes the first setting, before its first primitive.
 * A second one has to agree.
 */
static bp_rc set_isa(const bp_opt *opt, bp_err *err)
{
    dnnl_cpu_isa_t isa;

    if (!opt || opt->i <= 0)
        return BP_OK;
    isa = isas[opt->i];
    if (bp_dnnl.set_max_cpu_isa(isa) == dnnl_success)
        return BP_OK;
    if ((bp_dnnl.get_effective_cpu_isa() & ~isa) == 0)
        return BP_OK; /* it uses no more anyway */
    return bp_fail(err, BP_E_OPTION,
                   "dnnl: max_isa=%s comes too late: oneDNN was used with another instruction set "
                   "in this process; give it to the first session, or set DNNL_MAX_CPU_ISA",
                   isa_names[opt->i]);
}

/*
 * By what the processor has and max_isa leaves. fast falls back to float32, bf16 is an error where
 * it cannot be.
 */
static bp_rc set_math_mode(bp_instance *instance, int64_t mode, bp_err *err)
{
    dnnl_cpu_isa_t has = bp_dnnl.get_effective_cpu_isa();
    dnnl_cpu_isa_t needs =
        mode == MATH_BF16 ? dnnl_cpu_isa_avx512_core : dnnl_cpu_isa_avx512_core_bf16;

    instance->may_round = mode != MATH_EXACT;
    instance->uses_bf16 = instance->may_round && (has & needs) == needs;
    if (mode != MATH_BF16 || instance->uses_bf16)
        return BP_OK;
    return bp_fail(
        err, BP_E_OPTION,
        "dnnl: math_mode=bf16 needs AVX-512, which the processor does not have or max_isa "
        "leaves out; use math_mode=fast, which computes float32 there");
}

/* The processor is the one device. */
static bp_rc check_devices(const uint32_t *devs, uint32_t n_devs, bp_err *err)
{
    for (uint32_t i = 0; i < n_devs; i++) {
        if (devs[i] != 0)
            return bp_fail(err, BP_E_INVALID, "dnnl: there is no device %u, only device 0",
                           devs[i]);
    }
    if (!bp_dnnl.is_open)
        return bp_fail(err, BP_E_UNAVAILABLE, "dnnl: %s", bp_dnnl.why);
    return BP_OK;
}

/* Memory goes back with the sizes that it was taken with, as the host's allocator wants them. */
static void destroy(bp_instance *instance)
{
    const bp_host *host;

    if (!instance)
        return;
    host = &instance->host;
    if (instance->autotune_folder)
        host->free(host->h, instance->autotune_folder, strlen(instance->autotune_folder) + 1, 64);
    host->free(host->h, instance, sizeof *instance, 64);
}

/* Primitives that oneDNN keeps for the process; those of frames stay. */
static void trim(bp_instance *instance)
{
    (void)instance;
    bp_dnnl_empty_cache();
}

/* The option's text lives as long as create(), so an instance keeps its own. */
static bp_rc copy_folder(bp_instance *instance, const bp_opt *opt, bp_err *err)
{
    size_t n = opt && opt->str ? strlen(opt->str) + 1 : 0;

    if (n <= 1)
        return BP_OK;
    instance->autotune_folder = instance->host.alloc(instance->host.h, n, 64);
    if (!instance->autotune_folder)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for the provider's instance");
    memcpy(instance->autotune_folder, opt->str, n);
    return BP_OK;
}

/* Optional: without it the host keeps pages of packed weights in memory. */
static void get_extension(bp_instance *instance)
{
    const bp_host *host = &instance->host;
    const void *table = host->extension ? host->extension(host->h, BP_EXT_CONSTANTS) : NULL;

    if (table)
        bp_copy_in(&instance->constants, sizeof instance->constants, table);
}

/* Options that are absent have their defaults: zero. */
static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    const bp_opt *given[N_OPTIONS];
    bp_instance *instance;
    bp_rc rc = check_devices(devs, n_devs, err);

    for (uint32_t i = 0; i < N_OPTIONS; i++)
        given[i] = bp_opt_find(opts, n_opts, options[i].key);
    if (rc >= 0)
        rc = set_isa(given[OPT_MAX_ISA], err);
    if (rc < 0)
        return rc;
    instance = host->alloc(host->h, sizeof *instance, 64);
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for the provider's instance");
    memset(instance, 0, sizeof *instance);
    bp_copy_in(&instance->host, sizeof instance->host, host);
    get_extension(instance);
    rc = set_math_mode(instance, given[OPT_MATH_MODE] ? given[OPT_MATH_MODE]->i : MATH_EXACT, err);
    if (rc >= 0)
        rc = copy_folder(instance, given[OPT_AUTOTUNE_CACHE], err);
    if (rc < 0) {
        destroy(instance);
        return rc;
    }
    instance->takes_all = given[OPT_CLAIM] && given[OPT_CLAIM]->i == 1;
    instance->tunes = given[OPT_AUTOTUNE] && given[OPT_AUTOTUNE]->i != 0;
    instance->long_ns = (given[OPT_MAX_PRIMITIVE] ? given[OPT_MAX_PRIMITIVE]->i : 20000) * 1000;
    if (given[OPT_THREADS])
        instance->threads = (uint32_t)given[OPT_THREADS]->i;
    if (given[OPT_VERBOSE] && given[OPT_VERBOSE]->i > 0)
        bp_dnnl.set_verbose((int)given[OPT_VERBOSE]->i);
    *out = instance;
    return BP_OK;
}

/* What compiled artefacts would depend on: the version of oneDNN and its instruction sets. */
static bp_rc fingerprint(bp_instance *instance, char *buf, uint32_t cap, bp_err *err)
{
    const dnnl_version_t *version = bp_dnnl.version();

    (void)instance;
    (void)err;
    snprintf(buf, cap, "oneDNN %d.%d.%d %s isa 0x%x", version->major, version->minor,
             version->patch, version->hash, (unsigned)bp_dnnl.get_effective_cpu_isa());
    return BP_OK;
}

BP_MANIFEST("id=org.backplane.dnnl\n"
            "name=dnnl\n"
            "version=0.1.0\n"
            "devices=cpu\n"
            "license=MIT");

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_FORK_SAFE,
    .id = "org.backplane.dnnl",
    .name = "dnnl",
    .version = "0.1.0",
    .vendor = "Backplane",
    .options = options,
    .n_options = N_OPTIONS,
    .option_stride = sizeof(bp_option),
    .is_available = is_available,
    .create = create,
    .destroy = destroy,
    .fingerprint = fingerprint,
    .capability = bp_dnnl_capability,
    .compile = bp_dnnl_compile,
    .program_free = bp_dnnl_program_free,
    .frame_create = bp_dnnl_frame_create,
    .frame_free = bp_dnnl_frame_free,
    .execute = bp_dnnl_execute,
    .trim = trim,
};

static const bp_provider *const providers[] = {&provider};

static const bp_module module = {
    .struct_size = sizeof(bp_module),
    .abi_major = BP_ABI_MAJOR,
    .abi_minor = BP_ABI_MINOR,
    .magic = BP_MAGIC,
#ifdef __VERSION__
    .build = "compiler " __VERSION__,
#endif
    .providers = providers,
    .n_providers = 1,
};

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

/* Succeeds without oneDNN too, so that `backplane doctor` can say what is missing. */
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc;

    *out = NULL;
    rc = bp_host_check(host, "dnnl", err);
    if (rc < 0)
        return rc;
    bp_dnnl_library_open();
    bp_dnnl_watch_forks();
    *out = &module;
    return BP_OK;
}
