/* SPDX-License-Identifier: MIT */
/*
 * fuse_attention.c - the nodes of attention, as BERT has them, become MultiHeadAttention of
 * com.microsoft.
 *
 *   q = Transpose(0,2,1,3)(Reshape(Q)), k = Transpose(0,2,3,1)(Reshape(K)), v like q
 *   p = Softmax([scale *] MatMul(q, k) [+ mask])
 *   y = Reshape(Transpose(0,2,1,3)(MatMul(p, v)))
 *
 * Conditions: float32, every value in between has one reader, heads and sizes agree. Value kept;
 * sums and the softmax run in another order.
 */

#include "config.h"

#include <math.h>

#include "optimize/patterns/activation.h"

enum { MOST_PARTS = 16 }; /* nodes of the longest form: 13 */

/* A tensor batch x sequence x (heads * size) that is split into heads. */
struct heads {
    uint32_t value;
    struct bp_sym batch, steps;
    int64_t n, size;
};

struct parts {
    struct heads q, k, v;
    uint32_t mask; /* what is added to the scores, or BP_NONE */
    uint32_t add;  /* the node that adds it */
    double scale;
    uint32_t of[MOST_PARTS]; /* in running order */
    uint32_t n_of;
    uint32_t last;
};

/* ---- heads ----------------------------------------------------------------------------------- */

static const int64_t by_head[] = {0, 2, 1, 3}, transposed[] = {0, 2, 3, 1};

static bool is_plain(const struct bp_rewrite *rw, uint32_t n, const char *op)
{
    return bp_rw_is(rw, n, op) && !bp_rw_node(rw, n)->domain[0];
}

/* The node of that operator that produces `value` for node `reader` alone, or BP_NONE. */
static uint32_t maker(const struct bp_rewrite *rw, uint32_t value, uint32_t reader, const char *op)
{
    uint32_t n = bp_rw_producer(rw, value);

    return is_plain(rw, n, op) && bp_rw_only_user(rw, value) == reader ? n : BP_NONE;
}

static bool is_transpose(const struct bp_rewrite *rw, uint32_t n, const int64_t *perm)
{
    uint32_t count;
    const int64_t *own = bp_ir_attr_ints(bp_rw_node(rw, n), "perm", &count);

    return own && count == 4 && memcmp(own, perm, 4 * sizeof *perm) == 0;
}

/* Is `merged` batch x sequence x (heads * size), and `split` batch x sequence x heads x size? */
static bool read_split(const struct bp_rewrite *rw, uint32_t merged, uint32_t split,
                       struct heads *out)
{
    const struct bp_fact *x = &rw->facts[merged], *y = &rw->facts[split];

    if (x->kind != BP_KIND_TENSOR || x->dtype != BP_DTYPE_F32 || x->rank != 3 || y->rank != 4 ||
        !bp_sym_equal(x->dims[0], y->dims[0]) || !bp_sym_equal(x->dims[1], y->dims[1]) ||
        !bp_sym_known(x->dims[2]) || !bp_sym_known(y->dims[2]) || !bp_sym_known(y->dims[3]))
        return false;
    *out = (struct heads){merged, x->dims[0], x->dims[1], y->dims[2].value, y->dims[3].value};
    return out->n > 0 && out->size > 0 && x->dims[2].value / out->n == out->size &&
           x->dims[2].value % out->n == 0;
}

/* Reshape, then Transpose with that permutation: appends both. */
static bool find_heads(struct bp_rewrite *rw, uint32_t value, uint32_t reader, const int64_t *perm,
                       struct parts *p, struct heads *out)
{
    uint32_t transpose = maker(rw, value, reader, "Transpose"), split, in;

