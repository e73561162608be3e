/* SPDX-License-Identifier: MIT */
/*
 * concat_in_place.c - Concat along channels without copies. In blocks of channels a batch of 1 lies
 * in memory block after block, so that the inputs of a Concat are neighbours in its output: each is
 * made in its slot there. A Concat may be part of a larger one, as in DenseNet; a value that
 * several of them read lies in the last of them, which is the largest where they grow.
 */

#include "build/concat_in_place.h"

#include "base/library.h"
#include "base/program.h"
#include "build/builder.h"
#include "build/frame.h"
#include "build/layout.h"

static bool is_concat(const bp_node *node)
{
    return strcmp(node->op, "Concat") == 0 && node->domain[0] == '\0';
}

/* Of images, or other tensors with a batch and channels before spatial dimensions. */
static bool concatenates_channels(const bp_graph *graph, const bp_node *node)
{
    const bp_value *y = bp_node_out(graph, node, 0);
    int64_t axis = bp_node_int(graph, node, "axis", 1);

    return y && y->rank != BP_RANK_UNKNOWN && y->rank >= 3 &&
           (axis == 1 || axis + (int64_t)y->rank == 1);
}

/* How often the node reads the value. */
static uint32_t count_of(const bp_node *node, uint32_t value)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < node->n_in; i++)
        n += node->in[i] == value;
    return n;
}

/* A value that one Concat reads twice would need two slots: it has none. */
void bp_dnnl_find_concats(bp_program *program)
{
    const bp_graph *graph = program->graph;

    for (uint32_t v = 0; v < graph->n_values; v++)
        program->concat_of[v] = BP_NONE;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(graph, i);

        if (!is_concat(node) || !concatenates_channels(graph, node))
            continue;
        for (uint32_t k = 0; k < node->n_in; k++) {
            if (count_of(node, node->in[k]) == 1)
                program->concat_of[node->in[k]] = i;
        }
    }
}

/* Blocks of channels, whole images each, densely, as nChw16c is; batch of 1. */
static bool is_blocked_layout(const dnnl_memory_desc_t *md)
{
    const dnnl_blocking_desc_t *blocking = &md->format_desc.blocking;
    dnnl_memory_desc_t dense;

    if (md->format_kind != dnnl_blocked || md->ndims < 3 || md->dims[0] != 1 ||
        blocking->inner_nblks != 1 || blocking->inner_idxs[0] != 1)
        return false;
    for (int i = 2; i < md->ndims; i++) {
        if (md->dims[i] > 1 && blocking->strides[i] > blocking->strides[1])
            return false;
    }
    bp_dnnl_layout_like(md, md->dims, &dense);
    return bp_dnnl_same_layout(md, &dense);
}

/* Of all its spatial elements. Blocks are padded, hence padded_dims. */
static size_t bytes_of_channel(const dnnl_memory_desc_t *md)
{
    return bp_dnnl.memory_desc_get_size(md) / (size_t)md->padded_dims[1];
}

/* Channels that the Concat puts before the value; -1: its inputs do not fit into whole blocks. */
static int64_t channels_before(const struct bp_dnnl_builder *b, const bp_node *node, uint32_t value,
                               const dnnl_memory_desc_t *md)
{
    int64_t block = md->format_desc.blocking.inner_blks[0], n = 0, before = -1;

    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_dnnl_value *part = &b->values[node->in[i]];

        if (!part->is_known || part->rank != md->ndims || part->dims[0] != 1 ||
            part->dims[1] <= 0 || part->dims[1] % block != 0)
            return -1;
        if (node->in[i] == value)
            before = n;
        n += part->dims[1];
    }
    return before;
}

/*
 * The output of the outermost Concat that the value lies in, and how many channels come before it
 * there; BP_NONE: some Concat on the way cannot be in place.
 */
static uint32_t find_largest(const struct bp_dnnl_builder *b, uint32_t value,
                             const dnnl_memory_desc_t *md, int64_t *channels)
{
    const uint32_t *concat_of = b->frame->program->concat_of;

    *channels = 0;
    while (concat_of[value] != BP_NONE) { /* ends, as a graph has no cycles */
        const bp_node *node = BP_NODE(b->graph, concat_of[value]);
        int64_t before = channels_before(b, node, value, md);

        if (before < 0 || !b->values[node->out[0]].is_known)
            return BP_NONE;
        *channels += before;
        value = node->out[0];
    }
    return value;
}

