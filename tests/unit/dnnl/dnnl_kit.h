/* SPDX-License-Identifier: MIT */
/*
 * dnnl_kit.h - what tests of the dnnl provider share: a graph is built twice from the same values,
 * run by the CPU provider and by dnnl, and must give the same.
 */
#ifndef BP_TESTS_DNNL_KIT_H
#define BP_TESTS_DNNL_KIT_H

#include "dnnl/dnnl_isa.h"
#include "support/check_main.h"
#include "support/random_data.h"
#include "support/skip.h"
#include "support/test_host.h"
#include "support/typed.h"

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

/* A test host for dnnl, with options that make it claim every node it can run. */
static inline struct th *dnnl_new(void)
{
    struct th *t = th_new(bp_provider_entry_v1);

    th_option(t, "claim", "all");
    th_threads(t, DNNL_TEAM);
    return t;
}

/* n made-up elements of float32, for the length of the test. */
static inline float *dnnl_floats(struct th *t, size_t n)
{
    double *values = data_make(n, BP_DTYPE_F32);
    float *data = th_keep(t, typed_encode(values, n, BP_DTYPE_F32));

    free(values);
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

/* Names with blanks between, all of these dimensions. */
static inline void dnnl_values(struct th *t, const char *names, const char *dims)
{
    while (*names) {
        size_t length = strcspn(names, " ");
        char name[32];

        snprintf(name, sizeof name, "%.*s", (int)length, names);
        dnnl_value(t, name, dims);
        names += length + strspn(names + length, " ");
    }
}

static inline void dnnl_output(struct th *t, const char *name, const char *dims)
{
    th_output(t, name, BP_DTYPE_F32, dims);
}

/* A convolution of images, with pads of 1 on all sides. */
static inline void dnnl_conv(struct th *t, const char *in, const char *out)
{
    th_node(t, "Conv", 11, in, out);
    th_ints(t, "pads", 4, (const int64_t[4]){1, 1, 1, 1});
}

/* Dimensions as a text: a, b, and n more. */
static inline const char *dnnl_dims(char *text, size_t size, int64_t a, int64_t b,
                                    const int64_t *more, uint32_t n)
{
    int at = snprintf(text, size, "%lld,%lld", (long long)a, (long long)b);

    for (uint32_t i = 0; i < n; i++)
        at += snprintf(text + at, size - (size_t)at, ",%lld", (long long)more[i]);
    return text;
}

/* ---- one host -------------------------------------------------------------------------------- */

static inline void dnnl_run(struct th *t)
{
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
}

/* It fails so, and these words are in the text. Frees it. */
static inline void dnnl_fails(struct th *t, bp_rc rc, const char *words)
{
    ck_assert_int_eq(th_run(t), rc);
    ck_assert_msg(strstr(th_message(t), words) != NULL, "%s", th_message(t));
    th_free(t);
}

/* A node is refused for that reason, and these words are in the text. Frees it. */
static inline void dnnl_refuses(struct th *t, uint32_t reason, const char *words)
{
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_msg(strstr(th_message(t), words) != NULL, "%s", th_message(t));
    ck_assert_msg(th_reason(t) == reason, "reason %u: %s", th_reason(t), th_message(t));
    th_free(t);
}

/* The n-th allocation fails, for each n until none is left to fail; gives that n. */
static inline uint32_t dnnl_fail_each_alloc(dnnl_make_fn make, const void *u, bool is_tuned)
{
    for (uint32_t n = 1;; n++) {
        struct th *t = dnnl_new();
        bp_rc rc;

        if (is_tuned)
            th_option(t, "autotune", "true");
        make(t, u);
        th_fail_alloc(t, n);
        rc = th_run(t);
        ck_assert_msg(rc >= 0 || rc == BP_E_NOMEM, "%u: %d: %s", n, rc, th_message(t));
        th_free(t);
        if (rc >= 0)
            return n;
        ck_assert_uint_lt(n, 1000);
    }
}

/* ---- two hosts ------------------------------------------------------------------------------- */

/* Builds both from the same values, and runs them. */
static inline void dnnl_run_both(const char *what, struct th *want, struct th *got, uint64_t seed,
                                 dnnl_make_fn make, const void *u)
{
    data_seed(seed);
    make(want, u);
    data_seed(seed);
    make(got, u);
    ck_assert_msg(th_run(want) >= 0, "%s: cpu: %s", what, th_message(want));
    ck_assert_msg(th_run(got) >= 0, "%s: dnnl: %s", what, th_message(got));
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

    dnnl_run_both(what, want, got, 7, make, u);
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
