/* SPDX-License-Identifier: MIT */
/* check_groups.c - what the dnnl provider refuses, and how groups of several nodes run. */

#include "config.h"

#include "dnnl/dnnl_kit.h"

#include <dirent.h>
#include <pthread.h>
#include <time.h>

/* ---- refusals -------------------------------------------------------------------------------- */

static void add_conv(struct th *t, const char *x, const char *w)
{
    dnnl_input(t, "x", x);
    dnnl_const(t, "w", w);
    dnnl_output(t, "y", x);
    th_node(t, "Conv", 11, "x w", "y");
}

static void make_double(struct th *t, const void *u)
{
    (void)u;
    th_input(t, "x", BP_DTYPE_F64, "2", (const double[2]){1, 2});
    th_output(t, "y", BP_DTYPE_F64, "2");
    th_node(t, "Relu", 14, "x", "y");
}

static void make_six(struct th *t, const void *u)
{
    (void)u;
    add_conv(t, "1,2,2,2,2,2", "2,2,1,1,1,1");
}

static void make_unknown(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "2,2");
    dnnl_output(t, "y", "2,2");
    th_node(t, "Det", 11, "x", "y");
}

static void make_newer(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "2,2");
    dnnl_output(t, "y", "2,2");
    th_node(t, "Relu", 99, "x", "y");
}

static void make_negative_pad(struct th *t, const void *u)
{
    (void)u;
    add_conv(t, "1,2,8,8", "2,2,3,3");
    th_ints(t, "pads", 4, (const int64_t[4]){1, -1, 1, 3});
}

static void make_few_strides(struct th *t, const void *u)
{
    (void)u;
    add_conv(t, "1,2,8,8", "2,2,1,1");
    th_ints(t, "strides", 1, (const int64_t[1]){1});
}

static void make_activation(struct th *t, const void *u)
{
    (void)u;
    add_conv(t, "1,2,8,8", "2,2,1,1");
    th_node(t, "FusedConv", 1, "x w", "y");
    th_domain(t, "com.microsoft");
    th_string(t, "activation", "Selu");
}

static void make_computed_limit(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "2,2");
    dnnl_input(t, "low", "");
    dnnl_output(t, "y", "2,2");
    th_node(t, "Clip", 13, "x low", "y");
}

static void make_two_way(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "a", "3,1");
    dnnl_input(t, "b", "1,4");
    dnnl_output(t, "y", "3,4");
    th_node(t, "Add", 14, "a b", "y");
}

static void make_even_lrn(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "1,8,2,2");
    dnnl_output(t, "y", "1,8,2,2");
    th_node(t, "LRN", 13, "x", "y");
    th_int(t, "size", 4);
}

static void make_empty(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "a", "3,0");
    dnnl_input(t, "b", "0,4");
    dnnl_output(t, "y", "3,4");
    th_node(t, "MatMul", 13, "a b", "y");
}

static void make_training(struct th *t, const void *u)
{
    static const unsigned char is_training = 1;
    static const float ratio = 0.5f;

    (void)u;
    dnnl_input(t, "x", "3,4");
    th_const(t, "ratio", BP_DTYPE_F32, "", &ratio);
    th_const(t, "training", BP_DTYPE_BOOL, "", &is_training);
    dnnl_output(t, "y", "3,4");
    th_node(t, "Dropout", 13, "x ratio training", "y");
}

