/* SPDX-License-Identifier: MIT */
/*
 * tensor.c - element type, size and bytes of a TensorProto.
 *
 * Data is in raw_data (little-endian) or in one of the typed fields (float_data, int32_data...),
 * which may be packed or have a tag before each element. Bytes are used in place whenever they
 * already have the right layout.
 */

#include "config.h"

#include "model/tensor.h"

#include "model/external.h"

/* Elements are used in place, and ONNX files are little-endian. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "needs a little-endian machine");

/* The typed field for elements of a type, when they are not in raw_data (onnx.proto). */
static const uint8_t typed_fields[BP_DTYPE_END] = {
    [BP_DTYPE_F32] = BP_TENSOR_FLOAT_DATA,      [BP_DTYPE_C64] = BP_TENSOR_FLOAT_DATA,
    [BP_DTYPE_F64] = BP_TENSOR_DOUBLE_DATA,     [BP_DTYPE_C128] = BP_TENSOR_DOUBLE_DATA,
    [BP_DTYPE_I64] = BP_TENSOR_INT64_DATA,      [BP_DTYPE_U32] = BP_TENSOR_UINT64_DATA,
    [BP_DTYPE_U64] = BP_TENSOR_UINT64_DATA,     [BP_DTYPE_STRING] = BP_TENSOR_STRING_DATA,
    [BP_DTYPE_U8] = BP_TENSOR_INT32_DATA,       [BP_DTYPE_I8] = BP_TENSOR_INT32_DATA,
    [BP_DTYPE_U16] = BP_TENSOR_INT32_DATA,      [BP_DTYPE_I16] = BP_TENSOR_INT32_DATA,
    [BP_DTYPE_I32] = BP_TENSOR_INT32_DATA,      [BP_DTYPE_BOOL] = BP_TENSOR_INT32_DATA,
    [BP_DTYPE_F16] = BP_TENSOR_INT32_DATA,      [BP_DTYPE_BF16] = BP_TENSOR_INT32_DATA,
    [BP_DTYPE_F8E4M3FN] = BP_TENSOR_INT32_DATA, [BP_DTYPE_F8E4M3FNUZ] = BP_TENSOR_INT32_DATA,
    [BP_DTYPE_F8E5M2] = BP_TENSOR_INT32_DATA,   [BP_DTYPE_F8E5M2FNUZ] = BP_TENSOR_INT32_DATA,
    [BP_DTYPE_U4] = BP_TENSOR_INT32_DATA,       [BP_DTYPE_I4] = BP_TENSOR_INT32_DATA,
    [BP_DTYPE_F4E2M1] = BP_TENSOR_INT32_DATA,   [BP_DTYPE_F8E8M0] = BP_TENSOR_INT32_DATA,
    [BP_DTYPE_U2] = BP_TENSOR_INT32_DATA,       [BP_DTYPE_I2] = BP_TENSOR_INT32_DATA,
};

/* State while a typed field is converted: elements of `unit` bytes are written to `to`. */
struct reader {
    enum bp_field_kind kind;
    const char *field;
    uint32_t dtype;
    size_t unit; /* bytes; types under 8 bits are stored as packed bytes, complex ones as pairs */
    uint8_t *to, *end;
};

/* ---- identity -------------------------------------------------------------------------------- */

/* A round of splitmix64's finaliser: every input bit affects every output bit. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

uint64_t bp_file_part_id(uint64_t file_id, uint64_t offset, uint64_t size)
{
    return mix(mix(mix(0, file_id), offset), size);
}

/*
 * Bytes of a mapped file have an id that is the same in other sessions of that file, so providers
 * share packed weights; other bytes are identified by address and the model's salt.
 */
uint64_t bp_source_id(const struct bp_source *source, const void *p, size_t n)
{
    uintptr_t address = (uintptr_t)p, begin = (uintptr_t)source->file.data;

    if (source->file.file_id != 0 && address >= begin && address - begin < source->file.size)
        return bp_file_part_id(source->file.file_id, address - begin, n);
    return mix(mix(mix(1, source->salt), address), n);
}

