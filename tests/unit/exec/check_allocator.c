/* SPDX-License-Identifier: MIT */
/* check_allocator.c - memory of runs from an allocator of the application, which may fail. */

#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "support/session_kit.h"

/* ---- the allocator: addresses of any alignment, and it knows its blocks -------------------------- */

enum { MOST = 256 };

static struct {
    struct {
        char *block;
        size_t bytes;
    } live[MOST];
    uint32_t n_live, n_allocs, n_frees;
    uint32_t fail_at; /* this call gives nothing; 0: none */
    bool has_words;   /* it then says why */
    size_t shift;     /* bytes that blocks lie beside an aligned address */
} app;

static bp_rc app_alloc(void *user, size_t bytes, void **block, bp_err *err)
{
    ck_assert_ptr_eq(user, &app);
    ck_assert_uint_gt(bytes, 0);
    *block = NULL;
    if (++app.n_allocs == app.fail_at)
        return app.has_words ? bp_fail(err, BP_E_BUSY, "not today") : BP_OK;
    ck_assert_uint_lt(app.n_live, MOST);
    app.live[app.n_live].bytes = bytes;
    app.live[app.n_live].block = malloc(bytes + app.shift);
    ck_assert_ptr_nonnull(app.live[app.n_live].block);
    app.live[app.n_live].block += app.shift;
    *block = app.live[app.n_live].block;
    memset(*block, 0xa5, bytes);
    app.n_live++;
    return BP_OK;
}

static uint32_t find(const void *block)
{
    uint32_t i = 0;

    while (i < app.n_live && app.live[i].block != block)
        i++;
    return i;
}

static void app_free(void *user, void *block)
{
    uint32_t i = find(block);

    ck_assert_ptr_eq(user, &app);
    ck_assert_msg(i < app.n_live, "a block was freed that is not there");
    free(app.live[i].block - app.shift);
    app.live[i] = app.live[--app.n_live];
    app.n_frees++;
}

static void use_app(size_t shift)
{
    bp_allocator allocator = {
        .struct_size = sizeof allocator, .alloc = app_alloc, .free = app_free, .user = &app};

    memset(&app, 0, sizeof app);
    app.shift = shift;
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_allocator(kit.options, &allocator, &kit.err));
}

static void end_session(void)
{
    bp_session_destroy(kit.session);
    kit.session = NULL;
}

/* Of tensors at any address. */
static void check_floats(const bp_tensor *tensor, uint32_t n, const float *want)
{
    float got[16] = {0};

    ck_assert_uint_eq(tensor->bytes, n * sizeof *got);
    ck_assert_uint_le(n, 16);
    memcpy(got, tensor->base, n * sizeof *got);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_msg(got[i] == want[i], "element %u is %g", i, (double)got[i]);
}
#define FLOATS(tensor, ...)                                                                        \
    check_floats(tensor, sizeof((float[]){__VA_ARGS__}) / sizeof(float), (float[]){__VA_ARGS__})

/* ---- where memory comes from --------------------------------------------------------------------- */

/* _i: the alignment is 1 << _i */
START_TEST(a_run_takes_arena_and_outputs)
{
    float x[] = {1, -2, 3, -4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out = kit_wanted(0);
    uint32_t at;

    kit_small_model();
    use_app((size_t)1 << _i);
    kit_session();
    ck_assert_uint_eq(app.n_allocs, 0);
    kit_run(&in, 1, &out, 1);
    FLOATS(&out.tensor, -2, 0, -6, 0);
    KIT_DIMS(&out.tensor, 1, 4);
    ck_assert_uint_eq(app.n_live, 2);
    at = find(out.tensor.base);
    ck_assert_uint_lt(at, 2);
    ck_assert_uint_eq(app.live[at].bytes, sizeof x); /* no more than the elements */
    KIT_OK(bp_session_trim(kit.session, NULL, &kit.err));
    ck_assert_uint_eq(app.n_live, 1);
    end_session();
    FLOATS(&out.tensor, -2, 0, -6, 0); /* it outlives the session */
    bp_tensor_free(&out.tensor);
    ck_assert_uint_eq(app.n_live, 0);
    ck_assert_uint_eq(app.n_frees, 2);
}
END_TEST

START_TEST(a_steady_run_takes_nothing)
{
    float x[4] = {1, -2, 3, -4}, y[4];
    int64_t dims[2];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims, .rank = 2}};

    kit_small_model();
    use_app(4);
    kit_session();
    kit_run(&in, 1, &out, 1);
    ck_assert_uint_eq(app.n_allocs, 1);
    for (int i = 0; i < 10; i++) {
        out.tensor.rank = 2;
        kit_run(&in, 1, &out, 1);
    }
    ck_assert_uint_eq(app.n_allocs, 1);
    ck_assert_uint_eq(app.n_frees, 0);
}
END_TEST

