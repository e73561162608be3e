/* SPDX-License-Identifier: MIT */
/*
 * read.h - converts a model in ONNX Runtime's own format (.ort) to an equivalent ModelProto, so that
 * all later steps are the same for both formats. Tensor data stays in the .ort file: its tensors have
 * external data at BP_EXTERNAL_OWN, see external.h.
 */
#ifndef BP_MODEL_ORT_FORMAT_READ_H
#define BP_MODEL_ORT_FORMAT_READ_H

#include "base/put.h"
#include "base/status.h"

/* What the format has in addition to the model. */
struct bp_ort_facts {
    uint32_t version;                 /* of the format */
    uint32_t n_runtime_optimizations; /* recorded changes to graphs; they are not read */
};

bool bp_ort_is(const void *bytes, size_t size);
/*
 * Appends the ModelProto to `out`, which starts from {0} and is the caller's to free, also after a
 * failure. BP_E_INVALID names the table and the byte that is wrong. BP_E_VERSION: another version
 * of the format. BP_E_UNSUPPORTED: nodes that a provider of ONNX Runtime compiled, or tensor data in
 * another file.
 */
bp_rc bp_ort_read(const void *bytes, size_t size, struct bp_ort_facts *facts, struct bp_put *out,
                  bp_err *err) BP_CHECKED;

#endif
