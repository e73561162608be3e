/* SPDX-License-Identifier: MIT */
/*
 * check_attention_embed.c - QEmbedLayerNormalization of com.microsoft with every type of its ids and
 * tables, against plain loops in double.
 */

#include "config.h"

#include "cpu/ms_kit.h"

enum { BATCH = 2, STEPS = 4, WORDS = 9, KINDS = 3, SIZE = 11 };

/* A quantised table of `cols` columns; gives the values that it represents. */
static double *feed_table(const char *name, uint32_t dtype, int64_t rows, int64_t cols)
{
    double scale = (double)data_pick(1, 9) / 64, zero = (double)data_pick(0, 30), *x;
    char text[32], dims[32];

    x = feed_ints(name, dtype,
                  rows ? dims_of(dims, sizeof dims, 2, (int64_t[]){rows, cols})
                       : dims_of(dims, sizeof dims, 1, &cols),
                  dtype == BP_DTYPE_I8 ? -128 : 0, 127);
    snprintf(text, sizeof text, "%s_s", name);
    feed_one(text, BP_DTYPE_F32, scale);
    snprintf(text, sizeof text, "%s_z", name);
    feed_one(text, dtype, zero);
    for (int64_t i = 0; i < (rows ? rows : 1) * cols; i++)
        x[i] = (x[i] - zero) * scale;
    return x;
}

struct inputs {
    double *ids, *kind_ids, *mask, *words, *position_table, *kinds, *gamma,
        *beta; /* NULL: absent */
};

static void expect_rows(const struct inputs *in, double *want)
{
    for (int r = 0; r < BATCH * STEPS; r++) {
        double *row = want + r * SIZE, mean = 0, variance = 0;

        for (int i = 0; i < SIZE; i++) {
            row[i] =
                in->words[(int)in->ids[r] * SIZE + i] + in->position_table[r % STEPS * SIZE + i];
            row[i] += in->kinds ? in->kinds[(int)in->kind_ids[r] * SIZE + i] : 0;
            mean += row[i] / SIZE;
        }
        for (int i = 0; i < SIZE; i++)
            variance += (row[i] - mean) * (row[i] - mean) / SIZE;
        for (int i = 0; i < SIZE; i++)
            row[i] = (row[i] - mean) / sqrt(variance + 0.5) * in->gamma[i] + in->beta[i];
    }
}

static void check_counts(const struct inputs *in)
{
    for (int b = 0; b < BATCH; b++) {
        int32_t count = 0;

        for (int i = 0; i < STEPS && in->mask; i++)
            count += in->mask[b * STEPS + i] > 0;
        ck_assert_int_eq(((const int32_t *)th_data(t, "n"))[b], count);
    }
}

/* Bits: type of the ids, of the tables, segments, mask; then what is drawn. */
START_TEST(qembed_layer_normalization_sums_and_normalises_embeddings)
{
    uint32_t index = _i & 1 ? BP_DTYPE_I64 : BP_DTYPE_I32;
    uint32_t dtype = _i & 2 ? BP_DTYPE_U8 : BP_DTYPE_I8;
    bool has_kinds = _i & 4, has_mask = _i & 8;
    struct inputs in = {0};
    double *want = zeros(BATCH * STEPS * SIZE);
    char list[160];

    data_seed((uint64_t)_i);
    in.ids = feed_ints("ids", index, "2,4", 0, WORDS - 1);
    if (has_kinds)
        in.kind_ids = feed_ints("seg", index, "2,4", 0, KINDS - 1);
    if (has_mask)
        in.mask = feed_ints("mask", index, "2,4", 0, 1);
    in.words = feed_table("w", dtype, WORDS, SIZE);
    in.position_table = feed_table("p", dtype, STEPS + 2, SIZE);
    if (has_kinds)
        in.kinds = feed_table("k", dtype, KINDS, SIZE);
    in.gamma = feed_table("g", dtype, 0, SIZE);
    in.beta = feed_table("b", dtype, 0, SIZE);
    expect_rows(&in, want);
    th_output(t, "y", BP_DTYPE_F32, "2,4,11");
    th_output(t, "n", BP_DTYPE_I32, "2");
    snprintf(list, sizeof list, "ids %s w p %s g b %s w_s p_s %s g_s b_s w_z p_z %s g_z b_z",
             has_kinds ? "seg" : "-", has_kinds ? "k" : "-", has_mask ? "mask" : "-",
             has_kinds ? "k_s" : "-", has_kinds ? "k_z" : "-");
    node("QEmbedLayerNormalization", list, "y n");
    th_float(t, "epsilon", 0.5f);
    ck_run();
    data_compare("y", th_data(t, "y"), want, BATCH * STEPS * SIZE, BP_DTYPE_F32, 400);
    check_counts(&in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_ms_embed");
    TCase *tcase = tcase_create("cpu_ms_embed");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, finish);
    tcase_add_loop_test(tcase, qembed_layer_normalization_sums_and_normalises_embeddings, 0, 64);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
