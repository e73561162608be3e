/* SPDX-License-Identifier: MIT */
/* check_partition.c - who gets which node, and which groups, stages and views come of it. */

#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "support/fake_providers.h"
#include "support/session_kit.h"

static struct fakes t;
static struct bp_ir *ir; /* the main graph */

/* A graph whose x has that shape. */
static void start(const char *shape)
{
    fakes_setup(&t);
    ir = t.g.main;
    graphs_input(&t.g, ir, "x", BP_DTYPE_F32, shape);
}

static void setup(void)
{
    start("n,4");
}

static void teardown(void)
{
    fakes_teardown(&t);
}

static void start_again(const char *shape)
{
    teardown();
    start(shape);
}

static void relu(const char *name, const char *in, const char *out)
{
    graphs_node(&t.g, ir, name, "Relu", in, out);
}

static void add(const char *name, const char *in, const char *out)
{
    graphs_node(&t.g, ir, name, "Add", in, out);
}

static void output(const char *name)
{
    graphs_output(&t.g, ir, name);
}

static const float weights[4] = {1, 2, 3, 4};

/* They are "w". */
static void add_weights(void)
{
    graphs_constant(&t.g, ir, "w", BP_DTYPE_F32, weights, 4);
}

/* x -> a1 -> b1 -> a2 -> y */
static void chain(void)
{
    relu("a1", "x", "v1");
    relu("b1", "v1", "v2");
    relu("a2", "v2", "y");
    output("y");
}

/* Asks providers that take nodes of these letters. */
static void divide(const char *const *letters)
{
    static const char *const names[] = {"one", "two", "three"};

    for (int i = 0; letters[i]; i++)
        fakes_add(&t, names[i], letters[i]);
    fakes_partition(&t);
}

#define DIVIDE(...) divide((const char *const[]){__VA_ARGS__, NULL})

static uint32_t provider_of(const char *node)
{
    return t.part.provider_of[fakes_node(&t, node)];
}

static uint32_t stage_of(const char *node)
{
    return t.part.stage_of[fakes_node(&t, node)];
}

static const struct bp_verdict *verdict(uint32_t provider, const char *node)
{
    return &t.part.verdicts[provider][fakes_node(&t, node)];
}

/* ---- who takes what -------------------------------------------------------------------------- */

START_TEST(first_provider_that_claims_a_node_gets_it)
{
    chain();
    DIVIDE("a", "ab");
    ck_assert_str_eq(fakes_groups(&t), "a1|b1|a2");
    ck_assert_uint_eq(provider_of("a1"), 0);
    ck_assert_uint_eq(provider_of("b1"), 1);
    ck_assert_uint_eq(verdict(1, "a1")->verdict, BP_YES);
    ck_assert_uint_eq(verdict(0, "b1")->verdict, BP_NO);
    ck_assert_uint_eq(verdict(0, "b1")->reason, BP_R_OP);
    ck_assert_str_eq(verdict(0, "b1")->subject, "Relu");
    ck_assert_str_eq(verdict(0, "b1")->text, "not this one");
}
END_TEST

START_TEST(nodes_of_one_provider_make_one_group)
{
    chain();
    fakes_add(&t, "all", "ab");
    fakes_partition(&t);
    ck_assert_str_eq(fakes_groups(&t), "a1 b1 a2");
    ck_assert_uint_eq(t.part.n_stages, 1);
}
END_TEST

/* Devices of the provider "two": nodes whose names begin with b are on the second. */
static const struct bp_asked_device two_devices[] = {{0, 1, "first"}, {1, 1, "second"}};

START_TEST(group_has_nodes_of_one_device)
{
    chain();
    fakes_add(&t, "two", "ab")->second = "b";
    t.asked[0].devices = two_devices;
    t.asked[0].n_devices = 2;
    fakes_partition(&t);
    ck_assert_str_eq(fakes_groups(&t), "a1|b1|a2");
    ck_assert_uint_eq(t.part.groups[0].device, 0);
    ck_assert_uint_eq(t.part.groups[1].device, 1);
    ck_assert_uint_eq(t.part.groups[2].device, 0);
    ck_assert_int_eq(t.failed[0].rc, BP_OK);
}
END_TEST

START_TEST(device_beyond_those_of_the_instance_is_the_providers_error)
{
    chain();
    fakes_add(&t, "two", "ab")->second = "b"; /* it has one */
    fakes_partition(&t);
    ck_assert_int_eq(t.failed[0].rc, BP_E_INTERNAL);
    ck_assert_ptr_nonnull(strstr(t.failed[0].text, "node on device 1, but has 1"));
    ck_assert_uint_eq(provider_of("a1"), BP_BY_NONE);
}
END_TEST

