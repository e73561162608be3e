/* SPDX-License-Identifier: MIT */
/*
 * check_requests.c - what a provider may ask of the host, with the mock "picky": groups given back,
 * nodes taken together, sizes refused.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>

#include "support/session_kit.h"

/* The provider of a node of the main graph, by the report. */
static const char *provider_of(const char *name)
{
    const bp_report *report = bp_session_report(kit.session);

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
        if (strcmp(row.name, name) == 0) {
            bp_report_provider provider = {.struct_size = sizeof provider};

            KIT_OK(bp_report_get_provider(report, row.provider, &provider, &kit.err));
            return provider.name;
        }
    }
    ck_abort_msg("the report has no node '%s'", name);
    return NULL;
}

/* Does the report give these words as a reason why a provider does not run the node? */
static bool is_refused_with(const char *name, const char *words)
{
    const bp_report *report = bp_session_report(kit.session);

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
        for (uint32_t r = 0; strcmp(row.name, name) == 0 && r < row.n_refusals; r++) {
            bp_report_refusal refusal = {.struct_size = sizeof refusal};

            KIT_OK(bp_report_get_refusal(report, i, r, &refusal, &kit.err));
            if (refusal.text && strstr(refusal.text, words))
                return true;
        }
    }
    return false;
}

/* A picky provider with some options, up to a NULL key. */
static void picky(const bp_key_value *rows, uint32_t n, uint32_t fallback)
{
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "picky", rows, n, fallback, &kit.err));
}

/* x[N,4] -> Relu "relu" -> Sqrt "sqrt" -> Add "add" with itself -> y: two groups of "picky". */
static void two_groups(void)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "r");
    kit_node("sqrt", "Sqrt", "r", "s");
    kit_node("add", "Add", "s s", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
}

/* Runs the model of two_groups(). */
static void check_two_groups(void)
{
    float x[] = {-1, 4, 9, 16};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);

    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 0, 4, 6, 8);
    bp_tensor_free(&out.tensor);
}

/* ---- groups given back at compile ------------------------------------------------------------ */

START_TEST(refused_compile_gives_the_group_to_the_next_provider)
{
    static const bp_key_value options[] = {{"decline", "Add"}};

    two_groups();
    picky(options, 1, BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_str_eq(provider_of("relu"), "picky");
    ck_assert_str_eq(provider_of("add"), "cpu");
    ck_assert(is_refused_with("add", "it refused to compile a group of 1 node: no Add"));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "provider 'picky' gives back group main/2"), 1);
    ck_assert_uint_eq(kit_warnings(), 1);
    check_two_groups();
    kit_end_session();
    ck_assert_uint_eq(atomic_load(&kit_counters("picky")->programs), 0);
}
END_TEST

START_TEST(silent_policy_tells_of_a_refused_group_without_a_warning)
{
    static const bp_key_value options[] = {{"decline", "Add"}};

    two_groups();
    picky(options, 1, BP_FALLBACK_SILENT);
    kit_session();
    ck_assert_uint_eq(kit_warnings(), 0);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_INFO, "gives back group"), 1);
    check_two_groups();
}
END_TEST

START_TEST(refused_group_goes_to_another_provider_before_cpu)
{
    static const bp_key_value options[] = {{"decline", "Add"}};

    two_groups();
    picky(options, 1, BP_FALLBACK_WARN);
    kit_provider("few", BP_FALLBACK_WARN);
    kit_session();
    ck_assert_str_eq(provider_of("add"), "few");
    check_two_groups();
}
END_TEST

START_TEST(all_groups_refused_is_a_provider_that_takes_no_node)
{
    kit_small_model();
    kit_provider("declining", BP_FALLBACK_WARN);
    kit_session();
    ck_assert_str_eq(provider_of("relu"), "cpu");
    ck_assert(is_refused_with("relu", "no Add in a group of 3 nodes"));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "takes none of 3 nodes"), 1);
    kit_check_small(2);
    KIT_OK(bp_session_options_set_fallback(kit.options, BP_FALLBACK_REQUIRE, &kit.err));
    kit_end_session();
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    kit_provider("declining", BP_FALLBACK_REQUIRE);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "'declining' is required", "takes none");
}
END_TEST

