/* SPDX-License-Identifier: MIT */
/*
 * check_places.c - tensors lie where a provider asks for: alignment, bytes after the elements, in
 * place of an input. The mock "picky" checks in execute that it got what it asked for, and reads and writes those bytes.
 */

#include "config.h"

#include <check.h>
#include <sys/mman.h>

#include "support/session_kit.h"

enum { PAGE = 4096, N_PAGES = 4 };

/* A picky provider with options, up to a NULL key. */
static void add_picky(const bp_key_value *rows, uint32_t n)
{
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "picky", rows, n, BP_FALLBACK_REQUIRE,
                                           &kit.err));
}

/* Pages after which nothing may be touched; gives their end. */
static char *map_pages(void)
{
    char *pages = mmap(NULL, (N_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(mprotect(pages + N_PAGES * PAGE, PAGE, PROT_NONE), 0);
    return pages + N_PAGES * PAGE;
}

static void unmap_pages(char *end)
{
    ck_assert_int_eq(munmap(end - N_PAGES * PAGE, (N_PAGES + 1) * PAGE), 0);
}

/* Memory of the application for the small model. */
struct buffers {
    float *x, *y;
    size_t x_cap, y_cap; /* bytes */
};

/* The small model with these: y = -2 relu(x). */
static void run_small(const struct buffers *buffers, uint32_t rows)
{
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, buffers->x, rows, 4);
    int64_t dims[2] = {0, 0};
    bp_binding out = {.tensor = {.base = buffers->y,
                                 .bytes = buffers->y_cap,
                                 .dims = dims,
                                 .rank = 2,
                                 .dtype = BP_DTYPE_F32}};

    for (uint32_t i = 0; i < rows * 4; i++)
        buffers->x[i] = (float)i - 5;
    in.tensor.bytes = buffers->x_cap;
    kit_run(&in, 1, &out, 1);
    ck_assert_ptr_eq(out.tensor.base, buffers->y);
    KIT_DIMS(&out.tensor, rows, 4);
    for (uint32_t i = 0; i < rows * 4; i++)
        ck_assert_msg(buffers->y[i] == (i > 5 ? -2 * ((float)i - 5) : 0), "y[%u] is %g", i,
                      (double)buffers->y[i]);
}

static void small_session(const bp_key_value *rows, uint32_t n)
{
    kit_small_model();
    add_picky(rows, n);
    kit_session();
}

/* ---- alignment ------------------------------------------------------------------------------- */

START_TEST(provider_gets_the_alignment_it_asks_for_at_any_address)
{
    static const char *const aligns[] = {"1", "16", "128", "4096"};
    const bp_key_value options[] = {{"align", aligns[_i]}};
    _Alignas(16) static char x[2 * PAGE], y[2 * PAGE];

    small_session(options, 1);
    for (uint32_t at = 0; at < 260; at += 4) {
        struct buffers buffers = {.x = (float *)(void *)(x + at),
                                  .y = (float *)(void *)(y + 264 - at),
                                  .x_cap = (at % 7 + 1) * 16,
                                  .y_cap = 7 * 16};

        run_small(&buffers, at % 7 + 1);
    }
}
END_TEST

START_TEST(group_between_others_gets_the_alignment_it_asks_for)
{
    static const bp_key_value options[] = {
        {"align", "4096"}, {"take", "Neg"}, {"scratch_align", "8192"}};

    kit_small_model();
    add_picky(options, 3);
    kit_session();
    for (uint32_t rows = 0; rows < 40; rows++)
        kit_check_small(rows);
    ck_assert_uint_eq(kit_counters("picky")->first_in % 4096, 0);
}
END_TEST

START_TEST(aligned_buffers_are_used_where_they_lie)
{
    static const bp_key_value options[] = {{"align", "4096"}};
    _Alignas(PAGE) static char x[PAGE], y[PAGE];
    struct buffers buffers = {.x = (float *)(void *)x, .y = (float *)(void *)y, 32, 32};

    small_session(options, 1);
    run_small(&buffers, 2);
    ck_assert_uint_eq(kit_counters("picky")->first_in, (uintptr_t)x);
    ck_assert_uint_eq(kit_counters("picky")->first_out, (uintptr_t)y);
    buffers.x++;
    buffers.y++;
    run_small(&buffers, 2);
    ck_assert_uint_ne(kit_counters("picky")->first_in, (uintptr_t)x);
    ck_assert_uint_ne(kit_counters("picky")->first_out, (uintptr_t)y);
    buffers.x--;
    buffers.y--;
    run_small(&buffers, 2);
    ck_assert_uint_eq(kit_counters("picky")->first_in, (uintptr_t)x);
    ck_assert_uint_eq(kit_counters("picky")->first_out, (uintptr_t)y);
}
END_TEST

/* ---- bytes after the elements ---------------------------------------------------------------- */

START_TEST(provider_may_touch_the_bytes_it_asks_for_behind_buffers_that_end)
{
    static const bp_key_value options[] = {
        {"in_slack", "4096"}, {"out_slack", "4096"}, {"align", "64"}};
    char *x_end = map_pages(), *y_end = map_pages();

    small_session(options, 3);
    for (uint32_t rows = 1; rows < 20; rows++) {
        struct buffers buffers = {.x = (float *)(void *)(x_end - rows * 16),
                                  .y = (float *)(void *)(y_end - rows * 16),
                                  .x_cap = rows * 16,
                                  .y_cap = rows * 16};

        run_small(&buffers, rows);
    }
    unmap_pages(x_end);
    unmap_pages(y_end);
}
END_TEST

START_TEST(bytes_that_a_buffer_has_behind_its_elements_are_enough)
{
    static const bp_key_value options[] = {{"in_slack", "16"}, {"out_slack", "24"}};
    static float x[64], y[64];
    struct buffers buffers = {x, y, 8 * 4 + 16, 8 * 4 + 24};

    small_session(options, 2);
    run_small(&buffers, 2);
    ck_assert_uint_eq(kit_counters("picky")->first_in, (uintptr_t)x);
    ck_assert_uint_eq(kit_counters("picky")->first_out, (uintptr_t)y);
    buffers.x_cap--;
    buffers.y_cap--;
    y[14] = 7;
    run_small(&buffers, 2);
    ck_assert_uint_ne(kit_counters("picky")->first_in, (uintptr_t)x);
    ck_assert_uint_ne(kit_counters("picky")->first_out, (uintptr_t)y);
    ck_assert(y[14] == 7);
}
END_TEST

/* If a value lay in those bytes, the result would be wrong. */
START_TEST(bytes_behind_values_between_groups_belong_to_no_other_value)
{
    static const bp_key_value options[] = {
        {"in_slack", "100"}, {"out_slack", "1000"}, {"take", "Relu,Add"}};

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "r");
    kit_node("relu2", "Relu", "r", "r2");
    kit_node("neg", "Neg", "r", "n");
    kit_node("neg2", "Neg", "n", "p");
    kit_node("add", "Add", "r2 p", "s");
    kit_node("neg3", "Neg", "s", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
    add_picky(options, 3);
    kit_session();
    for (uint32_t rows = 0; rows < 40; rows++)
        kit_check_small(rows);
}
END_TEST

/* ---- values of other sources ----------------------------------------------------------------- */

/* n times s = s + x with a scan of -s: carried, captured and scanned values. */
START_TEST(values_of_loops_get_what_groups_ask_for)
{
    const bp_key_value options[] = {
        {"in_slack", "64"}, {"out_slack", "32"}, {"align", _i ? "512" : "64"}};
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
    kit_node("row", "Neg", "s_out", "r");
    kit_io(KIT_OUTPUT, "go_on", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "s_out", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "r", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_node("double", "Add", "s s", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "scan", BP_DTYPE_F32, "M,2");
    add_picky(options, 3);
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
            ck_assert(((float *)out[1].tensor.base)[2 * i] == (float)-(11 + i));
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
    }
}
END_TEST

/* Compress makes a size of data, If a value of the host's: both are read by groups. */
START_TEST(values_of_the_host_and_of_unknown_size_get_what_groups_ask_for)
{
    static const bp_key_value options[] = {
        {"in_slack", "64"}, {"align", "256"}, {"take", "Neg,Relu"}};
    bool c[] = {true, false, true};
    float x[] = {1, 2, -3};

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "3");
    kit_io(KIT_INPUT, "one", BP_DTYPE_BOOL, "1");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "3");
    kit_node("part", "Compress", "x c", "p");
    kit_node("neg", "Neg", "p", "y");
    kit_open_node("if", "If", "one", "z");
    for (int i = 0; i < 2; i++) {
        kit_open_subgraph(i ? "else_branch" : "then_branch");
        kit_node(i ? "abs" : "sqrt", i ? "Abs" : "Sign", "x", i ? "a" : "n");
        kit_io(KIT_OUTPUT, i ? "a" : "n", BP_DTYPE_F32, "3");
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    kit_node("relu", "Relu", "z", "v");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "v", BP_DTYPE_F32, "3");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, "3");
    add_picky(options, 3);
    kit_session();
    for (int one = 0; one < 2; one++) {
        bool flag = one;
        bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_BOOL, c, 3),
                           KIT_TENSOR(1, BP_DTYPE_BOOL, &flag, 1),
                           KIT_TENSOR(2, BP_DTYPE_F32, x, 3)};
        bp_binding out[] = {kit_wanted(0), kit_wanted(1), kit_wanted(2)};

        kit_run(in, 3, out, 3);
        KIT_FLOATS(&out[0].tensor, -1, 3);
        if (one) {
            KIT_FLOATS(&out[1].tensor, 1, 1, 0);
            KIT_FLOATS(&out[2].tensor, 1, 1, -1);
        } else {
            KIT_FLOATS(&out[1].tensor, 1, 2, 3);
        }
        for (int i = 0; i < 3; i++)
            bp_tensor_free(&out[i].tensor);
    }
}
END_TEST

