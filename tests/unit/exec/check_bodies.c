/* SPDX-License-Identifier: MIT */
/*
 * check_bodies.c - If and Loop that a provider runs whole: it is shown their bodies, other providers
 * are not, and what cannot be shown or is given back is the host's. And what a provider can read of
 * the model beside its graph. The provider is the mock brancher.
 */

#include "config.h"

#include "support/session_kit.h"

#include <stdio.h>
#include <unistd.h>

/* The node's row in the report; an inner node only where the host runs the node around it. */
static bool find_node(const char *name, bp_report_node *out)
{
    const bp_report *report = bp_session_report(kit.session);

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        *out = (bp_report_node){.struct_size = sizeof *out};
        KIT_OK(bp_report_get_node(report, i, out, &kit.err));
        if (strcmp(out->name, name) == 0)
            return true;
    }
    return false;
}

/* Does that provider run the node? "host": no provider does. */
static void runs_on(const char *name, const char *provider)
{
    bp_report_provider row = {.struct_size = sizeof row};
    bp_report_node node;

    ck_assert(find_node(name, &node));
    if (strcmp(provider, "host") == 0) {
        ck_assert_uint_eq(node.provider, BP_NONE);
        return;
    }
    KIT_OK(bp_report_get_provider(bp_session_report(kit.session), node.provider, &row, &kit.err));
    ck_assert_str_eq(row.name, provider);
}

/* ---- If -------------------------------------------------------------------------------------- */

/* y = c ? -(x + w) + x : x * w, where w is a constant of the model. */
static void if_model(void)
{
    static const int64_t dims[] = {4, -1};
    static const float w[] = {10, 20, 30, 40};

    kit_floats("w", dims, 4, w);
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "1");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("sum", "Add", "x w", "s");
    kit_node("minus", "Neg", "s", "m");
    kit_node("again", "Add", "m x", "a");
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("product", "Mul", "x w", "b");
    kit_io(KIT_OUTPUT, "b", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static void check_if(void)
{
    static const float minus[] = {-10, -20, -30, -40}, times[] = {10, 40, 90, 160};

    for (int is_true = 0; is_true < 2; is_true++) {
        float x[] = {1, 2, 3, 4};
        uint8_t c = (uint8_t)is_true;
        bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_BOOL, &c, 1), KIT_TENSOR(1, BP_DTYPE_F32, x, 4)};
        bp_binding out = kit_wanted(0);

        kit_run(in, 2, &out, 1);
        kit_check_floats(&out.tensor, 4, is_true ? minus : times);
        bp_tensor_free(&out.tensor);
    }
}

START_TEST(provider_runs_an_if_whole)
{
    if_model();
    kit_provider("brancher", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "sees 2 bodies"), 1);
    runs_on("if", "brancher");
    check_if();
}
END_TEST

START_TEST(provider_without_the_flag_is_shown_no_bodies)
{
    bp_report_node node;

    if_model();
    kit_provider("unshown", BP_FALLBACK_WARN);
    kit_session();
    ck_assert_uint_ge(kit_lines_with(BP_LOG_DEBUG, "sees 0 bodies"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "sees 2 bodies"), 0);
    runs_on("if", "host");
    ck_assert(find_node("product", &node));
    check_if();
}
END_TEST

START_TEST(control_flow_that_a_provider_does_not_compile_is_the_hosts)
{
    if_model();
    kit_provider_with("brancher", "decline", "If");
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "If is too much today"), 1);
    runs_on("if", "host");
    check_if();
}
END_TEST

START_TEST(a_placement_rule_about_a_node_of_a_body_leaves_the_if_to_the_host)
{
    if_model();
    kit_provider("brancher", BP_FALLBACK_WARN);
    KIT_OK(bp_session_options_add_placement(kit.options, "product=cpu", &kit.err));
    kit_session();
    runs_on("if", "host");
    runs_on("product", "cpu");
    check_if();
}
END_TEST

START_TEST(a_placement_rule_may_take_an_if_from_a_provider)
{
    if_model();
    kit_provider("brancher", BP_FALLBACK_WARN);
    KIT_OK(bp_session_options_add_placement(kit.options, "if=!brancher", &kit.err));
    kit_session();
    runs_on("if", "host");
    check_if();
}
END_TEST