START_TEST(refused_group_in_a_subgraph_goes_to_the_next_provider)
{
    static const bp_key_value options[] = {{"decline", "Neg"}};
    bool yes = true;
    float x[] = {1, -2};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_BOOL, &yes, 1), KIT_TENSOR(1, BP_DTYPE_F32, x, 2)};
    bp_binding out = kit_wanted(0);

    kit_start_model();
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "1");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_open_node("if", "If", "c", "y");
    for (int i = 0; i < 2; i++) {
        kit_open_subgraph(i ? "else_branch" : "then_branch");
        kit_node(i ? "abs" : "neg", i ? "Abs" : "Neg", "x", i ? "a" : "n");
        kit_io(KIT_OUTPUT, i ? "a" : "n", BP_DTYPE_F32, "2");
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    picky(options, 1, BP_FALLBACK_WARN);
    kit_session();
    ck_assert_str_eq(provider_of("neg"), "cpu");
    ck_assert_str_eq(provider_of("abs"), "picky");
    in[1].index = 1;
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, -1, 2);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- nodes taken together -------------------------------------------------------------------- */

START_TEST(nodes_of_one_number_in_one_group_stay)
{
    static const bp_key_value options[] = {{"together", "Relu,Neg,Add"}};

    kit_small_model();
    picky(options, 1, BP_FALLBACK_WARN);
    kit_session();
    ck_assert_str_eq(provider_of("relu"), "picky");
    ck_assert_str_eq(provider_of("neg"), "picky");
    ck_assert_str_eq(provider_of("add"), "picky");
    kit_check_small(2);
}
END_TEST

START_TEST(nodes_of_one_number_in_two_groups_go_to_the_next_provider)
{
    static const bp_key_value options[] = {{"together", "Relu,Add"}};

    two_groups();
    picky(options, 1, BP_FALLBACK_WARN);
    kit_session();
    ck_assert_str_eq(provider_of("relu"), "cpu");
    ck_assert_str_eq(provider_of("add"), "cpu");
    ck_assert(is_refused_with("add", "together with others only"));
    check_two_groups();
}
END_TEST

START_TEST(nodes_of_one_number_leave_when_a_rule_takes_one_of_them)
{
    static const bp_key_value options[] = {{"together", "Relu,Add"}};

    kit_small_model();
    picky(options, 1, BP_FALLBACK_WARN);
    KIT_OK(bp_session_options_add_placement(kit.options, "add=cpu", &kit.err));
    kit_session();
    ck_assert_str_eq(provider_of("relu"), "cpu");
    ck_assert_str_eq(provider_of("neg"), "picky");
    ck_assert_str_eq(provider_of("add"), "cpu");
    kit_check_small(2);
}
END_TEST

START_TEST(nodes_of_one_number_leave_when_their_group_is_given_back)
{
    static const bp_key_value options[] = {{"together", "Relu,Neg"}, {"decline", "Add"}};

    kit_small_model();
    picky(options, 2, BP_FALLBACK_WARN);
    kit_session();
    ck_assert_str_eq(provider_of("relu"), "cpu");
    ck_assert_str_eq(provider_of("add"), "cpu");
    kit_check_small(2);
}
END_TEST

/* ---- sizes refused --------------------------------------------------------------------------- */

static uint32_t n_refused_sizes(void)
{
    return bp_report_refused_sizes_count(bp_session_report(kit.session));
}

