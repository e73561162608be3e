/* SPDX-License-Identifier: MIT */
/* check_provider.c - the CPU provider's framework: claims, programs, storage of values, runs. */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "cpu/cpu_case.h"
#include "operators.h"
#include "program.h"
#include "support/random.h"

static void expect(const char *name, size_t n, const float *want)
{
    const float *got = th_data(t, name);

    ck_assert_uint_eq(th_count(t, name), n);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(got[i] == want[i], "%s[%zu] is %g, not %g", name, i, (double)got[i],
                      (double)want[i]);
}

#define EXPECT(name, ...)                                                                          \
    expect(name, sizeof((float[]){__VA_ARGS__}) / sizeof(float), (float[]){__VA_ARGS__})

/* ---- entry and claims ------------------------------------------------------------------------ */

START_TEST(entry_rejects_a_host_of_another_abi)
{
    bp_host host = {.struct_size = sizeof host, .abi_major = BP_ABI_MAJOR + 1, .magic = BP_MAGIC};
    const bp_module *module;

    ck_assert_int_eq(bp_provider_entry_v1(&host, &module, NULL), BP_E_VERSION);
    ck_assert_ptr_null(module);
    host.abi_major = BP_ABI_MAJOR;
    host.magic = 0;
    ck_assert_int_eq(bp_provider_entry_v1(&host, &module, NULL), BP_E_VERSION);
}
END_TEST

START_TEST(operator_is_found_by_its_name_domain_and_version)
{
    static const struct {
        const struct bp_cpu_op *row;
        const char *domain, *name; /* as ./configure --with-operators reads them */
    } rows[] = {
#define BP_CPU_OP(row, domain, name) {&row, domain, #name},
#include "operators.h"
    };
    struct bp_cpu_index index;
    uint32_t known_at;

    bp_cpu_index_make(&index);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct bp_cpu_op *row = rows[i].row;

        ck_assert_str_eq(rows[i].domain, row->domain ? row->domain : "");
        ck_assert_str_eq(rows[i].name, row->name);
        ck_assert_ptr_eq(
            bp_cpu_find_op(&index, rows[i].domain, rows[i].name, row->since, &known_at), row);
    }
}
END_TEST

START_TEST(claim_rejects_an_unknown_operator)
{
    th_input(t, "x", BP_DTYPE_F32, "2", NULL);
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Frobnicate", 1, "x", "y");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_OP);
    ck_assert_ptr_nonnull(strstr(th_message(t), "Frobnicate"));
}
END_TEST

START_TEST(claim_rejects_a_known_name_in_another_domain)
{
    th_input(t, "x", BP_DTYPE_F32, "2", NULL);
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Relu", 1, "x", "y");
    th_domain(t, "org.example");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_OP);
}
END_TEST

START_TEST(claim_of_an_old_version_names_a_supported_one)
{
    th_input(t, "x", BP_DTYPE_F32, "2", NULL);
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Round", 3, "x", "y");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_OPSET);
    ck_assert_ptr_nonnull(strstr(th_message(t), "11"));
}
END_TEST

START_TEST(claim_names_an_unsupported_element_type)
{
    th_input(t, "x", BP_DTYPE_C64, "2", NULL);
    th_output(t, "y", BP_DTYPE_C64, "2");
    th_node(t, "Relu", 14, "x", "y");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_DTYPE);
    ck_assert_ptr_nonnull(strstr(th_message(t), "complex64"));
}
END_TEST

START_TEST(claim_rejects_a_rank_over_the_limit)
{
    char dims[128] = "1";

    for (int i = 0; i < BP_CPU_MAX_RANK; i++)
        strcat(dims, ",1");
    th_input(t, "x", BP_DTYPE_F32, dims, NULL);
    th_output(t, "y", BP_DTYPE_F32, dims);
    th_node(t, "Relu", 14, "x", "y");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_RANK);
}
END_TEST

/* ---- storage --------------------------------------------------------------------------------- */

