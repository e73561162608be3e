/* SPDX-License-Identifier: MIT */
/*
 * npy.c - reads .npy files as untrusted input and writes them in version 1.0.
 *
 * The format is that of numpy.lib.format (NEP 1): a magic string, the version, the header's length in
 * little-endian order, and the header, a Python dictionary with `descr`, `fortran_order` and `shape`.
 */

#include "config.h"

#include "values/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <bp/sdk.h>

enum {
    RANK_MAX = 64, /* as NumPy has it */
    MAGIC_SIZE = 6,
    ALIGNMENT = 64 /* of the data in a file, in bytes */
};

static const char magic[MAGIC_SIZE] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* Type codes without the byte-order mark. */
static const struct {
    char code[4];
    uint32_t dtype;
} types[] = {
    {"f4", BP_DTYPE_F32}, {"f8", BP_DTYPE_F64},   {"f2", BP_DTYPE_F16}, {"b1", BP_DTYPE_BOOL},
    {"i1", BP_DTYPE_I8},  {"i2", BP_DTYPE_I16},   {"i4", BP_DTYPE_I32}, {"i8", BP_DTYPE_I64},
    {"u1", BP_DTYPE_U8},  {"u2", BP_DTYPE_U16},   {"u4", BP_DTYPE_U32}, {"u8", BP_DTYPE_U64},
    {"c8", BP_DTYPE_C64}, {"c16", BP_DTYPE_C128}, {"u2", BP_DTYPE_BF16} /* for writing only */
};

/* The header's dictionary while it is read. */
struct head {
    const char *file;
    const char *at, *end;
    uint32_t dtype;
    bool has_descr, has_order, has_shape, is_fortran;
    uint32_t rank;
    int64_t dims[RANK_MAX];
};

bool npy_is(const unsigned char *bytes, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(bytes, magic, MAGIC_SIZE) == 0;
}

/*
 * BP_E_INVALID: the file contradicts the format. What is sound but not for us is
 * BP_E_UNSUPPORTED.
 */
static bp_rc malformed(const struct head *head, const char *what, bp_err *err)
{
    return bp_fail(err, BP_E_INVALID, "%s: not a sound .npy file: %s", head->file, what);
}

/*
 * Python's blanks within one line; NumPy pads with spaces and ends the header with a line feed.
 */
static void skip_blanks(struct head *head)
{
    while (head->at < head->end && (*head->at == ' ' || *head->at == '\n' || *head->at == '\t'))
        head->at++;
}

/* Takes the character c if it comes next. */
static bool take(struct head *head, char c)
{
    skip_blanks(head);
    if (head->at == head->end || *head->at != c)
        return false;
    head->at++;
    return true;
}

static bool take_word(struct head *head, const char *word)
{
    size_t length = strlen(word);

    skip_blanks(head);
    if ((size_t)(head->end - head->at) < length || memcmp(head->at, word, length) != 0)
        return false;
    head->at += length;
    return true;
}

/* A quoted string without escapes, copied to out. */
static bool take_string(struct head *head, char *out, size_t cap)
{
    const char *start;
    char quote;

    skip_blanks(head);
    if (head->at == head->end || (*head->at != '\'' && *head->at != '"'))
        return false;
    quote = *head->at++;
    start = head->at;
    while (head->at < head->end && *head->at != quote && *head->at != '\\')
        head->at++;
    if (head->at == head->end || *head->at != quote || (size_t)(head->at - start) >= cap)
        return false;
    memcpy(out, start, (size_t)(head->at - start));
    out[head->at - start] = '\0';
    head->at++;
    return true;
}

