/* SPDX-License-Identifier: MIT */
/* check_preallocated.c - kernels of the application see the outputs that a run's caller brings. */

#include "config.h"

#include "ort/kit.h"

/* ---- an operator: y = 10 x, plus what was in y where the caller brings it ---------------------- */

static struct {
    int64_t dims[4];
    size_t rank;
    const void *data;
    bool was_given;
} seen;

static void *ORT_API_CALL make(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info)
{
    (void)op, (void)api, (void)info;
    return &seen;
}

static const char *ORT_API_CALL name(const OrtCustomOp *op)
{
    (void)op;
    return "Tenfold";
}

static const char *ORT_API_CALL provider(const OrtCustomOp *op)
{
    (void)op;
    return NULL;
}

static ONNXTensorElementDataType ORT_API_CALL type(const OrtCustomOp *op, size_t i)
{
    (void)op, (void)i;
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

static size_t ORT_API_CALL one(const OrtCustomOp *op)
{
    (void)op;
    return 1;
}

static void look_at(OrtValue *value)
{
    OrtTensorTypeAndShapeInfo *info;

    ok(ort->GetTensorTypeAndShape(value, &info));
    ok(ort->GetDimensionsCount(info, &seen.rank));
    ok(ort->GetDimensions(info, seen.dims, seen.rank));
    ort->ReleaseTensorTypeAndShapeInfo(info);
    seen.data = float_data(value);
}

static void ORT_API_CALL compute(void *kernel, OrtKernelContext *context)
{
    const OrtValue *x;
    OrtValue *y;
    const float *from;
    float *to;

    (void)kernel;
    ok(ort->KernelContext_GetInput(context, 0, &x));
    from = float_data((OrtValue *)(uintptr_t)x);
    ok(ort->KernelContext_GetPreallocatedOutput(context, 0, &y));
    seen.was_given = y != NULL;
    if (y)
        look_at(y);
    else
        ok(ort->KernelContext_GetOutput(context, 0, (const int64_t[]){1, 3}, 2, &y));
    to = (float *)(uintptr_t)float_data(y);
    for (int i = 0; i < 3; i++)
        to[i] = (seen.was_given ? to[i] : 0) + 10 * from[i];
}

static void ORT_API_CALL destroy(void *kernel)
{
    (void)kernel;
}

static OrtCustomOpInputOutputCharacteristic ORT_API_CALL required(const OrtCustomOp *op, size_t i)
{
    (void)op, (void)i;
    return INPUT_OUTPUT_REQUIRED;
}

static OrtMemType ORT_API_CALL in_memory(const OrtCustomOp *op, size_t i)
{
    (void)op, (void)i;
    return OrtMemTypeDefault;
}

static OrtStatus *ORT_API_CALL same_shape(const OrtCustomOp *op, OrtShapeInferContext *context)
{
    OrtTensorTypeAndShapeInfo *info;
    OrtStatus *status = ort->ShapeInferContext_GetInputTypeShape(context, 0, &info);

    (void)op;
    return status ? status : ort->ShapeInferContext_SetOutputTypeShape(context, 0, info);
}

static OrtCustomOp tenfold = {
    .version = 18,
    .CreateKernel = make,
    .GetName = name,
    .GetExecutionProviderType = provider,
    .GetInputType = type,
    .GetInputTypeCount = one,
    .GetOutputType = type,
    .GetOutputTypeCount = one,
    .KernelCompute = compute,
    .KernelDestroy = destroy,
    .GetInputCharacteristic = required,
    .GetOutputCharacteristic = required,
    .GetInputMemoryType = in_memory,
};

/* ---- sessions of it ---------------------------------------------------------------------------- */

static OrtCustomOpDomain *domain;

static void tenfold_node(struct pw *w, const char *in, const char *out)
{
    pw_open_node(w, "Tenfold", in, out);
    pw_text(w, 7, "test.ops");
    pw_close(w);
}

/* `between` has a reader, and is an output if the test wants it. */
static OrtSession *open_chain(bool knows_shapes)
{
    OrtSessionOptions *options;
    OrtSession *session;
    struct pw w;

    seen.was_given = false;
    tenfold.InferOutputShapeFn = knows_shapes ? same_shape : NULL;
    ok(ort->CreateCustomOpDomain("test.ops", &domain));
    ok(ort->CustomOpDomain_Add(domain, &tenfold));
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddCustomOpDomain(options, domain));
    memset(&w, 0, sizeof w);
    pw_open(&w, 8);
    pw_text(&w, 1, "test.ops");
    pw_int(&w, 2, 1);
    pw_close(&w);
    pw_open_model(&w);
    tenfold_node(&w, "x", "y");
    NODE(&w, "Neg", "z", "y");
    model_end(&w, 11, "x", TENSOR, 1, DIMS(1, 3));
    model_end(&w, 12, "y", TENSOR, 1, DIMS(1, 3));
    model_end(&w, 12, "z", TENSOR, 1, DIMS(1, 3));
    session = model_open(&w, options);
    ort->ReleaseSessionOptions(options);
    return session;
}

