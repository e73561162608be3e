/* SPDX-License-Identifier: MIT */
/*
 * group_state.c - STATE: a result depends on the inputs and the program, on nothing else. Not on runs
 * before, on other programs, frames and instances, on who computes which part, on where memory lies.
 */

#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "check/graph.h"
#include "check/guard.h"

/* ---- runs one after the other ---------------------------------------------------------------- */

/* Other inputs in the same memory: nothing but their contents says that they are new. */
static void same_memory(struct kit *kit)
{
    static const unsigned seeds[] = {1, 2, 1, 3, 3};
    bp_instance *instance = kit_begin(kit);
    unsigned n = 0;

    for (const struct kit_case *c = kit_need_case(kit, instance); c;
         c = kit_next_taken(kit, instance, c + 1)) {
        struct kit_exec exec;
        struct kit_graph *graph = kit_ready(kit, &exec, instance, c, 0);
        char words[320];

        snprintf(words, sizeof words, "other inputs in the same memory: %.200s", c->name);
        kit_place(&exec, c, 9, 0);
        for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
            kit_refill(&exec, c, seeds[i]);
            memset(exec.out_block.data, KIT_POISON, exec.out_block.bytes);
            kit_execute_well(&exec, c);
            kit_check(&exec, c, words);
        }
        kit_exec_finish(&exec);
        kit_graph_free(graph);
        n++;
    }
    kit_settle(kit);
    kit->p.destroy(instance);
    kit_note(kit, "%u programs", n);
}

/* The host may use scratch memory for others between runs, and move it. */
static void lost_scratch(struct kit *kit)
{
    static const int bytes[] = {0xff, 0x00, 0x5a, 0x7f};
    bp_instance *instance = kit_begin(kit);
    unsigned n = 0;

    for (const struct kit_case *c = kit_need_case(kit, instance); c;
         c = kit_next_taken(kit, instance, c + 1)) {
        struct kit_exec exec;
        struct kit_graph *graph = kit_ready(kit, &exec, instance, c, 0);
        char words[320];

        snprintf(words, sizeof words, "scratch memory was overwritten between runs: %.200s",
                 c->name);
        kit_place(&exec, c, 3, 0);
        for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
            kit_overwrite(&exec, bytes[i]);
            kit_execute_well(&exec, c);
            kit_check(&exec, c, words);
        }
        n += exec.desc->scratch != NULL;
        kit_exec_finish(&exec);
        kit_graph_free(graph);
    }
    kit_settle(kit);
    kit->p.destroy(instance);
    if (n == 0)
        kit_skip(kit, "no frame asks for scratch memory");
    kit_note(kit, "%u frames with scratch memory", n);
}

/* ---- everything at once ---------------------------------------------------------------------- */

/* A program of a case. */
struct live {
    const struct kit_case *c;
    struct kit_graph *graph;
    struct kit_exec exec;
};

/* All cases that are taken, compiled and with a frame each. *n: how many. */
static struct live *compile_all(struct kit *kit, bp_instance *instance, size_t *n)
{
    struct live *all = calloc(kit_n_cases, sizeof *all);

    if (!all)
        abort();
    *n = 0;
    for (const struct kit_case *c = kit_need_case(kit, instance); c;
         c = kit_next_taken(kit, instance, c + 1)) {
        struct live *live = &all[(*n)++];

        live->c = c;
        live->graph = kit_ready(kit, &live->exec, instance, c, 0);
        kit_place(&live->exec, c, (unsigned)*n, 0);
    }
    return all;
}

static void run_again(struct kit *kit, struct live *live, unsigned seed, const char *what)
{
    char words[320];

    snprintf(words, sizeof words, "%s: %.200s", what, live->c->name);
    kit->doing = live->c->name;
    kit_refill(&live->exec, live->c, seed);
    kit_execute_well(&live->exec, live->c);
    kit_check(&live->exec, live->c, words);
}

static void finish_all(struct live *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kit_exec_finish(&all[i].exec);
        kit_graph_free(all[i].graph);
    }
    free(all);
}

/* Every program was prepared before the first of them runs. */
static void all_programs(struct kit *kit)
{
    static const char what[] = "while all programs of the instance live";
    bp_instance *instance = kit_begin(kit);
    size_t n;
    struct live *all = compile_all(kit, instance, &n);

    for (size_t i = 0; i < n; i++)
        run_again(kit, &all[i], (unsigned)i, what);
    for (size_t i = n; i-- > 0;)
        run_again(kit, &all[i], (unsigned)(i + n), what);
    finish_all(all, n);
    kit_settle(kit);
    kit->p.destroy(instance);
    kit_note(kit, "%zu programs", n);
}

