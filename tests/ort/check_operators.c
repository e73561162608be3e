/* SPDX-License-Identifier: MIT */
/*
 * check_operators.c - a library of operators for ONNX Runtime (operators.c): registered by path, by
 * function and by domain, run, and failing in words.
 */

#include "config.h"

#include <dlfcn.h>

#include "ort/kit.h"

#define LIBRARY "libtest-operators.so"

static char lines[8][256]; /* of the log */
static size_t n_lines;

static const char *library(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/tests/ort/.libs/%s", getenv("BP_BUILDDIR"), name);
    return path;
}

/* ---- models ---------------------------------------------------------------------------------- */

static void attr(struct pw *w, const char *name, int type)
{
    pw_open(w, 5);
    pw_text(w, 1, name);
    pw_int(w, 20, type);
}

/* A node of the test's domain, open for attributes; names with blanks between. */
static void open_op(struct pw *w, const char *op, const char *name, const char *in, const char *out)
{
    const char *lists[] = {in, out};

    pw_open(w, 1);
    for (uint32_t i = 0; i < 2; i++) {
        for (const char *p = lists[i]; *p;) {
            size_t n = strcspn(p, " ");

            pw_bytes(w, i + 1, p, n);
            p += n + (p[n] == ' ');
        }
    }
    pw_text(w, 3, name);
    pw_text(w, 4, op);
    pw_text(w, 7, "test.ops");
}

static void op(struct pw *w, const char *type, const char *in, const char *out)
{
    open_op(w, type, "n", in, out);
    pw_close(w);
}

static void affine(struct pw *w)
{
    open_op(w, "Affine", "affine", "x", "y");
    attr(w, "alpha", 1);
    pw_float(w, 2, 2);
    pw_close(w);
    attr(w, "bias", 2);
    pw_int(w, 3, 10);
    pw_close(w);
    attr(w, "name", 3);
    pw_text(w, 4, "line");
    pw_close(w);
    attr(w, "floats", 6);
    pw_float(w, 7, 0.5f);
    pw_float(w, 7, 1.5f);
    pw_close(w);
    attr(w, "ints", 7);
    for (int64_t i = -5; i >= -7; i--)
        pw_int(w, 8, i);
    pw_close(w);
    attr(w, "texts", 8);
    pw_text(w, 9, "a");
    pw_text(w, 9, "");
    pw_close(w);
    attr(w, "tensor", 4);
    pw_raw_tensor(w, 5, "", 1, PW_DIMS(2), (float[]){8, 9}, 8);
    pw_close(w);
    pw_close(w);
}

static void begin(struct pw *w, int dtype, const int64_t *dims)
{
    model_begin(w);
    model_end(w, 11, "x", TENSOR, dtype, dims);
}

/* Ends the model, with the import of the domain; the caller frees it. */
static OrtStatus *try_open(struct pw *w, const OrtSessionOptions *options, OrtSession **out)
{
    OrtStatus *status;

    pw_close(w);
    pw_open(w, 8);
    pw_text(w, 1, "test.ops");
    pw_int(w, 2, 1);
    pw_close(w);
    status = ort->CreateSessionFromArray(env, w->data, w->size, options, out);
    pw_free(w);
    return status;
}

static OrtSession *open(struct pw *w, const OrtSessionOptions *options)
{
    OrtSession *session = NULL;

    ok(try_open(w, options, &session));
    return session;
}

/* x -> one operator -> y, floats of [n]. */
static void simple(struct pw *w, const char *type)
{
    begin(w, 1, DIMS(-1));
    op(w, type, "x", "y");
    model_end(w, 12, "y", TENSOR, 1, NULL);
}

static OrtStatus *try_run(OrtSession *session, OrtValue *x, OrtValue **y)
{
    static const char *const in[] = {"x"}, *const out[] = {"y"};
    const OrtValue *values[] = {x};

    *y = NULL;
    return ort->Run(session, NULL, in, values, 1, out, 1, y);
}

