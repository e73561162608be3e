/* SPDX-License-Identifier: MIT */
/*
 * builder.c - values of a frame in the making: in which layouts they exist, and where.
 *
 * Steps are added in the order in which they will run. Memory of scratch is an item of the arena,
 * live from the step that was next when it was made to the last one that takes it as an argument.
 */

#include "onednn.h"

bool bp_dnnl_is_constant(const struct bp_dnnl_build *b, uint32_t value)
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

dnnl_data_type_t bp_dnnl_heavy_type(const struct bp_dnnl_build *b)
{
    return b->instance->uses_bf16 ? dnnl_bf16 : dnnl_f32;
}

dnnl_data_type_t bp_dnnl_result_type(const struct bp_dnnl_build *b, uint32_t value,
                                     dnnl_data_type_t type)
{
    return BP_VALUE(b->graph, value)->flags & BP_VALUE_OUTPUT ? dnnl_f32 : type;
}

dnnl_data_type_t bp_dnnl_type_of(const struct bp_dnnl_build *b, uint32_t value)
{
    const struct bp_dnnl_value *v = &b->values[value];

    return v->n_forms > 0 ? v->forms[0].md.data_type : bp_dnnl_inner_type(b->graph, value);
}

void bp_dnnl_go_alone(struct bp_dnnl_build *b, bool is_alone)
{
    b->is_alone = is_alone;
    if (b->frame->threads > 1)
        bp_dnnl.set_num_threads(is_alone ? 1 : (int)b->frame->threads);
}

/* What the host reads and writes. */
static bool is_hosts(const struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *md)
{
    return md->data_type == bp_dnnl_host_type(b->graph, value) && bp_dnnl_is_plain(md);
}

/* Room for one more item. */
static bool grow_items(struct bp_dnnl_build *b)
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
static bp_rc add_item(struct bp_dnnl_build *b, const dnnl_memory_desc_t *md, uint32_t uses,
                      struct bp_dnnl_form *out, bp_err *err)
{
    if (b->n_items == b->items_cap && !grow_items(b))
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory to plan %u buffers", b->n_items);
    b->items[b->n_items] = (bp_arena_item){
        .bytes = bp_dnnl.memory_desc_get_size(md), .first = b->n_steps, .last = b->n_steps};
    b->item_uses[b->n_items] = uses;
    out->md = *md;
    out->place = (struct bp_dnnl_place){.kind = BP_DNNL_ITEM, .index = b->n_items++};
    return BP_OK;
}

bp_rc bp_dnnl_temporary(struct bp_dnnl_build *b, const dnnl_memory_desc_t *md,
                        struct bp_dnnl_form *out, bp_err *err)
{
    return add_item(b, md, 0, out, err);
}

/* The value exists in one more layout; the oldest but one is forgotten if there are too many. */
static void note_form(struct bp_dnnl_value *value, const struct bp_dnnl_form *form)
{
    if (value->n_forms == 2)
        value->n_forms = 1;
    value->forms[value->n_forms++] = *form;
}

void bp_dnnl_view(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *md,
                  struct bp_dnnl_place place)
{
    struct bp_dnnl_form form = {.md = *md, .place = place};

    if (place.kind == BP_DNNL_ITEM)
        b->item_uses[place.index] += b->values[value].uses_left;
    note_form(&b->values[value], &form);
}

/* The index of a group's output, or BP_NONE. */
static uint32_t output_index(const struct bp_dnnl_build *b, uint32_t value)
{
    for (uint32_t i = 0; i < b->graph->n_outputs; i++) {
        if (b->graph->outputs[i] == value)
            return i;
    }
    return BP_NONE;
}

bp_rc bp_dnnl_make(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *md,
                   struct bp_dnnl_form *out, bp_err *err)
{
    uint32_t output =
        BP_VALUE(b->graph, value)->flags & BP_VALUE_OUTPUT ? output_index(b, value) : BP_NONE;
    bool is_joined = false;
    bp_rc rc;

    if (output != BP_NONE && is_hosts(b, value, md)) {
        out->md = *md;
        out->place = (struct bp_dnnl_place){.kind = BP_DNNL_OUTPUT, .index = output};
        note_form(&b->values[value], out);
        return BP_OK;
    }
    rc = bp_dnnl_join_place(b, value, md, out, &is_joined, err);
    if (rc >= 0 && is_joined) {
        bp_dnnl_view(b, value, &out->md, out->place);
        return BP_OK;
    }
    if (rc >= 0)
        rc = add_item(b, md, b->values[value].uses_left, out, err);
    if (rc >= 0)
        note_form(&b->values[value], out);
    return rc;
}

bool bp_dnnl_may_overwrite(const struct bp_dnnl_build *b, const struct bp_dnnl_form *form)
{
    return form->place.kind == BP_DNNL_ITEM && b->item_uses[form->place.index] == 1;
}