static void two_instances(struct kit *kit)
{
    static const char what[] = "while another instance runs the same nodes";
    bp_instance *a = kit_begin(kit), *b = kit_instance(kit);
    size_t n, n_other;
    struct live *all, *other;

    kit_graph_same_names();
    all = compile_all(kit, a, &n);
    kit_graph_same_names();
    other = compile_all(kit, b, &n_other);
    if (n != n_other)
        kit_fail(kit, "one instance takes %zu cases, another with the same options %zu", n,
                 n_other);
    for (size_t i = 0; i < n; i++) {
        run_again(kit, &all[i], (unsigned)i, what);
        run_again(kit, &other[i], (unsigned)(i + n), what);
        run_again(kit, &all[i], (unsigned)(i + 2 * n), what);
    }
    finish_all(other, n);
    finish_all(all, n);
    kit->p.destroy(b);
    kit->p.destroy(a);
    kit_settle(kit);
    kit_note(kit, "%zu programs in each", n);
}

/* ---- workers --------------------------------------------------------------------------------- */

/* All cases, with one way to divide the indices of parallel_for; large ones too. */
static unsigned divide(struct kit *kit, uint32_t width, uint32_t order)
{
    bp_instance *instance;
    unsigned n = 0;

    kit->host.width = width;
    kit->host.order = order;
    instance = kit_instance(kit);
    for (const struct kit_case *c = kit_cases; c < kit_cases + kit_n_cases; c++) {
        if (!kit_takes(kit, instance, c, 0))
            continue;
        kit_run_case(kit, instance, c, 0, 0);
        n++;
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    return n;
}

static void any_worker(struct kit *kit)
{
    static const struct {
        uint32_t width, order;
    } ways[] = {
        {1, KIT_FIRST_WORKER},
        {2, KIT_LAST_WORKER},
        {7, KIT_ANY_WORKER},
        {64, KIT_LAST_WORKER},
    };
    unsigned n = 0;

    kit_open_usable(kit);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        n = divide(kit, ways[i].width, ways[i].order);
    if (n == 0)
        kit_skip(kit, "it takes none of the kit's cases");
    kit_note(kit, "%u programs, divided in 4 ways", n);
}

static void real_threads(struct kit *kit)
{
    unsigned n;

    kit_open_usable(kit);
    n = divide(kit, 4, KIT_THREADS);
    if (n == 0)
        kit_skip(kit, "it takes none of the kit's cases");
    kit_note(kit, "%u programs on 4 threads", n);
}

/* ---- threads of the application -------------------------------------------------------------- */

enum { N_THREADS = 8, N_RUNS = 40 };

/* A thread with a program of its own. */
struct runner {
    struct kit kit; /* its own error and end; the host's table is the one of the first */
    struct live *live;
    struct kit_outcome outcome;
    pthread_t thread;
};

static void *run_often(void *u)
{
    struct runner *runner = u;

    if (setjmp(runner->kit.end) != 0)
        return NULL; /* the outcome says why */
    runner->live->exec.kit = &runner->kit;
    for (unsigned i = 0; i < N_RUNS; i++)
        run_again(&runner->kit, runner->live, i, "several programs at once");
    return NULL;
}

/* Programs of one instance may run at once, each with one frame: flags are about frames only. */
static void programs_at_once(struct kit *kit)
{
    static struct runner runners[N_THREADS];
    bp_instance *instance = kit_begin(kit);
    size_t n, step;
    struct live *all = compile_all(kit, instance, &n);
    unsigned n_threads = n < N_THREADS ? (unsigned)n : N_THREADS;

    step = n / n_threads;
    for (unsigned i = 0; i < n_threads; i++) {
        runners[i].kit = *kit;
        runners[i].kit.outcome = &runners[i].outcome;
        runners[i].live = &all[i * step];
        if (pthread_create(&runners[i].thread, NULL, run_often, &runners[i]) != 0)
            kit_skip(kit, "no threads here");
    }
    for (unsigned i = 0; i < n_threads; i++)
        pthread_join(runners[i].thread, NULL);
    for (unsigned i = 0; i < n_threads; i++) {
        runners[i].live->exec.kit = kit;
        if (runners[i].outcome.verdict == KIT_FAIL)
            kit_fail(kit, "%s", runners[i].outcome.text);
    }
    finish_all(all, n);
    kit->p.destroy(instance);
    kit_note(kit, "%u programs on as many threads", n_threads);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void placed(struct kit *kit, uint32_t placing)
{
    bp_instance *instance = kit_begin(kit);
    unsigned n = 0;

    for (const struct kit_case *c = kit_need_case(kit, instance); c;
         c = kit_next_taken(kit, instance, c + 1)) {
        struct kit_graph *graph;
        struct kit_exec exec;

        kit->placing = placing;
        graph = kit_ready(kit, &exec, instance, c, 0);
        for (unsigned i = 0; i < 2; i++) {
            kit_place(&exec, c, i, 0);
            kit_execute_well(&exec, c);
            kit_check(&exec, c, c->name);
        }
        kit_exec_finish(&exec);
        kit_graph_free(graph);
        kit->placing = KIT_LOOSE;
        n++;
    }
    kit_settle(kit);
    kit->p.destroy(instance);
    kit_note(kit, "%u programs", n);
}

static void at_the_end(struct kit *kit)
{
    placed(kit, KIT_AT_END);
}

static void at_the_start(struct kit *kit)
{
    placed(kit, KIT_AT_START);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The same node but for sizes? Both without initializers, whose sizes a program knows. */
static bool is_sibling(const struct kit_case *a, const struct kit_case *b)
{
    if (a == b || strcmp(a->op, b->op) != 0 || a->n_in != b->n_in || a->since != b->since ||
        a->out.rank != b->out.rank || a->out.dtype != b->out.dtype)
        return false;
    for (uint32_t i = 0; i < a->n_in; i++) {
        if (!kit_is_fed(&a->in[i]) || !kit_is_fed(&b->in[i]) || a->in[i].rank != b->in[i].rank ||
            a->in[i].dtype != b->in[i].dtype || a->in[i].n_fixed > 0 || b->in[i].n_fixed > 0)
            return false;
    }
    for (uint32_t k = 0; k < KIT_ATTRS; k++) {
        const struct kit_attr *x = &a->attrs[k], *y = &b->attrs[k];

        if (!x->name != !y->name)
            return false;
        if (x->name && (strcmp(x->name, y->name) != 0 || x->type != y->type ||
                        x->count != y->count || memcmp(x->ints, y->ints, sizeof x->ints) != 0 ||
                        memcmp(&x->number, &y->number, sizeof x->number) != 0 ||
                        (x->text && strcmp(x->text, y->text) != 0)))
            return false;
    }
    return true;
}

/* Frames of one program, whose sizes differ, run in turn. Returns how many ran. */
static unsigned two_frames(struct kit *kit, bp_instance *instance, const struct kit_case *a,
                           const struct kit_case *b)
{
    const struct kit_case *const cases[] = {a, b};
    struct kit_graph *graph = kit_graph_new();
    struct kit_exec exec[2];
    const bp_graph *table;
    unsigned n = 0;

    kit->doing = a->name;
    memset(exec, 0, sizeof exec);
    kit_graph_add(graph, a, KIT_DYNAMIC);
    table = kit_graph_table(graph, false);
    if (kit_compile(kit, &exec[0], instance, table) < 0)
        kit_fail(kit, "%s of unknown sizes: %s", a->name, kit->words);
    exec[1].kit = kit;
    exec[1].instance = instance;
    exec[1].program = exec[0].program;
    for (int i = 0; i < 2; i++) {
        bp_rc rc = kit_frame(&exec[i], table, cases[i]);

        if (rc < 0 && rc != BP_E_SHAPE)
            kit_fail(kit, "%s in a program of unknown sizes: frame_create gives %d: %s",
                     cases[i]->name, (int)rc, kit->words);
        n += rc >= 0;
    }
    for (unsigned round = 0; n == 2 && round < 4; round++) {
        const struct kit_case *c = cases[round % 2];

        kit_place(&exec[round % 2], c, round, 0);
        kit_execute_well(&exec[round % 2], c);
        kit_check(&exec[round % 2], c, c->name);
    }
    exec[1].program = NULL;
    kit_exec_finish(&exec[1]);
    kit_exec_finish(&exec[0]);
    kit_graph_free(graph);
    return n == 2;
}

static void shapes_in_turn(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    unsigned n = 0;

    for (size_t i = 0; i < kit_n_cases; i++) {
        const struct kit_case *a = &kit_cases[i];

        if (a->is_large || !kit_takes(kit, instance, a, KIT_DYNAMIC))
            continue;
        for (size_t k = 0; k < kit_n_cases; k++) {
            if (!kit_cases[k].is_large && is_sibling(a, &kit_cases[k]))
                n += two_frames(kit, instance, a, &kit_cases[k]);
        }
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (n == 0)
        kit_skip(kit, "it takes no node of unknown sizes of which the kit has two");
    kit_note(kit, "%u pairs of shapes", n);
}

static const struct kit_test tests[] = {
    {"BPK-STATE-01", "other inputs in the same memory give other results", "bp_run.io_epoch",
     same_memory},
    {"BPK-STATE-02", "scratch memory keeps nothing between runs", "bp_frame_needs.scratch_bytes",
     lost_scratch},
    {"BPK-STATE-03", "programs of an instance do not disturb each other", "bp_program",
     all_programs},
    {"BPK-STATE-04", "instances that live at once do not disturb each other", "bp_instance",
     two_instances},
    {"BPK-STATE-05", "it does not matter which worker computes what", "bp_host.parallel_for",
     any_worker},
    {"BPK-STATE-06", "workers of parallel_for may be threads", "bp_host.parallel_for",
     real_threads},
    {"BPK-STATE-07", "programs may run at once on several threads", "bp_provider.execute: [frame]",
     programs_at_once},
    {"BPK-STATE-08", "inputs and descriptions are only read; nothing is touched past an end",
     "bp_frame_desc; bp_tensor.bytes", at_the_end},
    {"BPK-STATE-09", "nothing is touched before a beginning", "bp_tensor.offset", at_the_start},
    {"BPK-STATE-10", "frames of a program keep their shapes apart", "bp_provider.frame_create",
     shapes_in_turn},
};

const struct kit_group kit_state = {"STATE", tests, sizeof tests / sizeof tests[0]};
