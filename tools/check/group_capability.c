/* SPDX-License-Identifier: MIT */
/* group_capability.c - CAPABILITY: every node gets an answer, always the same, and it is kept. */

#include "config.h"

#include <time.h>

#include "check/graph.h"

/* A graph of every case, each twice: with sizes that are known and that are not. */
static struct kit_graph *all_cases(void)
{
    struct kit_graph *graph = kit_graph_new_for(KIT_NODES);

    for (size_t i = 0; i < kit_n_cases; i++) {
        kit_graph_add(graph, &kit_cases[i], 0);
        kit_graph_add(graph, &kit_cases[i], KIT_DYNAMIC);
    }
    return graph;
}

static bp_instance *begin(struct kit *kit)
{
    kit_open_usable(kit);
    return kit_instance(kit);
}

static void answers(struct kit *kit)
{
    struct kit_graph *graph = all_cases();
    bp_instance *instance = begin(kit);
    static struct kit_answers found;
    unsigned silent = 0, taken = 0;

    kit_ask(kit, instance, kit_graph_table(graph, false), &found);
    for (uint32_t n = 0; n < found.n_nodes; n++) {
        silent += !found.node[n].is_given;
        taken += found.node[n].verdict == BP_YES;
    }
    if (found.broken)
        kit_fail(kit, "%s", found.broken);
    kit_settle(kit);
    if (silent > 0)
        kit_warn(kit, "%u of %u nodes get no answer; their report says OTHER", silent,
                 (unsigned)found.n_nodes);
    kit_note(kit, "%u of %u nodes taken", taken, (unsigned)found.n_nodes);
    kit->p.destroy(instance);
    kit_graph_free(graph);
}

static void pure(struct kit *kit)
{
    struct kit_graph *graph = all_cases();
    bp_instance *instance = begin(kit);
    static struct kit_answers first, again;

    kit_ask(kit, instance, kit_graph_table(graph, false), &first);
    for (int i = 0; i < 100; i++) {
        kit_ask(kit, instance, kit_graph_table(graph, false), &again);
        if (memcmp(first.node, again.node, sizeof first.node) != 0)
            kit_fail(kit, "call %d of capability answers otherwise than the first", i + 2);
    }
    kit->p.destroy(instance);
    kit_graph_free(graph);
}

static void any_order(struct kit *kit)
{
    struct kit_graph *graph = all_cases();
    bp_instance *instance = begin(kit);
    static struct kit_answers first, turned;
    uint32_t order[KIT_NODES], n;

    kit_ask(kit, instance, kit_graph_table(graph, false), &first);
    n = first.n_nodes;
    for (uint32_t i = 0; i < n; i++)
        order[i] = n - 1 - i;
    kit_graph_permute(graph, order);
    kit_ask(kit, instance, kit_graph_table(graph, false), &turned);
    for (uint32_t i = 0; i < n; i++) {
        if (memcmp(&first.node[i], &turned.node[order[i]], sizeof first.node[i]) != 0)
            kit_fail(kit, "node '%s' gets another answer in another place of the graph",
                     kit_cases[i / 2].name);
    }
    kit->p.destroy(instance);
    kit_graph_free(graph);
}

static void empty(struct kit *kit)
{
    struct kit_graph *graph = kit_graph_new_for(KIT_NODES);
    bp_instance *instance = begin(kit);
    static struct kit_answers found;

    kit_ask(kit, instance, kit_graph_table(graph, false), &found);
    if (found.broken)
        kit_fail(kit, "%s", found.broken);
    kit->p.destroy(instance);
    kit_graph_free(graph);
}

static void strangers(struct kit *kit)
{
    struct kit_graph *graph = kit_graph_new_for(KIT_NODES);
    bp_instance *instance = begin(kit);
    static struct kit_answers found;

    for (uint32_t i = 0; i < kit_n_cases; i++) {
        kit_graph_add(graph, &kit_cases[i], 0);
        kit_graph_rename(graph, i, kit_cases[i].op, "org.example.stranger");
    }
    kit_graph_rename(graph, 0, "NoSuchOperator", "");
    kit_ask(kit, instance, kit_graph_table(graph, false), &found);
    if (found.node[0].verdict != BP_NO)
        kit_fail(kit, "it takes the operator NoSuchOperator");
    for (uint32_t i = 1; i < kit_n_cases; i++) {
        if (found.node[i].verdict != BP_NO)
            kit_fail(kit, "it takes %s of the domain org.example.stranger", kit_cases[i].op);
    }
    if (found.broken)
        kit_fail(kit, "%s", found.broken);
    kit->p.destroy(instance);
    kit_graph_free(graph);
}

/* Types, ranks and sizes of which nothing is known. */
static void unknowns(struct kit *kit)
{
    static const uint32_t types[] = {12345, BP_DTYPE_NONE, BP_DTYPE_STRING, BP_DTYPE_C128};
    struct kit_graph *graph = kit_graph_new_for(KIT_NODES);
    bp_instance *instance = begin(kit);
    static struct kit_answers found;

    for (uint32_t i = 0; i < 2 * kit_n_cases; i++) {
        struct kit_case odd = kit_cases[i / 2];
        uint32_t type = i % 2 ? types[1 + i / 2 % 3] : types[0];

        odd.in[0].dtype = odd.out.dtype = type;
        odd.n_in = 1; /* the graph borrows no attribute of a case that is gone */
        odd.in[0].role = KIT_FED;
        memset(odd.attrs, 0, sizeof odd.attrs);
        kit_graph_add(graph, &odd, i % 4 < 2 ? 0 : KIT_RANKLESS | KIT_DYNAMIC);
    }
    kit_ask(kit, instance, kit_graph_table(graph, false), &found);
    if (found.broken)
        kit_fail(kit, "%s", found.broken);
    for (uint32_t i = 0; i < found.n_nodes; i += 2) {
        if (found.node[i].verdict == BP_YES)
            kit_fail(kit, "it takes %s of element type 12345", kit_cases[i / 2].op);
    }
    kit->p.destroy(instance);
    kit_graph_free(graph);
}

