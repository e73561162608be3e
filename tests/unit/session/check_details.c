/* SPDX-License-Identifier: MIT */
/* check_details.c - each BP_DETAIL_* of an error comes from the host, with the code that abi.h says. */

#include "config.h"

#include <check.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/session_kit.h"

static char dir[32]; /* of external data, in the folder that the test runs in */

static void setup(void)
{
    char path[64];
    FILE *file;

    kit_setup();
    snprintf(dir, sizeof dir, "details-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/short.bin", dir);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fputc(0, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void teardown(void)
{
    char path[64];

    snprintf(path, sizeof path, "%s/short.bin", dir);
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(rmdir(dir), 0);
    kit_teardown();
}

/* ---- models: x, i -> y, by the nodes of a function below --------------------------------------- */

/* The initializer w of two floats; location and length may be NULL. */
static void external(const char *location, const char *length)
{
    const char *const rows[][2] = {{"location", location}, {"length", length}};

    kit_node("n", "Add", "x w", "y");
    pw_open_tensor(&kit.w, 5, "w", BP_DTYPE_F32, PW_DIMS(2));
    for (int i = 0; i < 2; i++) {
        if (!rows[i][1])
            continue;
        pw_open(&kit.w, 13);
        pw_text(&kit.w, 1, rows[i][0]);
        pw_text(&kit.w, 2, rows[i][1]);
        pw_close(&kit.w);
    }
    pw_int(&kit.w, 14, 1); /* data_location: EXTERNAL */
    pw_close(&kit.w);
}

static void absent_file(void)
{
    external("absent.bin", NULL);
}

static void no_location(void)
{
    external(NULL, NULL);
}

static void absolute_path(void)
{
    external("/short.bin", NULL);
}

static void path_outside(void)
{
    external("../short.bin", NULL);
}

static void short_file(void)
{
    external("short.bin", NULL);
}

static void other_length(void)
{
    external("short.bin", "1");
}

static void length_of_letters(void)
{
    external("short.bin", "eight");
}

static void no_producer(void)
{
    kit_node("n", "Relu", "nowhere", "y");
}

static void defined_by_two_nodes(void)
{
    kit_node("n", "Relu", "x", "y");
    kit_node("m", "Abs", "x", "y");
}

static void defined_as_the_input(void)
{
    kit_node("n", "Relu", "x", "y");
    kit_node("m", "Abs", "x", "i");
}

static void cycle_of_one(void)
{
    kit_node("n", "Add", "x y", "y");
}

static void cycle_of_two(void)
{
    kit_node("n", "Add", "x z", "y");
    kit_node("m", "Relu", "y", "z");
}

static void cycle_of_three(void)
{
    kit_node("n", "Add", "x b", "y");
    kit_node("m", "Relu", "y", "a");
    kit_node("o", "Relu", "a", "b");
}

static void unknown_attribute(void)
{
    kit_node_int("n", "Relu", "x", "y", "foo", 1);
}

static void two_inputs(void)
{
    kit_node("n", "Relu", "x x", "y");
}

static void two_outputs(void)
{
    kit_node("n", "Relu", "x", "y z");
}

static void integers_for_a_float(void)
{
    kit_node("n", "Sigmoid", "i", "y");
}

static void two_types(void)
{
    kit_node("n", "Add", "x i", "y");
}

static void unknown_operator(void)
{
    kit_node("n", "Nonsense", "x", "y");
}

static void taken_by_no_provider(void)
{
    kit_node("n", "Relu", "x", "y");
    kit_node("m", "Nonsense", "x", "z");
}

/* NULL for nodes: no graph at all. */
static const struct {
    uint32_t detail;
    bp_rc rc;
    void (*nodes)(void);
    bool is_in_memory; /* no directory for external data */
} models[] = {
    {BP_DETAIL_NO_SUCH_FILE, BP_E_IO, absent_file, false},
    {BP_DETAIL_NO_GRAPH, BP_E_INVALID, NULL, true},
    {BP_DETAIL_NO_LOCATION, BP_E_INVALID, no_location, false},
    {BP_DETAIL_NO_DIRECTORY, BP_E_INVALID, short_file, true},
    {BP_DETAIL_ABSOLUTE_PATH, BP_E_INVALID, absolute_path, false},
    {BP_DETAIL_PATH_OUTSIDE, BP_E_INVALID, path_outside, false},
    {BP_DETAIL_DATA_RANGE, BP_E_INVALID, short_file, false},
    {BP_DETAIL_DATA_RANGE, BP_E_INVALID, other_length, false},
    {BP_DETAIL_DATA_RANGE, BP_E_INVALID, length_of_letters, false},
    {BP_DETAIL_NO_PRODUCER, BP_E_INVALID, no_producer, true},
    {BP_DETAIL_DEFINED_TWICE, BP_E_INVALID, defined_by_two_nodes, true},
    {BP_DETAIL_DEFINED_TWICE, BP_E_INVALID, defined_as_the_input, true},
    {BP_DETAIL_CYCLE, BP_E_INVALID, cycle_of_one, true},
    {BP_DETAIL_CYCLE, BP_E_INVALID, cycle_of_two, true},
    {BP_DETAIL_CYCLE, BP_E_INVALID, cycle_of_three, true},
    {BP_DETAIL_UNKNOWN_ATTRIBUTE, BP_E_INVALID, unknown_attribute, true},
    {BP_DETAIL_NODE_ARITY, BP_E_INVALID, two_inputs, true},
    {BP_DETAIL_NODE_ARITY, BP_E_INVALID, two_outputs, true},
    {BP_DETAIL_NODE_TYPE, BP_E_INVALID, integers_for_a_float, true},
    {BP_DETAIL_TYPES_DIFFER, BP_E_INVALID, two_types, true},
    {BP_DETAIL_UNKNOWN_OPERATOR, BP_E_UNSUPPORTED, unknown_operator, true},
    {BP_DETAIL_UNKNOWN_OPERATOR, BP_E_UNSUPPORTED, taken_by_no_provider, true},
};

enum { N_MODELS = sizeof models / sizeof *models };

/* Opens the model and creates a session; the first failure counts. */
static bp_rc try_model(bool is_in_memory)
{
    bp_model_source source = {.struct_size = sizeof source,
                              .bytes = kit.w.data,
                              .size = kit.w.size,
                              .dir = is_in_memory ? NULL : dir};
    bp_rc rc = bp_model_open_source(kit.env, &source, &kit.model, &kit.err);

    return rc < 0 ? rc
                  : bp_session_create_from_model(kit.env, kit.model, NULL, &kit.session, &kit.err);
}

START_TEST(a_refused_model_has_its_detail)
{
    if (models[_i].nodes) {
        models[_i].nodes();
        kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
        kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "2");
        kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
        pw_close(&kit.w);
    } else {
        pw_free(&kit.w);
        pw_int(&kit.w, 1, 8);
    }
    kit.is_closed = true;
    ck_assert_int_eq(try_model(models[_i].is_in_memory), models[_i].rc);
    ck_assert_msg(kit.err.detail == models[_i].detail, "%u, not %u: %s", kit.err.detail,
                  models[_i].detail, kit.text);
    ck_assert_uint_eq(kit.err.index, 0);
}
END_TEST

/* ---- files and calls --------------------------------------------------------------------------- */

START_TEST(a_model_file_that_is_not_there_has_its_detail)
{
    ck_assert_int_eq(bp_model_open(kit.env, "no/such/file.onnx", &kit.model, &kit.err), BP_E_IO);
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_NO_SUCH_FILE);
    ck_assert_int_eq(bp_model_open(kit.env, dir, &kit.model, &kit.err), BP_E_INVALID);
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_NONE); /* it is there, and is a directory */
}
END_TEST