START_TEST(values_between_nodes_live_in_scratch)
{
    th_input(t, "x", BP_DTYPE_F32, "3", (float[]){-1, 2, -3});
    th_value(t, "a", BP_DTYPE_F32, "3");
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Relu", 14, "a", "y");
    ck_run();
    EXPECT("y", 1, 0, 3);
    ck_assert_uint_eq(th_scratch_bytes(t), 64);
    th_move(t);
    ck_run();
    EXPECT("y", 1, 0, 3);
    th_feed(t, "x", (float[]){5, -6, 7});
    ck_run();
    EXPECT("y", 0, 6, 0);
}
END_TEST

START_TEST(node_works_in_place_on_an_input_that_it_reads_last)
{
    th_input(t, "x", BP_DTYPE_F32, "16", NULL);
    th_value(t, "a", BP_DTYPE_F32, "16");
    th_value(t, "b", BP_DTYPE_F32, "16");
    th_value(t, "c", BP_DTYPE_F32, "16");
    th_output(t, "y", BP_DTYPE_F32, "16");
    th_node(t, "Exp", 13, "x", "a");
    th_node(t, "Neg", 13, "a", "b");
    th_node(t, "Abs", 13, "b", "c");
    th_node(t, "Sqrt", 13, "c", "y");
    ck_run();
    ck_assert_uint_eq(th_scratch_bytes(t), 64);
    EXPECT("y", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
}
END_TEST

START_TEST(node_does_not_overwrite_a_value_that_is_read_again)
{
    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, -2});
    th_value(t, "a", BP_DTYPE_F32, "2");
    th_value(t, "b", BP_DTYPE_F32, "2");
    th_value(t, "r", BP_DTYPE_F32, "2,1");
    th_value(t, "s", BP_DTYPE_F32, "2");
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Reshape", 14, "a", "r"); /* a view of a, read last */
    th_node(t, "Relu", 14, "a", "b");
    th_node(t, "Squeeze", 11, "r", "s");
    th_node(t, "Add", 14, "b s", "y");
    ck_run();
    EXPECT("y", -1, 4);
}
END_TEST

START_TEST(node_never_overwrites_an_input_of_the_graph)
{
    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, -2});
    th_value(t, "v", BP_DTYPE_F32, "1,2");
    th_value(t, "n", BP_DTYPE_F32, "1,2");
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Unsqueeze", 11, "x", "v");
    th_node(t, "Neg", 13, "v", "n");
    th_node(t, "Flatten", 13, "n", "y");
    ck_run();
    EXPECT("x", 1, -2);
    EXPECT("y", -1, 2);
    th_feed(t, "x", (float[]){3, 4}); /* the view must follow */
    ck_run();
    EXPECT("y", -3, -4);
}
END_TEST

START_TEST(views_of_constants_need_no_storage)
{
    th_input(t, "x", BP_DTYPE_F32, "3", (float[]){1, 2, 3});
    th_const(t, "c", BP_DTYPE_F32, "3,1", (float[]){10, 20, 30});
    th_value(t, "v", BP_DTYPE_F32, "1,3");
    th_value(t, "w", BP_DTYPE_F32, "3");
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, "Reshape", 14, "c", "v");
    th_node(t, "Squeeze", 11, "v", "w");
    th_node(t, "Add", 14, "x w", "y");
    ck_run();
    EXPECT("y", 11, 22, 33);
    ck_assert_uint_eq(th_scratch_bytes(t), 0);
}
END_TEST

START_TEST(a_view_of_an_input_that_is_an_output_is_copied)
{
    th_input(t, "x", BP_DTYPE_F32, "2,2", (float[]){1, 2, 3, 4});
    th_output(t, "y", BP_DTYPE_F32, "4");
    th_output(t, "z", BP_DTYPE_F32, "1,4");
    th_node(t, "Reshape", 14, "x", "y");
    th_node(t, "Reshape", 14, "y", "z");
    ck_run();
    EXPECT("y", 1, 2, 3, 4);
    EXPECT("z", 1, 2, 3, 4);
}
END_TEST

