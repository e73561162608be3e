/* SPDX-License-Identifier: MIT */
/*
 * fold_pad.c - Pad -> Conv, AveragePool or MaxPool becomes the operator with larger `pads`.
 *
 * Conditions: constant mode, sizes known, spatial axes only; Conv pads 0, MaxPool -inf, AveragePool
 * 0 with count_include_pad. Bits: unchanged.
 */

#include "config.h"

#include <math.h>

#include "optimize/passes.h"

enum { MOST_PADS = 2 * 16 }; /* begin and end for 16 axes */

/* What a Pad does: sizes at the begin of each axis, then at the end of each. */
struct pad {
    int64_t sizes[MOST_PADS];
    uint32_t rank;
    double value;
};

/* The fill value is an attribute before opset 11, an input from then on; 0 by default. */
static bool read_value(struct bp_rewrite *rw, const struct bp_ir_node *node, double *out)
{
    const bp_attr *attr = bp_ir_attr(node, "value");

    *out = 0;
    if (node->schema->since < 11) {
        if (attr && attr->type == BP_ATTR_FLOAT)
            *out = (double)*(const float *)attr->data;
        return true;
    }
    return bp_rw_in(node, 2) == BP_NONE || bp_rw_float(rw, node->in[2], out);
}

/* Input `axes` of opset 18 is not supported: such a Pad stays. */
static bool read_sizes(const struct bp_rewrite *rw, const struct bp_ir_node *node, struct pad *pad)
{
    uint32_t n;
    const int64_t *sizes = bp_ir_attr_ints(node, "pads", &n);

    if (node->schema->since >= 11) {
        if (bp_rw_in(node, 3) != BP_NONE ||
            !bp_rw_ints(rw, bp_rw_in(node, 1), pad->sizes, MOST_PADS, &n))
            return false;
    } else {
        if (!sizes || n > MOST_PADS)
            return false;
        memcpy(pad->sizes, sizes, n * sizeof *sizes);
    }
    pad->rank = n / 2;
    return n % 2 == 0 && pad->rank > 2;
}

/* No negative pads (they crop), and none on the batch and channel axes. */
static bool read_pad(struct bp_rewrite *rw, uint32_t n, struct pad *pad)
{
    const struct bp_ir_node *node = n == BP_NONE ? NULL : bp_rw_node(rw, n);

    if (!node || node->domain[0] || !bp_rw_is(rw, n, "Pad") || node->schema->since < 2 ||
        !bp_ir_attr_is(node, "mode", "constant", "constant") || !read_sizes(rw, node, pad) ||
        !read_value(rw, node, &pad->value))
        return false;
    for (uint32_t i = 0; i < 2 * pad->rank; i++) {
        if (pad->sizes[i] < 0 || (i % pad->rank < 2 && pad->sizes[i] != 0))
            return false;
    }
    return true;
}

/* Adds the node's own pads; *had: it had some. */
static bool add_pads(const struct bp_ir_node *node, const struct pad *pad, int64_t *out, bool *had)
{
    uint32_t n, spatial = pad->rank - 2;
    const int64_t *own = bp_ir_attr_ints(node, "pads", &n);

    if ((own && n != 2 * spatial) || !bp_ir_attr_is(node, "auto_pad", "NOTSET", "NOTSET"))
        return false;
    *had = false;
    for (uint32_t i = 0; i < 2 * spatial; i++) {
        out[i] = pad->sizes[i < spatial ? i + 2 : i + 4] + (own ? own[i] : 0);
        *had |= own && own[i] != 0;
    }
    return true;
}

/*
 * Does each window overlap the image? A pool over padding alone would divide by 0 or give -inf;
 * ceil_mode can add such a window.
 */
static bool is_within(const struct bp_ir_node *node, const int64_t *pads, uint32_t spatial)
{
    uint32_t n;
    const int64_t *kernel = bp_ir_attr_ints(node, "kernel_shape", &n);

    for (uint32_t i = 0; kernel && n == spatial && i < 2 * spatial; i++) {
        if (pads[i] >= kernel[i % spatial])
            return false;
    }
    return kernel && n == spatial && bp_ir_attr_int(node, "ceil_mode", 0) == 0;
}

/* Would the operator's own padding give the same elements? */
static bool fits(const struct bp_ir_node *node, const struct pad *pad, const int64_t *pads,
                 bool had)
{
    bool counts = bp_ir_attr_int(node, "count_include_pad", 0) != 0;

    if (node->domain[0])
        return false;
    if (strcmp(node->op, "Conv") == 0)
        return pad->value == 0;
    if (!is_within(node, pads, pad->rank - 2))
        return false;
    if (strcmp(node->op, "MaxPool") == 0)
        return pad->value < 0 && isinf(pad->value) && node->n_out == 1;
    return pad->value == 0 && node->schema->since >= 7 && (counts || !had);
}

static bp_rc fold(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    static const int64_t one = 1;
    const struct bp_ir_node *node = bp_rw_node(rw, n);
    uint32_t before = bp_rw_producer(rw, node->in[0]);
    int64_t pads[MOST_PADS];
    struct pad pad;
    bool had;
    bp_rc rc;

    if (!read_pad(rw, before, &pad) || !add_pads(node, &pad, pads, &had) ||
        !fits(node, &pad, pads, had))
        return BP_OK;
    rc = bp_rw_stand_for(rw, n, before, err);
    if (rc >= 0)
        rc = bp_rw_set_attr(rw, n, "pads", BP_ATTR_INT, pads, 2 * (pad.rank - 2), true, err);
    if (rc >= 0 && strcmp(node->op, "AveragePool") == 0)
        rc = bp_rw_set_attr(rw, n, "count_include_pad", BP_ATTR_INT, &one, 1, false, err);
    if (rc >= 0)
        rc = bp_rw_set_input(rw, n, 0, bp_rw_input(rw, before, 0), err);
    rw->n_matches++;
    return rc;
}

bp_rc bp_pass_fold_pad(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Conv") || bp_rw_is(rw, n, "AveragePool") || bp_rw_is(rw, n, "MaxPool"))
            rc = fold(rw, n, err);
    }
    return rc;
}
