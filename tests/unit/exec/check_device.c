/* SPDX-License-Identifier: MIT */
/*
 * check_device.c - providers with memory of their own: right results wherever values cross, each
 * crossing once, nothing left behind.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>

#include "support/device_kit.h"

/* ---- values that cross ----------------------------------------------------------------------- */

START_TEST(values_are_copied_between_host_and_device)
{
    static const uint32_t rows[] = {3, 1, 0, 17, 3, 40, 0, 1};

    device_mixed_model("N");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    kit_session();
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        device_check_mixed(rows[i], (float)i);
    device_check_left(device_names[_i]);
}
END_TEST

START_TEST(each_value_is_copied_once)
{
    bp_sim_counters *sim = device_sim(device_names[_i]);

    device_mixed_model("N");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    kit_session();
    ck_assert_uint_eq(sim->uploads, 1); /* w */
    ck_assert_uint_eq(sim->downloads, 0);
    for (uint32_t i = 1; i <= 3; i++) {
        device_check_mixed(2, (float)i);
        ck_assert_uint_eq(sim->uploads, 1 + 2 * i); /* x, g */
        ck_assert_uint_eq(sim->downloads, 3 * i);   /* r, m, a */
    }
    ck_assert_uint_eq(sim->bytes_up, 48 + 3 * (32 + 24));
    ck_assert_uint_eq(sim->bytes_down, 3 * (32 + 24 + 24));
    device_check_left(device_names[_i]);
}
END_TEST

/* P9 */
START_TEST(report_says_which_provider_does_not_stop_within_a_node)
{
    bp_report_provider device = {.struct_size = sizeof device}, cpu = {.struct_size = sizeof cpu};
    const bp_report *report;
    char *text = NULL, *json = NULL;

    kit_node("r", "Relu", "x", "a");
    kit_node("s", "Sin", "a", "y");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "4");
    kit_provider("gizmo", BP_FALLBACK_REQUIRE);
    report = bp_session_report(kit_session());
    KIT_OK(bp_report_get_provider(report, 0, &device, &kit.err));
    KIT_OK(bp_report_get_provider(report, 1, &cpu, &kit.err));
    ck_assert_str_eq(device.name, "gizmo");
    ck_assert_uint_eq(device.is_uninterruptible, 1);
    ck_assert_uint_eq(cpu.is_uninterruptible, 0);
    KIT_OK(bp_explain(kit.env, report, "gizmo", BP_EXPLAIN_TEXT, &text, &kit.err));
    ck_assert_ptr_nonnull(strstr(text, "its nodes look at no deadline"));
    KIT_OK(bp_report_json(report, &json, &kit.err));
    ck_assert_ptr_nonnull(strstr(json, "\"uninterruptible\":true"));
    ck_assert_ptr_nonnull(strstr(json, "\"uninterruptible\":false"));
    bp_free(text);
    bp_free(json);
}
END_TEST

START_TEST(report_counts_the_bytes_copied_at_group_boundaries)
{
    bp_sim_counters *sim = device_sim(device_names[_i]);
    uint32_t n_copies = 0, up, down;
    uint64_t bytes = 0;
    const bp_report *report;

    device_mixed_model("2");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    report = bp_session_report(kit_session());
    up = sim->uploads;
    down = sim->downloads;
    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_group(report, i, &row, &kit.err));
        ck_assert_uint_eq(row.n_copies, row.provider != 0 ? 0 : row.n_nodes == 2 ? 3 : 2);
        n_copies += row.n_copies;
        bytes += row.copy_bytes;
    }
    device_check_mixed(2, 0);
    ck_assert_uint_eq(n_copies, sim->uploads - up + sim->downloads - down);
    ck_assert_uint_eq(bytes, sim->bytes_up - 48 + sim->bytes_down); /* w crossed before */
    device_check_left(device_names[_i]);
}
END_TEST

/* Values that are not live at the same time share memory; the session reports what it holds. */
START_TEST(device_memory_is_reused_and_counted)
{
    const bp_sim_counters *sim = device_sim(device_names[_i]);
    bp_session_stats stats = {.struct_size = sizeof stats};

    device_mixed_model("N");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    kit_session();
    ck_assert_uint_eq(sim->bytes, 256); /* w */
    device_check_mixed(32, 0);
    KIT_OK(bp_session_get_stats(kit.session, &stats, &kit.err));
    ck_assert_uint_eq(stats.device_bytes, sim->bytes - 256);
    ck_assert_uint_eq(stats.device_bytes, 3 * 512); /* x r m, then m g a: of five, 512 each */
    ck_assert_uint_eq(sim->peak, sim->bytes);
    device_check_left(device_names[_i]);
}
END_TEST

