/* SPDX-License-Identifier: MIT */
/*
 * check_dynamic_outputs.c - outputs that a provider sizes itself while it runs. The graph and its one operator
 * of that kind are made by hand, so that it is tested whatever the schema tables have.
 */

#include "config.h"

#include <check.h>

#include "compile/missing.h"
#include "exec/control/table.h"
#include "support/graphs.h"
#include "support/session_kit.h"
#include "text/text.h"

static struct graphs g;
static struct bp_provider_list providers;
static struct bp_spec_list spec;
static bp_report *report;
static struct bp_subgraph *graph;
static struct bp_frame_state *frame;
static struct bp_run_shared shared;

/* Rank 2, of which one size is known before the data. */
static bp_rc infer_nonzero(struct bp_infer *infer)
{
    struct bp_sym dims[2] = {bp_sym_of(infer->in[0]->rank)};
    bp_rc rc = bp_symbols_fresh(infer->symbols, true, &dims[1], infer->err);

    return rc < 0 ? rc : bp_infer_set(infer, 0, BP_DTYPE_I64, 2, dims);
}

static const struct bp_param in[] = {{"X", BP_T_ANY, 0, 0, 0}}, out[] = {{"Y", BP_T(I64), 0, 0, 0}};
static const struct bp_schema nonzero = {.op = "NonZero",
                                         .since = 13,
                                         .in = in,
                                         .out = out,
                                         .n_in = 1,
                                         .n_out = 1,
                                         .infer = infer_nonzero,
                                         .sizes_from_data = true};

static void setup(void)
{
    kit_setup();
    graphs_setup(&g);
}

static void teardown(void)
{
    bp_frame_state_destroy(frame);
    bp_subgraph_destroy(graph);
    bp_provider_list_finish(&providers);
    bp_spec_finish(&spec);
    bp_report_destroy(report);
    graphs_teardown(&g);
    kit_teardown();
}

/* x -> NonZero by `provider` -> i -> Neg by CPU -> y, made ready. */
static void make(const char *provider)
{
    struct bp_provider_list_config config = {.own = &spec, .fallback = BP_FALLBACK_REQUIRE};
    struct bp_subgraph_maker maker = {.find_host_op = bp_host_op_find,
                                      .providers = &providers,
                                      .symbols = &g.symbols,
                                      .failed = BP_NONE};
    struct bp_missing missing = {0};

    graphs_input(&g, g.main, "x", BP_DTYPE_F32, "n");
    graphs_node(&g, g.main, "find", "NonZero", "x", "i");
    graphs_node(&g, g.main, "neg", "Neg", "i", "y");
    graphs_output(&g, g.main, "y");
    ck_assert_int_eq(graphs_seal(&g), BP_OK);
    ck_assert_str_eq(g.main->nodes[0].name, "find");
    g.main->nodes[0].schema = &nonzero;
    KIT_OK(bp_report_create(&report, &kit.err));
    KIT_OK(bp_spec_add(&spec, provider, NULL, 0, BP_FALLBACK_REQUIRE, &kit.err));
    KIT_OK(bp_provider_list_init(&providers, kit.env, &config, report, &kit.err));
    maker.report = report;
    maker.missing = &missing;
    KIT_OK(bp_subgraph_create(&maker, g.main, NULL, NULL, "", &graph, &kit.err));
    ck_assert_uint_eq(missing.n_nodes, 0);
    bp_missing_finish(&missing);
    ck_assert_uint_eq(graph->n_stages, 2);
    KIT_OK(bp_frame_state_create(graph, &frame, &kit.err));
}

static bp_rc run(const float *x, const int64_t *n)
{
    frame->cells[graphs_value(g.main, "x")] = (struct bp_cell){
        .base = (void *)(uintptr_t)x,
        .dims = n,
        .bytes = (size_t)*n * sizeof *x,
        .rank = 1,
        .dtype = BP_DTYPE_F32,
    };
    return bp_subgraph_run(frame, &shared, &kit.err);
}

START_TEST(dynamic_output_grows_with_the_data)
{
    static const float xs[][6] = {{1, 0, 2}, {1, 2, 3, 4, 5, 6}, {0, 0, 0}, {0, 0, 9},
                                  {0},       {1, 0, 2}};
    static const int64_t ns[] = {3, 6, 3, 3, 0, 3};
    static const int64_t counts[] = {2, 6, 0, 1, 0, 2}, lasts[] = {-2, -5, 0, -2, 0, -2};
    const struct bp_cell *cell;

    make("counting");
    for (int i = 0; i < 12; i++) {
        int k = i % 6;

        KIT_OK(run(xs[k], &ns[k]));
        cell = &frame->cells[graphs_value(g.main, "y")];
        ck_assert_uint_eq(cell->rank, 2);
        ck_assert_int_eq(cell->dims[0], 1);
        ck_assert_int_eq(cell->dims[1], counts[k]);
        ck_assert_uint_eq(cell->dtype, BP_DTYPE_I64);
        ck_assert_uint_eq(cell->bytes, (size_t)counts[k] * 8);
        if (counts[k])
            ck_assert_int_eq(((const int64_t *)cell->base)[counts[k] - 1], lasts[k]);
    }
    ck_assert_uint_eq(shared.crossings, 24);
    ck_assert_uint_ge(bp_frame_state_bytes(frame, NULL), 6 * 8 * 2);
}
END_TEST

START_TEST(output_that_a_kernel_did_not_set_is_an_error_in_every_run)
{
    static const float x[] = {1, 2, 3};
    static const int64_t n = 3;

    make("forgetful");
    KIT_OK(run(x, &n));
    KIT_FAILS(run(x, &n), BP_E_INTERNAL, "'forgetful'", "did not make", "'i'");
}
END_TEST

START_TEST(output_tensor_not_made_by_the_host_is_rejected)
{
    static const float x[] = {1, 2, 3};
    static const int64_t n = 3;

    make("garbage");
    for (int round = 0; round < 2; round++)
        KIT_FAILS(run(x, &n), BP_E_INTERNAL, "'garbage'", "did not make", "'i'");
}
END_TEST

START_TEST(dynamic_output_of_rank_1000_is_rejected)
{
    static const float x[] = {1, 2, 3};
    static const int64_t n = 3;

    make("oversized");
    KIT_FAILS(run(x, &n), BP_E_INVALID, "'oversized'", "1000");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("sized outputs");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, dynamic_output_grows_with_the_data);
    tcase_add_test(tcase, output_that_a_kernel_did_not_set_is_an_error_in_every_run);
    tcase_add_test(tcase, output_tensor_not_made_by_the_host_is_rejected);
    tcase_add_test(tcase, dynamic_output_of_rank_1000_is_rejected);
    return kit_main("sized outputs", &tcase, 1);
}
