/* SPDX-License-Identifier: MIT */
/* check_io_binding.c - inputs and outputs that are bound once, for many runs. */

#include "config.h"

#include <check.h>
#include <pthread.h>

#include "support/count_alloc.h"
#include "support/session_kit.h"

enum { N_RUNS = 50, N_THREADS = 4 };

static bp_io_binding *io;

static void start(void)
{
    kit_setup();
    io = NULL;
}

static void end(void)
{
    bp_io_binding_destroy(io);
    kit_teardown();
}

/* The small model, y = -2 relu(x), and something bound to nothing yet. */
static void small(void)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    KIT_OK(bp_io_binding_create(kit.session, &io, &kit.err));
}

static void bind_x(float *x, int64_t rows)
{
    bp_binding value = KIT_TENSOR(0, BP_DTYPE_F32, x, rows, 4);

    KIT_OK(bp_io_binding_set_input(io, "x", &value, &kit.err));
}

static const bp_tensor *output(const char *name)
{
    const bp_binding *value;

    KIT_OK(bp_io_binding_output(io, name, 0, &value, &kit.err));
    return &value->tensor;
}

START_TEST(bound_values_serve_many_runs)
{
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const void *base;

    small();
    bind_x(x, 1);
    KIT_OK(bp_io_binding_set_output(io, "y", NULL, &kit.err));
    KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
    KIT_FLOATS(output("y"), -2, -4, -6, -8);
    KIT_DIMS(output("y"), 1, 4);
    ck_assert_uint_eq(output("y")->bytes, 16);
    base = output("y")->base;
    x[0] = 10; /* elements are read in each run */
    KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
    KIT_FLOATS(output(NULL), -20, -4, -6, -8);
    ck_assert_ptr_eq(output("y")->base, base);
    bind_x(x, 2); /* memory grows */
    KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
    KIT_DIMS(output("y"), 2, 4);
    KIT_FLOATS(output("y"), -20, -4, -6, -8, -10, -12, -14, -16);
    base = output("y")->base;
    bind_x(x, 1); /* and stays as it is */
    KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
    KIT_DIMS(output("y"), 1, 4);
    ck_assert_uint_eq(output("y")->bytes, 16);
    ck_assert_ptr_eq(output("y")->base, base);
}
END_TEST

START_TEST(bound_runs_allocate_nothing)
{
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint32_t n_failed = 0;
    unsigned long n_calls;

    small();
    bind_x(x, 2);
    KIT_OK(bp_io_binding_set_output(io, "y", NULL, &kit.err));
    KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
    n_calls = count_alloc_calls();
    for (int i = 0; i < N_RUNS; i++)
        n_failed += bp_io_binding_run(io, NULL, &kit.err) < 0;
    n_calls = count_alloc_calls() - n_calls;
    ck_assert_uint_eq(n_failed, 0);
    ck_assert_uint_eq(n_calls, 0);
}
END_TEST

START_TEST(outputs_are_written_to_memory_of_the_caller)
{
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8];
    bp_binding value = {.index = 0};

    small();
    bind_x(x, 1);
    value.tensor.base = y;
    value.tensor.bytes = 16;
    KIT_OK(bp_io_binding_set_output(io, NULL, &value, &kit.err));
    for (int i = 0; i < 2; i++) {
        y[0] = 0;
        KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
        ck_assert_ptr_eq(output("y")->base, y);
        ck_assert(y[0] == -2);
    }
    bind_x(x, 2);
    KIT_FAILS(bp_io_binding_run(io, NULL, &kit.err), BP_E_SPACE, "'y'", "32 bytes", "has 16");
    value.tensor.bytes = sizeof y;
    KIT_OK(bp_io_binding_set_output(io, "y", &value, &kit.err));
    KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
    ck_assert(y[7] == -16);
    KIT_OK(bp_io_binding_set_output(io, "y", NULL, &kit.err)); /* the library's instead */
    KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
    ck_assert_ptr_ne(output("y")->base, y);
}
END_TEST

