/* SPDX-License-Identifier: MIT */
/*
 * prefix.c - a program of its time: prefixes.sh compiles it with the table as it was in one version of
 * the API. It recognizes a digit, twice: by name and by binding.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <onnxruntime/onnxruntime_c_api.h>

_Static_assert(sizeof(OrtApi) == SLOTS * sizeof(void *), "the table of this version");
_Static_assert(offsetof(OrtApi, CreateStatus) == 0, "the first slot");
#if UINTPTR_MAX == 0xffffffffffffffffu
#define CONSTANT(name, value) _Static_assert((long)(name) == (value), #name);
#define SIZE(type, size)
#define OFFSET(type, field, at)
#include "layout.inc"
#undef CONSTANT
#endif

static const OrtApi *ort;

static void ok(OrtStatus *status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", ort->GetErrorMessage(status));
    exit(1);
}

/* Are these ten probabilities? */
static int judge(OrtValue *value)
{
    OrtTensorTypeAndShapeInfo *shape = NULL;
    size_t n = 0;
    float *p = NULL;
    float sum = 0;

    ok(ort->GetTensorTypeAndShape(value, &shape));
    ok(ort->GetTensorShapeElementCount(shape, &n));
    ort->ReleaseTensorTypeAndShapeInfo(shape);
    ok(ort->GetTensorMutableData(value, (void **)&p));
    for (size_t i = 0; i < n; i++)
        sum += p[i];
    return n == 10 && sum > 0.999f && sum < 1.001f;
}

static int bind(OrtSession *session, const OrtValue *in, const char *in_name, const char *out_name,
                const OrtMemoryInfo *memory, OrtAllocator *heap)
{
    OrtIoBinding *binding = NULL;
    OrtValue **values = NULL;
    size_t n = 0;
    int is_right;

    ok(ort->CreateIoBinding(session, &binding));
    ok(ort->BindInput(binding, in_name, in));
    ok(ort->BindOutputToDevice(binding, out_name, memory));
    ok(ort->RunWithBinding(session, NULL, binding));
    ok(ort->GetBoundOutputValues(binding, heap, &values, &n));
    is_right = n == 1 && judge(values[0]);
    ort->ReleaseValue(values[0]);
    ok(ort->AllocatorFree(heap, values));
    ort->ReleaseIoBinding(binding);
    return is_right;
}

int main(int argc, char **argv)
{
    static const int64_t dims[] = {1, 1, 8, 8};
    float image[64] = {0};
    OrtEnv *env = NULL;
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;
    OrtAllocator *heap = NULL;
    OrtMemoryInfo *memory = NULL;
    OrtValue *in = NULL, *out = NULL;
    char *in_name = NULL, *out_name = NULL;
    int is_right;

    ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    if (argc < 2 || !ort)
        return 1;
    ok(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "prefix", &env));
    ok(ort->CreateSessionOptions(&options));
    ok(ort->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_BASIC));
    ok(ort->SessionOptionsAppendExecutionProvider(options, "CPU", NULL, NULL, 0));
    ok(ort->CreateSession(env, argv[1], options, &session));
    ok(ort->GetAllocatorWithDefaultOptions(&heap));
    ok(ort->SessionGetInputName(session, 0, heap, &in_name));
    ok(ort->SessionGetOutputName(session, 0, heap, &out_name));
    ok(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
    ok(ort->CreateTensorWithDataAsOrtValue(memory, image, sizeof image, dims, 4,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &in));
    ok(ort->Run(session, NULL, (const char *const *)&in_name, (const OrtValue *const *)&in, 1,
                (const char *const *)&out_name, 1, &out));
    is_right = judge(out) && bind(session, in, in_name, out_name, memory, heap);
    ort->ReleaseValue(in);
    ort->ReleaseValue(out);
    ort->ReleaseMemoryInfo(memory);
    ok(ort->AllocatorFree(heap, in_name));
    ok(ort->AllocatorFree(heap, out_name));
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
    ort->ReleaseEnv(env);
    return is_right ? 0 : 1;
}
