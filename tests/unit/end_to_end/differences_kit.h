/* SPDX-License-Identifier: MIT */
/*
 * differences_kit.h - small models of a node or two, written as text, run as a program runs them:
 * through a session. For results that ONNX Runtime, ONNX's reference and Backplane could disagree on.
 *
 *     diff_begin(22);
 *     diff_input("x", BP_DTYPE_F32, "1,1,4", (double[]){1, 2, 3, 4});
 *     diff_node("MaxPool", "x", "y", "kernel_shape=[5] strides=[2] ceil_mode=1");
 *     diff_output("y", BP_DTYPE_F32);
 *     diff_run();
 *     DIFF_IS(0, "1,1,1", 4);
 */
#ifndef BP_TESTS_DIFFERENCES_KIT_H
#define BP_TESTS_DIFFERENCES_KIT_H

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "support/session_kit.h"
#include "support/typed.h"

enum { DIFF_MOST = 8 };

struct diff {
    bp_binding in[DIFF_MOST], out[DIFF_MOST];
    int64_t dims[DIFF_MOST][BP_MAX_RANK];
    uint32_t n_in, n_out, n_nodes;
    const char *domain;
    int64_t version; /* of the domain */
};

static struct diff diff;

static inline void diff_forget(void)
{
    for (uint32_t i = 0; i < diff.n_in; i++) {
        free(diff.in[i].tensor.base);
        bp_object_release(diff.in[i].object);
    }
    for (uint32_t i = 0; i < diff.n_out; i++) {
        bp_tensor_free(&diff.out[i].tensor);
        bp_object_release(diff.out[i].object);
    }
    memset(&diff, 0, sizeof diff);
}

/* The fixture: tcase_add_checked_fixture(tcase, kit_setup, diff_teardown). */
static inline void diff_teardown(void)
{
    diff_forget();
    kit_teardown();
}

/* A new model of this operator set. */
static inline void diff_begin(int64_t opset)
{
    diff_forget();
    kit_start_model_at(opset);
}

/* Imports another domain, of which the nodes from here on are. */
static inline void diff_domain(const char *domain, int64_t version)
{
    diff.domain = domain;
    diff.version = version;
}

/* ---- values ---------------------------------------------------------------------------------- */

