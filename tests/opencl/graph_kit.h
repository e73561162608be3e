/* SPDX-License-Identifier: MIT */
/*
 * graph_kit.h - what tests of the provider opencl share that compare it with cpu: a model that a
 * function writes runs in sessions with different options, on the same inputs.
 */
#ifndef BP_TESTS_OPENCL_GRAPH_KIT_H
#define BP_TESTS_OPENCL_GRAPH_KIT_H

#include "support/session_kit.h"
#include "support/skip.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { GK_INPUTS = 8, GK_OUTPUTS = 4, GK_ELEMENTS = 4096 };

/* Writes the model with kit_*(), and its inputs with gk_input(). */
typedef void (*gk_make_fn)(const void *u);

static struct gk {
    float data[GK_INPUTS][GK_ELEMENTS];
    int64_t dims[GK_INPUTS][4];
    uint32_t ranks[GK_INPUTS];
    uint32_t n_in, n_out;
    uint32_t state; /* of random values */
} gk;

static inline uint32_t gk_random(uint32_t n)
{
    gk.state = gk.state * 1664525u + 1013904223u;
    return (gk.state >> 8) % n;
}

/* An input of float32, with values of -2 to 2. */
static inline void gk_input(const char *name, uint32_t rank, const int64_t *dims)
{
    char shape[64] = "";
    size_t n = 1, at = 0;
    uint32_t i = gk.n_in++;

    gk.ranks[i] = rank;
    for (uint32_t d = 0; d < rank; d++) {
        gk.dims[i][d] = dims[d];
        n *= (size_t)dims[d];
        at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%d", d ? "," : "", (int)dims[d]);
    }
    ck_assert_uint_le(n, GK_ELEMENTS);
    for (size_t k = 0; k < n; k++)
        gk.data[i][k] = (float)gk_random(4001) / 1000 - 2;
    kit_io(KIT_INPUT, name, BP_DTYPE_F32, shape);
}
#define GK_INPUT(name, ...)                                                                        \
    gk_input(name, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

static inline void gk_output(const char *name, const char *shape)
{
    kit_io(KIT_OUTPUT, name, BP_DTYPE_F32, shape);
    gk.n_out++;
}

/* Constants of float32, of that many elements. */
static inline void gk_const(const char *name, const int64_t *dims, uint32_t n)
{
    static float values[GK_ELEMENTS];

    for (uint32_t i = 0; i < n; i++)
        values[i] = (float)gk_random(2001) / 1000 - 1;
    kit_floats(name, dims, n, values);
}

/* A session of the model with a provider that is required, and one option or none. */
static inline void gk_open(gk_make_fn make, const void *u, const char *provider,
                           const bp_key_value *options, uint32_t n_options)
{
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, provider, options, n_options,
                                           BP_FALLBACK_REQUIRE, &kit.err));
    gk.n_in = gk.n_out = 0;
    kit_start_model_at(17);
    make(u);
    kit_session();
}

static inline void gk_run(bp_binding *out)
{
    bp_binding in[GK_INPUTS];

    for (uint32_t i = 0; i < gk.n_in; i++)
        in[i] = kit_tensor(i, BP_DTYPE_F32, gk.data[i], gk.ranks[i], gk.dims[i]);
    for (uint32_t i = 0; i < gk.n_out; i++)
        out[i] = kit_wanted(i);
    kit_run(in, gk.n_in, out, gk.n_out);
}

static inline void gk_same(const char *what, const bp_tensor *got, const bp_tensor *want)
{
    const float *a = bp_tensor_data(got), *b = bp_tensor_data(want);

    ck_assert_uint_eq(got->bytes, want->bytes);
    for (size_t i = 0; i < want->bytes / sizeof *b; i++) {
        if (isnan(a[i]) && isnan(b[i]))
            continue;
        ck_assert_msg(fabsf(a[i] - b[i]) <= 1e-5f + 1e-5f * fabsf(b[i]), "%s: %zu is %g, not %g",
                      what, i, (double)a[i], (double)b[i]);
    }
}

static inline void gk_free(bp_binding *out)
{
    for (uint32_t i = 0; i < gk.n_out; i++)
        bp_tensor_free(&out[i].tensor);
}

/* Files of a folder whose names begin so. */
static inline uint32_t gk_files(const char *folder, const char *prefix)
{
    DIR *list = opendir(folder);
    struct dirent *entry;
    uint32_t n = 0;

    while (list && (entry = readdir(list)) != NULL)
        n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    if (list)
        closedir(list);
    return n;
}

/* Why tests cannot run here, or NULL. The provider's tool asks, as drivers leave threads behind. */
static inline const char *gk_missing(void)
{
    const char *build = getenv("BP_BUILDDIR");
    char text[1200];

    if (skip_is_slowed())
        return "skipped: PoCL and LLVM are slow, and leak, under sanitizers and valgrind";
    snprintf(text, sizeof text, "%s/tests/opencl/pocl-cache", build ? build : ".");
    setenv("POCL_CACHE_DIR", text, 0);
    snprintf(text, sizeof text,
             "%s/tools/backplane providers info opencl 2>/dev/null | grep -q '^state *usable'",
             build ? build : ".");
    if (system(text) != 0)
        return "not tested: there is no OpenCL device; install Debian's pocl-opencl-icd";
    return NULL;
}

static inline int gk_main(const char *name, TCase *const *cases, uint32_t n_cases)
{
    const char *missing = gk_missing();

    if (missing)
        return check_skip(missing, cases, n_cases);
    for (uint32_t i = 0; i < n_cases; i++) {
        tcase_set_timeout(cases[i], 300);
        tcase_add_checked_fixture(cases[i], kit_setup, kit_teardown);
    }
    return kit_main(name, cases, n_cases);
}

#endif
