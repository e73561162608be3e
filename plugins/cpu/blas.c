/* SPDX-License-Identifier: MIT */
/* blas.c - opens and closes OpenBLAS, and decides which nodes use it. */

#include "blas.h"

#include "cpu.h"
#include "kernels/simd/simd.h"

#include <dlfcn.h>
#include <pthread.h>

enum { WORTH_OPENING = 500000 }; /* floating point operations of a node */

/*
 * One library for the process, whatever the number of sessions; all fields are protected by `lock`.
 */
static struct {
    pthread_mutex_t lock;
    void *library;
    unsigned users;
    struct bp_cpu_blas calls;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ISO C has no cast from an object's pointer to a function's; POSIX says that they are alike. */
static int find(void *function, const char *name)
{
    void *symbol = dlsym(shared.library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Called with the lock held. A library that lacks a function counts as absent. */
static int open_library(void)
{
    void (*set_num_threads)(int);

    shared.library = dlopen(BP_OPENBLAS_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!shared.library)
        return 0;
    if (find(&shared.calls.sgemm, "cblas_sgemm") && find(&shared.calls.dgemm, "cblas_dgemm") &&
        find(&set_num_threads, "openblas_set_num_threads")) {
        set_num_threads(1); /* whatever variant it is, only the caller's thread computes */
        return 1;
    }
    dlclose(shared.library);
    shared.library = NULL;
    return 0;
}

/* In the child of a fork(): the thread that held the lock is not there. */
static void open_lock(void)
{
    pthread_mutex_init(&shared.lock, NULL);
}

void bp_cpu_blas_watch_forks(void)
{
    static bool is_done;

    if (!is_done)
        is_done = pthread_atfork(NULL, NULL, open_lock) == 0;
}

struct bp_cpu_blas *bp_cpu_blas_open(void)
{
    struct bp_cpu_blas *out = NULL;

    pthread_mutex_lock(&shared.lock);
    if (shared.users > 0 || open_library()) {
        shared.users++;
        out = &shared.calls;
    }
    pthread_mutex_unlock(&shared.lock);
    return out;
}

void bp_cpu_blas_close(struct bp_cpu_blas *blas)
{
    if (!blas)
        return;
    pthread_mutex_lock(&shared.lock);
    if (--shared.users == 0) {
        dlclose(shared.library);
        shared.library = NULL;
    }
    pthread_mutex_unlock(&shared.lock);
}

void bp_cpu_blas_enter(struct bp_cpu_node *node, uint32_t dtype, double flops)
{
    if (node->use_blas && flops >= WORTH_OPENING &&
        bp_cpu_simd(dtype) == bp_cpu_simd_plain + (dtype == BP_DTYPE_F64))
        node->blas = bp_cpu_blas_open();
}

void bp_cpu_blas_leave(struct bp_cpu_node *node)
{
    bp_cpu_blas_close(node->blas);
    node->blas = NULL;
}
