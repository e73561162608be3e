/* SPDX-License-Identifier: MIT */
/*
 * check_state.c - what runs leave for the next ones: a key cache that grows, at every level of
 * optimization, against the same model whose caller carries the cache itself; and a running sum.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "support/count_alloc.h"
#include "support/session_kit.h"
#include "support/skip.h"

enum {
    HEADS = 2,
    WIDTH = 3,
    MOST = 64,
    X = 0,
    PAST = 1,
    SUM = 2,
    Y = 0,
    SHAPE = 1,
    PRESENT = 2,
    NEXT = 3
};

/*
 * x[B,S,2,3] -> Transpose -> k[B,2,S,3]; past[B,2,P,3] and k -> Concat -> present[B,2,P+S,3]; y is k
 * times the transposed present. sum[1] and the sum of x give sum_next[1].
 */
static void model(void)
{
    static const int64_t heads[] = {0, 2, 1, 3}, last[] = {0, 1, 3, 2};

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "B,S,2,3");
    kit_io(KIT_INPUT, "past_key", BP_DTYPE_F32, "B,2,P,3");
    kit_io(KIT_INPUT, "past_sum", BP_DTYPE_F32, "1");
    kit_node_ints("k", "Transpose", "x", "k", "perm", 4, heads);
    kit_node_int("concat", "Concat", "past_key k", "present_key", "axis", 2);
    kit_node_ints("t", "Transpose", "present_key", "t", "perm", 4, last);
    kit_node("product", "MatMul", "k t", "y");
    kit_node("shape", "Shape", "present_key", "shape");
    kit_node_int("total", "ReduceSum", "x", "total", "keepdims", 0);
    kit_node("add", "Add", "past_sum total", "present_sum");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "B,2,S,T");
    kit_io(KIT_OUTPUT, "shape", BP_DTYPE_I64, "4");
    kit_io(KIT_OUTPUT, "present_key", BP_DTYPE_F32, "B,2,T,3");
    kit_io(KIT_OUTPUT, "present_sum", BP_DTYPE_F32, "1");
}

/* What the model computes of all x so far. */
struct reference {
    float k[MOST][4][HEADS][WIDTH]; /* [position][batch] */
    int64_t length, batch;
    float sum;
};

static void append(struct reference *r, const float *x, int64_t n)
{
    for (int64_t b = 0; b < r->batch; b++) {
        for (int64_t s = 0; s < n; s++)
            memcpy(r->k[r->length + s][b], x + (b * n + s) * HEADS * WIDTH, sizeof r->k[0][0]);
    }
    for (int64_t i = 0; i < r->batch * n * HEADS * WIDTH; i++)
        r->sum += x[i];
    r->length += n;
}

static void check_y(const struct reference *r, const bp_tensor *y, int64_t n)
{
    const float *got = bp_tensor_data(y);

    kit_check_dims(y, 4, (const int64_t[]){r->batch, HEADS, n, r->length});
    for (int64_t b = 0; b < r->batch; b++) {
        for (int64_t h = 0; h < HEADS; h++) {
            for (int64_t s = 0; s < n; s++) {
                for (int64_t t = 0; t < r->length; t++) {
                    float want = 0;

                    for (int i = 0; i < WIDTH; i++)
                        want += r->k[r->length - n + s][b][h][i] * r->k[t][b][h][i];
                    ck_assert_msg(fabsf(*got - want) <= 1e-5F * (1 + fabsf(want)),
                                  "batch %d, head %d, %d by %d: %g, not %g", (int)b, (int)h, (int)s,
                                  (int)t, (double)*got, (double)want);
                    got++;
                }
            }
        }
    }
}

static void add_states(void)
{
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_state(kit.options, "past_*", "present_*", &kit.err));
}

static const uint32_t levels[] = {BP_OPTIMIZE_NONE, BP_OPTIMIZE_BASIC, BP_OPTIMIZE_EXTENDED};

/* A session with states at a level. */
static void start(uint32_t level)
{
    model();
    add_states();
    KIT_OK(bp_session_options_set_optimization(kit.options, level, &kit.err));
    kit_session();
}