/* One block a stage, which is replaced when a larger batch comes. */
START_TEST(plans_for_all_sizes_share_their_memory)
{
    kit_small_model();
    use_app(8);
    kit_session();
    for (uint32_t rows = 1; rows <= 20; rows++)
        kit_check_small(rows); /* which frees its outputs */
    ck_assert_uint_eq(app.n_live, 1);
}
END_TEST

/* Large sizes that never return, in place of one another, while small ones are remembered. */
START_TEST(sizes_that_grow_find_the_memory_of_the_last)
{
    uint32_t n_small;

    kit_small_model();
    use_app(8);
    bp_session_options_set_max_shapes(kit.options, 8);
    kit_session();
    for (uint32_t rows = 1; rows <= 8; rows++)
        kit_check_small(rows);
    n_small = app.n_allocs;
    for (uint32_t rows = 5000; rows < 5007; rows++)
        kit_check_small(rows);
    ck_assert_uint_le(app.n_allocs, n_small + 7 + 2); /* an output each, and the memory */
}
END_TEST

/* An output whose size comes with the data, and a copy of an input that is not aligned. */
static void model_of_indices(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_node("relu", "Relu", "x", "r");
    kit_node("nonzero", "NonZero", "r", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_I64, NULL);
}

START_TEST(open_sizes_and_copies_of_inputs_are_taken)
{
    char bytes[5 * sizeof(float) + 1] = {0};
    float x[] = {1, 0, 3, -4, 5};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, bytes + 1, 5);
    bp_binding out = kit_wanted(0);

    memcpy(bytes + 1, x, sizeof x);
    model_of_indices();
    use_app(1);
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 1, 3);
    ck_assert_uint_lt(find(out.tensor.base), app.n_live);
    ck_assert_uint_ge(app.n_live, 4); /* arena, copy, indices, output */
    for (int i = 0; i < 3; i++) {
        int64_t index;

        memcpy(&index, (char *)out.tensor.base + (size_t)i * sizeof index, sizeof index);
        ck_assert_int_eq(index, 2 * i);
    }
    bp_tensor_free(&out.tensor);
    end_session();
    ck_assert_uint_eq(app.n_live, 0);
}
END_TEST

static void model_of_a_loop(void)
{
    static const int64_t trips = 4;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_ints("trips", PW_SCALAR, 1, &trips);
    kit_open_node("loop", "Loop", "trips - x", "y z");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "v", BP_DTYPE_F32, NULL);
    kit_node("add", "Add", "v v", "w");
    kit_node("neg", "Neg", "w", "s");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "w", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
}

START_TEST(loops_take_theirs)
{
    float x[] = {1, -2};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2);
    bp_binding out[] = {kit_wanted(0), kit_wanted(1)};
    uint32_t n;

    model_of_a_loop();
    use_app(16);
    kit_session();
    kit_run(&in, 1, out, 2);
    FLOATS(&out[0].tensor, 16, -32);
    FLOATS(&out[1].tensor, -2, 4, -4, 8, -8, 16, -16, 32);
    n = app.n_allocs;
    ck_assert_uint_ge(n, 6); /* two carried buffers, the scan output, an arena, two outputs */
    for (int i = 0; i < 2; i++)
        bp_tensor_free(&out[i].tensor);
    kit_run(&in, 1, out, 2);
    ck_assert_uint_eq(app.n_allocs, n + 2); /* outputs alone */
    for (int i = 0; i < 2; i++)
        bp_tensor_free(&out[i].tensor);
    end_session();
    ck_assert_uint_eq(app.n_live, 0);
}
END_TEST

