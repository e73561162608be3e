/* SPDX-License-Identifier: MIT */
/*
 * check_slices.c - groups that run on parts of a batch: the operators that keep samples apart do, the
 * others do not, and results are the same to the bit.
 */

#include "config.h"

#include "exec/planning.h"
#include "support/session_kit.h"

/* x has eight samples of four channels of 6 x 6. */
enum { BATCH = 8, SAMPLE = 4 * 6 * 6 };

static const int64_t four[] = {4, -1}, channels[] = {4, 1, 1, -1}, filters[] = {3, 4, 3, 3, -1},
                     wide[] = {SAMPLE, 5, -1}, five[] = {5, -1}, square[] = {6, 6, -1},
                     whole[] = {BATCH, 4, 6, 6, -1}, rows[] = {BATCH, 5, -1}, scales[] = {4, -1};
static float numbers[BATCH * SAMPLE * 5];

static void weights(const char *name, const int64_t *dims)
{
    int64_t n = 1;

    for (uint32_t d = 0; dims[d] >= 0; d++)
        n *= dims[d];
    kit_floats(name, dims, (uint32_t)n, numbers);
}

static void relu(void)
{
    kit_node("n", "Relu", "x", "y");
}

static void sum(void)
{
    kit_node("n", "Relu", "x", "a");
    kit_node("m", "Add", "x a", "y");
}

static void add_channels(void)
{
    weights("w", channels);
    kit_node("n", "Add", "x w", "y");
}

static void add_whole(void)
{
    weights("w", whole);
    kit_node("n", "Add", "x w", "y");
}

static void conv(void)
{
    weights("w", filters);
    kit_node("n", "Conv", "x w", "a");
    kit_node("r", "Relu", "a", "y");
}

static void max_pool(void)
{
    kit_node_ints("n", "MaxPool", "x", "y", "kernel_shape", 2, (int64_t[]){2, 2});
}

static void max_pool_indices(void)
{
    kit_node_ints("n", "MaxPool", "x", "a y", "kernel_shape", 2, (int64_t[]){2, 2});
}

static void global_pool(void)
{
    kit_node("n", "GlobalAveragePool", "x", "y");
}

static void batch_norm(void)
{
    weights("w", four);
    kit_node("n", "BatchNormalization", "x w w w w", "y");
}

static void concat_channels(void)
{
    kit_node("r", "Relu", "x", "a");
    kit_node_int("n", "Concat", "x a", "y", "axis", 1);
}

static void concat_batch(void)
{
    kit_node("r", "Relu", "x", "a");
    kit_node_int("n", "Concat", "x a", "y", "axis", 0);
}

static void split_channels(void)
{
    kit_node_int("n", "Split", "x", "a b", "axis", 1);
    kit_node("m", "Mul", "a b", "y");
}

static void softmax_channels(void)
{
    kit_node_int("n", "Softmax", "x", "y", "axis", 1);
}

static void softmax_batch(void)
{
    kit_node_int("n", "Softmax", "x", "y", "axis", -4);
}

static void transpose_sample(void)
{
    kit_node_ints("n", "Transpose", "x", "y", "perm", 4, (int64_t[]){0, 2, 3, 1});
}

static void transpose_batch(void)
{
    kit_node_ints("n", "Transpose", "x", "y", "perm", 4, (int64_t[]){1, 0, 2, 3});
}

static void mean_sample(void)
{
    kit_node_ints("n", "ReduceMean", "x", "y", "axes", 2, (int64_t[]){2, -1});
}

static void mean_batch(void)
{
    kit_node_ints("n", "ReduceMean", "x", "y", "axes", 2, (int64_t[]){0, 2});
}

static void dense(void)
{
    weights("w", wide);
    weights("c", five);
    kit_node("f", "Flatten", "x", "a");
    kit_node("n", "Gemm", "a w c", "y");
}

static void dense_rows(void)
{
    weights("w", wide);
    weights("c", rows);
    kit_node("f", "Flatten", "x", "a");
    kit_node("n", "Gemm", "a w c", "y");
}

static void matmul(void)
{
    weights("w", square);
    kit_node("n", "MatMul", "x w", "y");
}

static void matmul_two(void)
{
    kit_node("r", "Relu", "x", "a");
    kit_node("n", "MatMul", "x a", "y");
}

static void resize(void)
{
    kit_floats("s", scales, 4, (float[]){1, 1, 2, 2});
    kit_floats("roi", (int64_t[]){0, -1}, 0, numbers);
    kit_node("n", "Resize", "x roi s", "y");
}

