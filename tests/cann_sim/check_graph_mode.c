/* SPDX-License-Identifier: MIT */
/*
 * check_graph_mode.c - the CANN provider with enable_cann_graph: groups become models, one for each
 * set of shapes; what dump_graphs and dump_om_model write; what the compiler's options do;
 * failures.
 */

#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cann_kit.h"
#include "cann_sim/model.h"

/* ---- a folder of its own --------------------------------------------------------------------- */

static char folder[64], home[4096];

static void setup(void)
{
    cann_setup();
    ck_assert_ptr_nonnull(getcwd(home, sizeof home));
    snprintf(folder, sizeof folder, "graph_mode.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

/* Files in the folder whose names end so; the first one's name. They go when `take` says it. */
static uint32_t files(const char *ending, char *name, bool take)
{
    DIR *dir = opendir(".");
    uint32_t n = 0;

    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        size_t length = strlen(entry->d_name), tail = strlen(ending);

        if (length <= tail || strcmp(entry->d_name + length - tail, ending) != 0)
            continue;
        if (name && n == 0)
            snprintf(name, 256, "%.255s", entry->d_name);
        n++;
        if (take)
            ck_assert_int_eq(remove(entry->d_name), 0);
    }
    closedir(dir);
    return n;
}

static void teardown(void)
{
    cann_check_left();
    ck_assert_uint_eq(cann_counters().live_datasets, 0);
    ck_assert_uint_eq(cann_counters().live_model_descriptions, 0);
    files(".onnx", NULL, true);
    files(".om", NULL, true);
    ck_assert_int_eq(chdir(home), 0);
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else was written */
    kit_teardown();
}

/* A session that requires cann in graph mode, of device_mixed_model(). */
static void start_session(const char *rows, const char *key, const char *value)
{
    device_mixed_model(rows);
    cann_add_graph(BP_FALLBACK_REQUIRE, key, value);
    kit_session();
}

/* ---- models ---------------------------------------------------------------------------------- */

/* The vendor's hash; the pangram's value is that of its author's code. */
START_TEST(file_names_use_the_vendors_hash)
{
    static const char text[] = "The quick brown fox jumps over the lazy dog";

    ck_assert_uint_eq(bp_cann_digest("", 0), 0);
    ck_assert_uint_eq(bp_cann_digest(text, sizeof text - 1), UINT64_C(0xecee2c672f1583c3));
}
END_TEST

/* x -> Relu, MatMul, Add on the device: one model of a group, one launch a run. */
START_TEST(a_group_is_one_model)
{
    struct bp_ascend_counters counters;

    start_session("2", NULL, NULL);
    counters = cann_counters();
    ck_assert_uint_gt(counters.models_built, 0);
    ck_assert_uint_eq(counters.models_built, counters.models_loaded);
    ck_assert_uint_eq(counters.compiles, 0);
    for (int i = 0; i < 3; i++)
        device_check_mixed(2, (float)i);
    ck_assert_uint_eq(cann_counters().models_built, counters.models_built);
    ck_assert_uint_eq(cann_counters().model_runs, 3 * counters.models_built);
    ck_assert_uint_eq(cann_counters().launches, 3 * counters.models_built);
}
END_TEST

/* As the vendor's: each set of shapes has its model, which stays as long as the session. */
START_TEST(each_set_of_shapes_has_a_model)
{
    uint64_t n_groups, live = 0;

    start_session("N", NULL, NULL);
    device_check_mixed(1, 0);
    n_groups = cann_counters().models_built;
    ck_assert_uint_gt(n_groups, 0);
    for (uint32_t rows = 2; rows < 12; rows++) {
        device_check_mixed(rows, 0);
        ck_assert_uint_eq(cann_counters().models_built, rows * n_groups);
        ck_assert_uint_gt(cann_counters().live_bytes, live);
        live = cann_counters().live_bytes;
    }
    for (uint32_t rows = 1; rows < 12; rows++)
        device_check_mixed(rows, 1);
    ck_assert_uint_eq(cann_counters().models_built, 11 * n_groups);
    ck_assert_uint_eq(cann_counters().models_unloaded, 0);
}
END_TEST

START_TEST(an_empty_group_builds_no_model)
{
    start_session("N", NULL, NULL);
    device_check_mixed(0, 0);
    device_check_mixed(3, 0);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

START_TEST(a_later_session_loads_the_saved_models)
{
    char name[256];
    uint64_t n_groups;

    start_session("2", "dump_om_model", "1");
    device_check_mixed(2, 0);
    n_groups = cann_counters().models_built;
    ck_assert_uint_eq(files(".om", name, false), n_groups);
    kit_session();
    device_check_mixed(2, 1);
    ck_assert_uint_eq(cann_counters().models_built, n_groups); /* none was built */
    ck_assert_uint_eq(cann_counters().models_loaded, 2 * n_groups);
    ck_assert_uint_eq(kit_warnings(), 0);
}
END_TEST

/* Other settings are other models, though the graph is the same. */
START_TEST(a_file_of_other_settings_is_not_loaded)
{
    uint64_t n_groups;

    start_session("2", "dump_om_model", "1");
    n_groups = cann_counters().models_built;
    cann_forget();
    kit_end_session();
    cann_add_graph(BP_FALLBACK_REQUIRE, "precision_mode", "force_fp16");
    kit_session();
    ck_assert_uint_eq(cann_counters().models_built, 2 * n_groups);
}
END_TEST

static void spoil(const char *name)
{
    FILE *file = fopen(name, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs("junk", file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* Where the vendor's provider would fail each run. */
START_TEST(a_corrupt_file_is_rebuilt)
{
    uint64_t n_groups;
    char name[256];

    start_session("2", "dump_om_model", "1");
    n_groups = cann_counters().models_built;
    ck_assert_uint_gt(files(".om", name, false), 0);
    spoil(name);
    kit_session();
    device_check_mixed(2, 1);
    ck_assert_uint_eq(cann_counters().models_built, n_groups + 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "built anew"), 1);
}
END_TEST

START_TEST(no_file_is_written_without_the_option)
{
    start_session("2", "dump_om_model", "0");
    device_check_mixed(2, 0);
    ck_assert_uint_eq(files(".om", NULL, false), 0);
    ck_assert_uint_eq(files(".onnx", NULL, false), 0);
}
END_TEST

/* What was written is an ONNX model that computes the same: read back, on the CPU alone. */
static void run_dump(const char *name, const float *x, uint32_t n, float *y)
{
    bp_session *session = NULL;
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, n), out = kit_wanted(0);

    KIT_OK(bp_session_create(kit.env, name, NULL, &session, &kit.err));
    KIT_OK(bp_session_run(session, &in, 1, &out, 1, NULL, &kit.err));
    memcpy(y, bp_tensor_data(&out.tensor), n * sizeof *y);
    bp_tensor_free(&out.tensor);
    bp_session_destroy(session);
}

START_TEST(dump_graphs_writes_onnx)
{
    static const float w[] = {0.5f, 2, -1};
    static const float x[] = {-4, 1, 3};
    float y[3];
    char name[256];

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_floats("w", PW_DIMS(3), 3, w);
    kit_node("relu", "Relu", "x", "r");
    kit_node("mul", "Mul", "r w", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    cann_add_graph(BP_FALLBACK_REQUIRE, "dump_graphs", "1");
    kit_session();
    ck_assert_uint_eq(files(".onnx", name, false), 1);
    run_dump(name, x, 3, y);
    ck_assert(y[0] == 0 && y[1] == 2 && y[2] == -3);
}
END_TEST

/* ---- the compiler's options ------------------------------------------------------------------ */

START_TEST(precision_mode_is_applied)
{
    cann_check_precision(cann_add_graph);
}
END_TEST

/* Simulated nanoseconds of operators in one run of a large Relu. */
static uint64_t time_relu(const char *mode, const char *list)
{
    enum { MANY = 1 << 20 };
    float *x = calloc(MANY, sizeof *x);
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, MANY), out = kit_wanted(0);
    bp_key_value rows[] = {{"driver", "sim"},
                           {"enable_cann_graph", "True"},
                           {"dump_om_model", "False"},
                           {"op_select_impl_mode", mode},
                           {"optypelist_for_implmode", list}};

    ck_assert_ptr_nonnull(x);
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1048576");
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1048576");
    cann_forget();
    cann_add_rows(BP_FALLBACK_REQUIRE, rows, 5);
    kit_session();
    kit_run(&in, 1, &out, 1);
    bp_tensor_free(&out.tensor);
    free(x);
    return cann_times(0).busy_operators;
}

/* The simulator's accurate kernels take twice as long; those that are not listed do not. */
START_TEST(high_precision_takes_longer)
{
    uint64_t fast = time_relu("", ""), accurate = time_relu("high_precision", "");

    ck_assert_uint_gt(accurate, fast);
    ck_assert_uint_eq(time_relu("high_performance", ""), fast);
    ck_assert_uint_eq(time_relu("high_precision", "SoftmaxV2"), fast);
    ck_assert_uint_eq(time_relu("high_precision", "SoftmaxV2,Relu"), accurate);
    ck_assert_uint_eq(time_relu("high_precision_for_all", "SoftmaxV2"), accurate);
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------- */

static const char *const points[] = {"malloc", "copy", "load", "compile", "launch", "task", "sync"};

enum { N_POINTS = sizeof points / sizeof points[0] };

START_TEST(a_call_that_fails_once_is_a_status)
{
    cann_check_fault(cann_add_graph, points[_i]);
}
END_TEST

START_TEST(a_group_whose_model_fails_goes_to_the_next_provider)
{
    device_mixed_model("2");
    cann_configure("fault = compile times 1000\n");
    cann_add_graph(BP_FALLBACK_WARN, NULL, NULL);
    kit_session();
    device_check_mixed(2, 0);
    ck_assert_uint_eq(cann_counters().model_runs, 0);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "cann"), 1);
}
END_TEST

/* Models are outside npu_mem_limit: they fill the device, and then a run fails and says so. */
START_TEST(many_shapes_fill_the_device)
{
    uint32_t n_wrong, rows = 1;
    bp_rc rc = BP_OK;

    cann_configure("memory = 1088K\n");
    start_session("N", "arena_extend_strategy", "kSameAsRequested");
    while (rows < DEVICE_MAX_ROWS && rc >= 0)
        rc = device_run_mixed(rows++, 0, NULL, &n_wrong, &kit.err);
    ck_assert_int_eq(rc, BP_OK);
    cann_configure("memory = 24K\n");
    kit_session();
    rows = 1;
    while (rows < DEVICE_MAX_ROWS && rc >= 0)
        rc = device_run_mixed(rows++, 0, NULL, &n_wrong, &kit.err);
    ck_assert_int_eq(rc, BP_E_NOMEM);
    ck_assert_msg(strstr(kit.text, "207001") != NULL, "%s", kit.text);
    ck_assert_uint_gt(rows, 3);
    device_check_mixed(1, 0); /* what is there goes on */
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("models"), tcase_create("files"), tcase_create("options"),
                      tcase_create("failures")};

    for (int i = 0; i < 4; i++) {
        tcase_set_timeout(cases[i], 300);
        tcase_add_checked_fixture(cases[i], setup, teardown);
    }
    tcase_add_test(cases[0], file_names_use_the_vendors_hash);
    tcase_add_test(cases[0], a_group_is_one_model);
    tcase_add_test(cases[0], each_set_of_shapes_has_a_model);
    tcase_add_test(cases[0], an_empty_group_builds_no_model);
    tcase_add_test(cases[1], a_later_session_loads_the_saved_models);
    tcase_add_test(cases[1], a_file_of_other_settings_is_not_loaded);
    tcase_add_test(cases[1], a_corrupt_file_is_rebuilt);
    tcase_add_test(cases[1], no_file_is_written_without_the_option);
    tcase_add_test(cases[1], dump_graphs_writes_onnx);
    tcase_add_test(cases[2], precision_mode_is_applied);
    tcase_add_test(cases[2], high_precision_takes_longer);
    tcase_add_loop_test(cases[3], a_call_that_fails_once_is_a_status, 0, N_POINTS);
    tcase_add_test(cases[3], a_group_whose_model_fails_goes_to_the_next_provider);
    tcase_add_test(cases[3], many_shapes_fill_the_device);
    return kit_main("cann_graph_mode", cases, 4);
}
