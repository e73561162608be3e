/* SPDX-License-Identifier: MIT */
/* library.c - finds an NNAPI runtime, looks its functions up, asks for its level and devices. */

#define _GNU_SOURCE /* RTLD_DEFAULT, pthread */

#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#define ANDROID "libneuralnetworks.so"
#define SIMULATOR BP_NNAPI_SIM_SONAME

/* Runtimes that this process has opened. */
static struct {
    pthread_mutex_t lock;
    struct bp_nn_driver *drivers;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- opening --------------------------------------------------------------------------------- */

/*
 * Beside the plug-in, or in the library folder above it: lib/backplane/v1/x.so has the simulator in
 * lib/.
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
        if (up != 1) {
            void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

            if (library)
                return library;
        }
        n--;
    }
    return NULL;
}

/* What `name` means. *path: what was opened, or would have been. */
static void *open_library(const char *name, const char *module_path, const char **path)
{
    bool is_auto = strcmp(name, "auto") == 0, is_sim = strcmp(name, "sim") == 0;
    void *library = NULL;

    *path = is_auto ? ANDROID : name;
    if (!is_sim)
        library = dlopen(*path, RTLD_NOW | RTLD_LOCAL);
    if (library || (!is_auto && !is_sim))
        return library;
    *path = SIMULATOR;
    library = dlopen(SIMULATOR, RTLD_NOW | RTLD_LOCAL);
    return library ? library : open_near(module_path);
}

/* By memcpy(), as C has no cast from void * to a pointer to a function. */
static bool find(void *library, const char *name, void *slot, size_t size)
{
    void *symbol = dlsym(library, name);

    memcpy(slot, &symbol, size);
    return symbol != NULL;
}

/* NULL, or the function of level 27 that is missing. */
static const char *find_all(struct bp_nn_driver *driver, void *library)
{
#define F(name)                                                                                    \
    if (!find(library, #name, &driver->nn.name, sizeof driver->nn.name))                           \
        return #name;
    BP_NN_REQUIRED(F)
#undef F
#define F(level, name) find(library, #name, &driver->nn.name, sizeof driver->nn.name);
    BP_NN_OPTIONAL(F)
#undef F
    driver->is_sim = true;
#define F(name) driver->is_sim &= find(library, #name, &driver->sim.name, sizeof driver->sim.name);
    BP_NN_SIMULATOR(F)
#undef F
    return NULL;
}

/* With the dynamic linker's own message. */
static bp_rc fail_to_open(const char *name, bp_err *err)
{
    const char *text = dlerror();

    if (strcmp(name, "auto") == 0)
        return bp_fail(err, BP_E_UNAVAILABLE,
                       "nnapi: neither Android's %s nor the simulator %s can be opened: %s",
                       ANDROID, SIMULATOR, text ? text : "no reason given");
    return bp_fail(err, BP_E_UNAVAILABLE, "nnapi: driver=%s cannot be opened: %s", name,
                   text ? text : "no reason given");
}

/* A new driver of an open library. [locked] */
static bp_rc add_driver(void *library, const char *path, struct bp_nn_driver **out, bp_err *err)
{
    struct bp_nn_driver *driver = calloc(1, sizeof *driver);
    const char *missing = driver ? find_all(driver, library) : NULL;

    if (!driver || missing) {
        free(driver);
        dlclose(library);
        return missing ? bp_fail(err, BP_E_UNAVAILABLE,
                                 "nnapi: %s has no %s, which NNAPI has since Android 8.1", path,
                                 missing)
                       : bp_fail(err, BP_E_NOMEM, "nnapi: no memory for a driver");
    }
    snprintf(driver->path, sizeof driver->path, "%s", path);
    driver->next = process.drivers;
    process.drivers = driver;
    *out = driver;
    return BP_OK;
}

static bp_rc open_locked(const char *name, const char *module_path, struct bp_nn_driver **out,
                         bp_err *err)
{
    const char *path;
    void *library = open_library(name, module_path, &path);

    if (!library)
        return fail_to_open(name, err);
    for (struct bp_nn_driver *driver = process.drivers; driver; driver = driver->next) {
        if (strcmp(driver->path, path) == 0) {
            dlclose(library); /* once more than it was opened */
            *out = driver;
            return BP_OK;
        }
    }
    return add_driver(library, path, out, err);
}

bp_rc bp_nn_driver_open(const char *name, const char *module_path, struct bp_nn_driver **out,
                        bp_err *err)
{
    bp_rc rc;

    pthread_mutex_lock(&process.lock);
    rc = open_locked(name, module_path, out, err);
    pthread_mutex_unlock(&process.lock);
    return rc;
}

/* ---- level and devices ----------------------------------------------------------------------- */

/*
 * The newest level whose functions are all there: what a runtime that is not on a phone says of
 * itself in no other way.
 */
static int64_t level_by_symbols(const struct bp_nn_driver *driver)
{
    int64_t least_missing = BP_NN_FL5 + 1;

#define F(level, name)                                                                             \
    if (!driver->nn.name && (level) < least_missing)                                               \
        least_missing = (level);
    BP_NN_OPTIONAL(F)
#undef F
    return least_missing - 1;
}

/*
 * Below 31 it is the phone's API level, which libc knows on Android; from 31 on, and of the
 * simulator, the runtime's own word.
 */
int64_t bp_nn_runtime_level(const struct bp_nn_driver *driver)
{
    int (*device_level)(void) = NULL;
    int api;

    if (driver->is_sim)
        return driver->sim.bp_nnapi_level();
    if (find(RTLD_DEFAULT, "android_get_device_api_level", &device_level, sizeof device_level)) {
        api = device_level();
        if (api > 0 && api < BP_NN_FL5)
            return api;
    }
    if (driver->nn.ANeuralNetworks_getRuntimeFeatureLevel)
        return driver->nn.ANeuralNetworks_getRuntimeFeatureLevel();
    return level_by_symbols(driver);
}

void bp_nn_functions_at(const struct bp_nn_driver *driver, int64_t level,
                        struct bp_nn_functions *out)
{
    *out = driver->nn;
#define F(since, name)                                                                             \
    if ((since) > level)                                                                           \
        out->name = NULL;
    BP_NN_OPTIONAL(F)
#undef F
}

bp_rc bp_nn_check_level(const struct bp_nn_driver *driver, bp_err *err)
{
    int64_t level = bp_nn_runtime_level(driver);

    if (level >= BP_NN_FL1)
        return BP_OK;
    return bp_fail(err, BP_E_UNAVAILABLE,
                   "nnapi: %s has API level %lld, and NNAPI needs 27 (Android 8.1), better 28",
                   driver->path, (long long)level);
}

static int describe(const struct bp_nn_driver *driver, uint32_t i, struct bp_nn_device *out)
{
    const struct bp_nn_functions *nn = &driver->nn;
    int code = nn->ANeuralNetworks_getDevice(i, &out->handle);

    out->index = i;
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = nn->ANeuralNetworksDevice_getName(out->handle, &out->name);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = nn->ANeuralNetworksDevice_getVersion(out->handle, &out->version);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = nn->ANeuralNetworksDevice_getType(out->handle, &out->type);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = nn->ANeuralNetworksDevice_getFeatureLevel(out->handle, &out->level);
    return code;
}

static void move_cpu_to_end(struct bp_nn_device *devices, uint32_t n)
{
    for (uint32_t i = 0; i + 1 < n; i++) {
        struct bp_nn_device cpu = devices[i];

        if (cpu.type != ANEURALNETWORKS_DEVICE_CPU)
            continue;
        memmove(devices + i, devices + i + 1, (n - i - 1) * sizeof *devices);
        devices[n - 1] = cpu;
        return; /* there is one */
    }
}

bp_rc bp_nn_list_devices(const struct bp_nn_driver *driver, struct bp_nn_device *out,
                         uint32_t *n_out, bp_err *err)
{
    uint32_t n = 0;
    int code;

    *n_out = 0;
    if (bp_nn_runtime_level(driver) < BP_NN_FL3 || !driver->nn.ANeuralNetworks_getDevice)
        return BP_OK;
    code = driver->nn.ANeuralNetworks_getDeviceCount(&n);
    n = n < BP_NN_MAX_DEVICES ? n : BP_NN_MAX_DEVICES;
    for (uint32_t i = 0; i < n && code == ANEURALNETWORKS_NO_ERROR; i++)
        code = describe(driver, i, &out[i]);
    if (code != ANEURALNETWORKS_NO_ERROR)
        return bp_nn_fail(err, code, "listing the devices of %s", driver->path);
    move_cpu_to_end(out, n);
    *n_out = n;
    return BP_OK;
}

/* ---- failures -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bp_rc rc;
} codes[] = {
    {"ANEURALNETWORKS_NO_ERROR", BP_OK},
    {"ANEURALNETWORKS_OUT_OF_MEMORY", BP_E_NOMEM},
    {"ANEURALNETWORKS_INCOMPLETE", BP_E_INTERNAL},
    {"ANEURALNETWORKS_UNEXPECTED_NULL", BP_E_INTERNAL},
    {"ANEURALNETWORKS_BAD_DATA", BP_E_UNSUPPORTED},
    {"ANEURALNETWORKS_OP_FAILED", BP_E_INTERNAL},
    {"ANEURALNETWORKS_BAD_STATE", BP_E_INTERNAL},
    {"ANEURALNETWORKS_UNMAPPABLE", BP_E_IO},
    {"ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE", BP_E_SPACE},
    {"ANEURALNETWORKS_UNAVAILABLE_DEVICE", BP_E_UNAVAILABLE},
    {"ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT", BP_E_TIMEOUT},
    {"ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT", BP_E_TIMEOUT},
    {"ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT", BP_E_BUSY},
    {"ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT", BP_E_NOMEM},
    {"ANEURALNETWORKS_DEAD_OBJECT", BP_E_DEVICE_LOST},
};
enum { N_CODES = sizeof codes / sizeof codes[0] };

bp_rc bp_nn_rc_of(int code)
{
    return code >= 0 && code < N_CODES ? codes[code].rc : BP_E_INTERNAL;
}

const char *bp_nn_code_name(int code)
{
    return code >= 0 && code < N_CODES ? codes[code].name : "unknown code";
}

static bp_rc say(bp_err *err, bp_rc rc, int code, const char *fmt, va_list args) BP_PRINTF(4, 0);

/* The words begin as ONNX Runtime's do, which people look for. */
static bp_rc say(bp_err *err, bp_rc rc, int code, const char *fmt, va_list args)
{
    char what[256];

    vsnprintf(what, sizeof what, fmt, args);
    bp_fail(err, rc, "nnapi: ResultCode: %s (%d), %s", bp_nn_code_name(code), code, what);
    if (err)
        err->native_code = code;
    return rc;
}

bp_rc bp_nn_fail(bp_err *err, int code, const char *fmt, ...)
{
    va_list args;
    bp_rc rc;

    va_start(args, fmt);
    rc = say(err, bp_nn_rc_of(code), code, fmt, args);
    va_end(args);
    return rc;
}

bp_rc bp_nn_fail_creation(bp_err *err, int code, const char *fmt, ...)
{
    bp_rc rc = bp_nn_rc_of(code);
    va_list args;

    va_start(args, fmt);
    rc = say(err, rc == BP_E_NOMEM ? BP_E_UNAVAILABLE : rc, code, fmt, args);
    va_end(args);
    return rc;
}