/*
 * r = Relu(x), s = r + sqrt(r), v = s * -s: three groups, as the cpu makes the second operands. Each
 * lies where its first operand ends, r where the copy of x does.
 */
START_TEST(device_output_lies_where_an_input_ends_if_the_frame_can_compute_in_place)
{
    float x[] = {3, -4}, y[2];
    int64_t dims[1];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2);
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims, .rank = 1}};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_node("relu", "Relu", "x", "r");
    kit_node("sqrt", "Sqrt", "r", "n");
    kit_node("add", "Add", "r n", "s");
    kit_node("neg", "Neg", "s", "t");
    kit_node("mul", "Mul", "s t", "v");
    kit_node("last", "Abs", "v", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    device_add(device_names[_i], "in_place", "true", NULL, NULL);
    kit_session();
    atomic_store(&kit_counters(device_names[_i])->in_place, 0);
    for (int i = 0; i < 3; i++) {
        x[0] = 4;
        kit_run(&in, 1, &out, 1);
        KIT_FLOATS(&out.tensor, 36, 0);
    }
    ck_assert_uint_eq(kit_counters(device_names[_i])->in_place, 3 * 3);
    device_check_left(device_names[_i]);
}
END_TEST

START_TEST(empty_tensors_are_not_copied)
{
    bp_sim_counters *sim = device_sim(device_names[_i]);

    device_mixed_model("N");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    kit_session();
    device_check_mixed(0, 0);
    ck_assert_uint_eq(sim->uploads, 1); /* w */
    ck_assert_uint_eq(sim->downloads, 0);
    device_check_left(device_names[_i]);
}
END_TEST

START_TEST(device_outputs_are_copied_straight_into_the_callers_buffers)
{
    float x[] = {1, -2, 3, 4}, buffers[3][4];
    int64_t dims[3][2];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out[3];

    device_mixed_model("N");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    kit_session();
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            out[i] = kit_wanted(i);
            out[i].tensor.base = buffers[(i + (uint32_t)round) % 3]; /* other ones each time */
            out[i].tensor.bytes = sizeof buffers[i];
            out[i].tensor.dims = dims[i];
            out[i].tensor.rank = 2;
        }
        kit_run(&in, 1, out, 3);
        ck_assert_uint_eq(device_wrong_mixed(x, out, 1), 0);
        KIT_DIMS(&out[0].tensor, 1, 3);
    }
    device_check_left(device_names[_i]);
}
END_TEST

START_TEST(two_devices_exchange_values_through_host_memory)
{
    const char *first = device_names[_i], *second = device_names[(_i + 1) % N_DEVICE_NAMES];

    device_mixed_model("N");
    device_add(first, "take", "Relu,Add", NULL, NULL);
    device_add(second, "take", "MatMul", NULL, NULL);
    kit_session();
    for (uint32_t i = 0; i < 4; i++)
        device_check_mixed(1 + i % 2, (float)i);
    ck_assert_uint_eq(device_sim(first)->uploads, 4 * 3);   /* x, g, m */
    ck_assert_uint_eq(device_sim(first)->downloads, 4 * 2); /* r, a */
    ck_assert_uint_eq(device_sim(second)->uploads, 1 + 4);  /* w; r */
    ck_assert_uint_eq(device_sim(second)->downloads, 4);    /* m */
    device_check_left(first);
    device_check_left(second);
}
END_TEST

/* One instance, whose MatMul runs on its second device. */
START_TEST(devices_of_one_instance_exchange_values)
{
    const char *name = device_names[_i];
    bp_sim_counters *sim = device_sim(name);
    bp_report_group row = {.struct_size = sizeof row};
    const bp_report *report;
    uint32_t n_second = 0;

    device_mixed_model("N");
    device_add(name, "second", "MatMul", NULL, NULL);
    report = bp_session_report(kit_session());
    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        KIT_OK(bp_report_get_group(report, i, &row, &kit.err));
        n_second += row.device == 1;
        ck_assert_uint_eq(row.device == 1,
                          strcmp(row.device_id, "") != 0 && row.device_id[strlen(name)] == '1');
    }
    ck_assert_uint_eq(n_second, 1);
    for (uint32_t i = 0; i < 4; i++)
        device_check_mixed(1 + i % 2, (float)i);
    /* w; x and g to the first; r to the second and m to the first, straight on gizmo */
    ck_assert_uint_eq(sim->uploads, 1 + 4 * (strcmp(name, "gizmo") == 0 ? 2 : 4));
    ck_assert_uint_eq(sim->exchanges, strcmp(name, "gizmo") == 0 ? 4 * 2 : 0);
    ck_assert_uint_eq(sim->downloads, 4 * 3); /* r, m, a */
    device_check_left(name);
}
END_TEST

