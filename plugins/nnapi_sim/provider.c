/* SPDX-License-Identifier: MIT */
/* provider.c - the entry of the provider nnapi: tables for the host, availability, instances. */

#define _GNU_SOURCE /* stat */

#include "provider.h"

#include <sys/stat.h>

enum { ALIGN = 16, KNOWN_FLAGS = 15 };

void bp_nn_log(const bp_host *host, uint32_t level, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    host->log(host->h, level, "nnapi", text);
}

/* ---- availability ---------------------------------------------------------------------------- */

static void set_unavailable(bp_avail *avail, const char *reason)
{
    avail->state = BP_AVAIL_NO;
    avail->n_devices = 0;
    if (avail->reason && avail->reason_cap > 0)
        snprintf(avail->reason, avail->reason_cap, "%s", reason);
    if (avail->fix && avail->fix_cap > 0)
        snprintf(avail->fix, avail->fix_cap,
                 "run it on Android 8.1 or later, or build Backplane with the simulated runtime "
                 "(--enable-neuralnetworks-sim)");
}

/* Below level 29 nobody can list devices: there is one, the runtime. */
static bp_rc open_and_list(const bp_host *host, const char *name, struct bp_nn_driver **driver,
                           struct bp_nn_device *devices, uint32_t *n, bp_err *err)
{
    bp_rc rc = bp_nn_driver_open(name, host->module_path, driver, err);

    if (rc >= 0)
        rc = bp_nn_check_level(*driver, err);
    return rc < 0 ? rc : bp_nn_list_devices(*driver, devices, n, err);
}

static bp_rc is_available(const bp_host *host, bp_avail *avail, bp_err *err)
{
    struct bp_nn_device devices[BP_NN_MAX_DEVICES];
    char text[512] = "";
    bp_err own = {.struct_size = sizeof own, .msg = text, .msg_cap = sizeof text};
    struct bp_nn_driver *driver;
    uint32_t n = 0;
    bp_rc rc = open_and_list(host, "auto", &driver, devices, &n, &own);

    (void)err;
    if (rc < 0) {
        set_unavailable(avail, text);
        return BP_OK;
    }
    avail->state = BP_AVAIL_YES;
    avail->n_devices = n > 0 ? n : 1;
    return BP_OK;
}

static uint32_t kind_of(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_DEVICE_CPU:
        return BP_DEVICE_CPU;
    case ANEURALNETWORKS_DEVICE_GPU:
        return BP_DEVICE_GPU;
    case ANEURALNETWORKS_DEVICE_ACCELERATOR:
        return BP_DEVICE_NPU;
    default:
        return BP_DEVICE_OTHER;
    }
}

/* A simulated device is of no kind that policies prefer: who asks for any GPU does not mean it. */
static bp_rc device(const bp_host *host, uint32_t i, bp_device *out, bp_err *err)
{
    struct bp_nn_device devices[BP_NN_MAX_DEVICES];
    struct bp_nn_driver *driver;
    uint32_t n = 0;
    bp_rc rc = open_and_list(host, "auto", &driver, devices, &n, err);

    if (rc < 0)
        return rc;
    if (i >= (n > 0 ? n : 1))
        return bp_fail(err, BP_E_INVALID, "nnapi: there is no device %u", i);
    out->flags = driver->is_sim ? BP_DEVICE_SIMULATED : 0;
    out->kind = driver->is_sim || n == 0 ? BP_DEVICE_OTHER : kind_of(devices[i].type);
    out->numa = BP_NONE;
    out->id = n > 0 ? devices[i].name : "nnapi";
    out->name = out->id;
    out->driver = driver->is_sim ? "libbp-neuralnetworks-sim" : "libneuralnetworks";
    return BP_OK;
}

/* ---- instances ------------------------------------------------------------------------------- */

/* Does the session want it, by its flags? Before level 29 they have no effect. */
static bool is_wanted(const bp_instance *instance, const struct bp_nn_device *row)
{
    bool is_cpu = row->type == ANEURALNETWORKS_DEVICE_CPU;

    if (instance->options.flags & BP_NN_CPU_DISABLED && is_cpu)
        return false;
    return !(instance->options.flags & BP_NN_CPU_ONLY) || is_cpu;
}