START_TEST(node_that_all_providers_refuse_has_no_provider)
{
    chain();
    DIVIDE("a");
    ck_assert_uint_eq(provider_of("b1"), BP_BY_NONE);
    ck_assert_str_eq(fakes_groups(&t), "a1|b1|a2");
}
END_TEST

START_TEST(partition_works_without_providers)
{
    chain();
    fakes_partition(&t);
    ck_assert_uint_eq(t.part.n_groups, 3);
}
END_TEST

START_TEST(missing_verdict_counts_as_a_refusal)
{
    relu("_1", "x", "y");
    output("y");
    DIVIDE("a");
    ck_assert_uint_eq(verdict(0, "_1")->verdict, BP_NO);
    ck_assert_uint_eq(verdict(0, "_1")->reason, BP_R_OTHER);
    ck_assert_ptr_nonnull(verdict(0, "_1")->text);
}
END_TEST

START_TEST(last_verdict_on_a_node_counts)
{
    chain();
    fakes_add(&t, "one", "ab")->twice = true;
    fakes_partition(&t);
    ck_assert_str_eq(fakes_groups(&t), "a1 b1 a2");
    ck_assert_uint_eq(verdict(0, "a1")->reason, BP_R_NONE);
}
END_TEST

START_TEST(provider_whose_capability_call_fails_gets_no_nodes)
{
    chain();
    fakes_add(&t, "one", "ab")->fails = BP_E_DEVICE_LOST;
    fakes_add(&t, "two", "ab");
    fakes_partition(&t);
    ck_assert_int_eq(t.failed[0].rc, BP_E_DEVICE_LOST);
    ck_assert_str_eq(t.failed[0].text, "fell silent");
    ck_assert_int_eq(t.failed[1].rc, BP_OK);
    ck_assert_uint_eq(t.part.provider_of[0], 1);
}
END_TEST

START_TEST(verdict_on_an_unknown_node_is_an_error)
{
    chain();
    fakes_add(&t, "one", "ab")->beyond = 2;
    fakes_partition(&t);
    ck_assert_int_eq(t.failed[0].rc, BP_E_INTERNAL);
    ck_assert_ptr_nonnull(strstr(t.failed[0].text, "'one'"));
    ck_assert_uint_eq(t.part.provider_of[0], BP_BY_NONE);
}
END_TEST

START_TEST(unknown_operator_gets_no_provider)
{
    graphs_node(&t.g, ir, "a1", "Frobnicate", "x", "y");
    output("y");
    DIVIDE("a");
    ck_assert_uint_eq(t.part.provider_of[0], BP_BY_NONE);
    ck_assert_uint_eq(verdict(0, "a1")->reason, BP_R_OP);
}
END_TEST

START_TEST(node_claimed_only_beside_others_is_handed_back_when_alone)
{
    struct bp_instance *one;

    relu("o1", "x", "v1"); /* beside a1: stays */
    relu("a1", "v1", "v2");
    relu("b1", "v2", "v3");
    relu("o2", "v3", "y"); /* after b1: alone */
    output("y");
    one = fakes_add(&t, "one", "a");
    one->only = "o";
    fakes_add(&t, "two", "abo");
    fakes_partition(&t);
    ck_assert_str_eq(fakes_groups(&t), "o1 a1|b1 o2");
    ck_assert_uint_eq(verdict(0, "o2")->reason, BP_R_NOT_PROFITABLE);
    ck_assert_uint_eq(verdict(0, "o1")->verdict, BP_ONLY_IN_GROUP);
}
END_TEST

START_TEST(node_that_all_providers_claim_only_beside_others_is_left_over)
{
    relu("o1", "x", "v1");
    relu("o2", "v1", "y");
    output("y");
    fakes_add(&t, "one", "a")->only = "o";
    fakes_add(&t, "two", "b")->only = "o";
    fakes_partition(&t);
    ck_assert_uint_eq(t.part.provider_of[0], BP_BY_NONE);
    ck_assert_uint_eq(t.part.provider_of[1], BP_BY_NONE);
}
END_TEST

/* ---- what it costs --------------------------------------------------------------------------- */

static const bp_cost cheap = {.struct_size = sizeof cheap, .known = 1, .run_ns = 100};
static const bp_cost dear = {.struct_size = sizeof dear, .known = 1, .run_ns = 1e6};

/* x[size] -> a1 -> a2 -> y on a device that says `there`, or a host that says `here`. */
static const char *chosen(const char *size, const bp_cost *there, const bp_cost *here)
{
    start_again(size);
    relu("a1", "x", "v");
    relu("a2", "v", "y");
    output("y");
    fakes_add_device(&t, "device", "a")->cost = there;
    fakes_add(&t, "host", "a")->cost = here;
    fakes_partition(&t);
    ck_assert_str_eq(fakes_groups(&t), "a1 a2");
    return t.asked[t.part.provider_of[0]].name;
}

