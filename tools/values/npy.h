/* SPDX-License-Identifier: MIT */
/* npy.h - NumPy's array format: versions 1.0, 2.0 and 3.0, C order, little-endian. */
#ifndef BP_TOOLS_NPY_H
#define BP_TOOLS_NPY_H

#include <stdbool.h>

#include <backplane.h>

enum { NPY_HEAD_MAX = 2048 };

bool npy_is(const unsigned char *bytes, size_t size);

/*
 * Reads a whole .npy file; name is for messages. *out is the caller's, to bp_tensor_free().
 * BP_E_INVALID: malformed, shorter or longer than its header says.
 * BP_E_UNSUPPORTED: Fortran order, big-endian, structured or object types.
 */
bp_rc npy_decode(const char *name, const unsigned char *bytes, size_t size, bp_tensor *out,
                 bp_err *err) BP_CHECKED;

/* Does the format have the type? bfloat16 counts: it is stored as uint16. */
bool npy_has_type(uint32_t dtype);
/*
 * The header of an array with these dimensions: *size bytes in head. BP_E_UNSUPPORTED: no such
 * type, or too many dimensions.
 */
bp_rc npy_head(const bp_tensor *tensor, unsigned char head[NPY_HEAD_MAX], size_t *size,
               bp_err *err) BP_CHECKED;

#endif
