/* SPDX-License-Identifier: MIT */
/*
 * check_dnnl_bf16.c - dnnl's math_mode: networks against the CPU provider's results in float64, the
 * same numbers. Where the processor has no AVX-512, bfloat16 is refused and the rest is left out.
 */

#include "config.h"

#include "dnnl_kit.h"

#include <sys/wait.h>
#include <unistd.h>

/*
 * Root of the mean square of the error against that of the result. A bfloat16 has 8 bits: rounding
 * errs by 2^-9 at most, and errors of a few operators add up as roots of squares.
 */
#define MOST_BF16 1e-2
#define LEAST_BF16 1e-4 /* less would mean that nothing was rounded */
#define MOST_EXACT 2e-6

/* ---- the same graph in either type ----------------------------------------------------------- */

struct maker {
    struct th *t;
    uint32_t dtype;
};

static void *numbers(const struct maker *m, const char *dims)
{
    size_t n = dnnl_elements(dims);
    double *made = nums_make(n, BP_DTYPE_F32);
    void *data = th_keep(m->t, typed_encode(made, n, m->dtype));

    free(made);
    return data;
}

static void input(const struct maker *m, const char *name, const char *dims)
{
    th_input(m->t, name, m->dtype, dims, numbers(m, dims));
}

static void constant(const struct maker *m, const char *name, const char *dims)
{
    th_const(m->t, name, m->dtype, dims, numbers(m, dims));
}

static void value(const struct maker *m, const char *name, const char *dims)
{
    th_value(m->t, name, m->dtype, dims);
}

static void conv(const struct maker *m, const char *in, const char *out, int64_t kernel,
                 int64_t group)
{
    const int64_t pad = kernel / 2;

    th_node(m->t, "Conv", 11, in, out);
    th_ints(m->t, "kernel_shape", 2, (const int64_t[2]){kernel, kernel});
    th_ints(m->t, "pads", 4, (const int64_t[4]){pad, pad, pad, pad});
    th_int(m->t, "group", group);
}

/* Convolutions of all kinds, a shortcut, a join, pools, a product at the end. */
static void make_network(const struct maker *m)
{
    static const int64_t window[2] = {2, 2};

    input(m, "x", "1,3,16,16");
    constant(m, "w0", "16,3,3,3");
    constant(m, "b0", "16");
    constant(m, "w1", "16,16,1,1");
    constant(m, "w2", "32,1,3,3");
    constant(m, "w3", "32,10");
    constant(m, "b3", "10");
    value(m, "c0", "1,16,16,16");
    value(m, "r0", "1,16,16,16");
    value(m, "c1", "1,16,16,16");
    value(m, "s1", "1,16,16,16");
    value(m, "r1", "1,16,16,16");
    value(m, "j", "1,32,16,16");
    value(m, "m", "1,32,8,8");
    value(m, "c2", "1,32,8,8");
    value(m, "g", "1,32,1,1");
    value(m, "f", "1,32");
    conv(m, "x w0 b0", "c0", 3, 1);
    th_node(m->t, "Relu", 14, "c0", "r0");
    conv(m, "r0 w1", "c1", 1, 1);
    th_node(m->t, "Add", 14, "c1 r0", "s1");
    th_node(m->t, "Relu", 14, "s1", "r1");
    th_node(m->t, "Concat", 13, "r1 r0", "j");
    th_int(m->t, "axis", 1);
    th_node(m->t, "MaxPool", 12, "j", "m");
    th_ints(m->t, "kernel_shape", 2, window);
    th_ints(m->t, "strides", 2, window);
    conv(m, "m w2", "c2", 3, 32);
    th_node(m->t, "GlobalAveragePool", 1, "c2", "g");
    th_node(m->t, "Flatten", 13, "g", "f");
    th_output(m->t, "y", m->dtype, "1,10");
    th_node(m->t, "Gemm", 13, "f w3 b3", "y");
}

/* Attention over 4 heads, a norm, a product with Gelu. */
static void make_attention(const struct maker *m)
{
    input(m, "x", "1,12,32");
    input(m, "k", "1,4,8,12");
    constant(m, "wq", "32,32");
    constant(m, "bq", "32");
    constant(m, "scale", "32");
    constant(m, "bias", "32");
    constant(m, "wf", "32,64");
    constant(m, "bf", "64");
    th_const(m->t, "heads", BP_DTYPE_I64, "4", (const int64_t[4]){1, 12, 4, 8});
    th_const(m->t, "whole", BP_DTYPE_I64, "3", (const int64_t[3]){1, 12, 32});
    value(m, "q0", "1,12,32");
    value(m, "q1", "1,12,32");
    value(m, "q2", "1,12,4,8");
    value(m, "q3", "1,4,12,8");
    value(m, "a0", "1,4,12,12");
    value(m, "a1", "1,4,12,12");
    value(m, "v", "1,4,12,8");
    value(m, "c0", "1,12,4,8");
    value(m, "c1", "1,12,32");
    value(m, "s", "1,12,32");
    value(m, "n", "1,12,32");
    value(m, "f0", "1,12,64");
    value(m, "f1", "1,12,64");
    th_node(m->t, "MatMul", 13, "x wq", "q0");
    th_node(m->t, "Add", 14, "q0 bq", "q1");
    th_node(m->t, "Reshape", 13, "q1 heads", "q2");
    th_node(m->t, "Transpose", 13, "q2", "q3");
    th_ints(m->t, "perm", 4, (const int64_t[4]){0, 2, 1, 3});
    th_node(m->t, "MatMul", 13, "q3 k", "a0");
    th_node(m->t, "Softmax", 13, "a0", "a1");
    th_node(m->t, "MatMul", 13, "a1 q3", "v");
    th_node(m->t, "Transpose", 13, "v", "c0");
    th_ints(m->t, "perm", 4, (const int64_t[4]){0, 2, 1, 3});
    th_node(m->t, "Reshape", 13, "c0 whole", "c1");
    th_node(m->t, "Add", 14, "c1 x", "s");
    th_node(m->t, "LayerNormalization", 17, "s scale bias", "n");
    th_node(m->t, "MatMul", 13, "n wf", "f0");
    th_node(m->t, "Add", 14, "f0 bf", "f1");
    th_output(m->t, "y", m->dtype, "1,12,64");
    th_node(m->t, "Gelu", 20, "f1", "y");
}