static void reshape(void)
{
    static const int64_t two[] = {2, -1};

    kit_ints("s", two, 2, (int64_t[]){0, -1});
    kit_node("n", "Reshape", "x s", "a");
    kit_node("m", "Neg", "a", "y");
}

static void cumulative(void)
{
    kit_ints("axis", (int64_t[]){-1}, 1, (int64_t[]){0});
    kit_node("n", "CumSum", "x axis", "y");
}

static const struct {
    void (*make)(void);
    uint32_t dtype; /* of y */
    uint32_t parts;
} cases[] = {
    {relu, BP_DTYPE_F32, BATCH},
    {sum, BP_DTYPE_F32, BATCH},
    {add_channels, BP_DTYPE_F32, BATCH},
    {add_whole, BP_DTYPE_F32, 1},
    {conv, BP_DTYPE_F32, 4}, /* two samples write more than the weights have */
    {max_pool, BP_DTYPE_F32, BATCH},
    {max_pool_indices, BP_DTYPE_I64, 1},
    {global_pool, BP_DTYPE_F32, BATCH},
    {batch_norm, BP_DTYPE_F32, BATCH},
    {concat_channels, BP_DTYPE_F32, BATCH},
    {concat_batch, BP_DTYPE_F32, 1},
    {split_channels, BP_DTYPE_F32, BATCH},
    {softmax_channels, BP_DTYPE_F32, BATCH},
    {softmax_batch, BP_DTYPE_F32, 1},
    {transpose_sample, BP_DTYPE_F32, BATCH},
    {transpose_batch, BP_DTYPE_F32, 1},
    {mean_sample, BP_DTYPE_F32, BATCH},
    {mean_batch, BP_DTYPE_F32, 1},
    {dense, BP_DTYPE_F32, 1}, /* the weights are larger than what goes through them */
    {dense_rows, BP_DTYPE_F32, 1},
    {matmul, BP_DTYPE_F32, BATCH},
    {matmul_two, BP_DTYPE_F32, 1},
    {resize, BP_DTYPE_F32, BATCH},
    {reshape, BP_DTYPE_F32, BATCH},
    {cumulative, BP_DTYPE_F32, 1},
};

/* ---- runs ------------------------------------------------------------------------------------ */

static void open_case(int i, const char *batch)
{
    char shape[32];

    kit_start_model_at(13);
    snprintf(shape, sizeof shape, "%s,4,6,6", batch);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, shape);
    cases[i].make();
    kit_io(KIT_OUTPUT, "y", cases[i].dtype, NULL);
}

static void new_session(size_t cache, uint32_t threads)
{
    bp_slices_cache = cache;
    kit_end_session();
    bp_session_options_destroy(kit.options);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_NONE, &kit.err));
    bp_session_options_set_threads(kit.options, threads);
    kit_provider("cpu", BP_FALLBACK_DEFAULT);
    kit_session();
}

/* A run of `batch` samples; *executes: how often a group ran. */
static bp_tensor run(int64_t batch, uint32_t *executes)
{
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, numbers, batch, 4, 6, 6), out = kit_wanted(0);
    bp_run_options options = {.struct_size = sizeof options};
    bp_profile *profile;

    KIT_OK(bp_profile_create(0, &profile, &kit.err));
    options.profile = profile;
    KIT_OK(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err));
    *executes = 0;
    for (uint32_t i = 0; i < bp_profile_count(profile); i++) {
        bp_profile_event event = {.struct_size = sizeof event};

        KIT_OK(bp_profile_get(profile, i, &event, &kit.err));
        *executes += event.kind == BP_PROFILE_GROUP;
    }
    bp_profile_destroy(profile);
    return out.tensor;
}

static void check_equal(const bp_tensor *a, const bp_tensor *b)
{
    ck_assert_uint_eq(a->bytes, b->bytes);
    kit_check_dims(a, b->rank, b->dims);
    ck_assert_mem_eq(bp_tensor_data(a), bp_tensor_data(b), a->bytes);
}

START_TEST(operators_that_keep_samples_apart_run_on_parts)
{
    bp_tensor whole_batch, parts, again;
    uint32_t n;

    open_case(_i, "N");
    new_session(SIZE_MAX, 1);
    whole_batch = run(BATCH, &n);
    ck_assert_uint_eq(n, 1);
    new_session(1, 1);
    parts = run(BATCH, &n);
    ck_assert_uint_eq(n, cases[_i].parts);
    check_equal(&parts, &whole_batch);
    again = run(BATCH, &n);
    check_equal(&again, &whole_batch);
    bp_tensor_free(&again);
    bp_tensor_free(&parts);
    bp_tensor_free(&whole_batch);
}
END_TEST