START_TEST(value_is_computed_in_the_output_that_reshapes_it)
{
    th_input(t, "x", BP_DTYPE_F32, "2,2", (float[]){1, -2, 3, -4});
    th_value(t, "a", BP_DTYPE_F32, "2,2");
    th_value(t, "r", BP_DTYPE_F32, "4");
    th_output(t, "y", BP_DTYPE_F32, "1,4");
    th_output(t, "z", BP_DTYPE_F32, "2,2");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Reshape", 14, "a", "r");
    th_node(t, "Unsqueeze", 11, "r", "y");
    th_node(t, "Relu", 14, "a", "z"); /* a is read after its views, where y is */
    ck_run();
    EXPECT("y", -1, 2, -3, 4);
    EXPECT("z", 0, 2, 0, 4);
    ck_assert_uint_eq(th_scratch_bytes(t), 0);
    th_move(t);
    th_feed(t, "x", (float[]){-5, 6, -7, 8});
    ck_run();
    EXPECT("y", 5, -6, 7, -8);
    EXPECT("z", 5, 0, 7, 0);
}
END_TEST

START_TEST(two_outputs_that_view_one_value_both_hold_it)
{
    th_input(t, "x", BP_DTYPE_F32, "4", (float[]){1, -2, 3, -4});
    th_value(t, "a", BP_DTYPE_F32, "4");
    th_output(t, "y", BP_DTYPE_F32, "2,2");
    th_output(t, "z", BP_DTYPE_F32, "1,4");
    th_node(t, "Abs", 13, "x", "a");
    th_node(t, "Reshape", 14, "a", "y");
    th_node(t, "Flatten", 13, "a", "z");
    ck_run();
    EXPECT("y", 1, 2, 3, 4);
    EXPECT("z", 1, 2, 3, 4);
    ck_assert_uint_eq(th_scratch_bytes(t), 0);
}
END_TEST

START_TEST(an_output_may_be_read_by_later_nodes)
{
    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_output(t, "a", BP_DTYPE_F32, "2");
    th_value(t, "v", BP_DTYPE_F32, "1,2");
    th_output(t, "y", BP_DTYPE_F32, "1,2");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Reshape", 14, "a", "v");
    th_node(t, "Abs", 13, "v", "y");
    ck_run();
    EXPECT("a", -1, -2);
    EXPECT("y", 1, 2);
    th_move(t);
    ck_run();
    EXPECT("y", 1, 2);
}
END_TEST

START_TEST(absent_outputs_are_not_computed)
{
    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_output(t, "m", BP_DTYPE_BOOL, "2");
    th_output(t, "n", BP_DTYPE_BOOL, "2");
    th_value(t, "unused", BP_DTYPE_F32, "2");
    th_node(t, "Dropout", 13, "x", "unused m");
    th_node(t, "Dropout", 10, "x", "- n");
    th_node(t, "Relu", 14, "x", "-");
    ck_run();
    ck_assert_mem_eq(th_data(t, "m"), "\1\1", 2);
    ck_assert_mem_eq(th_data(t, "n"), "\1\1", 2);
}
END_TEST

START_TEST(claim_rejects_inputs_of_mismatched_types)
{
    static const struct {
        const char *op, *in;
    } rows[] = {{"Add", "x b"},   {"Where", "b x b"}, {"Where", "x x x"}, {"Range", "x x b"},
                {"Clip", "x b"},  {"Clip", "x - b"},  {"Sum", "x x b"},   {"Gather", "x b"},
                {"Where", "b x"}, {"Range", "x"},     {"Add", "x"},       {"Gather", "x"}};

    th_input(t, "x", BP_DTYPE_F32, "1", NULL);
    th_input(t, "b", BP_DTYPE_BOOL, "1", NULL);
    th_output(t, "y", BP_DTYPE_F32, "1");
    th_node(t, rows[_i].op, 13, rows[_i].in, "y");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_DTYPE);
}
END_TEST

START_TEST(program_accepts_empty_tensors_and_scalars)
{
    th_input(t, "x", BP_DTYPE_F32, "0,3", NULL);
    th_input(t, "s", BP_DTYPE_F32, "", (float[]){4});
    th_value(t, "a", BP_DTYPE_F32, "0,3");
    th_value(t, "r", BP_DTYPE_F32, "3,0");
    th_value(t, "q", BP_DTYPE_F32, "");
    th_output(t, "y", BP_DTYPE_F32, "3,0");
    th_output(t, "z", BP_DTYPE_F32, "");
    th_node(t, "Add", 14, "x s", "a");
    th_node(t, "Transpose", 13, "a", "r");
    th_node(t, "Relu", 14, "r", "y");
    th_node(t, "Mul", 14, "s s", "q");
    th_node(t, "Sqrt", 13, "q", "z");
    ck_run();
    EXPECT("z", 4);
    ck_assert_uint_eq(th_count(t, "y"), 0);
}
END_TEST

