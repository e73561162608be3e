/* SPDX-License-Identifier: MIT */
/*
 * pool.c - MaxPool, AveragePool (1 to 22) and their global variants, in the layout of what they
 * read.
 */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/primitive.h"
#include "ops/window.h"

/* oneDNN wants no window that lies in the padding alone. */
static bool claims_pads(const struct bp_dnnl_query *query, uint32_t n)
{
    uint32_t n_pads, n_kernel, n_dilations;
    const int64_t *pads = bp_node_ints(query->graph, query->node, "pads", &n_pads);
    const int64_t *kernel = bp_node_ints(query->graph, query->node, "kernel_shape", &n_kernel);
    const int64_t *dilations = bp_node_ints(query->graph, query->node, "dilations", &n_dilations);

    if (n_kernel != n)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "kernel_shape", "kernel_shape is absent");
    for (uint32_t i = 0; i < n_pads; i++) {
        int64_t reach = (kernel[i % n] - 1) * (i % n < n_dilations ? dilations[i % n] : 1);

        if (pads[i] > reach)
            return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "pads",
                                  "pads has %lld, a window covers %lld", (long long)pads[i],
                                  (long long)reach);
    }
    return true;
}

/*
 * oneDNN counts padding either everywhere or nowhere; with ceil_mode ONNX excludes what lies beyond
 * the padding.
 */
static bool claim_pool(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                       double *flops)
{
    uint64_t types = op->kind == dnnl_pooling_max ? BP_DNNL_FLOATS | BP_DNNL_BYTES : BP_DNNL_FLOATS;
    const bp_value *x;

    (void)flops;
    if (!bp_dnnl_takes_typed(query, 0, types, 3, 2 + BP_DNNL_MAX_SPATIAL))
        return false;
    x = bp_node_in(query->graph, query->node, 0);
    if (!bp_dnnl_claims_window(query, x->rank - 2) || !claims_pads(query, x->rank - 2))
        return false;
    if (op->kind != dnnl_pooling_max &&
        bp_node_int(query->graph, query->node, "count_include_pad", 0) != 0 &&
        bp_node_int(query->graph, query->node, "ceil_mode", 0) != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "ceil_mode",
                              "count_include_pad with ceil_mode is not implemented");
    return true;
}

/* Without a kernel that could be too large, there is nothing more to ask. */
static bool claim_global(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                         double *flops)
{
    (void)op;
    (void)flops;
    return bp_dnnl_takes_input(query, 0, 3, 2 + BP_DNNL_MAX_SPATIAL);
}

/* The output's layout is oneDNN's choice, which follows the input's. */
static bp_rc emit(struct bp_dnnl_builder *b, const bp_node *node, dnnl_alg_kind_t kind,
                  const struct bp_dnnl_window *w, bp_err *err)
{
    const struct bp_dnnl_value *y = &b->values[node->out[0]];
    struct bp_dnnl_tensor from, to;
    struct bp_dnnl_arg args[2] = {{DNNL_ARG_SRC, &from}, {DNNL_ARG_DST, &to}};
    dnnl_pooling_v2_desc_t desc;
    dnnl_memory_desc_t any;
    dnnl_status_t status;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &from, err);

    if (rc < 0)
        return rc;
    bp_dnnl_any_layout(y->rank, y->dims, from.md.data_type, &any);
    status = bp_dnnl.pooling_v2_forward_desc_init(&desc, dnnl_forward_inference, kind, &from.md,
                                                  &any, w->strides, w->kernel, w->dilates,
                                                  w->before, w->after);
    return bp_dnnl_emit_desc(b, status, &desc, BP_NONE, &to, 2, args, err);
}

/*
 * AveragePool's two algorithms differ in what they divide by at the borders: all of the window, or
 * what of it lies on the input.
 */
static bp_rc build_pool(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                        bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0);
    struct bp_dnnl_window window = {0};
    dnnl_alg_kind_t kind = op->kind;
    uint32_t n;
    const int64_t *kernel = bp_node_ints(b->graph, node, "kernel_shape", &n);

    memcpy(window.kernel, kernel, n * sizeof *kernel);
    bp_dnnl_window_make(b, node, n, x->dims + 2, b->values[node->out[0]].dims + 2, &window);
    if (kind != dnnl_pooling_max)
        kind = bp_node_int(b->graph, node, "count_include_pad", 0)
                   ? dnnl_pooling_avg_include_padding
                   : dnnl_pooling_avg_exclude_padding;
    return emit(b, node, kind, &window, err);
}

/* One window as large as the image. */
static bp_rc build_global(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                          const bp_node *node, bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0);
    struct bp_dnnl_window window = {0};

    for (int i = 0; i < x->rank - 2; i++) {
        window.kernel[i] = x->dims[i + 2];
        window.strides[i] = 1;
    }
    return emit(b, node, op->kind, &window, err);
}

#define ROW(row, onnx, claims, builds, what, last)                                                 \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "",                                                                              \
        .since = 1,                                                                                \
        .until = last,                                                                             \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
        .kind = what,                                                                              \
    }

ROW(average_pool, "AveragePool", claim_pool, build_pool, dnnl_pooling_avg_exclude_padding, 22);
ROW(global_average_pool, "GlobalAveragePool", claim_global, build_global,
    dnnl_pooling_avg_include_padding, 22);
ROW(global_max_pool, "GlobalMaxPool", claim_global, build_global, dnnl_pooling_max, 22);
ROW(max_pool, "MaxPool", claim_pool, build_pool, dnnl_pooling_max, 22);
