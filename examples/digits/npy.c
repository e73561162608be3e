/* SPDX-License-Identifier: MIT */
/*
 * npy.c - reads arrays of bytes from NumPy's .npy files (format 1.0). A reader for uint8 alone is all that
 * the example needs; it copies none of tools/ and links none, so that it can be taken out of the tree.
 */
#include "npy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

/* Magic string, version 1.0 as two bytes, length of the header as two bytes, low one first. */
enum { PREFIX = 10 };

static const char magic[8] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};

/* Where the value of a key of the header, a Python dictionary, begins; NULL: no such key. */
static const char *find_value(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, " ");
}

/* Reads "(599, 8, 8)" or "(599,)". */
static bool parse_shape(const char *text, struct npy_array *out)
{
    out->rank = 0;
    out->count = 1;
    if (*text++ != '(')
        return false;

    for (;;) {
        char *end;
        unsigned long long dim;

        text += strspn(text, ", ");
        if (*text == ')')
            return true;
        if (*text < '0' || *text > '9' || out->rank == NPY_MAX_RANK)
            return false;
        errno = 0;
        dim = strtoull(text, &end, 10);
        if (errno || dim > SIZE_MAX || (dim > 0 && out->count > SIZE_MAX / (size_t)dim))
            return false;
        out->dims[out->rank++] = (size_t)dim;
        out->count *= (size_t)dim;
        text = end;
    }
}

static bool parse_header(const char *header, struct npy_array *out)
{
    static const char dtype[] = "'|u1'";
    static const char order[] = "False";
    const char *at = find_value(header, "'descr':");

    if (!at || strncmp(at, dtype, sizeof dtype - 1) != 0)
        return false;
    at = find_value(header, "'fortran_order':");
    if (!at || strncmp(at, order, sizeof order - 1) != 0)
        return false;
    at = find_value(header, "'shape':");
    return at && parse_shape(at, out);
}

/* The header as a string of its own, the caller's to free(); NULL: this is not a .npy 1.0 file. */
static char *read_header(FILE *file)
{
    unsigned char prefix[PREFIX];
    size_t length;
    char *header;

    if (fread(prefix, 1, PREFIX, file) != PREFIX || memcmp(prefix, magic, sizeof magic) != 0)
        return NULL;
    length = prefix[8] + 256u * prefix[9];
    header = malloc(length + 1);
    if (!header)
        return NULL;
    if (fread(header, 1, length, file) != length) {
        free(header);
        return NULL;
    }
    header[length] = '\0';
    return header;
}

static bool read_data(FILE *file, const char *path, struct npy_array *array)
{
    long start = ftell(file);
    long end;

    if (start < 0 || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0 ||
        fseek(file, start, SEEK_SET) != 0)
        return example_fail("%s: %s", path, strerror(errno));
    if ((unsigned long)(end - start) != array->count)
        return example_fail("%s: its header speaks of %zu bytes of data, but there are %ld", path,
                            array->count, end - start);

    array->data = malloc(array->count > 0 ? array->count : 1);
    if (!array->data)
        return example_fail("%s: no memory for %zu bytes", path, array->count);
    if (fread(array->data, 1, array->count, file) != array->count)
        return example_fail("%s: cannot be read to its end", path);
    return true;
}

bool npy_read(const char *path, struct npy_array *out)
{
    FILE *file = fopen(path, "rb");
    struct npy_array array = {0};
    char *header = NULL;
    bool is_good = false;

    *out = array;
    if (!file)
        return example_fail("%s: %s", path, strerror(errno));

    header = read_header(file);
    if (!header || !parse_header(header, &array)) {
        example_fail("%s: not a NumPy array of uint8 (.npy, format 1.0, C order)", path);
        goto out;
    }
    if (!read_data(file, path, &array))
        goto out;

    *out = array;
    array.data = NULL; /* the caller's now */
    is_good = true;
out:
    npy_finish(&array);
    free(header);
    fclose(file);
    return is_good;
}

void npy_finish(struct npy_array *array)
{
    free(array->data);
    *array = (struct npy_array){0};
}
