/* SPDX-License-Identifier: MIT */
/* error_codes.h - codes and words of ONNX Runtime for what the host says of models that it refuses. */
#ifndef BP_ORT_ERROR_CODES_H
#define BP_ORT_ERROR_CODES_H

#include <onnxruntime/onnxruntime_c_api.h>

struct ort_refusal {
    const char *host; /* what the host's words have in them */
    OrtErrorCode code;
    const char *words; /* to stand before them */
};

/* The one for these words of the host, or NULL. */
const struct ort_refusal *ort_refusal_find(const char *words);

#endif
