/* SPDX-License-Identifier: MIT */
/*
 * check_ml_tree_ensemble.c - TreeEnsemble of ai.onnx.ml on the CPU provider, as check_ml_trees.c has
 * the older operators; and forests with something wrong in them, of all three, which must be refused
 * with a sentence, never walked.
 */

#include "config.h"

#include "cpu/ml/trees_kit.h"

/* ---- TreeEnsemble ---------------------------------------------------------------------------- */

/* Version 5 has branches and leaves in two lists; a leaf has one vote. */
static struct {
    uint32_t n, n_leaves, place[MOST_NODES];
    int64_t feature[MOST_NODES], yes[MOST_NODES], no[MOST_NODES], yes_leaf[MOST_NODES];
    int64_t no_leaf[MOST_NODES], tracks[MOST_NODES], target[MOST_NODES], roots[MOST_NODES];
    uint8_t mode[MOST_NODES];
    double value[MOST_NODES], weight[MOST_NODES];
} five;

static void tensor(const char *name, uint32_t dtype, const double *values, uint32_t n)
{
    void *bytes = typed_encode(values, n, dtype);
    char dims[16];

    snprintf(dims, sizeof dims, "%u", n);
    th_tensor(t, name, dtype, dims, bytes);
    free(bytes);
}

/* Trees of one leaf have no branch to begin at: such a tree gets one that always comes there. */
static void add_five_branch(uint32_t i, uint32_t yes, uint32_t no)
{
    uint32_t at = five.n++;

    five.feature[at] = f.mode[i] == LEAF ? 0 : f.feature[i];
    five.mode[at] = f.mode[i] == LEAF ? 0 : f.mode[i];
    five.value[at] = f.value[i];
    five.tracks[at] = f.tracks[i];
    five.yes_leaf[at] = f.mode[yes] == LEAF;
    five.no_leaf[at] = f.mode[no] == LEAF;
    five.yes[at] = five.place[yes];
    five.no[at] = five.place[no];
}

static void make_five(void)
{
    uint32_t n = 0, n_roots = 0;

    memset(&five, 0, sizeof five);
    for (uint32_t i = 0; i < f.n; i++) {
        bool is_root = i == 0 || f.tree[i] != f.tree[i - 1];

        if (is_root)
            five.roots[n_roots++] = n;
        five.place[i] = f.mode[i] == LEAF ? five.n_leaves++ : n;
        n += f.mode[i] != LEAF || is_root;
    }
    for (uint32_t i = 0; i < f.n; i++) {
        bool is_root = i == 0 || f.tree[i] != f.tree[i - 1];

        if (f.mode[i] != LEAF)
            add_five_branch(i, node_of(f.tree[i], f.yes[i]), node_of(f.tree[i], f.no[i]));
        else if (is_root)
            add_five_branch(i, i, i);
    }
    for (uint32_t v = 0; v < f.n_votes; v++) {
        uint32_t leaf = five.place[node_of(f.vote_tree[v], f.vote_id[v])];

        five.target[leaf] = f.vote_target[v];
        five.weight[leaf] = f.weight[v];
    }
}

static void set_five_attrs(uint32_t dtype)
{
    char dims[16];

    th_domain(t, "ai.onnx.ml");
    th_ints(t, "nodes_featureids", five.n, five.feature);
    th_ints(t, "nodes_truenodeids", five.n, five.yes);
    th_ints(t, "nodes_falsenodeids", five.n, five.no);
    th_ints(t, "nodes_trueleafs", five.n, five.yes_leaf);
    th_ints(t, "nodes_falseleafs", five.n, five.no_leaf);
    if (f.has_tracks)
        th_ints(t, "nodes_missing_value_tracks_true", five.n, five.tracks);
    th_ints(t, "leaf_targetids", five.n_leaves, five.target);
    th_ints(t, "tree_roots", f.n_trees, five.roots);
    snprintf(dims, sizeof dims, "%u", five.n);
    th_tensor(t, "nodes_modes", BP_DTYPE_U8, dims, five.mode);
    tensor("nodes_splits", dtype, five.value, five.n);
    tensor("leaf_weights", dtype, five.weight, five.n_leaves);
    if (f.n_members > 0)
        tensor("membership_values", dtype, f.members, f.n_members);
}