START_TEST(refused_sizes_run_on_the_next_provider_and_are_told_once)
{
    static const bp_key_value options[] = {{"most", "8"}};
    bp_report_refused_sizes row = {.struct_size = sizeof row};
    bp_session_stats stats = {.struct_size = sizeof stats};
    char *json;

    kit_small_model();
    picky(options, 1, BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_str_eq(provider_of("relu"), "picky");
    kit_check_small(2);
    ck_assert_uint_eq(n_refused_sizes(), 0);
    for (uint32_t rows = 3; rows < 6; rows++) {
        kit_check_small(rows);
        kit_check_small(rows);
    }
    kit_check_small(1);
    ck_assert_uint_eq(n_refused_sizes(), 1);
    KIT_OK(bp_report_get_refused_sizes(bp_session_report(kit.session), 0, &row, &kit.err));
    ck_assert_str_eq(row.node, "relu");
    ck_assert_uint_eq(row.n_nodes, 3);
    ck_assert_str_eq(row.sizes, "x 3x4");
    ck_assert_str_eq(row.text, "12 elements are more than 8");
    ck_assert_uint_eq(
        kit_lines_with(BP_LOG_WARN, "does not run 3 nodes from 'relu' on with x 3x4: 12 elements"),
        1);
    ck_assert_uint_eq(kit_warnings(), 1);
    KIT_OK(bp_session_get_stats(kit.session, &stats, &kit.err));
    ck_assert_uint_eq(stats.runs, 8);
    KIT_OK(bp_report_json(bp_session_report(kit.session), &json, &kit.err));
    ck_assert_ptr_null(kit_bad_json(json));
    ck_assert_ptr_nonnull(strstr(json, "\"refused_sizes\":[{\"provider\":\"picky\""));
    bp_free(json);
    KIT_FAILS(bp_report_get_refused_sizes(bp_session_report(kit.session), 1, &row, &kit.err),
              BP_E_INVALID, "1 refused sizes", "no row 1");
}
END_TEST

static void count_calls(void *user, const char *phase, double fraction)
{
    (void)phase;
    (void)fraction;
    ++*(uint32_t *)user;
}

/* What runs make later is not the creation, whose caller's data may be gone by then. */
START_TEST(progress_is_of_the_creation_alone)
{
    static const bp_key_value rows[] = {{"most", "8"}};
    uint32_t n_calls = 0, n_created;

    kit_small_model();
    picky(rows, 1, BP_FALLBACK_REQUIRE);
    bp_session_options_set_progress(kit.options, count_calls, &n_calls);
    kit_session();
    n_created = n_calls;
    ck_assert_uint_gt(n_created, 0);
    kit_check_small(5); /* which is refused, so that a variant is made */
    ck_assert_uint_eq(n_refused_sizes(), 1);
    ck_assert_uint_eq(n_calls, n_created);
    KIT_OK(bp_session_set_providers(kit.session, kit.options, &kit.err));
    ck_assert_uint_gt(n_calls, n_created);
    n_created = n_calls;
    kit_check_small(5);
    ck_assert_uint_eq(n_calls, n_created);
}
END_TEST

START_TEST(refused_sizes_of_two_groups_are_two_rows)
{
    static const bp_key_value options[] = {{"most", "8"}};
    float x[] = {-1, 4, 9, 16, 1, 4, 9, 16, 1, 4, 9, 16};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 3, 4), out = kit_wanted(0);

    two_groups();
    picky(options, 1, BP_FALLBACK_SILENT);
    kit_session();
    for (int round = 0; round < 2; round++) {
        kit_run(&in, 1, &out, 1);
        KIT_FLOATS(&out.tensor, 0, 4, 6, 8, 2, 4, 6, 8, 2, 4, 6, 8);
        bp_tensor_free(&out.tensor);
    }
    ck_assert_uint_eq(n_refused_sizes(), 2); /* a group each */
    ck_assert_uint_eq(kit_warnings(), 0);
    check_two_groups();
}
END_TEST

START_TEST(refused_sizes_write_into_the_callers_buffer)
{
    static const bp_key_value options[] = {{"most", "2"}};
    float x[] = {-1, 2, -3, 4}, y[4];
    int64_t dims[2];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims, .rank = 2}};

    kit_small_model();
    picky(options, 1, BP_FALLBACK_WARN);
    kit_session();
    kit_run(&in, 1, &out, 1);
    ck_assert_ptr_eq(out.tensor.base, y);
    KIT_DIMS(&out.tensor, 1, 4);
    KIT_FLOATS(&out.tensor, 0, -4, 0, -8);
}
END_TEST

