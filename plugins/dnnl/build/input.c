/* SPDX-License-Identifier: MIT */
/* input.c - see input.h. */

#include "build/input.h"

#include "build/builder.h"
#include "build/constants.h"
#include "build/element_type.h"
#include "build/layout.h"
#include "build/primitive.h"

/* The value's tensor in that very layout, or the first one if `want` is NULL. */
static const struct bp_dnnl_tensor *find_tensor(const struct bp_dnnl_value *value,
                                                const dnnl_memory_desc_t *want)
{
    for (uint32_t i = 0; i < value->n_tensors; i++) {
        if (!want || bp_dnnl_same_layout(&value->tensors[i].md, want))
            return &value->tensors[i];
    }
    return NULL;
}

/*
 * A row-major tensor whose strides of dimensions of size 1 differ from those of `want`: oneDNN
 * tells such layouts apart, but the bytes are the same.
 */
static const struct bp_dnnl_tensor *find_row_major(const struct bp_dnnl_value *value,
                                                   const dnnl_memory_desc_t *want)
{
    if (!want || want->format_kind != dnnl_blocked || !bp_dnnl_is_row_major(want))
        return NULL;
    for (uint32_t i = 0; i < value->n_tensors; i++) {
        if (value->tensors[i].md.data_type == want->data_type &&
            bp_dnnl_is_row_major(&value->tensors[i].md))
            return &value->tensors[i];
    }
    return NULL;
}

/* A constant of the graph, packed as weights are. */
static bp_rc constant_tensor(struct bp_dnnl_builder *b, uint32_t value,
                             const dnnl_memory_desc_t *want, struct bp_dnnl_tensor *out,
                             bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    dnnl_memory_desc_t row_major;

    bp_dnnl_row_major_as(v->rank, v->dims, bp_dnnl_inner_type(b->graph, value), &row_major);
    return bp_dnnl_weights(b, value, &row_major, want ? want : &row_major, out, err);
}

/*
 * A reorder starts at the layout in which the value was made, which all later ones are copies of.
 */
bp_rc bp_dnnl_tensor_of(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *want,
                        struct bp_dnnl_tensor *out, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    const struct bp_dnnl_tensor *found;
    struct bp_dnnl_tensor from;
    bp_rc rc;

    if (bp_dnnl_is_constant(b, value))
        return constant_tensor(b, value, want, out, err);
    found = find_tensor(v, want);
    if (!found)
        found = find_row_major(v, want);
    if (found) {
        *out = *found;
        if (want)
            out->md = *want;
        return BP_OK;
    }
    if (v->n_tensors == 0) {
        return bp_fail(err, BP_E_INVALID, "dnnl: '%s' is read before a node has made it",
                       BP_VALUE(b->graph, value)->name);
    }
    from = v->tensors[0];
    rc = bp_dnnl_temporary(b, want, out, err);
    if (rc >= 0)
        rc = bp_dnnl_reorder(b, &from, out, err);
    if (rc >= 0)
        bp_dnnl_view(b, value, &out->md, out->location);
    return rc;
}

bp_rc bp_dnnl_row_major_of(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                           struct bp_dnnl_tensor *out, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    dnnl_memory_desc_t row_major;
    bp_rc rc;

    bp_dnnl_row_major_as(v->rank, v->dims, md->data_type, &row_major);
    rc = bp_dnnl_tensor_of(b, value, &row_major, out, err);
    out->md = *md;
    return rc;
}

/* One reorder at most, which changes layout and type at once. */
bp_rc bp_dnnl_tensor_as_planes(struct bp_dnnl_builder *b, uint32_t value, unsigned flags,
                               struct bp_dnnl_tensor *out, struct bp_dnnl_planes *planes,
                               bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    dnnl_memory_desc_t want;
    bool is_padded;
    bp_rc rc = bp_dnnl_tensor_of(b, value, NULL, out, err);

    if (rc < 0)
        return rc;
    want = out->md;
    if (flags & BP_DNNL_PLANES_F32)
        want.data_type = dnnl_f32;
    is_padded = flags & BP_DNNL_PLANES_UNPADDED && want.padded_dims[1] != want.dims[1];
    if (is_padded || !bp_dnnl_as_planes(&want, planes)) {
        bp_dnnl_row_major_as(v->rank, v->dims, want.data_type, &want);
        bp_dnnl_as_planes(&want, planes);
    }
    return bp_dnnl_tensor_of(b, value, &want, out, err);
}

/* Computed weights, as of a MatMul of two activations, are reordered in each run. */
bp_rc bp_dnnl_weights(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *stored,
                      const dnnl_memory_desc_t *want, struct bp_dnnl_tensor *out, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    struct bp_dnnl_tensor from;
    dnnl_memory_desc_t row_major;
    bp_rc rc;

    if (bp_dnnl_is_constant(b, value)) {
        out->md = *want;
        out->location = (struct bp_dnnl_location){.kind = BP_DNNL_FIXED};
        return bp_dnnl_constant(b, value, stored, want, &out->location.fixed, err);
    }
    bp_dnnl_row_major_as(v->rank, v->dims, bp_dnnl_current_type(b, value), &row_major);
    rc = bp_dnnl_tensor_of(b, value, &row_major, &from, err);
    from.md = *stored;
    from.md.data_type = row_major.data_type;
    if (rc < 0 || bp_dnnl_same_layout(&from.md, want)) {
        *out = from;
        return rc;
    }
    rc = bp_dnnl_temporary(b, want, out, err);
    return rc < 0 ? rc : bp_dnnl_reorder(b, &from, out, err);
}