static bp_state *new_state(int64_t batch)
{
    bp_state *state;

    KIT_OK(bp_state_create(kit.session, batch, &state, &kit.err));
    return state;
}

static bp_rc try_step(bp_state *state, const float *x, int64_t batch, int64_t n, bp_binding *y,
                      const uint32_t *cancel)
{
    bp_binding in = KIT_TENSOR(X, BP_DTYPE_F32, x, batch, n, HEADS, WIDTH);
    bp_run_options options = {.struct_size = sizeof options, .state = state, .cancel = cancel};

    return bp_session_run(kit.session, &in, 1, y, 1, &options, &kit.err);
}

static float next_x(void)
{
    static uint32_t seed = 1;

    seed = seed * 1664525 + 1013904223;
    return (float)(seed >> 16) / 65536 - 0.5F;
}

/* n more positions, compared with the reference. */
static void step(bp_state *state, struct reference *r, int64_t n)
{
    float x[4 * MOST * HEADS * WIDTH];
    bp_binding y = kit_wanted(Y);

    for (int64_t i = 0; i < r->batch * n * HEADS * WIDTH; i++)
        x[i] = next_x();
    append(r, x, n);
    KIT_OK(try_step(state, x, r->batch, n, &y, NULL));
    check_y(r, &y.tensor, n);
    bp_tensor_free(&y.tensor);
    ck_assert_int_eq(bp_state_length(state), r->length);
}

/* The state holds what the reference does, in the model's layout. */
static void check_state(bp_state *state, const struct reference *r)
{
    bp_tensor key = {0}, sum = {0};
    const float *got;

    KIT_OK(bp_state_get(state, "past_key", &key, &kit.err));
    KIT_OK(bp_state_get(state, "past_sum", &sum, &kit.err));
    kit_check_dims(&key, 4, (const int64_t[]){r->batch, HEADS, r->length, WIDTH});
    got = bp_tensor_data(&key);
    for (int64_t b = 0; b < r->batch; b++) {
        for (int64_t h = 0; h < HEADS; h++) {
            for (int64_t t = 0; t < r->length; t++, got += WIDTH)
                ck_assert_mem_eq(got, r->k[t][b][h], WIDTH * sizeof *got);
        }
    }
    ck_assert(fabsf(*(const float *)bp_tensor_data(&sum) - r->sum) < 1e-4F);
    bp_tensor_free(&key);
    bp_tensor_free(&sum);
}

START_TEST(runs_with_a_state_are_as_with_a_cache_of_the_caller)
{
    for (int64_t batch = 1; batch <= 3; batch += 2) {
        struct reference r = {.batch = batch};
        static const int64_t steps[] = {5, 1, 1, 3, 1, 1, 17, 1, 1, 1};
        bp_state *state;

        kit_teardown();
        kit_setup();
        start(levels[_i]);
        state = new_state(batch);
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            step(state, &r, steps[i]);
            check_state(state, &r);
        }
        bp_state_destroy(state);
    }
}
END_TEST

START_TEST(states_of_one_session_do_not_meet)
{
    struct reference a = {.batch = 1}, b = {.batch = 2};
    bp_state *first, *second;

    start(levels[_i]);
    first = new_state(1);
    second = new_state(2);
    for (int i = 0; i < 4; i++) {
        step(first, &a, 2);
        step(second, &b, 1 + i);
    }
    check_state(first, &a);
    check_state(second, &b);
    bp_state_destroy(first);
    bp_state_destroy(second);
}
END_TEST

START_TEST(truncated_state_goes_on_from_there)
{
    struct reference r = {.batch = 2};
    bp_state *state;

    start(levels[_i]);
    state = new_state(2);
    step(state, &r, 7);
    KIT_OK(bp_state_truncate(state, 4, &kit.err));
    r.length = 4;
    check_state(state, &r);
    step(state, &r, 2);
    check_state(state, &r);
    KIT_OK(bp_state_truncate(state, 0, &kit.err));
    r.length = 0;
    step(state, &r, 3);
    check_state(state, &r);
    KIT_FAILS(bp_state_truncate(state, 4, &kit.err), BP_E_INVALID, "past_key", "length of 3");
    KIT_FAILS(bp_state_truncate(state, -1, &kit.err), BP_E_INVALID, "past_key");
    bp_state_destroy(state);
}
END_TEST