static void check_floats(OrtValue *value, const float *want, size_t n, size_t want_rank)
{
    OrtTensorTypeAndShapeInfo *shape;
    size_t count, rank;

    ok(ort->GetTensorTypeAndShape(value, &shape));
    ok(ort->GetTensorShapeElementCount(shape, &count));
    ok(ort->GetDimensionsCount(shape, &rank));
    ort->ReleaseTensorTypeAndShapeInfo(shape);
    ck_assert_uint_eq(count, n);
    ck_assert_uint_eq(rank, want_rank);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(float_data(value)[i] == want[i], "element %zu is %g, not %g", i,
                      (double)float_data(value)[i], (double)want[i]);
}
#define FLOATS(value, rank, ...)                                                                   \
    check_floats(value, (const float[]){__VA_ARGS__},                                              \
                 sizeof((float[]){__VA_ARGS__}) / sizeof(float), rank)

static void run_floats(OrtSession *session, float *data, size_t n, size_t rank, const float *want,
                       size_t n_want)
{
    int64_t dims[] = {(int64_t)n};
    OrtValue *x = floats(data, n, dims, 1), *y;

    for (int round = 0; round < 2; round++) {
        ok(try_run(session, x, &y));
        check_floats(y, want, n_want, rank);
        ort->ReleaseValue(y);
    }
    ort->ReleaseValue(x);
}

/* Options with the library, by its path. */
static OrtSessionOptions *with_library(void)
{
    OrtSessionOptions *options;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->RegisterCustomOpsLibrary_V2(options, library(LIBRARY)));
    return options;
}

/* ---- what runs ------------------------------------------------------------------------------- */

static void record(void *param, OrtLoggingLevel severity, const char *category, const char *logid,
                   const char *code_location, const char *message)
{
    (void)param;
    (void)logid;
    if (n_lines < sizeof lines / sizeof *lines)
        snprintf(lines[n_lines], sizeof lines[0], "%d %s [%s] %s", (int)severity, category,
                 code_location, message);
    n_lines++;
}

START_TEST(a_kernel_reads_its_node_config_and_logger)
{
    OrtSessionOptions *options;
    OrtSession *session;
    struct pw w;

    ort->ReleaseEnv(env); /* one with a log of our own in its place */
    n_lines = 0;
    ok(ort->CreateEnvWithCustomLogger(record, NULL, ORT_LOGGING_LEVEL_WARNING, "test", &env));
    options = with_library();
    ok(ort->AddSessionConfigEntry(options, "test.key", "value"));
    begin(&w, 1, DIMS(-1));
    affine(&w);
    model_end(&w, 12, "y", TENSOR, 1, NULL);
    session = open(&w, options);
    ort->ReleaseSessionOptions(options); /* the session keeps the library */
    run_floats(session, (float[]){1, -1, 0.5f, 7}, 4, 1, (const float[]){12, 8, 11, 24}, 4);
    ort->ReleaseSession(session);
    ck_assert_uint_eq(n_lines, 2);
    ck_assert_str_eq(lines[0], "2 operator [file.c:7 affine_compute] affine runs");
}
END_TEST

START_TEST(one_operator_name_has_kernels_of_several_types)
{
    OrtSessionOptions *options = with_library();
    OrtSession *session;
    OrtTypeInfo *type;
    const OrtTensorTypeAndShapeInfo *shape;
    int64_t data[] = {4, -5}, dims[] = {2};
    OrtValue *x, *y;
    const void *got;
    const char *symbol;
    struct pw w;

    begin(&w, 7, DIMS(-1));
    op(&w, "Affine", "x", "y");
    model_end(&w, 12, "y", TENSOR, 7, NULL);
    session = open(&w, options);
    ok(ort->SessionGetOutputTypeInfo(session, 0, &type));
    ok(ort->CastTypeInfoToTensorInfo(type, &shape));
    ok(ort->GetSymbolicDimensions(shape, &symbol, 1));
    ck_assert_str_eq(symbol, "n"); /* through InferOutputShapeFn */
    ort->ReleaseTypeInfo(type);
    ok(ort->CreateTensorWithDataAsOrtValue(cpu, data, sizeof data, dims, 1,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &x));
    ok(try_run(session, x, &y));
    ok(ort->GetTensorData(y, &got));
    ck_assert_int_eq(((const int64_t *)got)[0], 8);
    ck_assert_int_eq(((const int64_t *)got)[1], -10);
    ort->ReleaseValue(x);
    ort->ReleaseValue(y);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
}
END_TEST

