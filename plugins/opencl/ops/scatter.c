/* SPDX-License-Identifier: MIT */
/* scatter.c - ScatterElements, Scatter, ScatterND and GatherND. */

#include "ops/move.h"

enum { ANY = BP_OPENCL_MAX_RANK };

/* ---- reductions ------------------------------------------------------------------------------ */

static const struct reduction {
    const char *name, *expr;
} reductions[] = {
    {"none", "(b)"},
    {"add", "((a) + (b))"},
    {"mul", "((a) * (b))"},
    {"max", "((b) > (a) || isnan(b) ? (b) : (a))"},
    {"min", "((b) < (a) || isnan(b) ? (b) : (a))"},
};

enum { N_REDUCTIONS = sizeof reductions / sizeof reductions[0] };

static uint32_t reduction_of(const bp_graph *graph, const bp_node *node)
{
    uint32_t i = 0;

    while (i < N_REDUCTIONS &&
           !bp_node_string_is(graph, node, "reduction", "none", reductions[i].name))
        i++;
    return i;
}

/* Bytes are moved whatever they are; numbers are combined in types of their own. */
static bool takes_data(const struct bp_opencl_query *query)
{
    uint32_t which = reduction_of(query->graph, query->node);

    if (which == N_REDUCTIONS)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "reduction", "it is not known");
    return bp_opencl_takes(query, 0, which > 0 ? BP_OPENCL_NUMBERS : BP_OPENCL_MOVABLE, 1, ANY);
}

static void define(struct bp_opencl_prefix *prefix, uint32_t which, uint32_t dtype, uint32_t index)
{
    if (which > 0) {
        bp_opencl_define_type(prefix, "T", dtype);
    } else {
        bp_opencl_define_bytes(prefix, "T", dtype);
        bp_opencl_define(prefix, "#define LOAD_T(p, i) ((p)[i])");
        bp_opencl_define(prefix, "#define STORE_T(v, p, i) ((p)[i] = (v))");
    }
    bp_opencl_define_type(prefix, "TI", index);
    if (dtype == BP_DTYPE_I32 || dtype == BP_DTYPE_I64)
        bp_opencl_define(prefix, "#define isnan(v) 0"); /* integers are none */
    bp_opencl_define(prefix, "#define COMBINE(a, b) %s", reductions[which].expr);
}

/* ---- ScatterElements ------------------------------------------------------------------------- */

static bool claim_elements(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    int64_t axis = bp_node_int(query->graph, query->node, "axis", 0), rank;

    (void)op;
    if (!takes_data(query) || !bp_opencl_takes(query, 1, BP_OPENCL_INDICES, 1, ANY) ||
        !bp_opencl_takes(query, 2, BP_OPENCL_MOVABLE, 1, ANY) || !bp_opencl_same_type(query, 2))
        return false;
    rank = bp_node_in(query->graph, query->node, 0)->rank;
    if (bp_node_in(query->graph, query->node, 1)->rank != rank ||
        bp_node_in(query->graph, query->node, 2)->rank != rank)
        return bp_opencl_refuse(query, BP_R_RANK, NULL, "data, indices and updates differ in rank");
    return (axis >= -rank && axis < rank) ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "axis", "it is out of range");
}

static void build_elements(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                           const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *indices = bp_opencl_in(b, node, 1),
                                  *updates = bp_opencl_in(b, node, 2);
    int64_t axis = bp_node_int(b->graph, node, "axis", 0), to[ANY], from[ANY], n;
    uint32_t which = reduction_of(b->graph, node);
    struct bp_opencl_prefix prefix = {.n = 0};
    struct bp_opencl_walk walk = {.rank = (int32_t)x->rank};

    (void)op;
    bp_opencl_copy(b, y, x);
    if (indices->count == 0)
        return;
    if (updates->count != indices->count)
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has %lld updates at %lld indices",
                             node->name, (long long)updates->count, (long long)indices->count);
    axis += axis < 0 ? (int64_t)x->rank : 0;
    n = indices->dims[axis];
    bp_opencl_dense(x->rank, x->dims, to);
    bp_opencl_dense(x->rank, indices->dims, from);
    for (uint32_t d = 0; d < x->rank; d++) {
        walk.dims[d] = d == axis ? 1 : (int32_t)indices->dims[d];
        walk.strides[0][d] = (int32_t)to[d];
        walk.strides[1][d] = (int32_t)from[d];
        if (d != axis && indices->dims[d] > x->dims[d])
            bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has indices beyond its data",
                                 node->name);
    }
    define(&prefix, which, x->dtype, indices->dtype);
    bp_opencl_begin(b, "scatter", prefix.text, "scatter_elements");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, indices);
    bp_opencl_operand(b, updates);
    bp_opencl_struct(b, &walk, sizeof walk);
    bp_opencl_int(b, indices->count / n);
    bp_opencl_int(b, n);
    bp_opencl_int(b, x->dims[axis]);
    bp_opencl_int(b, to[axis]);
    bp_opencl_int(b, from[axis]);
    bp_opencl_run(b, indices->count / n, 1, 1);
}