/* P9 */
START_TEST(group_that_costs_more_in_copies_than_it_saves_is_handed_back)
{
    ck_assert_str_eq(chosen("4", &cheap, &cheap), "host");
    ck_assert_uint_eq(verdict(0, "a1")->verdict, BP_NO);
    ck_assert_uint_eq(verdict(0, "a2")->reason, BP_R_NOT_PROFITABLE);
    ck_assert_str_eq(verdict(0, "a1")->text,
                     "its group would take 20.2 us, with 20.0 us of copies, "
                     "and 0.2 us elsewhere");
    ck_assert_str_eq(chosen("4", &cheap, &dear), "device");
    ck_assert_str_eq(chosen("4", &dear, &cheap), "host");
}
END_TEST

/* Two copies of 10 us and 8 bytes a nanosecond, against twice 0.5 us and 8 bytes a nanosecond. */
START_TEST(missing_costs_are_estimated)
{
    ck_assert_str_eq(chosen("1000", &cheap, NULL), "host");
    ck_assert_str_eq(chosen("1000000", &cheap, NULL), "device");
}
END_TEST

START_TEST(cost_of_a_matmul_is_estimated_by_its_inner_size)
{
    for (int large = 0; large < 2; large++) {
        start_again(large ? "64,512" : "4,4");
        graphs_input(&t.g, ir, "w", BP_DTYPE_F32, large ? "512,64" : "4,4");
        graphs_node(&t.g, ir, "a1", "MatMul", "x,w", "y");
        output("y");
        fakes_add_device(&t, "device", "a")->cost = &cheap;
        fakes_add(&t, "host", "a");
        fakes_partition(&t);
        ck_assert_uint_eq(t.part.provider_of[0], large ? 0u : 1u);
    }
}
END_TEST

START_TEST(nodes_of_unknown_cost_are_not_reassigned)
{
    static const bp_cost none = {.struct_size = sizeof none};
    static const bp_cost less = {.struct_size = sizeof less, .known = 1, .run_ns = -1};
    static const bp_cost old = {.struct_size = 8, .known = 1};

    ck_assert_str_eq(chosen("4", NULL, &cheap), "device"); /* it did not say */
    ck_assert_str_eq(chosen("4", &none, &cheap), "device");
    ck_assert_str_eq(chosen("4", &less, &cheap), "device");
    ck_assert_str_eq(chosen("4", &old, &cheap), "device");
    ck_assert_str_eq(chosen("n", &cheap, &cheap), "device"); /* the number of bytes is unknown */
}
END_TEST

/* Without memory of its own there is nothing to copy; starting it counts once. */
START_TEST(launch_cost_counts_once_for_each_group)
{
    static const bp_cost slow = {
        .struct_size = sizeof slow, .known = 1, .run_ns = 100, .launch_ns = 1000};
    static const bp_cost host = {.struct_size = sizeof host, .known = 1, .run_ns = 650};

    for (int one = 0; one < 2; one++) {
        start_again("4");
        relu("a1", "x", one ? "y" : "v");
        if (!one)
            relu("a2", "v", "y");
        output("y");
        fakes_add(&t, "device", "a")->cost = &slow;
        fakes_add(&t, "host", "a")->cost = &host;
        fakes_partition(&t);
        ck_assert_uint_eq(t.part.provider_of[0], one ? 1u : 0u);
    }
}
END_TEST

/* Nodes between two groups of the device need copies only at their outer boundary. */
START_TEST(large_group_stays_when_a_small_neighbour_is_reassigned)
{
    static const bp_cost host = {.struct_size = sizeof host, .known = 1, .run_ns = 20000};

    start_again("4");
    relu("a1", "x", "v1"); /* 20.1 us with its copies, 20 on the host */
    relu("b1", "v1", "v2");
    relu("a2", "v2", "v3"); /* 20.3 us, 60 on the host */
    relu("a3", "v3", "v4");
    relu("a4", "v4", "y");
    output("y");
    fakes_add_device(&t, "device", "a")->cost = &cheap;
    fakes_add(&t, "host", "ab")->cost = &host;
    fakes_partition(&t);
    ck_assert_str_eq(fakes_groups(&t), "a1 b1|a2 a3 a4");
    ck_assert_uint_eq(provider_of("a1"), 1);
    ck_assert_uint_eq(provider_of("a2"), 0);
}
END_TEST

/* ---- groups ---------------------------------------------------------------------------------- */

START_TEST(path_through_another_provider_splits_a_group)
{
    relu("a1", "x", "v1"); /* a1 feeds a2 directly, and through b1 */
    relu("b1", "v1", "v2");
    add("a2", "v1,v2", "y");
    output("y");
    DIVIDE("a", "b");
    ck_assert_str_eq(fakes_groups(&t), "a1|b1|a2");
}
END_TEST

