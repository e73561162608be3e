/* SPDX-License-Identifier: MIT */
/* error_codes.h - ONNX Runtime's codes and sentences for the host's refusals of a model. */
#ifndef BP_ORT_ERROR_CODES_H
#define BP_ORT_ERROR_CODES_H

#include <onnxruntime/onnxruntime_c_api.h>

struct ort_refusal {
    const char *host; /* a part of the host's text */
    OrtErrorCode code;
    const char *words; /* put before the host's text */
};

/* The first row that matches the host's text, or NULL. The result is static. */
const struct ort_refusal *ort_refusal_find(const char *words);

#endif
