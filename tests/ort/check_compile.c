/* SPDX-License-Identifier: MIT */
/* check_compile.c - OrtCompileApi: what is written loads again, here; and what is refused. */

#include "config.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ort/editor_kit.h"
#include "support/skip.h"

enum { N = 256 };

static const int64_t row[] = {N};
static float weights[N], x[N];

static const OrtCompileApi *compiler;
static char dir[400];
static OrtSessionOptions *defaults;
static OrtModelCompilationOptions *options;

static const char *path_of(const char *name)
{
    static char paths[4][1024];
    static int turn;

    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", dir, name);
    return paths[turn];
}

static void fresh_options(void)
{
    if (options)
        compiler->ReleaseModelCompilationOptions(options);
    options = NULL;
    ok(compiler->CreateModelCompilationOptionsFromSessionOptions(env, defaults, &options));
}

static void setup_compile(void)
{
    setup_editor();
    compiler = ort->GetCompileApi();
    temporary(dir, sizeof dir);
    ck_assert_ptr_nonnull(mkdtemp(dir));
    for (int i = 0; i < N; i++) {
        weights[i] = (float)i * 0.5f;
        x[i] = (float)(i % 7);
    }
    ok(ort->CreateSessionOptions(&defaults));
    options = NULL;
    fresh_options();
}

static void teardown_compile(void)
{
    static const char *const names[] = {"in.onnx",   "in.bin",     "in_ctx.onnx", "out.onnx",
                                        "out.bin",   "there.onnx", "sub/out.bin", "placed.bin",
                                        "alone.bin", "out.ort",    "again.ort",   "sub"};

    compiler->ReleaseModelCompilationOptions(options);
    ort->ReleaseSessionOptions(defaults);
    teardown();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)remove(path_of(names[i]));
    ck_assert_int_eq(rmdir(dir), 0); /* nothing half made was left */
}

/* ---- models ---------------------------------------------------------------------------------- */

static void external_entry(struct pw *w, const char *key, const char *value)
{
    pw_open(w, 13);
    pw_text(w, 1, key);
    pw_text(w, 2, value);
    pw_close(w);
}

/* y = x + w + one; location: w's file; NULL: within. */
static void write_model(struct pw *w, const char *location)
{
    const float one = 1.0f;

    model_begin(w);
    NODE(w, "Add", "t", "x", "w");
    NODE(w, "Add", "y", "t", "one");
    pw_open_tensor(w, 5, "w", 1, PW_DIMS(N));
    if (location) {
        external_entry(w, "location", location);
        pw_int(w, 14, 1);
    } else {
        pw_bytes(w, 9, weights, sizeof weights);
    }
    pw_close(w);
    pw_raw_tensor(w, 5, "one", 1, PW_SCALAR, &one, sizeof one);
    model_end(w, 11, "x", TENSOR, 1, DIMS(N));
    model_end(w, 12, "y", TENSOR, 1, DIMS(N));
    pw_close(w);
}

static void put_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void put_model(const char *name, const char *location)
{
    struct pw w;

    write_model(&w, location);
    put_file(name, w.data, w.size);
    pw_free(&w);
}

static long size_of(const char *name)
{
    struct stat st;

    return stat(path_of(name), &st) == 0 ? (long)st.st_size : -1;
}

/* A session that computes what the model should. */
static void check_session(OrtSession *session)
{
    OrtValue *result = run_floats(session, "x", x, N, row, 1, "y");

    for (int i = 0; i < N; i++)
        ck_assert(float_data(result)[i] == x[i] + weights[i] + 1.0f);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
}

static void check_file(const char *name)
{
    OrtSession *session = NULL;

    ok(ort->CreateSession(env, path_of(name), NULL, &session));
    check_session(session);
}

static void check_bytes(const void *bytes, size_t size, const OrtSessionOptions *session_options)
{
    OrtSession *session = NULL;

    ok(ort->CreateSessionFromArray(env, bytes, size, session_options, &session));
    check_session(session);
}

/* ---- from where to where --------------------------------------------------------------------- */

START_TEST(CompileModel_compiles_a_file_to_a_file)
{
    put_file("in.bin", weights, sizeof weights);
    put_model("in.onnx", "in.bin");
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    ok(compiler->CompileModel(env, options));
    (void)remove(path_of("in.bin")); /* weights are within now */
    check_file("out.onnx");
    ck_assert_int_gt(size_of("out.onnx"), (long)sizeof weights);
}
END_TEST

START_TEST(CompileModel_can_overwrite_its_input)
{
    put_file("in.bin", weights, sizeof weights);
    put_model("in.onnx", "in.bin");
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(options, "in.bin",
                                                                                8));
    ok(compiler->CompileModel(env, options));
    check_file("in.onnx");
}
END_TEST

START_TEST(CompileModel_writes_beside_the_input_by_default)
{
    put_model("in.onnx", NULL);
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->CompileModel(env, options));
    check_file("in_ctx.onnx");
}
END_TEST

START_TEST(CompileModel_compiles_a_buffer_to_a_buffer)
{
    struct pw w;
    void *bytes = NULL;
    size_t size = 0;

    write_model(&w, NULL);
    ok(compiler->ModelCompilationOptions_SetInputModelFromBuffer(options, w.data, w.size));
    ok(compiler->ModelCompilationOptions_SetOutputModelBuffer(options, heap, &bytes, &size));
    ok(compiler->CompileModel(env, options));
    ck_assert_uint_eq(size, w.size); /* nothing had to change */
    pw_free(&w);
    check_bytes(bytes, size, NULL);
    heap->Free(heap, bytes);
}
END_TEST