bp_rc bp_dnnl_make_on(struct bp_dnnl_build *b, uint32_t value, uint32_t from,
                      const struct bp_dnnl_form *on, struct bp_dnnl_form *out, bp_err *err)
{
    bool is_output = BP_VALUE(b->graph, value)->flags & BP_VALUE_OUTPUT, is_joined;
    bp_rc rc = bp_dnnl_join_place(b, value, &on->md, out, &is_joined, err);

    if (rc < 0)
        return rc;
    if (is_joined || !bp_dnnl_may_overwrite(b, on) || (is_output && is_hosts(b, value, &on->md)))
        return bp_dnnl_make(b, value, &on->md, out, err);
    b->values[from].n_forms = 0; /* what it was in other layouts has no reader either */
    b->item_uses[on->place.index]--;
    *out = *on;
    bp_dnnl_view(b, value, &on->md, on->place);
    return BP_OK;
}

/* The value's form in that very layout, or NULL. */
static const struct bp_dnnl_form *find_form(const struct bp_dnnl_value *value,
                                            const dnnl_memory_desc_t *want)
{
    for (uint32_t i = 0; i < value->n_forms; i++) {
        if (!want || bp_dnnl_same(&value->forms[i].md, want))
            return &value->forms[i];
    }
    return NULL;
}

/* A row-major form whose strides of dimensions of size 1 are others than those of `want`. */
static const struct bp_dnnl_form *find_plain(const struct bp_dnnl_value *value,
                                             const dnnl_memory_desc_t *want)
{
    if (!want || want->format_kind != dnnl_blocked || !bp_dnnl_is_plain(want))
        return NULL;
    for (uint32_t i = 0; i < value->n_forms; i++) {
        if (value->forms[i].md.data_type == want->data_type &&
            bp_dnnl_is_plain(&value->forms[i].md))
            return &value->forms[i];
    }
    return NULL;
}

static bp_rc constant_form(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *want,
                           struct bp_dnnl_form *out, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    dnnl_memory_desc_t plain;

    bp_dnnl_plain_as(v->rank, v->dims, bp_dnnl_inner_type(b->graph, value), &plain);
    return bp_dnnl_weights(b, value, &plain, want ? want : &plain, out, err);
}

bp_rc bp_dnnl_form_of(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *want,
                      struct bp_dnnl_form *out, bp_err *err)
{
    struct bp_dnnl_value *v = &b->values[value];
    const struct bp_dnnl_form *found;
    struct bp_dnnl_form from;
    bp_rc rc;

    if (bp_dnnl_is_constant(b, value))
        return constant_form(b, value, want, out, err);
    found = find_form(v, want);
    if (!found)
        found = find_plain(v, want);
    if (found) {
        *out = *found;
        if (want)
            out->md = *want;
        return BP_OK;
    }
    if (v->n_forms == 0) {
        return bp_fail(err, BP_E_INVALID, "dnnl: '%s' is read before a node has made it",
                       BP_VALUE(b->graph, value)->name);
    }
    from = v->forms[0];
    rc = add_item(b, want, v->uses_left, out, err);
    if (rc >= 0)
        rc = bp_dnnl_reorder(b, &from, out, err);
    if (rc >= 0)
        note_form(v, out);
    return rc;
}

bp_rc bp_dnnl_take_areas(struct bp_dnnl_build *b, uint32_t value, unsigned flags,
                         struct bp_dnnl_form *out, struct bp_dnnl_areas *areas, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    dnnl_memory_desc_t want;
    bool is_padded;
    bp_rc rc = bp_dnnl_form_of(b, value, NULL, out, err);

    if (rc < 0)
        return rc;
    want = out->md;
    if (flags & BP_DNNL_AREAS_F32)
        want.data_type = dnnl_f32;
    is_padded = flags & BP_DNNL_AREAS_WHOLE && want.padded_dims[1] != want.dims[1];
    if (is_padded || !bp_dnnl_see_areas(&want, areas)) {
        bp_dnnl_plain_as(v->rank, v->dims, want.data_type, &want);
        bp_dnnl_see_areas(&want, areas);
    }
    return bp_dnnl_form_of(b, value, &want, out, err);
}

bp_rc bp_dnnl_weights(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *seen,
                      const dnnl_memory_desc_t *want, struct bp_dnnl_form *out, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    struct bp_dnnl_form from;
    dnnl_memory_desc_t plain;
    bp_rc rc;

    if (bp_dnnl_is_constant(b, value)) {
        out->md = *want;
        out->place = (struct bp_dnnl_place){.kind = BP_DNNL_FIXED};
        return bp_dnnl_constant(b, value, seen, want, &out->place.fixed, err);
    }
    bp_dnnl_plain_as(v->rank, v->dims, bp_dnnl_type_of(b, value), &plain);
    rc = bp_dnnl_form_of(b, value, &plain, &from, err);
    from.md = *seen;
    from.md.data_type = plain.data_type;
    if (rc < 0 || bp_dnnl_same(&from.md, want)) {
        *out = from;
        return rc;
    }
    rc = bp_dnnl_temporary(b, want, out, err);
    return rc < 0 ? rc : bp_dnnl_reorder(b, &from, out, err);
}