/* A size without a sign; false on overflow of int64_t or without a digit. */
static bool take_int(struct head *head, int64_t *out)
{
    int64_t value = 0;
    const char *start;

    skip_blanks(head);
    for (start = head->at; head->at < head->end && *head->at >= '0' && *head->at <= '9';
         head->at++) {
        int digit = *head->at - '0';

        if (value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return head->at > start;
}

/* (), (3,) or (3, 4): a comma after the last is allowed, and wanted for a single one. */
static bp_rc read_shape(struct head *head, bp_err *err)
{
    bool has_comma = true;

    head->rank = 0;
    if (!take(head, '('))
        return malformed(head, "the shape is not a tuple", err);
    while (!take(head, ')')) {
        if (head->rank == RANK_MAX)
            return malformed(head, "more than 64 dimensions", err);
        if (!has_comma || !take_int(head, &head->dims[head->rank++]))
            return malformed(head, "the shape is not a tuple of sizes", err);
        has_comma = take(head, ',');
    }
    if (head->rank == 1 && !has_comma)
        return malformed(head, "the shape is not a tuple", err);
    head->has_shape = true;
    return BP_OK;
}

/*
 * "<f4", or "|b1" for types of one byte, which have no byte order. A list stands for a structured
 * array.
 */
static bp_rc read_descr(struct head *head, bp_err *err)
{
    char descr[16];

    if (!take_string(head, descr, sizeof descr))
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "%s: holds a structured array; save one of its plain fields instead",
                       head->file);
    if (descr[0] == '>')
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "%s: holds big-endian values (%s); save a.astype('<%s') instead", head->file,
                       descr, descr + 1);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        bool has_order = descr[0] == '<' || (descr[0] == '|' && types[i].code[1] == '1');

        if (has_order && strcmp(types[i].code, descr + 1) == 0) {
            head->dtype = types[i].dtype;
            head->has_descr = true;
            return BP_OK;
        }
    }
    return bp_fail(err, BP_E_UNSUPPORTED,
                   "%s: holds elements of type '%s', for which ONNX has no tensor", head->file,
                   descr);
}

static bp_rc read_entry(struct head *head, bp_err *err)
{
    char key[32];

    if (!take_string(head, key, sizeof key) || !take(head, ':'))
        return malformed(head, "the header is not a dictionary", err);
    if (strcmp(key, "shape") == 0)
        return read_shape(head, err);
    if (strcmp(key, "descr") == 0)
        return read_descr(head, err);
    if (strcmp(key, "fortran_order") != 0)
        return malformed(head, "the header has an unknown key", err);
    head->has_order = true;
    head->is_fortran = take_word(head, "True");
    if (!head->is_fortran && !take_word(head, "False"))
        return malformed(head, "fortran_order is neither True nor False", err);
    return BP_OK;
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */
static bp_rc read_head(struct head *head, bp_err *err)
{
    if (!take(head, '{'))
        return malformed(head, "the header is not a dictionary", err);
    while (!take(head, '}')) {
        bp_rc rc = read_entry(head, err);

        if (rc < 0)
            return rc;
        if (!take(head, ',') && (head->at == head->end || *head->at != '}'))
            return malformed(head, "the header is not a dictionary", err);
    }
    skip_blanks(head);
    if (head->at != head->end)
        return malformed(head, "the header goes on after its dictionary", err);
    if (!head->has_descr || !head->has_order || !head->has_shape)
        return malformed(head, "the header lacks descr, fortran_order or shape", err);
    if (head->is_fortran && head->rank > 1)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "%s: is in Fortran order; save numpy.ascontiguousarray(a) instead",
                       head->file);
    return BP_OK;
}

/* Finds the header's text; *data is where the elements begin. */
static bp_rc find_head(struct head *head, const unsigned char *bytes, size_t size, size_t *data,
                       bp_err *err)
{
    size_t at = MAGIC_SIZE + 2, length;

    if (!npy_is(bytes, size) || size < at + 4)
        return malformed(head, "it ends within its first bytes", err);
    if (bytes[6] == 1) {
        length = (size_t)bytes[at] | (size_t)bytes[at + 1] << 8;
        at += 2;
    } else if (bytes[6] == 2 || bytes[6] == 3) {
        length = (size_t)bytes[at] | (size_t)bytes[at + 1] << 8 | (size_t)bytes[at + 2] << 16 |
                 (size_t)bytes[at + 3] << 24;
        at += 4;
    } else {
        return bp_fail(err, BP_E_UNSUPPORTED, "%s: .npy version %d; 1, 2 and 3 are known",
                       head->file, bytes[6]);
    }
    if (length > size - at)
        return malformed(head, "it ends within its header", err);
    head->at = (const char *)bytes + at;
    head->end = head->at + length;
    *data = at + length;
    return BP_OK;
}

