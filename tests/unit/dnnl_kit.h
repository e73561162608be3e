/* SPDX-License-Identifier: MIT */
/*
 * dnnl_kit.h - what tests of the dnnl provider share: a graph is built twice from the same numbers,
 * run by the CPU provider and by dnnl, and must give the same.
 */
#ifndef BP_TESTS_DNNL_KIT_H
#define BP_TESTS_DNNL_KIT_H

#include "numbers.h"
#include "test_host.h"
#include "typed.h"

#include <check.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* dnnl's, linked into the test. */
extern bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

typedef void (*dnnl_make_fn)(struct th *t, const void *u);

/* The CPU provider's entry: of its shared object, as both entries have one name. */
static inline bp_entry_fn dnnl_cpu_entry(void)
{
    static bp_entry_fn entry;
    const char *build = getenv("BP_BUILDDIR");
    char path[1024];
    void *library, *symbol;

    if (entry)
        return entry;
    snprintf(path, sizeof path, "%s/providers/libbp-cpu.so", build ? build : ".");
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s: build it first", path);
    symbol = dlsym(library, BP_ENTRY_SYMBOL);
    ck_assert_ptr_nonnull(symbol);
    memcpy(&entry, &symbol, sizeof entry);
    return entry;
}

/*
 * Threads of oneDNN's team: LeakSanitizer of gcc 12 crashes at the end of a process in which
 * libgomp has threads, so that there is but the caller with it.
 */
#define DNNL_TEAM (WITH_ASAN ? 1 : 2)

/* A host of dnnl's that has it take all it can. */
static inline struct th *dnnl_new(void)
{
    struct th *t = th_new(bp_provider_entry_v1);

    th_option(t, "claim", "all");
    th_threads(t, DNNL_TEAM);
    return t;
}

/* n made-up numbers of float32, for the length of the test. */
static inline float *dnnl_floats(struct th *t, size_t n)
{
    double *numbers = nums_make(n, BP_DTYPE_F32);
    float *data = th_keep(t, typed_encode(numbers, n, BP_DTYPE_F32));

    free(numbers);
    return data;
}

static inline size_t dnnl_elements(const char *dims)
{
    size_t n = 1;

    while (*dims) {
        char *end;

        n *= (size_t)strtoull(dims, &end, 10);
        dims = *end == ',' ? end + 1 : end;
    }
    return n;
}

static inline void dnnl_input(struct th *t, const char *name, const char *dims)
{
    th_input(t, name, BP_DTYPE_F32, dims, dnnl_floats(t, dnnl_elements(dims)));
}

static inline void dnnl_const(struct th *t, const char *name, const char *dims)
{
    th_const(t, name, BP_DTYPE_F32, dims, dnnl_floats(t, dnnl_elements(dims)));
}

static inline void dnnl_value(struct th *t, const char *name, const char *dims)
{
    th_value(t, name, BP_DTYPE_F32, dims);
}

static inline void dnnl_output(struct th *t, const char *name, const char *dims)
{
    th_output(t, name, BP_DTYPE_F32, dims);
}

/*
 * Are the outputs of that name alike, to 1e-4 and a few roundings? Those of terms that cancel are
 * as large as the largest results say: Winograd's convolutions sum other terms than the direct way.
 */
static inline void dnnl_same(const char *what, const struct th *got, const struct th *want,
                             const char *name)
{
    const float *a = th_data(got, name), *b = th_data(want, name);
    size_t n = th_count(want, name);
    double largest = 0;

    ck_assert_uint_eq(th_count(got, name), n);
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)b[i]));
    for (size_t i = 0; i < n; i++) {
        double limit = 2e-5 + 1e-4 * fabs((double)b[i]) + 1e-6 * largest;

        ck_assert_msg(fabs((double)a[i] - (double)b[i]) <= limit, "%s: %s[%zu] is %g, not %g", what,
                      name, i, (double)a[i], (double)b[i]);
    }
}

/* Builds it twice and compares y, and z if there is one. */
static inline void dnnl_compare(const char *what, dnnl_make_fn make, const void *u, int has_z)
{
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();

    nums_seed(7);
    make(want, u);
    nums_seed(7);
    make(got, u);
    ck_assert_msg(th_run(want) >= 0, "%s: cpu: %s", what, th_message(want));
    ck_assert_msg(th_run(got) >= 0, "%s: dnnl: %s", what, th_message(got));
    dnnl_same(what, got, want, "y");
    if (has_z)
        dnnl_same(what, got, want, "z");
    th_move(got); /* other buffers, the same frame */
    ck_assert_msg(th_run(got) >= 0, "%s: again: %s", what, th_message(got));
    dnnl_same(what, got, want, "y");
    th_free(got);
    th_free(want);
}

#endif