/* Columns of [2,N] one by one: a slice is gathered before the body sees it. */
static void model_of_a_scan(void)
{
    static const int64_t one = 1;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,N");
    kit_open_node("scan", "Scan", "x", "y");
    kit_int_attr("num_scan_inputs", 1);
    kit_ints_attr("scan_input_axes", 1, &one);
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "2");
    kit_node("neg", "Neg", "s", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

START_TEST(scans_take_slices)
{
    float x[] = {1, 2, 3, 4, 5, 6};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 3);
    bp_binding out = kit_wanted(0);

    model_of_a_scan();
    use_app(2);
    kit_session();
    kit_run(&in, 1, &out, 1);
    FLOATS(&out.tensor, -1, -4, -2, -5, -3, -6);
    bp_tensor_free(&out.tensor);
    end_session();
    ck_assert_uint_eq(app.n_live, 0);
    ck_assert_uint_ge(app.n_frees, 4);
}
END_TEST

/* Columns of [2,4] as items, read by a kernel, and an item that is a copy of a tensor. */
static void model_of_sequences(void)
{
    static const int64_t axis = 1, at = 3;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,4");
    kit_ints("at", PW_SCALAR, 1, &at);
    kit_open_node("split", "SplitToSequence", "x", "q");
    kit_int_attr("axis", axis);
    pw_close(&kit.w);
    kit_node("take", "SequenceAt", "q at", "t");
    kit_node("neg", "Neg", "t", "y");
    kit_node("collect", "SequenceConstruct", "y y", "z");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io_of(KIT_OUTPUT, "z", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
}

START_TEST(sequences_take_their_items_and_outlive_the_session)
{
    float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 4);
    bp_binding out[] = {kit_wanted(0), kit_wanted(1)};

    model_of_sequences();
    use_app(1);
    kit_session();
    kit_run(&in, 1, out, 2);
    FLOATS(&out[0].tensor, -4, -8);
    bp_tensor_free(&out[0].tensor);
    ck_assert_uint_ge(app.n_live, 4 + 2); /* the columns, which the frame holds, and two copies */
    end_session();
    ck_assert_uint_eq(app.n_live, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const bp_tensor *item = bp_object_tensor(bp_object_item(out[1].object, i));

        FLOATS(item, -4, -8);
        ck_assert_uint_eq((uintptr_t)item->base % 64, 0); /* kernels read it */
    }
    bp_object_release(out[1].object);
    ck_assert_uint_eq(app.n_live, 0);
}
END_TEST

START_TEST(strings_and_nothing_are_of_the_c_library)
{
    float none[1];
    bp_span text = {"abc", 3};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_STRING, &text, 1),
                       KIT_TENSOR(1, BP_DTYPE_F32, none, 0)};
    bp_binding out[] = {kit_wanted(0), kit_wanted(1)};

    kit_io(KIT_INPUT, "t", BP_DTYPE_STRING, "1");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_node("id", "Identity", "t", "u");
    kit_node("neg", "Neg", "x", "y");
    kit_io(KIT_OUTPUT, "u", BP_DTYPE_STRING, "1");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    use_app(1);
    kit_session();
    kit_run(in, 2, out, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_nonnull(out[i].tensor.base);
        ck_assert_uint_eq(find(out[i].tensor.base), app.n_live);
        bp_tensor_free(&out[i].tensor);
    }
}
END_TEST

START_TEST(providers_that_are_set_anew_have_the_options_allocator)
{
    kit_small_model();
    use_app(8);
    kit_session();
    kit_check_small(2);
    ck_assert_uint_eq(app.n_live, 1);
    KIT_OK(bp_session_set_providers(kit.session, NULL, &kit.err)); /* of options without one */
    ck_assert_uint_eq(app.n_live, 0);
    kit_check_small(2);
    ck_assert_uint_eq(app.n_live, 0);
}
END_TEST

/* ---- failures ------------------------------------------------------------------------------------ */

