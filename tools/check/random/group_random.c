/* SPDX-License-Identifier: MIT */
/*
 * group_random.c - RANDOM: graphs of random operators that the provider takes, with random sizes. Each seed of
 * each test has a process of its own; see apart.c. Results are held to the kit's references, and to those of
 * another provider, the user's --reference.
 */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "check/cases/reference.h"
#include "check/coverage.h"
#include "check/graph.h"
#include "check/random/random.h"

enum {
    GRAPHS = 6, /* of a seed */
    NODES = 6,  /* of a graph, at most */
    TRIES = 60  /* to draw a node that is taken */
};

/* A graph: nodes in a row, as a case of kit_case_pair(). */
struct chain {
    struct kit_case nodes[NODES], pairs[NODES];
    const struct kit_case *c; /* the whole; NULL: no node was found */
    uint32_t n;
    char words[512]; /* what the nodes are */
};

static struct chain chain; /* large; one at a time */

/* ---- graphs ---------------------------------------------------------------------------------- */

/* A node behind what there is, which the provider takes alone; false: none was found. */
static bool draw(struct kit *kit, bp_instance *instance, const struct kit_port *x, uint32_t flags,
                 struct kit_case *out)
{
    for (int i = 0; i < TRIES; i++) {
        if (kit_random_node(x, out) && kit_takes(kit, instance, out, flags))
            return true;
    }
    return false;
}

static void say(const struct kit_case *c)
{
    size_t n = strlen(chain.words);

    snprintf(chain.words + n, sizeof chain.words - n, "%s%s", n ? "; " : "", c->name);
}

static void make_chain(struct kit *kit, bp_instance *instance, uint32_t flags)
{
    uint32_t most = 1 + kit_below(NODES);
    struct kit_port x;

    memset(&chain, 0, sizeof chain);
    for (int i = 0; i < TRIES && !chain.c; i++) {
        kit_random_port(&x);
        if (kit_random_node(&x, &chain.nodes[0]) &&
            kit_takes(kit, instance, &chain.nodes[0], flags))
            chain.c = &chain.nodes[0];
    }
    if (!chain.c)
        return;
    say(chain.c);
    for (chain.n = 1; chain.n < most; chain.n++) {
        struct kit_case *node = &chain.nodes[chain.n], *pair = &chain.pairs[chain.n];

        if (!draw(kit, instance, &chain.c->out, flags, node) || !kit_case_pair(chain.c, node, pair))
            break;
        pair->tolerance = 2e-3; /* of kit_case_pair() it would grow with each node */
        chain.c = pair;
        say(node);
    }
}

/* Does the provider take all nodes together, on one device? Else they would be several programs. */
static bool is_taken(struct kit *kit, bp_instance *instance, const bp_graph *table)
{
    struct kit_answers found;

    kit_ask(kit, instance, table, &found);
    for (uint32_t n = 0; n < table->n_nodes; n++) {
        if (found.node[n].verdict != BP_YES || found.node[n].device != found.node[0].device)
            return false;
    }
    return true;
}

static struct kit_graph *graph_of(const struct kit_case *c, uint32_t flags)
{
    struct kit_graph *graph = kit_graph_new();

    if (c->second)
        kit_graph_add_pair(graph, c, flags);
    else
        kit_graph_add(graph, c, flags);
    return graph;
}

/* Runs a case on an instance; its memory stays for the results to be read. */
static void run(struct kit *kit, bp_instance *instance, const struct kit_case *c,
                const bp_graph *table, struct kit_exec *exec)
{
    bp_rc rc = kit_compile(kit, exec, instance, table);

    if (rc >= 0)
        rc = kit_frame(exec, table, c);
    if (rc < 0)
        kit_fail(kit, "%s: %d: %s", chain.words, (int)rc, kit->words);
    kit_place(exec, c, kit->seed + 7, 0);
    rc = kit_execute(exec);
    if (rc != BP_OK)
        kit_fail(kit, "%s: execute gives %d: %s", chain.words, (int)rc, kit->words);
}

