/* SPDX-License-Identifier: MIT */
/* error_codes.h - ONNX Runtime's codes and sentences for the host's refusals of a model. */
#ifndef BP_ORT_ERROR_CODES_H
#define BP_ORT_ERROR_CODES_H

#include <onnxruntime/onnxruntime_c_api.h>
#include <stdint.h>

struct ort_refusal {
    OrtErrorCode code;
    const char *words; /* put before the host's text */
};

/*
 * The refusal for a detail of the host (bp_err.detail, BP_DETAIL_*). NULL: the class of the error
 * decides. The result is static. [any thread]
 */
const struct ort_refusal *ort_refusal_find(uint32_t detail);

#endif