static inline uint32_t diff_dims(const char *text, int64_t *dims)
{
    uint32_t rank = 0;

    while (*text) {
        char *end;

        dims[rank++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return rank;
}

/* An input declared as `shape` ("N,1,?"), fed with a tensor of these dimensions. */
static inline void diff_input_as(const char *name, uint32_t dtype, const char *shape,
                                 const char *dims, const double *data)
{
    int64_t *at = diff.dims[diff.n_in];
    uint32_t rank = diff_dims(dims, at);
    int64_t n = bp_dims_count(at, rank);

    kit_io(KIT_INPUT, name, dtype, shape);
    diff.in[diff.n_in] =
        kit_tensor(diff.n_in, dtype, typed_encode(data, (size_t)n, dtype), rank, at);
    diff.n_in++;
}

static inline void diff_input(const char *name, uint32_t dtype, const char *dims,
                              const double *data)
{
    diff_input_as(name, dtype, dims, dims, data);
}

static inline void diff_const(const char *name, uint32_t dtype, const char *dims,
                              const double *data)
{
    int64_t at[BP_MAX_RANK + 1];
    uint32_t rank = diff_dims(dims, at);
    int64_t n = bp_dims_count(at, rank);
    void *bytes = typed_encode(data, (size_t)n, dtype);

    at[rank] = -1;
    pw_raw_tensor(&kit.w, 5, name, (int32_t)dtype, at, bytes,
                  (size_t)n * bp_dtype_width(dtype) / 8);
    free(bytes);
}

static inline void diff_output(const char *name, uint32_t dtype)
{
    kit_io(KIT_OUTPUT, name, dtype, NULL);
    diff.out[diff.n_out] = kit_wanted(diff.n_out);
    diff.n_out++;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Entries of a list in brackets: texts, decimal numbers, or integers. */
static inline const char *diff_list_attr(const char *name, const char *s)
{
    bool is_text = *s == '\'', has_point = memchr(s, '.', strcspn(s, "]")) != NULL;

    pw_open_attr(&kit.w, name, is_text ? 8 : has_point ? 6 : 7);
    while (*s != ']') {
        char word[64], *end;

        if (is_text) {
            size_t n = strcspn(s + 1, "'");

            snprintf(word, sizeof word, "%.*s", (int)n, s + 1);
            pw_text(&kit.w, 9, word);
            s += n + 2;
        } else if (has_point) {
            pw_float(&kit.w, 7, strtof(s, &end));
            s = end;
        } else {
            pw_int(&kit.w, 8, strtoll(s, &end, 10));
            s = end;
        }
        s += *s == ',';
    }
    pw_close(&kit.w);
    return s + 1;
}

/* "name=1", "name=0.5", "name='word'" or a list of such in brackets; gives what is after. */
static inline const char *diff_attr(const char *s)
{
    size_t n = strcspn(s, "=");
    char name[64], word[64], *end;

    snprintf(name, sizeof name, "%.*s", (int)n, s);
    s += n + 1;
    if (*s == '[')
        return diff_list_attr(name, s + 1);
    if (*s == '\'') {
        n = strcspn(s + 1, "'");
        snprintf(word, sizeof word, "%.*s", (int)n, s + 1);
        pw_open_attr(&kit.w, name, 3);
        pw_text(&kit.w, 4, word);
        s += n + 2;
    } else if (memchr(s, '.', strcspn(s, " "))) {
        pw_open_attr(&kit.w, name, 1);
        pw_float(&kit.w, 2, strtof(s, &end));
        s = end;
    } else {
        pw_open_attr(&kit.w, name, 2);
        pw_int(&kit.w, 3, strtoll(s, &end, 10));
        s = end;
    }
    pw_close(&kit.w);
    return s;
}

/* Names and attributes with blanks between. */
static inline void diff_node(const char *op, const char *in, const char *out, const char *attrs)
{
    char name[16];

    snprintf(name, sizeof name, "n%u", diff.n_nodes++);
    kit_open_node(name, op, in, out);
    if (diff.domain)
        pw_text(&kit.w, 7, diff.domain);
    while (*attrs) {
        attrs = diff_attr(attrs);
        while (*attrs == ' ')
            attrs++;
    }
    pw_close(&kit.w);
}

/* ---- running --------------------------------------------------------------------------------- */

static inline void diff_close(void)
{
    if (!diff.domain || kit.is_closed)
        return;
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, diff.domain);
    pw_int(&kit.w, 2, diff.version);
    pw_close(&kit.w);
    kit.is_closed = true;
}

static inline bp_rc diff_try(void)
{
    bp_rc rc;

    diff_close();
    rc = kit_try_session();
    if (rc < 0)
        return rc;
    return bp_session_run(kit.session, diff.in, diff.n_in, diff.out, diff.n_out, NULL, &kit.err);
}

static inline void diff_run(void)
{
    KIT_OK(diff_try());
}

/* Loading or the run fails, and these words are in the message. */
#define diff_refused(rc, ...) KIT_FAILS(diff_try(), rc, __VA_ARGS__)

/* Output i has these dimensions and numbers, within `step` relative to 1 + each; NaN is NaN. */
static inline void diff_is(uint32_t i, const char *dims, const double *want, size_t n, double step)
{
    const bp_tensor *got = &diff.out[i].tensor;
    int64_t expected[BP_MAX_RANK] = {0};
    uint32_t rank = diff_dims(dims, expected);

    kit_check_dims(got, rank, expected);
    ck_assert_int_eq(bp_dims_count(expected, rank), (int64_t)n);
    for (size_t k = 0; k < n; k++) {
        double x = typed_get(bp_tensor_data(got), got->dtype, k);
        bool is_same =
            isnan(want[k]) ? isnan(x) : x == want[k] || fabs(x - want[k]) <= step * (1 + fabs(x));

        ck_assert_msg(is_same, "output %u: element %zu is %.9g, not %.9g", i, k, x, want[k]);
    }
}

#define DIFF_IS(i, dims, ...)                                                                      \
    diff_is(i, dims, (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double), 0)
#define DIFF_NEAR(i, dims, ...)                                                                    \
    diff_is(i, dims, (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double),    \
            1e-5)

#endif
