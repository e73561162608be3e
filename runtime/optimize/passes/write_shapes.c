/* SPDX-License-Identifier: MIT */
/*
 * write_shapes.c - Reshape(x, computed shape) becomes Reshape(x, constant): known sizes as they
 * are, 0 where a dimension of x is copied, -1 for at most one that follows from the rest.
 *
 * Conditions: allowzero is 0, each size is known, equal to x's dimension at its index, or the only
 * unknown one. The nodes that computed the shape are dropped if nothing else reads them. Bits:
 * unchanged.
 */

#include "config.h"

#include "optimize/passes.h"

enum { RECENT = 8 }; /* constants that are reused; equal shapes of a layer are close together */

struct shape {
    int64_t sizes[BP_MAX_RANK];
    uint32_t n;
    uint32_t value;
};

struct written {
    struct shape recent[RECENT];
    uint32_t n; /* written so far */
};

/*
 * A copied dimension may be 0 at run time, as the computed one might. -1 can't be resolved next to
 * a 0, so then all others must be positive.
 */
static bool write_sizes(const struct bp_rewrite *rw, const struct bp_ir_node *node,
                        struct shape *out)
{
    const struct bp_fact *x = &rw->facts[node->in[0]], *wanted = &rw->facts[node->in[1]];
    bool all_positive = true;
    uint32_t n_open = 0;

    if (!wanted->content || wanted->n_content > BP_MAX_RANK || x->rank == BP_RANK_UNKNOWN)
        return false;
    out->n = wanted->n_content;
    for (uint32_t d = 0; d < out->n; d++) {
        struct bp_sym size = wanted->content[d];
        bool is_taken = !bp_sym_known(size) && d < x->rank && bp_sym_equal(size, x->dims[d]);

        out->sizes[d] = bp_sym_known(size) ? size.value : is_taken ? 0 : -1;
        all_positive &= out->sizes[d] > 0 || (!bp_sym_known(size) && !is_taken);
        n_open += !bp_sym_known(size) && !is_taken;
    }
    return n_open == 0 || (n_open == 1 && all_positive);
}

static const struct shape *find_recent(const struct written *written, const struct shape *shape)
{
    for (uint32_t i = 0; i < RECENT && i < written->n; i++) {
        const struct shape *recent = &written->recent[i];

        if (recent->n == shape->n &&
            memcmp(recent->sizes, shape->sizes, shape->n * sizeof *shape->sizes) == 0)
            return recent;
    }
    return NULL;
}

/* A new constant, or the recent one with the same elements. */
static bp_rc make(struct bp_rewrite *rw, uint32_t like, struct written *written,
                  struct shape *shape, bp_err *err)
{
    const struct shape *recent = find_recent(written, shape);
    const int64_t dims[1] = {shape->n};
    struct bp_rw_made made;
    bp_rc rc;

    if (recent) {
        *shape = *recent;
        return BP_OK;
    }
    rc = bp_rw_new_data(rw, BP_DTYPE_I64, 1, dims, &made.data, err);
    if (rc >= 0)
        rc = bp_rw_make(rw, like, &made, err);
    if (rc < 0)
        return rc;
    if (shape->n > 0) /* ours, not the model's */
        memcpy((void *)(uintptr_t)made.data->bytes, shape->sizes, made.data->size);
    rc = bp_rw_made(rw, &made, err);
    shape->value = made.value;
    written->recent[written->n++ % RECENT] = *shape;
    return rc;
}

/* Node n is a Reshape that may_write() accepted. */
static bp_rc write_shape(struct bp_rewrite *rw, uint32_t n, struct written *written, bp_err *err)
{
    struct shape shape = {.n = 0};
    bp_rc rc;

    if (!write_sizes(rw, bp_rw_node(rw, n), &shape))
        return BP_OK;
    rc = make(rw, bp_rw_node(rw, n)->in[1], written, &shape, err);
    if (rc >= 0)
        rc = bp_rw_set_input(rw, n, 1, shape.value, err);
    rw->n_matches++;
    return rc;
}

static bool may_write(const struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node = bp_rw_is(rw, n, "Reshape") ? bp_rw_node(rw, n) : NULL;

    return node && !node->domain[0] && node->schema->since >= 5 && node->in[0] != BP_NONE &&
           node->in[1] != BP_NONE && !bp_rw_is_constant(rw, node->in[1]) &&
           bp_ir_attr_int(node, "allowzero", 0) == 0;
}

bp_rc bp_pass_write_shapes(struct bp_rewrite *rw, bp_err *err)
{
    struct written written = {.n = 0};
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (may_write(rw, n))
            rc = write_shape(rw, n, &written, err);
    }
    return rc;
}
