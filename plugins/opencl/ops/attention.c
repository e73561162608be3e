/* SPDX-License-Identifier: MIT */
/*
 * attention.c - Attention, and MultiHeadAttention of com.microsoft: one kernel, which goes through the
 * keys in blocks. A past, or a present that is wanted, is put into one tensor with the new keys.
 */

#include "ops/move.h"

#include <math.h>

enum { MAX_HEAD = 256, LOCAL_BYTES = 30000, NO_WINDOW = -1 };

/* Rows of heads within a tensor: strides of batches, heads and rows, in elements. */
struct heads {
    struct bp_opencl_tensor tensor;
    int64_t steps[3];
};

struct attention {
    const struct bp_opencl_tensor *mask;
    struct heads q, k, v, y;
    int64_t batches, heads, kv_heads, rows, keys, past, head, v_head;
    int64_t mask_steps[3], mask_keys, left, right;
    bool is_causal;
    float scale, softcap;
};

/* As kernels know it: attention_t of kernels/attention.cl. */
struct sizes {
    int32_t heads, group, rows, keys, past, is_causal, left, right, mask_keys;
    int32_t q[3], k[3], v[3], y[3], mask[3];
    float scale, softcap;
};

/* ---- the kernel ------------------------------------------------------------------------------ */

/* Keys at a time that fit into 32 KB, which every device has, beside 16 rows. */
static int block_of(const struct attention *a)
{
    int64_t widest = a->head > a->v_head ? a->head : a->v_head;
    int block = 32;

    while (block > 4 &&
           4 * (16 * (a->head + 1) + block * (widest + 1) + 16 * (block + 1)) > LOCAL_BYTES)
        block /= 2;
    return block;
}

static void set_steps(struct bp_opencl_builder *b, int32_t *to, const int64_t *steps)
{
    for (uint32_t i = 0; i < 3; i++) {
        if (steps[i] > INT32_MAX)
            bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has a size beyond 32 bits",
                                 BP_NODE(b->graph, b->node)->name);
        to[i] = (int32_t)steps[i];
    }
}