/* a1 could run first, but is scheduled after b1, so that it makes one group with a2. */
START_TEST(group_is_delayed_to_merge_with_a_later_one_of_its_provider)
{
    relu("a1", "x", "v1");
    relu("b1", "x", "v2");
    add("a2", "v1,v2", "y");
    output("y");
    DIVIDE("a", "b");
    ck_assert_str_eq(fakes_groups(&t), "b1|a1 a2");
}
END_TEST

/* a1 and c3 are delayed to join groups of their provider; c1 and c2 are not, because b0 needs them first. */
START_TEST(groups_are_scheduled_when_a_consumer_needs_them)
{
    relu("a1", "x", "v1");
    relu("c1", "x", "v2");
    relu("c2", "v2", "v3");
    relu("b0", "v3", "v4");
    add("a2", "v1,v4", "v5");
    relu("c3", "x", "v6");
    add("c4", "v6,v5", "y");
    output("y");
    DIVIDE("a", "b", "c");
    ck_assert_str_eq(fakes_groups(&t), "c1 c2|b0|a1 a2|c3 c4");
}
END_TEST

/* b1 and b2 make weights of constants: each runs right before the first that reads it, b3 with b2. */
START_TEST(node_of_constants_is_scheduled_with_its_consumer)
{
    add_weights();
    relu("b1", "w", "w1");
    relu("b2", "w", "w2");
    add("b3", "w2,w2", "w3");
    relu("b4", "x", "v0"); /* reads what is fed: stays where it is */
    add("a1", "x,w1", "v1");
    relu("c1", "v1", "v2");
    add("a2", "v2,w3", "v3");
    add("a3", "v3,v0", "v4");
    relu("c2", "v4", "v5");
    add("a4", "v5,w1", "y");
    output("y");
    DIVIDE("a", "b", "c");
    ck_assert_str_eq(fakes_groups(&t), "b1|b4|a1|b2 b3|c1|a2 a3|c2|a4");
}
END_TEST

/* Groups that only the host, other stages or the caller read are not delayed. */
START_TEST(groups_without_a_consumer_in_the_stage_are_not_delayed)
{
    add_weights();
    relu("b1", "w", "z");
    relu("a1", "x", "v1");
    relu("c1", "v1", "y");
    output("y");
    output("z");
    DIVIDE("a", "b", "c");
    ck_assert_str_eq(fakes_groups(&t), "b1|a1|c1");
}
END_TEST

START_TEST(disconnected_nodes_are_not_one_group)
{
    relu("a1", "x", "y");
    relu("a2", "x", "z");
    output("y");
    output("z");
    DIVIDE("a");
    ck_assert_uint_eq(t.part.n_groups, 2);
}
END_TEST

/* Each group convex, connected, of one provider and one stage; all in an order in which they can run. */
static void check_groups(void)
{
    const struct bp_partition *part = &t.part;
    uint32_t n_seen = 0;

    for (uint32_t g = 0; g < part->n_groups; g++) {
        const struct bp_group *group = &part->groups[g];

        for (uint32_t i = 0; i < group->n_nodes; i++) {
            uint32_t n = group->nodes[i];

            n_seen++;
            ck_assert_uint_eq(part->group_of[n], g);
            ck_assert_uint_eq(part->provider_of[n], group->provider);
            ck_assert_uint_eq(part->stage_of[n], group->stage);
            ck_assert(i == 0 || group->nodes[i - 1] < n);
        }
        ck_assert_uint_ge(group->n_nodes, 1);
        ck_assert(group->provider < BP_BY_NONE || group->n_nodes == 1);
        ck_assert(g == 0 || part->groups[g - 1].stage <= group->stage);
    }
    ck_assert_uint_eq(n_seen, ir->n_nodes);
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        for (uint32_t i = 0; i < ir->nodes[n].n_in; i++) {
            uint32_t producer = ir->values[ir->nodes[n].in[i]].producer;

            /* an order without backward edges between groups: so each is convex */
            ck_assert(producer == BP_NONE || part->group_of[producer] <= part->group_of[n]);
        }
    }
}