static void *run_many(void *u)
{
    (void)u;
    for (uint32_t i = 0; i < 200; i++) {
        float x[32] = {0};
        bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1 + i % 8, 4), out = kit_wanted(0);

        if (bp_session_run(kit.session, &in, 1, &out, 1, NULL, NULL) < 0)
            return u;
        bp_tensor_free(&out.tensor);
    }
    return NULL;
}

START_TEST(refused_sizes_are_found_by_runs_on_four_threads)
{
    static const bp_key_value options[] = {{"most", "16"}};
    pthread_t threads[4];
    void *failed;

    kit_small_model();
    picky(options, 1, BP_FALLBACK_WARN);
    kit_session();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_many, &kit), 0);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    ck_assert_uint_eq(n_refused_sizes(), 1);
}
END_TEST

/* ---- dimensions with a size ------------------------------------------------------------------ */

START_TEST(fixed_dimension_is_static_for_providers_and_ports)
{
    bp_io_info io = {.struct_size = sizeof io};

    kit_small_model();
    kit_provider("picky", BP_FALLBACK_WARN);
    KIT_OK(bp_session_options_set_dimension(kit.options, "N", 9, &kit.err));
    KIT_OK(bp_session_options_set_dimension(kit.options, "N", 2, &kit.err)); /* the last counts */
    kit_session();
    KIT_OK(bp_session_input(kit.session, 0, &io, &kit.err));
    ck_assert_int_eq(io.dims[0].value, 2);
    KIT_OK(bp_session_output(kit.session, 0, &io, &kit.err));
    ck_assert_int_eq(io.dims[0].value, 2);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "compiles a group whose first size is 2"), 1);
    ck_assert_uint_eq(kit_warnings(), 0);
    kit_check_small(2);
}
END_TEST

START_TEST(run_with_another_size_than_fixed_names_the_dimension)
{
    float x[12] = {0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 3, 4), out = kit_wanted(0);

    kit_small_model();
    kit_provider("picky", BP_FALLBACK_WARN);
    KIT_OK(bp_session_options_set_dimension(kit.options, "N", 2, &kit.err));
    kit_session();
    KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, NULL, &kit.err), BP_E_SHAPE,
              "input 'x' takes 2x4, but 3x4 was given", "dimension 0", "the session fixes 'N'");
}
END_TEST

START_TEST(fixed_dimension_that_the_model_lacks_is_a_warning)
{
    kit_small_model();
    kit_provider("picky", BP_FALLBACK_WARN);
    KIT_OK(bp_session_options_set_dimension(kit.options, "batch", 2, &kit.err));
    KIT_OK(bp_session_options_set_denotation(kit.options, "DATA_BATCH", 2, &kit.err));
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "the name 'batch'"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "the denotation 'DATA_BATCH'"), 1);
    kit_check_small(3);
}
END_TEST

START_TEST(fixed_dimension_rejects_no_name_and_a_negative_size)
{
    kit_provider("picky", BP_FALLBACK_WARN);
    KIT_FAILS(bp_session_options_set_dimension(kit.options, "", 2, &kit.err), BP_E_INVALID, "name");
    KIT_FAILS(bp_session_options_set_dimension(kit.options, NULL, 2, &kit.err), BP_E_INVALID,
              "name");
    KIT_FAILS(bp_session_options_set_dimension(kit.options, "N", -1, &kit.err), BP_E_INVALID, "'N'",
              "-1 is not a size");
}
END_TEST