/* All, or those that the host has chosen; in the claims they have the numbers of that list. */
static bp_rc choose_devices(bp_instance *instance, const uint32_t *devs, uint32_t n_devs,
                            bp_err *err)
{
    struct bp_nn_device all[BP_NN_MAX_DEVICES];
    int64_t highest = -1;
    uint32_t n;
    bp_rc rc = bp_nn_list_devices(instance->driver, all, &n, err);

    for (uint32_t i = 0; rc >= 0 && i < (n_devs > 0 ? n_devs : n); i++) {
        uint32_t at = n_devs > 0 ? devs[i] : i;

        if (at >= n)
            return n == 0
                       ? BP_OK
                       : bp_fail(err, BP_E_INVALID, "nnapi: there is no device %u, of %u", at, n);
        if (!is_wanted(instance, &all[at]) || instance->n_devices == BP_NN_MAX_DEVICES)
            continue;
        instance->claim_device[instance->n_devices] = i;
        instance->devices[instance->n_devices++] = all[at];
        if (all[at].level > highest)
            highest = all[at].level;
    }
    instance->level = instance->runtime_level;
    if (highest > 0 && highest < instance->level)
        instance->level = highest;
    return rc;
}

static void warn_below(const bp_instance *instance, uint32_t flag, int64_t level, const char *text)
{
    if (instance->options.flags & flag && instance->runtime_level < level)
        bp_nn_log(&instance->host, BP_LOG_WARN, "%s (this is level %lld)", text,
                  (long long)instance->runtime_level);
}

/* What has no effect here is said, as nothing else would show it. */
static void log_options(const bp_instance *instance)
{
    const struct bp_nn_options *options = &instance->options;

    warn_below(instance, BP_NN_USE_FP16, BP_NN_FL2,
               "use_fp16 is ignored: NNAPI has it from Android 9, level 28, on");
    warn_below(instance, BP_NN_USE_NCHW, BP_NN_FL3,
               "use_nchw needs Android 10, level 29: operators with a layout go to other "
               "providers");
    warn_below(instance, BP_NN_CPU_DISABLED, BP_NN_FL3,
               "cpu_disabled is ignored: NNAPI lists its devices from Android 10, level 29, on");
    warn_below(instance, BP_NN_CPU_ONLY, BP_NN_FL3,
               "cpu_only is ignored: NNAPI lists its devices from Android 10, level 29, on");
    if (options->flags & ~(uint32_t)KNOWN_FLAGS)
        bp_nn_log(&instance->host, BP_LOG_WARN, "nnapi_flags: bits 0x%x are not known, and ignored",
                  options->flags & ~(uint32_t)KNOWN_FLAGS);
    if (*instance->cache_dir && instance->runtime_level < BP_NN_FL3)
        bp_nn_log(&instance->host, BP_LOG_WARN,
                  "cache_dir is ignored: NNAPI has caches from level 29 on");
    if ((options->compile_deadline_ns > 0 || options->run_deadline_ns > 0 ||
         options->priority != ANEURALNETWORKS_PRIORITY_MEDIUM) &&
        instance->runtime_level < BP_NN_FL4)
        bp_nn_log(&instance->host, BP_LOG_WARN,
                  "priority and deadlines are ignored: NNAPI has them from level 30 on");
    if (bp_nn_lacks_devices(instance))
        bp_nn_log(&instance->host, BP_LOG_WARN,
                  "no device is left by %s: all nodes go to other providers",
                  options->flags & BP_NN_CPU_ONLY ? "cpu_only" : "cpu_disabled");
    if (instance->driver->is_sim)
        bp_nn_log(&instance->host, BP_LOG_INFO, "the runtime is simulated, by %s",
                  instance->driver->path);
}

/* Texts of the options are the host's until create() returns. */
static bp_rc keep_texts(bp_instance *instance, bp_err *err)
{
    const struct bp_nn_options *options = &instance->options;
    struct stat folder;

    if (strlen(options->stop_ops) >= sizeof instance->stop_ops)
        return bp_fail(err, BP_E_OPTION, "nnapi: partitioning_stop_ops is longer than %zu bytes",
                       sizeof instance->stop_ops - 1);
    if (strlen(options->cache_dir) >= sizeof instance->cache_dir)
        return bp_fail(err, BP_E_OPTION, "nnapi: cache_dir is longer than %zu bytes",
                       sizeof instance->cache_dir - 1);
    if (*options->cache_dir && (stat(options->cache_dir, &folder) != 0 || !S_ISDIR(folder.st_mode)))
        return bp_fail(err, BP_E_OPTION, "nnapi: cache_dir=%s is not a folder that is there",
                       options->cache_dir);
    snprintf(instance->stop_ops, sizeof instance->stop_ops, "%s", options->stop_ops);
    snprintf(instance->cache_dir, sizeof instance->cache_dir, "%s", options->cache_dir);
    return BP_OK;
}