/* The views agree with the graph about what comes in and goes out. */
static void check_views(void)
{
    for (uint32_t g = 0; g < t.part.n_groups; g++) {
        const struct bp_graph_view *view = t.part.groups[g].view;
        const bp_graph *graph = &view->graph;

        ck_assert_uint_eq(graph->n_nodes, t.part.groups[g].n_nodes);
        for (uint32_t i = 0; i < graph->n_inputs; i++) {
            const bp_value *value = BP_VALUE(graph, graph->inputs[i]);
            uint32_t producer = ir->values[view->value_of[graph->inputs[i]]].producer;

            ck_assert_uint_eq(value->flags & BP_VALUE_INPUT, BP_VALUE_INPUT);
            ck_assert_uint_eq(value->producer, BP_NONE);
            ck_assert(producer == BP_NONE || t.part.group_of[producer] < g);
        }
        for (uint32_t n = 0; n < graph->n_nodes; n++) {
            const bp_node *node = BP_NODE(graph, n);

            for (uint32_t o = 0; o < node->n_out; o++)
                ck_assert_uint_eq(BP_VALUE(graph, node->out[o])->producer, n);
            for (uint32_t i = 0; i < node->n_in; i++) { /* made before, or from outside */
                const bp_value *value = BP_VALUE(graph, node->in[i]);

                ck_assert(value->producer == BP_NONE ? value->flags != 0 : value->producer < n);
            }
        }
        for (uint32_t i = 0; i < graph->n_outputs; i++)
            ck_assert_uint_ne(BP_VALUE(graph, graph->outputs[i])->producer, BP_NONE);
    }
}

/* A random graph of so many Add nodes, whose names begin with a, b, c or d; some read constants alone. */
static void random_graph(uint32_t n)
{
    char name[16], in[32], out[16];

    add_weights();
    for (uint32_t i = 0; i < n; i++) {
        const char *fresh = rand() % 4 ? "x" : "w";
        char from[2][12];

        for (int k = 0; k < 2; k++)
            snprintf(from[k], sizeof from[k], "%s", fresh);
        for (int k = 0; k < 2 && i > 0; k++) {
            if (rand() % 8)
                snprintf(from[k], sizeof from[k], "v%u", (uint32_t)rand() % i);
        }
        snprintf(name, sizeof name, "%c%u", "abcd"[rand() % 4], i);
        snprintf(in, sizeof in, "%s,%s", from[0], from[1]);
        snprintf(out, sizeof out, "v%u", i);
        add(name, in, out);
        if (rand() % 5 == 0 || i + 1 == n)
            output(out);
    }
}

START_TEST(groups_of_random_graphs_have_a_valid_order)
{
    srand((unsigned)_i + 1);
    random_graph((uint32_t)(1 + rand() % 80));
    fakes_add(&t, "one", "a")->only = _i % 3 ? NULL : "d";
    fakes_add(&t, "two", "ab");
    if (_i % 2)
        fakes_add(&t, "three", "abcd");
    fakes_partition(&t);
    check_groups();
    check_views();
}
END_TEST

START_TEST(groups_of_long_chains_are_found_quickly)
{
    char name[16], in[16] = "x", out[16];

    for (uint32_t i = 0; i < 50000; i++) {
        snprintf(name, sizeof name, "%c%u", i % 50 ? 'a' : 'b', i);
        snprintf(out, sizeof out, "v%u", i);
        relu(name, in, out);
        memcpy(in, out, sizeof in);
    }
    output(in);
    DIVIDE("a", "b");
    ck_assert_uint_eq(t.part.n_groups, 2000);
}
END_TEST

/* ---- stages ---------------------------------------------------------------------------------- */

/* An operator like NonZero, whatever the schema tables have. */
static bp_rc infer_nonzero(struct bp_infer *infer)
{
    struct bp_sym dims[2] = {bp_sym_of(infer->in[0]->rank)};
    bp_rc rc = bp_symbols_fresh(infer->symbols, true, &dims[1], infer->err);

    return rc < 0 ? rc : bp_infer_set(infer, 0, BP_DTYPE_I64, 2, dims);
}

static void nonzero(const char *name, const char *in, const char *out)
{
    static const struct bp_param params[] = {{"X", BP_T_ANY, 0, 0, 0}, {"Y", BP_T(I64), 0, 0, 0}};
    static const struct bp_schema schema = {.op = "NonZero",
                                            .since = 13,
                                            .in = &params[0],
                                            .out = &params[1],
                                            .n_in = 1,
                                            .n_out = 1,
                                            .infer = infer_nonzero,
                                            .sizes_from_data = true};

    graphs_node(&t.g, ir, name, "NonZero", in, out);
    t.special = name;
    t.schema = &schema;
}

START_TEST(data_dependent_size_begins_a_stage)
{
    nonzero("a1", "x", "v1");
    graphs_node(&t.g, ir, "a2", "Neg", "v1", "v2");
    graphs_node(&t.g, ir, "a3", "Abs", "v2", "y"); /* one is enough */
    relu("a4", "x", "z");
    output("y");
    output("z");
    DIVIDE("a");
    ck_assert_uint_eq(t.part.n_stages, 2);
    ck_assert_uint_eq(stage_of("a1"), 0);
    ck_assert_uint_eq(stage_of("a2"), 1);
    ck_assert_uint_eq(stage_of("a3"), 1);
    ck_assert_uint_eq(stage_of("a4"), 0);
    check_groups();
}
END_TEST

