/* SPDX-License-Identifier: MIT */
/* move.c - see move.h; Transpose, Slice, Split, Concat, Expand, Tile, DepthToSpace, SpaceToDepth. */

#include "ops/move.h"

enum { ANY = BP_OPENCL_MAX_RANK };

/* ---- boxes ----------------------------------------------------------------------------------- */

void bp_opencl_dense(uint32_t rank, const int64_t *dims, int64_t *strides)
{
    int64_t stride = 1;

    for (uint32_t d = rank; d-- > 0;) {
        strides[d] = stride;
        stride *= dims[d];
    }
}

/* Drops dimensions of 1, and merges neighbours that are one run on both sides. */
static void merge(struct bp_opencl_box *box)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < box->rank; d++) {
        if (box->dims[d] == 1)
            continue;
        if (n > 0 && box->to[n - 1] == box->to[d] * box->dims[d] &&
            box->from[n - 1] == box->from[d] * box->dims[d]) {
            box->dims[n - 1] *= box->dims[d];
            box->to[n - 1] = box->to[d];
            box->from[n - 1] = box->from[d];
            continue;
        }
        box->dims[n] = box->dims[d];
        box->to[n] = box->to[d];
        box->from[n++] = box->from[d];
    }
    if (n == 0) {
        box->dims[0] = box->to[0] = box->from[0] = 1;
        n = 1;
    }
    box->rank = n;
}

static struct bp_opencl_tensor part_of(const struct bp_opencl_tensor *tensor, int64_t first)
{
    struct bp_opencl_tensor part = *tensor;

    part.place.offset += (uint64_t)first * (bp_dtype_width(tensor->dtype) / 8);
    return part;
}

void bp_opencl_move(struct bp_opencl_builder *b, const struct bp_opencl_tensor *y, int64_t to_at,
                    const struct bp_opencl_tensor *x, int64_t from_at,
                    const struct bp_opencl_box *box)
{
    struct bp_opencl_tensor to = part_of(y, to_at), from = part_of(x, from_at);
    struct bp_opencl_prefix prefix = {.n = 0};
    struct bp_opencl_walk walk = {0};
    struct bp_opencl_box merged = *box;
    int64_t rows = 1;

    if (b->rc < 0)
        return;
    merge(&merged);
    if (merged.rank > BP_OPENCL_MAX_RANK) {
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' moves elements in %u dimensions, not %d",
                             BP_NODE(b->graph, b->node)->name, merged.rank, BP_OPENCL_MAX_RANK);
        return;
    }
    walk.rank = (int32_t)merged.rank;
    for (uint32_t d = 0; d < merged.rank; d++) {
        walk.dims[d] = (int32_t)merged.dims[d];
        walk.strides[0][d] = (int32_t)merged.to[d];
        walk.strides[1][d] = (int32_t)merged.from[d];
        rows *= d + 1 < merged.rank ? merged.dims[d] : 1;
    }
    if (merged.rank == 1 && merged.to[0] == 1 && merged.from[0] == 1) {
        to.count = merged.dims[0];
        bp_opencl_copy(b, &to, &from);
        return;
    }
    bp_opencl_define_bytes(&prefix, "T", y->dtype);
    bp_opencl_begin(b, "move", prefix.text, "move");
    bp_opencl_operand(b, &to);
    bp_opencl_operand(b, &from);
    bp_opencl_struct(b, &walk, sizeof walk);
    bp_opencl_int(b, rows);
    bp_opencl_run(b, merged.dims[merged.rank - 1], rows, 1);
}

/* The whole of y, dense, from a tensor with these strides. */
static void gather_box(struct bp_opencl_builder *b, const struct bp_opencl_tensor *y,
                       const struct bp_opencl_tensor *x, int64_t from_at, uint32_t rank,
                       const int64_t *dims, const int64_t *strides)
{
    struct bp_opencl_box box = {.rank = rank};

    for (uint32_t d = 0; d < rank; d++) {
        box.dims[d] = dims[d];
        box.from[d] = strides[d];
    }
    bp_opencl_dense(rank, dims, box.to);
    bp_opencl_move(b, y, 0, x, from_at, &box);
}

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, ANY);
}

/* ---- Transpose ------------------------------------------------------------------------------- */

static bool claim_transpose(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    uint32_t n;

    if (!claim(op, query))
        return false;
    bp_node_ints(query->graph, query->node, "perm", &n);
    return n == 0 || n == bp_node_in(query->graph, query->node, 0)->rank ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "perm",
                            "it has not an entry for each dimension");
}