static void stack(struct pw *w, const char *in, int64_t scale)
{
    begin(w, 1, DIMS(-1));
    open_op(w, "Stack", "stack", in, "y");
    attr(w, "scale", 2);
    pw_int(w, 3, scale);
    pw_close(w);
    pw_close(w);
    model_end(w, 12, "y", TENSOR, 1, NULL);
}

START_TEST(a_variadic_input_enforces_its_minimum_length)
{
    OrtSessionOptions *options = with_library();
    OrtSession *session;
    struct pw w;

    stack(&w, "x x x", 1);
    session = open(&w, options);
    run_floats(session, (float[]){1, 2}, 2, 2, (const float[]){1, 2, 1, 2, 1, 2}, 6);
    ort->ReleaseSession(session);
    session = NULL;
    stack(&w, "x", 1);
    fails(try_open(&w, options, &session), ORT_INVALID_GRAPH, "1 inputs of the list Input0");
    ort->ReleaseSessionOptions(options);
}
END_TEST

START_TEST(a_kernel_chooses_the_output_size_from_data)
{
    OrtSessionOptions *options = with_library();
    OrtSession *session;
    struct pw w;

    begin(&w, 1, DIMS(-1));
    op(&w, "Keep", "x", "a");
    NODE(&w, "Neg", "b", "a");
    op(&w, "Same", "b", "y");
    model_end(&w, 12, "y", TENSOR, 1, NULL);
    session = open(&w, options);
    run_floats(session, (float[]){1, -2, 3}, 3, 1, (const float[]){-1, -3}, 2);
    run_floats(session, (float[]){5, 4, 3}, 3, 1, (const float[]){-5, -4, -3}, 3);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
}
END_TEST

START_TEST(kernels_handle_strings_and_optional_outputs)
{
    static const char *const in[] = {"x"}, *const out[] = {"y", "lengths"};
    static const char *const words[] = {"one", "", "Three"};
    OrtSessionOptions *options = with_library();

    for (int wanted = 1; wanted <= 2; wanted++) {
        OrtValue *x, *y[2] = {NULL, NULL};
        const OrtValue *feeds[1];
        OrtSession *session;
        char text[8];
        const void *got;
        struct pw w;

        begin(&w, 8, DIMS(-1));
        op(&w, "Upper", "x", wanted == 2 ? "y lengths" : "y");
        model_end(&w, 12, "y", TENSOR, 8, NULL);
        if (wanted == 2)
            model_end(&w, 12, "lengths", TENSOR, 7, NULL);
        session = open(&w, options);
        ok(ort->CreateTensorAsOrtValue(heap, DIMS(3), 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &x));
        ok(ort->FillStringTensor(x, words, 3));
        feeds[0] = x;
        ok(ort->Run(session, NULL, in, feeds, 1, out, (size_t)wanted, y));
        ok(ort->GetStringTensorElement(y[0], 5, 2, text));
        ck_assert_mem_eq(text, "THREE", 5);
        if (wanted == 2) {
            ok(ort->GetTensorData(y[1], &got));
            ck_assert_int_eq(((const int64_t *)got)[2], 5);
        }
        ort->ReleaseValue(x);
        ort->ReleaseValue(y[0]);
        ort->ReleaseValue(y[1]);
        ort->ReleaseSession(session);
    }
    ort->ReleaseSessionOptions(options);
}
END_TEST