/* A graph of random nodes against the same arithmetic on plain arrays. */
enum { N_VALUES = 60, N_ELEMENTS = 24 };

static void random_node(uint64_t *seed, float (*want)[N_ELEMENTS], uint32_t made, const char *out)
{
    static const char *const ops[] = {"Neg", "Abs", "Relu", "Reshape", "Identity", "Add", "Sub"};
    uint32_t back = made < 6 ? made : 6; /* most values die early, so that storage is used again */
    uint32_t a = made - 1 - random_below(seed, back), b = random_below(seed, made);
    uint32_t kind = random_below(seed, sizeof ops / sizeof ops[0]);
    char in[32];

    snprintf(in, sizeof in, kind < 5 ? "v%u" : "v%u v%u", a, b);
    th_node(t, ops[kind], 14, in, out);
    for (int i = 0; i < N_ELEMENTS; i++) {
        float x = want[a][i], y = want[b][i];

        want[made][i] = kind == 0   ? -x
                        : kind == 1 ? fabsf(x)
                        : kind == 2 ? (x < 0 ? 0 : x)
                        : kind == 5 ? x + y
                        : kind == 6 ? x - y
                                    : x;
    }
}

START_TEST(values_of_random_graphs_do_not_overlap_in_scratch)
{
    float want[N_VALUES][N_ELEMENTS];
    bool is_output[N_VALUES] = {false};
    uint64_t seed = (uint64_t)_i;
    char name[16];

    for (int i = 0; i < N_ELEMENTS; i++)
        want[0][i] = random_float(&seed, 4);
    th_input(t, "v0", BP_DTYPE_F32, "24", want[0]);
    for (uint32_t v = 1; v < N_VALUES; v++) {
        snprintf(name, sizeof name, "v%u", v);
        is_output[v] = v == N_VALUES - 1 || random_below(&seed, 8) == 0;
        if (is_output[v])
            th_output(t, name, BP_DTYPE_F32, "24");
        else
            th_value(t, name, BP_DTYPE_F32, "24");
        random_node(&seed, want, v, name);
    }
    ck_run();
    th_move(t);
    ck_run();
    ck_assert_uint_lt(th_scratch_bytes(t), 128 * N_VALUES / 2);
    for (uint32_t v = 1; v < N_VALUES; v++) {
        snprintf(name, sizeof name, "v%u", v);
        if (is_output[v])
            expect(name, N_ELEMENTS, want[v]);
    }
}
END_TEST

/* ---- shapes ---------------------------------------------------------------------------------- */

START_TEST(program_runs_again_with_other_shapes)
{
    th_dynamic(t);
    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, -2});
    th_value(t, "a", BP_DTYPE_F32, "2");
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Relu", 14, "a", "y");
    ck_run();
    EXPECT("y", 0, 2);
    th_shape(t, "x", "2,2");
    th_shape(t, "a", "2,2");
    th_shape(t, "y", "2,2");
    th_feed(t, "x", (float[]){1, -2, -3, 4});
    ck_run();
    EXPECT("y", 0, 2, 3, 0);
}
END_TEST

START_TEST(frame_rejects_sizes_that_overflow)
{
    th_input(t, "x", BP_DTYPE_F32, "0,4294967296,4294967296", NULL);
    th_value(t, "a", BP_DTYPE_F32, "1");
    th_output(t, "y", BP_DTYPE_F32, "1");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Relu", 14, "a", "y");
    ck_assert_int_eq(th_frame(t), BP_E_SHAPE);
}
END_TEST

START_TEST(run_rejects_a_constant_with_too_few_bytes)
{
    th_input(t, "x", BP_DTYPE_F32, "2", NULL);
    th_const(t, "c", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Add", 14, "x c", "y");
    th_lie(t, "c", 7);
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "'c'"));
}
END_TEST

