/* SPDX-License-Identifier: MIT */
/* file_kind.h - what a file that is not an ONNX model seems to be. */
#ifndef BP_MODEL_FILE_KIND_H
#define BP_MODEL_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

/* Completes "is not an ONNX model: ..." with what to do; a literal. NULL: the kind is unknown. */
const char *bp_sniff(const void *bytes, size_t size);
/* Does it begin as a ModelProto does, with the IR version? */
bool bp_sniff_model(const void *bytes, size_t size);

#endif