START_TEST(shape_computed_from_shapes_needs_no_stage)
{
    static const int64_t minus = -1;

    graphs_constant(&t.g, ir, "minus", BP_DTYPE_I64, &minus, 1);
    graphs_node(&t.g, ir, "a1", "Shape", "x", "v1");
    graphs_node(&t.g, ir, "a2", "Reshape", "x,v1", "v2");
    graphs_node(&t.g, ir, "a3", "Reshape", "v2,minus", "y");
    output("y");
    DIVIDE("a");
    ck_assert_uint_eq(t.part.n_stages, 1);
}
END_TEST

START_TEST(fed_shape_needs_no_stage)
{
    graphs_input(&t.g, ir, "s", BP_DTYPE_I64, "k"); /* even the rank comes with it */
    graphs_node(&t.g, ir, "a1", "Reshape", "x,s", "v1");
    relu("a2", "v1", "v2");
    graphs_node(&t.g, ir, "a3", "Shape", "v2", "v3");
    graphs_node(&t.g, ir, "a4", "Reshape", "v2,v3", "v4");
    relu("a5", "v4", "y");
    output("y");
    DIVIDE("a");
    ck_assert_uint_le(t.part.n_stages, 2); /* the content of v3 has no known size */
    ck_assert_uint_eq(stage_of("a2"), 0);
}
END_TEST

START_TEST(shape_computed_from_data_needs_a_stage)
{
    graphs_input(&t.g, ir, "s", BP_DTYPE_I64, "2");
    graphs_node(&t.g, ir, "a1", "Reshape", "x,s", "z"); /* s is fed: known before the run */
    graphs_node(&t.g, ir, "a2", "Abs", "s", "v2");
    graphs_node(&t.g, ir, "a3", "Reshape", "x,v2", "v3"); /* v2 is computed */
    relu("a4", "v3", "v4");                               /* what comes after is planned with it */
    graphs_node(&t.g, ir, "a5", "Shape", "v4", "v5");
    graphs_node(&t.g, ir, "a6", "Reshape", "v4,v5", "y");
    output("y");
    output("z");
    DIVIDE("a");
    ck_assert_uint_eq(t.part.n_stages, 2);
    ck_assert_uint_eq(stage_of("a1"), 0);
    ck_assert_uint_eq(stage_of("a2"), 0);
    ck_assert_uint_eq(stage_of("a3"), 1);
    ck_assert_uint_eq(stage_of("a6"), 1);
    check_groups();
}
END_TEST

START_TEST(control_flow_runs_on_the_host)
{
    uint32_t node;

    graphs_input(&t.g, ir, "c", BP_DTYPE_BOOL, "");
    relu("a1", "x", "v1");
    node = graphs_node(&t.g, ir, "a2", "If", "c", "v2");
    for (int i = 0; i < 2; i++) {
        struct bp_ir *subgraph = graphs_subgraph(&t.g, ir, i ? "else" : "then");

        graphs_node(&t.g, subgraph, "a9", i ? "Neg" : "Relu", "v1", "w");
        graphs_output(&t.g, subgraph, "w");
        graphs_add_subgraph(&t.g, ir, node, i ? "else_branch" : "then_branch", subgraph);
    }
    relu("a3", "v2", "y");
    output("y");
    DIVIDE("a");
    ck_assert_str_eq(fakes_groups(&t), "a1|a2|a3");
    ck_assert_uint_eq(provider_of("a2"), BP_BY_HOST);
    ck_assert_uint_eq(verdict(0, "a2")->reason, BP_R_CONTROL_FLOW);
    /* a value that only the subgraph reads is still an output of its group */
    ck_assert_uint_eq(t.part.groups[0].view->graph.n_outputs, 1);
}
END_TEST

/* ---- views ----------------------------------------------------------------------------------- */

