/* SPDX-License-Identifier: MIT */
/* window.c - attributes of windows that slide over an input, and how often they fit. */

#include "config.h"

#include "graph/rules/window.h"

#include <inttypes.h>

/* The list `name` with n entries, each at least `min`; NULL when it is absent or empty. */
static bp_rc read_list(struct bp_infer *infer, const char *name, uint32_t n, int64_t min,
                       const int64_t **out)
{
    uint32_t count;
    const int64_t *list = bp_ir_attr_ints(infer->node, name, &count);

    *out = NULL;
    if (count == 0 && n > 0)
        return BP_OK;
    if (count != n)
        return bp_fail(infer->err, BP_E_INVALID,
                       "%s has %u entries, but the spatial dimensions ask for %u", name, count, n);
    for (uint32_t i = 0; i < n; i++) {
        if (list[i] < min)
            return bp_fail(infer->err, BP_E_INVALID,
                           "%s has %" PRId64 ", which is less than %" PRId64, name, list[i], min);
    }
    *out = list;
    return BP_OK;
}

/*
 * SAME_UPPER and SAME_LOWER differ only in where an odd element of padding goes, which no size
 * depends on.
 */
static bp_rc read_auto_pad(struct bp_infer *infer, enum bp_auto_pad *out)
{
    static const struct {
        const char *name;
        enum bp_auto_pad kind;
    } kinds[] = {{"NOTSET", BP_PAD_GIVEN},
                 {"SAME_UPPER", BP_PAD_SAME},
                 {"SAME_LOWER", BP_PAD_SAME},
                 {"VALID", BP_PAD_VALID}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (bp_ir_attr_is(infer->node, "auto_pad", "NOTSET", kinds[i].name)) {
            *out = kinds[i].kind;
            return BP_OK;
        }
    }
    return bp_fail(infer->err, BP_E_INVALID,
                   "auto_pad is none of NOTSET, SAME_UPPER, SAME_LOWER, VALID");
}

/* Each list has an entry for each spatial dimension, pads two: all beginnings, then all ends. */
bp_rc bp_window_read(struct bp_infer *infer, uint32_t n, struct bp_window *out)
{
    bp_rc rc;

    out->n = n;
    rc = read_auto_pad(infer, &out->auto_pad);
    if (rc >= 0)
        rc = read_list(infer, "kernel_shape", n, 1, &out->kernel);
    if (rc >= 0)
        rc = read_list(infer, "strides", n, 1, &out->strides);
    if (rc >= 0)
        rc = read_list(infer, "dilations", n, 1, &out->dilations);
    if (rc >= 0)
        rc = read_list(infer, "pads", 2 * n, 0, &out->pads);
    return rc;
}

int64_t bp_window_stride(const struct bp_window *window, uint32_t i)
{
    return window->strides ? window->strides[i] : 1;
}

bp_rc bp_window_span(struct bp_infer *infer, const struct bp_window *window, uint32_t i, int64_t k,
                     int64_t *out)
{
    int64_t dilation = window->dilations ? window->dilations[i] : 1;

    if (k < 1)
        return bp_fail(infer->err, BP_E_SHAPE, "the kernel has size %" PRId64 " at dimension %u", k,
                       i + 2);
    if (__builtin_mul_overflow(k - 1, dilation, out) || __builtin_add_overflow(*out, 1, out))
        return bp_fail(infer->err, BP_E_INVALID, "dilations has %" PRId64 ", far too much",
                       dilation);
    return BP_OK;
}

bp_rc bp_window_padding(struct bp_infer *infer, const struct bp_window *window, uint32_t i,
                        int64_t *begin, int64_t *total)
{
    bool is_given = window->auto_pad == BP_PAD_GIVEN && window->pads;

    *begin = is_given ? window->pads[i] : 0;
    *total = 0;
    if (is_given && __builtin_add_overflow(*begin, window->pads[window->n + i], total))
        return bp_fail(infer->err, BP_E_INVALID, "pads has %" PRId64 ", far too much", *begin);
    return BP_OK;
}

/* A window larger than the padded input has no position. */
static bp_rc fail_to_fit(const struct bp_infer *infer, uint32_t i, int64_t span, int64_t size,
                         int64_t padding)
{
    return bp_fail(infer->err, BP_E_SHAPE,
                   "a window of %" PRId64 " does not fit in dimension %u, which has size %" PRId64
                   " and padding %" PRId64,
                   span, i + 2, size, padding);
}

/*
 * Windows that would start in the padding at the end do not count (ONNX MaxPool, AveragePool). A window
 * may be larger than the padded input: while what it lacks is less than a stride, rounding up makes
 * one output of it; exactly a stride, none.
 */
static bp_rc slide_up(struct bp_infer *infer, uint32_t i, struct bp_sym size, int64_t span,
                      int64_t begin, int64_t total, int64_t stride, struct bp_sym *out)
{
    int64_t overhang;
    bp_rc rc = bp_rule_shift(infer, size, total - span, out);

    if (rc >= 0)
        rc = bp_rule_calc(infer, *out, '^', bp_sym_of(stride), out);
    if (rc < 0)
        return rc;
    if (bp_sym_known(*out)) { /* the last window's index */
        int64_t start, edge;

        if (__builtin_mul_overflow(out->value, stride, &start) ||
            __builtin_add_overflow(size.value, begin, &edge))
            return bp_fail(infer->err, BP_E_SHAPE, "the padded input does not fit in 64 bits");
        out->value += start < edge;
        if (out->value >= 0)
            return BP_OK;
        return fail_to_fit(infer, i, span, size.value, total);
    }
    /* a symbol stays an expression only where there can be no such window */
    if (!__builtin_add_overflow(total - begin, stride - 1, &overhang) && overhang < span)
        return bp_rule_shift(infer, *out, 1, out);
    return bp_symbols_fresh(infer->symbols, bp_symbols_from_data(infer->symbols, size), out,
                            infer->err);
}

/*
 * floor((size + padding - span) / stride) + 1, or with SAME ceil(size / stride). Symbols give
 * the same as an expression.
 */
bp_rc bp_window_slide(struct bp_infer *infer, const struct bp_window *window, uint32_t i,
                      struct bp_sym size, int64_t k, bool up, struct bp_sym *out)
{
    int64_t stride = bp_window_stride(window, i);
    bool rounds_up = up && window->auto_pad == BP_PAD_GIVEN;
    int64_t span, begin, total, padded;
    bp_rc rc;

    if (window->auto_pad == BP_PAD_SAME)
        return bp_rule_calc(infer, size, '^', bp_sym_of(stride), out);
    rc = bp_window_span(infer, window, i, k, &span);
    if (rc < 0)
        return rc;
    rc = bp_window_padding(infer, window, i, &begin, &total);
    if (rc < 0)
        return rc;
    if (bp_sym_known(size) &&
        (__builtin_add_overflow(size.value, total, &padded) || (padded < span && !rounds_up)))
        return fail_to_fit(infer, i, span, size.value, total);
    if (rounds_up)
        return slide_up(infer, i, size, span, begin, total, stride, out);
    rc = bp_rule_shift(infer, size, total - span, out);
    if (rc >= 0)
        rc = bp_rule_calc(infer, *out, '/', bp_sym_of(stride), out);
    if (rc >= 0)
        rc = bp_rule_shift(infer, *out, 1, out);
    return rc;
}
