/* SPDX-License-Identifier: MIT */
/*
 * builder.c - values of a frame in the making: in which layouts they exist, and where.
 *
 * Steps are added in the order in which they will run. Memory of scratch is an item of the arena,
 * live from the step that was next when it was made to the last one that takes it as an argument.
 */

#include "onednn.h"

bool bp_dnnl_is_constant(const struct bp_dnnl_builder *b, uint32_t value)
{
    return BP_VALUE(b->graph, value)->flags & BP_VALUE_CONSTANT || b->values[value].rows;
}

dnnl_data_type_t bp_dnnl_host_type(const bp_graph *graph, uint32_t value)
{
    switch (BP_VALUE(graph, value)->dtype) {
    case BP_DTYPE_F32:
        return dnnl_f32;
    case BP_DTYPE_F16:
        return dnnl_f16;
    case BP_DTYPE_I32:
        return dnnl_s32;
    case BP_DTYPE_I8:
        return dnnl_s8;
    case BP_DTYPE_U8:
        return dnnl_u8;
    default:
        return dnnl_data_type_undef;
    }
}

dnnl_data_type_t bp_dnnl_inner_type(const bp_graph *graph, uint32_t value)
{
    dnnl_data_type_t type = bp_dnnl_host_type(graph, value);

    return type == dnnl_f16 ? dnnl_f32 : type;
}

dnnl_data_type_t bp_dnnl_compute_type(const struct bp_dnnl_builder *b)
{
    return b->instance->uses_bf16 ? dnnl_bf16 : dnnl_f32;
}

dnnl_data_type_t bp_dnnl_result_type(const struct bp_dnnl_builder *b, uint32_t value,
                                     dnnl_data_type_t type)
{
    return BP_VALUE(b->graph, value)->flags & BP_VALUE_OUTPUT ? dnnl_f32 : type;
}

dnnl_data_type_t bp_dnnl_current_type(const struct bp_dnnl_builder *b, uint32_t value)
{
    const struct bp_dnnl_value *v = &b->values[value];

    return v->n_tensors > 0 ? v->tensors[0].md.data_type : bp_dnnl_inner_type(b->graph, value);
}

void bp_dnnl_use_one_thread(struct bp_dnnl_builder *b, bool is_single_thread)
{
    b->is_single_thread = is_single_thread;
    if (b->frame->threads > 1)
        bp_dnnl.set_num_threads(is_single_thread ? 1 : (int)b->frame->threads);
}

/* What the host reads and writes. */
static bool is_host_layout(const struct bp_dnnl_builder *b, uint32_t value,
                           const dnnl_memory_desc_t *md)
{
    return md->data_type == bp_dnnl_host_type(b->graph, value) && bp_dnnl_is_row_major(md);
}

/* Room for one more item. */
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

/* A new item for md, with so many reads to come. */
static bp_rc add_item(struct bp_dnnl_builder *b, const dnnl_memory_desc_t *md, uint32_t uses,
                      struct bp_dnnl_tensor *out, bp_err *err)
{
    if (b->n_items == b->items_cap && !grow_items(b))
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory to plan %u buffers", b->n_items);
    b->items[b->n_items] = (bp_arena_item){
        .bytes = bp_dnnl.memory_desc_get_size(md), .first = b->n_steps, .last = b->n_steps};
    b->item_uses[b->n_items] = uses;
    out->md = *md;
    out->location = (struct bp_dnnl_location){.kind = BP_DNNL_SCRATCH, .index = b->n_items++};
    return BP_OK;
}

bp_rc bp_dnnl_temporary(struct bp_dnnl_builder *b, const dnnl_memory_desc_t *md,
                        struct bp_dnnl_tensor *out, bp_err *err)
{
    return add_item(b, md, 0, out, err);
}

/* The value exists in one more layout; the oldest but one is forgotten if there are too many. */
static void add_tensor(struct bp_dnnl_value *value, const struct bp_dnnl_tensor *tensor)
{
    if (value->n_tensors == 2)
        value->n_tensors = 1;
    value->tensors[value->n_tensors++] = *tensor;
}