/* ---- type and sizes -------------------------------------------------------------------------- */

/* The product of dims is checked for overflow before anything is allocated. */
bp_rc bp_tensor_proto_check(const Bp__TensorProto *proto, size_t *out, bp_err *err)
{
    uint32_t dtype = (uint32_t)proto->data_type;

    if (proto->data_type <= BP_DTYPE_NONE || proto->data_type >= BP_DTYPE_END)
        return bp_fail_dtype(err, "its data_type", proto->data_type);
    if (proto->n_dims > BP_MAX_RANK)
        return bp_fail(err, BP_E_INVALID, "its rank %zu is over %d", proto->n_dims, BP_MAX_RANK);
    for (size_t i = 0; i < proto->n_dims; i++) {
        if (proto->dims[i] < 0)
            return bp_fail(err, BP_E_INVALID, "its size %lld in dimension %zu is negative",
                           (long long)proto->dims[i], i);
    }

    if (!bp_dense_bytes(dtype, proto->dims, (uint32_t)proto->n_dims, out))
        return bp_fail(err, BP_E_INVALID, "its sizes multiply to more than memory can hold");
    return BP_OK;
}

/* Kernels read bool as 0 or 1; another byte would give results that depend on the kernel. */
bp_rc bp_check_bools(const struct bp_ir_data *data, bp_err *err)
{
    if (data->dtype != BP_DTYPE_BOOL)
        return BP_OK;
    for (size_t i = 0; i < data->size; i++) {
        if (data->bytes[i] > 1)
            return bp_fail(err, BP_E_INVALID, "element %zu is %u, which is not a bool", i,
                           data->bytes[i]);
    }
    return BP_OK;
}

/* ---- elements of the typed fields ------------------------------------------------------------ */

/* One element: a varint, or 4 or 8 bytes. NULL: the data ends within it. */
static const uint8_t *next_element(const uint8_t *p, const uint8_t *end, enum bp_field_kind kind,
                                   uint64_t *out)
{
    size_t width = kind == BP_FIELD_FLOATS ? 4 : 8;

    if (kind == BP_FIELD_INTS)
        return bp_wire_varint(p, end, out);
    if ((size_t)(end - p) < width)
        return NULL;
    *out = 0;
    memcpy(out, p, width);
    return p + width;
}

/*
 * int32_data also holds uint8, uint16 and bit patterns of float16; writers store these signed or
 * unsigned, so both ranges are accepted.
 */
static bool fits(uint64_t element, const struct reader *reader)
{
    int64_t value = (int64_t)element;
    unsigned bits = (unsigned)reader->unit * 8;

    if (reader->kind != BP_FIELD_INTS || bits >= 64)
        return true;
    return value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << bits;
}

/* Elements with a tag before each are not packed, as proto2 writers produce them. */
static bp_rc read_chunk(struct reader *reader, const struct bp_chunk *chunk, bp_err *err)
{
    const uint8_t *p = chunk->data, *end = p + chunk->size;
    uint64_t element = 0;

    while (p < end) {
        if (chunk->is_tagged)
            p = bp_wire_varint(p, end, &element);
        if (p)
            p = next_element(p, end, reader->kind, &element);
        if (!p)
            return bp_fail(err, BP_E_INVALID, "its %s ends within a number", reader->field);
        if (reader->to == reader->end)
            return bp_fail(err, BP_E_INVALID, "its %s has more elements than its dims",
                           reader->field);
        if (!fits(element, reader))
            return bp_fail(err, BP_E_INVALID, "its %s has %lld, which is out of range of %s",
                           reader->field, (long long)element, bp_dtype_name(reader->dtype));
        memcpy(reader->to, &element, reader->unit);
        reader->to += reader->unit;
    }
    return BP_OK;
}

/* Chunk i of a tensor if it belongs to `field`, else NULL. */
static const struct bp_chunk *chunk_of(const Bp__TensorProto *proto, const struct bp_source *source,
                                       size_t i, uint32_t field)
{
    const struct bp_chunk *chunk;

    if (proto->chunk[i] >= source->n_chunks)
        return NULL;
    chunk = &source->chunks[proto->chunk[i]];
    return chunk->field == field ? chunk : NULL;
}