START_TEST(kernels_run_standard_operators)
{
    OrtSessionOptions *options = with_library();
    OrtSession *session;
    OrtValue *x, *y;
    float data[] = {3, 0, 0, 4};
    struct pw w;

    begin(&w, 1, NULL);
    op(&w, "Norm", "x", "y");
    model_end(&w, 12, "y", TENSOR, 1, NULL);
    session = open(&w, options);
    x = floats(data, 4, DIMS(2, 2), 2);
    for (int round = 0; round < 2; round++) {
        ok(try_run(session, x, &y));
        FLOATS(y, 2, 5);
        ort->ReleaseValue(y);
    }
    ort->ReleaseValue(x);
    x = floats(data, 4, DIMS(4), 1); /* its sum is of another shape than the kernel thinks */
    fails(try_run(session, x, &y), ORT_INVALID_ARGUMENT, "another shape");
    ort->ReleaseValue(x);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* An allocator of the application that counts. */
struct counting {
    OrtAllocator table;
    int n_allocs, n_frees;
};

static void *count_alloc(OrtAllocator *this_, size_t size)
{
    ((struct counting *)(void *)this_)->n_allocs++;
    return malloc(size);
}

static void count_free(OrtAllocator *this_, void *p)
{
    ((struct counting *)(void *)this_)->n_frees++;
    free(p);
}

static const OrtMemoryInfo *count_info(const OrtAllocator *this_)
{
    (void)this_;
    return cpu;
}

/*
 * Norm's session takes memory for its runs, for y, whose size the kernel tells, and for the output;
 * the sessions of the two operators that the kernel runs take memory for their runs.
 */
START_TEST(operators_that_a_kernel_runs_use_the_allocator_of_its_session)
{
    struct counting counting = {
        .table = {.version = 17, .Alloc = count_alloc, .Free = count_free, .Info = count_info}};
    OrtSessionOptions *options = with_library();
    OrtMemoryInfo *arena = cpu;
    OrtSession *session;
    OrtValue *x, *y;
    float data[] = {3, 0, 0, 4};
    struct pw w;

    ok(ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu));
    ok(ort->RegisterAllocator(env, &counting.table));
    ok(ort->AddSessionConfigEntry(options, "session.use_env_allocators", "1"));
    begin(&w, 1, NULL);
    op(&w, "Norm", "x", "y");
    model_end(&w, 12, "y", TENSOR, 1, NULL);
    session = open(&w, options);
    x = floats(data, 4, DIMS(2, 2), 2);
    ok(try_run(session, x, &y));
    FLOATS(y, 2, 5);
    ort->ReleaseValue(y);
    ck_assert_int_eq(counting.n_allocs, 5);
    ok(try_run(session, x, &y));
    ort->ReleaseValue(y);
    ck_assert_int_eq(counting.n_allocs, 6); /* the output alone: memory of runs is kept */
    ort->ReleaseValue(x);
    ort->ReleaseSession(session);
    ck_assert_int_eq(counting.n_allocs, counting.n_frees);
    ok(ort->UnregisterAllocator(env, cpu));
    ort->ReleaseMemoryInfo(arena);
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* ---- ways in --------------------------------------------------------------------------------- */

typedef const OrtCustomOp *(*test_operator_fn)(size_t i, const OrtApi *table);

START_TEST(custom_operators_are_added_to_a_domain_in_memory)
{
    OrtSessionOptions *options, *copy;
    OrtCustomOpDomain *domain;
    OrtSession *session;
    test_operator_fn test_operator;
    OrtCustomOp wrong = {.version = 31};
    const OrtCustomOp *one;
    void *handle, *symbol;
    struct pw w;

    handle = dlopen(library(LIBRARY), RTLD_NOW);
    ck_assert_ptr_nonnull(handle);
    symbol = dlsym(handle, "test_operator");
    memcpy(&test_operator, &symbol, sizeof symbol);
    ok(ort->CreateCustomOpDomain("test.ops", &domain));
    fails(ort->CustomOpDomain_Add(domain, &wrong), ORT_INVALID_ARGUMENT, "version '31'");
    wrong.version = 1;
    fails(ort->CustomOpDomain_Add(domain, &wrong), ORT_INVALID_ARGUMENT, "no name");
    for (size_t i = 0; (one = test_operator(i, ort)) != NULL; i++)
        ok(ort->CustomOpDomain_Add(domain, one));
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddCustomOpDomain(options, domain));
    ok(ort->AddCustomOpDomain(options, domain)); /* once is enough */
    ok(ort->CloneSessionOptions(options, &copy));
    ort->ReleaseSessionOptions(options);
    simple(&w, "Keep");
    session = open(&w, copy);
    ort->ReleaseSessionOptions(copy);
    run_floats(session, (float[]){-1, 2}, 2, 1, (const float[]){2}, 1);
    ort->ReleaseSession(session);
    ort->ReleaseCustomOpDomain(domain);
    ort->ReleaseCustomOpDomain(NULL);
    dlclose(handle);
}
END_TEST