static void attend(struct bp_opencl_builder *b, const struct attention *a)
{
    bool is_processor =
        b->program->instance->is_processor && a->head % 16 == 0 && a->v_head % 16 == 0;
    struct sizes sizes = {.heads = (int32_t)a->heads,
                          .group = (int32_t)(a->heads / a->kv_heads),
                          .rows = (int32_t)a->rows,
                          .keys = (int32_t)a->keys,
                          .past = (int32_t)a->past,
                          .is_causal = a->is_causal,
                          .left = (int32_t)a->left,
                          .right = (int32_t)a->right,
                          .mask_keys = (int32_t)a->mask_keys,
                          .scale = a->scale,
                          .softcap = a->softcap};
    struct bp_opencl_prefix prefix = {.n = 0};
    uint32_t dtype = a->y.tensor.dtype;

    set_steps(b, sizes.q, a->q.steps);
    set_steps(b, sizes.k, a->k.steps);
    set_steps(b, sizes.v, a->v.steps);
    set_steps(b, sizes.y, a->y.steps);
    set_steps(b, sizes.mask, a->mask_steps);
    bp_opencl_define_type(&prefix, "T", dtype);
    if (dtype == BP_DTYPE_F16)
        bp_opencl_define(&prefix, "#define T_IS_HALF");
    bp_opencl_define(&prefix, "#define HEAD %d\n#define V_HEAD %d", (int)a->head, (int)a->v_head);
    bp_opencl_define(&prefix, is_processor ? "#define IS_PROCESSOR" : "#define BLOCK %d",
                     block_of(a));
    if (a->mask) {
        bp_opencl_define(&prefix, "#define HAS_MASK");
        bp_opencl_define_type(&prefix, "TM", a->mask->dtype);
        if (a->mask->dtype == BP_DTYPE_BOOL)
            bp_opencl_define(&prefix, "#define IS_BOOL");
    }
    bp_opencl_begin(b, "attention", prefix.text, "attention");
    bp_opencl_operand(b, &a->y.tensor);
    bp_opencl_operand(b, &a->q.tensor);
    bp_opencl_operand(b, &a->k.tensor);
    bp_opencl_operand(b, &a->v.tensor);
    if (a->mask)
        bp_opencl_operand(b, a->mask);
    bp_opencl_struct(b, &sizes, sizeof sizes);
    if (is_processor)
        bp_opencl_run_groups(b, (a->rows + 3) / 4, a->heads, a->batches, 1, 1);
    else
        bp_opencl_run_groups(b, (a->rows + 15) / 16 * 64, a->heads, a->batches, 64, 1);
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* [batch, heads, rows, size], or [batch, rows, heads * size]. */
static struct heads layout(const struct bp_opencl_tensor *tensor, int64_t heads)
{
    const int64_t *d = tensor->dims;

    if (tensor->rank == 4)
        return (struct heads){*tensor, {d[1] * d[2] * d[3], d[2] * d[3], d[3]}};
    return (struct heads){*tensor, {d[1] * d[2], d[2] / heads, d[2]}};
}

/* Rows of heads to rows from `at` on of a tensor [batch, heads, `total` rows, size]. */
static void put_rows(struct bp_opencl_builder *b, const struct attention *a,
                     const struct bp_opencl_tensor *to, const struct heads *from, int64_t total,
                     int64_t at, int64_t rows, int64_t size)
{
    struct bp_opencl_box box = {
        .rank = 4,
        .dims = {a->batches, a->kv_heads, rows, size},
        .to = {a->kv_heads * total * size, total * size, size, 1},
        .from = {from->steps[0], from->steps[1], from->steps[2], 1},
    };

    if (rows > 0)
        bp_opencl_move(b, to, at * size, &from->tensor, 0, &box);
}

/*
 * Puts the past and the new rows into one tensor, present or scratch memory, where either is there;
 * k->dims are then those rows.
 */
static void join(struct bp_opencl_builder *b, const struct attention *a, struct heads *rows,
                 const struct bp_opencl_tensor *past, const struct bp_opencl_tensor *present,
                 int64_t fresh, int64_t size)
{
    int64_t total = a->past + fresh;
    struct bp_opencl_tensor all;

    if (!past && !present)
        return;
    all = present
              ? *present
              : bp_opencl_scratch(b, rows->tensor.dtype, a->batches * a->kv_heads * total * size);
    if (past) {
        const struct heads old = {*past, {a->kv_heads * a->past * size, a->past * size, size}};

        put_rows(b, a, &all, &old, total, 0, a->past, size);
    }
    put_rows(b, a, &all, rows, total, a->past, fresh, size);
    *rows = (struct heads){all, {a->kv_heads * total * size, total * size, size}};
}

/* A mask that broadcasts to [batch, heads, rows, keys]; its last dimension may be shorter. */
static void set_mask(struct bp_opencl_builder *b, struct attention *a,
                     const struct bp_opencl_tensor *mask)
{
    const int64_t want[3] = {a->batches, a->heads, a->rows};
    int64_t step;

    a->mask = mask;
    if (!mask || b->rc < 0)
        return;
    a->mask_keys = step = mask->dims[mask->rank - 1];
    for (uint32_t i = 3; i-- > 0;) {
        int64_t dim = i + mask->rank >= 4 ? mask->dims[i + mask->rank - 4] : 1;

        if ((dim != 1 && dim != want[i]) || a->mask_keys > a->keys)
            bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: the mask of '%s' does not fit",
                                 BP_NODE(b->graph, b->node)->name);
        a->mask_steps[i] = dim == 1 ? 0 : step;
        step *= dim;
    }
}

static void check(struct bp_opencl_builder *b, const struct attention *a)
{
    if (b->rc >= 0 && (a->heads < 1 || a->kv_heads < 1 || a->heads % a->kv_heads != 0 ||
                       a->head < 1 || a->head > MAX_HEAD || a->v_head < 1 || a->v_head > MAX_HEAD ||
                       a->y.tensor.count != a->batches * a->heads * a->rows * a->v_head))
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: the shapes of '%s' do not fit together",
                             BP_NODE(b->graph, b->node)->name);
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* Size i of a value, or -1. */
static int64_t size_of(const bp_value *value, uint32_t i)
{
    return i < value->rank ? value->dims[i].value : -1;
}

/* Kernels are made for the size of a head. */
static bool takes_head(const struct bp_opencl_query *query, uint32_t i, int64_t heads)
{
    const bp_value *x = bp_node_in(query->graph, query->node, i);
    int64_t size = size_of(x, x->rank - 1);

    if (x->rank == 3)
        size = size > 0 && heads > 0 && size % heads == 0 ? size / heads : -1;
    if (size < 1)
        return bp_opencl_refuse(query, BP_R_DYNAMIC_SHAPE, x->name,
                                "the size of a head is not known");
    return size <= MAX_HEAD || bp_opencl_refuse(query, BP_R_OTHER, x->name,
                                                "heads of %lld, the provider takes up to %d",
                                                (long long)size, MAX_HEAD);
}

