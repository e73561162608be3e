/* SPDX-License-Identifier: MIT */
/* sniff.h - what a file that is no ONNX model seems to be. */
#ifndef BP_MODEL_SNIFF_H
#define BP_MODEL_SNIFF_H

#include <stdbool.h>
#include <stddef.h>

/* Words that end "is not an ONNX model: ", with what to do; NULL: no known other thing. */
const char *bp_sniff(const void *bytes, size_t size);
/* Does it begin as a ModelProto does, with the IR version? */
bool bp_sniff_model(const void *bytes, size_t size);

#endif
