/* SPDX-License-Identifier: MIT */
/* library.c - finds a driver, looks its functions up, initialises it, and finalises it. */

#define _GNU_SOURCE /* pthread, as C11 alone hides it */

#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define VENDOR "libascendcl.so"
#define VENDOR_COMPILER "libacl_op_compiler.so" /* has what the other one lacks */
#define SIMULATOR "libbp-ascend-sim.so.0"

/*
 * The drivers of the process, as ACL is one a process. They are never closed: threads of theirs may
 * be anywhere.
 */
static struct {
    pthread_mutex_t lock;
    struct bp_cann_driver *drivers;
    bool is_forked; /* from a process that had initialised a driver: ACL does not survive that */
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- opening --------------------------------------------------------------------------------- */

/*
 * Beside the plug-in, or in the library folder above it: lib/backplane/v1/x.so has
 * lib/libbp-ascend-sim.so.0.
 */
static void *open_near(const char *module_path)
{
    char path[1024];
    size_t n = strlen(module_path);

    for (int up = 0; up < 3; up++) {
        while (n > 0 && module_path[n - 1] != '/')
            n--;
        if (n < 2 || n >= sizeof path - sizeof SIMULATOR)
            return NULL;
        snprintf(path, sizeof path, "%.*s%s", (int)n, module_path, SIMULATOR);
        if (up == 0 || up == 2) {
            void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

            if (library)
                return library;
        }
        n--;
    }
    return NULL;
}

/* The dynamic linker's path comes first. */
static void *open_simulator(const char *module_path)
{
    void *library = dlopen(SIMULATOR, RTLD_NOW | RTLD_LOCAL);

    return library ? library : open_near(module_path);
}

/* What `name` means: "auto" is the vendor's library, then the simulator. *path: what was opened. */
static void *open_library(const char *name, const char *module_path, const char **path)
{
    bool is_auto = strcmp(name, "auto") == 0, is_sim = strcmp(name, "sim") == 0;
    void *library = NULL;

    *path = is_auto ? VENDOR : name;
    if (!is_sim)
        library = dlopen(*path, RTLD_NOW | RTLD_LOCAL);
    if (library || (!is_auto && !is_sim))
        return library;
    *path = SIMULATOR;
    return open_simulator(module_path);
}

/*
 * *slot is NULL where the library has no such function. By memcpy(), as C has no cast from void *
 * to a pointer to a function.
 */
static void find_optional(void *library, const char *name, void *slot, size_t size)
{
    void *symbol = dlsym(library, name);

    memcpy(slot, &symbol, size);
}

/* Looks in the second library of the vendor too, which is opened when it is first needed. */
static bool find_required(void *library, void **second, const char *name, void *slot, size_t size)
{
    void *symbol = dlsym(library, name);

    if (!symbol && !*second)
        *second = dlopen(VENDOR_COMPILER, RTLD_NOW | RTLD_LOCAL);
    if (!symbol && *second)
        symbol = dlsym(*second, name);
    memcpy(slot, &symbol, size); /* C has no cast from void * to a function */
    return symbol != NULL;
}

/*
 * NULL, or the name of the function that is missing. Building models is all of the builder's
 * functions or nothing.
 */
static const char *find_all(struct bp_cann_driver *driver, void *library)
{
    void *second = NULL;

#define F(name)                                                                                    \
    if (!find_required(library, &second, #name, &driver->acl.name, sizeof driver->acl.name))       \
        return #name;
    BP_CANN_FUNCTIONS(F)
#undef F
    driver->builds_models = true;
#define F(name)                                                                                    \
    driver->builds_models &= find_required(library, &second, #name, &driver->builder.name,         \
                                           sizeof driver->builder.name);
    BP_CANN_BUILDER(F)
#undef F
    driver->is_sim = dlsym(library, "bp_ascend_configure") != NULL;
    find_optional(library, "aclrtDestroyStreamForce", &driver->end_stream,
                  sizeof driver->end_stream);
    if (!driver->end_stream)
        driver->end_stream = driver->acl.aclrtDestroyStream;
    find_optional(library, "aclrtStreamAbort", &driver->abort_stream, sizeof driver->abort_stream);
    find_optional(library, "bp_ascend_estimate_operator", &driver->estimate_operator,
                  sizeof driver->estimate_operator);
    find_optional(library, "bp_ascend_estimate_copy", &driver->estimate_copy,
                  sizeof driver->estimate_copy);
    return NULL;
}

/* With the dynamic linker's own message. */
static bp_rc fail_to_open(const char *name, bp_err *err)
{
    const char *text = dlerror();

    if (strcmp(name, "auto") == 0)
        return bp_fail(err, BP_E_UNAVAILABLE,
                       "cann: neither the vendor's %s nor the simulator %s can be opened: %s",
                       VENDOR, SIMULATOR, text ? text : "no reason given");
    return bp_fail(err, BP_E_UNAVAILABLE, "cann: driver=%s cannot be opened: %s", name,
                   text ? text : "no reason given");
}

/* The driver that is open under that path, or a new one. [locked] */
static bp_rc open_driver(const char *name, const char *module_path, struct bp_cann_driver **out,
                         bp_err *err)
{
    struct bp_cann_driver *driver;
    const char *path, *missing;
    void *library = open_library(name, module_path, &path);

    if (!library)
        return fail_to_open(name, err);
    for (driver = process.drivers; driver; driver = driver->next) {
        if (strcmp(driver->path, path) == 0) {
            dlclose(library); /* once more than it was opened */
            *out = driver;
            return BP_OK;
        }
    }
    driver = calloc(1, sizeof *driver);
    if (!driver) {
        dlclose(library);
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for a driver");
    }
    missing = find_all(driver, library);
    if (missing) {
        free(driver);
        dlclose(library);
        return bp_fail(err, BP_E_UNAVAILABLE,
                       "cann: %s has no %s: it is not an ACL of 6.0 or later", path, missing);
    }
    snprintf(driver->path, sizeof driver->path, "%s", path);
    driver->next = process.drivers;
    process.drivers = driver;
    *out = driver;
    return BP_OK;
}

/* ---- up and down ----------------------------------------------------------------------------- */

/*
 * An application may have called aclInit() before: then it is the one to call aclFinalize().
 * [locked]
 */
static bp_rc initialize(struct bp_cann_driver *driver, bp_err *err)
{
    aclError code;

    if (driver->is_initialized)
        return BP_OK;
    code = driver->acl.aclInit(NULL);
    driver->is_foreign = code == ACL_ERROR_REPEAT_INITIALIZE;
    if (code != ACL_SUCCESS && !driver->is_foreign)
        return bp_cann_fail(driver, err, code, "aclInit of %s", driver->path);
    driver->is_initialized = true;
    return BP_OK;
}

/*
 * The vendor's ACL comes up once a process, so it stays; the simulator may go, and reads its
 * configuration anew when it comes back. [locked]
 */
static void finalize_if_unused(struct bp_cann_driver *driver)
{
    if (!driver->is_sim || driver->refs > 0)
        return;
    if (!driver->is_foreign)
        driver->acl.aclFinalize();
    driver->is_initialized = false;
    memset(driver->settings, 0, sizeof driver->settings);
}

/* In the child of a fork(). The lock may have been another thread's, which is not there. */
static void after_fork(void)
{
    for (const struct bp_cann_driver *driver = process.drivers; driver; driver = driver->next)
        process.is_forked |= driver->is_initialized;
    pthread_mutex_init(&process.lock, NULL);
}

void bp_cann_watch_forks(void)
{
    static bool is_done;

    if (!is_done)
        is_done = pthread_atfork(NULL, NULL, after_fork) == 0;
}

/* One lock for opening and initialising, so that two sessions cannot do it at once. */
bp_rc bp_cann_driver_acquire(const char *name, const char *module_path, struct bp_cann_driver **out,
                             bp_err *err)
{
    bp_rc rc;

    if (process.is_forked)
        return bp_fail(
            err, BP_E_UNAVAILABLE,
            "cann: ACL was in use when this process was forked, and does not work in the "
            "child; fork before the first session on cann");
    pthread_mutex_lock(&process.lock);
    rc = open_driver(name, module_path, out, err);
    if (rc >= 0)
        rc = initialize(*out, err);
    if (rc >= 0)
        (*out)->refs++;
    pthread_mutex_unlock(&process.lock);
    return rc;
}

void bp_cann_driver_release(struct bp_cann_driver *driver)
{
    pthread_mutex_lock(&process.lock);
    driver->refs--;
    finalize_if_unused(driver);
    pthread_mutex_unlock(&process.lock);
}

/* ---- settings -------------------------------------------------------------------------------- */

/* How many operators are kept is a function of its own, the others are compile options. */
static aclError apply_setting(const struct bp_cann_driver *driver, uint32_t setting,
                              const char *value)
{
    static const aclCompileOpt options[] = {
        [BP_CANN_SET_PRECISION] = ACL_PRECISION_MODE,
        [BP_CANN_SET_IMPL_MODE] = ACL_OP_SELECT_IMPL_MODE,
        [BP_CANN_SET_IMPL_LIST] = ACL_OPTYPELIST_FOR_IMPLMODE,
    };

    if (setting == BP_CANN_SET_QUEUE)
        return driver->acl.aclopSetMaxOpQueueNum(strtoull(value, NULL, 10));
    return driver->acl.aclSetCompileopt(options[setting], value);
}

bp_rc bp_cann_driver_set(struct bp_cann_driver *driver, uint32_t setting, const char *value,
                         const char **in_force, bp_err *err)
{
    char *now = driver->settings[setting];
    bp_rc rc = BP_OK;

    *in_force = value;
    if (!*value)
        return BP_OK;
    pthread_mutex_lock(&process.lock);
    if (!*now) {
        aclError code = apply_setting(driver, setting, value);

        if (code == ACL_SUCCESS)
            snprintf(now, sizeof driver->settings[setting], "%s", value);
        else
            rc = bp_cann_fail(driver, err, code, "the compiler's setting '%s'", value);
    }
    if (rc >= 0)
        *in_force = now;
    pthread_mutex_unlock(&process.lock);
    return rc;
}

void bp_cann_driver_settings(const struct bp_cann_driver *driver, char (*out)[BP_CANN_SETTING_SIZE])
{
    pthread_mutex_lock(&process.lock);
    memcpy(out, driver->settings, sizeof driver->settings);
    pthread_mutex_unlock(&process.lock);
}

/* ---- failures -------------------------------------------------------------------------------- */

/*
 * BP_E_TIMEOUT is that waiting took as long as it may. A task that took too long has failed: who
 * waits for it again would find the stream at its end, and take what it did not write for a result.
 */
static bp_rc rc_of(aclError code)
{
    switch (code) {
    case ACL_ERROR_BAD_ALLOC:
    case ACL_ERROR_STORAGE_OVER_LIMIT:
    case ACL_ERROR_RT_MEMORY_ALLOCATION:
    case ACL_ERROR_RT_DEVICE_OOM:
    case ACL_ERROR_RT_RESOURCE_ALLOC_FAIL:
    case ACL_ERROR_RT_NO_EVENT_RESOURCE:
    case ACL_ERROR_RT_NO_STREAM_RESOURCE:
    case ACL_ERROR_GE_MEMORY_ALLOCATION:
        return BP_E_NOMEM;
    case ACL_ERROR_RT_LOST_HEARTBEAT:
    case ACL_ERROR_RT_DEVICE_MEM_ERROR:
    case ACL_ERROR_RT_DRV_INTERNAL_ERROR:
        return BP_E_DEVICE_LOST;
    case ACL_ERROR_RT_DEV_SETUP_ERROR:
    case ACL_ERROR_RT_NO_PERMISSION:
        return BP_E_BUSY;
    case ACL_ERROR_RT_NO_DEVICE:
    case ACL_ERROR_RT_INVALID_DEVICEID:
        return BP_E_UNAVAILABLE;
    case ACL_ERROR_RT_WAIT_TIMEOUT:
    case ACL_ERROR_RT_STREAM_SYNC_TIMEOUT:
    case ACL_ERROR_RT_EVENT_SYNC_TIMEOUT:
        return BP_E_TIMEOUT;
    case ACL_ERROR_OP_NOT_FOUND:
    case ACL_ERROR_UNSUPPORTED_DATA_TYPE:
        return BP_E_UNSUPPORTED;
    default:
        return BP_E_INTERNAL;
    }
}

/* ACL's message is read first, as later calls may replace it. */
bp_rc bp_cann_fail(const struct bp_cann_driver *driver, bp_err *err, aclError code, const char *fmt,
                   ...)
{
    const char *text = driver->acl.aclGetRecentErrMsg();
    bp_rc rc = rc_of(code);
    char what[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    bp_fail(err, rc, "cann: %s failed with ACL's %d%s%.300s", what, code, text ? ": " : "",
            text ? text : "");
    if (err)
        err->native_code = code;
    return rc;
}
