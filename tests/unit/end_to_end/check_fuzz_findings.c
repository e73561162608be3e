/* SPDX-License-Identifier: MIT */
/* check_fuzz_findings.c - faults that generated models (check_operator_fuzz.c) found, one test each. */

#include "config.h"

#include <stdio.h>

#include "support/session_kit.h"

static bp_rc try_run(const bp_binding *in, uint32_t n_in, bp_binding *out, uint32_t n_out)
{
    return bp_session_run(kit.session, in, n_in, out, n_out, NULL, &kit.err);
}

static void kit_ints_of(const char *name, uint32_t dtype, const int64_t *dims, const void *bytes,
                        size_t size)
{
    pw_raw_tensor(&kit.w, 5, name, (int32_t)dtype, dims, bytes, size);
}

/* The name's length moves the bytes after it to each address. */
START_TEST(host_operators_read_unaligned_constants)
{
    static const int32_t at = 1;
    const char *name = &"xxxxxxxx"[_i];
    bp_object *items[2] = {NULL}, *sequence = NULL;
    bp_binding in = {0}, out = kit_wanted(0);
    float one[] = {1}, two[] = {2};
    bp_binding a = KIT_TENSOR(0, BP_DTYPE_F32, one, 1), b = KIT_TENSOR(0, BP_DTYPE_F32, two, 1);
    char words[16];

    snprintf(words, sizeof words, "s %s", name);
    kit_io_of(KIT_INPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_ints_of(name, BP_DTYPE_I32, PW_SCALAR, &at, sizeof at);
    kit_node("at", "SequenceAt", words, "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_session();
    KIT_OK(bp_object_from_tensor(&a.tensor, &items[0], &kit.err));
    KIT_OK(bp_object_from_tensor(&b.tensor, &items[1], &kit.err));
    KIT_OK(bp_object_sequence(items, 2, &sequence, &kit.err));
    in.object = sequence;
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 2);
    bp_tensor_free(&out.tensor);
    bp_object_release(items[0]);
    bp_object_release(items[1]);
    bp_object_release(sequence);
}
END_TEST

START_TEST(max_pool_may_omit_its_first_output)
{
    static const float x[] = {1, 4, 3, 2};
    static const int64_t want = 1;
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 1, 2, 2), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,1,2,2");
    kit_open_node("pool", "MaxPool", "x", "- at");
    kit_ints_attr("kernel_shape", 2, (int64_t[]){2, 2});
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "at", BP_DTYPE_I64, "1,1,1,1");
    kit_session();
    kit_run(&in, 1, &out, 1);
    ck_assert_int_eq(*(int64_t *)out.tensor.base, want);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(host_operator_without_outputs_is_skipped)
{
    static const float x[] = {1};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_node("make", "SequenceConstruct", "x", "-");
    kit_node("length", "SequenceConstruct", "x x", "s");
    kit_node("count", "SequenceLength", "s", "-");
    kit_node("neg", "Neg", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1");
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, -1);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(variadic_input_cannot_be_absent)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_node("make", "SequenceConstruct", "x - x", "s");
    pw_close(&kit.w);
    kit.is_closed = true;
    KIT_FAILS(bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &kit.model, &kit.err),
              BP_E_INVALID, "'make'", "input 1", "left empty");
}
END_TEST

/* Without outputs, each engine created the ports again. */
START_TEST(model_without_outputs_accepts_fed_defaults)
{
    static const float x[] = {1, 2};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_floats("x", PW_DIMS(2), 2, x);
    kit_node("neg", "Neg", "x", "y");
    kit_session();
    KIT_OK(try_run(&in, 1, NULL, 0));
    KIT_OK(try_run(NULL, 0, NULL, 0));
    ck_assert_uint_eq(bp_session_input_count(kit.session), 1);
}
END_TEST

/* A skip of shape [1] does not broadcast to [.., 5]. */
START_TEST(skip_layer_normalization_rejects_a_skip_of_one_element)
{
    static const float x[20], one[5];
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 4, 5), KIT_TENSOR(1, BP_DTYPE_F32, one, 1),
                       KIT_TENSOR(2, BP_DTYPE_F32, one, 5)};
    bp_binding out = kit_wanted(0);

    kit_start_model();
    pw_free(&kit.w);
    pw_int(&kit.w, 1, 8);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "com.microsoft");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    pw_open(&kit.w, 7);
    pw_text(&kit.w, 2, "main");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4,5");
    kit_io(KIT_INPUT, "skip", BP_DTYPE_F32, NULL);
    kit_io(KIT_INPUT, "gamma", BP_DTYPE_F32, "5");
    kit_open_node("norm", "SkipLayerNormalization", "x skip gamma", "y");
    pw_text(&kit.w, 7, "com.microsoft");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_session();
    KIT_FAILS(try_run(in, 3, &out, 1), BP_E_SHAPE, "fit");
}
END_TEST

START_TEST(failure_of_the_last_provider_is_reported)
{
    kit_start_model();
    pw_free(&kit.w);
    pw_int(&kit.w, 1, 8);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "ai.onnx.ml");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    pw_open(&kit.w, 7);
    pw_text(&kit.w, 2, "main");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2");
    kit_open_node("trees", "TreeEnsembleRegressor", "x", "y");
    pw_text(&kit.w, 7, "ai.onnx.ml");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "'cpu' failed", "nodes_treeids is empty",
              "no provider takes");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("found");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_loop_test(tcase, host_operators_read_unaligned_constants, 0, 4);
    tcase_add_test(tcase, max_pool_may_omit_its_first_output);
    tcase_add_test(tcase, host_operator_without_outputs_is_skipped);
    tcase_add_test(tcase, variadic_input_cannot_be_absent);
    tcase_add_test(tcase, model_without_outputs_accepts_fed_defaults);
    tcase_add_test(tcase, skip_layer_normalization_rejects_a_skip_of_one_element);
    tcase_add_test(tcase, failure_of_the_last_provider_is_reported);
    return kit_main("found", &tcase, 1);
}