/* ---- ScatterND, GatherND --------------------------------------------------------------------- */

/* As kernels know it: tuple_t of kernels/scatter.cl. */
struct tuple {
    int32_t n, dims[ANY], strides[ANY];
};

/* The last dimension of the indices, a tuple's length, has to be known: shapes follow from it. */
static bool takes_tuples(const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 1, BP_OPENCL_I64, 1, ANY);
}

static bool claim_scatter(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    (void)op;
    return takes_data(query) && takes_tuples(query) &&
           bp_opencl_takes(query, 2, BP_OPENCL_MOVABLE, 0, ANY) && bp_opencl_same_type(query, 2);
}

static bool claim_gather(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    int64_t batch = bp_node_int(query->graph, query->node, "batch_dims", 0);

    (void)op;
    if (!bp_opencl_takes(query, 0, BP_OPENCL_MOVABLE, 1, ANY) || !takes_tuples(query))
        return false;
    return (batch >= 0 && batch < (int64_t)bp_node_in(query->graph, query->node, 0)->rank &&
            batch < (int64_t)bp_node_in(query->graph, query->node, 1)->rank) ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "batch_dims", "it is out of range");
}

/* Tuples that name slices of x behind its first `batch` dimensions; *inner: elements of a slice. */
static bool make_tuple(struct bp_opencl_builder *b, const struct bp_opencl_tensor *x,
                       const struct bp_opencl_tensor *indices, uint32_t batch, struct tuple *out,
                       int64_t *inner)
{
    int64_t strides[ANY], n = indices->dims[indices->rank - 1];

    *out = (struct tuple){.n = 0};
    if (n < 1 || n + batch > (int64_t)x->rank) {
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has tuples of %lld indices",
                             BP_NODE(b->graph, b->node)->name, (long long)n);
        return false;
    }
    bp_opencl_dense(x->rank, x->dims, strides);
    out->n = (int32_t)n;
    for (int64_t d = 0; d < n; d++) {
        out->dims[d] = (int32_t)x->dims[batch + d];
        out->strides[d] = (int32_t)strides[batch + d];
    }
    *inner = strides[batch + n - 1];
    return b->rc >= 0;
}

static void build_scatter(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                          const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *indices = bp_opencl_in(b, node, 1),
                                  *updates = bp_opencl_in(b, node, 2);
    uint32_t which = reduction_of(b->graph, node);
    struct bp_opencl_prefix prefix = {.n = 0};
    struct tuple tuple;
    int64_t inner, tuples;

    (void)op;
    bp_opencl_copy(b, y, x);
    if (indices->count == 0 || !make_tuple(b, x, indices, 0, &tuple, &inner))
        return;
    tuples = indices->count / tuple.n;
    if (updates->count != tuples * inner)
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has %lld updates where %lld fit",
                             node->name, (long long)updates->count, (long long)(tuples * inner));
    define(&prefix, which, x->dtype, indices->dtype);
    bp_opencl_begin(b, "scatter", prefix.text, "scatter_nd");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, indices);
    bp_opencl_operand(b, updates);
    bp_opencl_struct(b, &tuple, sizeof tuple);
    bp_opencl_int(b, inner);
    bp_opencl_int(b, tuples);
    bp_opencl_int(b, which > 0 ? 1 : tuples);
    bp_opencl_run(b, inner, which > 0 ? 1 : tuples, 1);
}

static void build_gather(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *indices = bp_opencl_in(b, node, 1);
    uint32_t batch = (uint32_t)bp_node_int(b->graph, node, "batch_dims", 0);
    int64_t inner, tuples, batches = 1;
    struct bp_opencl_prefix prefix = {.n = 0};
    struct tuple tuple;

    (void)op;
    if (!make_tuple(b, x, indices, batch, &tuple, &inner))
        return;
    for (uint32_t d = 0; d < batch; d++)
        batches *= x->dims[d];
    tuples = indices->count / tuple.n;
    define(&prefix, 0, x->dtype, indices->dtype);
    bp_opencl_begin(b, "scatter", prefix.text, "gather_nd");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    bp_opencl_operand(b, indices);
    bp_opencl_struct(b, &tuple, sizeof tuple);
    bp_opencl_int(b, inner);
    bp_opencl_int(b, tuples);
    bp_opencl_int(b, tuples / batches);
    bp_opencl_int(b, x->count / batches);
    bp_opencl_run(b, inner, tuples, 1);
}

#define ROW(onnx, from, to, claims, builds)                                                        \
    {                                                                                              \
        .name = onnx, .since = from, .until = to, .claim = claims, .build = builds,                \
        .takes_empty = true                                                                        \
    }

const struct bp_opencl_op bp_opencl_scatter_ops[] = {
    ROW("GatherND", 11, BP_OPENCL_LATEST, claim_gather, build_gather),
    ROW("Scatter", 9, 10, claim_elements, build_elements),
    ROW("ScatterElements", 11, BP_OPENCL_LATEST, claim_elements, build_elements),
    ROW("ScatterND", 11, BP_OPENCL_LATEST, claim_scatter, build_scatter),
    {.name = NULL},
};
