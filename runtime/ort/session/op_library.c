/* SPDX-License-Identifier: MIT */
/*
 * op_library.c - RegisterCustomOps*: shared libraries whose entry function adds custom operators to
 * session options.
 */

#include "config.h"

#include "ort/session/op_library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ort/guarded.h"
#include "ort/session/options.h"
#include "ort/status.h"

#define ENTRY "RegisterCustomOps"
#define EXTENSIONS "libortextensions.so" /* of the project onnxruntime-extensions */

struct ort_library {
    atomic_uint refs;
    void *handle;
};

bool ort_library_keep(struct ort_custom *custom, struct ort_library *library)
{
    struct ort_library **list =
        realloc(custom->libraries, (custom->n_libraries + 1) * sizeof(struct ort_library *));

    if (!list)
        return false;
    custom->libraries = list;
    list[custom->n_libraries++] = library;
    atomic_fetch_add(&library->refs, 1);
    return true;
}

/* The last reference unloads the library: its kernels are gone by then. */
void ort_library_release(struct ort_library *library)
{
    if (!library || atomic_fetch_sub(&library->refs, 1) != 1)
        return;
    dlclose(library->handle);
    free(library);
}

/* ISO C has no cast from an object pointer to a function pointer. */
static RegisterCustomOpsFn function_of(void *symbol)
{
    RegisterCustomOpsFn fn;

    memcpy(&fn, &symbol, sizeof fn);
    return fn;
}

struct entry {
    OrtSessionOptions *options;
    RegisterCustomOpsFn fn;
    OrtStatus *status;
};

/* The library's entry function may throw, so it runs under bp_guard(). */
static void run_entry(void *u)
{
    struct entry *entry = u;

    entry->status = entry->fn(entry->options, OrtGetApiBase());
}

/* The library's status, prefixed with its name. */
static OrtStatus *call_entry(OrtSessionOptions *options, RegisterCustomOpsFn fn, const char *where)
{
    struct entry entry = {options, fn, NULL};
    struct bp_thrown thrown;
    OrtStatus *status, *said;

    if (!bp_guard(run_entry, &entry, &thrown))
        return ort_thrown(&thrown, where);
    status = entry.status;
    if (!status)
        return NULL;
    said = ort_fail(ort_GetErrorCode(status), "%s: %s", where, ort_GetErrorMessage(status));
    ort_ReleaseStatus(status);
    return said;
}

/* RTLD_LOCAL: a library's symbols must not replace those of others. */
static OrtStatus *open_library(const char *path, void **handle)
{
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle)
        return ort_fail(ORT_FAIL, "Failed to load library %s with error: %s", path, dlerror());
    return NULL;
}

static OrtStatus *call_library(OrtSessionOptions *options, const char *path, void *handle)
{
    void *symbol = dlsym(handle, ENTRY);

    if (!symbol)
        return ort_fail(ORT_FAIL,
                        "Failed to get symbol " ENTRY " of %s: it is not a library of "
                        "operators for ONNX Runtime",
                        path);
    return call_entry(options, function_of(symbol), path);
}

/* OrtApi since version 1: The caller unloads the handle after its sessions are released. */
OrtStatus *ort_RegisterCustomOpsLibrary(OrtSessionOptions *options, const char *library_path,
                                        void **library_handle)
{
    OrtStatus *status;

    ORT_NEED(options);
    ORT_NEED(library_path);
    ORT_NEED(library_handle);
    *library_handle = NULL;
    status = open_library(library_path, library_handle);
    if (status)
        return status;
    status = call_library(options, library_path, *library_handle);
    if (status) {
        dlclose(*library_handle);
        *library_handle = NULL;
    }
    return status;
}

/* OrtApi since version 14: Options, and sessions created with them, keep the library loaded. */
OrtStatus *ort_RegisterCustomOpsLibrary_V2(OrtSessionOptions *options, const char *library_name)
{
    struct ort_library *library;
    OrtStatus *status;
    void *handle;
    bool is_kept;

    ORT_NEED(options);
    ORT_NEED(library_name);
    status = open_library(library_name, &handle);
    if (status)
        return status;
    library = calloc(1, sizeof *library);
    if (!library) {
        dlclose(handle);
        return ort_no_memory();
    }
    atomic_init(&library->refs, 1);
    library->handle = handle;
    is_kept = ort_library_keep(&options->custom, library);
    if (is_kept)
        status = call_library(options, library_name, handle);
    if (is_kept && status) {
        options->custom.n_libraries--;
        ort_library_release(library);
    }
    ort_library_release(library);
    return is_kept ? status : ort_no_memory();
}

/* OrtApi since version 14: The function must be exported by a module that is loaded already. */
OrtStatus *ort_RegisterCustomOpsUsingFunction(OrtSessionOptions *options,
                                              const char *registration_func_name)
{
    void *symbol;

    ORT_NEED(options);
    ORT_NEED(registration_func_name);
    symbol = dlsym(RTLD_DEFAULT, registration_func_name);
    if (!symbol)
        return ort_fail(ORT_FAIL,
                        "RegisterCustomOpsUsingFunction: Failed to get symbol %s with error: it is "
                        "not in the process; a library with it has to be loaded, and to export it",
                        registration_func_name[0] ? registration_func_name : "''");
    return call_entry(options, function_of(symbol), registration_func_name);
}

/* OrtApi since version 9: Loads onnxruntime-extensions from the library path. */
OrtStatus *ort_EnableOrtCustomOps(OrtSessionOptions *options)
{
    OrtStatus *status;
    void *handle;

    ORT_NEED(options);
    handle = dlopen(EXTENSIONS, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return ort_fail(ORT_FAIL,
                        "EnableOrtCustomOps: " EXTENSIONS " of onnxruntime-extensions is not here "
                        "(%s); register its path with RegisterCustomOpsLibrary_V2",
                        dlerror());
    status = ort_RegisterCustomOpsLibrary_V2(options, EXTENSIONS);
    dlclose(handle);
    return status;
}
