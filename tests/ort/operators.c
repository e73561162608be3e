/* SPDX-License-Identifier: MIT */
/*
 * operators.c - a library of operators, written against ONNX Runtime's header alone. With SILENT it
 * registers nothing, with REFUSING it refuses to.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <onnxruntime/onnxruntime_c_api.h>

#define EXPORT __attribute__((visibility("default")))
#define CHECK(call)                                                                                \
    do {                                                                                           \
        OrtStatus *status_ = (call);                                                               \
        if (status_)                                                                               \
            return status_;                                                                        \
    } while (0)
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return api->CreateStatus(ORT_RUNTIME_EXCEPTION, "expected: " #condition);              \
    } while (0)

#ifdef SILENT
EXPORT int silence(void);
EXPORT int silence(void)
{
    return 0;
}
#elif defined REFUSING
EXPORT OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base);
EXPORT OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base)
{
    (void)options;
    return base->GetApi(1)->CreateStatus(ORT_INVALID_GRAPH, "no licence on this machine");
}
#else

static const OrtApi *api; /* set when the library is registered */

/* What all of them answer alike. */
static const char *no_type(const OrtCustomOp *op)
{
    (void)op;
    return NULL;
}

static size_t one(const OrtCustomOp *op)
{
    (void)op;
    return 1;
}