START_TEST(copied_and_reset_states_are_of_their_own)
{
    struct reference r = {.batch = 1}, other, fresh = {.batch = 1};
    bp_state *state, *copy;

    start(levels[_i]);
    state = new_state(1);
    step(state, &r, 4);
    other = r;
    KIT_OK(bp_state_copy(state, &copy, &kit.err));
    step(state, &r, 2);
    step(copy, &other, 1);
    check_state(state, &r);
    check_state(copy, &other);
    KIT_OK(bp_state_reset(state, &kit.err));
    ck_assert_int_eq(bp_state_length(state), 0);
    step(state, &fresh, 2);
    check_state(state, &fresh);
    bp_state_destroy(state);
    step(copy, &other, 1);
    bp_state_destroy(copy);
}
END_TEST

START_TEST(state_can_be_set_from_a_tensor)
{
    struct reference r = {.batch = 2}, fresh = {.batch = 2};
    bp_tensor key = {0}, sum = {0};
    bp_state *state, *other;

    start(levels[_i]);
    state = new_state(2);
    step(state, &r, 6);
    KIT_OK(bp_state_get(state, "past_key", &key, &kit.err));
    KIT_OK(bp_state_get(state, "past_sum", &sum, &kit.err));
    other = new_state(1);
    KIT_OK(bp_state_set(other, "past_key", &key, &kit.err));
    KIT_OK(bp_state_set(other, "past_sum", &sum, &kit.err));
    check_state(other, &r);
    fresh = r;
    step(other, &r, 1);
    step(state, &fresh, 1);
    KIT_FAILS(bp_state_set(other, "x", &key, &kit.err), BP_E_INVALID, "'x' is not kept");
    KIT_FAILS(bp_state_set(other, "past_kez", &key, &kit.err), BP_E_INVALID, "past_key");
    KIT_FAILS(bp_state_set(other, "past_sum", &key, &kit.err), BP_E_SHAPE, "past_sum", "rank 1");
    key.dtype = BP_DTYPE_F64;
    KIT_FAILS(bp_state_set(other, "past_key", &key, &kit.err), BP_E_INVALID, "float64");
    key.dtype = BP_DTYPE_F32;
    key.bytes--;
    KIT_FAILS(bp_state_set(other, "past_key", &key, &kit.err), BP_E_INVALID, "bytes");
    key.dims[1] = 3;
    KIT_FAILS(bp_state_set(other, "past_key", &key, &kit.err), BP_E_SHAPE, "dimension 1 is 2");
    bp_tensor_free(&key);
    bp_tensor_free(&sum);
    bp_state_destroy(state);
    bp_state_destroy(other);
}
END_TEST

START_TEST(failed_run_leaves_the_state)
{
    struct reference r = {.batch = 1};
    float x[2 * HEADS * WIDTH] = {1};
    uint32_t cancel = 1;
    bp_binding y = kit_wanted(Y);
    bp_state *state;

    start(levels[_i]);
    state = new_state(1);
    step(state, &r, 3);
    KIT_FAILS(try_step(state, x, 1, 2, &y, &cancel), BP_E_CANCELLED, "");
    check_state(state, &r);
    KIT_FAILS(try_step(state, x, 2, 1, &y, NULL), BP_E_SHAPE, "");
    check_state(state, &r);
    step(state, &r, 1);
    check_state(state, &r);
    bp_state_destroy(state);
}
END_TEST

/* The output of another size than the caller has memory for is the caller's to mend. */
START_TEST(small_output_of_the_caller_is_no_reason_to_repeat)
{
    struct reference r = {.batch = 1};
    float x[2 * HEADS * WIDTH] = {1, 2, 3}, small[4];
    int64_t dims[4];
    bp_binding y = {.index = Y};
    bp_state *state;

    start(levels[_i]);
    state = new_state(1);
    step(state, &r, 3);
    y.tensor = (bp_tensor){
        .base = small, .bytes = sizeof small, .dims = dims, .rank = 4, .dtype = BP_DTYPE_F32};
    KIT_FAILS(try_step(state, x, 1, 2, &y, NULL), BP_E_SPACE, "'y'");
    check_state(state, &r);
    bp_state_destroy(state);
}
END_TEST