/* ---- in place -------------------------------------------------------------------------------- */

/*
 * x -> Sqrt -> Relu -> Sqrt -> Relu -> Sqrt -> y: groups alternate between cpu and picky, and each
 * value has one reader. Then stats of a run.
 */
static uint32_t chain_arena(const char *in_place, float *y0)
{
    const bp_key_value options[] = {{"take", "Relu"}, {"in_place", in_place}};
    bp_session_stats stats = {.struct_size = sizeof stats};
    float x[64] = {256};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 64), out = kit_wanted(0);

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "64");
    kit_node("s1", "Sqrt", "x", "a");
    kit_node("r1", "Relu", "a", "b");
    kit_node("s2", "Sqrt", "b", "c");
    kit_node("r2", "Relu", "c", "d");
    kit_node("s3", "Sqrt", "d", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "64");
    add_picky(options, 2);
    kit_session();
    atomic_store(&kit_counters("picky")->in_place, 0);
    kit_run(&in, 1, &out, 1);
    *y0 = *(const float *)out.tensor.base;
    bp_tensor_free(&out.tensor);
    KIT_OK(bp_session_get_stats(kit.session, &stats, &kit.err));
    kit_end_session();
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    return (uint32_t)stats.idle_bytes;
}

START_TEST(output_lies_where_an_input_ends_if_the_frame_can_compute_in_place)
{
    float y;
    uint32_t apart = chain_arena("0", &y), together;

    ck_assert(y == 2);
    ck_assert_uint_eq(kit_counters("picky")->in_place, 0);
    together = chain_arena("1", &y);
    ck_assert(y == 2);
    ck_assert_uint_eq(kit_counters("picky")->in_place, 2);
    ck_assert_uint_le(together, apart);
}
END_TEST

