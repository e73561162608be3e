/* SPDX-License-Identifier: MIT */
/* write_value.c - tensors and types in ONNX Runtime's own format. */

#include "config.h"

#include "graph/infer.h"
#include "model/ort_format/writer.h"

/* ---- tensors --------------------------------------------------------------------------------- */

/* A vector of offsets to strings. */
static void put_strings(struct bp_ort_writer *w, uint32_t at, const bp_span *strings, size_t n)
{
    uint32_t first = bp_flat_put_list(&w->out, at, n, 4);

    for (size_t i = 0; i < n && !w->out.failed; i++)
        bp_flat_put_text(&w->out, first + (uint32_t)i * 4, strings[i].data, strings[i].size);
}

/* The data is not copied: it is written to the sink from where it is. */
void bp_ort_put_tensor(struct bp_ort_writer *w, uint32_t at, const char *name, uint32_t dtype,
                       const int64_t *dims, uint32_t rank, const void *data, size_t size)
{
    bool is_text = dtype == BP_DTYPE_STRING;
    struct bp_flat_slot slots[] = {
        bp_ort_child(&bp_ort_tensor_name), bp_ort_child(&bp_ort_tensor_dims),
        bp_ort_scalar(&bp_ort_tensor_type, 4, dtype),
        bp_ort_child(is_text ? &bp_ort_tensor_strings : &bp_ort_tensor_raw)};
    uint32_t first;

    bp_flat_put_table(&w->out, at, slots, 4);
    bp_ort_put_string(w, slots[0].at, name);
    first = bp_flat_put_list(&w->out, slots[1].at, rank, 8);
    bp_flat_set(&w->out, first, dims, rank * sizeof *dims);
    if (is_text)
        put_strings(w, slots[3].at, data, size / sizeof(bp_span));
    else
        bp_flat_put_blob(&w->out, slots[3].at, data, size);
}

/* ---- types ----------------------------------------------------------------------------------- */

/* A symbol that inference made has no name, so that dimension is unknown in the file. */
static void put_dim(struct bp_ort_writer *w, uint32_t at, struct bp_sym dim)
{
    bool is_named = !bp_sym_known(dim) && !bp_symbols_is_nameless(&w->symbols, dim);
    struct bp_flat_slot whole = bp_ort_child(&bp_ort_dim_value);
    struct bp_flat_slot slots[] = {
        bp_ort_scalar(&bp_ort_dim_value_type, 1,
                      bp_sym_known(dim) ? BP_ORT_DIM_VALUE
                      : is_named        ? BP_ORT_DIM_PARAM
                                        : 0),
        is_named ? bp_ort_child(&bp_ort_dim_value_param)
                 : bp_ort_scalar(&bp_ort_dim_value_value, 8,
                                 bp_sym_known(dim) ? (uint64_t)dim.value : 0)};

    bp_flat_put_table(&w->out, at, &whole, 1);
    bp_flat_put_table(&w->out, whole.at, slots, 2);
    if (is_named)
        bp_ort_put_string(w, slots[1].at, bp_symbols_name(&w->symbols, dim));
}

/* No shape field means unknown rank. */
static void put_tensor_type(struct bp_ort_writer *w, uint32_t at, const struct bp_fact *fact)
{
    struct bp_flat_slot slots[] = {bp_ort_scalar(&bp_ort_tensor_type_element, 4, fact->dtype),
                                   bp_ort_child(&bp_ort_tensor_type_shape)};
    struct bp_flat_slot dims = bp_ort_child(&bp_ort_shape_dims);
    bool has_shape = fact->rank != BP_RANK_UNKNOWN;
    uint32_t first;

    bp_flat_put_table(&w->out, at, slots, has_shape ? 2 : 1);
    if (!has_shape)
        return;
    bp_flat_put_table(&w->out, slots[1].at, &dims, 1);
    first = bp_flat_put_list(&w->out, dims.at, fact->rank, 4);
    for (uint32_t i = 0; i < fact->rank; i++)
        put_dim(w, first + i * 4, fact->dims[i]);
}

/* The member of the TypeInfo union; 0: the format has none for it, or the type is unknown. */
static uint8_t kind_of(const struct bp_fact *fact)
{
    switch (fact->kind) {
    case BP_KIND_TENSOR:
        return fact->dtype != BP_DTYPE_NONE ? BP_ORT_TENSOR_TYPE : 0;
    case BP_KIND_SEQUENCE:
        return fact->item && kind_of(fact->item) ? BP_ORT_SEQUENCE_TYPE : 0;
    case BP_KIND_MAP:
        return fact->item && kind_of(&fact->item[1]) ? BP_ORT_MAP_TYPE : 0;
    default:
        return 0;
    }
}

/* Recursive; the reader of models bounded the depth. */
static void put_type(struct bp_ort_writer *w, uint32_t at, const struct bp_fact *fact)
{
    uint8_t kind = kind_of(fact);
    struct bp_flat_slot slots[] = {bp_ort_scalar(&bp_ort_type_which, 1, kind),
                                   bp_ort_child(&bp_ort_type_value)};
    struct bp_flat_slot inner[] = {bp_ort_child(&bp_ort_sequence_element),
                                   bp_ort_child(&bp_ort_map_value)};

    bp_flat_put_table(&w->out, at, slots, 2);
    if (kind == BP_ORT_TENSOR_TYPE) {
        put_tensor_type(w, slots[1].at, fact);
    } else if (kind == BP_ORT_SEQUENCE_TYPE) {
        bp_flat_put_table(&w->out, slots[1].at, inner, 1);
        put_type(w, inner[0].at, fact->item);
    } else {
        inner[0] = bp_ort_scalar(&bp_ort_map_key, 4, fact->item[0].dtype);
        bp_flat_put_table(&w->out, slots[1].at, inner, 2);
        put_type(w, inner[1].at, &fact->item[1]);
    }
}

/* Without a type the value has only its name; ONNX Runtime infers the type then. */
void bp_ort_put_value(struct bp_ort_writer *w, uint32_t at, const char *name,
                      const struct bp_fact *fact)
{
    struct bp_flat_slot slots[] = {bp_ort_child(&bp_ort_value_name),
                                   bp_ort_child(&bp_ort_value_type)};
    bool has_type = fact && kind_of(fact) != 0;

    bp_flat_put_table(&w->out, at, slots, has_type ? 2 : 1);
    bp_ort_put_string(w, slots[0].at, name);
    if (has_type)
        put_type(w, slots[1].at, fact);
}