START_TEST(graph_view_has_sizes_names_and_constants)
{
    const bp_graph *graph;
    const bp_value *value;
    const bp_node *node;
    bp_span span;

    add_weights();
    add("a1", "x,w", "v1");
    relu("a2", "v1", "y");
    output("y");
    DIVIDE("a");
    graph = &t.part.groups[0].view->graph;
    ck_assert_uint_eq(graph->n_inputs, 1);
    ck_assert_uint_eq(graph->n_outputs, 1);
    node = BP_NODE(graph, 0);
    ck_assert_str_eq(node->op, "Add");
    ck_assert_str_eq(node->domain, "");
    ck_assert_uint_eq(node->opset, 13);
    ck_assert_uint_eq(node->since, 13);
    value = BP_VALUE(graph, node->in[0]);
    ck_assert_str_eq(value->name, "x");
    ck_assert_uint_eq(value->rank, 2);
    ck_assert_int_eq(value->dims[0].value, -1);
    ck_assert_uint_ne(value->dims[0].symbol, 0);
    ck_assert_int_eq(value->dims[1].value, 4);
    ck_assert_uint_eq(value->dims[1].symbol, 0);
    ck_assert_uint_eq(BP_VALUE(graph, node->out[0])->dims[0].symbol, value->dims[0].symbol);
    value = BP_VALUE(graph, node->in[1]);
    ck_assert_uint_eq(value->flags, BP_VALUE_CONSTANT);
    ck_assert_uint_eq(value->const_bytes, sizeof weights);
    KIT_OK(((const struct bp_graph_owner *)graph->host)
               ->constant(graph, node->in[1], &span, &t.g.err));
    ck_assert_ptr_eq(span.data, weights);
    KIT_FAILS(
        ((const struct bp_graph_owner *)graph->host)->constant(graph, node->in[0], &span, &kit.err),
        BP_E_INVALID, "is not a constant");
    KIT_FAILS(((const struct bp_graph_owner *)graph->host)->constant(graph, 1000, &span, &kit.err),
              BP_E_INVALID, "1000");
}
END_TEST

START_TEST(provider_may_release_constants)
{
    const bp_ext_constants *table;
    const bp_graph *graph;
    const bp_node *node;
    bp_host host;
    bp_span span;

    add_weights();
    add("a1", "x,w", "y");
    output("y");
    DIVIDE("a");
    graph = &t.part.groups[0].view->graph;
    node = BP_NODE(graph, 0);
    bp_services_for_module(&host, "here");
    ck_assert_ptr_null(host.extension(host.h, "bp.constants/0"));
    table = host.extension(host.h, BP_EXT_CONSTANTS);
    ck_assert_ptr_nonnull(table);
    ck_assert_uint_ge(table->struct_size, sizeof *table);
    table->done(host.h, graph, node->in[1]);
    table->done(host.h, graph, node->in[0]);
    table->done(host.h, graph, 1000);
    KIT_OK(host.constant(host.h, graph, node->in[1], &span, &t.g.err));
    ck_assert_mem_eq(span.data, ((const float[4]){1, 2, 3, 4}), sizeof weights);
}
END_TEST

static const char *one_entry(const void *h, uint32_t i, const char **value)
{
    *value = "deep";
    return i == 0 ? h : NULL;
}

static const char *no_opset(const void *h, uint32_t i, int64_t *version)
{
    (void)h;
    (void)i;
    *version = 0;
    return NULL;
}

/* A pass asks about nodes in a graph of their own. A shorter struct of an older plug-in is kept to. */
START_TEST(graph_of_a_question_is_of_the_model_that_its_nodes_are_of)
{
    const struct bp_ir_model model = {.about = {.struct_size = sizeof model.about,
                                                .path = "here.onnx",
                                                .dir = ".",
                                                .name = "main"},
                                      .h = "blue",
                                      .metadata = one_entry,
                                      .opset = no_opset};
    const struct bp_ir whole = {.name = "main", .model = &model};
    const struct bp_graph_owner owner = {0};
    const bp_graph of_none = {.struct_size = sizeof of_none, .host = &owner};
    bp_graph_model about = {.struct_size = offsetof(bp_graph_model, dir), .dir = "kept"};
    bp_graph_parent parent = {.struct_size = sizeof parent};
    const bp_ext_model *table;
    const bp_graph *graph;
    const char *value;
    int64_t version;
    bp_host host;

    add("a1", "x,x", "y");
    output("y");
    DIVIDE("a");
    ir->part_of = &whole;
    graph = &t.part.groups[0].view->graph;
    bp_services_for_module(&host, "here");
    table = host.extension(host.h, BP_EXT_MODEL);
    ck_assert_ptr_nonnull(table);
    table->model(host.h, graph, &about);
    ck_assert_str_eq(about.path, "here.onnx");
    ck_assert_str_eq(about.dir, "kept");
    ck_assert_uint_eq(about.struct_size, offsetof(bp_graph_model, dir));
    ck_assert_str_eq(table->metadata(host.h, graph, 0, &value), "blue");
    ck_assert_str_eq(value, "deep");
    ck_assert_ptr_null(table->opset(host.h, graph, 0, &version));
    table->parent(host.h, graph, 0, &parent);
    ck_assert_ptr_null(parent.node);
    about.struct_size = sizeof about + 100; /* of a newer plug-in */
    table->model(host.h, &of_none, &about);
    ck_assert_uint_eq(about.struct_size, sizeof about);
    ck_assert_str_eq(about.path, "");
    ck_assert_str_eq(about.doc, "");
    ck_assert_ptr_null(table->metadata(host.h, &of_none, 0, &value));
    ck_assert_ptr_null(table->opset(host.h, &of_none, 0, &version));
}
END_TEST