START_TEST(libraries_are_registered_by_handle_and_by_function)
{
    OrtSessionOptions *options;
    OrtSession *session;
    void *handle = NULL, *global;
    struct pw w;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->RegisterCustomOpsLibrary(options, library(LIBRARY), &handle));
    ck_assert_ptr_nonnull(handle);
    simple(&w, "Keep");
    session = open(&w, options);
    ort->ReleaseSessionOptions(options);
    run_floats(session, (float[]){-1, 2}, 2, 1, (const float[]){2}, 1);
    ort->ReleaseSession(session);
    dlclose(handle); /* this way it is the caller's */

    ok(ort->CreateSessionOptions(&options));
    fails(ort->RegisterCustomOpsUsingFunction(options, "no_such_function_here"), ORT_FAIL,
          "symbol no_such_function_here");
    fails(ort->RegisterCustomOpsUsingFunction(options, ""), ORT_FAIL, "symbol ''");
    global = dlopen(library(LIBRARY), RTLD_NOW | RTLD_GLOBAL);
    ck_assert_ptr_nonnull(global);
    ok(ort->RegisterCustomOpsUsingFunction(options, "RegisterCustomOps"));
    simple(&w, "Keep");
    session = open(&w, options);
    ort->ReleaseSessionOptions(options);
    run_floats(session, (float[]){7, -2}, 2, 1, (const float[]){7}, 1);
    ort->ReleaseSession(session);
    dlclose(global);
}
END_TEST

