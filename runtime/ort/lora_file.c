/* SPDX-License-Identifier: MIT */
/*
 * lora_file.c - a FlatBuffer, read with every offset checked: numbers are little-endian, a table
 * begins with the distance back to its list of fields, strings and lists with their length.
 */

#include "config.h"

#include "ort/lora_file.h"

#include <string.h>

#include "ort/status.h"

enum { FORMAT_VERSION = 1 };

/* Fields, in the order of the schema. */
enum { ADAPTER_FORMAT_VERSION = 0, ADAPTER_PARAMETERS = 3 };
enum { PARAMETER_NAME, PARAMETER_DIMS, PARAMETER_TYPE, PARAMETER_DATA };

/* ---- the format ------------------------------------------------------------------------------ */

static uint32_t load(const uint8_t *bytes, unsigned n)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < n; i++)
        value |= (uint32_t)bytes[i] << (8 * i);
    return value;
}

/* n bytes at `at`; false: they are not all in the file. */
static bool has(const struct ort_lora_file *file, size_t at, size_t n)
{
    return at <= file->size && n <= file->size - at;
}

static bool read32(const struct ort_lora_file *file, size_t at, uint32_t *out)
{
    if (!has(file, at, 4))
        return false;
    *out = load(file->bytes + at, 4);
    return true;
}

/* Where a field of the table is, 0 when it is left out; false: the table is broken. */
static bool find_field(const struct ort_lora_file *file, size_t table, unsigned field, size_t *out)
{
    uint32_t back, length, offset;
    int64_t fields;

    *out = 0;
    if (!read32(file, table, &back))
        return false;
    fields = (int64_t)table - (int32_t)back;
    if (fields < 0 || !has(file, (size_t)fields, 4))
        return false;
    length = load(file->bytes + fields, 2);
    if (length < 4 || !has(file, (size_t)fields, length))
        return false;
    if (4 + 2 * (size_t)field + 2 > length)
        return true;
    offset = load(file->bytes + fields + 4 + 2 * (size_t)field, 2);
    if (offset == 0)
        return true;
    *out = table + offset;
    return has(file, *out, 4);
}

static bool read_int(const struct ort_lora_file *file, size_t table, unsigned field, int32_t *out)
{
    uint32_t value = 0;
    size_t at;

    if (!find_field(file, table, field, &at) || (at && !read32(file, at, &value)))
        return false;
    *out = (int32_t)value;
    return true;
}

/* A list of things of `width` bytes: where the first is, and how many; 0 where it is left out. */
static bool read_list(const struct ort_lora_file *file, size_t table, unsigned field, size_t width,
                      size_t *first, uint32_t *n)
{
    uint32_t offset;
    size_t at;

    *first = 0;
    *n = 0;
    if (!find_field(file, table, field, &at))
        return false;
    if (!at)
        return true;
    if (!read32(file, at, &offset) || !has(file, at, offset) || !read32(file, at + offset, n))
        return false;
    *first = at + offset + 4;
    return *n <= (file->size - *first) / width;
}

/* ---- adapters -------------------------------------------------------------------------------- */

static OrtStatus *broken(const char *what)
{
    return ort_fail(ORT_FAIL,
                    "The buffer does not appear to be a valid lora parameter "
                    "format: %s",
                    what);
}

OrtStatus *ort_lora_open(const void *bytes, size_t size, struct ort_lora_file *out)
{
    struct ort_lora_file file = {.bytes = bytes, .size = size};
    int32_t version;
    uint32_t root;
    size_t first;

    if (size < 8 || memcmp(file.bytes + 4, "TORT", 4) != 0)
        return broken("it does not begin with the identifier of adapters");
    if (size > INT32_MAX) /* offsets reach no further */
        return broken("it is larger than 2 GiB");
    root = load(file.bytes, 4);
    if (!read_int(&file, root, ADAPTER_FORMAT_VERSION, &version))
        return broken("its table is outside of the file");
    if (version != FORMAT_VERSION)
        return ort_fail(ORT_FAIL,
                        "the adapter has format version %d, this runtime reads version %d", version,
                        (int)FORMAT_VERSION);
    if (!read_list(&file, root, ADAPTER_PARAMETERS, 4, &first, &file.n_parameters))
        return broken("its list of parameters is outside of the file");
    file.first = (uint32_t)first;
    *out = file;
    return NULL;
}

/* A name has a NUL behind it, and none within. */
static bool read_name(const struct ort_lora_file *file, size_t table, const char **out)
{
    uint32_t n;
    size_t first;

    if (!read_list(file, table, PARAMETER_NAME, 1, &first, &n) || n == 0 ||
        !has(file, first, (size_t)n + 1) ||
        memchr(file->bytes + first, 0, (size_t)n + 1) != file->bytes + first + n)
        return false;
    *out = (const char *)file->bytes + first;
    return true;
}

OrtStatus *ort_lora_parameter(const struct ort_lora_file *file, uint32_t i,
                              struct ort_lora_parameter *out)
{
    size_t at = file->first + 4 * (size_t)i, dims, data;
    uint32_t table, n_dims, n_bytes;

    if (!read32(file, at, &table) || !has(file, at, table))
        return broken("a parameter is outside of the file");
    at += table;
    if (!read_name(file, at, &out->name))
        return broken("a parameter has no name");
    if (!read_list(file, at, PARAMETER_DIMS, 8, &dims, &n_dims) ||
        !read_list(file, at, PARAMETER_DATA, 1, &data, &n_bytes) ||
        !read_int(file, at, PARAMETER_TYPE, &out->type))
        return ort_fail(ORT_FAIL, "adapter parameter '%s' is outside of the file", out->name);
    out->dims = file->bytes + dims;
    out->data = file->bytes + data;
    out->n_dims = n_dims;
    out->n_bytes = n_bytes;
    return NULL;
}