START_TEST(an_empty_file_has_no_graph)
{
    ck_assert_int_eq(bp_model_open_memory(kit.env, "", 0, NULL, &kit.model, &kit.err),
                     BP_E_INVALID);
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_NO_GRAPH);
    ck_assert_int_eq(bp_model_open_memory(kit.env, "what is this", 12, NULL, &kit.model, &kit.err),
                     BP_E_INVALID);
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_NONE);
}
END_TEST

START_TEST(affinities_of_another_number_have_their_detail)
{
    uint32_t cpu = 0;
    bp_processors row = {.list = &cpu, .n = 1};
    bp_worker_config workers = {
        .struct_size = sizeof workers, .n_affinities = 1, .affinities = &row};
    bp_env_config config = {.struct_size = sizeof config, .threads = 3, .workers = &workers};
    bp_env *env;

    ck_assert_int_eq(bp_env_create(&config, &env, &kit.err), BP_E_INVALID);
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_AFFINITY_COUNT);
}
END_TEST

/* Two inputs, and two outputs of which the first needs both. */
static void make_session(void)
{
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "1");
    kit_node("n", "Add", "a b", "c");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_F32, "1");
    kit_session();
}

START_TEST(a_feed_too_many_or_too_few_says_which_input)
{
    float x = 1;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, &x, 1), KIT_TENSOR(1, BP_DTYPE_F32, &x, 1),
                       KIT_TENSOR(1, BP_DTYPE_F32, &x, 1)};
    bp_binding out = kit_wanted(0);

    make_session();
    ck_assert_int_eq(bp_session_run(kit.session, in, 3, &out, 1, NULL, &kit.err), BP_E_INVALID);
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_INPUT_TWICE);
    ck_assert_uint_eq(kit.err.index, 1);
    ck_assert_int_eq(bp_session_run(kit.session, in, 1, &out, 1, NULL, &kit.err), BP_E_INVALID);
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_INPUT_MISSING);
    ck_assert_uint_eq(kit.err.index, 1);
    ck_assert_int_eq(bp_session_run(kit.session, NULL, 0, &out, 1, NULL, &kit.err), BP_E_INVALID);
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_INPUT_MISSING);
    ck_assert_uint_eq(kit.err.index, 0);
}
END_TEST

