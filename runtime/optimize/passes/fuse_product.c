/* SPDX-License-Identifier: MIT */
/*
 * fuse_product.c - [Transpose | Mul | Div] -> MatMul -> [Mul | Div] becomes FusedMatMul of
 * com.microsoft with transA, transB, transBatchA, transBatchB and alpha.
 *
 * Conditions: float32 or float64; the Transpose exchanges the last two axes, moves the first one
 * behind the batch's, or both, and nothing else; factors are
 * scalar constants; each value in between has one reader. Value kept; the scale is applied once.
 */

#include "config.h"

#include <math.h>

#include "optimize/patterns/activation.h"

/* The order of axes in which a product reads an operand. */
struct reading {
    int64_t trans;       /* the last two are exchanged */
    int64_t trans_batch; /* the first one is moved behind the batch's, before that exchange */
};

struct parts {
    uint32_t in[2];
    struct reading read[2];
    double alpha;
    uint32_t of[6]; /* nodes, in running order: what stands before each operand, MatMul, scale */
    uint32_t n_of;
    uint32_t last;
};

static bool is_plain(const struct bp_rewrite *rw, uint32_t n, const char *op)
{
    return n != BP_NONE && bp_rw_is(rw, n, op) && !bp_rw_node(rw, n)->domain[0];
}

/*
 * What of a product reads the Transpose's input in the order of its output; false: none does. With
 * trans_batch the stored axes are the rows, the batch, the columns.
 */
static bool read_order(const struct bp_ir_node *node, struct reading *out)
{
    uint32_t n;
    const int64_t *perm = bp_ir_attr_ints(node, "perm", &n);
    struct reading r;

    if (!perm || n < 2)
        return false;
    r = (struct reading){.trans = perm[n - 1] != (int64_t)n - 1,
                         .trans_batch = n > 2 && perm[0] == 1};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis = i; /* of the operand before the last two are exchanged */

        if (r.trans && i + 2 >= n)
            axis = i + 1 == n ? n - 2 : n - 1;
        if (r.trans_batch && axis + 1 < n)
            axis = axis + 2 == n ? 0 : axis + 1;
        if (perm[i] != (int64_t)axis)
            return false;
    }
    *out = r;
    return r.trans || r.trans_batch;
}

/*
 * Follows an operand upstream over at most one scale and one exchange of axes that the product
 * alone reads.
 */
static void find_operand(struct bp_rewrite *rw, uint32_t matmul, uint32_t i, struct parts *p)
{
    uint32_t user = matmul;

    p->in[i] = bp_rw_node(rw, matmul)->in[i];
    for (int step = 0; step < 2; step++) {
        uint32_t n = bp_rw_producer(rw, p->in[i]), value;
        double factor;

        if (n == BP_NONE || bp_rw_only_user(rw, p->in[i]) != user)
            return;
        value = bp_scaled_by(rw, n, &factor);
        if (value != BP_NONE) {
            p->alpha *= factor;
        } else if (is_plain(rw, n, "Transpose") && !p->read[i].trans && !p->read[i].trans_batch &&
                   read_order(bp_rw_node(rw, n), &p->read[i])) {
            value = bp_rw_node(rw, n)->in[0];
        } else {
            return;
        }
        p->of[p->n_of++] = n;
        p->in[i] = value;
        user = n;
    }
}

static bool find(struct bp_rewrite *rw, uint32_t matmul, struct parts *p)
{
    const struct bp_ir_node *node = bp_rw_node(rw, matmul);
    uint32_t scale = bp_rw_only_user(rw, node->out[0]);
    double factor;

    *p = (struct parts){.alpha = 1, .last = matmul};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t rank = rw->facts[node->in[i]].rank;

        if (node->domain[0] || !bp_is_float(rw, node->in[i]) || rank == BP_RANK_UNKNOWN || rank < 2)
            return false;
        find_operand(rw, matmul, i, p);
    }
    p->of[p->n_of++] = matmul;
    if (scale != BP_NONE && bp_scaled_by(rw, scale, &factor) == node->out[0]) {
        p->alpha *= factor;
        p->of[p->n_of++] = scale;
        p->last = scale;
    }
    /* alpha is a float32 attribute: a float64 product would lose bits with others */
    return p->n_of > 1 && isfinite((float)p->alpha) &&
           (rw->facts[p->in[0]].dtype == BP_DTYPE_F32 || (double)(float)p->alpha == p->alpha);
}

static bp_rc fuse(struct bp_rewrite *rw, const struct parts *p, bp_err *err)
{
    const float alpha = (float)p->alpha;
    const bp_attr attrs[] = {
        {.name = "alpha", .data = &alpha, .type = BP_ATTR_FLOAT, .count = 1},
        {.name = "transA", .data = &p->read[0].trans, .type = BP_ATTR_INT, .count = 1},
        {.name = "transB", .data = &p->read[1].trans, .type = BP_ATTR_INT, .count = 1},
        {.name = "transBatchA", .data = &p->read[0].trans_batch, .type = BP_ATTR_INT, .count = 1},
        {.name = "transBatchB", .data = &p->read[1].trans_batch, .type = BP_ATTR_INT, .count = 1},
    };
    bool done;

    return bp_fuse(rw,
                   &(struct bp_fusion){.op = "FusedMatMul",
                                       .domain = "com.microsoft",
                                       .opset = 1,
                                       .n_in = 2,
                                       .n_out = 1,
                                       .n_of = p->n_of,
                                       .in = p->in,
                                       .last = p->last,
                                       .of = p->of,
                                       .attrs = attrs,
                                       .n_attrs = 5},
                   &done, err);
}

bp_rc bp_pass_fuse_product(struct bp_rewrite *rw, bp_err *err)
{
    struct parts p;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "MatMul") && find(rw, n, &p))
            rc = fuse(rw, &p, err);
    }
    return rc;
}
