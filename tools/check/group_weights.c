/* SPDX-License-Identifier: MIT */
/*
 * group_weights.c - WEIGHTS: initializers of equal shape and name are not the same initializer, lie
 * anywhere, and are only read.
 */

#include "config.h"

#include "check/graph.h"

/* The case after `from` with constant weights that is taken; NULL: none. */
static const struct kit_case *next_constant(struct kit *kit, bp_instance *instance,
                                            const struct kit_case *from)
{
    const struct kit_case *c = kit_next_taken(kit, instance, from);

    while (c && !c->has_constants)
        c = kit_next_taken(kit, instance, c + 1);
    return c;
}

static const struct kit_case *need_constant(struct kit *kit, bp_instance *instance)
{
    const struct kit_case *c = next_constant(kit, instance, kit_cases);

    if (!c)
        kit_skip(kit, "it takes no case whose weights are initializers");
    return c;
}

/* The same node with other weights. */
static struct kit_case with_other_weights(const struct kit_case *c)
{
    struct kit_case other = *c;

    for (uint32_t i = 0; i < other.n_in; i++)
        other.in[i].seed += 500009;
    return other;
}

/* A program of a case, ready to run. */
struct ready {
    struct kit_graph *graph;
    struct kit_exec exec;
};

static void finish(struct ready *ready)
{
    kit_exec_finish(&ready->exec);
    kit_graph_free(ready->graph);
}

static void run(struct kit *kit, struct ready *ready, const struct kit_case *c, unsigned seed,
                const char *what)
{
    char words[320];

    snprintf(words, sizeof words, "%s: %.200s", what, c->name);
    kit->doing = c->name;
    kit_place(&ready->exec, c, seed, 0);
    kit_execute_well(&ready->exec, c);
    kit_check(&ready->exec, c, words);
}

/* Two programs that live at once, run in turn. */
static void in_turn(struct kit *kit, bp_instance *a, bp_instance *b, const struct kit_case *c)
{
    static struct kit_case other;
    static struct ready first, second;

    other = with_other_weights(c);
    first.graph = kit_ready(kit, &first.exec, a, c, 0);
    if (a != b) /* another session, of another model that has the same names */
        kit_graph_same_names();
    second.graph = kit_ready(kit, &second.exec, b, &other, 0);
    for (unsigned i = 0; i < 2; i++) {
        run(kit, &first, c, i, "the first of two programs with weights of equal shapes");
        run(kit, &second, &other, i, "the second of two programs with weights of equal shapes");
    }
    finish(&second);
    finish(&first);
}

static void two_programs(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    unsigned n = 0;

    for (const struct kit_case *c = need_constant(kit, instance); c;
         c = next_constant(kit, instance, c + 1)) {
        in_turn(kit, instance, instance, c);
        n++;
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    kit_note(kit, "%u pairs of programs", n);
}

static void two_instances(struct kit *kit)
{
    bp_instance *a = kit_begin(kit), *b = kit_instance(kit);
    unsigned n = 0;

    for (const struct kit_case *c = need_constant(kit, a); c; c = next_constant(kit, a, c + 1)) {
        kit_graph_same_names();
        in_turn(kit, a, b, c);
        n++;
    }
    kit->p.destroy(b);
    kit->p.destroy(a);
    kit_settle(kit);
    kit_note(kit, "%u pairs of programs", n);
}

/* Can the node follow itself? */
static bool is_square(const struct kit_case *c)
{
    const struct kit_port *x = &c->in[0], *y = &c->out;

    if (x->role != KIT_FED || x->dtype != y->dtype || x->rank != y->rank)
        return false;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (x->dims[d] != y->dims[d])
            return false;
    }
    return true;
}

/* Does the provider take both nodes of a pair, as one group? */
static bool takes_pair(struct kit *kit, bp_instance *instance, const struct kit_case *pair)
{
    struct kit_graph *graph = kit_graph_new();
    struct kit_answers answers;

    kit_graph_add_pair(graph, pair, 0);
    kit_ask(kit, instance, kit_graph_table(graph, false), &answers);
    kit_graph_free(graph);
    return answers.node[0].verdict == BP_YES && answers.node[1].verdict == BP_YES;
}

static void one_program(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    unsigned n = 0;

    for (const struct kit_case *c = need_constant(kit, instance); c;
         c = next_constant(kit, instance, c + 1)) {
        static struct kit_case other, pair;

        other = with_other_weights(c);
        if (!is_square(c) || !kit_case_pair(c, &other, &pair) || !takes_pair(kit, instance, &pair))
            continue;
        kit_run_case(kit, instance, &pair, 0, 0);
        n++;
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (n == 0)
        kit_skip(kit, "it takes no two nodes in a row with weights of equal shapes");
    kit_note(kit, "%u programs of two nodes", n);
}

static void placed(struct kit *kit, uint32_t flags)
{
    bp_instance *instance = kit_begin(kit);
    unsigned n = 0;

    for (const struct kit_case *c = need_constant(kit, instance); c;
         c = next_constant(kit, instance, c + 1)) {
        kit_run_case(kit, instance, c, flags, 0);
        n++;
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    kit_note(kit, "%u programs", n);
}

static void odd_addresses(struct kit *kit)
{
    placed(kit, KIT_ODD);
}

static void to_the_end(struct kit *kit)
{
    placed(kit, KIT_TIGHT);
}

/* The table maps what is packed read-only, so that a later write ends the test with its words. */
static void packed(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);

    for (const struct kit_case *c = need_constant(kit, instance); c;
         c = next_constant(kit, instance, c + 1)) {
        kit_run_case(kit, instance, c, 0, 0);
        if (kit_host_has_users(&kit->host))
            kit_fail(kit, "%s: after program_free a weight is not put back", c->name);
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (!kit_host_has_packed(&kit->host))
        kit_skip(kit, "it does not call weight_get");
    kit_note(kit, "%u weights packed", (unsigned)kit->host.n_packed);
}

static const struct kit_test tests[] = {
    {"BPK-WEIGHTS-01", "two programs with weights of equal shapes keep them apart",
     "bp_value.const_id", two_programs},
    {"BPK-WEIGHTS-02", "two nodes of a program with weights of equal shapes keep them apart",
     "bp_value.const_id", one_program},
    {"BPK-WEIGHTS-03", "two models with weights of equal names and shapes keep them apart",
     "bp_host.weight_get: key", two_instances},
    {"BPK-WEIGHTS-04", "initializers may lie at any address", "bp_host.constant", odd_addresses},
    {"BPK-WEIGHTS-05", "initializers are read to their end, and only read", "bp_host.constant",
     to_the_end},
    {"BPK-WEIGHTS-06", "packed weights are only read, and are put back", "bp_host.weight_get",
     packed},
};

const struct kit_group kit_weights = {"WEIGHTS", tests, sizeof tests / sizeof tests[0]};
