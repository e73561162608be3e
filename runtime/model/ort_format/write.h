/* SPDX-License-Identifier: MIT */
/* write.h - a model in ONNX Runtime's own format (.ort). */
#ifndef BP_MODEL_ORT_FORMAT_WRITE_H
#define BP_MODEL_ORT_FORMAT_WRITE_H

#include "model/onnx.h"

/*
 * Writes the model's graph, without functions and Constant nodes, with all data inside.
 * BP_E_UNSUPPORTED: the format can't represent something that the text names. BP_E_INVALID: the file
 * would be over 2 GiB, because its offsets are 32 bits.
 */
bp_rc bp_ort_write(const struct bp_onnx *onnx, const bp_model_sink *sink, bp_err *err) BP_CHECKED;

#endif
