/* SPDX-License-Identifier: MIT */
/*
 * check_declared.c - shapes and operator sets that a model declares: what programs are told of
 * outputs, and the entries of the configuration that make one strict and the other not.
 */

#include "config.h"

#include "ort/kit.h"

/* Y = Relu(X). */
static void write_model(struct pw *w, const int64_t *in, const int64_t *out)
{
    model_begin(w);
    NODE(w, "Relu", "Y", "X");
    model_end(w, 11, "X", TENSOR, 1, in);
    model_end(w, 12, "Y", TENSOR, 1, out);
    pw_close(w);
}

static OrtStatus *open_with(const struct pw *w, const char *key, const char *value,
                            OrtSession **out)
{
    OrtSessionOptions *options;
    OrtStatus *status;

    ok(ort->CreateSessionOptions(&options));
    if (key)
        ok(ort->AddSessionConfigEntry(options, key, value));
    status = ort->CreateSessionFromArray(env, w->data, w->size, options, out);
    ort->ReleaseSessionOptions(options);
    return status;
}

static const struct {
    int64_t in[3], declared[3]; /* as for DIMS() */
    int64_t shown[2];
    const char *name; /* of dimension 0 */
    size_t rank;
} outputs[] = {
    /* as ONNX Runtime 1.32 */
    {{4}, {3}, {-1}, "", 1},
    {{4}, {-1}, {4}, "", 1},
    {{-1}, {3}, {3}, "", 1},
    {{-1, 4}, {-1, 3}, {-1, -1}, "n", 2},
};

START_TEST(output_types_are_those_that_the_model_declares)
{
    OrtSession *session;
    OrtTypeInfo *type;
    const OrtTensorTypeAndShapeInfo *shape;
    const char *names[2] = {NULL, NULL};
    int64_t dims[2];
    struct pw w;
    size_t rank;

    write_model(&w, outputs[_i].in, outputs[_i].declared);
    ok(open_with(&w, NULL, NULL, &session));
    ok(ort->SessionGetOutputTypeInfo(session, 0, &type));
    ok(ort->CastTypeInfoToTensorInfo(type, &shape));
    ok(ort->GetDimensionsCount(shape, &rank));
    ck_assert_uint_eq(rank, outputs[_i].rank);
    ok(ort->GetDimensions(shape, dims, rank));
    for (size_t d = 0; d < rank; d++)
        ck_assert_int_eq(dims[d], outputs[_i].shown[d]);
    ok(ort->GetSymbolicDimensions(shape, names, rank));
    ck_assert_str_eq(names[0], outputs[_i].name);
    ort->ReleaseTypeInfo(type);
    ort->ReleaseSession(session);
    pw_free(&w);
}
END_TEST

START_TEST(strict_shape_type_inference_refuses_contradicting_shapes)
{
    static const char key[] = "session.strict_shape_type_inference";
    OrtSession *session;
    struct pw w;

    write_model(&w, DIMS(4), DIMS(3));
    ok(open_with(&w, key, "0", &session));
    ort->ReleaseSession(session);
    fails(open_with(&w, key, "1", &session), ORT_FAIL, "declares it as float32[3]");
    pw_free(&w);
}
END_TEST

/* A model that imports operator set 99. */
static void write_model_of_opset_99(struct pw *w)
{
    write_model(w, DIMS(4), DIMS(4));
    pw_open(w, 8);
    pw_text(w, 1, "");
    pw_int(w, 2, 99);
    pw_close(w);
}

START_TEST(allow_released_opsets_only_refuses_newer_opsets)
{
    static const char key[] = "session.allow_released_opsets_only";
    OrtSession *session;
    struct pw w;

    write_model_of_opset_99(&w);
    fails(open_with(&w, NULL, NULL, &session), ORT_FAIL, "version 99 of operator set 'ai.onnx'");
    fails(open_with(&w, key, "1", &session), ORT_FAIL, "is 28");
    ok(open_with(&w, key, "0", &session));
    ort->ReleaseSession(session);
    pw_free(&w);
}
END_TEST

/* What ONNX Runtime 1.32 answers for each value of the variable and of the entry. */
START_TEST(environment_variable_allows_opsets_that_are_not_released)
{
    static const char key[] = "session.allow_released_opsets_only";
    static const char name[] = "ALLOW_RELEASED_ONNX_OPSET_ONLY";
    static const struct {
        const char *variable, *entry, *error; /* error NULL: a session */
    } rows[] = {
        {"0", NULL, NULL}, {"0", "1", NULL},          {"", NULL, "version 99"},
        {"1", "0", NULL},  {"1", NULL, "version 99"}, {"1", "2", NULL},
        {"2", "0", NULL},  {"2", NULL, "not 0 or 1"}, {"no", "1", "not 0 or 1"},
    };
    OrtSession *session;
    struct pw w;

    write_model_of_opset_99(&w);
    ck_assert_int_eq(setenv(name, rows[_i].variable, 1), 0);
    if (rows[_i].error) {
        fails(open_with(&w, rows[_i].entry ? key : NULL, rows[_i].entry, &session), ORT_FAIL,
              rows[_i].error);
    } else {
        ok(open_with(&w, rows[_i].entry ? key : NULL, rows[_i].entry, &session));
        ort->ReleaseSession(session);
    }
    unsetenv(name);
    pw_free(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("declared");
    TCase *tcase = tcase_create("declared");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, output_types_are_those_that_the_model_declares, 0,
                        sizeof outputs / sizeof outputs[0]);
    tcase_add_test(tcase, strict_shape_type_inference_refuses_contradicting_shapes);
    tcase_add_test(tcase, allow_released_opsets_only_refuses_newer_opsets);
    tcase_add_loop_test(tcase, environment_variable_allows_opsets_that_are_not_released, 0, 9);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