/* Uses the bytes in place, or a copy in the region: see bp_dtype_is_copied(). */
static bp_rc use_chunk(const struct bp_chunk *chunk, const struct bp_source *source,
                       struct bp_region *region, struct bp_ir_data *out, bp_err *err)
{
    uintptr_t map = bp_bytes_is_file(&source->file) ? (uintptr_t)source->file.map : 0,
              at = (uintptr_t)chunk->data;
    uint8_t *copy;

    out->bytes = chunk->data;
    /* data that the application replaced is not in the mapped file */
    if (map == 0 || at < map || at - map >= source->file.size)
        return BP_OK;
    if (!bp_dtype_is_copied(out->dtype)) {
        out->mapped = out->bytes;
        return BP_OK;
    }
    copy = bp_region_alloc(region, out->size);
    if (!copy)
        return bp_fail_nomem(err, "its data");
    memcpy(copy, chunk->data, out->size);
    out->bytes = copy;
    return BP_OK;
}

/* Converts typed data to dense bytes in the region. */
static bp_rc gather(const Bp__TensorProto *proto, const struct bp_source *source,
                    struct reader *reader, uint32_t field, struct bp_region *region,
                    struct bp_ir_data *out, bp_err *err)
{
    uint8_t *bytes = bp_region_alloc(region, out->size);
    bp_rc rc = BP_OK;

    if (!bytes)
        return bp_fail_nomem(err, "its data");
    reader->to = bytes;
    reader->end = bytes + out->size;
    for (size_t i = 0; i < proto->n_chunk && rc >= 0; i++) {
        const struct bp_chunk *chunk = chunk_of(proto, source, i, field);

        if (chunk)
            rc = read_chunk(reader, chunk, err);
    }
    if (rc >= 0 && reader->to != reader->end)
        rc = bp_fail(err, BP_E_INVALID, "its %s has %zu elements where its dims need %zu",
                     reader->field, (size_t)(reader->to - bytes) / reader->unit,
                     out->size / reader->unit);
    out->bytes = bytes;
    return rc;
}

/* Used in place if it is one packed run of floats or doubles, else converted. */
static bp_rc read_typed(const Bp__TensorProto *proto, const struct bp_source *source,
                        struct bp_region *region, struct bp_ir_data *out, bp_err *err)
{
    uint32_t number = typed_fields[out->dtype];
    const struct bp_field *field = bp_field_find(BP_MSG_TENSOR, number);
    struct reader reader = {field->kind, field->name, out->dtype, 0, NULL, NULL};
    const struct bp_chunk *first = NULL;
    size_t n = 0, stored = 0;

    reader.unit = field->kind == BP_FIELD_FLOATS    ? 4
                  : field->kind == BP_FIELD_DOUBLES ? 8
                                                    : (bp_dtype_width(out->dtype) + 7) / 8;
    for (size_t i = 0; i < proto->n_chunk; i++) {
        const struct bp_chunk *chunk = chunk_of(proto, source, i, number);

        if (!chunk)
            continue;
        first = first ? first : chunk;
        stored += chunk->size;
        n++;
    }
    if (first)
        out->id = bp_source_id(source, first->data, first->size);
    if (n == 1 && !first->is_tagged && field->kind != BP_FIELD_INTS && stored == out->size)
        return use_chunk(first, source, region, out, err);
    /* an element takes at least a byte: don't allocate for data that can't be there */
    if (out->size / reader.unit > stored)
        return bp_fail(err, BP_E_INVALID, "its dims need %zu bytes, its %s has %zu", out->size,
                       field->name, stored);
    return gather(proto, source, &reader, number, region, out, err);
}

/* string_data alone holds strings; raw_data of strings is invalid. */
static bp_rc read_strings(const Bp__TensorProto *proto, const struct bp_source *source,
                          struct bp_region *region, struct bp_ir_data *out, bp_err *err)
{
    size_t n = out->size / sizeof(bp_span);
    bp_span *spans;