/* "a" is read once more after picky's node, and "x" is the application's. */
START_TEST(output_lies_apart_from_inputs_that_are_still_needed)
{
    static const bp_key_value options[] = {{"take", "Neg"}, {"in_place", "1"}};
    float x[] = {1, -4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2), out[] = {kit_wanted(0), kit_wanted(1)};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_node("first", "Neg", "x", "n");
    kit_node("abs", "Abs", "n", "a");
    kit_node("neg", "Neg", "a", "m");
    kit_node("sign", "Sign", "m", "s");
    kit_node("sum", "Add", "a s", "y");
    kit_node("kept", "Neg", "s", "k");
    kit_node("last", "Add", "k s", "z");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, "2");
    add_picky(options, 2);
    kit_session();
    atomic_store(&kit_counters("picky")->in_place, 0);
    kit_run(&in, 1, out, 2);
    KIT_FLOATS(&out[0].tensor, 0, 3);
    KIT_FLOATS(&out[1].tensor, 0, 0);
    ck_assert(x[0] == 1 && x[1] == -4);
    ck_assert_uint_eq(kit_counters("picky")->in_place, 0);
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[1].tensor);
}
END_TEST

/* The copy of what the application gave is the plan's own. */
START_TEST(output_in_place_of_a_copied_input_leaves_the_applications_memory_alone)
{
    static const bp_key_value options[] = {
        {"take", "Relu"}, {"in_place", "1"}, {"in_slack", "16"}, {"out_slack", "64"}};
    float x[] = {-1, 16};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_node("relu", "Relu", "x", "r");
    kit_node("sqrt", "Sqrt", "r", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    add_picky(options, 4);
    kit_session();
    atomic_store(&kit_counters("picky")->in_place, 0);
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 0, 4);
    ck_assert(x[0] == -1);
    ck_assert_uint_eq(kit_counters("picky")->in_place, 1);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- what may not be asked for --------------------------------------------------------------- */

START_TEST(frame_that_asks_for_too_much_fails_the_run)
{
    static const struct {
        const char *key, *value, *words;
        bp_rc rc;
    } rows[] = {
        {"align", "48", "at multiples of 48 bytes, not a power of two up to 4096", BP_E_INTERNAL},
        {"align", "8192", "at multiples of 8192 bytes", BP_E_INTERNAL},
        {"in_slack", "4097", "4097 bytes behind inputs and 0 behind outputs", BP_E_INTERNAL},
        {"out_slack", "65536", "65536 behind outputs, of 4096 at most", BP_E_INTERNAL},
        {"scratch_align", "96", "scratch memory at multiples of 96 bytes", BP_E_INTERNAL},
        {"scratch_align", "4611686018427387904", "more than there are addresses", BP_E_NOMEM},
        {"in_place", "2", "output 1 in place of input 0, where it has 1 and 1", BP_E_INTERNAL},
    };
    const bp_key_value options[] = {{rows[_i].key, rows[_i].value}};
    float x[4] = {0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);

    small_session(options, 1);
    KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, NULL, &kit.err), rows[_i].rc,
              "provider 'picky'", rows[_i].words);
    kit_end_session();
    ck_assert_uint_eq(kit_counters("picky")->frames, 0);
}
END_TEST