/* Parts are divisors of the batch that the cache holds, and not too few samples for the threads. */
START_TEST(parts_are_as_large_as_the_cache)
{
    static const struct {
        int64_t batch;
        size_t cache;
        uint32_t threads, parts;
    } sizes[] = {
        {24, 1, 1, 24},
        {24, 3 * 2 * SAMPLE * 4, 1, 8},
        {24, 5 * 2 * SAMPLE * 4, 1, 6},
        {23, 1, 1, 23},
        {1, 1, 1, 1},
        {24, 24 * 2 * SAMPLE * 4, 1, 1},
        {24, 1, 2, 3},
        {8, 1, 2, 1},
        {23, 1, 2, 1},
    };

    open_case(0, "N");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bp_tensor y;
        uint32_t n;

        new_session(sizes[i].cache, sizes[i].threads);
        y = run(sizes[i].batch, &n);
        ck_assert_msg(n == sizes[i].parts, "batch %d, cache %zu, %u threads: %u parts",
                      (int)sizes[i].batch, sizes[i].cache, sizes[i].threads, n);
        for (int64_t k = 0; k < sizes[i].batch * SAMPLE; k++)
            ck_assert(((const float *)bp_tensor_data(&y))[k] == (numbers[k] > 0 ? numbers[k] : 0));
        bp_tensor_free(&y);
    }
}
END_TEST

/* A provider that was told the size of the batch may have made its program for that. */
START_TEST(a_batch_of_a_fixed_size_is_whole)
{
    bp_tensor y;
    uint32_t n;

    open_case(0, "8");
    new_session(1, 1);
    y = run(BATCH, &n);
    ck_assert_uint_eq(n, 1);
    bp_tensor_free(&y);
}
END_TEST

/* One session meets batches of many sizes, in parts and as a whole, and sizes without a sample. */
START_TEST(batches_of_many_sizes_take_turns)
{
    static const int64_t batches[] = {8, 1, 24, 0, 7, 8, 24, 2};
    uint32_t n;

    open_case(0, "N");
    new_session(1, 1);
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        bp_tensor y = run(batches[i], &n);
        int64_t want[] = {batches[i], 4, 6, 6};

        kit_check_dims(&y, 4, want);
        ck_assert_uint_eq(n, batches[i] > 1 ? (uint32_t)batches[i] : 1);
        bp_tensor_free(&y);
    }
}
END_TEST

/* The small model on picky, a row of 16 bytes a sample: a run has so many parts. */
static void check_picky(const bp_key_value *options, uint32_t n, uint32_t parts)
{
    uint32_t before;

    kit_small_model();
    kit_end_session();
    bp_session_options_destroy(kit.options);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    bp_session_options_set_threads(kit.options, 1);
    KIT_OK(bp_session_options_add_provider(kit.options, "picky", options, n, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    bp_slices_cache = 1;
    kit_session();
    before = kit_counters("picky")->executes;
    kit_check_small(6);
    ck_assert_uint_eq(kit_counters("picky")->executes - before, parts);
    ck_assert_uint_eq(kit_counters("picky")->frames, 1);
}

/* Each part is where the frame wants its tensors, with the bytes behind them that it asks for. */
START_TEST(parts_suit_the_provider)
{
    static const bp_key_value near[] = {{"align", "16"}, {"in_slack", "8"}, {"out_slack", "8"}};
    static const bp_key_value far[] = {{"align", "64"}};
    static const bp_key_value in_place[] = {{"in_place", "1"}, {"out_slack", "8"}};

    check_picky(near, 3, 6);
    check_picky(far, 1, 1);
    check_picky(in_place, 2, 6);
}
END_TEST

/* A provider that refuses the sizes of a part gets the whole batch; one that cannot take that, parts. */
START_TEST(refused_parts_are_put_together)
{
    static const bp_key_value least[] = {{"least", "24"}}, most[] = {{"most", "4"}};

    check_picky(least, 1, 1);
    check_picky(most, 1, 6);
}
END_TEST

static void setup(void)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        numbers[i] = (float)((int)(i * 7919 % 201) - 100) / 64;
    kit_setup();
}

static void teardown(void)
{
    bp_slices_cache = 0;
    kit_teardown();
}

int main(void)
{
    TCase *tcase = tcase_create("slices");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, operators_that_keep_samples_apart_run_on_parts, 0,
                        (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(tcase, parts_are_as_large_as_the_cache);
    tcase_add_test(tcase, parts_suit_the_provider);
    tcase_add_test(tcase, refused_parts_are_put_together);
    tcase_add_test(tcase, a_batch_of_a_fixed_size_is_whole);
    tcase_add_test(tcase, batches_of_many_sizes_take_turns);
    return kit_main("slices", &tcase, 1);
}
