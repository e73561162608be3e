/* SPDX-License-Identifier: MIT */
/* output.c - see output.h. */

#include "build/output.h"

#include "build/builder.h"
#include "build/concat_in_place.h"
#include "build/element_type.h"
#include "build/layout.h"

/* Row-major in the host's own type: what it reads and writes. */
static bool is_host_layout(const struct bp_dnnl_builder *b, uint32_t value,
                           const dnnl_memory_desc_t *md)
{
    return md->data_type == bp_dnnl_host_type(b->graph, value) && bp_dnnl_is_row_major(md);
}

/* The index among the group's outputs, or BP_NONE. */
static uint32_t output_index(const struct bp_dnnl_builder *b, uint32_t value)
{
    for (uint32_t i = 0; i < b->graph->n_outputs; i++) {
        if (b->graph->outputs[i] == value)
            return i;
    }
    return BP_NONE;
}

/*
 * An output of the group is written where the host wants it even if some Concat in the group could
 * hold it.
 */
bp_rc bp_dnnl_make_output(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                          struct bp_dnnl_tensor *out, bp_err *err)
{
    uint32_t output =
        BP_VALUE(b->graph, value)->flags & BP_VALUE_OUTPUT ? output_index(b, value) : BP_NONE;
    bool has_slot = false;
    bp_rc rc;

    if (output != BP_NONE && is_host_layout(b, value, md)) {
        out->md = *md;
        out->location = (struct bp_dnnl_location){.kind = BP_DNNL_OUTPUT, .index = output};
        bp_dnnl_view(b, value, md, out->location);
        return BP_OK;
    }
    rc = bp_dnnl_concat_slot(b, value, md, out, &has_slot, err);
    if (rc >= 0 && !has_slot)
        rc = bp_dnnl_temporary(b, md, out, err);
    if (rc >= 0)
        bp_dnnl_view(b, value, &out->md, out->location);
    return rc;
}

bp_rc bp_dnnl_make_row_major(struct bp_dnnl_builder *b, uint32_t value,
                             const dnnl_memory_desc_t *md, struct bp_dnnl_tensor *out, bp_err *err)
{
    const struct bp_dnnl_value *y = &b->values[value];
    dnnl_memory_desc_t row_major;
    bp_rc rc;

    bp_dnnl_row_major_as(y->rank, y->dims, md->data_type, &row_major);
    rc = bp_dnnl_make_output(b, value, &row_major, out, err);
    out->md = *md;
    return rc;
}

/*
 * A slot in a Concat and the host's own memory are better than that of the input: they save a copy
 * later.
 */
bp_rc bp_dnnl_make_in_place(struct bp_dnnl_builder *b, uint32_t value, uint32_t from,
                            const struct bp_dnnl_tensor *on, struct bp_dnnl_tensor *out,
                            bp_err *err)
{
    bool is_output = BP_VALUE(b->graph, value)->flags & BP_VALUE_OUTPUT, has_slot;
    bp_rc rc = bp_dnnl_concat_slot(b, value, &on->md, out, &has_slot, err);

    if (rc < 0)
        return rc;
    if (has_slot || !bp_dnnl_may_overwrite(b, on) ||
        (is_output && is_host_layout(b, value, &on->md)))
        return bp_dnnl_make_output(b, value, &on->md, out, err);
    b->values[from].n_tensors = 0; /* what it was in other layouts has no reader either */
    b->item_uses[on->location.index]--;
    *out = *on;
    bp_dnnl_view(b, value, &on->md, on->location);
    return BP_OK;
}
