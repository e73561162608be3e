/* SPDX-License-Identifier: MIT */
/*
 * check_custom_memory.c - operators of an application: runs allocate nothing, several threads run one
 * kernel, and out of memory is a status at any allocation.
 */

#include "config.h"

#include "support/count_alloc.h"
#include "support/session_kit.h"

enum { N_RUNS = 100, N_THREADS = 4 };

/* Doubles each element; with `open` the size comes with the data. */
static bp_rc create(void *user, const bp_operator_node *node, void **kernel, bp_err *err)
{
    float *factor = malloc(sizeof *factor);

    (void)user;
    (void)node;
    if (!factor)
        return bp_fail(err, BP_E_NOMEM, "no memory for a kernel");
    *factor = 2;
    *kernel = factor;
    return BP_OK;
}

static bp_rc compute(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_tensor *x = bp_operator_input(call, 0);
    bp_tensor *y;
    bp_rc rc = bp_operator_size_output(call, 0, x->rank, x->dims, &y, err);

    for (int64_t i = 0; rc >= 0 && i < bp_dims_count(x->dims, x->rank); i++)
        ((float *)bp_tensor_data(y))[i] =
            *(const float *)kernel * ((const float *)bp_tensor_data(x))[i];
    return rc;
}

static bp_rc same_shape(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    bp_operator_fact x = {.struct_size = sizeof x};
    bp_rc rc = bp_operator_shapes_input(shapes, 0, &x, err);

    (void)user;
    return rc < 0 ? rc : bp_operator_shapes_set(shapes, 0, BP_DTYPE_NONE, x.rank, x.dims, err);
}

static bp_rc make_set(bp_operators **out, bp_err *err)
{
    static const bp_operand x = {.name = "X", .types = UINT64_C(1) << BP_DTYPE_F32};
    bp_operator_def def = {.struct_size = sizeof def,
                           .domain = "com.example",
                           .name = "Twice",
                           .since = 1,
                           .in = &x,
                           .out = &x,
                           .n_in = 1,
                           .n_out = 1,
                           .shapes = same_shape,
                           .create = create,
                           .compute = compute,
                           .destroy = free};
    bp_rc rc = bp_operators_create(out, err);

    if (rc >= 0)
        rc = bp_operators_add(*out, &def, err);
    def.name = "Open";
    def.shapes = NULL;
    if (rc >= 0)
        rc = bp_operators_add(*out, &def, err);
    return rc;
}

static void custom(const char *op, const char *in, const char *out)
{
    kit_open_node(op, op, in, out);
    pw_text(&kit.w, 7, "com.example");
    pw_close(&kit.w);
}

/* x[N] -> Twice -> Twice -> Open -> Neg -> y: -8 x */
static void model(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    custom("Twice", "x", "a");
    custom("Twice", "a", "b");
    custom("Open", "b", "c");
    kit_node("neg", "Neg", "c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "?");
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "com.example");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
}

static void open_session(void)
{
    bp_operators *set;

    model();
    KIT_OK(make_set(&set, &kit.err));
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_operators(kit.options, set, &kit.err));
    bp_operators_release(set);
    kit_session();
}

/* 1 when it failed. An assertion of Check allocates, so there is none in here. */
static uint32_t run(const float *x, int64_t n, float *y)
{
    int64_t in_dims[] = {n}, out_dims[4];
    bp_binding in = {.tensor = {.base = (void *)(uintptr_t)x,
                                .dims = in_dims,
                                .bytes = (size_t)n * sizeof *x,
                                .rank = 1,
                                .dtype = BP_DTYPE_F32}};
    bp_binding out = {
        .tensor = {.base = y, .dims = out_dims, .bytes = (size_t)n * sizeof *y, .rank = 4}};
    uint32_t wrong = bp_session_run(kit.session, &in, 1, &out, 1, NULL, NULL) < 0;

    for (int64_t i = 0; i < n && !wrong; i++)
        wrong = y[i] != -8 * x[i];
    return wrong;
}