/* An OrtWriteBufferFunc: `state` is a pw; NULL: it refuses. */
static OrtStatus *take_part(void *state, const void *bytes, size_t size)
{
    if (!state)
        return ort->CreateStatus(ORT_EP_FAIL, "the shelf is full");
    pw_raw(state, bytes, size);
    return NULL;
}

START_TEST(CompileModel_writes_a_built_model_through_a_function)
{
    struct pw out = {0};
    const float one[] = {1.0f};
    OrtGraph *graph = NULL;
    OrtModel *model;
    OrtValue *scalar = NULL;
    void *data = NULL;

    ok(editor->CreateGraph(&graph));
    set_input(graph, "x", row, 1);
    set_output(graph, "y", row, 1);
    add_node(graph, "Add", "x", "w", "t");
    add_node(graph, "Add", "t", "one", "y");
    ok(editor->AddInitializerToGraph(graph, "w", floats(weights, N, row, 1), true));
    ok(ort->CreateTensorAsOrtValue(heap, NULL, 0, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &scalar));
    ok(ort->GetTensorMutableData(scalar, &data));
    memcpy(data, one, sizeof one);
    ok(editor->AddInitializerToGraph(graph, "one", scalar, false));
    model = model_of(graph);
    ok(compiler->ModelCompilationOptions_SetInputModel(options, model));
    ok(compiler->ModelCompilationOptions_SetOutputModelWriteFunc(options, take_part, &out));
    ok(compiler->CompileModel(env, options));
    ort->ReleaseModel(model);
    check_bytes(out.data, out.size, NULL);
    pw_free(&out);
}
END_TEST

/* Body `name` of If: v = x + k, of which there is one in each body. */
static void write_body(struct pw *w, const char *name, float sign)
{
    float data[N];

    for (int i = 0; i < N; i++)
        data[i] = sign * weights[i];
    pw_open(w, 5);
    pw_text(w, 1, name);
    pw_int(w, 20, 5);
    pw_open(w, 6);
    NODE(w, "Add", "v", "x", "k");
    pw_raw_tensor(w, 5, "k", 1, PW_DIMS(N), data, sizeof data);
    model_end(w, 12, "v", TENSOR, 1, DIMS(N));
    pw_close(w);
    pw_close(w);
}

START_TEST(initializers_of_subgraphs_go_to_the_external_file)
{
    struct pw w;
    OrtSession *session = NULL;
    OrtValue *result;

    model_begin(&w);
    NODE(&w, "ReduceMax", "most", "x");
    pw_raw_tensor(&w, 5, "zero", 1, PW_DIMS(1), "\0\0\0", 4);
    NODE(&w, "Greater", "is_more", "most", "zero");
    pw_open(&w, 1);
    pw_text(&w, 1, "is_more");
    pw_text(&w, 2, "y");
    pw_text(&w, 4, "If");
    write_body(&w, "then_branch", 1.0f);
    write_body(&w, "else_branch", -1.0f);
    pw_close(&w);
    model_end(&w, 11, "x", TENSOR, 1, DIMS(N));
    model_end(&w, 12, "y", TENSOR, 1, DIMS(N));
    pw_close(&w);
    ok(compiler->ModelCompilationOptions_SetInputModelFromBuffer(options, w.data, w.size));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(options, "out.bin",
                                                                                64));
    ok(compiler->CompileModel(env, options));
    pw_free(&w);
    ck_assert_int_eq(size_of("out.bin"), 2 * (long)sizeof weights);
    ok(ort->CreateSession(env, path_of("out.onnx"), NULL, &session));
    result = run_floats(session, "x", x, N, row, 1, "y");
    ck_assert(float_data(result)[9] == x[9] + weights[9]);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(compiled_models_contain_the_initializers_of_the_options)
{
    struct pw w;
    struct pw out = {0};
    float zeroes[N] = {0};
    OrtValue *value = floats(zeroes, N, row, 1);
    OrtSession *session = NULL;
    OrtValue *result;

    write_model(&w, NULL);
    ok(ort->AddInitializer(defaults, "w", value));
    fresh_options();
    ok(compiler->ModelCompilationOptions_SetInputModelFromBuffer(options, w.data, w.size));
    ok(compiler->ModelCompilationOptions_SetOutputModelWriteFunc(options, take_part, &out));
    ok(compiler->CompileModel(env, options));
    pw_free(&w);
    ok(ort->CreateSessionFromArray(env, out.data, out.size, NULL, &session));
    pw_free(&out);
    result = run_floats(session, "x", x, N, row, 1, "y");
    ck_assert(float_data(result)[5] == x[5] + 1.0f);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
    ort->ReleaseValue(value);
}
END_TEST

/* ---- initializers elsewhere ------------------------------------------------------------------ */

START_TEST(large_initializers_go_to_the_external_file)
{
    put_model("in.onnx", NULL);
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(options, "out.bin",
                                                                                64));
    ok(compiler->CompileModel(env, options));
    ck_assert_int_eq(size_of("out.bin"), (long)sizeof weights);
    ck_assert_int_lt(size_of("out.onnx"), (long)sizeof weights);
    check_file("out.onnx");
}
END_TEST