/* x[M,4]: the first size has the denotation DATA_BATCH, which is field 3 beside dim_param. */
START_TEST(denotation_fixes_a_dimension_unless_its_name_does)
{
    bp_io_info io = {.struct_size = sizeof io};

    for (int with_name = 0; with_name < 2; with_name++) {
        kit_start_model();
        pw_open(&kit.w, KIT_INPUT);
        pw_text(&kit.w, 1, "x");
        pw_open(&kit.w, 2);
        pw_open(&kit.w, 1);
        pw_int(&kit.w, 1, BP_DTYPE_F32);
        pw_open(&kit.w, 2);
        pw_open(&kit.w, 1);
        pw_text(&kit.w, 2, "M");
        pw_text(&kit.w, 3, "DATA_BATCH");
        for (int i = 0; i < 5; i++)
            pw_close(&kit.w);
        kit_node("relu", "Relu", "x", "y");
        kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "M");
        kit_provider("cpu", BP_FALLBACK_WARN);
        KIT_OK(bp_session_options_set_denotation(kit.options, "DATA_BATCH", 3, &kit.err));
        if (with_name)
            KIT_OK(bp_session_options_set_dimension(kit.options, "M", 5, &kit.err));
        kit_session();
        KIT_OK(bp_session_input(kit.session, 0, &io, &kit.err));
        ck_assert_int_eq(io.dims[0].value, with_name ? 5 : 3);
        bp_session_options_destroy(kit.options);
        kit.options = NULL;
    }
}
END_TEST

/* ---- weights --------------------------------------------------------------------------------- */

START_TEST(weights_that_an_instance_leaves_behind_are_a_warning)
{
    static const bp_key_value none[] = {{"keep", "0"}}, two[] = {{"keep", "2"}};

    kit_small_model();
    picky(none, 1, BP_FALLBACK_WARN);
    kit_session();
    kit_end_session();
    ck_assert_uint_eq(kit_warnings(), 0);
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    picky(two, 1, BP_FALLBACK_WARN);
    kit_session();
    ck_assert_uint_eq(kit_warnings(), 0);
    kit_end_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "provider 'picky' ended without putting back "
                                                  "weights: 2, of 200 bytes"),
                      1);
}
END_TEST

int main(void)
{
    TCase *compile = tcase_create("compile"), *together = tcase_create("together"),
          *sizes = tcase_create("sizes"), *dimensions = tcase_create("dimensions");
    TCase *const cases[] = {compile, together, sizes, dimensions};

    for (int i = 0; i < 4; i++)
        tcase_add_checked_fixture(cases[i], kit_setup, kit_teardown);
    tcase_add_test(compile, refused_compile_gives_the_group_to_the_next_provider);
    tcase_add_test(compile, silent_policy_tells_of_a_refused_group_without_a_warning);
    tcase_add_test(compile, refused_group_goes_to_another_provider_before_cpu);
    tcase_add_test(compile, all_groups_refused_is_a_provider_that_takes_no_node);
    tcase_add_test(compile, refused_group_in_a_subgraph_goes_to_the_next_provider);
    tcase_add_test(together, nodes_of_one_number_in_one_group_stay);
    tcase_add_test(together, nodes_of_one_number_in_two_groups_go_to_the_next_provider);
    tcase_add_test(together, nodes_of_one_number_leave_when_a_rule_takes_one_of_them);
    tcase_add_test(together, nodes_of_one_number_leave_when_their_group_is_given_back);
    tcase_add_test(sizes, refused_sizes_run_on_the_next_provider_and_are_told_once);
    tcase_add_test(sizes, progress_is_of_the_creation_alone);
    tcase_add_test(sizes, refused_sizes_of_two_groups_are_two_rows);
    tcase_add_test(sizes, refused_sizes_write_into_the_callers_buffer);
    tcase_add_test(sizes, refused_sizes_are_found_by_runs_on_four_threads);
    tcase_add_test(dimensions, fixed_dimension_is_static_for_providers_and_ports);
    tcase_add_test(dimensions, run_with_another_size_than_fixed_names_the_dimension);
    tcase_add_test(dimensions, fixed_dimension_that_the_model_lacks_is_a_warning);
    tcase_add_test(dimensions, fixed_dimension_rejects_no_name_and_a_negative_size);
    tcase_add_test(dimensions, denotation_fixes_a_dimension_unless_its_name_does);
    tcase_add_test(compile, weights_that_an_instance_leaves_behind_are_a_warning);
    return kit_main("requests", cases, 4);
}