static double result_at(uint32_t dtype, uint32_t i)
{
    return typed_get(th_data(t, "y"), dtype, i);
}

START_TEST(tree_ensemble_5_matches_its_definition)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16};
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = types[_i % 3], aggregate = (uint32_t)_i / 3 % 4, rows = random_rows(&seed);
    struct forest_config w = random_config(&seed, dtype == BP_DTYPE_F64);
    double want[MOST_TARGETS];

    w.n_modes = 1 + random_below(&seed, 7);
    w.least_votes = 1;
    plant(&seed, &w);
    for (uint32_t v = 1; v < f.n_votes; v++) { /* one vote a leaf */
        if (f.vote_tree[v] == f.vote_tree[v - 1] && f.vote_id[v] == f.vote_id[v - 1]) {
            f.n_votes--;
            memmove(f.vote_tree + v, f.vote_tree + v + 1, (f.n_votes - v) * sizeof *f.vote_tree);
            memmove(f.vote_id + v, f.vote_id + v + 1, (f.n_votes - v) * sizeof *f.vote_id);
            memmove(f.vote_target + v, f.vote_target + v + 1,
                    (f.n_votes - v) * sizeof *f.vote_target);
            memmove(f.weight + v, f.weight + v + 1, (f.n_votes - v) * sizeof *f.weight);
            v--;
        }
    }
    make_five();
    fill_x(&seed, dtype, rows * w.features, random_below(&seed, 2));
    th_input(t, "x", dtype, dims_of(rows, w.features), rows ? x_bytes : NULL);
    th_output(t, "y", dtype, dims_of(rows, w.targets));
    th_node(t, "TreeEnsemble", 5, "x", "y");
    set_five_attrs(dtype);
    th_int(t, "aggregate_function", aggregate);
    th_int(t, "n_targets", w.targets);
    ck_run();
    for (uint32_t r = 0; r < rows; r++) {
        reference(x + r * w.features, aggregate, want);
        for (uint32_t k = 0; k < w.targets; k++)
            ck_assert_double_le(fabs(result_at(dtype, r * w.targets + k) - want[k]),
                                close_to(want[k]) * (dtype == BP_DTYPE_F16 ? 200 : 1));
    }
}
END_TEST

/* ---- forests that are wrong ------------------------------------------------------------------ */

static uint32_t random_branch(uint64_t *seed)
{
    for (;;) {
        uint32_t i = random_below(seed, f.n);

        if (f.mode[i] != LEAF)
            return i;
    }
}

static int64_t wrong_number(uint64_t *seed)
{
    static const int64_t numbers[] = {-1, INT64_MIN, INT64_MAX, 1 << 30, 4000000001, -77};

    return numbers[random_below(seed, 6)];
}

/* Wraps. */
static int64_t twice(int64_t number)
{
    return (int64_t)((uint64_t)number * 2);
}

/* Breaks one thing; false: what is left is a forest still. */
static bool spoil(uint64_t *seed, uint32_t how)
{
    uint32_t i = random_branch(seed), v = random_below(seed, f.n_votes);

    switch (how) {
    case 0:
        f.yes[i] = twice(wrong_number(seed)); /* ids are odd */
        return true;
    case 1:
        f.no[i] = twice(wrong_number(seed));
        return true;
    case 2:
        f.yes[i] = f.id[i]; /* round */
        return true;
    case 3:
        f.feature[i] = wrong_number(seed);
        return true;
    case 4:
        f.mode_name[i] = random_below(seed, 2) ? "BRANCH_MEMBER" : "branch_leq";
        return true;
    case 5:
        f.vote_target[v] = wrong_number(seed);
        return true;
    case 6:
        f.vote_id[v] = twice(wrong_number(seed));
        return true;
    case 7:
        f.vote_tree[v] = INT64_MAX;
        return true;
    case 8:
        f.id[i] = f.id[i > 0 ? i - 1 : i + 1];
        f.tree[i] = f.tree[i > 0 ? i - 1 : i + 1];
        return true;
    case 9:
        f.value[i] = (double)NAN;
        return false;
    case 10:
        f.value[i] = random_below(seed, 2) ? HUGE_VAL : -HUGE_VAL;
        return false;
    default:
        f.weight[v] = (double)NAN;
        return false;
    }
}