/* ONNX Runtime writes the same bytes: end to end, but for those of a MiB, which begin a page. */
START_TEST(external_initializers_are_written_without_gaps)
{
    enum { PAGE = 4096, LARGE = 1 << 20, LAST = PAGE + LARGE, SIZE = LAST + 20 };
    static const float few[] = {1, 2, 3, 4, 5};
    char *bytes = calloc(1, SIZE);
    FILE *file;
    struct pw w;

    ck_assert_ptr_nonnull(bytes);
    model_begin(&w);
    NODE(&w, "Add", "t", "x", "a");
    NODE(&w, "Add", "u", "t", "large");
    NODE(&w, "Add", "v", "u", "b");
    NODE(&w, "Add", "y", "v", "c");
    pw_raw_tensor(&w, 5, "a", 1, PW_DIMS(1), few, 4);
    pw_raw_tensor(&w, 5, "large", 1, PW_DIMS(1, LARGE / 4), bytes, LARGE);
    pw_raw_tensor(&w, 5, "b", 1, PW_DIMS(2, 1), few + 1, 8);
    pw_raw_tensor(&w, 5, "c", 1, PW_DIMS(3, 1, 1), few + 2, 12);
    model_end(&w, 11, "x", TENSOR, 1, DIMS(1));
    model_end(&w, 12, "y", TENSOR, 1, NULL);
    pw_close(&w);
    put_file("in.onnx", w.data, w.size);
    pw_free(&w);
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(options, "out.bin",
                                                                                1));
    ok(compiler->CompileModel(env, options));
    ck_assert_int_eq(size_of("out.bin"), SIZE);
    file = fopen(path_of("out.bin"), "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(bytes, 1, SIZE, file), SIZE);
    fclose(file);
    ck_assert_mem_eq(bytes, few, 4);
    ck_assert_mem_eq(bytes + LAST, few + 1, 8);
    ck_assert_mem_eq(bytes + LAST + 8, few + 2, 12);
    free(bytes);
}
END_TEST

START_TEST(path_of_the_external_file_is_relative_to_the_model)
{
    put_model("in.onnx", NULL);
    ck_assert_int_eq(mkdir(path_of("sub"), 0700), 0);
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(
        options, path_of("sub/out.bin"), 0));
    ok(compiler->CompileModel(env, options));
    ck_assert_int_gt(size_of("sub/out.bin"), (long)sizeof weights); /* the scalar too */
    check_file("out.onnx");
    ok(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(
        options, "/somewhere/else.bin", 0));
    fails(compiler->CompileModel(env, options), ORT_INVALID_ARGUMENT, "/somewhere/else.bin");
}
END_TEST

START_TEST(a_model_in_memory_may_have_an_external_file)
{
    struct pw w;
    struct pw out = {0};

    write_model(&w, NULL);
    ok(compiler->ModelCompilationOptions_SetInputModelFromBuffer(options, w.data, w.size));
    ok(compiler->ModelCompilationOptions_SetOutputModelWriteFunc(options, take_part, &out));
    ok(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(
        options, path_of("alone.bin"), 64));
    ok(compiler->CompileModel(env, options));
    pw_free(&w);
    ok(ort->AddSessionConfigEntry(defaults, "session.model_external_initializers_file_folder_path",
                                  dir));
    check_bytes(out.data, out.size, defaults);
    pw_free(&out);
}
END_TEST

/* What the location function was told, and its own file. */
struct places {
    struct pw bytes;
    int calls, external;
    bool is_wrong;
};

static OrtStatus *locate(void *state, const char *name, const OrtValue *value,
                         const OrtExternalInitializerInfo *info, OrtExternalInitializerInfo **out)
{
    struct places *places = state;
    const void *data = NULL;
    size_t size = 0;
    OrtStatus *status;

    places->calls++;
    if (info) {
        places->external++;
        ck_assert_str_eq(ort->ExternalInitializerInfo_GetFilePath(info), "in.bin");
        ck_assert_uint_eq(ort->ExternalInitializerInfo_GetByteSize(info), sizeof weights);
    }
    if (strcmp(name, "w") != 0)
        return NULL; /* stays within */
    ok(ort->GetTensorSizeInBytes(value, &size));
    ok(ort->GetTensorData(value, &data));
    pw_raw(&places->bytes, "pad!", 4);
    status = ort->CreateExternalInitializerInfo("placed.bin", (int64_t)places->bytes.size,
                                                places->is_wrong ? 3 : size, out);
    pw_raw(&places->bytes, data, size);
    return status;
}

START_TEST(a_location_function_places_each_initializer)
{
    struct places places = {.calls = 0};

    put_file("in.bin", weights, sizeof weights);
    put_model("in.onnx", "in.bin");
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(options, locate,
                                                                                  &places));
    ok(compiler->CompileModel(env, options));
    ck_assert_int_eq(places.calls, 2);
    ck_assert_int_eq(places.external, 1);
    put_file("placed.bin", places.bytes.data, places.bytes.size);
    check_file("out.onnx");
    places.is_wrong = true;
    fails(compiler->CompileModel(env, options), ORT_INVALID_ARGUMENT,
          "'w' has 1024 bytes, its new location is said to have 3");
    pw_free(&places.bytes);
}
END_TEST

/* ---- flags and what is refused --------------------------------------------------------------- */