START_TEST(output_of_run_time_size_is_allocated_during_the_run)
{
    th_input(t, "x", BP_DTYPE_F32, "4", (float[]){1, 2, 3, 4});
    th_input(t, "n", BP_DTYPE_I64, "2", (int64_t[]){2, -1});
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "Reshape", 14, "x n", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "2,2");
    EXPECT("y", 1, 2, 3, 4);
    th_feed(t, "n", (int64_t[]){-1, 1});
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "4,1");
    th_feed(t, "n", (int64_t[]){3, -1});
    ck_assert_int_eq(th_run(t), BP_E_SHAPE);
}
END_TEST

START_TEST(frame_rejects_a_node_that_reads_a_value_of_unknown_size)
{
    th_input(t, "x", BP_DTYPE_F32, "4", NULL);
    th_input(t, "n", BP_DTYPE_I64, "1", (int64_t[]){4});
    th_output(t, "r", BP_DTYPE_F32, NULL);
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "Reshape", 14, "x n", "r");
    th_node(t, "Neg", 13, "r", "y");
    ck_assert_int_eq(th_frame(t), BP_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(th_message(t), "'r'"));
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------------ */

static void two_nodes(void)
{
    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, -2});
    th_value(t, "a", BP_DTYPE_F32, "2");
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Relu", 14, "a", "y");
}

START_TEST(a_run_stops_when_it_is_cancelled)
{
    volatile uint32_t cancel = 1;

    two_nodes();
    th_limits(t, &cancel, 0, NULL);
    ck_assert_int_eq(th_run(t), BP_E_CANCELLED);
    cancel = 0;
    ck_run();
    EXPECT("y", 0, 2);
}
END_TEST

START_TEST(a_run_stops_when_its_time_is_up)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    two_nodes();
    th_limits(t, NULL, 1, NULL);
    ck_assert_int_eq(th_run(t), BP_E_TIMEOUT);
    th_limits(t, NULL, ((int64_t)now.tv_sec + 3600) * 1000000000, NULL);
    ck_run();
}
END_TEST