static void keeps_its_word(struct kit *kit)
{
    bp_instance *instance = begin(kit);
    unsigned n = 0;

    for (size_t i = 0; i < 2 * kit_n_cases; i++) {
        const struct kit_case *c = &kit_cases[i / 2];
        uint32_t flags = i % 2 ? KIT_DYNAMIC : 0;
        struct kit_graph *graph;
        struct kit_exec exec;
        bp_rc rc;

        if (!kit_takes(kit, instance, c, flags))
            continue;
        graph = kit_graph_new();
        kit_graph_add(graph, c, flags);
        rc = kit_compile(kit, &exec, instance, kit_graph_table(graph, false));
        if (rc < 0)
            kit_fail(kit, "%s%s: taken, but compile gives %d: %s", c->name,
                     flags ? " of unknown sizes" : "", (int)rc, kit->words);
        kit_exec_finish(&exec);
        kit_graph_free(graph);
        n++;
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (n == 0)
        kit_skip(kit, "it takes none of the kit's cases");
    kit_note(kit, "%u programs", n);
}

/* Nothing that happens between two questions changes the answer. */
static void keeps_its_mind(struct kit *kit)
{
    struct kit_graph *graph = all_cases();
    bp_instance *instance = begin(kit), *other = kit_instance(kit);
    static struct kit_answers first, again;

    kit_ask(kit, instance, kit_graph_table(graph, false), &first);
    for (const struct kit_case *c = kit_first_taken(kit, instance); c;
         c = kit_next_taken(kit, instance, c + 1))
        kit_run_case(kit, instance, c, 0, 0);
    kit_ask(kit, instance, kit_graph_table(graph, false), &again);
    if (memcmp(first.node, again.node, sizeof first.node) != 0)
        kit_fail(kit, "after it compiled and ran programs it answers otherwise than before");
    kit_ask(kit, other, kit_graph_table(graph, false), &again);
    if (memcmp(first.node, again.node, sizeof first.node) != 0)
        kit_fail(kit, "another instance with the same options answers otherwise");
    kit->p.destroy(other);
    kit->p.destroy(instance);
    kit_graph_free(graph);
}

/* The best of a few calls about n nodes, in seconds of processor time: other programs do not count. */
static double time_of(struct kit *kit, bp_instance *instance, uint32_t n)
{
    static struct kit_answers found;
    struct kit_graph *graph = kit_graph_new_for(n);
    const bp_graph *table;
    double best = 1e9;

    for (uint32_t i = 0; i < n; i++) {
        const struct kit_case *c = &kit_cases[i % kit_n_cases];

        kit_graph_add(graph, c->is_large ? &kit_cases[0] : c, 0);
    }
    table = kit_graph_table(graph, false);
    for (int i = 0; i < 5; i++) {
        struct timespec start, end;
        double took;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
        kit_ask(kit, instance, table, &found);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        took = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
        best = took < best ? took : best;
    }
    kit_graph_free(graph);
    return best;
}

static void linear(struct kit *kit)
{
    enum { FEW = 1000, MANY = 8000 };
    const double factor = 3 * (double)MANY / FEW; /* caches cost something, a square costs 64 */
    bp_instance *instance = begin(kit);
    double few = time_of(kit, instance, FEW), many = time_of(kit, instance, MANY);

    kit->p.destroy(instance);
    if (many > 0.02 && many > factor * few)
        kit_fail(kit, "capability takes %.1f ms for %d nodes and %.1f ms for %d", few * 1e3, FEW,
                 many * 1e3, MANY);
    kit_note(kit, "%.1f ms for %d nodes, %.1f ms for %d", few * 1e3, FEW, many * 1e3, MANY);
}

static const struct kit_test tests[] = {
    {"BPK-CAPABILITY-01", "every node gets an answer, every refusal a reason", "bp_claims.node",
     answers},
    {"BPK-CAPABILITY-02", "it is pure: 100 times the same answer", "bp_provider.capability", pure},
    {"BPK-CAPABILITY-03", "the order of nodes does not matter", "bp_provider.capability",
     any_order},
    {"BPK-CAPABILITY-04", "a graph without nodes is fine", "bp_provider.capability", empty},
    {"BPK-CAPABILITY-05", "strange operators and domains are refused", "bp_node.op, .domain",
     strangers},
    {"BPK-CAPABILITY-06", "unknown types and ranks are answered", "bp_value.dtype, .rank",
     unknowns},
    {"BPK-CAPABILITY-07", "what is taken compiles", "bp_provider.capability", keeps_its_word},
    {"BPK-CAPABILITY-08", "what happens between two questions does not matter",
     "bp_provider.capability: pure", keeps_its_mind},
    {"BPK-CAPABILITY-09", "its time grows with the number of nodes, not with its square",
     "bp_provider.capability", linear},
};

const struct kit_group kit_capability = {"CAPABILITY", tests, sizeof tests / sizeof tests[0]};