START_TEST(compile_flags_turn_conditions_into_errors)
{
    put_model("in.onnx", NULL);
    put_model("there.onnx", NULL);
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    ok(compiler->ModelCompilationOptions_SetFlags(options,
                                                  OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED));
    fails(compiler->CompileModel(env, options), ORT_FAIL, "Unable to compile any nodes.");
    ck_assert_int_eq(size_of("out.onnx"), -1);
    ok(compiler->ModelCompilationOptions_SetFlags(options,
                                                  OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("there.onnx")));
    fails(compiler->CompileModel(env, options), ORT_FAIL, "there.onnx' exist already");
    ok(compiler->ModelCompilationOptions_SetFlags(options, OrtCompileApiFlags_NONE));
    ok(compiler->CompileModel(env, options));
}
END_TEST

START_TEST(CompileModel_needs_an_input_and_an_output)
{
    struct pw w;

    fails(compiler->CompileModel(env, options), ORT_INVALID_ARGUMENT, "Input model to compile");
    write_model(&w, NULL);
    ok(compiler->ModelCompilationOptions_SetInputModelFromBuffer(options, w.data, w.size));
    fails(compiler->CompileModel(env, options), ORT_INVALID_ARGUMENT,
          "Unable to generate an output model path");
    pw_free(&w);
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("missing.onnx")));
    fails(compiler->CompileModel(env, options), ORT_NO_SUCHFILE, "missing.onnx");
    put_file("in.onnx", "nonsense", 8);
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    fails(compiler->CompileModel(env, options), ORT_INVALID_PROTOBUF, "not an ONNX model");
}
END_TEST

START_TEST(CompileModel_refuses_a_model_that_no_provider_runs)
{
    struct pw w;
    struct pw out = {0};

    model_begin(&w);
    NODE(&w, "NoSuchOperator", "y", "x");
    model_end(&w, 11, "x", TENSOR, 1, DIMS(N));
    model_end(&w, 12, "y", TENSOR, 1, DIMS(N));
    pw_close(&w);
    ok(compiler->ModelCompilationOptions_SetInputModelFromBuffer(options, w.data, w.size));
    ok(compiler->ModelCompilationOptions_SetOutputModelWriteFunc(options, take_part, &out));
    fails(compiler->CompileModel(env, options), ORT_NOT_IMPLEMENTED, "NoSuchOperator");
    ck_assert_uint_eq(out.size, 0);
    pw_free(&w);
}
END_TEST

START_TEST(a_failed_write_leaves_no_file)
{
    put_model("in.onnx", NULL);
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("no/such/out.onnx")));
    fails(compiler->CompileModel(env, options), ORT_FAIL, "cannot write");
    ok(compiler->ModelCompilationOptions_SetOutputModelWriteFunc(options, take_part, NULL));
    fails(compiler->CompileModel(env, options), ORT_EP_FAIL, "the shelf is full");
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(
        options, "no/such/out.bin", 0));
    fails(compiler->CompileModel(env, options), ORT_FAIL, "cannot write");
    ck_assert_int_eq(size_of("out.onnx"), -1);
}
END_TEST

START_TEST(CompileModel_refuses_cpu_nodes_when_fallback_is_disabled)
{
    put_model("in.onnx", NULL);
    ok(ort->AddSessionConfigEntry(defaults, "session.disable_cpu_ep_fallback", "1"));
    fresh_options();
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    fails(compiler->CompileModel(env, options), ORT_FAIL, "fallback to CPU EP has been");
    ck_assert_int_eq(size_of("out.onnx"), -1);
}
END_TEST

static void *no_memory(OrtAllocator *allocator, size_t size)
{
    (void)allocator;
    (void)size;
    return NULL;
}

START_TEST(CompileModel_fails_when_the_output_allocator_has_no_memory)
{
    OrtAllocator poor = *heap;
    struct pw w;
    void *bytes = &w; /* neither is touched */
    size_t size = 77;

    poor.Alloc = no_memory;
    write_model(&w, NULL);
    ok(compiler->ModelCompilationOptions_SetInputModelFromBuffer(options, w.data, w.size));
    ok(compiler->ModelCompilationOptions_SetOutputModelBuffer(options, &poor, &bytes, &size));
    fails(compiler->CompileModel(env, options), ORT_FAIL, "memory");
    ck_assert_ptr_eq(bytes, &w);
    ck_assert_uint_eq(size, 77);
    pw_free(&w);
}
END_TEST

START_TEST(compile_setters_refuse_empty_arguments)
{
    fails(compiler->ModelCompilationOptions_SetInputModelPath(options, ""), ORT_INVALID_ARGUMENT,
          "empty");
    fails(compiler->ModelCompilationOptions_SetOutputModelPath(options, ""), ORT_INVALID_ARGUMENT,
          "empty");
    fails(compiler->ModelCompilationOptions_SetInputModelFromBuffer(options, "x", 0),
          ORT_INVALID_ARGUMENT, "empty");
    fails(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(options, "", 1),
          ORT_INVALID_ARGUMENT, "empty");
    fails(compiler->ModelCompilationOptions_SetOutputModelBuffer(options, heap, NULL, NULL),
          ORT_INVALID_ARGUMENT, "output_model_buffer_ptr");
    fails(compiler->ModelCompilationOptions_SetOutputModelWriteFunc(options, NULL, NULL),
          ORT_INVALID_ARGUMENT, "write_func");
    fails(compiler->ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(options, NULL,
                                                                                     NULL),
          ORT_INVALID_ARGUMENT, "get_initializer_location_func");
    fails(compiler->ModelCompilationOptions_SetInputModel(options, NULL), ORT_INVALID_ARGUMENT,
          "model");
    fails(compiler->ModelCompilationOptions_SetEpContextBinaryInformation(options, "", "m"),
          ORT_INVALID_ARGUMENT, "directory is empty");
    fails(compiler->ModelCompilationOptions_SetEpContextBinaryInformation(options, "d", ""),
          ORT_INVALID_ARGUMENT, "name of the model is empty");
    ok(compiler->ModelCompilationOptions_SetEpContextBinaryInformation(options, "d", "m"));
    fails(compiler->ModelCompilationOptions_SetGraphOptimizationLevel(options,
                                                                      (GraphOptimizationLevel)77),
          ORT_INVALID_ARGUMENT, "77");
    ok(compiler->ModelCompilationOptions_SetGraphOptimizationLevel(options, ORT_ENABLE_BASIC));
    ok(compiler->ModelCompilationOptions_SetEpContextEmbedMode(options, true));
    ok(compiler->ModelCompilationOptions_SetWeightlessEnabled(options, true));
    fails(compiler->CompileModel(NULL, NULL), ORT_INVALID_ARGUMENT, "env");
    fails(compiler->CreateModelCompilationOptionsFromSessionOptions(env, NULL, NULL),
          ORT_INVALID_ARGUMENT, "session_options");
}
END_TEST

