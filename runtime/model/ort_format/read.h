/* SPDX-License-Identifier: MIT */
/*
 * read.h - a model in ONNX Runtime's own format (.ort) as the ModelProto that says the same, so
 * that everything after the bytes is the same for both formats. Numbers of tensors stay in the
 * .ort: their tensors are external ones at BP_EXTERNAL_OWN, see external.h.
 */
#ifndef BP_MODEL_ORT_FORMAT_READ_H
#define BP_MODEL_ORT_FORMAT_READ_H

#include "base/put.h"
#include "base/status.h"

/* What the format has beside the model. */
struct bp_ort_facts {
    uint32_t version;                 /* of the format */
    uint32_t n_runtime_optimizations; /* recorded changes to graphs; they are not read */
};

bool bp_ort_is(const void *bytes, size_t size);
/*
 * Appends the ModelProto to `out`, which starts from {0} and is the caller's to free, also after a
 * failure. BP_E_INVALID names the table and the byte that is wrong. BP_E_VERSION: another version
 * of the format. BP_E_UNSUPPORTED: nodes that a provider of ONNX Runtime compiled; data elsewhere.
 */
bp_rc bp_ort_read(const void *bytes, size_t size, struct bp_ort_facts *facts, struct bp_put *out,
                  bp_err *err) BP_CHECKED;

#endif