START_TEST(shape_of_the_whole_is_the_models)
{
    struct reference r = {.batch = 2};
    float x[2 * HEADS * WIDTH] = {0};
    int64_t got[4], dims[1];
    bp_binding in = KIT_TENSOR(X, BP_DTYPE_F32, x, 2, 1, HEADS, WIDTH), out = {.index = SHAPE};
    bp_run_options options = {.struct_size = sizeof options};
    bp_io_info info = {.struct_size = sizeof info};

    start(levels[_i]);
    options.state = new_state(2);
    step(options.state, &r, 4);
    out.tensor = (bp_tensor){
        .base = got, .bytes = sizeof got, .dims = dims, .rank = 1, .dtype = BP_DTYPE_I64};
    KIT_OK(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err));
    ck_assert_mem_eq(got, ((int64_t[]){2, HEADS, 5, WIDTH}), sizeof got);
    KIT_OK(bp_session_input(kit.session, PAST, &info, &kit.err));
    ck_assert_int_eq(info.dims[1].value, HEADS);
    ck_assert_str_eq(info.dims[0].symbol, "B");
    ck_assert_str_eq(info.dims[2].symbol, "P");
    ck_assert_uint_eq(info.flags, BP_IO_KEPT);
    KIT_OK(bp_session_output(kit.session, PRESENT, &info, &kit.err));
    ck_assert_uint_eq(info.flags, BP_IO_KEPT);
    ck_assert_int_eq(info.dims[3].value, WIDTH);
    ck_assert_str_eq(info.dims[0].symbol, "B");
    bp_state_destroy(options.state);
}
END_TEST

/* Shapes are given and told in the model's layout. */
START_TEST(shapes_are_prepared_and_told)
{
    bp_binding in[] = {KIT_TENSOR(X, BP_DTYPE_F32, NULL, 2, 3, HEADS, WIDTH),
                       KIT_TENSOR(PAST, BP_DTYPE_F32, NULL, 2, HEADS, 5, WIDTH),
                       KIT_TENSOR(SUM, BP_DTYPE_F32, NULL, 1)};
    bp_run_shapes shapes = {.inputs = in, .n_inputs = 3};
    int64_t dims[4];
    bp_binding out = {.index = PRESENT};

    start(levels[_i]);
    out.tensor = (bp_tensor){.dims = dims, .rank = 4};
    KIT_OK(bp_session_prepare(kit.session, &shapes, 1, NULL, &kit.err));
    KIT_OK(bp_session_output_shapes(kit.session, &shapes, &out, 1, &kit.err));
    kit_check_dims(&out.tensor, 4, (const int64_t[]){2, HEADS, 8, WIDTH});
}
END_TEST

/* Once the largest shapes are prepared for, runs allocate nothing. */
START_TEST(steady_runs_allocate_nothing)
{
    float x[HEADS * WIDTH] = {1, 2, 3}, out[HEADS * 1024];
    int64_t dims[4];
    bp_binding in = KIT_TENSOR(X, BP_DTYPE_F32, x, 1, 1, HEADS, WIDTH), y = {.index = Y};
    bp_binding largest[] = {in, KIT_TENSOR(PAST, BP_DTYPE_F32, NULL, 1, HEADS, 999, WIDTH),
                            KIT_TENSOR(SUM, BP_DTYPE_F32, NULL, 1)};
    bp_run_shapes shapes = {.inputs = largest, .n_inputs = 3};
    bp_run_options options = {.struct_size = sizeof options};
    unsigned long before = 0, n;
    bp_rc rc = BP_OK;

    SKIP_UNLESS(count_alloc_works(), "allocations cannot be counted here");
    start(BP_OPTIMIZE_DEFAULT);
    options.state = new_state(1);
    KIT_OK(bp_state_reserve(options.state, 1000, &kit.err));
    KIT_OK(bp_session_prepare(kit.session, &shapes, 1, NULL, &kit.err));
    for (int i = 0; rc >= 0 && i < 400; i++) {
        y.tensor = (bp_tensor){
            .base = out, .bytes = sizeof out, .dims = dims, .rank = 4, .dtype = BP_DTYPE_F32};
        before = i == 100 ? count_alloc_calls() : before;
        rc = bp_session_run(kit.session, &in, 1, &y, 1, &options, &kit.err);
    }
    n = count_alloc_calls() - before;
    KIT_OK(rc);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(bp_state_length(options.state), 400);
    bp_state_destroy(options.state);
}
END_TEST