static bp_rc fill_instance(bp_instance *instance, const uint32_t *devs, uint32_t n_devs,
                           bp_err *err)
{
    struct bp_nn_driver *driver;
    bp_rc rc =
        bp_nn_driver_open(instance->options.driver, instance->host.module_path, &driver, err);

    if (rc >= 0)
        rc = bp_nn_check_level(driver, err);
    if (rc >= 0)
        rc = keep_texts(instance, err);
    if (rc < 0)
        return rc;
    instance->driver = driver;
    instance->runtime_level = bp_nn_runtime_level(driver);
    bp_nn_functions_at(driver, instance->runtime_level, &instance->nn);
    rc = choose_devices(instance, devs, n_devs, err);
    if (rc >= 0)
        log_options(instance);
    return rc;
}

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    struct bp_nn_options options;
    bp_instance *instance;
    bp_rc rc = bp_nn_read_options(opts, n_opts, &options, err);

    if (rc < 0)
        return rc;
    instance = host->alloc(host->h, sizeof *instance, ALIGN);
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "nnapi: no memory for the provider's instance");
    memset(instance, 0, sizeof *instance);
    bp_copy_in(&instance->host, sizeof instance->host, host);
    instance->options = options;
    rc = fill_instance(instance, devs, n_devs, err);
    if (rc < 0) {
        host->free(host->h, instance, sizeof *instance, ALIGN);
        return rc;
    }
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    bp_host host;

    if (!instance)
        return;
    host = instance->host;
    host.free(host.h, instance, sizeof *instance, ALIGN);
}

/* What a saved program depends on: runtime, level, and every device with its version. */
static bp_rc fingerprint(bp_instance *instance, char *buf, uint32_t cap, bp_err *err)
{
    size_t at = 0;

    (void)err;
    if (cap == 0)
        return BP_OK;
    at += (size_t)snprintf(buf, cap, "%s level %lld flags %u",
                           instance->driver->is_sim ? "simulated" : "Android",
                           (long long)instance->level, instance->options.flags);
    for (uint32_t i = 0; i < instance->n_devices && at < cap; i++)
        at += (size_t)snprintf(buf + at, cap - at, ", %s %s", instance->devices[i].name,
                               instance->devices[i].version);
    return BP_OK;
}

static const void *extension(const char *id)
{
    return strcmp(id, BP_ESTIMATE_ID) == 0 ? &bp_nn_estimator : NULL;
}

/* ---- the tables ------------------------------------------------------------------------------ */

BP_MANIFEST("id=org.backplane.nnapi\n"
            "name=nnapi\n"
            "version=0.1.0\n"
            "devices=npu\n"
            "env=BP_NNAPI_SIM\n"
            "license=MIT");

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNINTERRUPTIBLE | BP_PROVIDER_CONTEXTS,
    .id = "org.backplane.nnapi",
    .name = "nnapi",
    .version = "0.1.0",
    .vendor = "Backplane",
    .options = bp_nn_option_rows,
    .n_options = BP_NN_N_OPTIONS,
    .option_stride = sizeof(bp_option),
    .is_available = is_available,
    .device = device,
    .create = create,
    .destroy = destroy,
    .fingerprint = fingerprint,
    .capability = bp_nn_capability,
    .compile = bp_nn_compile,
    .load = bp_nn_load,
    .save = bp_nn_save,
    .program_free = bp_nn_program_free,
    .frame_create = bp_nn_frame_create,
    .frame_free = bp_nn_frame_free,
    .execute = bp_nn_execute,
    .extension = extension,
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

bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc;

    *out = NULL;
    rc = bp_host_check(host, "nnapi", err);
    if (rc >= 0)
        *out = &module;
    return rc;
}