/*
 * *out is allocated by bp_tensor_alloc(), for bp_tensor_free(). Bytes of bool other than 0 and 1
 * become 1.
 */
bp_rc npy_decode(const char *name, const unsigned char *bytes, size_t size, bp_tensor *out,
                 bp_err *err)
{
    struct head head = {.file = name};
    size_t data = 0, need = 0;
    bp_rc rc;

    *out = (bp_tensor){0};
    rc = find_head(&head, bytes, size, &data, err);
    if (rc < 0)
        return rc;
    rc = read_head(&head, err);
    if (rc < 0)
        return rc;
    rc = bp_tensor_bytes(head.dtype, head.dims, head.rank, &need, err);
    if (rc < 0)
        return malformed(&head, "its shape is too large for this machine", err);
    if (need != size - data)
        return bp_fail(err, BP_E_INVALID, "%s: its shape needs %zu bytes of data, but it holds %zu",
                       name, need, size - data);
    rc = bp_tensor_alloc(head.dtype, head.dims, head.rank, out, err);
    if (rc < 0)
        return rc;
    if (need > 0)
        memcpy(bp_tensor_data(out), bytes + data, need);
    if (head.dtype == BP_DTYPE_BOOL) {
        unsigned char *flags = bp_tensor_data(out);

        for (size_t i = 0; i < need; i++)
            flags[i] = flags[i] != 0;
    }
    return BP_OK;
}

/* Also bfloat16, as the uint16 of its bits: NumPy has no name for it. */
static const char *type_code(uint32_t dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].dtype == dtype)
            return types[i].code;
    }
    return NULL;
}

bool npy_has_type(uint32_t dtype)
{
    return type_code(dtype) != NULL;
}

/*
 * Version 1.0: two bytes of length, and spaces up to a multiple of 64, so that a mapped file has
 * aligned data.
 */
bp_rc npy_head(const bp_tensor *tensor, unsigned char head[NPY_HEAD_MAX], size_t *size, bp_err *err)
{
    const char *code = type_code(tensor->dtype);
    char *text = (char *)head + MAGIC_SIZE + 4;
    size_t cap = NPY_HEAD_MAX - MAGIC_SIZE - 4, used, total;

    if (!code || tensor->rank > RANK_MAX)
        return bp_fail(err, BP_E_UNSUPPORTED, "%s with %u dimensions cannot be a .npy file",
                       bp_dtype_name(tensor->dtype), tensor->rank);
    used = (size_t)snprintf(text, cap, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                            code[1] == '1' && !code[2] ? '|' : '<', code);
    for (uint32_t i = 0; i < tensor->rank; i++)
        used += (size_t)snprintf(text + used, cap - used, "%s%" PRId64 "%s", i ? " " : "",
                                 tensor->dims[i], i + 1 < tensor->rank || i == 0 ? "," : "");
    used += (size_t)snprintf(text + used, cap - used, "), }");
    total = (MAGIC_SIZE + 4 + used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(text + used, ' ', total - MAGIC_SIZE - 4 - used);
    head[total - 1] = '\n';
    memcpy(head, magic, MAGIC_SIZE);
    head[6] = 1;
    head[7] = 0;
    head[8] = (unsigned char)((total - MAGIC_SIZE - 4) & 0xff);
    head[9] = (unsigned char)((total - MAGIC_SIZE - 4) >> 8);
    *size = total;
    return BP_OK;
}