/* Relu, Mul, Relu, Mul...: each Mul is on the second device, whose streams wait by themselves. */
START_TEST(host_does_not_wait_between_devices_whose_streams_can)
{
    bp_sim_counters *sim = device_sim("gizmo");
    float x[] = {1, -2, 3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 4), out;
    uint32_t waits;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_node("relu1", "Relu", "x", "a");
    kit_node("mul1", "Mul", "a a", "b");
    kit_node("relu2", "Relu", "b", "c");
    kit_node("mul2", "Mul", "c c", "d");
    kit_node("relu3", "Relu", "d", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "4");
    device_add("gizmo", "second", "Mul", NULL, NULL);
    kit_session();
    for (int i = 0; i < 3; i++) {
        waits = sim->calls[BP_SIM_WAIT];
        out = kit_wanted(0);
        kit_run(&in, 1, &out, 1);
        KIT_FLOATS(&out.tensor, 1, 0, 81, 256);
        bp_tensor_free(&out.tensor);
        ck_assert_uint_eq(sim->calls[BP_SIM_WAIT] - waits, 2); /* the end of each stream */
    }
    ck_assert_uint_eq(sim->exchanges, 3 * 4);
    ck_assert_uint_eq(sim->uploads, 3);
    ck_assert_uint_eq(sim->downloads, 3);
    device_check_left("gizmo");
}
END_TEST

/* Chosen alone, the second device is the only one of the instance. */
START_TEST(chosen_device_is_the_only_one_that_is_used)
{
    bp_report_group row = {.struct_size = sizeof row};

    device_mixed_model("N");
    device_add(device_names[_i], "second", "MatMul", "device", "1");
    KIT_OK(bp_report_get_group(bp_session_report(kit_session()), 0, &row, &kit.err));
    ck_assert_uint_eq(row.device, 1);
    device_check_mixed(3, 0);
    device_check_left(device_names[_i]);
}
END_TEST

/*
 * gizmo's d = n1 + n1 is in its stream while the rest is computed: n1 = -x has to stay where it is
 * until then, though n2 is made on the CPU meanwhile and n1 has no other reader.
 */
START_TEST(memory_of_unfinished_copies_is_not_reused)
{
    float x[] = {1, -2, 3, -4}, z[] = {5, 6, 7, 8};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 4), KIT_TENSOR(1, BP_DTYPE_F32, z, 4)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_io(KIT_INPUT, "z", BP_DTYPE_F32, "4");
    kit_node("neg1", "Neg", "x", "n1");
    kit_node("add", "Add", "n1 n1", "d");
    kit_node("relu1", "Relu", "z", "w1");
    kit_node("abs", "Abs", "w1", "h");
    kit_node("relu2", "Relu", "h", "w2");
    kit_node("neg2", "Neg", "w2", "n2");
    kit_node("mul", "Mul", "d n2", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "4");
    device_add("gizmo", "take", "Add,Mul", NULL, NULL);
    device_add("widget", "take", "Relu", NULL, NULL);
    kit_session();
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, 10, -24, 42, -64);
    bp_tensor_free(&out.tensor);
    device_check_left("gizmo");
    device_check_left("widget");
}
END_TEST

START_TEST(provider_chooses_among_its_memory_spaces)
{
    device_mixed_model("N");
    device_add(device_names[_i], "out_space", "2", NULL, NULL);
    kit_session();
    for (uint32_t i = 0; i < 4; i++)
        device_check_mixed(1 + i, (float)i);
    device_check_left(device_names[_i]);
}
END_TEST

START_TEST(unknown_memory_space_is_an_error)
{
    uint32_t n_wrong;

    device_mixed_model("N");
    device_add(device_names[_i], "out_space", "3", NULL, NULL);
    kit_session();
    KIT_FAILS(device_run_mixed(1, 0, NULL, &n_wrong, &kit.err), BP_E_INTERNAL, device_names[_i],
              "space 3");
    device_check_left(device_names[_i]);
}
END_TEST

/* ---- sizes from data ------------------------------------------------------------------------- */