void bp_dnnl_view(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                  struct bp_dnnl_location location)
{
    struct bp_dnnl_tensor tensor = {.md = *md, .location = location};

    if (location.kind == BP_DNNL_SCRATCH)
        b->item_uses[location.index] += b->values[value].uses_left;
    add_tensor(&b->values[value], &tensor);
}

/* The index of a group's output, or BP_NONE. */
static uint32_t output_index(const struct bp_dnnl_builder *b, uint32_t value)
{
    for (uint32_t i = 0; i < b->graph->n_outputs; i++) {
        if (b->graph->outputs[i] == value)
            return i;
    }
    return BP_NONE;
}

bp_rc bp_dnnl_make_output(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                          struct bp_dnnl_tensor *out, bp_err *err)
{
    uint32_t output =
        BP_VALUE(b->graph, value)->flags & BP_VALUE_OUTPUT ? output_index(b, value) : BP_NONE;
    bool has_concat_buffer = false;
    bp_rc rc;

    if (output != BP_NONE && is_host_layout(b, value, md)) {
        out->md = *md;
        out->location = (struct bp_dnnl_location){.kind = BP_DNNL_OUTPUT, .index = output};
        add_tensor(&b->values[value], out);
        return BP_OK;
    }
    rc = bp_dnnl_concat_slot(b, value, md, out, &has_concat_buffer, err);
    if (rc >= 0 && has_concat_buffer) {
        bp_dnnl_view(b, value, &out->md, out->location);
        return BP_OK;
    }
    if (rc >= 0)
        rc = add_item(b, md, b->values[value].uses_left, out, err);
    if (rc >= 0)
        add_tensor(&b->values[value], out);
    return rc;
}

bool bp_dnnl_may_overwrite(const struct bp_dnnl_builder *b, const struct bp_dnnl_tensor *tensor)
{
    return tensor->location.kind == BP_DNNL_SCRATCH && b->item_uses[tensor->location.index] == 1;
}

bp_rc bp_dnnl_make_in_place(struct bp_dnnl_builder *b, uint32_t value, uint32_t from,
                            const struct bp_dnnl_tensor *on, struct bp_dnnl_tensor *out,
                            bp_err *err)
{
    bool is_output = BP_VALUE(b->graph, value)->flags & BP_VALUE_OUTPUT, has_concat_buffer;
    bp_rc rc = bp_dnnl_concat_slot(b, value, &on->md, out, &has_concat_buffer, err);

    if (rc < 0)
        return rc;
    if (has_concat_buffer || !bp_dnnl_may_overwrite(b, on) ||
        (is_output && is_host_layout(b, value, &on->md)))
        return bp_dnnl_make_output(b, value, &on->md, out, err);
    b->values[from].n_tensors = 0; /* what it was in other layouts has no reader either */
    b->item_uses[on->location.index]--;
    *out = *on;
    bp_dnnl_view(b, value, &on->md, on->location);
    return BP_OK;
}

/* The value's form in that very layout, or NULL. */
static const struct bp_dnnl_tensor *find_tensor(const struct bp_dnnl_value *value,
                                                const dnnl_memory_desc_t *want)
{
    for (uint32_t i = 0; i < value->n_tensors; i++) {
        if (!want || bp_dnnl_same_layout(&value->tensors[i].md, want))
            return &value->tensors[i];
    }
    return NULL;
}

/* A row-major form whose strides of dimensions of size 1 are others than those of `want`. */
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

static bp_rc constant_tensor(struct bp_dnnl_builder *b, uint32_t value,
                             const dnnl_memory_desc_t *want, struct bp_dnnl_tensor *out,
                             bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    dnnl_memory_desc_t row_major;

    bp_dnnl_row_major_as(v->rank, v->dims, bp_dnnl_inner_type(b->graph, value), &row_major);
    return bp_dnnl_weights(b, value, &row_major, want ? want : &row_major, out, err);
}

bp_rc bp_dnnl_tensor_of(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *want,
                        struct bp_dnnl_tensor *out, bp_err *err)
{
    struct bp_dnnl_value *v = &b->values[value];
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
    rc = add_item(b, want, v->uses_left, out, err);
    if (rc >= 0)
        rc = bp_dnnl_reorder(b, &from, out, err);
    if (rc >= 0)
        add_tensor(v, out);
    return rc;
}

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