/*
 * The first input that asks makes the buffer of the whole, in its own layout; others have to agree
 * with it.
 */
bp_rc bp_dnnl_concat_slot(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                          struct bp_dnnl_tensor *out, bool *is_set, bp_err *err)
{
    struct bp_dnnl_value *whole;
    dnnl_memory_desc_t like;
    int64_t channels;
    uint32_t found;

    *is_set = false;
    if (b->frame->program->concat_of[value] == BP_NONE || !is_blocked_layout(md))
        return BP_OK;
    found = find_largest(b, value, md, &channels);
    if (found == BP_NONE)
        return BP_OK;
    whole = &b->values[found];
    bp_dnnl_layout_like(md, whole->dims, &like);
    if (!whole->has_concat_buffer) {
        bp_rc rc = bp_dnnl_temporary(b, &like, &whole->concat_buffer, err);

        if (rc < 0)
            return rc;
        whole->has_concat_buffer = true;
    }
    if (!bp_dnnl_same_layout(&whole->concat_buffer.md, &like))
        return BP_OK; /* another part came first, in another layout */
    out->md = *md;
    out->location = whole->concat_buffer.location;
    out->location.offset = (size_t)channels * bytes_of_channel(md);
    *is_set = true;
    return BP_OK;
}

bool bp_dnnl_lies_at(const struct bp_dnnl_value *part, const struct bp_dnnl_tensor *slot)
{
    for (uint32_t i = 0; i < part->n_tensors; i++) {
        if (bp_dnnl_same_location(&part->tensors[i].location, &slot->location) &&
            bp_dnnl_same_layout(&part->tensors[i].md, &slot->md))
            return true;
    }
    return false;
}

/*
 * Do all inputs lie one after the other already, as where a Concat repeats a part of an earlier
 * one? Then *slot is where the first begins.
 */
static bool are_neighbours(const struct bp_dnnl_builder *b, const bp_node *node,
                           const struct bp_dnnl_tensor *first, struct bp_dnnl_tensor *slot)
{
    if (first->location.kind != BP_DNNL_SCRATCH || !is_blocked_layout(&first->md) ||
        channels_before(b, node, node->in[0], &first->md) != 0)
        return false;
    *slot = *first;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_dnnl_value *part = &b->values[node->in[i]];

        bp_dnnl_layout_like(&first->md, part->dims, &slot->md);
        if (!bp_dnnl_lies_at(part, slot))
            return false;
        slot->location.offset += bp_dnnl.memory_desc_get_size(&slot->md);
    }
    *slot = *first;
    return true;
}

/*
 * Do all inputs belong to this Concat, and does one of them lie in its slot already? Then *whole is
 * where the output begins. Of a slot that no memory was had for nothing is said: the copies that
 * follow will.
 */
static bool is_begun(struct bp_dnnl_builder *b, const bp_node *node, struct bp_dnnl_tensor *whole)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_dnnl_value *part = &b->values[node->in[i]];

        if (b->frame->program->concat_of[node->in[i]] != b->node || !part->is_known)
            return false;
    }
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_dnnl_value *part = &b->values[node->in[i]];
        struct bp_dnnl_tensor slot;
        bool is_set;

        for (uint32_t k = 0; k < part->n_tensors; k++) {
            *whole = part->tensors[k];
            if (is_blocked_layout(&whole->md) && whole->location.kind == BP_DNNL_SCRATCH &&
                bp_dnnl_concat_slot(b, node->in[i], &whole->md, &slot, &is_set, NULL) >= 0 &&
                is_set && bp_dnnl_same_location(&slot.location, &whole->location)) {
                whole->location.offset -= (size_t)channels_before(b, node, node->in[i], &slot.md) *
                                          bytes_of_channel(&slot.md);
                return true;
            }
        }
    }
    return false;
}

/* Neighbours first: then nothing has to be moved at all. */
void bp_dnnl_concat_buffer(struct bp_dnnl_builder *b, const bp_node *node,
                           struct bp_dnnl_tensor *whole, bool *is_set)
{
    const struct bp_dnnl_value *first = &b->values[node->in[0]];

    *is_set = false;
    if (!concatenates_channels(b->graph, node))
        return;
    for (uint32_t i = 0; i < first->n_tensors && !*is_set; i++)
        *is_set = are_neighbours(b, node, &first->tensors[i], whole);
    if (!*is_set)
        *is_set = is_begun(b, node, whole);
}
