/* SPDX-License-Identifier: MIT */
/* kit.h - what tests of libonnxruntime share: the table, an environment, models made in memory. */
#ifndef BP_TESTS_ORT_KIT_H
#define BP_TESTS_ORT_KIT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include <onnxruntime/onnxruntime_c_api.h>

#include "support/proto_writer.h"

static const OrtApi *ort;
static OrtEnv *env;
static OrtMemoryInfo *cpu;
static OrtAllocator *heap;

/* Fails the test unless the call succeeded. */
static inline void ok(OrtStatus *status)
{
    if (status)
        ck_abort_msg("%s", ort->GetErrorMessage(status));
}

/* The call fails with this code, in words that have these in them. */
static inline void fails(OrtStatus *status, OrtErrorCode code, const char *words)
{
    ck_assert_msg(status != NULL, "it succeeded; expected '%s'", words);
    ck_assert_msg(ort->GetErrorCode(status) == code && strstr(ort->GetErrorMessage(status), words),
                  "code %d, '%s'; expected %d, '%s'", (int)ort->GetErrorCode(status),
                  ort->GetErrorMessage(status), (int)code, words);
    ort->ReleaseStatus(status);
}

static inline void setup(void)
{
    ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    ck_assert_ptr_nonnull(ort);
    ok(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "test", &env));
    ok(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &cpu));
    ok(ort->GetAllocatorWithDefaultOptions(&heap));
}

static inline void teardown(void)
{
    ort->ReleaseMemoryInfo(cpu);
    ort->ReleaseEnv(env);
}

/* ---- models ------------------------------------------------------------------------------------ */

enum { TENSOR = 1, SEQUENCE = 4, OPTIONAL = 9 }; /* fields of TypeProto */

static inline void model_begin(struct pw *w)
{
    memset(w, 0, sizeof *w);
    pw_int(w, 1, 8);
    pw_text(w, 2, "kit");
    pw_int(w, 5, 7);
    pw_open(w, 8);
    pw_text(w, 1, "");
    pw_int(w, 2, 17);
    pw_close(w);
    pw_open(w, 14);
    pw_text(w, 1, "colour");
    pw_text(w, 2, "blue");
    pw_close(w);
    pw_open(w, 7);
    pw_text(w, 2, "graph");
}

static inline void model_node(struct pw *w, const char *op, const char *const *in, size_t n_in,
                              const char *out)
{
    pw_open(w, 1);
    for (size_t i = 0; i < n_in; i++)
        pw_text(w, 1, in[i]);
    pw_text(w, 2, out);
    pw_text(w, 4, op);
    pw_close(w);
}
#define NODE(w, op, out, ...)                                                                      \
    model_node(w, op, (const char *const[]){__VA_ARGS__},                                          \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), out)

/* Dimensions up to the first 0; a negative one is called "n". */
static inline void model_tensor_type(struct pw *w, int dtype, const int64_t *dims)
{
    pw_open(w, TENSOR);
    pw_int(w, 1, dtype);
    if (dims) {
        pw_open(w, 2);
        for (; *dims; dims++) {
            pw_open(w, 1);
            if (*dims > 0)
                pw_int(w, 1, *dims);
            else
                pw_text(w, 2, "n");
            pw_close(w);
        }
        pw_close(w);
    }
    pw_close(w);
}
#define DIMS(...) ((const int64_t[]){__VA_ARGS__, 0})

/* field: 11 an input, 12 an output; kind: what is around the tensor, TENSOR for nothing. */
static inline void model_end(struct pw *w, int field, const char *name, int kind, int dtype,
                             const int64_t *dims)
{
    pw_open(w, (uint32_t)field);
    pw_text(w, 1, name);
    pw_open(w, 2);
    if (kind != TENSOR) {
        pw_open(w, (uint32_t)kind);
        pw_open(w, 1);
    }
    model_tensor_type(w, dtype, dims);
    if (kind != TENSOR) {
        pw_close(w);
        pw_close(w);
    }
    pw_close(w);
    pw_close(w);
}

static inline OrtSession *model_open(struct pw *w, const OrtSessionOptions *options)
{
    OrtSession *session = NULL;

    pw_close(w);
    ok(ort->CreateSessionFromArray(env, w->data, w->size, options, &session));
    pw_free(w);
    return session;
}

/* The model of open_add(), and a shape that its inputs can have. */
static const char *const add_in[] = {"A", "B"};
static const char *const add_out[] = {"C"};
static const int64_t two_by_three[] = {2, 3};

/* C = A + B, floats of [n, 3]. */
static inline OrtSession *open_add(const OrtSessionOptions *options)
{
    struct pw w;

    model_begin(&w);
    NODE(&w, "Add", "C", "A", "B");
    model_end(&w, 11, "A", TENSOR, 1, DIMS(-1, 3));
    model_end(&w, 11, "B", TENSOR, 1, DIMS(-1, 3));
    model_end(&w, 12, "C", TENSOR, 1, DIMS(-1, 3));
    return model_open(&w, options);
}

static inline OrtValue *floats(float *data, size_t n, const int64_t *dims, size_t rank)
{
    OrtValue *value = NULL;

    ok(ort->CreateTensorWithDataAsOrtValue(cpu, data, n * sizeof *data, dims, rank,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    return value;
}

static inline const float *float_data(OrtValue *value)
{
    void *data = NULL;

    ok(ort->GetTensorMutableData(value, &data));
    return data;
}

#endif
