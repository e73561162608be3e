/* SPDX-License-Identifier: MIT */
/*
 * check_error_codes.c - ONNX Runtime's code for an error of the host follows from its code and its
 * detail, whatever its text says.
 */

#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

#include <bp/sdk.h>

/* The status for an error of the host. */
static OrtStatus *translate(bp_rc rc, uint32_t detail, const char *text, enum ort_phase phase,
                            const char *prefix)
{
    struct ort_err err;
    bp_err *filled = ort_err_init(&err);

    rc = bp_fail(filled, rc, "%s", text);
    bp_err_set_detail(filled, detail, 0);
    return ort_from(rc, &err, phase, prefix);
}

static void check(OrtStatus *status, OrtErrorCode code, const char *text)
{
    ck_assert_ptr_nonnull(status);
    ck_assert_str_eq(ort_GetErrorMessage(status), text);
    ck_assert_int_eq(ort_GetErrorCode(status), code);
    ort_ReleaseStatus(status);
}

/* A row without words: the class of the error decides. */
static const struct {
    OrtErrorCode code;
    const char *words;
} details[BP_DETAIL_END] = {
    [BP_DETAIL_NO_SUCH_FILE] = {ORT_FAIL, "External data path does not exist"},
    [BP_DETAIL_NO_LOCATION] = {ORT_FAIL, "External data location cannot be empty"},
    [BP_DETAIL_NO_DIRECTORY] = {ORT_FAIL, "External data path validation failed"},
    [BP_DETAIL_ABSOLUTE_PATH] = {ORT_FAIL,
                                 "External data path validation failed: Absolute path not allowed"},
    [BP_DETAIL_PATH_OUTSIDE] = {ORT_FAIL, "External data path escapes model directory"},
    [BP_DETAIL_DATA_RANGE] = {ORT_FAIL, "External data out of bounds"},
    [BP_DETAIL_NO_PRODUCER] = {ORT_INVALID_ARGUMENT,
                               "Invalid model. Node input is not a graph input, initializer, or "
                               "output of a previous node"},
    [BP_DETAIL_DEFINED_TWICE] = {ORT_FAIL,
                                 "This is an invalid model. Duplicate definition of name"},
    [BP_DETAIL_CYCLE] = {ORT_FAIL, "This is an invalid model. The graph is not acyclic"},
    [BP_DETAIL_UNKNOWN_ATTRIBUTE] = {ORT_INVALID_GRAPH,
                                     "This is an invalid model. Unrecognized attribute"},
    [BP_DETAIL_NODE_ARITY] = {ORT_INVALID_GRAPH,
                              "This is an invalid model. Number of inputs or outputs not in range"},
    [BP_DETAIL_NODE_TYPE] =
        {ORT_INVALID_GRAPH, "This is an invalid model. Type Error: Type of a parameter is invalid"},
    [BP_DETAIL_TYPES_DIFFER] = {ORT_FAIL, "Type Error: parameter bound to different types"},
    [BP_DETAIL_AFFINITY_COUNT] =
        {ORT_FAIL, "Number of affinities does not equal to thread_pool_size minus one"},
};

START_TEST(a_detail_decides_whatever_the_text_is)
{
    static const enum ort_phase phases[] = {ORT_READING, ORT_MAKING};
    char text[256];

    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        if (!details[_i].words) {
            check(translate(BP_E_UNSUPPORTED, (uint32_t)_i, "mumble", phases[i], NULL),
                  ORT_NOT_IMPLEMENTED, "mumble");
            continue;
        }
        snprintf(text, sizeof text, "%s: mumble", details[_i].words);
        check(translate(BP_E_UNSUPPORTED, (uint32_t)_i, "mumble", phases[i], NULL),
              details[_i].code, text);
    }
}
END_TEST

START_TEST(a_run_and_a_model_that_was_built_go_by_the_class)
{
    check(translate(BP_E_INVALID, (uint32_t)_i, "mumble", ORT_RUNNING, NULL), ORT_INVALID_ARGUMENT,
          "mumble");
    check(translate(BP_E_INVALID, (uint32_t)_i, "mumble", ORT_MAKING, "built: "), ORT_INVALID_GRAPH,
          "built: mumble");
}
END_TEST

/* Sentences of the host, without the details that it gives with them. */
static const char *const sentences[] = {
    "node 'n' (Relu) reads 'x', which no node, input or initializer provides",
    "value 'y' is defined twice: it is output of node 'n' (Relu) already",
    "node 'n' (Add) reads its own output",
    "nodes 'n' (Add) and 'm' (Relu) read each other's output",
    "3 nodes wait for each other in a circle: 'a' (Add), 'b' (Add), 'c' (Add)",
    "node 'n' (Relu): version 14 of the operator has no attribute 'foo'",
    "node 'n' (Relu) has 2 inputs; the operator has 1 input",
    "input A has type int64, version 14 of the operator takes float32",
    "input B has type int64, A has float32; both must be the same",
    "'../x': its '..' leads out of '/tmp'; copy the file there",
    "'x': is a link to '/x', out of '/tmp'; copy the file there",
    "'/x': must be a name relative to '/tmp'",
    "its data is in the file 'x', but a model in memory has no directory: say where its files are",
    "its external length is 1 bytes where its dims need 8",
    "its data is external but no file is named: external_data has no location",
    "/tmp/x: No such file or directory",
    "1 affinities for 3 threads; there has to be one for each but the first",
    "x is not an ONNX model: it is empty",
    "no provider takes 1 node: Nonsense-17 (node 'n': the host knows no such operator)",
};

enum { N_SENTENCES = sizeof sentences / sizeof *sentences };

START_TEST(a_text_decides_nothing)
{
    const char *text = sentences[_i];

    check(translate(BP_E_INVALID, BP_DETAIL_NONE, text, ORT_READING, NULL), ORT_INVALID_PROTOBUF,
          text);
    check(translate(BP_E_INVALID, BP_DETAIL_NONE, text, ORT_MAKING, NULL), ORT_INVALID_GRAPH, text);
    check(translate(BP_E_UNAVAILABLE, BP_DETAIL_NONE, text, ORT_MAKING, NULL), ORT_EP_FAIL, text);
    check(translate(BP_E_INVALID, BP_DETAIL_END, text, ORT_MAKING, NULL), ORT_INVALID_GRAPH, text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("error codes");
    TCase *tcase = tcase_create("error codes");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(tcase, a_detail_decides_whatever_the_text_is, 0, BP_DETAIL_END);
    tcase_add_loop_test(tcase, a_run_and_a_model_that_was_built_go_by_the_class, 0, BP_DETAIL_END);
    tcase_add_loop_test(tcase, a_text_decides_nothing, 0, N_SENTENCES);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