typedef void (*make_fn)(const struct maker *m);

static const struct {
    const char *what;
    make_fn make;
} networks[] = {{"convolutions", make_network}, {"attention", make_attention}};

enum { N_NETWORKS = sizeof networks / sizeof networks[0] };

/* ---- errors ---------------------------------------------------------------------------------- */

static struct th *run(struct th *t, uint32_t dtype, make_fn make)
{
    const struct maker m = {t, dtype};

    nums_seed(11);
    make(&m);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    return t;
}

static double error_of(const struct th *got, const struct th *want)
{
    const float *a = th_data(got, "y");
    const double *b = th_data(want, "y");
    size_t n = th_count(want, "y");
    double wrong = 0, all = 0;

    ck_assert_uint_eq(th_count(got, "y"), n);
    for (size_t i = 0; i < n; i++) {
        ck_assert(isfinite(a[i]));
        wrong += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        all += b[i] * b[i];
    }
    return sqrt(wrong / all);
}

/* Negative: the mode is refused here. */
static double error_in(const char *mode, make_fn make)
{
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();
    double error = -1;

    th_option(got, "math_mode", mode);
    run(want, BP_DTYPE_F64, make);
    if (strcmp(mode, "bf16") == 0 && th_claim(got) == BP_E_OPTION) {
        ck_assert_ptr_nonnull(strstr(th_message(got), "AVX-512"));
    } else {
        run(got, BP_DTYPE_F32, make);
        error = error_of(got, want);
        th_move(got); /* other buffers, the same frame */
        ck_assert_msg(th_run(got) >= 0, "%s", th_message(got));
        ck_assert(error_of(got, want) == error);
    }
    th_free(got);
    th_free(want);
    return error;
}

START_TEST(is_exact_unless_asked)
{
    for (size_t i = 0; i < N_NETWORKS; i++) {
        double error = error_in("exact", networks[i].make);

        ck_assert_msg(error <= MOST_EXACT, "%s: %g", networks[i].what, error);
    }
}
END_TEST

START_TEST(rounds_to_bfloat16_where_asked)
{
    for (size_t i = 0; i < N_NETWORKS; i++) {
        double error = error_in("bf16", networks[i].make);

        if (error < 0) {
            puts("not tested: the processor has no AVX-512");
            return;
        }
        ck_assert_msg(error >= LEAST_BF16 && error <= MOST_BF16, "%s: %g", networks[i].what, error);
    }
}
END_TEST

/* fast is one or the other, by the processor. */
START_TEST(is_no_worse_where_it_may_round)
{
    for (size_t i = 0; i < N_NETWORKS; i++) {
        double error = error_in("fast", networks[i].make);

        ck_assert_msg(error <= MOST_BF16, "%s: %g", networks[i].what, error);
    }
}
END_TEST

/* ---- without AVX-512 ------------------------------------------------------------------------- */

static const char *program; /* this one; under valgrind /proc/self/exe is another */

/* These two are for a process whose oneDNN may not use AVX-512, see the third. */

START_TEST(limited_refuses_bfloat16)
{
    struct th *t = dnnl_new();

    th_option(t, "math_mode", "bf16");
    dnnl_input(t, "x", "2,2");
    dnnl_output(t, "y", "2,2");
    th_node(t, "Relu", 14, "x", "y");
    ck_assert_int_eq(th_claim(t), BP_E_OPTION);
    ck_assert_ptr_nonnull(strstr(th_message(t), "math_mode=fast"));
    th_free(t);
}
END_TEST

START_TEST(limited_computes_float32)
{
    ck_assert(error_in("fast", make_network) <= MOST_EXACT);
}
END_TEST

START_TEST(needs_avx512)
{
    pid_t child = fork();
    int status;

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
        setenv("CK_FORK", "no", 1);
        execl(program, program, "limited", (char *)NULL);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}
END_TEST

int main(int argc, char **argv)
{
    bool is_limited = argc > 1 && strcmp(argv[1], "limited") == 0;
    Suite *suite = suite_create("dnnl_bf16");
    TCase *tcase = tcase_create("against float64");
    SRunner *runner = srunner_create(suite);
    int failed;

    program = argv[0];
    suite_add_tcase(suite, tcase);
    if (is_limited) {
        tcase_add_test(tcase, limited_refuses_bfloat16);
        tcase_add_test(tcase, limited_computes_float32);
    } else {
        tcase_add_test(tcase, is_exact_unless_asked);
        tcase_add_test(tcase, rounds_to_bfloat16_where_asked);
        tcase_add_test(tcase, is_no_worse_where_it_may_round);
        tcase_add_test(tcase, needs_avx512);
    }
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
