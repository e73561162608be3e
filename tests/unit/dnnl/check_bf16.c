/* SPDX-License-Identifier: MIT */
/*
 * check_bf16.c - dnnl's math_mode: networks against the CPU provider's results in float64, the same values. Where the processor has no AVX-512, bfloat16 is refused and the rest is left out.
 */

#include "config.h"

#include "dnnl/dnnl_networks.h"

#include <sys/wait.h>
#include <unistd.h>

/*
 * Root of the mean square of the error against that of the result. A bfloat16 has 8 bits: rounding
 * errs by 2^-9 at most, and errors of a few operators add up as roots of squares.
 */
#define MOST_BF16 1e-2
#define LEAST_BF16 1e-4 /* less would mean that nothing was rounded */
#define MOST_EXACT 2e-6

/* ---- errors ---------------------------------------------------------------------------------- */

/* Negative: the mode is refused here. */
static double error_in(const char *mode, dnnl_net_fn make)
{
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();
    double error = -1;

    th_option(got, "math_mode", mode);
    dnnl_net_run(want, BP_DTYPE_F64, BP_DTYPE_F32, make);
    if (strcmp(mode, "bf16") == 0 && th_claim(got) == BP_E_OPTION) {
        ck_assert_ptr_nonnull(strstr(th_message(got), "AVX-512"));
    } else {
        dnnl_net_run(got, BP_DTYPE_F32, BP_DTYPE_F32, make);
        error = dnnl_net_error(got, BP_DTYPE_F32, want);
        th_move(got); /* other buffers, the same frame */
        ck_assert_msg(th_run(got) >= 0, "%s", th_message(got));
        ck_assert(dnnl_net_error(got, BP_DTYPE_F32, want) == error);
    }
    th_free(got);
    th_free(want);
    return error;
}

START_TEST(math_mode_exact_computes_float32)
{
    for (size_t i = 0; i < DNNL_NETWORKS; i++) {
        double error = error_in("exact", dnnl_networks[i].make);

        ck_assert_msg(error <= MOST_EXACT, "%s: %g", dnnl_networks[i].what, error);
    }
}
END_TEST

START_TEST(math_mode_bf16_rounds_to_bfloat16)
{
    for (size_t i = 0; i < DNNL_NETWORKS; i++) {
        double error = error_in("bf16", dnnl_networks[i].make);

        SKIP_UNLESS(error >= 0, "no AVX-512, so bfloat16 is refused");
        ck_assert_msg(error >= LEAST_BF16 && error <= MOST_BF16, "%s: %g", dnnl_networks[i].what,
                      error);
    }
}
END_TEST

/* fast is one or the other, by the processor. */
START_TEST(math_mode_fast_is_no_worse_than_bfloat16)
{
    for (size_t i = 0; i < DNNL_NETWORKS; i++) {
        double error = error_in("fast", dnnl_networks[i].make);

        ck_assert_msg(error <= MOST_BF16, "%s: %g", dnnl_networks[i].what, error);
    }
}
END_TEST

/* ---- without AVX-512 ------------------------------------------------------------------------- */

static const char *program; /* this one; under valgrind /proc/self/exe is another */

/* These two are for a process whose oneDNN may not use AVX-512, see the third. */

START_TEST(math_mode_bf16_is_rejected_without_avx512)
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

START_TEST(math_mode_fast_computes_float32_without_avx512)
{
    ck_assert(error_in("fast", dnnl_make_network) <= MOST_EXACT);
}
END_TEST

START_TEST(tests_without_avx512_pass_in_a_limited_process)
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
    TCase *tcase = tcase_create("against float64");

    program = argv[0];
    if (is_limited) {
        tcase_add_test(tcase, math_mode_bf16_is_rejected_without_avx512);
        tcase_add_test(tcase, math_mode_fast_computes_float32_without_avx512);
    } else {
        tcase_add_test(tcase, math_mode_exact_computes_float32);
        tcase_add_test(tcase, math_mode_bf16_rounds_to_bfloat16);
        tcase_add_test(tcase, math_mode_fast_is_no_worse_than_bfloat16);
        tcase_add_test(tcase, tests_without_avx512_pass_in_a_limited_process);
    }
    return check_main("dnnl_bf16", &tcase, 1);
}
