/* SPDX-License-Identifier: MIT */
/* check_variadic.c - custom operators with lists of inputs or outputs: which nodes they may have. */

#include "config.h"

#include "ort/kit.h"

enum { FLOAT = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, ANY = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED };

/* An operator and a node of it; the codes and words are those of ONNX Runtime 1.30. */
static const struct row {
    size_t n_in, n_out;           /* of the operator */
    int in_list, out_list;        /* which is a list; -1: none */
    int least;                    /* of lists */
    bool is_mixed;                /* lists may have several types */
    int type;                     /* of all inputs */
    const char *inputs, *outputs; /* of the node: "f" floats, "i" integers; "y" each output */
    OrtErrorCode code;
    const char *words;
} rows[] = {
    {1, 1, 0, -1, 1, false, FLOAT, "fff", "y", ORT_OK, NULL},
    {1, 1, 0, -1, 1, false, FLOAT, "fif", "y", ORT_INVALID_GRAPH, "Type Error"},
    {1, 1, 0, -1, 1, true, FLOAT, "fif", "y", ORT_INVALID_GRAPH, "Type Error"},
    {1, 1, 0, -1, 1, true, FLOAT, "ff", "y", ORT_OK, NULL},
    {1, 1, 0, -1, 1, false, ANY, "ii", "y", ORT_OK, NULL},
    {1, 1, 0, -1, 1, false, ANY, "fif", "y", ORT_FAIL, "bound to different types"},
    {1, 1, 0, -1, 1, true, ANY, "fif", "y", ORT_OK, NULL},
    {1, 1, 0, -1, 0, false, FLOAT, "", "y", ORT_OK, NULL},
    {1, 1, 0, -1, -1, false, FLOAT, "f", "y", ORT_OK, NULL},
    {1, 1, 0, -1, 3, false, FLOAT, "ff", "y", ORT_INVALID_GRAPH, "not in range"},
    {1, 1, 0, -1, 3, false, FLOAT, "fff", "y", ORT_OK, NULL},
    {2, 1, 1, -1, 1, false, FLOAT, "fff", "y", ORT_OK, NULL},
    {2, 1, 1, -1, 2, false, FLOAT, "ff", "y", ORT_INVALID_GRAPH, "not in range"},
    {2, 1, 1, -1, 1, false, FLOAT, "f", "y", ORT_INVALID_GRAPH, "not in range"},
    {2, 1, -1, -1, 1, false, FLOAT, "f", "y", ORT_INVALID_GRAPH, "not in range"},
    {2, 1, -1, -1, 1, false, FLOAT, "fi", "y", ORT_INVALID_GRAPH, "Type Error"},
    {1, 1, -1, 0, 2, false, FLOAT, "f", "y", ORT_INVALID_GRAPH, "not in range"},
    {1, 1, -1, 0, 2, false, FLOAT, "f", "yy", ORT_OK, NULL},
    {2, 1, 0, -1, 1, false, FLOAT, "fff", "y", ORT_FAIL,
     "Only the last input to a custom op may be marked variadic"},
    {1, 2, -1, 0, 1, false, FLOAT, "f", "yy", ORT_FAIL,
     "Only the last output to a custom op may be marked variadic"},
};

static const struct row *row;

static const char *name(const OrtCustomOp *op)
{
    (void)op;
    return "Lists";
}

static const char *provider(const OrtCustomOp *op)
{
    (void)op;
    return NULL;
}

static size_t count_in(const OrtCustomOp *op)
{
    (void)op;
    return row->n_in;
}

static size_t count_out(const OrtCustomOp *op)
{
    (void)op;
    return row->n_out;
}

static ONNXTensorElementDataType type_in(const OrtCustomOp *op, size_t i)
{
    (void)op;
    (void)i;
    return (ONNXTensorElementDataType)row->type;
}

static ONNXTensorElementDataType type_out(const OrtCustomOp *op, size_t i)
{
    (void)op;
    (void)i;
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

static OrtCustomOpInputOutputCharacteristic how_in(const OrtCustomOp *op, size_t i)
{
    (void)op;
    return (int)i == row->in_list ? INPUT_OUTPUT_VARIADIC : INPUT_OUTPUT_REQUIRED;
}

static OrtCustomOpInputOutputCharacteristic how_out(const OrtCustomOp *op, size_t i)
{
    (void)op;
    return (int)i == row->out_list ? INPUT_OUTPUT_VARIADIC : INPUT_OUTPUT_REQUIRED;
}

static OrtMemType memory(const OrtCustomOp *op, size_t i)
{
    (void)op;
    (void)i;
    return OrtMemTypeDefault;
}

static int least(const OrtCustomOp *op)
{
    (void)op;
    return row->least;
}

static int is_homogeneous(const OrtCustomOp *op)
{
    (void)op;
    return !row->is_mixed;
}

static void *create(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info)
{
    (void)op;
    (void)api;
    (void)info;
    return &row;
}

static void compute(void *kernel, OrtKernelContext *context)
{
    (void)kernel;
    (void)context;
}

static void destroy(void *kernel)
{
    (void)kernel;
}

static const OrtCustomOp lists = {.version = 14,
                                  .CreateKernel = create,
                                  .GetName = name,
                                  .GetExecutionProviderType = provider,
                                  .GetInputType = type_in,
                                  .GetInputTypeCount = count_in,
                                  .GetOutputType = type_out,
                                  .GetOutputTypeCount = count_out,
                                  .KernelCompute = compute,
                                  .KernelDestroy = destroy,
                                  .GetInputCharacteristic = how_in,
                                  .GetOutputCharacteristic = how_out,
                                  .GetInputMemoryType = memory,
                                  .GetVariadicInputMinArity = least,
                                  .GetVariadicInputHomogeneity = is_homogeneous,
                                  .GetVariadicOutputMinArity = least,
                                  .GetVariadicOutputHomogeneity = is_homogeneous};

static void write_model(struct pw *w)
{
    static const char *const outputs[] = {"y0", "y1"};

    model_begin(w);
    pw_open(w, 1);
    for (const char *c = row->inputs; *c; c++)
        pw_text(w, 1, *c == 'f' ? "f" : "i");
    for (size_t i = 0; row->outputs[i]; i++)
        pw_text(w, 2, outputs[i]);
    pw_text(w, 4, "Lists");
    pw_text(w, 7, "test");
    pw_close(w);
    model_end(w, 11, "f", TENSOR, 1, DIMS(2));
    model_end(w, 11, "i", TENSOR, 7, DIMS(2));
    for (size_t i = 0; row->outputs[i]; i++)
        model_end(w, 12, outputs[i], TENSOR, 1, NULL);
    pw_close(w);
}

START_TEST(variadic_inputs_of_custom_operators_are_checked)
{
    OrtCustomOpDomain *domain = NULL;
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;
    struct pw w;

    row = &rows[_i];
    ok(ort->CreateCustomOpDomain("test", &domain));
    ok(ort->CustomOpDomain_Add(domain, &lists));
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddCustomOpDomain(options, domain));
    write_model(&w);
    if (row->words)
        fails(ort->CreateSessionFromArray(env, w.data, w.size, options, &session), row->code,
              row->words);
    else
        ok(ort->CreateSessionFromArray(env, w.data, w.size, options, &session));
    ck_assert_int_eq(session != NULL, row->words == NULL);
    pw_free(&w);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
    ort->ReleaseCustomOpDomain(domain);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("variadic");
    TCase *tcase = tcase_create("variadic");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, variadic_inputs_of_custom_operators_are_checked, 0,
                        sizeof rows / sizeof *rows);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