START_TEST(compile_functions_refuse_NULL_arguments)
{
    const char *const words = "model_compile_options";

    compiler->ReleaseModelCompilationOptions(NULL);
    fails(compiler->ModelCompilationOptions_SetInputModelPath(NULL, NULL), ORT_INVALID_ARGUMENT,
          words);
    fails(compiler->ModelCompilationOptions_SetInputModelFromBuffer(NULL, NULL, 0),
          ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetInputModel(NULL, NULL), ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetOutputModelPath(NULL, NULL), ORT_INVALID_ARGUMENT,
          words);
    fails(compiler->ModelCompilationOptions_SetOutputModelBuffer(NULL, NULL, NULL, NULL),
          ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetOutputModelWriteFunc(NULL, NULL, NULL),
          ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetOutputModelExternalInitializersFile(NULL, NULL, 0),
          ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(NULL, NULL,
                                                                                     NULL),
          ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetEpContextEmbedMode(NULL, false),
          ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetEpContextBinaryInformation(NULL, NULL, NULL),
          ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetFlags(NULL, 0), ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetGraphOptimizationLevel(NULL, ORT_ENABLE_ALL),
          ORT_INVALID_ARGUMENT, words);
    fails(compiler->ModelCompilationOptions_SetWeightlessEnabled(NULL, true), ORT_INVALID_ARGUMENT,
          words);
}
END_TEST

/* ---- entries of the configuration ------------------------------------------------------------ */

START_TEST(config_entries_are_the_defaults_of_the_setters)
{
    put_model("in.onnx", NULL);
    ok(ort->AddSessionConfigEntry(defaults, "ep.context_file_path", path_of("out.onnx")));
    ok(ort->AddSessionConfigEntry(defaults, "ep.context_model_external_initializers_file_name",
                                  "out.bin"));
    fresh_options();
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->CompileModel(env, options));
    ck_assert_int_gt(size_of("out.bin"), (long)sizeof weights);
    check_file("out.onnx");
}
END_TEST

START_TEST(a_session_with_ep_context_enabled_writes_no_context_model)
{
    OrtSession *session = NULL;
    struct pw w;

    put_model("in.onnx", NULL);
    ok(ort->AddSessionConfigEntry(defaults, "ep.context_enable", "1"));
    ok(ort->CreateSession(env, path_of("in.onnx"), defaults, &session));
    check_session(session);
    ck_assert_int_eq(size_of("in_ctx.onnx"), -1);
    put_model("in_ctx.onnx", NULL);
    fails(ort->CreateSession(env, path_of("in.onnx"), defaults, &session), ORT_FAIL,
          "in_ctx.onnx' exist already");
    write_model(&w, NULL);
    fails(ort->CreateSessionFromArray(env, w.data, w.size, defaults, &session),
          ORT_INVALID_ARGUMENT, "ep.context_file_path");
    pw_free(&w);
    ok(ort->AddSessionConfigEntry(defaults, "ep.context_file_path", dir));
    fails(ort->CreateSession(env, path_of("in.onnx"), defaults, &session), ORT_INVALID_ARGUMENT,
          "should not point to a folder");
}
END_TEST

/* ---- compiled programs ----------------------------------------------------------------------- */

/* Adds cann on the simulator, in graph mode; false: this build has none. */
static bool add_cann(OrtSessionOptions *to)
{
    static const char *const keys[] = {"driver", "enable_cann_graph", "dump_om_model"};
    static const char *const values[] = {"sim", "1", "0"};
    OrtStatus *status = ort->SessionOptionsAppendExecutionProvider(to, "CANN", keys, values, 3);

    ort->ReleaseStatus(status);
    return status == NULL;
}