static void right(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    unsigned taken = 0;

    kit_random_begin(kit->seed);
    for (int i = 0; i < GRAPHS; i++) {
        uint32_t flags = kit_below(4) ? 0 : KIT_DYNAMIC;
        struct kit_graph *graph;
        struct kit_exec exec;

        make_chain(kit, instance, flags);
        if (!chain.c)
            continue;
        graph = graph_of(chain.c, flags);
        if (is_taken(kit, instance, kit_graph_table(graph, false))) {
            run(kit, instance, chain.c, kit_graph_table(graph, false), &exec);
            kit_check(&exec, chain.c, chain.words);
            kit_exec_finish(&exec);
            taken++;
        }
        kit_graph_free(graph);
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (taken == 0)
        kit_skip(kit, "it takes none of %d graphs", GRAPHS);
}

/* ---- another provider ------------------------------------------------------------------------ */

static struct kit other; /* not on the stack, which longjmp may leave in disorder */
static struct kit_outcome other_outcome;

/* Skips the test when there is no reference. What ends the reference's own work jumps to other.end. */
static void prepare_other(struct kit *kit)
{
    if (!kit->reference)
        kit_skip(kit, "--reference names no provider to compare with");
    memset(&other, 0, sizeof other);
    other.path = kit->reference;
    other.outcome = &other_outcome;
    other.seed = kit->seed;
}

static _Noreturn void skip_other(struct kit *kit)
{
    kit_skip(kit, "the reference: %.900s", other_outcome.text);
}

static bool is_near(const struct kit_case *c, double got, double want)
{
    double most = c->tolerance > 1e-3 ? c->tolerance : 1e-3;

    if (isnan(want) || isnan(got) || isinf(want) || isinf(got))
        return (isnan(want) && isnan(got)) || want == got;
    return fabs(got - want) <= (kit_is_float(c->out.dtype) ? most * (1 + fabs(want)) : 0);
}

/* The results of two frames of one case. */
static void compare(struct kit *kit, const struct kit_case *c, const struct kit_exec *got,
                    const struct kit_exec *want)
{
    for (size_t i = 0; i < kit_count(&c->out); i++) {
        double a = kit_load(c->out.dtype, got->out_block.data, i);
        double b = kit_load(c->out.dtype, want->out_block.data, i);

        if (!is_near(c, a, b))
            kit_fail(kit, "%s: element %zu is %.9g, the reference gives %.9g", chain.words, i, a,
                     b);
    }
    kit_coverage_ran(c);
}

/* Runs a case on both if both take all of it; false: they do not. */
static bool run_both(struct kit *kit, bp_instance *instance, bp_instance *its,
                     const struct kit_case *c, uint32_t flags)
{
    struct kit_graph *graph = graph_of(c, flags);
    const bp_graph *table = kit_graph_table(graph, false);
    struct kit_exec mine, theirs;
    bool both = is_taken(kit, instance, table) && is_taken(&other, its, table);

    if (both) {
        run(&other, its, c, table, &theirs);
        run(kit, instance, c, table, &mine);
        compare(kit, c, &mine, &theirs);
        kit_exec_finish(&mine);
        kit_exec_finish(&theirs);
    }
    kit_graph_free(graph);
    return both;
}

static void finish_both(struct kit *kit, bp_instance *instance, bp_instance *its, unsigned n)
{
    kit->p.destroy(instance);
    other.p.destroy(its);
    kit_settle(kit);
    if (n == 0)
        kit_skip(kit, "it takes none of them that the reference takes");
}

static void compare_graphs(struct kit *kit)
{
    bp_instance *its = kit_begin(&other), *instance = kit_begin(kit);
    unsigned n = 0;

    kit_random_begin(kit->seed);
    for (int i = 0; i < GRAPHS; i++) {
        make_chain(kit, instance, 0);
        if (chain.c)
            n += run_both(kit, instance, its, chain.c, 0);
    }
    finish_both(kit, instance, its, n);
}

/* A tenth of the rows for each seed. */
static void compare_rows(struct kit *kit)
{
    bp_instance *its = kit_begin(&other), *instance = kit_begin(kit);
    unsigned n = 0;

    kit->host.may_allocate = other.host.may_allocate = true; /* indices are fed; see RUN-01 */
    for (size_t i = kit->seed % 10; i < kit_n_other_rows; i += 10) {
        static struct kit_case c;

        kit_case_parse(&kit_other_rows[i], &c);
        for (uint32_t k = 0; k < c.n_in; k++)
            c.in[k].seed = kit->seed + k;
        snprintf(chain.words, sizeof chain.words, "%s", c.name);
        if (kit_takes(kit, instance, &c, 0))
            n += run_both(kit, instance, its, &c, 0);
    }
    finish_both(kit, instance, its, n);
}

static void as_reference(struct kit *kit)
{
    prepare_other(kit);
    if (setjmp(other.end) != 0)
        skip_other(kit);
    compare_graphs(kit);
}

static void others(struct kit *kit)
{
    prepare_other(kit);
    if (setjmp(other.end) != 0)
        skip_other(kit);
    compare_rows(kit);
}

static const struct kit_test tests[] = {
    {"BPK-RANDOM-01", "graphs of random operators and sizes are right", "ONNX operators", right},
    {"BPK-RANDOM-02", "graphs of random operators give what the reference gives", "ONNX operators",
     as_reference},
    {"BPK-RANDOM-03", "operators that the kit cannot compute give what the reference gives",
     "ONNX operators", others},
};

const struct kit_group kit_random_group = {"RANDOM", tests, sizeof tests / sizeof tests[0]};