START_TEST(provider_reads_shape_inputs_on_the_host)
{
    float x[] = {-1, 2, -3, 4, -5, 6};
    int64_t to[][2] = {{2, 3}, {3, 2}, {6, 1}, {2, 3}};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "6");
    kit_io(KIT_INPUT, "to", BP_DTYPE_I64, "2");
    kit_node("relu", "Relu", "x", "r");
    kit_node("reshape", "Reshape", "r to", "s");
    kit_node("add", "Add", "s s", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "A,B");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    kit_session();
    for (uint32_t i = 0; i < 4; i++) {
        bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 6),
                           KIT_TENSOR(1, BP_DTYPE_I64, to[i], 2)};
        bp_binding out = kit_wanted(0);

        kit_run(in, 2, &out, 1);
        kit_check_dims(&out.tensor, 2, to[i]);
        KIT_FLOATS(&out.tensor, 0, 4, 0, 8, 0, 12);
        bp_tensor_free(&out.tensor);
    }
    device_check_left(device_names[_i]);
}
END_TEST

START_TEST(outputs_of_dynamic_size_are_allocated_on_the_device)
{
    static const int64_t wants[][4] = {{1, 2}, {0}, {0, 1, 2, 3}, {3}};
    static const uint32_t counts[] = {2, 0, 4, 1};
    float x[4][4] = {{0, 1, 2, 0}, {0, 0, 0, 0}, {9, 8, 7, 6}, {-1, -1, 0, 5}};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_node("relu", "Relu", "x", "r");
    kit_node("nonzero", "NonZero", "r", "i");
    kit_node("neg", "Neg", "i", "y"); /* on the CPU, in the next stage */
    kit_io(KIT_OUTPUT, "i", BP_DTYPE_I64, "1,M");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    kit_session();
    for (uint32_t i = 0; i < 8; i++) {
        bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x[i % 4], 4), out = kit_wanted(0);

        kit_run(&in, 1, &out, 1);
        KIT_DIMS(&out.tensor, 1, counts[i % 4]);
        for (uint32_t j = 0; j < counts[i % 4]; j++)
            ck_assert_int_eq(((int64_t *)out.tensor.base)[j], wants[i % 4][j]);
        bp_tensor_free(&out.tensor);
    }
    device_check_left(device_names[_i]);
}
END_TEST

/* ---- control flow ---------------------------------------------------------------------------- */