/* The report is printed by a call in between, which has a text of its own. */
START_TEST(a_printed_report_leaves_the_detail)
{
    setenv("BACKPLANE_REPORT", "/dev/null", 1);
    kit_new_env(1);
    unsetenv("BACKPLANE_REPORT");
    unknown_operator();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    pw_close(&kit.w);
    kit.is_closed = true;
    ck_assert_int_eq(try_model(true), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_UNKNOWN_OPERATOR);
}
END_TEST

/* A detail that is added to abi.h needs a model above, or a test of a call. */
START_TEST(every_detail_has_a_test)
{
    static const uint32_t of_calls[] = {BP_DETAIL_AFFINITY_COUNT, BP_DETAIL_INPUT_TWICE,
                                        BP_DETAIL_INPUT_MISSING};
    bool is_tested[BP_DETAIL_END] = {true}; /* BP_DETAIL_NONE */

    for (size_t i = 0; i < sizeof of_calls / sizeof *of_calls; i++)
        is_tested[of_calls[i]] = true;
    for (int i = 0; i < N_MODELS; i++)
        is_tested[models[i].detail] = true;
    for (uint32_t i = 0; i < BP_DETAIL_END; i++)
        ck_assert_msg(is_tested[i], "detail %u has no test", i);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("details");
    TCase *const cases[] = {tcase};

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, a_refused_model_has_its_detail, 0, N_MODELS);
    tcase_add_test(tcase, a_model_file_that_is_not_there_has_its_detail);
    tcase_add_test(tcase, an_empty_file_has_no_graph);
    tcase_add_test(tcase, affinities_of_another_number_have_their_detail);
    tcase_add_test(tcase, a_feed_too_many_or_too_few_says_which_input);
    tcase_add_test(tcase, a_printed_report_leaves_the_detail);
    tcase_add_test(tcase, every_detail_has_a_test);
    return kit_main("details", cases, 1);
}
