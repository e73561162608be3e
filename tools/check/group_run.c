/* SPDX-License-Identifier: MIT */
/* group_run.c - RUN: running keeps to the rules of execute. */

#include "config.h"

#include <pthread.h>

#include "check/graph.h"

enum { WARM_UP = 4, STEADY = 50 };

static void no_allocation(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *first = kit_need_case(kit, instance);

    if (!kit_alloc_works())
        kit_skip(kit, "allocations cannot be counted in this build");
    for (const struct kit_case *c = first; c; c = kit_next_taken(kit, instance, c + 1)) {
        struct kit_exec exec;
        struct kit_graph *graph;
        unsigned long calls;

        graph = kit_ready(kit, &exec, instance, c, 0);
        for (int i = 0; i < WARM_UP; i++) {
            kit_place(&exec, c, 1, 0);
            kit_execute_well(&exec, c);
        }
        kit_alloc_watch();
        for (int i = 0; i < STEADY; i++) {
            kit_place(&exec, c, 1, 0);
            kit_execute_well(&exec, c);
        }
        calls = kit_alloc_calls();
        if (calls > 0)
            kit_fail(kit, "%s: %lu calls of malloc and free in %d runs", c->name, calls, STEADY);
        kit_exec_finish(&exec);
        kit_graph_free(graph);
    }
    kit_settle(kit);
    kit->p.destroy(instance);
}

/* New places at every run: nothing may remember an old one. */
static void rebinding(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *first = kit_need_case(kit, instance);

    for (const struct kit_case *c = first; c; c = kit_next_taken(kit, instance, c + 1)) {
        struct kit_exec exec;
        struct kit_graph *graph;

        graph = kit_ready(kit, &exec, instance, c, 0);
        for (unsigned i = 0; i < 8; i++) {
            kit_place(&exec, c, i, i % 3);
            kit_execute_well(&exec, c);
            kit_check(&exec, c, c->name);
        }
        kit_exec_finish(&exec);
        kit_graph_free(graph);
    }
    kit_settle(kit);
    kit->p.destroy(instance);
}

/* Data that lies at an element's size only. */
static void unaligned(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *first = kit_need_case(kit, instance);

    for (const struct kit_case *c = first; c; c = kit_next_taken(kit, instance, c + 1)) {
        kit_run_case(kit, instance, c, 0, 1);
    }
    kit->p.destroy(instance);
}

/* Runs again in the same memory, whose contents are then what the last run left, or poison. */
static void same_again(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *c = kit_need_case(kit, instance);
    struct kit_exec exec;
    struct kit_graph *graph = kit_ready(kit, &exec, instance, c, 0);

    kit_place(&exec, c, 3, 0);
    for (int i = 0; i < 8; i++) {
        kit_overwrite(&exec, i % 2 ? 0xff : 0x5a);
        kit_execute_well(&exec, c);
        kit_check(&exec, c, c->name);
    }
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
}

static void cancelled(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *c = kit_need_case(kit, instance);
    volatile uint32_t cancel = 1;
    struct kit_exec exec;
    struct kit_graph *graph = kit_ready(kit, &exec, instance, c, 0);
    bp_rc rc;

    exec.run->cancel = &cancel;
    kit_place(&exec, c, 1, 0);
    rc = kit_execute(&exec);
    if (rc != BP_OK && rc != BP_E_CANCELLED)
        kit_fail(kit, "a cancelled run gives %d: %s", (int)rc, kit->words);
    cancel = 0;
    kit_place(&exec, c, 2, 0);
    kit_execute_well(&exec, c);
    kit_check(&exec, c, "the run after a cancelled one");
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
    kit_note(kit, rc == BP_OK ? "it was too quick to be cancelled" : "BP_E_CANCELLED");
}

static void too_late(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *c = kit_need_case(kit, instance);
    struct kit_exec exec;
    struct kit_graph *graph = kit_ready(kit, &exec, instance, c, 0);
    bp_rc rc;

    exec.run->deadline_ns = 1;
    kit_place(&exec, c, 1, 0);
    rc = kit_execute(&exec);
    if (rc != BP_OK && rc != BP_E_TIMEOUT)
        kit_fail(kit, "a run past its deadline gives %d: %s", (int)rc, kit->words);
    exec.run->deadline_ns = 0;
    kit_place(&exec, c, 2, 0);
    kit_execute_well(&exec, c);
    kit_check(&exec, c, "the run after one that was late");
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
}