    if (proto->n_string_data != n)
        return bp_fail(err, BP_E_INVALID,
                       "its string_data has %zu elements where its dims need %zu",
                       proto->n_string_data, n);
    spans = bp_region_array(region, n, sizeof *spans);
    if (!spans)
        return bp_fail_nomem(err, "its strings");
    for (size_t i = 0; i < n; i++) {
        spans[i].data =
            proto->string_data[i].data ? proto->string_data[i].data : (const uint8_t *)"";
        spans[i].size = proto->string_data[i].len;
    }
    out->bytes = (const uint8_t *)spans;
    out->id = bp_source_id(source, n > 0 ? (const void *)proto->string_data : proto, n);
    return BP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The last raw_data counts, as protobuf says of any singular field that comes twice. */
static const struct bp_chunk *find_raw(const Bp__TensorProto *proto, const struct bp_source *source)
{
    /* the last one counts, as for any protobuf field that comes twice */
    for (size_t i = proto->n_chunk; i-- > 0;) {
        const struct bp_chunk *chunk = chunk_of(proto, source, i, BP_TENSOR_RAW_DATA);

        if (chunk)
            return chunk;
    }
    return NULL;
}

static bp_rc read_raw(const struct bp_chunk *raw, const struct bp_source *source,
                      struct bp_region *region, struct bp_ir_data *out, bp_err *err)
{
    if (out->dtype == BP_DTYPE_STRING)
        return bp_fail(err, BP_E_INVALID, "it is of strings and has raw_data");
    if (raw->size != out->size)
        return bp_fail(err, BP_E_INVALID, "its raw_data has %zu bytes where its dims need %zu",
                       raw->size, out->size);
    out->id = bp_source_id(source, raw->data, raw->size);
    return use_chunk(raw, source, region, out, err);
}

/* Type and sizes were compared when the model was opened. */
static void read_given(const Bp__TensorProto *proto, const struct bp_source *source,
                       struct bp_ir_data *out)
{
    const bp_tensor *tensor = &source->given[proto->given - 1];

    out->bytes =
        out->size > 0 ? (const uint8_t *)tensor->base + tensor->offset : (const uint8_t *)"";
    out->id = bp_source_id(source, out->size > 0 ? (const void *)out->bytes : proto, out->size);
}

/* Order: given by the application, external, raw_data, typed field. */
static bp_rc read_data(const Bp__TensorProto *proto, const struct bp_source *source,
                       struct bp_region *region, struct bp_ir_data *out, bp_err *err)
{
    const struct bp_chunk *raw = find_raw(proto, source);
    bp_rc rc = bp_tensor_proto_check(proto, &out->size, err);

    if (rc < 0)
        return rc;
    out->dtype = (uint32_t)proto->data_type;
    out->rank = (uint32_t)proto->n_dims;
    out->dims = proto->dims;
    if (proto->given > 0) {
        read_given(proto, source, out);
        return bp_check_bools(out, err);
    }
    if (proto->data_location == BP_TENSOR_EXTERNAL)
        return bp_external_read(proto, source, region, out, err);

    /* some writers put an empty raw_data next to typed data */
    if (raw && (raw->size > 0 || proto->n_chunk == 1))
        rc = read_raw(raw, source, region, out, err);
    else if (out->dtype == BP_DTYPE_STRING)
        rc = read_strings(proto, source, region, out, err);
    else
        rc = read_typed(proto, source, region, out, err);
    if (rc < 0)
        return rc;
    return bp_check_bools(out, err);
}

bp_rc bp_tensor_proto_read(const Bp__TensorProto *proto, const struct bp_source *source,
                           struct bp_region *region, struct bp_ir_data *out, bp_err *err)
{
    bp_rc rc;

    memset(out, 0, sizeof *out);
    rc = read_data(proto, source, region, out, err);
    if (rc >= 0)
        return rc;
    return bp_fail_in(err, rc, "tensor '%.80s'", bp_text_or_empty(proto->name));
}