/* Seconds of the processor that a run of the node of `t` takes, all threads together. */
static double processor_seconds(bp_rc want)
{
    struct timespec from, to;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    ck_assert_int_eq(th_run(t), want);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

/* One node of about 22 billion operations: its run ends early, and computes again afterwards. */
static void ck_stops_within_a_node(uint32_t dtype, const char *dims, const char *blas)
{
    static float a[2240 * 2240];
    volatile uint32_t cancel = 0;
    struct timespec now;
    double whole, part;

    th_option(t, "blas", blas);
    th_input(t, "a", dtype, dims, a);
    th_output(t, "y", dtype, dims);
    th_node(t, "MatMul", 13, "a a", "y");
    ck_run();
    whole = processor_seconds(BP_OK);
    clock_gettime(CLOCK_MONOTONIC, &now);
    th_limits(t, &cancel, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + 1000000, NULL);
    part = processor_seconds(BP_E_TIMEOUT);
    ck_assert_msg(part < whole / 2, "%f s of %f s", part, whole);
    th_limits(t, &cancel, 0, NULL);
    ck_run();
}

START_TEST(deadline_ends_a_product_of_large_matrices)
{
    ck_stops_within_a_node(BP_DTYPE_F32, "2240,2240", _i ? "true" : "false");
}
END_TEST

START_TEST(deadline_ends_a_product_of_large_integer_matrices)
{
    ck_stops_within_a_node(BP_DTYPE_I32, "640,640", "true");
}
END_TEST

START_TEST(profile_has_one_row_for_each_node)
{
    bp_prof_event events[1];
    bp_prof prof = {.struct_size = sizeof prof, .cap = 1, .ev = events, .stride = sizeof *events};

    two_nodes();
    th_limits(t, NULL, 0, &prof);
    ck_run();
    ck_assert_uint_eq(prof.count, 1);
    ck_assert_uint_eq(prof.dropped, 1);
    ck_assert_str_eq(events[0].name, "node0");
    ck_assert_uint_eq(events[0].node, 0);
    ck_assert_int_le(events[0].t0_ns, events[0].t1_ns);
}
END_TEST

/* Fails the n-th allocation, n = 1, 2, 3..., until all goes well. */
START_TEST(program_survives_every_failing_allocation)
{
    bp_rc rc = BP_E_NOMEM;

    for (uint32_t n = 1; rc < 0; n++) {
        ck_assert_uint_lt(n, 200);
        teardown();
        setup();
        th_input(t, "x", BP_DTYPE_F32, "2,3", (float[]){1, 2, 3, 4, 5, 6});
        th_const(t, "c", BP_DTYPE_F32, "3", (float[]){1, 2, 3});
        th_const(t, "p", BP_DTYPE_I64, "4", (int64_t[]){1, 0, 0, 1});
        th_value(t, "a", BP_DTYPE_F32, "2,3");
        th_value(t, "b", BP_DTYPE_F32, "3,4");
        th_value(t, "d", BP_DTYPE_F32, "3,4");
        th_output(t, "y", BP_DTYPE_F32, "3,8");
        th_node(t, "Sum", 13, "x c x", "a");
        th_node(t, "Pad", 13, "a p", "b");
        th_node(t, "Clip", 13, "b", "d");
        th_node(t, "Concat", 13, "b d", "y");
        th_int(t, "axis", 1);
        th_fail_alloc(t, n);
        rc = th_run(t);
        if (rc < 0)
            ck_assert_int_eq(rc, BP_E_NOMEM);
        th_fail_alloc(t, 0);
        if (rc < 0) {
            rc = th_run(t); /* nothing is left half made */
            ck_assert_int_ge(rc, 0);
            rc = BP_E_NOMEM;
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_frame");
    TCase *tcase = tcase_create("frame");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, entry_rejects_a_host_of_another_abi);
    tcase_add_test(tcase, operator_is_found_by_its_name_domain_and_version);
    tcase_add_test(tcase, claim_rejects_an_unknown_operator);
    tcase_add_test(tcase, claim_rejects_a_known_name_in_another_domain);
    tcase_add_test(tcase, claim_of_an_old_version_names_a_supported_one);
    tcase_add_test(tcase, claim_names_an_unsupported_element_type);
    tcase_add_loop_test(tcase, claim_rejects_inputs_of_mismatched_types, 0, 12);
    tcase_add_test(tcase, claim_rejects_a_rank_over_the_limit);
    tcase_add_test(tcase, values_between_nodes_live_in_scratch);
    tcase_add_test(tcase, node_works_in_place_on_an_input_that_it_reads_last);
    tcase_add_test(tcase, node_does_not_overwrite_a_value_that_is_read_again);
    tcase_add_test(tcase, node_never_overwrites_an_input_of_the_graph);
    tcase_add_test(tcase, views_of_constants_need_no_storage);
    tcase_add_test(tcase, a_view_of_an_input_that_is_an_output_is_copied);
    tcase_add_test(tcase, value_is_computed_in_the_output_that_reshapes_it);
    tcase_add_test(tcase, two_outputs_that_view_one_value_both_hold_it);
    tcase_add_test(tcase, an_output_may_be_read_by_later_nodes);
    tcase_add_test(tcase, absent_outputs_are_not_computed);
    tcase_add_test(tcase, program_accepts_empty_tensors_and_scalars);
    tcase_add_loop_test(tcase, values_of_random_graphs_do_not_overlap_in_scratch, 0, 30);
    tcase_add_test(tcase, program_runs_again_with_other_shapes);
    tcase_add_test(tcase, frame_rejects_sizes_that_overflow);
    tcase_add_test(tcase, run_rejects_a_constant_with_too_few_bytes);
    tcase_add_test(tcase, output_of_run_time_size_is_allocated_during_the_run);
    tcase_add_test(tcase, frame_rejects_a_node_that_reads_a_value_of_unknown_size);
    tcase_add_test(tcase, a_run_stops_when_it_is_cancelled);
    tcase_add_loop_test(tcase, deadline_ends_a_product_of_large_matrices, 0, 2);
    tcase_add_test(tcase, deadline_ends_a_product_of_large_integer_matrices);
    tcase_add_test(tcase, a_run_stops_when_its_time_is_up);
    tcase_add_test(tcase, profile_has_one_row_for_each_node);
    tcase_add_test(tcase, program_survives_every_failing_allocation);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