static void profile(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *c = kit_need_case(kit, instance);
    struct kit_exec exec;
    struct kit_graph *graph = kit_ready(kit, &exec, instance, c, 0);
    bp_prof_event events[4];
    bp_prof prof = {sizeof prof, 2, 0, 0, events, sizeof *events, 0};

    memset(events, 0x5a, sizeof events);
    exec.run->prof = &prof;
    for (int i = 0; i < 8; i++) {
        kit_place(&exec, c, 1, 0);
        kit_execute_well(&exec, c);
    }
    if (prof.count > prof.cap)
        kit_fail(kit, "a record of 2 events says that it has %u", (unsigned)prof.count);
    if (events[2].t0_ns != 0x5a5a5a5a5a5a5a5a)
        kit_fail(kit, "it wrote past the end of a record of events");
    for (uint32_t i = 0; i < prof.count; i++) {
        if (events[i].t1_ns < events[i].t0_ns || !events[i].name)
            kit_fail(kit, "event %u has no name or ends before it begins", (unsigned)i);
    }
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
    if (prof.count == 0)
        kit_skip(kit, "it records no events");
}

/* ---- several frames at once ------------------------------------------------------------------ */

enum { N_FRAMES = 8, N_RUNS = 100 };

struct worker {
    struct kit kit; /* its own error and end; the host's table is the one of the first */
    struct kit_exec exec;
    const struct kit_case *c;
    unsigned seed;
    struct kit_outcome outcome;
    pthread_t thread;
};

static void *run_often(void *u)
{
    struct worker *worker = u;

    if (setjmp(worker->kit.end) != 0)
        return NULL; /* the outcome says why */
    for (unsigned i = 0; i < N_RUNS; i++) {
        kit_place(&worker->exec, worker->c, worker->seed + i, 0);
        kit_execute_well(&worker->exec, worker->c);
        kit_check(&worker->exec, worker->c, worker->c->name);
    }
    return NULL;
}

/* A frame more of the program that the first one has. */
static void add_frame(struct worker *worker, struct kit *kit, const struct kit_exec *first,
                      const bp_graph *table, const struct kit_case *c, unsigned seed)
{
    worker->kit = *kit;
    worker->kit.outcome = &worker->outcome;
    worker->c = c;
    worker->seed = seed;
    memset(&worker->exec, 0, sizeof worker->exec);
    worker->exec.kit = kit;
    worker->exec.instance = first->instance;
    worker->exec.program = first->program;
    if (kit_frame(&worker->exec, table, c) < 0)
        kit_fail(kit, "one frame more: %s", kit->words);
    worker->exec.kit = &worker->kit;
    worker->exec.program = NULL; /* not its own */
}

static void frames_at_once(struct kit *kit)
{
    static struct worker workers[N_FRAMES];
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *c = kit_need_case(kit, instance);
    struct kit_exec first;
    struct kit_graph *graph;

    if (!(kit->p.flags & BP_PROVIDER_CONCURRENT_FRAMES))
        kit_skip(kit, "it does not say BP_PROVIDER_CONCURRENT_FRAMES");
    graph = kit_ready(kit, &first, instance, c, 0);
    for (unsigned i = 0; i < N_FRAMES; i++)
        add_frame(&workers[i], kit, &first, kit_graph_table(graph, false), c, i * 1000);
    for (unsigned i = 0; i < N_FRAMES; i++)
        pthread_create(&workers[i].thread, NULL, run_often, &workers[i]);
    for (unsigned i = 0; i < N_FRAMES; i++)
        pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < N_FRAMES; i++) {
        if (workers[i].outcome.verdict == KIT_FAIL)
            kit_fail(kit, "%d frames at once: %s", N_FRAMES, workers[i].outcome.text);
        kit_exec_finish(&workers[i].exec);
    }
    kit_exec_finish(&first);
    kit_graph_free(graph);
    kit->p.destroy(instance);
}

/* Two frames of one program with data of their own, executed alternately. */
static void frames_in_turn(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    const struct kit_case *c = kit_need_case(kit, instance);
    static struct worker other;
    struct kit_exec first;
    struct kit_graph *graph = kit_ready(kit, &first, instance, c, 0);

    add_frame(&other, kit, &first, kit_graph_table(graph, false), c, 0);
    other.exec.kit = kit;
    for (unsigned i = 0; i < 8; i++) {
        kit_place(&first, c, i, 0);
        kit_place(&other.exec, c, i + 100, 0);
        kit_execute_well(&first, c);
        kit_execute_well(&other.exec, c);
        kit_check(&first, c, "the first of two frames");
        kit_check(&other.exec, c, "the second of two frames");
    }
    kit_exec_finish(&other.exec);
    kit_exec_finish(&first);
    kit_graph_free(graph);
    kit->p.destroy(instance);
}

