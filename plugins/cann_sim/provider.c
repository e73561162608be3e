/* SPDX-License-Identifier: MIT */
/*
 * provider.c - the CANN provider's entry: tables for the host, availability, devices and instances.
 */

#include "model.h"

/* Bytes of alignment of an instance; devices that have an id. */
enum { ALIGN = 16, MAX_DEVICES = 16 };

/* ---- availability ---------------------------------------------------------------------------- */

/* Needs no device to be set. */
static bp_rc count_devices(const struct bp_cann_driver *driver, uint32_t *out, bp_err *err)
{
    aclError code = driver->acl.aclrtGetDeviceCount(out);

    if (code == ACL_SUCCESS)
        return BP_OK;
    return bp_cann_fail(driver, err, code, "aclrtGetDeviceCount");
}

/* With what a user can do about it. */
static void set_unavailable(bp_avail *avail, const char *reason)
{
    avail->state = BP_AVAIL_NO;
    avail->n_devices = 0;
    if (avail->reason && avail->reason_cap > 0)
        snprintf(avail->reason, avail->reason_cap, "%s", reason);
    if (avail->fix && avail->fix_cap > 0)
        snprintf(avail->fix, avail->fix_cap,
                 "install the vendor's CANN and its driver, or build Backplane with the simulator "
                 "(--enable-ascend-sim)");
}

/* Opens the driver for the question alone. That there is none is an answer, and no failure. */
static bp_rc is_available(const bp_host *host, bp_avail *avail, bp_err *err)
{
    char text[512] = "";
    bp_err own = {.struct_size = sizeof own, .msg = text, .msg_cap = sizeof text};
    struct bp_cann_driver *driver;
    uint32_t n = 0;
    bp_rc rc = bp_cann_driver_acquire("auto", host->module_path, &driver, &own);

    (void)err;
    if (rc >= 0) {
        rc = count_devices(driver, &n, &own);
        bp_cann_driver_release(driver);
    }
    if (rc < 0 || n == 0) {
        set_unavailable(avail, rc < 0 ? text : "cann: ACL reports no device");
        return BP_OK;
    }
    avail->state = BP_AVAIL_YES;
    avail->n_devices = n < MAX_DEVICES ? n : MAX_DEVICES;
    return BP_OK;
}

/*
 * A simulated device is of no kind that policies prefer: who asks for the fastest device, or for
 * any NPU, does not mean it. All strings are static.
 */
static bp_rc describe(const struct bp_cann_driver *driver, uint32_t i, bp_device *out, bp_err *err)
{
    static const char *const ids[MAX_DEVICES] = {
        "npu0", "npu1", "npu2",  "npu3",  "npu4",  "npu5",  "npu6",  "npu7",
        "npu8", "npu9", "npu10", "npu11", "npu12", "npu13", "npu14", "npu15"};
    uint32_t n = 0;
    bp_rc rc = count_devices(driver, &n, err);

    if (rc < 0)
        return rc;
    if (i >= n || i >= MAX_DEVICES)
        return bp_fail(err, BP_E_INVALID, "cann: there is no device %u, of %u", i, n);
    out->flags = driver->is_sim ? BP_DEVICE_SIMULATED : 0;
    out->kind = driver->is_sim ? BP_DEVICE_OTHER : BP_DEVICE_NPU;
    out->numa = BP_NONE;
    out->spaces = 1;
    out->id = ids[i];
    out->name = driver->is_sim ? "simulated Ascend" : "Ascend NPU";
    out->driver = driver->is_sim ? "libbp-ascend-sim" : "CANN";
    return BP_OK;
}

/* Device i, as `backplane providers` lists it. */
static bp_rc device(const bp_host *host, uint32_t i, bp_device *out, bp_err *err)
{
    struct bp_cann_driver *driver;
    bp_rc rc = bp_cann_driver_acquire("auto", host->module_path, &driver, err);

    if (rc < 0)
        return rc;
    rc = describe(driver, i, out, err);
    bp_cann_driver_release(driver);
    return rc;
}

/* ---- instances ------------------------------------------------------------------------------- */

static void log_line(const bp_host *host, uint32_t level, const char *fmt, ...) BP_PRINTF(3, 4);
static void log_line(const bp_host *host, uint32_t level, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    host->log(host->h, level, "cann", text);
}