START_TEST(claim_rejects_a_node_with_a_reason)
{
    static const struct {
        dnnl_make_fn make;
        uint32_t reason;
        const char *words;
    } rows[] = {
        {make_double, BP_R_DTYPE, "float32"},
        {make_six, BP_R_RANK, "rank 6"},
        {make_unknown, BP_R_OP, "not implemented"},
        {make_newer, BP_R_OPSET, "version 99"},
        {make_negative_pad, BP_R_ATTRIBUTE, "pads has -1"},
        {make_few_strides, BP_R_ATTRIBUTE, "strides must have 2"},
        {make_activation, BP_R_ATTRIBUTE, "activation"},
        {make_computed_limit, BP_R_NOT_CONSTANT, "constant"},
        {make_two_way, BP_R_OTHER, "shape of the output"},
        {make_even_lrn, BP_R_ATTRIBUTE, "odd"},
        {make_empty, BP_R_OTHER, "no elements"},
        {make_training, BP_R_OTHER, "inference"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct th *t = dnnl_new();

        rows[i].make(t, NULL);
        dnnl_refuses(t, rows[i].reason, rows[i].words);
    }
}
END_TEST

START_TEST(claim_rejects_add_of_unknown_sizes)
{
    struct th *t = dnnl_new();

    th_dynamic(t);
    dnnl_input(t, "a", "3,4");
    dnnl_input(t, "b", "3,4");
    dnnl_output(t, "y", "3,4");
    th_node(t, "Add", 14, "a b", "y");
    dnnl_refuses(t, BP_R_DYNAMIC_SHAPE, "shape of the output");
}
END_TEST

/* By default, a product is large enough for a group, but its producer is not supported. */
START_TEST(claim_declines_a_matmul_between_unsupported_nodes)
{
    for (int is_strange = 0; is_strange < 2; is_strange++) {
        struct th *t = th_new(bp_provider_entry_v1);

        th_threads(t, DNNL_TEAM);
        dnnl_input(t, "x", "128,128");
        dnnl_const(t, "w", "128,128");
        dnnl_value(t, "e", "128,128");
        dnnl_output(t, "y", "128,128");
        th_node(t, is_strange ? "Sin" : "Tanh", 13, "x", "e");
        th_node(t, "MatMul", 13, "e w", "y");
        if (is_strange) {
            dnnl_refuses(t, BP_R_NOT_PROFITABLE, "run elsewhere");
            continue;
        }
        dnnl_run(t);
        th_free(t);
    }
}
END_TEST

/* ---- groups ---------------------------------------------------------------------------------- */

/* A small network with a residual, a Concat, pools, a head, and an output amid it. */
static void make_network(struct th *t, const void *u)
{
    static const int64_t two[2] = {2, 2};

    (void)u;
    dnnl_input(t, "x", "1,3,16,16");
    dnnl_const(t, "w1", "24,3,3,3");
    dnnl_const(t, "b1", "24");
    dnnl_const(t, "w2", "24,24,3,3");
    dnnl_const(t, "w3", "10,1152");
    dnnl_const(t, "b3", "10");
    dnnl_values(t, "c1 r1 c2 s", "1,24,16,16");
    dnnl_output(t, "z", "1,24,16,16");
    dnnl_values(t, "p q", "1,24,8,8");
    dnnl_value(t, "j", "1,48,8,8");
    dnnl_values(t, "k g", "1,48,4,4");
    dnnl_value(t, "f", "1,768");
    dnnl_value(t, "m", "1,10");
    dnnl_output(t, "y", "1,10");
    dnnl_const(t, "w4", "10,768");
    dnnl_conv(t, "x w1 b1", "c1");
    th_node(t, "Relu", 14, "c1", "r1");
    dnnl_conv(t, "r1 w2", "c2");
    th_node(t, "Add", 14, "c2 r1", "s");
    th_node(t, "Relu", 14, "s", "z");
    th_node(t, "MaxPool", 12, "z", "p");
    th_ints(t, "kernel_shape", 2, two);
    th_ints(t, "strides", 2, two);
    th_node(t, "AveragePool", 11, "s", "q");
    th_ints(t, "kernel_shape", 2, two);
    th_ints(t, "strides", 2, two);
    th_node(t, "Concat", 13, "p q", "j");
    th_int(t, "axis", 1);
    th_node(t, "MaxPool", 12, "j", "k");
    th_ints(t, "kernel_shape", 2, two);
    th_ints(t, "strides", 2, two);
    th_node(t, "Sigmoid", 13, "k", "g");
    th_node(t, "Flatten", 13, "g", "f");
    th_node(t, "Gemm", 13, "f w4 b3", "m");
    th_int(t, "transB", 1);
    th_node(t, "Softmax", 13, "m", "y");
    th_int(t, "axis", 1);
}

START_TEST(network_runs_as_one_group)
{
    dnnl_compare("a network", make_network, NULL, 1);
}
END_TEST

/* A convolution's sum with `which`: what the graph is given, a convolution, or its own input. */
static void make_shortcut(struct th *t, const void *u)
{
    const int *which = u;
    const char *const sums[] = {"c a", "d c", "x c", "c c"};

    dnnl_input(t, "a", "1,16,6,6");
    dnnl_input(t, "x", "1,16,6,6");
    dnnl_const(t, "w", "16,16,1,1");
    dnnl_const(t, "v", "16,16,1,1");
    dnnl_values(t, "d c s r", "1,16,6,6");
    dnnl_output(t, "y", "1,16,6,6");
    dnnl_output(t, "z", "1,16,6,6");
    th_node(t, "Conv", 11, "x v", "d");
    th_node(t, "Conv", 11, "x w", "c");
    th_node(t, "Sum", 13, sums[*which], "s");
    th_node(t, "Relu", 14, "s", "r");
    th_node(t, "Tanh", 13, "r", "y");
    th_node(t, "Neg", 13, *which == 1 ? "a" : "d", "z");
}

START_TEST(residual_add_runs_inside_the_convolution)
{
    for (int which = 0; which < 4; which++) {
        char what[32];

        snprintf(what, sizeof what, "shortcut %d", which);
        dnnl_compare(what, make_shortcut, &which, 1);
    }
}
END_TEST

START_TEST(profile_names_the_node_of_each_step)
{
    bp_prof_event events[64];
    bp_prof prof = {.struct_size = sizeof prof, .cap = 64, .ev = events, .stride = sizeof *events};
    struct th *t = dnnl_new();

    make_network(t, NULL);
    th_limits(t, NULL, 0, &prof);
    dnnl_run(t);
    ck_assert_uint_ge(prof.count, 10); /* Flatten needs no step, Relu and Add none of their own */
    for (uint32_t i = 0; i < prof.count; i++) {
        ck_assert_uint_lt(events[i].node, 13);
        ck_assert_int_ge(events[i].t1_ns, events[i].t0_ns);
    }
    prof.cap = prof.count = 3;
    dnnl_run(t);
    ck_assert_uint_eq(prof.count, 3);
    ck_assert_uint_gt(prof.dropped, 0);
    th_free(t);
}
END_TEST

START_TEST(run_stops_when_it_is_cancelled_or_out_of_time)
{
    static const volatile uint32_t cancel = 1;
    struct th *t = dnnl_new();

    make_network(t, NULL);
    th_limits(t, &cancel, 0, NULL);
    ck_assert_int_eq(th_run(t), BP_E_CANCELLED);
    th_limits(t, NULL, 1, NULL);
    ck_assert_int_eq(th_run(t), BP_E_TIMEOUT);
    th_limits(t, NULL, 0, NULL);
    dnnl_run(t);
    th_free(t);
}
END_TEST

/* Sizes that only the frame knows, and other ones afterwards. */
START_TEST(program_runs_again_with_new_sizes)
{
    static const char *const batches[] = {"1,3,8,8", "2,3,8,8"};
    static const char *const outs[] = {"1,5,8,8", "2,5,8,8"};
    struct th *t = dnnl_new();

    th_dynamic(t);
    dnnl_input(t, "x", batches[0]);
    dnnl_const(t, "w", "5,3,1,1");
    dnnl_output(t, "y", outs[0]);
    th_node(t, "Conv", 11, "x w", "y");
    dnnl_run(t);
    for (int i = 1; i >= 0; i--) {
        float *x = dnnl_floats(t, dnnl_elements(batches[i]));
        const float *y;

        th_shape(t, "x", batches[i]);
        th_shape(t, "y", outs[i]);
        th_feed(t, "x", x);
        dnnl_run(t);
        ck_assert_uint_eq(th_count(t, "y"), dnnl_elements(outs[i]));
        y = th_data(t, "y");
        ck_assert(fabsf(y[0]) < 4);
    }
    th_free(t);
}
END_TEST

START_TEST(compile_reports_a_constant_with_too_few_bytes)
{
    struct th *t = dnnl_new();

    add_conv(t, "1,4,8,8", "4,4,1,1");
    th_lie(t, "w", 60);
    dnnl_fails(t, BP_E_INVALID, "'w' has 60 bytes");
}
END_TEST

START_TEST(group_survives_every_failing_allocation)
{
    uint32_t n = dnnl_fail_each_alloc(make_network, NULL, false);

    ck_assert_uint_ge(n, 5);
    ck_assert_uint_lt(n, 200);
}
END_TEST

/* Runs its own host many times; gives whether every run was right. */
static void *run_often(void *u)
{
    struct th *t = u;
    float first = 0;

    for (int i = 0; i < 20; i++) {
        const float *y;

        if (th_run(t) < 0)
            return NULL;
        y = th_data(t, "y");
        if (i > 0 && memcmp(&first, y, sizeof first) != 0)
            return NULL;
        first = y[0];
    }
    return u;
}

START_TEST(group_runs_on_several_threads_at_once)
{
    pthread_t threads[3];
    struct th *hosts[3];

    for (int i = 0; i < 3; i++) {
        hosts[i] = dnnl_new();
        make_network(hosts[i], NULL);
    }
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_often, hosts[i]), 0);
    for (int i = 0; i < 3; i++) {
        void *result;

        ck_assert_int_eq(pthread_join(threads[i], &result), 0);
        ck_assert_msg(result == hosts[i], "%s", th_message(hosts[i]));
        th_free(hosts[i]);
    }
}
END_TEST