static void build_transpose(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                            const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t dense[ANY], strides[ANY];

    (void)op;
    bp_opencl_dense(x->rank, x->dims, dense);
    for (uint32_t d = 0; d < y->rank; d++)
        strides[d] = dense[bp_opencl_entry(b->graph, node, "perm", d, x->rank - 1 - d)];
    gather_box(b, y, x, 0, y->rank, y->dims, strides);
}

/* ---- Slice ----------------------------------------------------------------------------------- */

/* Until version 9 lists are attributes, since 10 inputs. Ends are not read: sizes are the host's. */
static bool read_slice(const bp_host *host, const bp_graph *graph, const bp_node *node,
                       struct bp_opencl_ints *starts, struct bp_opencl_ints *axes,
                       struct bp_opencl_ints *steps)
{
    return bp_opencl_read_ints(host, graph, node, "starts", 1, starts) &&
           bp_opencl_read_ints(host, graph, node, "axes", 3, axes) &&
           bp_opencl_read_ints(host, graph, node, "steps", 4, steps);
}

static bool claim_slice(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    struct bp_opencl_ints starts, axes, steps;

    if (!claim(op, query))
        return false;
    if (!read_slice(&query->instance->host, query->graph, query->node, &starts, &axes, &steps))
        return bp_opencl_refuse(query, BP_R_NOT_CONSTANT, "starts",
                                "starts, axes and steps have to be constant");
    if ((axes.n > 0 && axes.n != starts.n) || (steps.n > 0 && steps.n != starts.n))
        return bp_opencl_refuse(query, BP_R_OTHER, "axes", "the lists are not of one length");
    return true;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void build_slice(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                        const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    struct bp_opencl_ints starts, axes, steps;
    int64_t strides[ANY], first = 0;

    (void)op;
    if (!read_slice(&b->program->instance->host, b->graph, node, &starts, &axes, &steps)) {
        bp_opencl_build_fail(b, BP_E_INTERNAL, "opencl: the lists of '%s' cannot be read",
                             node->name);
        return;
    }
    bp_opencl_dense(x->rank, x->dims, strides);
    for (uint32_t i = 0; i < starts.n; i++) {
        int64_t axis = axes.n > 0 ? axes.at[i] : i, step = steps.n > 0 ? steps.at[i] : 1, start;

        axis += axis < 0 ? (int64_t)x->rank : 0;
        if (axis < 0 || axis >= (int64_t)x->rank)
            continue;
        start = starts.at[i] + (starts.at[i] < 0 ? x->dims[axis] : 0);
        start = clamp(start, 0, step < 0 ? x->dims[axis] - 1 : x->dims[axis]);
        first += start * strides[axis];
        /* a step beyond the size is never made */
        strides[axis] *= y->dims[axis] > 1 ? step : 1;
    }
    gather_box(b, y, x, first, y->rank, y->dims, strides);
}

/* ---- Split, Concat --------------------------------------------------------------------------- */

static int64_t axis_of(const bp_graph *graph, const bp_node *node, int64_t def, uint32_t rank)
{
    int64_t axis = bp_node_int(graph, node, "axis", def);

    return axis + (axis < 0 ? (int64_t)rank : 0);
}

static bool takes_axis(const struct bp_opencl_query *query, int64_t def, uint32_t rank)
{
    int64_t axis = axis_of(query->graph, query->node, def, rank);

    return (axis >= 0 && axis < (int64_t)rank) ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "axis", "it is out of range for rank %u", rank);
}

static bool claim_split(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    for (uint32_t i = 0; i < query->node->n_out; i++) {
        if (query->node->out[i] == BP_NONE)
            return bp_opencl_refuse(query, BP_R_OTHER, NULL, "output %u is not used", i);
    }
    return bp_opencl_takes(query, 0, op->types, 1, ANY) &&
           takes_axis(query, 0, bp_node_in(query->graph, query->node, 0)->rank);
}

/* Sizes of the parts are those of the outputs. */
static void build_split(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                        const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0);
    int64_t axis = axis_of(b->graph, node, 0, x->rank), strides[ANY], first = 0;

    (void)op;
    bp_opencl_dense(x->rank, x->dims, strides);
    for (uint32_t i = 0; i < node->n_out; i++) {
        const struct bp_opencl_tensor *y = bp_opencl_out(b, node, i);

        if (y->count > 0)
            gather_box(b, y, x, first, y->rank, y->dims, strides);
        first += y->dims[axis] * strides[axis];
    }
}

static bool claim_concat(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    for (uint32_t i = 0; i < query->node->n_in; i++) {
        if (!bp_opencl_takes(query, i, op->types, 1, ANY) || !bp_opencl_same_type(query, i))
            return false;
    }
    return takes_axis(query, 1, bp_node_in(query->graph, query->node, 0)->rank);
}