START_TEST(registration_names_a_library_that_cannot_be_loaded)
{
    OrtSessionOptions *options;
    void *handle = &options;

    ok(ort->CreateSessionOptions(&options));
    fails(ort->RegisterCustomOpsLibrary_V2(options, "/nowhere/libops.so"), ORT_FAIL,
          "/nowhere/libops.so");
    fails(ort->RegisterCustomOpsLibrary(options, "/nowhere/libops.so", &handle), ORT_FAIL,
          "No such file");
    ck_assert_ptr_null(handle);
    fails(ort->RegisterCustomOpsLibrary_V2(options, library("libtest-operators-silent.so")),
          ORT_FAIL, "Failed to get symbol RegisterCustomOps");
    fails(ort->RegisterCustomOpsLibrary(options, library("libtest-operators-silent.so"), &handle),
          ORT_FAIL, "Failed to get symbol RegisterCustomOps");
    fails(ort->RegisterCustomOpsLibrary_V2(options, library("libtest-operators-refusing.so")),
          ORT_INVALID_GRAPH, "no licence on this machine");
    fails(ort->EnableOrtCustomOps(options), ORT_FAIL, "libortextensions.so");
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------- */

static void fails_to_open(struct pw *w, OrtErrorCode code, const char *words)
{
    OrtSessionOptions *options = with_library();
    OrtSession *session = NULL;

    fails(try_open(w, options, &session), code, words);
    ck_assert_ptr_null(session);
    ort->ReleaseSessionOptions(options);
}

static void fails_to_run(struct pw *w, OrtErrorCode code, const char *words)
{
    OrtSessionOptions *options = with_library();
    OrtSession *session = open(w, options);
    float data[] = {1, 2};
    OrtValue *x = floats(data, 2, DIMS(2), 1), *y;

    fails(try_run(session, x, &y), code, words);
    ck_assert_ptr_null(y);
    ort->ReleaseValue(x);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
}

START_TEST(run_returns_the_message_of_a_failing_kernel)
{
    struct pw w;

    simple(&w, "Fail");
    fails_to_run(&w, ORT_NO_MODEL, "node 'n' (Fail): the kernel has had enough");
    simple(&w, "Lazy");
    fails_to_run(&w, ORT_RUNTIME_EXCEPTION, "without giving output 0");
    stack(&w, "x x", 2);
    fails_to_run(&w, ORT_INVALID_ARGUMENT,
                 "output 0 is made with 2 as size of dimension 0, the "
                 "operator's shapes say 4");
    simple(&w, "Unmade");
    fails_to_open(&w, ORT_RUNTIME_EXCEPTION, "node 'n' (Unmade): the kernel does not want to be");
    simple(&w, "Device");
    fails_to_open(&w, ORT_NOT_IMPLEMENTED, "test.ops.Device-1");
}
END_TEST

START_TEST(session_creation_refuses_nodes_that_do_not_match_their_operator)
{
    OrtSession *session = NULL;
    struct pw w;

    simple(&w, "Unheard");
    fails_to_open(&w, ORT_FAIL, "test.ops.Unheard-1");
    begin(&w, 7, DIMS(-1));
    op(&w, "Keep", "x", "y");
    model_end(&w, 12, "y", TENSOR, 1, NULL);
    fails_to_open(&w, ORT_INVALID_GRAPH, "input Input0 has type int64");
    begin(&w, 1, DIMS(-1));
    op(&w, "Keep", "x x", "y");
    model_end(&w, 12, "y", TENSOR, 1, NULL);
    fails_to_open(&w, ORT_INVALID_GRAPH, "has 2 inputs");
    begin(&w, 1, DIMS(-1));
    op(&w, "Keep", "x", "y z");
    model_end(&w, 12, "y", TENSOR, 1, NULL);
    fails_to_open(&w, ORT_INVALID_GRAPH, "has 2 outputs");
    simple(&w, "Keep"); /* without the library */
    fails(try_open(&w, NULL, &session), ORT_FAIL, "test.ops:Keep is not a registered function/op");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("operators");
    TCase *tcase = tcase_create("operators");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_kernel_reads_its_node_config_and_logger);
    tcase_add_test(tcase, one_operator_name_has_kernels_of_several_types);
    tcase_add_test(tcase, a_variadic_input_enforces_its_minimum_length);
    tcase_add_test(tcase, a_kernel_chooses_the_output_size_from_data);
    tcase_add_test(tcase, kernels_handle_strings_and_optional_outputs);
    tcase_add_test(tcase, kernels_run_standard_operators);
    tcase_add_test(tcase, operators_that_a_kernel_runs_use_the_allocator_of_its_session);
    tcase_add_test(tcase, custom_operators_are_added_to_a_domain_in_memory);
    tcase_add_test(tcase, libraries_are_registered_by_handle_and_by_function);
    tcase_add_test(tcase, registration_names_a_library_that_cannot_be_loaded);
    tcase_add_test(tcase, run_returns_the_message_of_a_failing_kernel);
    tcase_add_test(tcase, session_creation_refuses_nodes_that_do_not_match_their_operator);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