/* An output whose size comes with its data: what is kept grows without another run. */
START_TEST(outputs_of_unknown_size_grow_within_the_run)
{
    float x[64] = {1};
    bp_binding value = KIT_TENSOR(0, BP_DTYPE_F32, x, 64);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_node("nonzero", "NonZero", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_I64, NULL);
    kit_session();
    KIT_OK(bp_io_binding_create(kit.session, &io, &kit.err));
    KIT_OK(bp_io_binding_set_input(io, "x", &value, &kit.err));
    KIT_OK(bp_io_binding_set_output(io, "y", NULL, &kit.err));
    for (int i = 0; i < 64; i += 9) {
        x[i] = 1;
        KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
        KIT_DIMS(output("y"), 1, i / 9 + 1);
        ck_assert_int_eq(((const int64_t *)output("y")->base)[i / 9], i);
    }
}
END_TEST

START_TEST(strings_and_objects_are_bound)
{
    const bp_span words[2] = {{"one", 3}, {"fifteen", 7}};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_STRING, words, 2);
    const bp_binding *value;
    const bp_span *out;

    kit_io(KIT_INPUT, "x", BP_DTYPE_STRING, "N");
    kit_node("copy", "Identity", "x", "y");
    kit_node("list", "SequenceConstruct", "x", "s");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_STRING, "N");
    kit_io_of(KIT_OUTPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_STRING);
    kit_session();
    KIT_OK(bp_io_binding_create(kit.session, &io, &kit.err));
    KIT_OK(bp_io_binding_set_input(io, "x", &in, &kit.err));
    KIT_OK(bp_io_binding_set_output(io, "y", NULL, &kit.err));
    KIT_OK(bp_io_binding_set_output(io, "s", NULL, &kit.err));
    for (int i = 0; i < 3; i++) {
        KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
        out = bp_tensor_data(output("y"));
        ck_assert_uint_eq(out[1].size, 7);
        ck_assert_int_eq(memcmp(out[1].data, "fifteen", 7), 0);
        KIT_OK(bp_io_binding_output(io, "s", 0, &value, &kit.err));
        ck_assert_ptr_nonnull(value->object);
        ck_assert_uint_eq(bp_object_count(value->object), 1);
    }
    KIT_FAILS(bp_io_binding_set_output(io, "s", &in, &kit.err), BP_E_INVALID, "'s'",
              "without memory");
}
END_TEST

START_TEST(io_binding_owns_a_part_of_its_session)
{
    float x[4] = {1, 2, 3, 4};

    small();
    bind_x(x, 1);
    KIT_OK(bp_io_binding_set_output(io, "y", NULL, &kit.err));
    kit_end_session();
    KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
    KIT_FLOATS(output("y"), -2, -4, -6, -8);
}
END_TEST

/* Each thread has its own. Asserts nothing, as Check is for one thread. */
static void *run_often(void *u)
{
    float x[40];
    bp_io_binding *own = NULL;
    bp_binding value = {.index = 0};
    const bp_binding *y;
    int64_t dims[2] = {1, 4};
    bp_rc rc = bp_io_binding_create(kit.session, &own, NULL);

    for (int i = 0; i < 40; i++)
        x[i] = 1;
    if (rc >= 0)
        rc = bp_io_binding_set_output(own, "y", NULL, NULL);
    for (int i = 0; rc >= 0 && i < N_RUNS; i++) {
        dims[0] = 1 + i % 10;
        value.tensor = (bp_tensor){
            .base = x, .bytes = sizeof x, .dims = dims, .rank = 2, .dtype = BP_DTYPE_F32};
        rc = bp_io_binding_set_input(own, NULL, &value, NULL);
        if (rc >= 0)
            rc = bp_io_binding_run(own, NULL, NULL);
        if (rc >= 0)
            rc = bp_io_binding_output(own, "y", 0, &y, NULL);
        if (rc >= 0 && ((const float *)y->tensor.base)[4 * dims[0] - 1] != -2)
            rc = BP_E_INTERNAL;
    }
    bp_io_binding_destroy(own);
    return rc < 0 ? u : NULL;
}

START_TEST(several_of_one_session_run_at_once)
{
    pthread_t threads[N_THREADS];
    void *failed;

    small();
    for (int i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_often, &kit), 0);
    for (int i = 0; i < N_THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
}
END_TEST