static void build_concat(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    const struct bp_opencl_tensor *y = bp_opencl_out(b, node, 0);
    int64_t axis = axis_of(b->graph, node, 1, y->rank), at = 0;

    (void)op;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_opencl_tensor *x = bp_opencl_in(b, node, i);
        struct bp_opencl_box box = {.rank = x->rank};

        memcpy(box.dims, x->dims, x->rank * sizeof *box.dims);
        bp_opencl_dense(x->rank, x->dims, box.from);
        bp_opencl_dense(y->rank, y->dims, box.to);
        if (x->count > 0)
            bp_opencl_move(b, y, at * box.to[axis], x, 0, &box);
        at += x->dims[axis];
    }
}

/* ---- Expand, Tile ---------------------------------------------------------------------------- */

/* Dimensions of 1 are repeated: stride 0. */
static void build_expand(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t dense[ANY], strides[ANY];
    uint32_t lacks = y->rank - x->rank;

    (void)op;
    bp_opencl_dense(x->rank, x->dims, dense);
    for (uint32_t d = 0; d < y->rank; d++)
        strides[d] = d < lacks || x->dims[d - lacks] == 1 ? 0 : dense[d - lacks];
    gather_box(b, y, x, 0, y->rank, y->dims, strides);
}

/* Each dimension becomes two: how often, which has stride 0, and the input's. */
static void build_tile(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                       const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t dims[2 * ANY], strides[2 * ANY], dense[ANY];

    (void)op;
    bp_opencl_dense(x->rank, x->dims, dense);
    for (uint32_t d = 0; d < x->rank; d++) {
        dims[2 * d] = y->dims[d] / x->dims[d];
        strides[2 * d] = 0;
        dims[2 * d + 1] = x->dims[d];
        strides[2 * d + 1] = dense[d];
    }
    gather_box(b, y, x, 0, 2 * x->rank, dims, strides);
}

/* ---- DepthToSpace, SpaceToDepth -------------------------------------------------------------- */

static bool claim_blocks(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 4, 4) &&
           (bp_node_int(query->graph, query->node, "blocksize", 0) >= 1 ||
            bp_opencl_refuse(query, BP_R_ATTRIBUTE, "blocksize", "it is below 1"));
}

/* y[n, c, h, i, w, j] of x[n, i, j, c, h, w], or [n, c, i, j, h, w] in mode CRD. */
static void build_depth_to_space(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                                 const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t block = bp_node_int(b->graph, node, "blocksize", 1), c = y->dims[1];
    int64_t h = x->dims[2], w = x->dims[3], plane = h * w;
    bool is_crd = bp_node_string_is(b->graph, node, "mode", "DCR", "CRD");
    int64_t dims[] = {x->dims[0], c, h, block, w, block};
    int64_t strides[] = {x->dims[1] * plane,
                         is_crd ? block * block * plane : plane,
                         w,
                         is_crd ? block * plane : block * c * plane,
                         1,
                         is_crd ? plane : c * plane};

    (void)op;
    gather_box(b, y, x, 0, 6, dims, strides);
}

/* y[n, i, j, c, h, w] of x[n, c, h, i, w, j]. */
static void build_space_to_depth(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                                 const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t block = bp_node_int(b->graph, node, "blocksize", 1), width = x->dims[3];
    int64_t plane = x->dims[2] * width;
    int64_t dims[] = {x->dims[0], block, block, x->dims[1], y->dims[2], y->dims[3]};
    int64_t strides[] = {x->dims[1] * plane, width, 1, plane, block * width, block};

    (void)op;
    gather_box(b, y, x, 0, 6, dims, strides);
}

/* ---- the rows -------------------------------------------------------------------------------- */

#define ROW(onnx, from, claims, builds, ...)                                                       \
    {                                                                                              \
        .name = onnx, .since = from, .until = BP_OPENCL_LATEST, .claim = claims, .build = builds,  \
        .types = BP_OPENCL_MOVABLE, __VA_ARGS__                                                    \
    }

const struct bp_opencl_op bp_opencl_move_ops[] = {
    ROW("Concat", 4, claim_concat, build_concat, .takes_empty = true),
    ROW("DepthToSpace", 1, claim_blocks, build_depth_to_space, .n_out = 1),
    ROW("Expand", 8, claim, build_expand, .host_inputs = ~1u),
    ROW("Slice", 1, claim_slice, build_slice, .host_inputs = ~1u),
    ROW("SpaceToDepth", 1, claim_blocks, build_space_to_depth, .n_out = 1),
    ROW("Split", 2, claim_split, build_split, .host_inputs = ~1u, .n_out = UINT32_MAX),
    ROW("Tile", 6, claim, build_tile, .host_inputs = ~1u),
    ROW("Transpose", 1, claim_transpose, build_transpose, .n_out = 1),
    {.name = NULL},
};