/* ---- wrong use ------------------------------------------------------------------------------- */

START_TEST(run_without_its_state_says_what_it_needs)
{
    float x[HEADS * WIDTH] = {0};
    bp_binding in[] = {KIT_TENSOR(X, BP_DTYPE_F32, x, 1, 1, HEADS, WIDTH),
                       KIT_TENSOR(SUM, BP_DTYPE_F32, x, 1)};
    bp_binding out[] = {kit_wanted(Y), kit_wanted(NEXT)};
    bp_run_options options = {.struct_size = sizeof options};

    start(BP_OPTIMIZE_DEFAULT);
    KIT_FAILS(bp_session_run(kit.session, in, 1, out, 1, NULL, &kit.err), BP_E_INVALID,
              "bp_run_options.state");
    options.state = new_state(1);
    KIT_FAILS(bp_session_run(kit.session, in, 2, out, 1, &options, &kit.err), BP_E_INVALID,
              "'past_sum'", "bp_state_set()");
    KIT_FAILS(bp_session_run(kit.session, in, 1, out, 2, &options, &kit.err), BP_E_INVALID,
              "'present_sum'", "bp_state_get()");
    bp_state_destroy(options.state);
}
END_TEST

START_TEST(names_that_are_not_the_models_are_errors)
{
    model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_FAILS(bp_session_options_add_state(kit.options, "past_*", "present", &kit.err),
              BP_E_INVALID, "'*'");
    KIT_FAILS(bp_session_options_add_state(kit.options, "past_**", "present_**", &kit.err),
              BP_E_INVALID, "'*'");
    KIT_FAILS(bp_session_options_add_state(kit.options, "", "y", &kit.err), BP_E_INVALID, "names");
    KIT_FAILS(bp_session_options_add_state(kit.options, "x", NULL, &kit.err), BP_E_INVALID,
              "names");
    KIT_FAILS(bp_session_options_add_state(NULL, "x", "y", &kit.err), BP_E_INVALID, "options");
    KIT_OK(bp_session_options_add_state(kit.options, "past_kye", "present_key", &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'past_kye'", "did you mean 'past_key'");
    bp_session_options_destroy(kit.options);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_state(kit.options, "past_*", "now_*", &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "output 'now_key'");
    bp_session_options_destroy(kit.options);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_state(kit.options, "past_key", "present_key", &kit.err));
    KIT_OK(bp_session_options_add_state(kit.options, "past_*", "present_*", &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "past_key", "another");
}
END_TEST

/* An output that its input would not take never becomes the state. */
START_TEST(outputs_that_the_input_does_not_take_are_refused)
{
    bp_run_options options = {.struct_size = sizeof options};
    bp_tensor value = {0};

    kit_start_model();
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "2");
    kit_node_int("twice", "Concat", "a a", "b", "axis", 0);
    kit_io(KIT_OUTPUT, "b", BP_DTYPE_F32, "4");
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_state(kit.options, "a", "b", &kit.err));
    kit_session();
    options.state = new_state(1);
    KIT_FAILS(bp_session_run(kit.session, NULL, 0, NULL, 0, &options, &kit.err), BP_E_SHAPE, "'b'",
              "size 4", "'a'");
    KIT_OK(bp_state_get(options.state, "a", &value, &kit.err));
    ck_assert_int_eq(value.dims[0], 2);
    bp_tensor_free(&value);
    bp_state_destroy(options.state);
    kit_start_model();
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "2");
    kit_node_int("cast", "Cast", "a", "b", "to", 11);
    kit_io(KIT_OUTPUT, "b", BP_DTYPE_F64, "2");
    kit_session();
    KIT_FAILS(bp_state_create(kit.session, 1, &options.state, &kit.err), BP_E_INVALID, "float64",
              "'a'");
}
END_TEST