static bool takes_inputs(const struct bp_opencl_op *op, const struct bp_opencl_query *query,
                         uint32_t past, uint32_t low)
{
    for (uint32_t i = 0; i < 3; i++) {
        if (!bp_opencl_takes(query, i, op->types, low, 4) || !bp_opencl_same_type(query, i))
            return false;
    }
    for (uint32_t i = past; i < past + 2; i++) {
        if (!bp_opencl_takes_optional(query, i, op->types, 4, 4) || !bp_opencl_same_type(query, i))
            return false;
    }
    if (!bp_node_in(query->graph, query->node, past) !=
        !bp_node_in(query->graph, query->node, past + 1))
        return bp_opencl_refuse(query, BP_R_OTHER, NULL,
                                "past keys without values, or the reverse");
    return true;
}

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    const bp_value *q, *k, *v, *mask = bp_node_in(query->graph, query->node, 3);
    int64_t kv_heads = bp_node_int(query->graph, query->node, "kv_num_heads", 0);
    int64_t heads = bp_node_int(query->graph, query->node, "q_num_heads", 0);

    if (!takes_inputs(op, query, 4, 3) ||
        !bp_opencl_takes_optional(query, 3, op->types | BP_OPENCL_BOOL, 1, 4))
        return false;
    q = bp_node_in(query->graph, query->node, 0);
    k = bp_node_in(query->graph, query->node, 1);
    v = bp_node_in(query->graph, query->node, 2);
    if (k->rank != q->rank || v->rank != q->rank)
        return bp_opencl_refuse(query, BP_R_RANK, q->name, "Q, K and V differ in rank");
    if (mask && mask->dtype != BP_DTYPE_BOOL && mask->dtype != q->dtype)
        return bp_opencl_refuse(query, BP_R_DTYPE, mask->name, "its type is not that of Q");
    if (bp_node_in(query->graph, query->node, 6))
        return bp_opencl_refuse(query, BP_R_OTHER, "nonpad_kv_seqlen", "it is not implemented");
    return takes_head(query, 0, heads) && takes_head(query, 1, kv_heads) &&
           takes_head(query, 2, kv_heads);
}

static bool claim_multi_head(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    int64_t heads = bp_node_int(query->graph, query->node, "num_heads", 0);

    if (!bp_node_in(query->graph, query->node, 1) || !bp_node_in(query->graph, query->node, 2))
        return bp_opencl_refuse(query, BP_R_OTHER, NULL, "packed Q, K and V are not implemented");
    for (uint32_t i = 8; i < 10; i++) {
        if (bp_node_in(query->graph, query->node, i))
            return bp_opencl_refuse(query, BP_R_OTHER, NULL, "input %u is not implemented", i);
    }
    if (bp_node_in(query->graph, query->node, 4))
        return bp_opencl_refuse(query, BP_R_OTHER, "key_padding_mask", "it is not implemented");
    if (!takes_inputs(op, query, 6, 3) || !bp_opencl_takes(query, 0, op->types, 3, 3) ||
        !bp_opencl_takes(query, 1, op->types, 3, 3) ||
        !bp_opencl_takes(query, 2, op->types, 3, 3) ||
        !bp_opencl_takes_optional(query, 3, op->types, 1, 1) || !bp_opencl_same_type(query, 3) ||
        !bp_opencl_takes_optional(query, 5, op->types, 1, 4) || !bp_opencl_same_type(query, 5))
        return false;
    return takes_head(query, 0, heads) && takes_head(query, 1, heads) &&
           takes_head(query, 2, heads);
}

/* ---- Attention ------------------------------------------------------------------------------- */

static float scale_of(const struct bp_opencl_builder *b, const bp_node *node, int64_t head)
{
    float scale = bp_node_float(b->graph, node, "scale", 0);

    if (bp_node_attr(b->graph, node, "scale") && (scale != 0 || node->domain[0] == '\0'))
        return scale;
    return (float)(1 / sqrt(head > 0 ? (double)head : 1));
}

static int64_t window_of(const struct bp_opencl_builder *b, const bp_node *node, const char *name,
                         const struct attention *a)
{
    int64_t size = bp_node_int(b->graph, node, name, NO_WINDOW);

    return size < 0 || size > a->keys + a->rows ? NO_WINDOW : size;
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct bp_opencl_tensor *q = bp_opencl_in(b, node, 0), *k = bp_opencl_in(b, node, 1);
    const struct bp_opencl_tensor *v = bp_opencl_in(b, node, 2), *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *past = bp_opencl_in(b, node, 4);
    bool is_packed = q->rank == 3;
    struct attention a = {.batches = q->dims[0], .is_causal = false};
    int64_t fresh;

    (void)op;
    a.heads = is_packed ? bp_node_int(b->graph, node, "q_num_heads", 1) : q->dims[1];
    a.kv_heads = is_packed ? bp_node_int(b->graph, node, "kv_num_heads", 1) : k->dims[1];
    a.rows = q->dims[is_packed ? 1 : 2];
    fresh = k->dims[is_packed ? 1 : 2];
    a.head = is_packed ? q->dims[2] / a.heads : q->dims[3];
    a.v_head = is_packed ? v->dims[2] / a.kv_heads : v->dims[3];
    a.past = past ? past->dims[2] : 0;
    a.keys = a.past + fresh;
    a.q = layout(q, a.heads);
    a.k = layout(k, a.kv_heads);
    a.v = layout(v, a.kv_heads);
    if (y)
        a.y = layout(y, a.heads);
    join(b, &a, &a.k, past, bp_opencl_out(b, node, 1), fresh, a.head);
    join(b, &a, &a.v, bp_opencl_in(b, node, 5), bp_opencl_out(b, node, 2), fresh, a.v_head);
    if (!y)
        return;
    a.is_causal = bp_node_int(b->graph, node, "is_causal", 0) != 0;
    a.left = window_of(b, node, "left_window_size", &a);
    a.right = window_of(b, node, "right_window_size", &a);
    a.scale = scale_of(b, node, a.head);
    a.softcap = bp_node_float(b->graph, node, "softcap", 0);
    set_mask(b, &a, bp_opencl_in(b, node, 3));
    check(b, &a);
    attend(b, &a);
}