START_TEST(an_if_with_a_sequence_is_the_hosts)
{
    float x[] = {1, 2};
    uint8_t c = 1;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_BOOL, &c, 1), KIT_TENSOR(1, BP_DTYPE_F32, x, 2)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "1");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("pair", "SequenceConstruct", "x x", "s");
    kit_node("length", "SequenceLength", "s", "n");
    kit_io(KIT_OUTPUT, "n", BP_DTYPE_I64, NULL);
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("size", "Size", "x", "m");
    kit_io(KIT_OUTPUT, "m", BP_DTYPE_I64, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_I64, NULL);
    kit_provider("brancher", BP_FALLBACK_WARN);
    kit_session();
    ck_assert_uint_ge(kit_lines_with(BP_LOG_DEBUG, "sees 0 bodies"), 1);
    runs_on("if", "host");
    kit_run(in, 2, &out, 1);
    ck_assert_int_eq(*(const int64_t *)out.tensor.base, 2);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- Loop ------------------------------------------------------------------------------------ */

/*
 * s starts with x and gets k added, n times; squares are collected. With `nested`, an If in the body
 * adds k where s is less than a limit of the model, else nothing.
 */
static void loop_model(bool nested)
{
    kit_io(KIT_INPUT, "n", BP_DTYPE_I64, "1");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "k", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_open_node("loop", "Loop", "n c x", "s squares");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "go", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "before", BP_DTYPE_F32, "1");
    if (nested) {
        kit_node("twice", "Add", "k k", "limit");
        kit_node("less", "Less", "before limit", "is_less");
        kit_open_node("inner", "If", "is_less", "after");
        kit_open_subgraph("then_branch");
        kit_node("more", "Add", "before k", "t");
        kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, NULL);
        kit_close_subgraph();
        kit_open_subgraph("else_branch");
        kit_node("same", "Identity", "before", "e");
        kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, NULL);
        kit_close_subgraph();
        pw_close(&kit.w);
    } else {
        kit_node("more", "Add", "before k", "after");
    }
    kit_node("square", "Mul", "after after", "sq");
    kit_node("on", "Identity", "go", "go_on");
    kit_io(KIT_OUTPUT, "go_on", BP_DTYPE_BOOL, NULL);
    kit_io(KIT_OUTPUT, "after", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "sq", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "squares", BP_DTYPE_F32, NULL);
}

/* Three iterations from 1 with k = 2: 3, 5, 7; nested they stop at 5, as 4 is the limit. */
static void check_loop(float last, const float squares[3])
{
    int64_t n = 3;
    float x = 1, k = 2;
    uint8_t c = 1;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_I64, &n, 1), KIT_TENSOR(1, BP_DTYPE_F32, &x, 1),
                       KIT_TENSOR(2, BP_DTYPE_F32, &k, 1),
                       kit_tensor(3, BP_DTYPE_BOOL, &c, 0, NULL)};
    bp_binding out[] = {kit_wanted(0), kit_wanted(1)};

    kit_run(in, 4, out, 2);
    KIT_FLOATS(&out[0].tensor, last);
    KIT_DIMS(&out[1].tensor, 3, 1);
    kit_check_floats(&out[1].tensor, 3, squares);
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[1].tensor);
}

START_TEST(provider_runs_a_loop_whole)
{
    loop_model(false);
    kit_provider("brancher", BP_FALLBACK_REQUIRE);
    kit_session();
    runs_on("loop", "brancher");
    check_loop(7, (const float[]){9, 25, 49});
    check_loop(7, (const float[]){9, 25, 49});
}
END_TEST

START_TEST(provider_runs_an_if_in_a_loop_whole)
{
    loop_model(true);
    kit_provider("brancher", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "sees 1 bodies"), 1);
    runs_on("loop", "brancher");
    check_loop(5, (const float[]){9, 25, 25});
}
END_TEST

START_TEST(provider_takes_an_if_in_a_loop_that_it_gives_back)
{
    loop_model(true);
    kit_provider_with("brancher", "decline", "Loop");
    kit_session();
    runs_on("loop", "host");
    runs_on("inner", "brancher");
    check_loop(5, (const float[]){9, 25, 25});
}
END_TEST