    if (transpose == BP_NONE || !is_transpose(rw, transpose, perm))
        return false;
    in = bp_rw_node(rw, transpose)->in[0];
    split = maker(rw, in, transpose, "Reshape");
    if (split == BP_NONE || !read_split(rw, bp_rw_node(rw, split)->in[0], in, out))
        return false;
    p->of[p->n_of++] = split;
    p->of[p->n_of++] = transpose;
    return true;
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Q times K, scaled or not, as `value` for `reader` alone. */
static bool find_scores(struct bp_rewrite *rw, uint32_t value, uint32_t reader, struct parts *p)
{
    uint32_t n = bp_rw_producer(rw, value), scale = BP_NONE;
    const struct bp_ir_node *node;

    p->n_of = 0;
    p->scale = 1;
    if (n == BP_NONE || bp_rw_only_user(rw, value) != reader)
        return false;
    if (!is_plain(rw, n, "MatMul")) {
        uint32_t product = bp_scaled_by(rw, n, &p->scale);

        scale = n;
        n = product == BP_NONE ? BP_NONE : maker(rw, product, scale, "MatMul");
        if (n == BP_NONE)
            return false;
    }
    node = bp_rw_node(rw, n);
    if (!find_heads(rw, node->in[0], n, by_head, p, &p->q) ||
        !find_heads(rw, node->in[1], n, transposed, p, &p->k))
        return false;
    p->of[p->n_of++] = n;
    if (scale != BP_NONE)
        p->of[p->n_of++] = scale;
    return p->scale > 0 && isfinite((float)p->scale);
}

/* The input of Softmax: scores, or scores plus a mask in either order. */
static bool find_masked(struct bp_rewrite *rw, uint32_t softmax, struct parts *p)
{
    uint32_t value = bp_rw_node(rw, softmax)->in[0], add = maker(rw, value, softmax, "Add");
    const struct bp_ir_node *node;

    p->mask = BP_NONE;
    p->add = add;
    if (add == BP_NONE)
        return find_scores(rw, value, softmax, p);
    node = bp_rw_node(rw, add);
    for (uint32_t i = 0; i < 2; i++) {
        if (node->schema->since >= 7 && find_scores(rw, node->in[i], add, p)) {
            p->mask = node->in[1 - i];
            p->of[p->n_of++] = add;
            return true;
        }
    }
    return false;
}

/* The default axis is 1 before opset 13, -1 from then on. */
static bool is_over_last(const struct bp_rewrite *rw, uint32_t softmax)
{
    const struct bp_ir_node *node = bp_rw_node(rw, softmax);
    int64_t axis = bp_ir_attr_int(node, "axis", node->schema->since >= 13 ? -1 : 1);

    return !node->domain[0] && rw->facts[node->in[0]].rank == 4 && (axis == -1 || axis == 3);
}

/* From Softmax to the Reshape that concatenates the heads again. */
static bool find_rest(struct bp_rewrite *rw, uint32_t softmax, struct parts *p)
{
    uint32_t probs = bp_rw_node(rw, softmax)->out[0], product, transpose;
    struct heads all;

    product = bp_rw_only_user_is(rw, probs, "MatMul");
    if (!is_plain(rw, product, "MatMul") || bp_rw_node(rw, product)->in[0] != probs ||
        !find_heads(rw, bp_rw_node(rw, product)->in[1], product, by_head, p, &p->v))
        return false;
    transpose = bp_rw_only_user_is(rw, bp_rw_node(rw, product)->out[0], "Transpose");
    if (!is_plain(rw, transpose, "Transpose") || !is_transpose(rw, transpose, by_head))
        return false;
    p->last = bp_rw_only_user_is(rw, bp_rw_node(rw, transpose)->out[0], "Reshape");
    if (!is_plain(rw, p->last, "Reshape") ||
        !read_split(rw, bp_rw_node(rw, p->last)->out[0], bp_rw_node(rw, transpose)->out[0], &all))
        return false;
    p->of[p->n_of++] = softmax;
    p->of[p->n_of++] = product;
    p->of[p->n_of++] = transpose;
    p->of[p->n_of++] = p->last;
    return bp_sym_equal(all.batch, p->q.batch) && bp_sym_equal(all.steps, p->q.steps) &&
           all.n == p->q.n && all.size == p->v.size;
}

/* All parts agree: heads of Q, K and V, sizes of Q and K, length of K and V. */
static bool find(struct bp_rewrite *rw, uint32_t softmax, struct parts *p)
{
    return is_over_last(rw, softmax) && find_masked(rw, softmax, p) && find_rest(rw, softmax, p) &&
           p->k.n == p->q.n && p->v.n == p->q.n && p->k.size == p->q.size &&
           bp_sym_equal(p->k.batch, p->q.batch) && bp_sym_equal(p->v.batch, p->q.batch) &&
           bp_sym_equal(p->k.steps, p->v.steps);
}

/* ---- the mask -------------------------------------------------------------------------------- */

static bool is_size(struct bp_sym size, int64_t want)
{
    return bp_sym_known(size) && size.value == want;
}

/*
 * The operator wants (1 or batch) x (1 or heads) x sequence x keys. *rows: has the mask a row for
 * each step, or one row for all?
 */
static bool fits(const struct bp_rewrite *rw, const struct parts *p, bool *rows)
{
    const struct bp_fact *m = &rw->facts[p->mask];

    if (m->kind != BP_KIND_TENSOR || m->dtype != BP_DTYPE_F32 || m->rank != 4 ||
        !(is_size(m->dims[0], 1) || bp_sym_equal(m->dims[0], p->q.batch)) ||
        !(is_size(m->dims[1], 1) || is_size(m->dims[1], p->q.n)) ||
        !bp_sym_equal(m->dims[3], p->k.steps))
        return false;
    *rows = bp_sym_equal(m->dims[2], p->q.steps);
    return *rows || is_size(m->dims[2], 1);
}

/* The Expand of this mask that an earlier attention made, or BP_NONE: layers share one. */
static uint32_t find_spread(const struct bp_rewrite *rw, const struct parts *p)
{
    for (uint32_t u = rw->values.head[p->mask]; u != BP_NONE; u = rw->uses.next[u]) {
        const struct bp_ir_node *node = bp_rw_node(rw, rw->uses.node[u]);
        const struct bp_fact *y, *m = &rw->facts[p->mask];

        if (!node || !is_plain(rw, rw->uses.node[u], "Expand") || node->in[0] != p->mask)
            continue;
        y = &rw->facts[node->out[0]];
        if (y->rank == 4 && bp_sym_equal(y->dims[0], m->dims[0]) &&
            bp_sym_equal(y->dims[1], m->dims[1]) && bp_sym_equal(y->dims[2], p->q.steps) &&
            bp_sym_equal(y->dims[3], m->dims[3]))
            return node->out[0];
    }
    return BP_NONE;
}

/* The shape input of Expand: 1 leaves a dimension as it is. */
static bp_rc make_sizes(struct bp_rewrite *rw, const struct parts *p, uint32_t *out, bp_err *err)
{
    const int64_t sizes[] = {1, 1, p->q.steps.value, 1}, n = 4;
    struct bp_rw_made made;
    bp_rc rc = bp_rw_new_data(rw, BP_DTYPE_I64, 1, &n, &made.data, err);

    if (rc >= 0)
        rc = bp_rw_make(rw, p->mask, &made, err);
    if (rc < 0)
        return rc;
    memcpy((void *)(uintptr_t)made.data->bytes, sizes, sizeof sizes);
    *out = made.value;
    return bp_rw_made(rw, &made, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bp_rc fuse(struct bp_rewrite *rw, const struct parts *p, uint32_t mask, bool *done,
                  bp_err *err)
{
    const uint32_t in[] = {p->q.value, p->k.value, p->v.value, BP_NONE, BP_NONE, mask};
    const float scale = (float)p->scale;
    const bp_attr attrs[] = {
        {.name = "num_heads", .data = &p->q.n, .type = BP_ATTR_INT, .count = 1},
        {.name = "scale", .data = &scale, .type = BP_ATTR_FLOAT, .count = 1},
    };

    return bp_fuse(rw,
                   &(struct bp_fusion){.op = "MultiHeadAttention",
                                       .domain = "com.microsoft",
                                       .opset = 1,
                                       .n_in = mask == BP_NONE ? 3 : 6,
                                       .n_out = 1,
                                       .n_of = p->n_of,
                                       .in = in,
                                       .last = p->last,
                                       .of = p->of,
                                       .attrs = attrs,
                                       .n_attrs = 2},
                   done, err);
}

/*
 * For a mask of one row: its Add becomes an Expand of the mask, which the new node reads. Both
 * fusions are asked for first, because the Add disappears with the scores.
 */
static bp_rc fuse_spread(struct bp_rewrite *rw, struct parts *p, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, p->add);
    uint32_t in[2] = {p->mask, BP_NONE}, value = node->out[0];
    struct bp_fusion spread = {.op = "Expand",
                               .domain = "",
                               .opset = node->opset,
                               .n_in = 2,
                               .n_out = 1,
                               .n_of = 1,
                               .in = in,
                               .last = p->add,
                               .of = &p->add};
    struct bp_sym *dims;
    bool can = false;
    bp_rc rc;

    if (!bp_sym_known(p->q.steps) || !bp_sym_known(p->k.steps) || node->opset < 8)
        return BP_OK;
    dims = bp_region_array(rw->scratch, 4, sizeof *dims);
    rc = dims ? make_sizes(rw, p, &in[1], err) : bp_fail_nomem(err, "a shape");
    if (rc >= 0)
        rc = bp_can_fuse(rw, &spread, &can, err);
    if (rc >= 0 && can)
        rc = fuse(rw, p, value, &can, err);
    if (rc < 0 || !can)
        return rc;
    memcpy(dims, rw->facts[p->mask].dims, 4 * sizeof *dims);
    dims[2] = p->q.steps;
    rw->facts[value].dims = dims;
    rw->ir->values[value].declared = (struct bp_fact){.rank = BP_RANK_UNKNOWN};
    return bp_do_fuse(rw, &spread, err);
}

static bp_rc replace(struct bp_rewrite *rw, struct parts *p, bp_err *err)
{
    uint32_t mask = p->mask;
    bool rows = true, done;

    if (mask != BP_NONE && !fits(rw, p, &rows))
        return BP_OK;
    if (!rows)
        mask = find_spread(rw, p);
    return mask == BP_NONE && !rows ? fuse_spread(rw, p, err) : fuse(rw, p, mask, &done, err);
}

bp_rc bp_pass_fuse_attention(struct bp_rewrite *rw, bp_err *err)
{
    struct parts p;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Softmax") && find(rw, n, &p))
            rc = replace(rw, &p, err);
    }
    return rc;
}