START_TEST(tree_ensemble_rejects_nodes_that_form_no_trees)
{
    uint64_t seed = (uint64_t)_i;
    struct forest_config w = {
        .trees = 3, .depth = 4, .features = 3, .targets = 2, .n_modes = 6, .least_votes = 1};
    bool is_wrong;

    do
        plant(&seed, &w);
    while (f.n < 12);
    is_wrong = spoil(&seed, (uint32_t)_i % 12);
    fill_x(&seed, BP_DTYPE_F32, 20 * w.features, true);
    th_input(t, "x", BP_DTYPE_F32, dims_of(20, w.features), x_bytes);
    th_output(t, "y", BP_DTYPE_F32, dims_of(20, w.targets));
    th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
    set_attrs("target", false);
    th_int(t, "n_targets", w.targets);
    if (!is_wrong) {
        ck_run();
        return;
    }
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_msg(strstr(th_message(t), "TreeEnsembleRegressor"), "%s", th_message(t));
    ck_assert_uint_gt(strlen(th_message(t)), 30);
}
END_TEST

static const char *const lists[] = {
    "nodes_treeids",      "nodes_nodeids",  "nodes_featureids", "nodes_truenodeids",
    "nodes_falsenodeids", "nodes_modes",    "nodes_values",     "target_ids",
    "target_nodeids",     "target_treeids", "target_weights",   "nodes_missing_value_tracks_true",
    "base_values"};

/* One list is shorter than the others. */
START_TEST(tree_ensemble_rejects_attributes_of_unequal_lengths)
{
    uint64_t seed = (uint64_t)_i;
    const char *victim = lists[_i % 13];
    struct forest_config w = {.trees = 2,
                              .depth = 3,
                              .features = 2,
                              .targets = 2,
                              .n_modes = 6,
                              .least_votes = 1,
                              .has_tracks = true};
    uint32_t drop = 1 + random_below(&seed, 3);

    do
        plant(&seed, &w);
    while (f.n < 12);
    th_input(t, "x", BP_DTYPE_F32, "1,2", (float[]){0, 0});
    th_output(t, "y", BP_DTYPE_F32, "1,2");
    th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
    th_domain(t, "ai.onnx.ml");
    th_int(t, "n_targets", 2);
#define LENGTH(name, n) ((n) - (strcmp(victim, name) == 0 ? drop : 0))
    th_ints(t, lists[0], LENGTH(lists[0], f.n), f.tree);
    th_ints(t, lists[1], LENGTH(lists[1], f.n), f.id);
    th_ints(t, lists[2], LENGTH(lists[2], f.n), f.feature);
    th_ints(t, lists[3], LENGTH(lists[3], f.n), f.yes);
    th_ints(t, lists[4], LENGTH(lists[4], f.n), f.no);
    th_strings(t, lists[5], LENGTH(lists[5], f.n), f.mode_name);
    floats(lists[6], f.value, LENGTH(lists[6], f.n));
    th_ints(t, lists[7], LENGTH(lists[7], f.n_votes), f.vote_target);
    th_ints(t, lists[8], LENGTH(lists[8], f.n_votes), f.vote_id);
    th_ints(t, lists[9], LENGTH(lists[9], f.n_votes), f.vote_tree);
    floats(lists[10], f.weight, LENGTH(lists[10], f.n_votes));
    th_ints(t, lists[11], LENGTH(lists[11], f.n), f.tracks);
    floats(lists[12], f.weight, strcmp(victim, lists[12]) == 0 ? 3 : 2);
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_msg(strstr(th_message(t), " has "), "%s", th_message(t));
}
END_TEST