/* Threads of the team sleep soon after a run: less than 5 ms of a second are spent waiting. */
START_TEST(openmp_threads_sleep_soon_after_a_run)
{
    struct timespec second = {.tv_sec = 1}, before, after;
    const char *preload = getenv("LD_PRELOAD");
    struct th *t;
    int64_t spent;

    SKIP_UNLESS(!getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT"),
                "the environment sets how long threads of OpenMP spin");
    SKIP_UNLESS(!preload || !strstr(preload, "vgpreload"), "valgrind slows spinning down");
    t = dnnl_new();
    make_network(t, NULL);
    for (int i = 0; i < 3; i++)
        dnnl_run(t);
    ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before), 0);
    ck_assert_int_eq(nanosleep(&second, NULL), 0);
    ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after), 0);
    spent = (after.tv_sec - before.tv_sec) * INT64_C(1000000000) + after.tv_nsec - before.tv_nsec;
    ck_assert_int_lt(spent, 5000000);
    th_free(t);
}
END_TEST

static unsigned count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    unsigned n = 0;

    ck_assert_ptr_nonnull(tasks);
    while ((entry = readdir(tasks)) != NULL)
        n += entry->d_name[0] != '.';
    closedir(tasks);
    return n;
}

/* On busy processors a team waits for its last thread: 654 us for a model that needs 19 alone. */
START_TEST(small_model_runs_without_an_openmp_team)
{
    unsigned before = count_threads();
    struct th *t = dnnl_new();

    dnnl_input(t, "x", "8,32");
    dnnl_const(t, "w", "32,32");
    dnnl_value(t, "p", "8,32");
    dnnl_output(t, "y", "8,32");
    th_node(t, "MatMul", 13, "x w", "p");
    th_node(t, "Relu", 14, "p", "y");
    dnnl_run(t);
    ck_assert_uint_eq(count_threads(), before);
    th_free(t);
    t = dnnl_new();
    make_network(t, NULL); /* its second convolution has 2.7 million operations */
    dnnl_run(t);
    ck_assert_uint_eq(count_threads(), before + DNNL_TEAM - 1);
    th_free(t);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("groups");

    tcase_add_test(
        tcase,
        small_model_runs_without_an_openmp_team); /* first, for where no test has a process */
    tcase_add_test(tcase, claim_rejects_a_node_with_a_reason);
    tcase_add_test(tcase, claim_rejects_add_of_unknown_sizes);
    tcase_add_test(tcase, claim_declines_a_matmul_between_unsupported_nodes);
    tcase_add_test(tcase, network_runs_as_one_group);
    tcase_add_test(tcase, residual_add_runs_inside_the_convolution);
    tcase_add_test(tcase, profile_names_the_node_of_each_step);
    tcase_add_test(tcase, run_stops_when_it_is_cancelled_or_out_of_time);
    tcase_add_test(tcase, program_runs_again_with_new_sizes);
    tcase_add_test(tcase, compile_reports_a_constant_with_too_few_bytes);
    tcase_add_test(tcase, group_survives_every_failing_allocation);
    tcase_add_test(tcase, group_runs_on_several_threads_at_once);
    tcase_add_test(tcase, openmp_threads_sleep_soon_after_a_run);
    return check_main("dnnl_groups", &tcase, 1);
}
