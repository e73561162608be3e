/* SPDX-License-Identifier: MIT */
/*
 * conv_transpose_with_dynamic_pads.c - ConvTransposeWithDynamicPads of com.microsoft.
 * ConvTranspose whose pads are an input, int64 [2 * spatial dimensions]: it runs ConvTranspose
 * without pads to a temporary tensor, then copies the part that the pads leave.
 */

#include "kernels/inner_operator.h"
#include "kernels/strided.h"
#include "kernels/tensor_data.h"
#include "kernels/window.h"
#include "operators.h"

struct state {
    struct bp_cpu_inner inner;
    bp_tensor *whole; /* the result without pads; NULL: it is Y */
    struct bp_cpu_strided cut;
    int64_t steps[BP_CPU_MAX_RANK]; /* of `whole` */
};

/* Element i of a list attribute; `def` if it is absent. */
static int64_t element(const struct bp_cpu_call *call, const char *name, uint32_t i, int64_t def)
{
    uint32_t n;
    const int64_t *values = bp_cpu_ints(call->node, name, &n);

    return i < n ? values[i] : def;
}

/* Size of spatial dimension i without pads; -1: it overflows. */
static int64_t whole_size(const struct bp_cpu_call *call, uint32_t i)
{
    int64_t stride = element(call, "strides", i, 1), gap = element(call, "dilations", i, 1), reach;
    int64_t in = call->in[0]->dims[2 + i], kernel = call->in[1]->dims[2 + i], size;

    if (in < 1 || kernel < 1 || __builtin_mul_overflow(in - 1, stride, &size) ||
        __builtin_mul_overflow(kernel - 1, gap, &reach) ||
        __builtin_add_overflow(size, reach, &size) ||
        __builtin_add_overflow(size, element(call, "output_padding", i, 0) + 1, &size))
        return -1;
    return size;
}

/* With pads, the inner operator writes to a temporary tensor of the size without pads. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *w = call->in[1], *y = call->out[0];
    const bp_tensor *pads = bp_cpu_in(call, 2);
    int64_t dims[BP_CPU_MAX_RANK], step = 1;
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (x->rank < 3 || w->rank != x->rank || y->rank != x->rank ||
        (pads && bp_cpu_count(pads) != 2 * ((int64_t)x->rank - 2)))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X, W, Pads and Y do not fit together");
    bp_cpu_inner_begin(call, &bp_cpu_op_conv_transpose, 11, &s->inner);
    s->inner.in[2] = call->n_in > 3 ? call->in[3] : NULL;
    s->inner.call.n_in = 3;
    if (pads) {
        memcpy(dims, y->dims, 2 * sizeof *dims);
        for (uint32_t d = 2; d < x->rank; d++) {
            dims[d] = whole_size(call, d - 2);
            if (dims[d] < y->dims[d])
                return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Pads do not fit Y");
        }
        for (uint32_t d = x->rank; d-- > 0;) {
            s->steps[d] = step;
            if (__builtin_mul_overflow(step, dims[d], &step))
                return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Y is too large");
        }
        s->whole = bp_cpu_inner_tensor(&s->inner, y->dtype, y->rank, dims, err);
        if (!s->whole)
            return BP_E_NOMEM;
        s->inner.out[0] = s->whole;
        bp_cpu_strided_make(call, bp_cpu_width(y->dtype), y->rank, y->dims, s->steps, &s->cut);
    }
    return bp_cpu_inner_prepare(call, &s->inner, err);
}

/* The pads' values are known only now; they must lead to the shape of Y that was inferred. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    const bp_tensor *y = call->out[0];
    const int64_t *pads = bp_cpu_in(call, 2) ? bp_cpu_data(call->in[2]) : NULL;
    uint32_t n = y->rank - 2;
    int64_t first = 0;
    bp_rc rc;

    for (uint32_t i = 0; i < n && pads; i++) {
        if (pads[i] < 0 || pads[n + i] < 0 || pads[i] > s->whole->dims[2 + i] - y->dims[2 + i] ||
            pads[n + i] != s->whole->dims[2 + i] - y->dims[2 + i] - pads[i])
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "Pads cut %lld and %lld off dimension %u, which does not give Y",
                               (long long)pads[i], (long long)pads[n + i], i + 2);
        first += pads[i] * s->steps[2 + i];
    }
    bp_cpu_inner_bind(call, &s->inner);
    rc = s->inner.node.op->run(&s->inner.call, err);
    if (rc >= 0 && s->whole && bp_cpu_count(y) > 0)
        bp_cpu_strided_run(call, &s->cut,
                           (const char *)s->whole->base + (size_t)first * bp_cpu_width(y->dtype),
                           bp_cpu_data(y));
    return rc;
}

/* auto_pad would contradict the input. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (!bp_node_string_is(query->graph, query->node, "auto_pad", "NOTSET", "NOTSET"))
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "auto_pad", "auto_pad is not implemented");
    else if (bp_cpu_window_claim(query))
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_conv_transpose_with_dynamic_pads = {
    .name = "ConvTransposeWithDynamicPads",
    .domain = "com.microsoft",
    .since = 1,
    .claim = claim,
    .types = BP_CPU_FLOATS,
    .prepare = prepare,
    .run = run,
};
