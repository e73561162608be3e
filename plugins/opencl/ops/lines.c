/* SPDX-License-Identifier: MIT */
/* lines.c - operators along one axis: TopK, CumSum, OneHot, Hardmax; and Trilu. */

#include "ops/elementwise.h"

enum { ANY = BP_OPENCL_MAX_RANK };

/* Sizes before the axis, of it, and after it. */
struct lines {
    int64_t outer, n, inner;
};

static struct lines lines_of(const struct bp_opencl_tensor *x, int64_t axis)
{
    struct lines lines = {1, 1, 1};

    axis += axis < 0 ? (int64_t)x->rank : 0;
    for (int64_t d = 0; d < (int64_t)x->rank; d++)
        *(d < axis ? &lines.outer : d == axis ? &lines.n : &lines.inner) *= x->dims[d];
    return lines;
}

static bool takes_axis(const struct bp_opencl_query *query, int64_t axis, int64_t rank)
{
    return (axis >= -rank && axis < rank) ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "axis", "it is out of range");
}

static int64_t rank_of(const struct bp_opencl_query *query)
{
    return bp_node_in(query->graph, query->node, 0)->rank;
}

static void add_lines(struct bp_opencl_builder *b, const struct lines *lines)
{
    bp_opencl_int(b, lines->outer);
    bp_opencl_int(b, lines->n);
    bp_opencl_int(b, lines->inner);
}

/* ---- TopK ------------------------------------------------------------------------------------ */

static bool claim_topk(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 1, ANY) &&
           takes_axis(query, bp_node_int(query->graph, query->node, "axis", -1), rank_of(query));
}

/* How many are wanted is the size of the outputs. */
static void build_topk(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                       const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0);
    const struct bp_opencl_tensor *values = bp_opencl_out(b, node, 0),
                                  *indices = bp_opencl_out(b, node, 1);
    struct lines lines = lines_of(x, bp_node_int(b->graph, node, "axis", -1));
    struct bp_opencl_prefix prefix = {.n = 0};

    (void)op;
    bp_opencl_define(&prefix, "#define IS_TOPK\n#define IS_LARGEST %d",
                     bp_node_int(b->graph, node, "largest", 1) != 0);
    bp_opencl_define_type(&prefix, "T", x->dtype);
    if (values)
        bp_opencl_define(&prefix, "#define HAS_VALUES");
    if (indices)
        bp_opencl_define(&prefix, "#define HAS_INDICES");
    bp_opencl_begin(b, "lines", prefix.text, "topk");
    if (values)
        bp_opencl_operand(b, values);
    if (indices)
        bp_opencl_operand(b, indices);
    bp_opencl_operand(b, x);
    bp_opencl_int(b, lines.n);
    bp_opencl_int(b, lines.inner);
    bp_opencl_int(b, (values ? values : indices)->count / (lines.outer * lines.inner));
    bp_opencl_run(b, lines.n, lines.inner, lines.outer);
}

/* ---- CumSum, Hardmax ------------------------------------------------------------------------- */

static bool claim_cumsum(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    struct bp_opencl_ints axis;

    if (!bp_opencl_takes(query, 0, op->types, 1, ANY))
        return false;
    if (!bp_opencl_read_ints(&query->instance->host, query->graph, query->node, "", 1, &axis) ||
        axis.n != 1)
        return bp_opencl_refuse(query, BP_R_NOT_CONSTANT, "axis", "the axis is not constant");
    return takes_axis(query, axis.at[0], rank_of(query));
}

static void begin_lines(struct bp_opencl_builder *b, const bp_node *node, const char *name,
                        const char *kernel, const struct lines *lines)
{
    struct bp_opencl_prefix prefix = {.n = 0};

    bp_opencl_define(&prefix, "#define IS_%s", name);
    bp_opencl_define_type(&prefix, "T", bp_opencl_out(b, node, 0)->dtype);
    bp_opencl_begin(b, "lines", prefix.text, kernel);
    bp_opencl_operand(b, bp_opencl_out(b, node, 0));
    bp_opencl_operand(b, bp_opencl_in(b, node, 0));
    add_lines(b, lines);
}

static void build_cumsum(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    struct bp_opencl_ints axis;
    struct lines lines;

    (void)op;
    if (!bp_opencl_read_ints(&b->program->instance->host, b->graph, node, "", 1, &axis)) {
        bp_opencl_build_fail(b, BP_E_INTERNAL, "opencl: the axis of '%s' cannot be read",
                             node->name);
        return;
    }
    lines = lines_of(bp_opencl_in(b, node, 0), axis.at[0]);
    begin_lines(b, node, "CUMSUM", "cumsum", &lines);
    bp_opencl_int(b, bp_node_int(b->graph, node, "exclusive", 0) != 0);
    bp_opencl_int(b, bp_node_int(b->graph, node, "reverse", 0) != 0);
    bp_opencl_run(b, lines.inner, lines.outer, 1);
}