/* Each of the calls of a run fails once: the run does, nothing is lost, and the next one works. */
static void check_failures(void (*model)(void), bp_binding *in, uint32_t n_out)
{
    uint32_t n_failed = 0;

    for (uint32_t n = 1; n < 100; n++) {
        bp_binding out[2] = {kit_wanted(0), kit_wanted(1)};
        bp_rc rc;

        if (n > 1)
            kit_start_model();
        model();
        bp_session_options_destroy(kit.options);
        kit.options = NULL;
        use_app(4);
        kit_session();
        app.fail_at = n;
        app.has_words = n % 2 == 0;
        kit.text[0] = '\0';
        rc = bp_session_run(kit.session, in, 1, out, n_out, NULL, &kit.err);
        if (rc < 0) {
            n_failed++;
            ck_assert_int_eq(rc, app.has_words ? BP_E_BUSY : BP_E_NOMEM);
            ck_assert_msg(strstr(kit.text, app.has_words ? "not today" : "allocator has no"), "%s",
                          kit.text);
            for (uint32_t i = 0; i < n_out; i++)
                ck_assert_ptr_null(out[i].tensor.base);
            kit_run(in, 1, out, n_out);
        }
        for (uint32_t i = 0; i < n_out; i++)
            bp_tensor_free(&out[i].tensor);
        end_session();
        ck_assert_uint_eq(app.n_live, 0);
        if (rc >= 0)
            break;
    }
    ck_assert_uint_ge(n_failed, 2);
    ck_assert_uint_lt(n_failed, 90);
}

START_TEST(a_failing_allocator_fails_the_run)
{
    static float x[] = {1, -2, 3, -4};
    bp_binding rows = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding odd = KIT_TENSOR(0, BP_DTYPE_F32, (char *)x + 1, 3);
    bp_binding list = KIT_TENSOR(0, BP_DTYPE_F32, x, 4);
    bp_binding square = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 2);

    switch (_i) {
    case 0:
        check_failures(kit_small_model, &rows, 1);
        break;
    case 1:
        check_failures(model_of_indices, &odd, 1);
        break;
    case 2:
        check_failures(model_of_a_loop, &list, 2);
        break;
    default:
        check_failures(model_of_a_scan, &square, 1);
    }
}
END_TEST

START_TEST(an_allocator_needs_both_functions)
{
    bp_allocator none = {.struct_size = sizeof none, .alloc = app_alloc};
    bp_allocator sizeless = {.alloc = app_alloc, .free = app_free};

    kit_small_model();
    use_app(8);
    KIT_FAILS(bp_session_options_set_allocator(kit.options, &none, &kit.err), BP_E_INVALID,
              "both alloc and free");
    KIT_FAILS(bp_session_options_set_allocator(kit.options, &sizeless, &kit.err), BP_E_INVALID,
              "struct_size");
    kit_session(); /* with the one from before */
    kit_check_small(1);
    ck_assert_uint_gt(app.n_allocs, 0);
    end_session();
    KIT_OK(bp_session_options_set_allocator(kit.options, NULL, &kit.err));
    app.n_allocs = 0;
    kit_session();
    kit_check_small(1);
    ck_assert_uint_eq(app.n_allocs, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("allocator");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_loop_test(tcase, a_run_takes_arena_and_outputs, 0, 7);
    tcase_add_test(tcase, a_steady_run_takes_nothing);
    tcase_add_test(tcase, plans_for_all_sizes_share_their_memory);
    tcase_add_test(tcase, sizes_that_grow_find_the_memory_of_the_last);
    tcase_add_test(tcase, open_sizes_and_copies_of_inputs_are_taken);
    tcase_add_test(tcase, loops_take_theirs);
    tcase_add_test(tcase, scans_take_slices);
    tcase_add_test(tcase, sequences_take_their_items_and_outlive_the_session);
    tcase_add_test(tcase, strings_and_nothing_are_of_the_c_library);
    tcase_add_test(tcase, providers_that_are_set_anew_have_the_options_allocator);
    tcase_add_loop_test(tcase, a_failing_allocator_fails_the_run, 0, 4);
    tcase_add_test(tcase, an_allocator_needs_both_functions);
    return kit_main("allocator", &tcase, 1);
}
