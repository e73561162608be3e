/* SPDX-License-Identifier: MIT */
/*
 * conform.h - what the files of tests/ort/conform share: `backplane conform` with the models run
 * through the C ABI of ONNX Runtime. Reading, comparing and printing are the tool's own.
 */
#ifndef BP_TESTS_ORT_CONFORM_H
#define BP_TESTS_ORT_CONFORM_H

#include <backplane.h>
#include <onnxruntime/onnxruntime_c_api.h>

#include "conform/suite.h"

/* The library that is tested, in a test's process. */
struct face {
    struct cli *cli; /* its words say what failed */
    const OrtApi *api;
    OrtEnv *env;
    OrtAllocator *heap;
    OrtMemoryInfo *memory;
};

/* Releases the status. False: it was one; cli->words has its code and text. */
bool face_ok(const struct face *face, OrtStatus *status);

/* Element types: three of them have other numbers in the ABI than in ONNX. */
ONNXTensorElementDataType face_dtype(uint32_t dtype);
uint32_t face_host_dtype(ONNXTensorElementDataType dtype);

/* The inputs and outputs of a session: names and types, no shapes. */
struct ends {
    bp_io_info *rows; /* inputs first */
    uint32_t n_inputs, n_outputs;
};
/* False: see face_ok(); `out` is to be finished either way. */
bool ends_read(const struct face *face, const OrtSession *session, struct ends *out);
void ends_finish(struct ends *ends);

/* A value to feed of what was read from a file. The binding outlives it. NULL: see face_ok(). */
OrtValue *value_make(const struct face *face, const bp_binding *from, const bp_type_info *type);
/* A copy of what a value holds; `type` is the output's. */
bool value_read(const struct face *face, OrtValue *value, const bp_type_info *type,
                bp_binding *out);

/*
 * Values that the ABI cannot make, so a model does: an empty sequence, an optional without a value.
 * NULL: see face_ok().
 */
OrtValue *value_make_empty(const struct face *face, const bp_type_info *type);

#endif
