/* SPDX-License-Identifier: MIT */
/* file.c - whole files, and tensors in them. */

#include "config.h"

#include "values/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bp/sdk.h>

#include "text/whole_file.h"
#include "values/npy.h"

/* A first guess at a file's size: exact for plain files, with a byte more to see the end. */
static size_t first_room(int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 &&
        (uint64_t)st.st_size < SIZE_MAX)
        return (size_t)st.st_size + 1;
    return 1 << 16;
}

/* Reads a file, pipes included; *out is the caller's, to free(). */
bp_rc file_read(const char *path, unsigned char **out, size_t *size, bp_err *err)
{
    unsigned char *bytes = NULL;
    size_t cap = 0, used = 0;
    ssize_t n = 1;
    bp_rc rc = BP_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return bp_fail(err, BP_E_IO, "%s: %s", path, strerror(errno));
    while (n != 0) {
        if (used == cap) {
            unsigned char *more;

            cap = cap ? cap + cap / 2 : first_room(fd);
            more = realloc(bytes, cap);
            if (!more) {
                rc = bp_fail(err, BP_E_NOMEM, "%s: no memory for %zu bytes", path, cap);
                goto out;
            }
            bytes = more;
        }
        n = read(fd, bytes + used, cap - used);
        if (n > 0) {
            used += (size_t)n;
        } else if (n < 0 && errno != EINTR) {
            rc = bp_fail(err, BP_E_IO, "%s: %s", path, strerror(errno));
            goto out;
        }
    }
    *out = bytes;
    *size = used;
    bytes = NULL; /* the caller's now */
out:
    free(bytes);
    close(fd);
    return rc;
}

bp_rc file_write(const char *path, const void *header, size_t header_size, const void *data,
                 size_t data_size, bp_err *err)
{
    struct whole_file out;
    bool is_ok = whole_file_begin(&out, path) && whole_file_write(&out, header, header_size) &&
                 whole_file_write(&out, data, data_size) && whole_file_end(&out) &&
                 whole_file_name(&out);
    int cause = errno;

    whole_file_drop(&out);
    return is_ok ? BP_OK : bp_fail(err, BP_E_IO, "%s: %s", path, strerror(cause));
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_directory(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);

    return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* Raw bytes are in this machine's order and have exactly the size of the shape. */
static bp_rc read_raw(const char *path, const unsigned char *bytes, size_t size,
                      const struct tensor_want *want, bp_tensor *out, bp_err *err)
{
    size_t need;
    bp_rc rc;

    if (want->dtype == BP_DTYPE_NONE || !want->dims)
        return bp_fail(err, BP_E_INVALID,
                       "%s: is neither .npy nor .pb, and raw bytes need a type and a shape", path);
    rc = bp_tensor_bytes(want->dtype, want->dims, want->rank, &need, err);
    if (rc < 0)
        return rc;
    if (need != size)
        return bp_fail(err, BP_E_INVALID, "%s: holds %zu raw bytes, the shape needs %zu", path,
                       size, need);
    rc = bp_tensor_alloc(want->dtype, want->dims, want->rank, out, err);
    if (rc >= 0 && size > 0)
        memcpy(bp_tensor_data(out), bytes, size);
    return rc;
}

/* bp_tensor_decode's words, with the file's name before them. */
static bp_rc read_proto(const char *path, const unsigned char *bytes, size_t size, bp_tensor *out,
                        bp_err *err)
{
    char words[512];
    bp_err inner = bp_err_init(words, sizeof words);
    bp_rc rc = bp_tensor_decode(bytes, size, out, NULL, &inner);

    return rc < 0 ? bp_fail(err, rc, "%s: %s", path, words) : rc;
}

/*
 * The magic string counts more than the name; numbers that NumPy cannot name come as TensorProto.
 */
bp_rc tensor_read(const char *path, const struct tensor_want *want, bp_tensor *out, bp_err *err)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    bp_rc rc;

    *out = (bp_tensor){0};
    rc = file_read(path, &bytes, &size, err);
    if (rc < 0)
        return rc;
    if (npy_is(bytes, size) || has_suffix(path, ".npy"))
        rc = npy_decode(path, bytes, size, out, err);
    else if (has_suffix(path, ".pb"))
        rc = read_proto(path, bytes, size, out, err);
    else
        rc = read_raw(path, bytes, size, want, out, err);
    free(bytes);
    if (rc < 0)
        return rc;
    if (want->dtype == BP_DTYPE_BF16 && out->dtype == BP_DTYPE_U16)
        out->dtype = BP_DTYPE_BF16;
    if (want->dtype != BP_DTYPE_NONE && out->dtype != want->dtype) {
        rc = bp_fail(err, BP_E_INVALID, "%s: holds %s, wanted is %s", path,
                     bp_dtype_name(out->dtype), bp_dtype_name(want->dtype));
        bp_tensor_free(out);
    }
    return rc;
}

const char *tensor_extension(uint32_t dtype)
{
    return npy_has_type(dtype) ? ".npy" : ".pb";
}

/* The .npy header and the data are written without copying the data into one buffer. */
bp_rc tensor_write(const char *path, const bp_tensor *tensor, const char *name, bp_err *err)
{
    unsigned char head[NPY_HEAD_MAX];
    size_t head_size = 0, size = 0;
    void *proto = NULL;
    bp_rc rc;

    if (npy_has_type(tensor->dtype)) {
        rc = npy_head(tensor, head, &head_size, err);
        if (rc >= 0)
            rc = bp_tensor_bytes(tensor->dtype, tensor->dims, tensor->rank, &size, err);
        if (rc >= 0)
            rc = file_write(path, head, head_size, size ? bp_tensor_data(tensor) : NULL, size, err);
        return rc;
    }
    rc = bp_tensor_encode(tensor, name, &proto, &size, err);
    if (rc >= 0)
        rc = file_write(path, proto, size, NULL, 0, err);
    bp_free(proto);
    return rc;
}