START_TEST(repeated_run_of_custom_kernels_allocates_nothing)
{
    static const float x[] = {1, 2, 3, 4, 5, 6, 7};
    float y[7];
    unsigned long calls;
    uint32_t n_failed = 0;

    open_session();
    for (int i = 0; i < 4; i++)
        n_failed += run(x, i % 2 ? 7 : 3, y);
    calls = count_alloc_calls();
    for (int i = 0; i < N_RUNS; i++)
        n_failed += run(x, i % 2 ? 7 : 3, y);
    ck_assert_uint_eq(count_alloc_calls() - calls, 0);
    ck_assert_uint_eq(n_failed, 0);
}
END_TEST

static void *run_often(void *u)
{
    uint32_t *n_failed = u;
    float x[5], y[5];

    for (int round = 0; round < N_RUNS; round++) {
        for (int i = 0; i < 5; i++)
            x[i] = (float)(round + i) + (float)((uintptr_t)u % 101);
        *n_failed += run(x, 5 - round % 2, y);
    }
    return NULL;
}

START_TEST(threads_share_custom_kernels)
{
    pthread_t threads[N_THREADS];
    uint32_t n_failed[N_THREADS] = {0};

    open_session();
    for (int i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_often, &n_failed[i]), 0);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(n_failed[i], 0);
    }
}
END_TEST

/* All of a session's life; the caller's objects are gone afterwards. */
static bp_rc whole_way(void)
{
    float x[] = {1, -2, 3};
    int64_t dims[] = {3};
    bp_binding in = {
        .tensor = {.base = x, .dims = dims, .bytes = sizeof x, .rank = 1, .dtype = BP_DTYPE_F32}};
    bp_binding out = {0};
    bp_session_options *options = NULL;
    bp_operators *set = NULL;
    bp_session *session = NULL;
    bp_model *opened = NULL;
    bp_rc rc;

    rc = make_set(&set, &kit.err);
    if (rc >= 0)
        rc = bp_session_options_create(&options, &kit.err);
    if (rc >= 0)
        rc = bp_session_options_add_operators(options, set, &kit.err);
    bp_operators_release(set);
    if (rc >= 0)
        rc = bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &opened, &kit.err);
    if (rc >= 0)
        rc = bp_session_create_from_model(kit.env, opened, options, &session, &kit.err);
    if (rc >= 0)
        rc = bp_session_run(session, &in, 1, &out, 1, NULL, &kit.err);
    if (rc >= 0)
        bp_tensor_free(&out.tensor);
    bp_session_destroy(session);
    bp_model_close(opened);
    bp_session_options_destroy(options);
    return rc;
}

START_TEST(custom_operators_survive_every_failing_allocation)
{
    bool failed = true;
    uint32_t n_told = 0;
    long live;

    model();
    KIT_OK(whole_way()); /* opens plug-ins, which stay */
    live = count_alloc_live();
    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        kit.text[0] = '\0';
        count_alloc_fail_at(n);
        rc = whole_way();
        failed = count_alloc_stop();
        ck_assert_msg(failed || rc == BP_OK, "%s without cause: %s", bp_rc_name(rc), kit.text);
        ck_assert_msg(rc == BP_OK || (rc == BP_E_NOMEM && kit.text[0]), "allocation %u: %s: %s", n,
                      bp_rc_name(rc), kit.text);
        ck_assert_msg(count_alloc_live() == live, "allocation %u failed and %ld blocks leaked", n,
                      count_alloc_live() - live);
        n_told += rc < 0;
    }
    ck_assert_uint_ge(n_told, 30);
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (!count_alloc_works()) {
        fprintf(stderr, "SKIP: allocations cannot be counted under a sanitizer, under valgrind or "
                        "without glibc\n");
        return 77;
    }
    tcase = tcase_create("custom memory");
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, repeated_run_of_custom_kernels_allocates_nothing);
    tcase_add_test(tcase, threads_share_custom_kernels);
    tcase_add_test(tcase, custom_operators_survive_every_failing_allocation);
    return kit_main("custom memory", &tcase, 1);
}