int main(void)
{
    TCase *places = tcase_create("places");

    tcase_add_checked_fixture(places, kit_setup, kit_teardown);
    tcase_add_loop_test(places, provider_gets_the_alignment_it_asks_for_at_any_address, 0, 4);
    tcase_add_test(places, group_between_others_gets_the_alignment_it_asks_for);
    tcase_add_test(places, aligned_buffers_are_used_where_they_lie);
    tcase_add_test(places, provider_may_touch_the_bytes_it_asks_for_behind_buffers_that_end);
    tcase_add_test(places, bytes_that_a_buffer_has_behind_its_elements_are_enough);
    tcase_add_test(places, bytes_behind_values_between_groups_belong_to_no_other_value);
    tcase_add_loop_test(places, values_of_loops_get_what_groups_ask_for, 0, 2);
    tcase_add_test(places, values_of_the_host_and_of_unknown_size_get_what_groups_ask_for);
    tcase_add_test(places, output_lies_where_an_input_ends_if_the_frame_can_compute_in_place);
    tcase_add_test(places, output_lies_apart_from_inputs_that_are_still_needed);
    tcase_add_test(places, output_in_place_of_a_copied_input_leaves_the_applications_memory_alone);
    tcase_add_loop_test(places, frame_that_asks_for_too_much_fails_the_run, 0, 7);
    return kit_main("places", &places, 1);
}