/* Files of programs; with take they go. */
static int programs(bool take)
{
    DIR *at = opendir(dir);
    int n = 0;

    ck_assert_ptr_nonnull(at);
    for (struct dirent *entry; (entry = readdir(at)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');

        if (!end || strcmp(end, ".bin") != 0 || !strchr(entry->d_name, '_'))
            continue;
        n++;
        if (take)
            ck_assert_int_eq(remove(path_of(entry->d_name)), 0);
    }
    closedir(at);
    return n;
}

/* The file runs with cann, and nobody else can run it. */
static void check_compiled(const char *name)
{
    OrtSessionOptions *own = NULL;
    OrtSession *session = NULL;

    ok(ort->CreateSessionOptions(&own));
    ck_assert(add_cann(own));
    ok(ort->CreateSession(env, path_of(name), own, &session));
    check_session(session);
    ort->ReleaseSessionOptions(own);
    fails(ort->CreateSession(env, path_of(name), NULL, &session), ORT_NOT_IMPLEMENTED,
          "compiled by 'org.backplane.cann'");
}

/* Loop variable: ep.context_embed_mode. */
START_TEST(a_session_writes_a_compiled_model)
{
    OrtSession *session = NULL;

    SKIP_UNLESS(add_cann(defaults), "the cann provider was not built");
    put_model("in.onnx", NULL);
    ok(ort->AddSessionConfigEntry(defaults, "ep.context_enable", "1"));
    ok(ort->AddSessionConfigEntry(defaults, "ep.context_embed_mode", _i ? "1" : "0"));
    ok(ort->AddSessionConfigEntry(defaults, "ep.context_node_name_prefix", "pre_"));
    ok(ort->CreateSession(env, path_of("in.onnx"), defaults, &session));
    check_session(session);
    ck_assert_int_gt(size_of("in_ctx.onnx"), 0);
    ck_assert_int_eq(programs(false), _i ? 0 : 1);
    check_compiled("in_ctx.onnx");
    fails(ort->CreateSession(env, path_of("in.onnx"), defaults, &session), ORT_FAIL,
          "in_ctx.onnx' exist already");
    /* the compiled model has nothing left to compile: it runs, and none is written */
    ok(ort->AddSessionConfigEntry(defaults, "ep.context_file_path", path_of("out.onnx")));
    ok(ort->CreateSession(env, path_of("in_ctx.onnx"), defaults, &session));
    check_session(session);
    ck_assert_int_eq(size_of("out.onnx"), -1);
    programs(true);
}
END_TEST

START_TEST(CompileModel_compiles_for_a_provider_that_saves_programs)
{
    SKIP_UNLESS(add_cann(defaults), "the cann provider was not built");
    put_model("in.onnx", NULL);
    fresh_options();
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("in.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("out.onnx")));
    ok(compiler->ModelCompilationOptions_SetEpContextEmbedMode(options, _i != 0));
    ok(compiler->ModelCompilationOptions_SetFlags(options,
                                                  OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED));
    ok(compiler->CompileModel(env, options));
    ck_assert_int_eq(programs(false), _i ? 0 : 1);
    check_compiled("out.onnx");
    programs(true);
    if (!_i)
        return;
    fresh_options(); /* all is compiled already */
    ok(compiler->ModelCompilationOptions_SetInputModelPath(options, path_of("out.onnx")));
    ok(compiler->ModelCompilationOptions_SetOutputModelPath(options, path_of("there.onnx")));
    ok(compiler->ModelCompilationOptions_SetFlags(options,
                                                  OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED));
    fails(compiler->CompileModel(env, options), ORT_FAIL, "Unable to compile any nodes.");
}
END_TEST

START_TEST(CompileModel_puts_programs_of_a_buffer_where_it_is_told)
{
    OrtAllocator *allocator = NULL;
    void *bytes = NULL;
    size_t size = 0;
    struct pw w;

    SKIP_UNLESS(add_cann(defaults), "the cann provider was not built");
    write_model(&w, NULL);
    ok(ort->GetAllocatorWithDefaultOptions(&allocator));
    fresh_options();
    ok(compiler->ModelCompilationOptions_SetInputModelFromBuffer(options, w.data, w.size));
    ok(compiler->ModelCompilationOptions_SetOutputModelBuffer(options, allocator, &bytes, &size));
    fails(compiler->CompileModel(env, options), ORT_INVALID_ARGUMENT, "need the path");
    ok(compiler->ModelCompilationOptions_SetEpContextBinaryInformation(options, dir, "told"));
    ok(compiler->CompileModel(env, options));
    ck_assert_int_eq(programs(false), 1);
    put_file("out.onnx", bytes, size);
    check_compiled("out.onnx");
    allocator->Free(allocator, bytes);
    programs(true);
    pw_free(&w);
}
END_TEST

START_TEST(a_session_writes_its_optimized_model)
{
    OrtSession *session = NULL;

    put_file("in.bin", weights, sizeof weights);
    put_model("in.onnx", "in.bin");
    ok(ort->SetOptimizedModelFilePath(defaults, path_of("out.onnx")));
    ok(ort->CreateSession(env, path_of("in.onnx"), defaults, &session));
    check_session(session);
    check_file("out.onnx");
    ck_assert_int_gt(size_of("out.onnx"), (long)sizeof weights);

    ok(ort->AddSessionConfigEntry(
        defaults, "session.optimized_model_external_initializers_file_name", "out.bin"));
    ok(ort->AddSessionConfigEntry(
        defaults, "session.optimized_model_external_initializers_min_size_in_bytes", "100"));
    ok(ort->CreateSession(env, path_of("in.onnx"), defaults, &session));
    ort->ReleaseSession(session);
    ck_assert_int_eq(size_of("out.bin"), (long)sizeof weights);
    check_file("out.onnx");
}
END_TEST

/* Whether the file has ONNX Runtime's own format. */
static bool is_ort_file(const char *name)
{
    FILE *file = fopen(path_of(name), "rb");
    char head[8] = "";

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    return memcmp(head + 4, "ORTM", 4) == 0;
}

START_TEST(a_session_writes_its_optimized_model_in_ort_format)
{
    OrtSession *session = NULL;

    put_file("in.bin", weights, sizeof weights);
    put_model("in.onnx", "in.bin");
    ok(ort->SetOptimizedModelFilePath(defaults, path_of("out.ort")));
    ok(ort->CreateSession(env, path_of("in.onnx"), defaults, &session));
    check_session(session);
    ck_assert(is_ort_file("out.ort"));
    check_file("out.ort");

    ok(ort->SetOptimizedModelFilePath(defaults, path_of("out.bin")));
    ok(ort->AddSessionConfigEntry(defaults, "session.save_model_format", "ORT"));
    ok(ort->CreateSession(env, path_of("out.ort"), defaults, &session));
    check_session(session);
    ck_assert(is_ort_file("out.bin"));
    check_file("out.bin");

    ok(ort->SetOptimizedModelFilePath(defaults, path_of("again.ort")));
    ok(ort->AddSessionConfigEntry(defaults, "session.save_model_format", "ONNX"));
    ok(ort->CreateSession(env, path_of("out.ort"), defaults, &session));
    check_session(session);
    ck_assert(!is_ort_file("again.ort"));
    check_file("again.ort");
}
END_TEST

START_TEST(a_session_reads_an_ort_format_model_from_memory)
{
    OrtSession *session = NULL;
    uint8_t bytes[65536];
    FILE *file;
    size_t n;

    put_file("in.bin", weights, sizeof weights);
    put_model("in.onnx", "in.bin");
    ok(ort->SetOptimizedModelFilePath(defaults, path_of("out.ort")));
    ok(ort->CreateSession(env, path_of("in.onnx"), defaults, &session));
    check_session(session);
    ok(ort->SetOptimizedModelFilePath(defaults, ""));
    file = fopen(path_of("out.ort"), "rb");
    ck_assert_ptr_nonnull(file);
    n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert_uint_lt(n, sizeof bytes);

    ok(ort->CreateSessionFromArray(env, bytes, n, defaults, &session));
    check_session(session);
    ok(ort->AddSessionConfigEntry(defaults, "session.use_ort_model_bytes_directly", "1"));
    ok(ort->AddSessionConfigEntry(defaults, "session.use_ort_model_bytes_for_initializers", "1"));
    ok(ort->AddSessionConfigEntry(defaults, "session.load_model_format", "ORT"));
    ok(ort->CreateSessionFromArray(env, bytes, n, defaults, &session));
    check_session(session);
    fails(ort->CreateSession(env, path_of("in.onnx"), defaults, &session), ORT_FAIL,
          "ORT model verification failed");
    fails(ort->CreateSessionFromArray(env, bytes, n / 2, defaults, &session), ORT_FAIL,
          "ORT model verification failed");
    ok(ort->AddSessionConfigEntry(defaults, "session.load_model_format", "ONNX"));
    fails(ort->CreateSessionFromArray(env, bytes, n, defaults, &session), ORT_INVALID_PROTOBUF,
          "Protobuf parsing failed");
}
END_TEST

/* Does the file have that text in it? */
static bool has_text(const char *name, const char *text)
{
    long size = size_of(name);
    FILE *file = fopen(path_of(name), "rb");
    size_t length = strlen(text);
    bool found = false;
    char *bytes;

    ck_assert(size > 0 && file);
    bytes = malloc((size_t)size);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, (size_t)size, file), (size_t)size);
    for (size_t at = 0; !found && at + length <= (size_t)size; at++)
        found = memcmp(bytes + at, text, length) == 0;
    free(bytes);
    fclose(file);
    return found;
}