/* Devices may have disappeared since is_available(). */
static bp_rc check_device(const struct bp_cann_driver *driver, int32_t id, bp_err *err)
{
    uint32_t n = 0;
    bp_rc rc = count_devices(driver, &n, err);

    if (rc >= 0 && n == 0)
        return bp_fail(err, BP_E_UNAVAILABLE, "cann: ACL reports no device");
    if (rc >= 0 && (uint32_t)id >= n)
        rc = bp_fail(err, BP_E_OPTION, "cann: device_id=%d: %u device%s, so it is to be below %u",
                     (int)id, n, n == 1 ? " is there" : "s are there", n);
    return rc;
}

/*
 * Compiler settings are the process's: the first session that gives one has it, and a later one
 * that wants another is warned.
 */
static bp_rc apply_settings(bp_instance *instance, const struct bp_cann_options *options,
                            bp_err *err)
{
    static const char *const keys[BP_CANN_SETTINGS] = {
        "precision_mode", "op_select_impl_mode", "optypelist_for_implmode", "max_opqueue_num"};

    for (uint32_t i = 0; i < BP_CANN_SETTINGS; i++) {
        const char *in_force;
        bp_rc rc = bp_cann_driver_set(instance->driver, i, options->settings[i], &in_force, err);

        if (rc < 0)
            return rc;
        if (strcmp(in_force, options->settings[i]) != 0)
            log_line(&instance->host, BP_LOG_WARN,
                     "%s=%s is ignored: an earlier session of this process has set %s", keys[i],
                     options->settings[i], in_force);
    }
    bp_cann_driver_settings(instance->driver, instance->settings);
    return BP_OK;
}

/* Logs options that have no effect with this driver; nothing else would show it. */
static void log_options(const bp_instance *instance, const struct bp_cann_options *options)
{
    if (options->wants_graph && !instance->uses_graphs)
        log_line(
            &instance->host, BP_LOG_INFO,
            "enable_cann_graph: operators are called one by one, as %s builds no models from C",
            instance->driver->path);
    if (options->dumps_graphs && !instance->uses_graphs)
        log_line(&instance->host, BP_LOG_WARN,
                 "dump_graphs: nothing is written, as operators are called one by one; "
                 "enable_cann_graph=1 has graphs");
    if (instance->driver->is_sim)
        log_line(&instance->host, BP_LOG_INFO, "the device is simulated, by %s",
                 instance->driver->path);
}

/* The context is kept, as each thread that calls ACL has to be put into it. */
static bp_rc open_device(bp_instance *instance, bp_err *err)
{
    const struct bp_cann_driver *driver = instance->driver;
    aclError code = driver->acl.aclrtSetDevice(instance->device);

    if (code != ACL_SUCCESS)
        return bp_cann_fail(driver, err, code, "aclrtSetDevice(%d)", (int)instance->device);
    code = driver->acl.aclrtGetCurrentContext(&instance->context);
    if (code == ACL_SUCCESS)
        return BP_OK;
    driver->acl.aclrtResetDevice(instance->device);
    return bp_cann_fail(driver, err, code, "aclrtGetCurrentContext");
}

/* With the driver's use taken, which the caller gives back when this fails. */
static bp_rc fill_instance(bp_instance *instance, const struct bp_cann_options *options,
                           bp_err *err)
{
    bp_rc rc = check_device(instance->driver, instance->device, err);

    if (rc >= 0)
        rc = apply_settings(instance, options, err);
    if (rc >= 0)
        rc = open_device(instance, err);
    if (rc < 0)
        return rc;
    instance->uses_graphs = options->wants_graph && instance->driver->builds_models;
    instance->dumps_graphs = options->dumps_graphs;
    instance->dumps_models = options->dumps_models;
    bp_cann_arena_init(&instance->arena, &instance->host, instance->driver, options->mem_limit,
                       options->strategy);
    log_options(instance, options);
    return BP_OK;
}

static void free_instance(bp_instance *instance)
{
    bp_host host = instance->host;

    host.free(host.h, instance, sizeof *instance, ALIGN);
}