/* Version 5: any number anywhere; it runs, or says what is wrong. */
START_TEST(tree_ensemble_5_survives_any_indices)
{
    static int64_t *const columns[] = {five.feature, five.yes,    five.no,   five.yes_leaf,
                                       five.no_leaf, five.target, five.roots};
    uint64_t seed = (uint64_t)_i;
    struct forest_config w = {
        .trees = 3, .depth = 4, .features = 3, .targets = 2, .n_modes = 7, .least_votes = 1};

    do
        plant(&seed, &w);
    while (f.n < 12);
    make_five();
    for (uint32_t k = 1 + random_below(&seed, 3); k > 0; k--)
        columns[random_below(&seed, 7)][random_below(&seed, 3)] =
            random_below(&seed, 2) ? wrong_number(&seed) : random_below(&seed, five.n);
    if (random_below(&seed, 4) == 0)
        five.mode[0] = (uint8_t)random_below(&seed, 256);
    if (random_below(&seed, 4) == 0 && f.n_members > 0)
        f.n_members -= 1 + random_below(&seed, f.n_members);
    fill_x(&seed, BP_DTYPE_F32, 10 * w.features, true);
    th_input(t, "x", BP_DTYPE_F32, dims_of(10, w.features), x_bytes);
    th_output(t, "y", BP_DTYPE_F32, dims_of(10, w.targets));
    th_node(t, "TreeEnsemble", 5, "x", "y");
    set_five_attrs(BP_DTYPE_F32);
    th_int(t, "n_targets", w.targets);
    if (th_run(t) < 0)
        ck_assert_msg(strstr(th_message(t), "TreeEnsemble 'n"), "%s", th_message(t));
}
END_TEST

START_TEST(tree_ensemble_rejects_a_feature_that_x_lacks)
{
    uint64_t seed = 1;
    struct forest_config w = {
        .trees = 1, .depth = 6, .features = 6, .targets = 1, .n_modes = 6, .least_votes = 1};

    do
        plant(&seed, &w);
    while (f.n < 50);
    th_input(t, "x", BP_DTYPE_F32, "1,2", (float[]){0, 0});
    th_output(t, "y", BP_DTYPE_F32, "1,1");
    th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
    set_attrs("target", false);
    ck_assert_int_eq(th_run(t), BP_E_SHAPE);
    ck_assert_msg(strstr(th_message(t), "compare feature 5, but X has 2"), "%s", th_message(t));
}
END_TEST

START_TEST(tree_ensemble_survives_every_failing_allocation)
{
    for (uint32_t n = 1;; n++) {
        uint64_t seed = 3;
        struct forest_config w = {
            .trees = 3, .depth = 3, .features = 3, .targets = 2, .n_modes = 6, .least_votes = 1};
        bp_rc rc;

        teardown();
        setup();
        plant(&seed, &w);
        fill_x(&seed, BP_DTYPE_F64, 10 * w.features, true);
        th_input(t, "x", BP_DTYPE_F64, dims_of(10, w.features), x_bytes);
        th_output(t, "y", BP_DTYPE_F32, dims_of(10, w.targets));
        th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
        set_attrs("target", false);
        th_int(t, "n_targets", w.targets);
        th_fail_alloc(t, n);
        rc = th_run(t);
        if (rc >= 0)
            break;
        ck_assert_int_eq(rc, BP_E_NOMEM);
        ck_assert_uint_lt(n, 100);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_tree_lists");
    TCase *tcase = tcase_create("trees");
    SRunner *runner;
    int failures;

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, tree_ensemble_5_matches_its_definition, 0, 120);
    tcase_add_loop_test(tcase, tree_ensemble_rejects_nodes_that_form_no_trees, 0, 240);
    tcase_add_loop_test(tcase, tree_ensemble_rejects_attributes_of_unequal_lengths, 0, 39);
    tcase_add_loop_test(tcase, tree_ensemble_5_survives_any_indices, 0, 300);
    tcase_add_test(tcase, tree_ensemble_rejects_a_feature_that_x_lacks);
    tcase_add_test(tcase, tree_ensemble_survives_every_failing_allocation);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
