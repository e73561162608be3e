/* SPDX-License-Identifier: MIT */
/*
 * builder.c - scratch buffers of a frame in the making, and the tensors in which its values exist.
 */

#include "build/builder.h"

#include "base/library.h"
#include "build/frame.h"

bool bp_dnnl_is_constant(const struct bp_dnnl_builder *b, uint32_t value)
{
    return BP_VALUE(b->graph, value)->flags & BP_VALUE_CONSTANT || b->values[value].quantized;
}

/* oneDNN reads OpenMP's number of threads when a primitive is described and made. */
void bp_dnnl_use_one_thread(struct bp_dnnl_builder *b, bool is_single_thread)
{
    b->is_single_thread = is_single_thread;
    if (b->frame->threads > 1)
        bp_dnnl.set_num_threads(is_single_thread ? 1 : (int)b->frame->threads);
}

/* Doubles both arrays. The old ones stay in the frame's memory, as all of it is freed together. */
static bool grow_items(struct bp_dnnl_builder *b)
{
    uint32_t cap = b->items_cap ? b->items_cap * 2 : 64;
    bp_arena_item *items = bp_blocks_array(b->memory, cap, sizeof *items);
    uint32_t *uses = bp_blocks_array(b->memory, cap, sizeof *uses);

    if (!items || !uses)
        return false;
    if (b->n_items > 0) {
        memcpy(items, b->items, b->n_items * sizeof *items);
        memcpy(uses, b->item_uses, b->n_items * sizeof *uses);
    }
    b->items = items;
    b->item_uses = uses;
    b->items_cap = cap;
    return true;
}

/* Uses are 0 until a value is said to exist there; bp_dnnl_add_arg() makes it live longer. */
bp_rc bp_dnnl_temporary(struct bp_dnnl_builder *b, const dnnl_memory_desc_t *md,
                        struct bp_dnnl_tensor *out, bp_err *err)
{
    if (b->n_items == b->items_cap && !grow_items(b))
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory to plan %u buffers", b->n_items);
    b->items[b->n_items] = (bp_arena_item){
        .bytes = bp_dnnl.memory_desc_get_size(md), .first = b->n_steps, .last = b->n_steps};
    b->item_uses[b->n_items] = 0;
    out->md = *md;
    out->location = (struct bp_dnnl_location){.kind = BP_DNNL_SCRATCH, .index = b->n_items++};
    return BP_OK;
}

/*
 * The value exists in one more layout. Of two the second is forgotten: the first is the one that it
 * was made in, and the layout asked for last is likely to be asked for again.
 */
static void add_tensor(struct bp_dnnl_value *value, const struct bp_dnnl_tensor *tensor)
{
    if (value->n_tensors == 2)
        value->n_tensors = 1;
    value->tensors[value->n_tensors++] = *tensor;
}

/* Whoever will read the value reads that scratch buffer. */
void bp_dnnl_view(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                  struct bp_dnnl_location location)
{
    struct bp_dnnl_tensor tensor = {.md = *md, .location = location};

    if (location.kind == BP_DNNL_SCRATCH)
        b->item_uses[location.index] += b->values[value].uses_left;
    add_tensor(&b->values[value], &tensor);
}

/* The one use that is left is the current node's: count_reads() comes after it. */
bool bp_dnnl_may_overwrite(const struct bp_dnnl_builder *b, const struct bp_dnnl_tensor *tensor)
{
    return tensor->location.kind == BP_DNNL_SCRATCH && b->item_uses[tensor->location.index] == 1;
}