static ONNXTensorElementDataType is_float(const OrtCustomOp *op, size_t index)
{
    (void)op;
    (void)index;
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

static ONNXTensorElementDataType is_int64(const OrtCustomOp *op, size_t index)
{
    (void)op;
    (void)index;
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
}

static ONNXTensorElementDataType is_any(const OrtCustomOp *op, size_t index)
{
    (void)op;
    (void)index;
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

static OrtCustomOpInputOutputCharacteristic is_required(const OrtCustomOp *op, size_t index)
{
    (void)op;
    (void)index;
    return INPUT_OUTPUT_REQUIRED;
}

static OrtMemType ordinary(const OrtCustomOp *op, size_t index)
{
    (void)op;
    (void)index;
    return OrtMemTypeDefault;
}

static void nothing(void *kernel)
{
    (void)kernel;
}

static OrtStatus *no_kernel(const OrtCustomOp *op, const OrtApi *table, const OrtKernelInfo *info,
                            void **kernel)
{
    static char here;

    (void)op;
    (void)table;
    (void)info;
    *kernel = &here;
    return NULL;
}

static OrtStatus *shape_of(const OrtValue *value, int64_t *dims, size_t *rank, size_t *count)
{
    OrtTensorTypeAndShapeInfo *shape;
    OrtStatus *status;

    CHECK(api->GetTensorTypeAndShape(value, &shape));
    status = api->GetDimensionsCount(shape, rank);
    if (!status)
        status = api->GetDimensions(shape, dims, *rank);
    if (!status)
        status = api->GetTensorShapeElementCount(shape, count);
    api->ReleaseTensorTypeAndShapeInfo(shape);
    return status;
}

/* Input 0 and output 0, of the same shape. */
static OrtStatus *both(OrtKernelContext *context, const void **x, void **y, size_t *count)
{
    const OrtValue *in;
    OrtValue *out;
    void *data;
    int64_t dims[8];
    size_t rank;

    CHECK(api->KernelContext_GetInput(context, 0, &in));
    CHECK(shape_of(in, dims, &rank, count));
    CHECK(api->KernelContext_GetOutput(context, 0, dims, rank, &out));
    CHECK(api->GetTensorData(in, x));
    CHECK(api->GetTensorMutableData(out, &data));
    *y = data;
    return NULL;
}

static OrtStatus *same_shape(const OrtCustomOp *op, OrtShapeInferContext *context)
{
    OrtTensorTypeAndShapeInfo *x;

    (void)op;
    CHECK(api->ShapeInferContext_GetInputTypeShape(context, 0, &x));
    return api->ShapeInferContext_SetOutputTypeShape(context, 0, x);
}

/* ---- Affine: y = alpha * x + bias, with everything that a kernel may ask for when it is made ---- */

struct affine {
    float alpha;
    int64_t bias;
    OrtKernelInfo *info;
    const OrtLogger *logger;
};

static OrtStatus *read_lists(const OrtKernelInfo *info)
{
    OrtAllocator *allocator;
    OrtValue *tensor;
    float floats[2];
    int64_t ints[3];
    size_t n = 0;
    char **texts;
    const void *data;

    CHECK(api->KernelInfoGetAttributeArray_float(info, "floats", NULL, &n));
    EXPECT(n == 2);
    CHECK(api->KernelInfoGetAttributeArray_float(info, "floats", floats, &n));
    EXPECT(floats[0] == 0.5f && floats[1] == 1.5f);
    n = 3;
    CHECK(api->KernelInfoGetAttributeArray_int64(info, "ints", ints, &n));
    EXPECT(n == 3 && ints[2] == -7);
    CHECK(api->KernelInfoGetAllocator(info, OrtMemTypeDefault, &allocator));
    CHECK(api->KernelInfoGetAttributeArray_string(info, "texts", allocator, &texts, &n));
    EXPECT(n == 2 && strcmp(texts[0], "a") == 0 && strcmp(texts[1], "") == 0);
    for (size_t i = 0; i < n; i++)
        CHECK(api->AllocatorFree(allocator, texts[i]));
    CHECK(api->AllocatorFree(allocator, texts));
    CHECK(api->KernelInfoGetAttribute_tensor(info, "tensor", allocator, &tensor));
    CHECK(api->GetTensorData(tensor, &data));
    EXPECT(((const float *)data)[1] == 9.0f);
    api->ReleaseValue(tensor);
    return NULL;
}

static OrtStatus *read_names(const OrtKernelInfo *info)
{
    OrtTypeInfo *type;
    OrtKeyValuePairs *config;
    ONNXType kind;
    char text[32];
    size_t n = 0;
    int version;

    CHECK(api->KernelInfo_GetNodeName(info, NULL, &n));
    EXPECT(n == sizeof "affine");
    CHECK(api->KernelInfo_GetNodeName(info, text, &n));
    EXPECT(strcmp(text, "affine") == 0);
    n = sizeof text;
    CHECK(api->KernelInfo_GetOperatorType(info, text, &n));
    EXPECT(strcmp(text, "Affine") == 0);
    n = sizeof text;
    CHECK(api->KernelInfo_GetOperatorDomain(info, text, &n));
    EXPECT(strcmp(text, "test.ops") == 0);
    CHECK(api->KernelInfo_GetOperatorSinceVersion(info, &version));
    EXPECT(version == 1);
    CHECK(api->KernelInfo_GetInputCount(info, &n));
    EXPECT(n == 1);
    CHECK(api->KernelInfo_GetOutputCount(info, &n));
    EXPECT(n == 1);
    n = sizeof text;
    CHECK(api->KernelInfo_GetInputName(info, 0, text, &n));
    EXPECT(strcmp(text, "x") == 0);
    n = sizeof text;
    CHECK(api->KernelInfo_GetOutputName(info, 0, text, &n));
    EXPECT(strcmp(text, "y") == 0);
    CHECK(api->KernelInfo_GetInputTypeInfo(info, 0, &type));
    CHECK(api->GetOnnxTypeFromTypeInfo(type, &kind));
    api->ReleaseTypeInfo(type);
    EXPECT(kind == ONNX_TYPE_TENSOR);
    CHECK(api->KernelInfo_GetOutputTypeInfo(info, 0, &type));
    api->ReleaseTypeInfo(type);
    CHECK(api->KernelInfo_GetConfigEntries(info, &config));
    EXPECT(strcmp(api->GetKeyValue(config, "test.key"), "value") == 0);
    api->ReleaseKeyValuePairs(config);
    return NULL;
}

/* A call that has to fail with the code. */
static OrtStatus *must_fail(OrtStatus *status, OrtErrorCode code)
{
    OrtErrorCode got = api->GetErrorCode(status);

    api->ReleaseStatus(status);
    EXPECT(status != NULL && got == code);
    return NULL;
}

static OrtStatus *read_wrongly(const OrtKernelInfo *info)
{
    const OrtValue *value;
    float number;
    int64_t whole;
    char text[2];
    size_t n = sizeof text;
    int is_constant = 1;

    CHECK(must_fail(api->KernelInfoGetAttribute_float(info, "missing", &number), ORT_FAIL));
    CHECK(must_fail(api->KernelInfoGetAttribute_int64(info, "alpha", &whole), ORT_FAIL));
    CHECK(must_fail(api->KernelInfoGetAttribute_float(info, "floats", &number), ORT_FAIL));
    CHECK(must_fail(api->KernelInfoGetAttribute_string(info, "name", text, &n),
                    ORT_INVALID_ARGUMENT));
    EXPECT(n == sizeof "line");
    CHECK(must_fail(api->KernelInfoGetConstantInput_tensor(info, 4, &is_constant, &value),
                    ORT_INVALID_ARGUMENT));
    CHECK(api->KernelInfoGetConstantInput_tensor(info, 0, &is_constant, &value));
    EXPECT(!is_constant && !value);
    return NULL;
}

static OrtStatus *affine_create(const OrtCustomOp *op, const OrtApi *table,
                                const OrtKernelInfo *info, void **kernel)
{
    struct affine own = {0}, *made;
    char name[8];
    size_t n = sizeof name;

    (void)op;
    EXPECT(table == api);
    CHECK(api->KernelInfoGetAttribute_float(info, "alpha", &own.alpha));
    CHECK(api->KernelInfoGetAttribute_int64(info, "bias", &own.bias));
    CHECK(api->KernelInfoGetAttribute_string(info, "name", name, &n));
    EXPECT(strcmp(name, "line") == 0);
    CHECK(read_lists(info));
    CHECK(read_names(info));
    CHECK(read_wrongly(info));
    CHECK(api->KernelInfo_GetLogger(info, &own.logger));
    CHECK(api->CopyKernelInfo(info, &own.info));
    made = malloc(sizeof *made);
    if (!made) {
        api->ReleaseKernelInfo(own.info);
        return api->CreateStatus(ORT_FAIL, "no memory");
    }
    *made = own;
    *kernel = made;
    return NULL;
}

static void affine_destroy(void *kernel)
{
    struct affine *own = kernel;

    api->ReleaseKernelInfo(own->info);
    free(own);
}

struct affine_job {
    const struct affine *own;
    const float *x;
    float *y;
};

static void affine_element(void *u, size_t i)
{
    const struct affine_job *job = u;

    job->y[i] = job->own->alpha * job->x[i] + (float)job->own->bias;
}

static OrtStatus *affine_surroundings(const OrtKernelContext *context)
{
    OrtMemoryInfo *memory;
    OrtAllocator *allocator;
    const OrtLogger *logger;
    OrtValue *prepared;
    OrtStatus *status;
    void *stream = context != NULL ? &memory : NULL, *piece;
    size_t n = 0;

    CHECK(api->KernelContext_GetInputCount(context, &n));
    EXPECT(n == 1);
    CHECK(api->KernelContext_GetOutputCount(context, &n));
    EXPECT(n == 1);
    CHECK(api->KernelContext_GetGPUComputeStream(context, &stream));
    EXPECT(stream == NULL);
    CHECK(must_fail(api->KernelContext_GetResource(context, 1, 0, &piece), ORT_INVALID_ARGUMENT));
    CHECK(api->KernelContext_GetPreallocatedOutput(context, 0, &prepared));
    EXPECT(prepared == NULL);
    CHECK(api->KernelContext_GetLogger(context, &logger));
    EXPECT(logger != NULL);
    CHECK(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
    status = api->KernelContext_GetScratchBuffer(context, memory, 100, &piece);
    if (!status)
        memset(piece, 1, 100);
    if (!status)
        status = api->KernelContext_GetAllocator(context, memory, &allocator);
    if (!status) {
        status = api->AllocatorAlloc(allocator, 10, &piece);
        allocator->Free(allocator, piece);
        api->ReleaseAllocator(allocator);
    }
    api->ReleaseMemoryInfo(memory);
    return status;
}

static OrtStatus *affine_compute(void *kernel, OrtKernelContext *context)
{
    const struct affine *own = kernel;
    const OrtValue *beyond;
    OrtLoggingLevel level;
    const void *x;
    void *y;
    size_t count;

    CHECK(affine_surroundings(context));
    CHECK(must_fail(api->KernelContext_GetInput(context, 3, &beyond), ORT_FAIL));
    CHECK(both(context, &x, &y, &count));
    CHECK(api->Logger_GetLoggingSeverityLevel(own->logger, &level));
    EXPECT(level == ORT_LOGGING_LEVEL_WARNING);
    CHECK(api->Logger_LogMessage(own->logger, ORT_LOGGING_LEVEL_WARNING, "affine runs", "file.c", 7,
                                 "affine_compute"));
    CHECK(api->Logger_LogMessage(own->logger, ORT_LOGGING_LEVEL_INFO, "not shown", "", 1, ""));
    return api->KernelContext_ParallelFor(context, affine_element, count, 3,
                                          &(struct affine_job){own, x, y});
}

/* The same name for whole numbers, without attributes. */
static OrtStatus *twice_compute(void *kernel, OrtKernelContext *context)
{
    const void *x;
    void *y;
    size_t count;

    (void)kernel;
    CHECK(both(context, &x, &y, &count));
    for (size_t i = 0; i < count; i++)
        ((int64_t *)y)[i] = 2 * ((const int64_t *)x)[i];
    return NULL;
}

/* ---- Stack: any number of [n] to [count, n] ------------------------------------------------------ */

static OrtCustomOpInputOutputCharacteristic is_list(const OrtCustomOp *op, size_t index)
{
    (void)op;
    (void)index;
    return INPUT_OUTPUT_VARIADIC;
}

static int at_least_two(const OrtCustomOp *op)
{
    (void)op;
    return 2;
}

static int yes(const OrtCustomOp *op)
{
    (void)op;
    return 1;
}

static OrtStatus *stack_shape(const OrtCustomOp *op, OrtShapeInferContext *context)
{
    OrtTensorTypeAndShapeInfo *x, *y;
    const OrtOpAttr *attr;
    OrtStatus *status;
    int64_t dims[2], scale = 0;
    size_t n, rank, got;

    (void)op;
    CHECK(api->ShapeInferContext_GetInputCount(context, &n));
    CHECK(api->ShapeInferContext_GetAttribute(context, "scale", &attr));
    CHECK(api->ReadOpAttr(attr, ORT_OP_ATTR_INT, &scale, sizeof scale, &got));
    CHECK(api->ShapeInferContext_GetInputTypeShape(context, 0, &x));
    CHECK(api->GetDimensionsCount(x, &rank));
    if (rank != 1)
        return api->CreateStatus(ORT_INVALID_GRAPH, "Stack wants lists");
    CHECK(api->GetDimensions(x, &dims[1], 1));
    dims[0] = (int64_t)n * scale;
    CHECK(api->CreateTensorTypeAndShapeInfo(&y));
    status = api->SetTensorElementType(y, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    if (!status)
        status = api->SetDimensions(y, dims, 2);
    if (!status)
        status = api->ShapeInferContext_SetOutputTypeShape(context, 0, y);
    api->ReleaseTensorTypeAndShapeInfo(y);
    return status;
}

static OrtStatus *stack_compute(void *kernel, OrtKernelContext *context)
{
    const OrtValue *in;
    OrtValue *out;
    int64_t dims[2] = {0};
    size_t n, rank, count = 0;
    const void *x;
    void *y;

    (void)kernel;
    CHECK(api->KernelContext_GetInputCount(context, &n));
    CHECK(api->KernelContext_GetInput(context, 0, &in));
    CHECK(shape_of(in, &dims[1], &rank, &count));
    dims[0] = (int64_t)n;
    CHECK(api->KernelContext_GetOutput(context, 0, dims, 2, &out));
    CHECK(api->GetTensorMutableData(out, &y));
    for (size_t i = 0; i < n; i++) {
        CHECK(api->KernelContext_GetInput(context, i, &in));
        CHECK(api->GetTensorData(in, &x));
        memcpy((float *)y + i * count, x, count * sizeof(float));
    }
    return NULL;
}

/* ---- Keep: the positive ones, of any type; an operator of the first version ----------------------- */

static void *keep_create(const OrtCustomOp *op, const OrtApi *table, const OrtKernelInfo *info)
{
    (void)op;
    (void)info;
    return malloc(table ? 1 : 2);
}

static void keep_compute(void *kernel, OrtKernelContext *context)
{
    const OrtValue *in = NULL;
    OrtValue *out = NULL;
    int64_t dims[8], n = 0;
    size_t rank = 0, count = 0;
    const void *x = NULL;
    void *y = NULL;

    (void)kernel;
    /* functions of the first version cannot fail */
    api->ReleaseStatus(api->KernelContext_GetInput(context, 0, &in));
    api->ReleaseStatus(shape_of(in, dims, &rank, &count));
    api->ReleaseStatus(api->GetTensorData(in, &x));
    for (size_t i = 0; i < count; i++)
        n += ((const float *)x)[i] > 0;
    api->ReleaseStatus(api->KernelContext_GetOutput(context, 0, &n, 1, &out));
    api->ReleaseStatus(api->GetTensorMutableData(out, &y));
    n = 0;
    for (size_t i = 0; i < count; i++) {
        if (((const float *)x)[i] > 0)
            ((float *)y)[n++] = ((const float *)x)[i];
    }
}

/* ---- Upper: strings, and as a second output, which may be absent, their lengths ------------------- */

static ONNXTensorElementDataType is_string(const OrtCustomOp *op, size_t index)
{
    (void)op;
    return index == 0 ? ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING : ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
}

static size_t two(const OrtCustomOp *op)
{
    (void)op;
    return 2;
}

static OrtCustomOpInputOutputCharacteristic second_is_optional(const OrtCustomOp *op, size_t index)
{
    (void)op;
    return index == 1 ? INPUT_OUTPUT_OPTIONAL : INPUT_OUTPUT_REQUIRED;
}

static OrtStatus *upper_compute(void *kernel, OrtKernelContext *context)
{
    const OrtValue *in, *none;
    OrtValue *out, *lengths = NULL;
    void *numbers = NULL;
    int64_t dims[8];
    size_t rank, count, outputs;

    (void)kernel;
    CHECK(api->KernelContext_GetInput(context, 0, &in));
    CHECK(shape_of(in, dims, &rank, &count));
    CHECK(api->KernelContext_GetOutput(context, 0, dims, rank, &out));
    CHECK(api->KernelContext_GetOutputCount(context, &outputs));
    if (outputs > 1)
        CHECK(api->KernelContext_GetOutput(context, 1, dims, rank, &lengths));
    if (lengths)
        CHECK(api->GetTensorMutableData(lengths, &numbers));
    CHECK(must_fail(api->KernelContext_GetInput(context, 1, &none), ORT_FAIL));
    for (size_t i = 0; i < count; i++) {
        size_t n;
        char *to;

        CHECK(api->GetStringTensorElementLength(in, i, &n));
        CHECK(api->GetResizedStringTensorElementBuffer(out, i, n, &to));
        CHECK(api->GetStringTensorElement(in, n, i, to));
        for (size_t k = 0; k < n; k++)
            to[k] = (char)toupper((unsigned char)to[k]);
        if (numbers)
            ((int64_t *)numbers)[i] = (int64_t)n;
    }
    return NULL;
}

/* ---- Norm: runs standard operators by itself ------------------------------------------------------ */

struct norm {
    OrtOp *reduce, *root;
};

static void norm_destroy(void *kernel)
{
    struct norm *norm = kernel;

    api->ReleaseOp(norm->reduce);
    api->ReleaseOp(norm->root);
    free(norm);
}

static OrtStatus *norm_make(const OrtKernelInfo *info, struct norm *norm)
{
    static const char *const names[] = {"T"};
    static const ONNXTensorElementDataType types[] = {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT};
    int64_t keep = 1;
    const OrtOpAttr *attrs[1];
    OrtOpAttr *attr;
    OrtOp *wrong;
    OrtStatus *status;

    CHECK(must_fail(api->CreateOp(info, "Unheard", "", 13, NULL, NULL, 0, NULL, 0, 1, 1, &wrong),
                    ORT_NOT_IMPLEMENTED));
    CHECK(must_fail(api->CreateOp(info, "Add", "", 13, NULL, NULL, 0, NULL, 0, 1, 1, &wrong),
                    ORT_INVALID_ARGUMENT));
    CHECK(api->CreateOpAttr("keepdims", &keep, 1, ORT_OP_ATTR_INT, &attr));
    attrs[0] = attr;
    status = api->CreateOp(info, "ReduceSumSquare", "", 13, (const char **)(uintptr_t)names, types,
                           1, attrs, 1, 1, 1, &norm->reduce);
    api->ReleaseOpAttr(attr);
    CHECK(status);
    return api->CreateOp(info, "Sqrt", "", 13, (const char **)(uintptr_t)names, types, 1, NULL, 0,
                         1, 1, &norm->root);
}

static OrtStatus *norm_create(const OrtCustomOp *op, const OrtApi *table, const OrtKernelInfo *info,
                              void **kernel)
{
    struct norm *norm = calloc(1, sizeof *norm);
    OrtStatus *status;

    (void)op;
    (void)table;
    status = norm ? norm_make(info, norm) : api->CreateStatus(ORT_FAIL, "no memory");
    if (status && norm)
        norm_destroy(norm);
    *kernel = status ? NULL : norm;
    return status;
}

static OrtStatus *norm_compute(void *kernel, OrtKernelContext *context)
{
    static const int64_t ones[] = {1, 1};
    const struct norm *norm = kernel;
    OrtAllocator *allocator;
    const OrtValue *in, *sums[1];
    OrtValue *sum, *out;
    OrtStatus *status;

    CHECK(api->KernelContext_GetInput(context, 0, &in));
    CHECK(api->KernelContext_GetOutput(context, 0, ones, 2, &out));
    CHECK(api->GetAllocatorWithDefaultOptions(&allocator));
    CHECK(
        api->CreateTensorAsOrtValue(allocator, ones, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &sum));
    sums[0] = sum;
    status = api->InvokeOp(context, norm->reduce, &in, 1, &sum, 1);
    if (!status)
        status = api->InvokeOp(context, norm->root, sums, 1, &out, 1);
    if (!status)
        status =
            must_fail(api->InvokeOp(context, norm->root, sums, 1, &out, 2), ORT_INVALID_ARGUMENT);
    api->ReleaseValue(sum);
    return status;
}

/* ---- Same: says that its output is its input, and writes nothing ---------------------------------- */

static size_t same_alias(int **in, int **out)
{
    *in = calloc(1, sizeof **in);
    *out = calloc(1, sizeof **out);
    return *in && *out ? 1 : 0;
}

static void free_alias(int *in, int *out)
{
    free(in);
    free(out);
}

static OrtStatus *same_compute(void *kernel, OrtKernelContext *context)
{
    const void *x;
    void *y;
    size_t count;

    (void)kernel;
    return both(context, &x, &y, &count);
}

/* ---- those that fail ------------------------------------------------------------------------------ */

static OrtStatus *fail_compute(void *kernel, OrtKernelContext *context)
{
    (void)kernel;
    (void)context;
    return api->CreateStatus(ORT_NO_MODEL, "the kernel has had enough");
}

static OrtStatus *fail_create(const OrtCustomOp *op, const OrtApi *table, const OrtKernelInfo *info,
                              void **kernel)
{
    (void)op;
    (void)info;
    (void)kernel;
    return table->CreateStatus(ORT_INVALID_ARGUMENT, "the kernel does not want to be");
}

static OrtStatus *lazy_compute(void *kernel, OrtKernelContext *context)
{
    (void)kernel;
    (void)context;
    return NULL;
}

static const char *cuda(const OrtCustomOp *op)
{
    (void)op;
    return "CUDAExecutionProvider";
}

/* ---- the table ------------------------------------------------------------------------------------ */

#define NAME(word)                                                                                 \
    static const char *name_##word(const OrtCustomOp *op)                                          \
    {                                                                                              \
        (void)op;                                                                                  \
        return #word;                                                                              \
    }
NAME(Affine)
NAME(Stack)
NAME(Keep)
NAME(Upper)
NAME(Norm)
NAME(Same)
NAME(Fail)
NAME(Unmade)
NAME(Lazy)
NAME(Device)

#define COMMON(word, in, out)                                                                      \
    .GetName = name_##word, .GetExecutionProviderType = no_type, .GetInputType = in,               \
    .GetInputTypeCount = one, .GetOutputType = out, .GetOutputTypeCount = one,                     \
    .KernelDestroy = nothing, .GetInputCharacteristic = is_required,                               \
    .GetOutputCharacteristic = is_required, .GetInputMemoryType = ordinary,                        \
    .CreateKernelV2 = no_kernel

static OrtCustomOp ops[] = {
    {.version = 17, COMMON(Stack, is_float, is_float), .KernelComputeV2 = stack_compute},
    {.version = 1,
     COMMON(Keep, is_float, is_float),
     .CreateKernel = keep_create,
     .KernelCompute = keep_compute},
    {.version = 20, COMMON(Upper, is_string, is_string), .KernelComputeV2 = upper_compute},
    {.version = 22, COMMON(Norm, is_float, is_float), .KernelComputeV2 = norm_compute},
    {.version = 18, COMMON(Same, is_any, is_any), .KernelComputeV2 = same_compute},
    {.version = 16, COMMON(Fail, is_float, is_float), .KernelComputeV2 = fail_compute},
    {.version = 16, COMMON(Unmade, is_float, is_float), .KernelComputeV2 = fail_compute},
    {.version = 16, COMMON(Lazy, is_float, is_float), .KernelComputeV2 = lazy_compute},
    {.version = 16, COMMON(Device, is_float, is_float), .KernelComputeV2 = lazy_compute},
    {.version = ORT_API_VERSION,
     COMMON(Affine, is_float, is_float),
     .KernelComputeV2 = affine_compute},
    {.version = ORT_API_VERSION,
     COMMON(Affine, is_int64, is_int64),
     .KernelComputeV2 = twice_compute},
};

enum {
    STACK,
    KEEP,
    UPPER,
    NORM,
    SAME,
    FAIL_RUN,
    UNMADE,
    LAZY,
    DEVICE,
    AFFINE,
    N_OPS = sizeof ops / sizeof *ops
};

static void complete(void)
{
    /* what a struct of the first version has behind its end is not to be touched */
    memset((char *)&ops[KEEP] + offsetof(OrtCustomOp, GetInputCharacteristic), 0xa5,
           sizeof(OrtCustomOp) - offsetof(OrtCustomOp, GetInputCharacteristic));
    ops[KEEP].KernelDestroy = free;
    ops[STACK].GetInputCharacteristic = is_list;
    ops[STACK].GetVariadicInputMinArity = at_least_two;
    ops[STACK].GetVariadicInputHomogeneity = yes;
    ops[STACK].InferOutputShapeFn = stack_shape;
    ops[UPPER].GetOutputTypeCount = two;
    ops[UPPER].GetOutputCharacteristic = second_is_optional;
    ops[NORM].CreateKernelV2 = norm_create;
    ops[NORM].KernelDestroy = norm_destroy;
    ops[SAME].GetAliasMap = same_alias;
    ops[SAME].ReleaseAliasMap = free_alias;
    ops[UNMADE].CreateKernelV2 = fail_create;
    ops[DEVICE].GetExecutionProviderType = cuda;
    ops[AFFINE].CreateKernelV2 = affine_create;
    ops[AFFINE].KernelDestroy = affine_destroy;
    ops[AFFINE].InferOutputShapeFn = same_shape;
    ops[AFFINE + 1].InferOutputShapeFn = same_shape;
}

static OrtCustomOpDomain *domain;

/* For tests that make a domain themselves: operator i, NULL behind the last. */
EXPORT const OrtCustomOp *test_operator(size_t i, const OrtApi *table);
EXPORT const OrtCustomOp *test_operator(size_t i, const OrtApi *table)
{
    api = table;
    complete();
    return i < N_OPS ? &ops[i] : NULL;
}

EXPORT OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base);
EXPORT OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base)
{
    api = base->GetApi(ORT_API_VERSION);
    if (!domain) {
        complete();
        CHECK(api->CreateCustomOpDomain("test.ops", &domain));
        for (size_t i = 0; i < N_OPS; i++)
            CHECK(api->CustomOpDomain_Add(domain, &ops[i]));
    }
    return api->AddCustomOpDomain(options, domain);
}

/* The domain has to outlive the sessions: it goes with the library. */
__attribute__((destructor)) static void unload(void)
{
    if (domain)
        api->ReleaseCustomOpDomain(domain);
}
#endif
