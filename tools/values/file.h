/* SPDX-License-Identifier: MIT */
/* file.h - whole files, and tensors in them: NumPy's .npy, ONNX TensorProto, raw bytes. */
#ifndef BP_TOOLS_FILE_H
#define BP_TOOLS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <backplane.h>

/* Reads a whole file; *bytes is the caller's, to free(). */
bp_rc file_read(const char *path, unsigned char **bytes, size_t *size, bp_err *err) BP_CHECKED;
/* Creates or replaces a file with the header and the data. After an error it is what it was. */
bp_rc file_write(const char *path, const void *header, size_t header_size, const void *data,
                 size_t data_size, bp_err *err) BP_CHECKED;
bool file_exists(const char *path);
bool file_is_directory(const char *path);

/*
 * What is known beforehand of a tensor in a file: the type a model wants, and a shape for raw
 * bytes.
 */
struct tensor_want {
    uint32_t dtype;      /* BP_DTYPE_NONE: any */
    const int64_t *dims; /* NULL: unknown */
    uint32_t rank;
};

/*
 * Reads a tensor: .npy by its content, .pb by its name, else raw bytes in C order, little-endian,
 * which need both type and shape in `want`. A uint16 array serves where bfloat16 is wanted, for
 * NumPy has no such type. *out is the caller's, to bp_tensor_free().
 * BP_E_INVALID: malformed, or of another type than wanted. BP_E_IO: unreadable.
 */
bp_rc tensor_read(const char *path, const struct tensor_want *want, bp_tensor *out,
                  bp_err *err) BP_CHECKED;

/* ".npy" for types that NumPy has (bfloat16 counts, as uint16), ".pb" for the others. */
const char *tensor_extension(uint32_t dtype);
/* Writes in the format of tensor_extension(tensor->dtype). name: of a TensorProto. */
bp_rc tensor_write(const char *path, const bp_tensor *tensor, const char *name,
                   bp_err *err) BP_CHECKED;

#endif
