/* SPDX-License-Identifier: MIT */
/*
 * non_zero.c - NonZero (ai.onnx, opsets 9, 13).
 *
 * Y is int64 of shape (rank of X, number of elements that are not 0): column j has the coordinates
 * of the j-th such element in row-major order. A string counts as 0 when it is empty; a scalar
 * gives shape (0, 0 or 1). The number of columns is known at run time only.
 *
 * X is read twice, to count and to list: allocating the worst case would take rank * 8 bytes an
 * element.
 */

#include "kernels/runtime_outputs.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

enum { CHUNK = 1024 }; /* elements whose masks are computed at once */

/* mask[i] = 1 where element i is not 0, for i < n; one loop for each type. */
typedef void (*mask_fn)(const void *x, int64_t n, uint8_t *mask);

#define TEMPLATE "gather_scatter/non_zero_mask.inc"
#include "kernels/types/bool.inc"
#include "kernels/types/complex.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE

static void mask_strings(const void *x, int64_t n, uint8_t *restrict mask)
{
    const bp_span *from = x;

    for (int64_t i = 0; i < n; i++)
        mask[i] = from[i].size > 0;
}

static const mask_fn masks[BP_DTYPE_END] = {
    [BP_DTYPE_STRING] = mask_strings,
#define NAME mask
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/bool.inc"
#include "kernels/types/complex.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
#undef NAME
};

struct state {
    uint32_t dynamic;
    mask_fn mask;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->dynamic = bp_cpu_runtime_outputs_note(call);
    state->mask = masks[call->in[0]->dtype];
    return BP_OK;
}

/* The number of elements that are not 0. */
static int64_t count(const struct state *state, const bp_tensor *x, int64_t n)
{
    const char *from = bp_cpu_data(x);
    size_t width = bp_cpu_width(x->dtype);
    uint8_t mask[CHUNK];
    int64_t found = 0;

    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t m = n - i < CHUNK ? n - i : CHUNK;

        state->mask(from + (size_t)i * width, m, mask);
        for (int64_t k = 0; k < m; k++)
            found += mask[k];
    }
    return found;
}

/*
 * Writes the coordinates of each element that is not 0 to column 0, 1, ... of y, which has `found`
 * columns. A chunk ends with a row of X, so that within it only the last coordinate changes.
 */
static void list(const struct state *state, const bp_tensor *x, int64_t n, int64_t *y,
                 int64_t found)
{
    const char *from = bp_cpu_data(x);
    size_t width = bp_cpu_width(x->dtype);
    int64_t index[BP_CPU_MAX_RANK] = {0}, column = 0, row_length = x->dims[x->rank - 1];
    uint8_t mask[CHUNK];

    for (int64_t i = 0; i < n && column < found;) {
        int64_t *last = &index[x->rank - 1];
        int64_t m = row_length - *last < CHUNK ? row_length - *last : CHUNK;

        state->mask(from + (size_t)i * width, m, mask);
        for (int64_t k = 0; k < m; k++) {
            if (!mask[k])
                continue;
            for (uint32_t d = 0; d + 1 < x->rank; d++)
                y[d * found + column] = index[d];
            y[(x->rank - 1) * found + column++] = *last + k;
        }
        i += m;
        *last += m;
        for (uint32_t d = x->rank - 1; d > 0 && index[d] == x->dims[d]; d--) {
            index[d] = 0;
            index[d - 1]++;
        }
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    int64_t n = bp_cpu_count(x), dims[2] = {x->rank, count(state, x, n)};
    bp_rc rc = bp_cpu_runtime_outputs_give(call, state->dynamic, 0, 2, dims, err);

    if (rc >= 0 && x->rank > 0 && dims[1] > 0)
        list(state, x, n, bp_cpu_data(call->out[0]), dims[1]);
    return rc;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    (void)op;
    if (!x || x->dtype >= BP_DTYPE_END || !masks[x->dtype])
        bp_cpu_refuse_dtype(query, 0);
    else
        bp_accept(query->claims, query->index);
}

const struct bp_cpu_op bp_cpu_op_non_zero = {
    .name = "NonZero",
    .since = 9,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