/* c ? Relu(a) + a : Neg(a) where a = x + x; then times itself. */
START_TEST(if_branches_run_on_devices)
{
    float x[] = {-1, 2};

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_node("twice", "Add", "x x", "a");
    kit_open_node("if", "If", "c", "v");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "a", "t1");
    kit_node("add", "Add", "t1 a", "t2");
    kit_io(KIT_OUTPUT, "t2", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("neg", "Neg", "a", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_node("square", "Mul", "v v", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    kit_session();
    for (int round = 0; round < 4; round++) {
        uint8_t c = round & 1;
        bp_binding in[] = {kit_tensor(0, BP_DTYPE_BOOL, &c, 0, NULL),
                           KIT_TENSOR(1, BP_DTYPE_F32, x, 2)};
        bp_binding out = kit_wanted(0);

        kit_run(in, 2, &out, 1);
        KIT_FLOATS(&out.tensor, 4, c ? 64 : 16);
        bp_tensor_free(&out.tensor);
    }
    device_check_left(device_names[_i]);
}
END_TEST

/* n times s = s + x, on the device; then s + s. */
START_TEST(loop_iterations_run_on_devices)
{
    float x[] = {1, 2}, start[] = {10, 20};

    kit_io(KIT_INPUT, "n", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "s0", BP_DTYPE_F32, "2");
    kit_open_node("loop", "Loop", "n - s0", "s scan");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "go", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "s_in", BP_DTYPE_F32, "2");
    kit_node("same", "Identity", "go", "go_on");
    kit_node("add", "Add", "s_in x", "s_out");
    kit_node("row", "Relu", "s_out", "r");
    kit_io(KIT_OUTPUT, "go_on", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "s_out", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "r", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_node("double", "Add", "s s", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "scan", BP_DTYPE_F32, "M,2");
    device_add(device_names[_i], NULL, NULL, NULL, NULL);
    kit_session();
    for (int64_t n = 0; n < 5; n++) {
        bp_binding in[] = {kit_tensor(0, BP_DTYPE_I64, &n, 0, NULL),
                           KIT_TENSOR(1, BP_DTYPE_F32, x, 2),
                           KIT_TENSOR(2, BP_DTYPE_F32, start, 2)};
        bp_binding out[] = {kit_wanted(0), kit_wanted(1)};

        kit_run(in, 3, out, 2);
        KIT_FLOATS(&out[0].tensor, (float)(20 + 2 * n), (float)(40 + 4 * n));
        KIT_DIMS(&out[1].tensor, n, 2);
        for (int64_t i = 0; i < n; i++)
            ck_assert(((float *)out[1].tensor.base)[2 * i] == (float)(11 + i));
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
    }
    device_check_left(device_names[_i]);
}
END_TEST

/* ---- many at once ---------------------------------------------------------------------------- */

enum { N_THREADS = 4, N_ROUNDS = 40 };

static void *run_often(void *arg)
{
    uint32_t *n_bad = arg, seed = *n_bad;

    *n_bad = 0;
    for (uint32_t i = 0; i < N_ROUNDS; i++) {
        uint32_t n_wrong;

        if (device_run_mixed(1 + (i + seed) % 5, (float)(seed * 10 + i), NULL, &n_wrong, NULL) < 0)
            n_wrong = 1;
        *n_bad += n_wrong;
    }
    return NULL;
}

START_TEST(concurrent_runs_share_a_device)
{
    pthread_t threads[N_THREADS];
    uint32_t n_bad[N_THREADS];

    device_mixed_model("N");
    device_add(device_names[_i], "take", "Relu,MatMul", NULL, NULL);
    device_add(device_names[(_i + 1) % N_DEVICE_NAMES], "take", "Add", NULL, NULL);
    kit_session();
    for (uint32_t i = 0; i < N_THREADS; i++) {
        n_bad[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_often, &n_bad[i]), 0);
    }
    for (uint32_t i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(n_bad[i], 0);
    }
    if (strcmp(device_names[_i], "trinket") == 0)
        ck_assert_uint_eq(kit_counters("trinket")->most_inside, 1);
    device_check_left(device_names[_i]);
    device_check_left(device_names[(_i + 1) % N_DEVICE_NAMES]);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("crossing"), tcase_create("data"), tcase_create("flow")};

    for (int i = 0; i < 3; i++) {
        tcase_set_timeout(cases[i], 120);
        tcase_add_checked_fixture(cases[i], device_setup, kit_teardown);
    }
    tcase_add_loop_test(cases[0], values_are_copied_between_host_and_device, 0, N_DEVICE_NAMES);
    tcase_add_loop_test(cases[0], each_value_is_copied_once, 0, N_DEVICE_NAMES);
    tcase_add_test(cases[0], report_says_which_provider_does_not_stop_within_a_node);
    tcase_add_loop_test(cases[0], report_counts_the_bytes_copied_at_group_boundaries, 0,
                        N_DEVICE_NAMES);
    tcase_add_loop_test(cases[0], device_memory_is_reused_and_counted, 0, N_DEVICE_NAMES);
    tcase_add_loop_test(cases[0],
                        device_output_lies_where_an_input_ends_if_the_frame_can_compute_in_place, 0,
                        N_DEVICE_NAMES);
    tcase_add_loop_test(cases[0], empty_tensors_are_not_copied, 0, N_DEVICE_NAMES);
    tcase_add_loop_test(cases[0], device_outputs_are_copied_straight_into_the_callers_buffers, 0,
                        N_DEVICE_NAMES);
    tcase_add_loop_test(cases[0], two_devices_exchange_values_through_host_memory, 0,
                        N_DEVICE_NAMES);
    tcase_add_loop_test(cases[0], devices_of_one_instance_exchange_values, 0, N_DEVICE_NAMES);
    tcase_add_test(cases[0], host_does_not_wait_between_devices_whose_streams_can);
    tcase_add_loop_test(cases[0], chosen_device_is_the_only_one_that_is_used, 0, N_DEVICE_NAMES);
    tcase_add_test(cases[0], memory_of_unfinished_copies_is_not_reused);
    tcase_add_loop_test(cases[0], provider_chooses_among_its_memory_spaces, 0, N_DEVICE_NAMES);
    tcase_add_loop_test(cases[0], unknown_memory_space_is_an_error, 0, N_DEVICE_NAMES);
    tcase_add_loop_test(cases[1], provider_reads_shape_inputs_on_the_host, 0, N_DEVICE_NAMES);
    tcase_add_loop_test(cases[1], outputs_of_dynamic_size_are_allocated_on_the_device, 0,
                        N_DEVICE_NAMES);
    tcase_add_loop_test(cases[2], if_branches_run_on_devices, 0, N_DEVICE_NAMES);
    tcase_add_loop_test(cases[2], loop_iterations_run_on_devices, 0, N_DEVICE_NAMES);
    tcase_add_loop_test(cases[2], concurrent_runs_share_a_device, 0, N_DEVICE_NAMES);
    return kit_main("device", cases, 3);
}
