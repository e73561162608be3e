/* SPDX-License-Identifier: MIT */
/* library.c - opens oneDNN and OpenMP at run time, with threads that do not spin for long. */

#define _GNU_SOURCE /* environ */

#include "base/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Threads of libgomp spin while they wait for their next work, by default for 300,000 iterations.
 * This is fewer: longer than the gaps within a run, too short to be noticed after it. Where
 * other processes want the processors, two threads of the team share one now and then, and each
 * wait of the one for the other takes as long as this: with 20,000 such a network took twice the
 * time that it takes with 5,000, and alone on the machine 3 % less at most. libgomp reads the
 * variable once, when it is loaded; if the process has it already, its own rule stays.
 */
#define SPIN_VARIABLE "GOMP_SPINCOUNT"
#define SPIN_SETTING SPIN_VARIABLE "=5000"

struct bp_dnnl_library bp_dnnl;

/*
 * A copy of the environment with the setting appended; NULL: no memory, or a setting is there. The
 * caller keeps it for good, see below.
 */
static char **environ_with_setting(void)
{
    static char setting[] = SPIN_SETTING;
    size_t n = 0;
    char **copy;

    if (getenv(SPIN_VARIABLE) || getenv("OMP_WAIT_POLICY"))
        return NULL;
    while (environ && environ[n])
        n++;
    copy = malloc((n + 2) * sizeof *copy);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < n; i++)
        copy[i] = environ[i];
    copy[n] = setting;
    copy[n + 1] = NULL;
    return copy;
}

/*
 * Opens oneDNN with the setting in the environment and takes it out again. environ is replaced
 * instead of calling setenv(), which moves the strings that other threads may be reading.
 */
static void *open_with_setting(void)
{
    static char **shown; /* kept, as another thread may have begun to read it */
    char **before = environ;
    void *library;

    shown = environ_with_setting();
    if (shown)
        environ = shown;
    library = dlopen(BP_DNNL_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (shown && environ == shown)
        environ = before;
    return library;
}

/*
 * Primitives that oneDNN keeps for others that are made alike, 1024 by default: with a new set of
 * shapes in each run that is more than 100 MB of kernels that are not used. A network's own primitives
 * are made once a set of shapes, and repeat within tens of each other. Who sets oneDNN's variable
 * decides.
 */
enum { CACHED_PRIMITIVES = 64 };

static void limit_cache(void)
{
    if (!getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY") && !getenv("DNNL_PRIMITIVE_CACHE_CAPACITY"))
        bp_dnnl.set_primitive_cache_capacity(CACHED_PRIMITIVES);
}

/* A capacity of 0 throws all of it away. */
void bp_dnnl_empty_cache(void)
{
    int capacity = 0;

    if (bp_dnnl.get_primitive_cache_capacity(&capacity) != dnnl_success)
        return;
    bp_dnnl.set_primitive_cache_capacity(0);
    bp_dnnl.set_primitive_cache_capacity(capacity);
}

/* Looks one symbol up and writes its address to the slot. False: `why` says which is missing. */
static bool find(void *library, const char *name, void *slot, size_t size)
{
    void *symbol = dlsym(library, name);

    if (!symbol) {
        snprintf(bp_dnnl.why, sizeof bp_dnnl.why, "%s has no %s", BP_DNNL_SONAME, name);
        return false;
    }
    memcpy(slot, &symbol, size); /* C has no cast from void * to a function */
    return true;
}

/*
 * libgomp's functions. GOMP_parallel() is what compilers call for a parallel region; it is
 * optional, as another OpenMP may not have it.
 */
static bool find_team(void *library)
{
    void *parallel = dlsym(library, "GOMP_parallel");

    memcpy(&bp_dnnl.parallel, &parallel, sizeof bp_dnnl.parallel);
#define F(name)                                                                                    \
    if (!find(library, "omp_" #name, &bp_dnnl.name, sizeof bp_dnnl.name))                          \
        return false;
    F(get_max_threads)
    F(set_num_threads)
    F(get_num_threads)
    F(get_thread_num)
    F(pause_resource_all)
#undef F
    return true;
}

/* oneDNN's functions, then OpenMP's: RTLD_LOCAL keeps both from the symbols of the program. */
static bool find_all(void *library)
{
#define F(name)                                                                                    \
    if (!find(library, "dnnl_" #name, &bp_dnnl.name, sizeof bp_dnnl.name))                         \
        return false;
    BP_DNNL_FUNCTIONS(F)
#undef F
    return find_team(library);
}

/*
 * Only 2.6 and later 2.x: version 3 has another API. The threads have to be OpenMP's, as threads.c
 * controls that team.
 */
void bp_dnnl_library_open(void)
{
    const dnnl_version_t *version;
    const char *words;
    void *library;

    if (bp_dnnl.is_open)
        return;
    library = open_with_setting();
    if (!library) {
        words = dlerror();
        snprintf(bp_dnnl.why, sizeof bp_dnnl.why, "%s", words ? words : BP_DNNL_SONAME);
        return;
    }
    if (!find_all(library))
        return;
    version = bp_dnnl.version();
    if (version->major != 2 || version->minor < 6 || version->cpu_runtime != DNNL_RUNTIME_OMP) {
        snprintf(bp_dnnl.why, sizeof bp_dnnl.why,
                 "%s is version %d.%d.%d or has no OpenMP; 2.6 or later of 2 is needed",
                 BP_DNNL_SONAME, version->major, version->minor, version->patch);
        return;
    }
    if (bp_dnnl.engine_create(&bp_dnnl.engine, dnnl_cpu, 0) != dnnl_success) {
        snprintf(bp_dnnl.why, sizeof bp_dnnl.why, "oneDNN has no engine for this processor");
        return;
    }
    limit_cache();
    bp_dnnl.is_open = true;
}

/*
 * dnnl_unimplemented is about a shape or type, since claims have checked the rest: BP_E_SHAPE lets
 * a caller try another kernel.
 */
bp_rc bp_dnnl_fail(bp_err *err, dnnl_status_t status, const char *fmt, ...)
{
    bp_rc rc = status == dnnl_out_of_memory   ? BP_E_NOMEM
               : status == dnnl_unimplemented ? BP_E_SHAPE
                                              : BP_E_INTERNAL;
    const char *words = status == dnnl_out_of_memory   ? "has no memory for"
                        : status == dnnl_unimplemented ? "has no kernel for"
                                                       : "failed at";
    char what[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    bp_fail(err, rc, "oneDNN %s %s (its status %d)", words, what, (int)status);
    if (err)
        err->native_code = status;
    return rc;
}