/* ---- outputs whose size comes with the data -------------------------------------------------- */

static const struct kit_case nonzero = {
    .name = "NonZero",
    .op = "NonZero",
    .opset = 13,
    .since = 13,
    .n_in = 1,
    .in = {{.dtype = BP_DTYPE_F32, .rank = 2, .dims = {4, 5}}},
    .out = {.dtype = BP_DTYPE_I64, .rank = 2, .dims = {2, -1}},
};

enum { N_ELEMENTS = 20, ROW = 5 };

/* Every step-th element is not 0 (step 0: none is); indices come by row, then by column. */
static void check_nonzero(struct kit_exec *exec, unsigned step)
{
    const bp_tensor *out = &exec->out[0];
    unsigned n = step ? (N_ELEMENTS + step - 1) / step : 0;
    const unsigned char *data = exec->out_block.data;

    if (out->rank != 2)
        kit_fail(exec->kit, "NonZero: it did not call alloc_output for an output without a shape");
    if (out->dims[0] != 2 || out->dims[1] != (int64_t)n)
        kit_fail(exec->kit, "NonZero of %u elements: alloc_output gets [%lld, %lld], not [2, %u]",
                 n, (long long)out->dims[0], (long long)out->dims[1], n);
    for (unsigned i = 0; i < n; i++) {
        double row = kit_load(BP_DTYPE_I64, data, i), column = kit_load(BP_DTYPE_I64, data, n + i);

        if (row != i * step / ROW || column != i * step % ROW)
            kit_fail(exec->kit, "NonZero: index %u is (%g, %g), not (%u, %u)", i, row, column,
                     i * step / ROW, i * step % ROW);
    }
    for (size_t k = out->bytes; k < exec->out_block.bytes; k++) {
        if (data[k] != KIT_POISON)
            kit_fail(exec->kit, "NonZero: it wrote past what alloc_output gave");
    }
}

static void late_output(struct kit *kit)
{
    static const unsigned steps[] = {1, 3, 7, 0, 2};
    bp_instance *instance = kit_begin(kit);
    struct kit_graph *graph;
    struct kit_exec exec;

    if (!kit_takes(kit, instance, &nonzero, 0))
        kit_skip(kit, "it does not take NonZero");
    graph = kit_ready(kit, &exec, instance, &nonzero, 0);
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        kit_place(&exec, &nonzero, 1, 0);
        for (unsigned i = 0; i < N_ELEMENTS; i++)
            kit_store(BP_DTYPE_F32, exec.in_block[0].data, i,
                      steps[s] && i % steps[s] == 0 ? i + 1.0 : 0.0);
        kit_execute_well(&exec, &nonzero);
        kit_settle(kit);
        check_nonzero(&exec, steps[s]);
        if (!kit_block_is_whole(&exec.out_block))
            kit_fail(kit, "NonZero: it wrote beside its output");
    }
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
}

static const struct kit_test run[] = {
    {"BPK-RUN-01", "a steady run allocates nothing, through host or malloc", "bp_provider.execute",
     no_allocation},
    {"BPK-RUN-02", "buffers may be others at every run", "bp_run.io_epoch", rebinding},
    {"BPK-RUN-03", "data may lie at any multiple of an element", "bp_tensor.offset", unaligned},
    {"BPK-RUN-04", "results do not depend on what scratch and output held", "bp_frame_desc.scratch",
     same_again},
    {"BPK-RUN-05", "a cancelled run ends well, and the frame goes on", "bp_run.cancel", cancelled},
    {"BPK-RUN-06", "a late run ends well, and the frame goes on", "bp_run.deadline_ns", too_late},
    {"BPK-RUN-07", "a full record of events is not overrun", "bp_prof", profile},
    {"BPK-RUN-08", "two frames of a program do not disturb each other", "bp_frame", frames_in_turn},
    {"BPK-RUN-09", "8 frames at once on 8 threads", "BP_PROVIDER_CONCURRENT_FRAMES",
     frames_at_once},
    {"BPK-RUN-10", "an output whose size comes with the data", "bp_frame_desc.alloc_output",
     late_output},
};

const struct kit_group kit_run = {"RUN", run, sizeof run / sizeof run[0]};