START_TEST(wrong_bindings_are_named)
{
    float x[8] = {0};
    bp_binding value = KIT_TENSOR(0, BP_DTYPE_I64, x, 1, 4);
    bp_binding row = KIT_TENSOR(0, BP_DTYPE_F32, x, 4), wide = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 5);
    bp_binding other = {.index = 7};
    bp_io_binding *none = NULL;
    const bp_binding *out;

    small();
    KIT_FAILS(bp_io_binding_run(io, NULL, &kit.err), BP_E_INVALID, "no output is bound");
    KIT_FAILS(bp_io_binding_set_input(io, "z", &value, &kit.err), BP_E_INVALID, "no input 'z'");
    KIT_FAILS(bp_io_binding_set_input(io, "x", &value, &kit.err), BP_E_INVALID, "'x'", "float32",
              "int64");
    KIT_FAILS(bp_io_binding_set_input(io, "x", &row, &kit.err), BP_E_SHAPE, "'x'", "rank 2");
    KIT_FAILS(bp_io_binding_set_input(io, "x", &wide, &kit.err), BP_E_SHAPE, "'x'", "1x5");
    wide.tensor.dims[1] = 4;
    wide.tensor.bytes = 8;
    KIT_FAILS(bp_io_binding_set_input(io, "x", &wide, &kit.err), BP_E_INVALID, "16 bytes", "has 8");
    KIT_FAILS(bp_io_binding_set_input(io, NULL, &other, &kit.err), BP_E_INVALID, "no input 7");
    KIT_FAILS(bp_io_binding_set_input(io, "x", NULL, &kit.err), BP_E_INVALID, "the value");
    KIT_FAILS(bp_io_binding_set_output(io, NULL, NULL, &kit.err), BP_E_INVALID, "by its name");
    KIT_FAILS(bp_io_binding_set_output(io, NULL, &other, &kit.err), BP_E_INVALID, "no output 7");
    KIT_FAILS(bp_io_binding_set_output(io, "y", &value, &kit.err), BP_E_INVALID, "'y'", "float32",
              "int64");
    KIT_OK(bp_io_binding_set_output(io, "y", NULL, &kit.err));
    KIT_FAILS(bp_io_binding_run(io, NULL, &kit.err), BP_E_INVALID, "'x'", "not fed");
    KIT_FAILS(bp_io_binding_output(io, "y", 0, &out, &kit.err), BP_E_INVALID, "no run");
    ck_assert_ptr_null(out);
    bind_x(x, 1);
    KIT_OK(bp_io_binding_run(io, NULL, &kit.err));
    bp_io_binding_clear_inputs(io);
    KIT_FAILS(bp_io_binding_run(io, NULL, &kit.err), BP_E_INVALID, "'x'", "not fed");
    bp_io_binding_clear_outputs(io);
    KIT_FAILS(bp_io_binding_output(io, "y", 0, &out, &kit.err), BP_E_INVALID, "not bound");
    KIT_FAILS(bp_io_binding_output(io, "y", 0, NULL, &kit.err), BP_E_INVALID, "out");
    KIT_FAILS(bp_io_binding_run(NULL, NULL, &kit.err), BP_E_INVALID, "io_binding");
    KIT_FAILS(bp_io_binding_create(NULL, &none, &kit.err), BP_E_INVALID, "session");
    KIT_FAILS(bp_io_binding_create(kit.session, NULL, &kit.err), BP_E_INVALID, "out");
    bp_io_binding_destroy(NULL);
    bp_io_binding_clear_inputs(NULL);
    bp_io_binding_clear_outputs(NULL);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("io_binding");

    tcase_add_checked_fixture(cases, start, end);
    tcase_add_test(cases, bound_values_serve_many_runs);
    tcase_add_test(cases, bound_runs_allocate_nothing);
    tcase_add_test(cases, outputs_are_written_to_memory_of_the_caller);
    tcase_add_test(cases, outputs_of_unknown_size_grow_within_the_run);
    tcase_add_test(cases, strings_and_objects_are_bound);
    tcase_add_test(cases, io_binding_owns_a_part_of_its_session);
    tcase_add_test(cases, several_of_one_session_run_at_once);
    tcase_add_test(cases, wrong_bindings_are_named);
    return kit_main("io_binding", &cases, 1);
}
