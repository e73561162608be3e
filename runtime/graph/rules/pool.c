/* SPDX-License-Identifier: MIT */
/* pool.c - MaxPool, AveragePool, LpPool and their global forms. */

#include "config.h"

#include "graph/rules/window.h"

#include <inttypes.h>

/* ---- rules ---------------------------------------------------------------------------------- */

/*
 * Padding as wide as the kernel would leave windows with no element of the input, whose maximum or
 * mean nothing defines.
 */
static bp_rc check_pads(struct bp_infer *infer, const struct bp_window *window)
{
    for (uint32_t i = 0; window->auto_pad == BP_PAD_GIVEN && window->pads && i < 2 * window->n;
         i++) {
        if (window->pads[i] >= window->kernel[i % window->n])
            return bp_fail(infer->err, BP_E_INVALID,
                           "pads has %" PRId64
                           ", which is not less than the kernel's size, %" PRId64,
                           window->pads[i], window->kernel[i % window->n]);
    }
    return BP_OK;
}

static bp_rc infer_pool(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bool up = bp_ir_attr_int(infer->node, "ceil_mode", 0) != 0;
    uint32_t dtype = bp_rule_dtype(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_window window;
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x)) {
        rc = bp_rule_unknown(infer, 0, dtype);
        if (rc < 0)
            return rc;
        return bp_rule_unknown(infer, 1, BP_DTYPE_I64);
    }
    rc = bp_window_read(infer, x->rank - 2, &window);
    if (rc < 0)
        return rc;
    if (!window.kernel)
        return bp_fail(infer->err, BP_E_INVALID, "kernel_shape is missing or empty");
    rc = check_pads(infer, &window);
    if (rc < 0)
        return rc;
    dims[0] = x->dims[0];
    dims[1] = x->dims[1];
    for (uint32_t i = 0; i < window.n; i++) {
        rc = bp_window_slide(infer, &window, i, x->dims[i + 2], window.kernel[i], up, &dims[i + 2]);
        if (rc < 0)
            return rc;
    }
    rc = bp_rule_set(infer, 0, dtype, x->rank, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 1, BP_DTYPE_I64, x->rank, dims); /* Indices of MaxPool */
}

static bp_rc infer_global_pool(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    for (uint32_t i = 0; i < x->rank; i++)
        dims[i] = i < 2 ? x->dims[i] : bp_sym_of(1);
    return bp_rule_set(infer, 0, x->dtype, x->rank, dims);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define WINDOW                                                                                     \
    A_STRING("auto_pad", "NOTSET"), A_INTS_REQ("kernel_shape"), A_INTS("pads"), A_INTS("strides")
#define CEIL A_INT("ceil_mode", 0)
#define DILATIONS A_INTS("dilations")

#define POOL(op, since, types, ...)                                                                \
    ROW(op, since, INFER(infer_pool), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)),             \
        ATTRS(__VA_ARGS__))

#define COUNT A_INT("count_include_pad", 0)

POOL(AveragePool, 1, FLOAT3, WINDOW);
POOL(AveragePool, 7, FLOAT3, WINDOW, COUNT);
POOL(AveragePool, 10, FLOAT3, WINDOW, COUNT, CEIL);
POOL(AveragePool, 11, FLOAT3, WINDOW, COUNT, CEIL);
POOL(AveragePool, 19, FLOAT3, WINDOW, COUNT, CEIL, DILATIONS);
POOL(AveragePool, 22, FLOAT, WINDOW, COUNT, CEIL, DILATIONS);

POOL(LpPool, 1, FLOAT3, A_STRING("auto_pad", "NOTSET"), A_INTS("kernel_shape"), A_INTS("pads"),
     A_INTS("strides"), A_FLOAT("p", 2.0f));
POOL(LpPool, 2, FLOAT3, WINDOW, A_INT("p", 2));
POOL(LpPool, 11, FLOAT3, WINDOW, A_INT("p", 2));
POOL(LpPool, 18, FLOAT3, WINDOW, A_INT("p", 2), CEIL, DILATIONS);
POOL(LpPool, 22, FLOAT, WINDOW, A_INT("p", 2), CEIL, DILATIONS);

POOL(MaxPool, 1, FLOAT3, WINDOW);

#define MAX_POOL(since, types, ...)                                                                \
    ROW(MaxPool, since, INFER(infer_pool), IN(P("X", 'T', types)),                                 \
        OUT(P("Y", 'T', types), OPT("Indices", 'I', BP_T(I64))), ATTRS(__VA_ARGS__))
#define ORDER A_INT("storage_order", 0)
#define BYTES (BP_T(I8) | BP_T(U8))

MAX_POOL(8, FLOAT3, WINDOW, ORDER);
MAX_POOL(10, FLOAT3, WINDOW, ORDER, CEIL, DILATIONS);
MAX_POOL(11, FLOAT3, WINDOW, ORDER, CEIL, DILATIONS);
MAX_POOL(12, FLOAT3 | BYTES, WINDOW, ORDER, CEIL, DILATIONS);
MAX_POOL(22, FLOAT | BYTES, WINDOW, ORDER, CEIL, DILATIONS);

#define GLOBAL(op, since, types, attrs)                                                            \
    ROW(op, since, INFER(infer_global_pool), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)), attrs)

GLOBAL(GlobalAveragePool, 1, FLOAT3, NO_ATTRS);
GLOBAL(GlobalAveragePool, 22, FLOAT, NO_ATTRS);
GLOBAL(GlobalLpPool, 1, FLOAT3, ATTRS(A_FLOAT("p", 2.0f)));
GLOBAL(GlobalLpPool, 2, FLOAT3, ATTRS(A_INT("p", 2)));
GLOBAL(GlobalLpPool, 22, FLOAT, ATTRS(A_INT("p", 2)));
GLOBAL(GlobalMaxPool, 1, FLOAT3, NO_ATTRS);
GLOBAL(GlobalMaxPool, 22, FLOAT, NO_ATTRS);