START_TEST(graph_view_lists_each_input_once)
{
    static const float most = 6;
    const bp_graph *graph;

    graphs_constant(&t.g, ir, "most", BP_DTYPE_F32, &most, 0);
    add("a1", "x,x", "v1");
    graphs_node(&t.g, ir, "a2", "Clip", "v1,,most", "y");
    output("y");
    output("v1");
    DIVIDE("a");
    graph = &t.part.groups[0].view->graph;
    ck_assert_uint_eq(graph->n_inputs, 1);
    ck_assert_uint_eq(graph->n_outputs, 2); /* v1 is read inside, and wanted outside */
    ck_assert_uint_eq(BP_NODE(graph, 1)->in[1], BP_NONE);
    ck_assert_uint_eq(BP_NODE(graph, 0)->in[0], BP_NODE(graph, 0)->in[1]);
}
END_TEST

START_TEST(graph_view_marks_data_dependent_sizes)
{
    const bp_graph *graph;
    const bp_value *value;

    nonzero("a1", "x", "y");
    output("y");
    DIVIDE("a");
    graph = &t.part.groups[0].view->graph;
    value = BP_VALUE(graph, graph->outputs[0]);
    ck_assert_uint_eq(value->rank, 2);
    ck_assert_int_eq(value->dims[0].value, 2);
    ck_assert_int_eq(value->dims[1].value, -1);
    ck_assert_uint_eq(value->dims[1].flags, BP_DIM_FROM_DATA);
}
END_TEST

static void setup_words(void)
{
    kit.err = bp_err_init(kit.text, sizeof kit.text);
    setup();
}

int main(void)
{
    TCase *tcase = tcase_create("partition");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup_words, teardown);
    tcase_add_test(tcase, group_that_costs_more_in_copies_than_it_saves_is_handed_back);
    tcase_add_test(tcase, group_has_nodes_of_one_device);
    tcase_add_test(tcase, device_beyond_those_of_the_instance_is_the_providers_error);
    tcase_add_test(tcase, missing_costs_are_estimated);
    tcase_add_test(tcase, cost_of_a_matmul_is_estimated_by_its_inner_size);
    tcase_add_test(tcase, nodes_of_unknown_cost_are_not_reassigned);
    tcase_add_test(tcase, launch_cost_counts_once_for_each_group);
    tcase_add_test(tcase, large_group_stays_when_a_small_neighbour_is_reassigned);
    tcase_add_test(tcase, first_provider_that_claims_a_node_gets_it);
    tcase_add_test(tcase, nodes_of_one_provider_make_one_group);
    tcase_add_test(tcase, node_that_all_providers_refuse_has_no_provider);
    tcase_add_test(tcase, partition_works_without_providers);
    tcase_add_test(tcase, missing_verdict_counts_as_a_refusal);
    tcase_add_test(tcase, last_verdict_on_a_node_counts);
    tcase_add_test(tcase, provider_whose_capability_call_fails_gets_no_nodes);
    tcase_add_test(tcase, verdict_on_an_unknown_node_is_an_error);
    tcase_add_test(tcase, unknown_operator_gets_no_provider);
    tcase_add_test(tcase, node_claimed_only_beside_others_is_handed_back_when_alone);
    tcase_add_test(tcase, node_that_all_providers_claim_only_beside_others_is_left_over);
    tcase_add_test(tcase, path_through_another_provider_splits_a_group);
    tcase_add_test(tcase, group_is_delayed_to_merge_with_a_later_one_of_its_provider);
    tcase_add_test(tcase, groups_are_scheduled_when_a_consumer_needs_them);
    tcase_add_test(tcase, node_of_constants_is_scheduled_with_its_consumer);
    tcase_add_test(tcase, groups_without_a_consumer_in_the_stage_are_not_delayed);
    tcase_add_test(tcase, disconnected_nodes_are_not_one_group);
    tcase_add_loop_test(tcase, groups_of_random_graphs_have_a_valid_order, 0, 150);
    tcase_add_test(tcase, groups_of_long_chains_are_found_quickly);
    tcase_add_test(tcase, data_dependent_size_begins_a_stage);
    tcase_add_test(tcase, shape_computed_from_shapes_needs_no_stage);
    tcase_add_test(tcase, fed_shape_needs_no_stage);
    tcase_add_test(tcase, shape_computed_from_data_needs_a_stage);
    tcase_add_test(tcase, control_flow_runs_on_the_host);
    tcase_add_test(tcase, graph_view_has_sizes_names_and_constants);
    tcase_add_test(tcase, provider_may_release_constants);
    tcase_add_test(tcase, graph_of_a_question_is_of_the_model_that_its_nodes_are_of);
    tcase_add_test(tcase, graph_view_lists_each_input_once);
    tcase_add_test(tcase, graph_view_marks_data_dependent_sizes);
    return kit_main("partition", &tcase, 1);
}