/* A file of the nodes that the session runs: others can read it, as the operators are known. */
START_TEST(an_optimized_model_has_the_nodes_that_run)
{
    static const GraphOptimizationLevel levels[] = {ORT_ENABLE_BASIC, ORT_ENABLE_EXTENDED};
    OrtSession *session = NULL;
    struct pw w;

    for (int i = 0; i < 2; i++) {
        model_begin(&w);
        NODE(&w, "Gemm", "G", "A", "B");
        NODE(&w, "Identity", "H", "G");
        NODE(&w, "Relu", "C", "H");
        model_end(&w, 11, "A", TENSOR, 1, DIMS(-1, 3));
        model_end(&w, 11, "B", TENSOR, 1, DIMS(3, 3));
        model_end(&w, 12, "C", TENSOR, 1, DIMS(-1, 3));
        ok(ort->SetSessionGraphOptimizationLevel(defaults, levels[i]));
        ok(ort->SetOptimizedModelFilePath(defaults, path_of("out.onnx")));
        ort->ReleaseSession(model_open(&w, defaults));
        ck_assert(!has_text("out.onnx", "Identity"));
        ck_assert_int_eq(has_text("out.onnx", "FusedGemm"), i == 1);
        ok(ort->SetOptimizedModelFilePath(defaults, ""));
        ok(ort->CreateSession(env, path_of("out.onnx"), defaults, &session));
        ort->ReleaseSession(session);
    }
}
END_TEST