static int64_t hardmax_axis(const bp_graph *graph, const bp_node *node)
{
    return bp_node_int(graph, node, "axis", node->since < 13 ? 1 : -1);
}

static bool claim_hardmax(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 1, ANY) &&
           takes_axis(query, hardmax_axis(query->graph, query->node), rank_of(query));
}

/* Until version 12 all dimensions from the axis on are one. */
static void build_hardmax(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                          const bp_node *node)
{
    struct lines lines = lines_of(bp_opencl_in(b, node, 0), hardmax_axis(b->graph, node));

    (void)op;
    if (node->since < 13) {
        lines.n *= lines.inner;
        lines.inner = 1;
    }
    begin_lines(b, node, "HARDMAX", "hardmax", &lines);
    bp_opencl_run(b, lines.inner, lines.outer, 1);
}

/* ---- OneHot ---------------------------------------------------------------------------------- */

/* The depth is what shapes follow from, so that only the host reads it. */
static bool claim_one_hot(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, BP_OPENCL_NUMBERS, 0, ANY - 1) &&
           bp_opencl_takes(query, 2, op->types, 1, 1) &&
           takes_axis(query, bp_node_int(query->graph, query->node, "axis", -1),
                      rank_of(query) + 1);
}

static void build_one_hot(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                          const bp_node *node)
{
    const struct bp_opencl_tensor *y = bp_opencl_out(b, node, 0);
    struct lines lines = lines_of(y, bp_node_int(b->graph, node, "axis", -1));
    struct bp_opencl_prefix prefix = {.n = 0};

    (void)op;
    bp_opencl_define(&prefix, "#define IS_ONE_HOT");
    bp_opencl_define_bytes(&prefix, "T", y->dtype);
    bp_opencl_define_type(&prefix, "TI", bp_opencl_in(b, node, 0)->dtype);
    bp_opencl_begin(b, "lines", prefix.text, "one_hot");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, bp_opencl_in(b, node, 0));
    bp_opencl_operand(b, bp_opencl_in(b, node, 2));
    bp_opencl_int(b, y->count);
    bp_opencl_int(b, lines.n);
    bp_opencl_int(b, lines.inner);
    bp_opencl_run(b, y->count, 1, 1);
}

/* ---- Trilu ----------------------------------------------------------------------------------- */

static bool claim_trilu(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 2, ANY) &&
           bp_opencl_takes_optional(query, 1, BP_OPENCL_I64, 0, 1);
}

static void build_trilu(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                        const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *k = bp_opencl_in(b, node, 1);
    struct bp_opencl_prefix prefix = {.n = 0};

    (void)op;
    bp_opencl_define(&prefix, "#define IS_TRILU\n#define IS_UPPER %d",
                     bp_node_int(b->graph, node, "upper", 1) != 0);
    if (k)
        bp_opencl_define(&prefix, "#define HAS_K");
    bp_opencl_define_bytes(&prefix, "T", y->dtype);
    bp_opencl_begin(b, "lines", prefix.text, "trilu");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    if (k)
        bp_opencl_operand(b, k);
    bp_opencl_int(b, y->count);
    bp_opencl_int(b, x->dims[x->rank - 2]);
    bp_opencl_int(b, x->dims[x->rank - 1]);
    bp_opencl_run(b, y->count, 1, 1);
}

#define ROW(onnx, from, claims, builds, set, host, outputs)                                        \
    {                                                                                              \
        .name = onnx, .since = from, .until = BP_OPENCL_LATEST, .claim = claims, .build = builds,  \
        .types = set, .host_inputs = host, .n_out = outputs                                        \
    }

const struct bp_opencl_op bp_opencl_lines_ops[] = {
    ROW("CumSum", 11, claim_cumsum, build_cumsum, BP_OPENCL_NUMBERS, 2, 1),
    ROW("Hardmax", 1, claim_hardmax, build_hardmax, BP_OPENCL_FLOATS, 0, 1),
    ROW("OneHot", 9, claim_one_hot, build_one_hot, BP_OPENCL_MOVABLE, 2, 1),
    ROW("TopK", 1, claim_topk, build_topk, BP_OPENCL_NUMBERS, 2, 2),
    ROW("Trilu", 14, claim_trilu, build_trilu, BP_OPENCL_MOVABLE, 0, 1),
    {.name = NULL},
};