/* ---- MultiHeadAttention ---------------------------------------------------------------------- */

/* Adds `n` elements of the bias from `at` on to each row. */
static void add_bias(struct bp_opencl_builder *b, struct heads *rows,
                     const struct bp_opencl_tensor *bias, int64_t at, int64_t n)
{
    struct bp_opencl_tensor part, sum;
    const struct bp_opencl_tensor *in[] = {&rows->tensor, &part};
    struct bp_opencl_prefix prefix = {.n = 0};

    if (!bias)
        return;
    part = *bias;
    part.place.offset += (uint64_t)at * (bp_dtype_width(bias->dtype) / 8);
    part.dims[0] = part.count = n;
    sum = bp_opencl_scratch(b, rows->tensor.dtype, rows->tensor.count);
    sum.rank = rows->tensor.rank;
    memcpy(sum.dims, rows->tensor.dims, sizeof sum.dims);
    bp_opencl_elementwise(b, &sum, in, 2, &prefix, "a + b");
    rows->tensor = sum;
}

static void build_multi_head(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                             const bp_node *node)
{
    const struct bp_opencl_tensor *q = bp_opencl_in(b, node, 0), *k = bp_opencl_in(b, node, 1);
    const struct bp_opencl_tensor *v = bp_opencl_in(b, node, 2), *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *past = bp_opencl_in(b, node, 6),
                                  *bias = bp_opencl_in(b, node, 3);
    int64_t heads = bp_node_int(b->graph, node, "num_heads", 1), fresh = k->dims[1];
    struct attention a = {.batches = q->dims[0],
                          .heads = heads,
                          .kv_heads = heads,
                          .rows = q->dims[1],
                          .head = q->dims[2] / heads,
                          .v_head = v->dims[2] / heads,
                          .past = past ? past->dims[2] : 0,
                          .left = NO_WINDOW,
                          .right = NO_WINDOW};

    (void)op;
    a.keys = a.past + fresh;
    a.q = layout(q, heads);
    a.k = layout(k, heads);
    a.v = layout(v, heads);
    if (bias && bias->count != 2 * q->dims[2] + v->dims[2])
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: the bias of '%s' does not fit", node->name);
    if (y)
        add_bias(b, &a.q, bias, 0, q->dims[2]);
    add_bias(b, &a.k, bias, q->dims[2], q->dims[2]);
    add_bias(b, &a.v, bias, 2 * q->dims[2], v->dims[2]);
    join(b, &a, &a.k, past, bp_opencl_out(b, node, 1), fresh, a.head);
    join(b, &a, &a.v, bp_opencl_in(b, node, 7), bp_opencl_out(b, node, 2), fresh, a.v_head);
    if (!y)
        return;
    a.y = layout(y, heads);
    a.is_causal = bp_node_int(b->graph, node, "unidirectional", 0) != 0;
    a.scale = scale_of(b, node, a.head);
    set_mask(b, &a, bp_opencl_in(b, node, 5));
    check(b, &a);
    attend(b, &a);
}

const struct bp_opencl_op bp_opencl_attention_ops[] = {
    {.name = "Attention",
     .since = 23,
     .until = BP_OPENCL_LATEST,
     .claim = claim,
     .build = build,
     .types = BP_OPENCL_FLOATS,
     .n_out = 3,
     .takes_empty = true},
    {.name = "MultiHeadAttention",
     .domain = "com.microsoft",
     .since = 1,
     .until = BP_OPENCL_LATEST,
     .claim = claim_multi_head,
     .build = build_multi_head,
     .types = BP_OPENCL_FLOATS,
     .n_out = 3,
     .takes_empty = true},
    {.name = NULL},
};