START_TEST(session_without_states_has_none)
{
    bp_state *state;

    model();
    kit_session();
    KIT_FAILS(bp_state_create(kit.session, 1, &state, &kit.err), BP_E_INVALID,
              "bp_session_options_add_state");
    KIT_FAILS(bp_state_create(NULL, 1, &state, &kit.err), BP_E_INVALID, "session");
    KIT_FAILS(bp_state_reset(NULL, &kit.err), BP_E_INVALID, "state");
    KIT_FAILS(bp_state_truncate(NULL, 0, &kit.err), BP_E_INVALID, "state");
    KIT_FAILS(bp_state_reserve(NULL, 0, &kit.err), BP_E_INVALID, "state");
    KIT_FAILS(bp_state_copy(NULL, &state, &kit.err), BP_E_INVALID, "state");
    KIT_FAILS(bp_state_get(NULL, "x", NULL, &kit.err), BP_E_INVALID, "state");
    KIT_FAILS(bp_state_set(NULL, "x", NULL, &kit.err), BP_E_INVALID, "state");
    ck_assert_int_eq(bp_state_length(NULL), 0);
    bp_state_destroy(NULL);
}
END_TEST

/* The session lives as long as its states; other providers may come in between. */
START_TEST(state_outlives_new_providers_and_its_session)
{
    struct reference r = {.batch = 1};
    bp_state *state;

    start(BP_OPTIMIZE_DEFAULT);
    state = new_state(1);
    step(state, &r, 3);
    KIT_OK(bp_session_set_providers(kit.session, NULL, &kit.err));
    step(state, &r, 2);
    bp_session_options_destroy(kit.options);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_NONE, &kit.err));
    KIT_OK(bp_session_set_providers(kit.session, kit.options, &kit.err));
    step(state, &r, 2); /* now in the model's layout */
    check_state(state, &r);
    bp_session_destroy(kit.session);
    kit.session = NULL;
    bp_state_destroy(state);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("growing"), tcase_create("use")};
    int n = (int)(sizeof levels / sizeof levels[0]);

    tcase_add_checked_fixture(cases[0], kit_setup, kit_teardown);
    tcase_add_checked_fixture(cases[1], kit_setup, kit_teardown);
    tcase_add_loop_test(cases[0], runs_with_a_state_are_as_with_a_cache_of_the_caller, 0, n);
    tcase_add_loop_test(cases[0], states_of_one_session_do_not_meet, 0, n);
    tcase_add_loop_test(cases[0], truncated_state_goes_on_from_there, 0, n);
    tcase_add_loop_test(cases[0], copied_and_reset_states_are_of_their_own, 0, n);
    tcase_add_loop_test(cases[0], state_can_be_set_from_a_tensor, 0, n);
    tcase_add_loop_test(cases[0], failed_run_leaves_the_state, 0, n);
    tcase_add_loop_test(cases[0], small_output_of_the_caller_is_no_reason_to_repeat, 0, n);
    tcase_add_loop_test(cases[0], shape_of_the_whole_is_the_models, 0, n);
    tcase_add_loop_test(cases[0], shapes_are_prepared_and_told, 0, n);
    tcase_add_test(cases[0], steady_runs_allocate_nothing);
    tcase_add_test(cases[1], run_without_its_state_says_what_it_needs);
    tcase_add_test(cases[1], names_that_are_not_the_models_are_errors);
    tcase_add_test(cases[1], outputs_that_the_input_does_not_take_are_refused);
    tcase_add_test(cases[1], session_without_states_has_none);
    tcase_add_test(cases[1], state_outlives_new_providers_and_its_session);
    return kit_main("state", cases, 2);
}