START_TEST(bodies_of_a_scan_are_shown)
{
    float x[] = {1, 2, 3}, start = 0;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, &start, 1),
                       KIT_TENSOR(1, BP_DTYPE_F32, x, 3, 1)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "start", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "3,1");
    kit_open_node("scan", "Scan", "start x", "sum");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "before", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "item", BP_DTYPE_F32, "1");
    kit_node("more", "Add", "before item", "after");
    kit_io(KIT_OUTPUT, "after", BP_DTYPE_F32, "1");
    kit_close_subgraph();
    kit_int_attr("num_scan_inputs", 1);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "sum", BP_DTYPE_F32, NULL);
    kit_provider("brancher", BP_FALLBACK_WARN);
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "sees 1 bodies"), 1);
    runs_on("scan", "host"); /* the mock does not run Scan */
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, 6);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(placement_rules_hold_inside_of_control_flow_without_passes)
{
    if_model();
    kit_provider("brancher", BP_FALLBACK_WARN);
    KIT_OK(bp_session_options_add_placement(kit.options, "product=cpu", &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_NONE, &kit.err));
    kit_session();
    runs_on("if", "host");
    runs_on("product", "cpu");
}
END_TEST

/* ---- what a provider reads of the model (BP_EXT_MODEL) --------------------------------------- */

static bool is_logged(const char *words)
{
    return kit_lines_with(BP_LOG_DEBUG, words) > 0;
}

/* capability and compile are told the same. */
START_TEST(provider_reads_what_the_model_says_of_itself)
{
    static const char *const rows[] = {"colour", "red", "size", "large"};

    if_model();
    pw_close(&kit.w); /* the graph */
    pw_text(&kit.w, 2, "maker");
    pw_text(&kit.w, 3, "1.5");
    pw_text(&kit.w, 4, "org.example");
    pw_int(&kit.w, 5, 7);
    pw_text(&kit.w, 6, "chooses");
    for (int i = 0; i < 4; i += 2) {
        pw_open(&kit.w, 14);
        pw_text(&kit.w, 1, rows[i]);
        pw_text(&kit.w, 2, rows[i + 1]);
        pw_close(&kit.w);
    }
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "org.more");
    pw_int(&kit.w, 2, 3);
    pw_close(&kit.w);
    kit.is_closed = true;
    kit_provider_with("brancher", "asks", "yes");
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG,
                                     "model '' in '', 'main' by 'maker' '1.5' of 'org.example': "
                                     "'chooses', IR 8, version 7"),
                      2);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "metadata 0: colour=red"), 2);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "metadata 1: size=large"), 2);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "metadata 2"), 0);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "opset 0: '' 13"), 2);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "opset 1: 'org.more' 3"), 2);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "graph the model"), 2);
}
END_TEST

START_TEST(provider_reads_the_nodes_around_a_body)
{
    static const bp_key_value rows[] = {{"decline", "Loop"}, {"asks", "yes"}};

    loop_model(true);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "brancher", rows, 2, BP_FALLBACK_DEFAULT,
                                           &kit.err));
    kit_session();
    runs_on("inner", "brancher");
    ck_assert(is_logged("graph 'body', body of Loop 'loop' in the model"));
    ck_assert(is_logged("graph 'then_branch', then_branch of If 'inner' in 'body', body of Loop "
                        "'loop' in the model"));
    ck_assert(is_logged("graph 'else_branch', else_branch of If 'inner' in 'body', body of Loop "
                        "'loop' in the model"));
}
END_TEST

/* It is not shown bodies, but is asked about their nodes. */
START_TEST(provider_that_is_shown_no_bodies_reads_the_nodes_around_too)
{
    if_model();
    kit_provider_with("unshown", "asks", "yes");
    kit_session();
    ck_assert(is_logged("graph the model"));
    ck_assert(is_logged("graph 'then_branch', then_branch of If 'if' in the model"));
    ck_assert(is_logged("graph 'else_branch', else_branch of If 'if' in the model"));
}
END_TEST

/* An initializer of four floats at byte 16 of the file w.bin. */
static void external_weight(const char *name)
{
    static const char *const rows[] = {"location", "w.bin", "offset", "16"};

    pw_open(&kit.w, 5);
    pw_int(&kit.w, 1, 4);
    pw_int(&kit.w, 2, BP_DTYPE_F32);
    pw_text(&kit.w, 8, name);
    for (int i = 0; i < 4; i += 2) {
        pw_open(&kit.w, 13);
        pw_text(&kit.w, 1, rows[i]);
        pw_text(&kit.w, 2, rows[i + 1]);
        pw_close(&kit.w);
    }
    pw_int(&kit.w, 14, 1);
    pw_close(&kit.w);
}

