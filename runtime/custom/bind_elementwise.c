/* SPDX-License-Identifier: MIT */
/* bind_elementwise.c - shapes and calls of bound functions that are called once an element. */

#include "config.h"

#include "custom/bind_call.h"

#ifdef HAVE_LIBFFI

#include <inttypes.h>
#include <string.h>

/*
 * Result of a call, narrowed into an element. libffi gives integers narrower than ffi_arg widened;
 * their bytes are the first ones on a little-endian machine.
 */
static void store(uint32_t dtype, const union bp_bound_value *v, void *to)
{
    size_t width = bp_dtype_width(dtype) / 8;

    memcpy(to, v, width);
}

/*
 * What two sizes give when they broadcast; false: they do not. ONNX, "Multidirectional
 * Broadcasting". Of an unknown size and one above 1 the latter is the result, as nothing else fits.
 */
static bool broadcast(bp_dim *a, const bp_dim *b)
{
    if (a->value == 1 || (a->value < 0 && b->value > 1)) {
        *a = *b;
        return true;
    }
    if (b->value == 1 || (b->value < 0 && a->value > 1))
        return true;
    if (a->value < 0 && b->value < 0 && a->symbol == b->symbol && a->symbol)
        return true;
    if (a->value >= 0 && a->value == b->value)
        return true;
    if (a->value >= 0 && b->value >= 0)
        return false;
    *a = (bp_dim){.value = -1}; /* known when the run comes to it */
    return true;
}

/*
 * Shapes are aligned at their last dimension, so a longer one puts sizes of 1 before those known so
 * far.
 */
bp_rc bp_bind_each_shapes(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    bp_dim dims[64];
    uint32_t rank = 0;

    (void)user;
    for (uint32_t i = 0; i < bp_operator_shapes_inputs(shapes); i++) {
        bp_operator_fact x = {.struct_size = sizeof x};
        bp_rc rc = bp_operator_shapes_input(shapes, i, &x, err);

        if (rc < 0)
            return rc;
        if (x.rank == BP_RANK_UNKNOWN)
            return bp_operator_shapes_set(shapes, 0, BP_DTYPE_NONE, BP_RANK_UNKNOWN, NULL, err);
        for (; rank < x.rank; rank++) {
            memmove(dims + 1, dims, rank * sizeof *dims);
            dims[0] = (bp_dim){.value = 1};
        }
        for (uint32_t d = 0; d < x.rank; d++) {
            if (!broadcast(&dims[rank - x.rank + d], &x.dims[d]))
                return bp_fail(err, BP_E_SHAPE,
                               "input %u does not broadcast with those before it: at dimension %u "
                               "it has %" PRId64 ", they have %" PRId64,
                               i, d, x.dims[d].value, dims[rank - x.rank + d].value);
        }
    }
    return bp_operator_shapes_set(shapes, 0, BP_DTYPE_NONE, rank, dims, err);
}

/* The shape of the output, by which the elements of the inputs are found. */
struct grid {
    int64_t dims[64];
    uint32_t rank;
};

/* The same with exact sizes, in each run. */
static bp_rc make_grid(const bp_operator_call *call, struct grid *grid, bp_err *err)
{
    for (uint32_t i = 0; i < bp_operator_inputs(call); i++) {
        const bp_tensor *x = bp_operator_input(call, i);

        for (; grid->rank < x->rank; grid->rank++) {
            memmove(grid->dims + 1, grid->dims, grid->rank * sizeof *grid->dims);
            grid->dims[0] = 1;
        }
        for (uint32_t d = 0; d < x->rank; d++) {
            int64_t *size = &grid->dims[grid->rank - x->rank + d];

            if (*size == 1)
                *size = x->dims[d];
            else if (x->dims[d] != 1 && x->dims[d] != *size)
                return bp_fail(err, BP_E_SHAPE, "input %u does not broadcast with those before it",
                               i);
        }
    }
    return BP_OK;
}

/*
 * Address of the element of x at place n of the grid, counted row-major. From the last dimension to
 * the first; an input's dimension of size 1 stays at index 0.
 */
static void *element(const struct grid *grid, const bp_tensor *x, int64_t n)
{
    int64_t at = 0, step = 1;

    for (uint32_t d = 0; d < grid->rank; d++) {
        int64_t index = n % grid->dims[grid->rank - 1 - d];

        n /= grid->dims[grid->rank - 1 - d];
        if (d >= x->rank)
            break;
        if (x->dims[x->rank - 1 - d] != 1)
            at += index * step;
        step *= x->dims[x->rank - 1 - d];
    }
    return (char *)bp_tensor_data(x) + (size_t)at * (bp_dtype_width(x->dtype) / 8);
}

/*
 * One call through libffi an element; a function of arrays is called once and so is the faster
 * choice. A cancelled run is noticed every 4096 elements.
 */
bp_rc bp_bind_each_compute(void *p, bp_operator_call *call, bp_err *err)
{
    struct bp_bound_kernel *kernel = p;
    const struct bp_bound *bound = kernel->bound;
    struct grid grid = {.rank = 0};
    ffi_cif cif = bound->cif; /* libffi wants one that it may write to */
    size_t width = bp_dtype_width(bound->is.result) / 8;
    bp_tensor *y;
    bp_rc rc = make_grid(call, &grid, err);
    int64_t count;

    if (rc >= 0)
        rc = bp_operator_size_output(call, 0, grid.rank, grid.dims, &y, err);
    if (rc < 0)
        return rc;
    count = bp_dims_count(grid.dims, grid.rank);
    for (int64_t n = 0; n < count; n++) {
        void *args[BP_BIND_PARAMS];
        union bp_bound_value result;
        uint32_t input = 0;

        for (uint32_t i = 0; i < bound->is.n_params; i++) {
            if (bound->is.params[i].role == BP_BIND_ATTRIBUTE)
                args[i] = &kernel->attributes[i];
            else
                args[i] = element(&grid, bp_operator_input(call, input++), n);
        }
        ffi_call(&cif, bound->function, &result, args);
        store(bound->is.result, &result, (char *)bp_tensor_data(y) + (size_t)n * width);
        if (n % 4096 == 4095 && bp_operator_is_cancelled(call))
            return bp_fail(err, BP_E_CANCELLED, "the run was cancelled");
    }
    return BP_OK;
}

#else

typedef int bp_bind_each_nothing; /* an empty file is none in C */

#endif
