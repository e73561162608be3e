/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_error_code.h - what kind of failure a status of ONNX Runtime's C ABI tells of.
 * Included by onnxruntime_c_api.h, and alone by programs that need no more.
 *
 * Codes that say "not here" exist because programs compare with them; this library never returns
 * them.
 */
#ifndef BP_ONNXRUNTIME_ERROR_CODE_H
#define BP_ONNXRUNTIME_ERROR_CODE_H

typedef enum OrtErrorCode {
    /* Success; functions return NULL for it. */
    ORT_OK = 0,
    /* Any failure without a code of its own, memory that is not there included. */
    ORT_FAIL = 1,
    /* An argument is NULL or has a value that it may not have. */
    ORT_INVALID_ARGUMENT = 2,
    /* A file does not exist. */
    ORT_NO_SUCHFILE = 3,
    /* No model was given. */
    ORT_NO_MODEL = 4,
    /* A vendor's library failed. */
    ORT_ENGINE_ERROR = 5,
    /* A run failed, or a function of the application threw a std::exception. */
    ORT_RUNTIME_EXCEPTION = 6,
    /* The bytes of a model are not a protobuf message. */
    ORT_INVALID_PROTOBUF = 7,
    /* The session has a model already. */
    ORT_MODEL_LOADED = 8,
    /* Well formed, but nothing here does it: a function, an operator, an element type. */
    ORT_NOT_IMPLEMENTED = 9,
    /* The model breaks a rule of ONNX. */
    ORT_INVALID_GRAPH = 10,
    /* An execution provider failed. */
    ORT_EP_FAIL = 11,
    /* SessionOptionsSetLoadCancellationFlag() stopped the creation of a session. */
    ORT_MODEL_LOAD_CANCELED = 12,
    /* The model would have to be compiled, which the options forbid. */
    ORT_MODEL_REQUIRES_COMPILATION = 13,
    /* What was asked for by name is not there. */
    ORT_NOT_FOUND = 14,
    /* A device was reset or removed. */
    ORT_DEVICE_RESET = 15
} OrtErrorCode;

#endif