/* Both branches read it, and a constant that is in the model's own file. */
static void external_model(void)
{
    static const int64_t dims[] = {4, -1};

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "1");
    external_weight("w");
    kit_floats("own", dims, 4, (const float[]){1, 2, 3, 4});
    kit_open_node("if", "If", "c", "y");
    for (int i = 0; i < 2; i++) {
        kit_open_subgraph(i ? "else_branch" : "then_branch");
        kit_node("of_w", i ? "Add" : "Mul", "w own", "s");
        kit_io(KIT_OUTPUT, "s", BP_DTYPE_F32, NULL);
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    pw_close(&kit.w);
    kit.is_closed = true;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

/* On disk beside the model, or (_i 1) given by the application to a model in memory. */
START_TEST(provider_reads_where_external_data_is)
{
    static const float data[] = {0, 0, 0, 0, 10, 20, 30, 40};
    const bp_model_file file = {"w.bin", data, sizeof data};
    bp_model_source source = {.struct_size = sizeof source};
    char dir[] = "/tmp/bp-bodies-XXXXXX", path[64], weights[64], words[128];
    bp_binding out = kit_wanted(0);
    uint8_t c = 1;
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_BOOL, &c, 1);

    external_model();
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/m.onnx", dir);
    snprintf(weights, sizeof weights, "%s/w.bin", dir);
    if (_i == 0) {
        write_file(path, kit.w.data, kit.w.size);
        write_file(weights, data, sizeof data);
        source.path = path;
    } else {
        source.bytes = kit.w.data;
        source.size = kit.w.size;
        source.files = &file;
        source.n_files = 1;
    }
    KIT_OK(bp_model_open_source(kit.env, &source, &kit.model, &kit.err));
    kit_provider_with("brancher", "asks", "yes");
    kit_session();
    (void)remove(path);
    (void)remove(weights);
    ck_assert_int_eq(rmdir(dir), 0);
    snprintf(words, sizeof words, "model '%s' in '%s', 'main' by", _i == 0 ? path : "",
             _i == 0 ? dir : "");
    ck_assert(is_logged(words));
    ck_assert(is_logged(_i == 0 ? "constant 'w' 16 bytes at 16 of 'w.bin'"
                                : "constant 'w' 16 bytes at 16 of 'w.bin', given"));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, ", given") > 0, _i == 1); /* BP_PLACE_GIVEN */
    ck_assert(is_logged("constant 'own' 0 bytes at 0 of ''"));
    ck_assert(!is_logged("a place of what is no constant"));
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 10, 40, 90, 160);
    bp_tensor_free(&out.tensor);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("bodies");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, provider_runs_an_if_whole);
    tcase_add_test(tcase, provider_without_the_flag_is_shown_no_bodies);
    tcase_add_test(tcase, control_flow_that_a_provider_does_not_compile_is_the_hosts);
    tcase_add_test(tcase, a_placement_rule_about_a_node_of_a_body_leaves_the_if_to_the_host);
    tcase_add_test(tcase, a_placement_rule_may_take_an_if_from_a_provider);
    tcase_add_test(tcase, an_if_with_a_sequence_is_the_hosts);
    tcase_add_test(tcase, provider_runs_a_loop_whole);
    tcase_add_test(tcase, provider_runs_an_if_in_a_loop_whole);
    tcase_add_test(tcase, provider_takes_an_if_in_a_loop_that_it_gives_back);
    tcase_add_test(tcase, bodies_of_a_scan_are_shown);
    tcase_add_test(tcase, placement_rules_hold_inside_of_control_flow_without_passes);
    tcase_add_test(tcase, provider_reads_what_the_model_says_of_itself);
    tcase_add_test(tcase, provider_reads_the_nodes_around_a_body);
    tcase_add_test(tcase, provider_that_is_shown_no_bodies_reads_the_nodes_around_too);
    tcase_add_loop_test(tcase, provider_reads_where_external_data_is, 0, 2);
    return kit_main("bodies", &tcase, 1);
}