/* Device ids come from the host's choice of a device, or from device_id. */
static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    struct bp_cann_options options;
    bp_instance *instance;
    bp_rc rc = bp_cann_read_options(opts, n_opts, &options, err);

    if (rc < 0)
        return rc;
    if (n_devs > 1)
        return bp_fail(err, BP_E_INVALID, "cann: %u devices for a session, which has one", n_devs);
    instance = host->alloc(host->h, sizeof *instance, ALIGN);
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for the provider's instance");
    memset(instance, 0, sizeof *instance);
    bp_copy_in(&instance->host, sizeof instance->host, host);
    instance->device = n_devs == 1 && options.device_id == 0 ? (int32_t)devs[0] : options.device_id;
    instance->profile = options.profile;
    instance->copies_apart = options.copies_apart;
    rc = bp_cann_driver_acquire(options.driver, host->module_path, &instance->driver, err);
    if (rc >= 0) {
        rc = fill_instance(instance, &options, err);
        if (rc < 0)
            bp_cann_driver_release(instance->driver);
    }
    if (rc < 0) {
        free_instance(instance);
        return rc;
    }
    *out = instance;
    return BP_OK;
}

/* Frames and programs are gone by then. A lost device still frees. */
static void destroy(bp_instance *instance)
{
    const struct bp_cann_driver *driver;

    if (!instance)
        return;
    driver = instance->driver;
    (void)bp_cann_enter(instance, NULL); /* a lost device still frees */
    bp_cann_arena_finish(&instance->arena);
    driver->acl.aclrtResetDevice(instance->device);
    bp_cann_driver_release(instance->driver);
    free_instance(instance);
}

/* In graph mode the weights are the models', with the memory that they work in. */
static bp_rc count_memory(bp_instance *instance, bp_instance_memory *out, bp_err *err)
{
    (void)err;
    out->device_weights = atomic_load(&instance->weight_bytes);
    out->device_caches = bp_cann_arena_free_bytes(&instance->arena);
    return BP_OK;
}

/* Regions of device memory in which nothing is in use. */
static void trim(bp_instance *instance)
{
    if (bp_cann_enter(instance, NULL) >= 0)
        bp_cann_arena_trim(&instance->arena);
}

/* What a compiled model depends on: driver, release and chip. */
static bp_rc fingerprint(bp_instance *instance, char *buf, uint32_t cap, bp_err *err)
{
    const struct bp_cann_driver *driver = instance->driver;
    int32_t major = 0, minor = 0, patch = 0;
    const char *chip;
    bp_rc rc = bp_cann_enter(instance, err);

    if (rc < 0)
        return rc;
    chip = driver->acl.aclrtGetSocName();
    driver->acl.aclrtGetVersion(&major, &minor, &patch);
    snprintf(buf, cap, "%s ACL %d.%d.%d %s", driver->is_sim ? "simulated" : "CANN", (int)major,
             (int)minor, (int)patch, chip ? chip : "unknown chip");
    return BP_OK;
}

/* The one extension: estimates for the host's cost model. */
static const void *extension(const char *id)
{
    return strcmp(id, BP_ESTIMATE_ID) == 0 ? &bp_cann_estimator : NULL;
}

/* ---- the tables ------------------------------------------------------------------------------ */

BP_MANIFEST("id=org.backplane.cann\n"
            "name=cann\n"
            "version=0.1.0\n"
            "devices=npu\n"
            "env=BP_ASCEND_SIM,ASCEND_RT_VISIBLE_DEVICES\n"
            "license=MIT");

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_CONTEXTS,
    .id = "org.backplane.cann",
    .name = "cann",
    .version = "0.1.0",
    .vendor = "Backplane",
    .options = bp_cann_option_rows,
    .n_options = BP_CANN_N_OPTIONS,
    .option_stride = sizeof(bp_option),
    .dev = &bp_cann_device_ops,
    .is_available = is_available,
    .device = device,
    .create = create,
    .destroy = destroy,
    .fingerprint = fingerprint,
    .capability = bp_cann_capability,
    .compile = bp_cann_compile,
    .load = bp_cann_load,
    .save = bp_cann_save,
    .program_free = bp_cann_program_free,
    .frame_create = bp_cann_frame_create,
    .frame_free = bp_cann_frame_free,
    .execute = bp_cann_execute,
    .memory = count_memory,
    .trim = trim,
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
    rc = bp_host_check(host, "cann", err);
    if (rc < 0)
        return rc;
    bp_cann_watch_forks();
    *out = &module;
    return BP_OK;
}