static void close_chain(OrtSession *session)
{
    ort->ReleaseSession(session);
    ort->ReleaseCustomOpDomain(domain);
}

static const int64_t row[] = {1, 3};

static OrtStatus *run(OrtSession *session, OrtValue **outputs)
{
    static const char *const in_names[] = {"x"}, *const out_names[] = {"y", "z"};
    float x[] = {1, 2, 3};
    OrtValue *in = floats(x, 3, row, 2);
    OrtStatus *status =
        ort->Run(session, NULL, in_names, (const OrtValue *const *)&in, 1, out_names, 2, outputs);

    ort->ReleaseValue(in);
    return status;
}

static void check_run(OrtSession *session)
{
    _Alignas(64) float y[] = {100, 200, 300};
    OrtValue *outputs[2] = {NULL, NULL};

    /* nothing brought: nothing to see */
    ok(run(session, outputs));
    ck_assert(!seen.was_given);
    ck_assert(float_data(outputs[0])[2] == 30 && float_data(outputs[1])[2] == -30);
    ort->ReleaseValue(outputs[0]);
    ort->ReleaseValue(outputs[1]);

    /* the output brought is seen as it is, and what reads it finds it there */
    outputs[0] = floats(y, 3, row, 2);
    outputs[1] = NULL;
    ok(run(session, outputs));
    ck_assert(seen.was_given && seen.rank == 2 && seen.dims[0] == 1 && seen.dims[1] == 3);
    ck_assert_ptr_eq(seen.data, y);
    ck_assert(y[0] == 110 && y[2] == 330 && float_data(outputs[1])[2] == -330);
    ort->ReleaseValue(outputs[1]);

    /* again, without the one output and with the other */
    ort->ReleaseValue(outputs[0]);
    outputs[0] = NULL;
    outputs[1] = floats(y, 3, row, 2);
    ok(run(session, outputs));
    ck_assert(!seen.was_given && y[2] == -30 && float_data(outputs[0])[2] == 30);
    ort->ReleaseValue(outputs[0]);
    ort->ReleaseValue(outputs[1]);
}

START_TEST(a_kernel_reads_the_preallocated_output_it_sizes)
{
    OrtSession *session = open_chain(false);

    check_run(session);
    close_chain(session);
}
END_TEST

START_TEST(a_kernel_with_an_output_shape_function_reads_its_preallocated_output)
{
    OrtSession *session = open_chain(true);

    check_run(session);
    close_chain(session);
}
END_TEST

/* Badly aligned memory is filled at the end; the kernel sees what was in it. */
START_TEST(an_unaligned_preallocated_output_is_filled)
{
    static const float before[] = {100, 200, 300};
    _Alignas(64) char memory[16];
    OrtValue *outputs[2] = {NULL, NULL};
    OrtSession *session = open_chain(false);
    float y[3];

    memcpy(memory + 1, before, sizeof before);
    outputs[0] = floats((float *)(void *)(memory + 1), 3, row, 2);
    ok(run(session, outputs));
    memcpy(y, memory + 1, sizeof y);
    ck_assert(seen.was_given && y[0] == 110 && y[2] == 330);
    ck_assert(float_data(outputs[1])[0] == -110);
    ort->ReleaseValue(outputs[0]);
    ort->ReleaseValue(outputs[1]);
    close_chain(session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("preallocated");
    TCase *tcase = tcase_create("preallocated");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_kernel_reads_the_preallocated_output_it_sizes);
    tcase_add_test(tcase, a_kernel_with_an_output_shape_function_reads_its_preallocated_output);
    tcase_add_test(tcase, an_unaligned_preallocated_output_is_filled);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