/* Up to IR version 3 there is no other way to write weights; later, what is an input may be fed. */
START_TEST(an_optimized_model_keeps_defaults_that_may_be_fed)
{
    OrtSession *session = NULL;
    size_t n = 0;
    struct pw w;

    model_begin(&w);
    NODE(&w, "Add", "y", "x", "w");
    pw_raw_tensor(&w, 5, "w", 1, PW_DIMS(N), weights, sizeof weights);
    model_end(&w, 11, "x", TENSOR, 1, DIMS(N));
    model_end(&w, 11, "w", TENSOR, 1, DIMS(N));
    model_end(&w, 12, "y", TENSOR, 1, DIMS(N));
    ok(ort->SetOptimizedModelFilePath(defaults, path_of("out.onnx")));
    ort->ReleaseSession(model_open(&w, defaults));
    ok(ort->SetOptimizedModelFilePath(defaults, ""));
    ok(ort->CreateSession(env, path_of("out.onnx"), defaults, &session));
    ok(ort->SessionGetOverridableInitializerCount(session, &n));
    ck_assert_uint_eq(n, 1);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(model_compatibility_is_not_applicable)
{
    OrtCompiledModelCompatibility how = OrtCompiledModelCompatibility_EP_UNSUPPORTED;
    const OrtEpDevice *const *devices = NULL;
    const OrtEpDevice *pair[2] = {NULL, NULL};
    size_t n = 0;

    ok(ort->GetEpDevices(env, &devices, &n));
    ck_assert_uint_ge(n, 1);
    ok(ort->GetModelCompatibilityForEpDevices(devices, 1, "anything", &how));
    ck_assert_int_eq(how, OrtCompiledModelCompatibility_EP_NOT_APPLICABLE);
    fails(ort->GetModelCompatibilityForEpDevices(devices, 0, "anything", &how),
          ORT_INVALID_ARGUMENT, "at least one device");
    pair[0] = devices[0];
    fails(ort->GetModelCompatibilityForEpDevices(pair, 2, "anything", &how), ORT_INVALID_ARGUMENT,
          "device 1 is NULL");
}
END_TEST

START_TEST(session_options_keep_the_weightless_source_buffer)
{
    const void *data = NULL;
    OrtSessionOptions *clone = NULL;
    size_t size = 0;

    fails(ort->SessionOptionsSetWeightlessSourceModelBuffer(defaults, "m", 0), ORT_INVALID_ARGUMENT,
          "empty");
    ok(ort->SessionOptionsSetWeightlessSourceModelBuffer(defaults, dir, 3));
    ok(ort->CloneSessionOptions(defaults, &clone));
    ok(ort->GetEpApi()->SessionOptionsGetWeightlessSourceModelBuffer(clone, &data, &size));
    ck_assert_ptr_eq(data, dir);
    ck_assert_uint_eq(size, 3);
    ort->ReleaseSessionOptions(clone);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compile");
    TCase *tcase = tcase_create("compile");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup_compile, teardown_compile);
    tcase_add_test(tcase, CompileModel_compiles_a_file_to_a_file);
    tcase_add_test(tcase, CompileModel_can_overwrite_its_input);
    tcase_add_test(tcase, CompileModel_writes_beside_the_input_by_default);
    tcase_add_test(tcase, CompileModel_compiles_a_buffer_to_a_buffer);
    tcase_add_test(tcase, CompileModel_writes_a_built_model_through_a_function);
    tcase_add_test(tcase, initializers_of_subgraphs_go_to_the_external_file);
    tcase_add_test(tcase, compiled_models_contain_the_initializers_of_the_options);
    tcase_add_test(tcase, large_initializers_go_to_the_external_file);
    tcase_add_test(tcase, external_initializers_are_written_without_gaps);
    tcase_add_test(tcase, path_of_the_external_file_is_relative_to_the_model);
    tcase_add_test(tcase, a_model_in_memory_may_have_an_external_file);
    tcase_add_test(tcase, a_location_function_places_each_initializer);
    tcase_add_test(tcase, compile_flags_turn_conditions_into_errors);
    tcase_add_test(tcase, CompileModel_needs_an_input_and_an_output);
    tcase_add_test(tcase, CompileModel_refuses_a_model_that_no_provider_runs);
    tcase_add_test(tcase, CompileModel_refuses_cpu_nodes_when_fallback_is_disabled);
    tcase_add_test(tcase, a_failed_write_leaves_no_file);
    tcase_add_test(tcase, CompileModel_fails_when_the_output_allocator_has_no_memory);
    tcase_add_test(tcase, compile_setters_refuse_empty_arguments);
    tcase_add_test(tcase, compile_functions_refuse_NULL_arguments);
    tcase_add_test(tcase, config_entries_are_the_defaults_of_the_setters);
    tcase_add_test(tcase, a_session_with_ep_context_enabled_writes_no_context_model);
    tcase_add_loop_test(tcase, a_session_writes_a_compiled_model, 0, 2);
    tcase_add_loop_test(tcase, CompileModel_compiles_for_a_provider_that_saves_programs, 0, 2);
    tcase_add_test(tcase, CompileModel_puts_programs_of_a_buffer_where_it_is_told);
    tcase_add_test(tcase, a_session_writes_its_optimized_model);
    tcase_add_test(tcase, a_session_writes_its_optimized_model_in_ort_format);
    tcase_add_test(tcase, a_session_reads_an_ort_format_model_from_memory);
    tcase_add_test(tcase, an_optimized_model_has_the_nodes_that_run);
    tcase_add_test(tcase, an_optimized_model_keeps_defaults_that_may_be_fed);
    tcase_add_test(tcase, model_compatibility_is_not_applicable);
    tcase_add_test(tcase, session_options_keep_the_weightless_source_buffer);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
