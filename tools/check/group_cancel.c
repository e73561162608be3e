/* SPDX-License-Identifier: MIT */
/*
 * group_cancel.c - CANCEL: a run that is asked to stop, or whose deadline comes, stops within 20 ms of
 * work; with a stream, the stream does when it is destroyed. Cases are made large until one run takes long enough to tell.
 */

#include "config.h"

#include <pthread.h>
#include <time.h>

#include "check/cases/reference.h"
#include "check/graph.h"

enum {
    LONG_NS = 100000000, /* a run of so many nanoseconds is long enough */
    MOST_NS = 20000000,  /* that may pass until it stops */
    TRIES = 6            /* the best counts, so that a busy machine is not the plug-in's fault */
};

/* Each family of operators, from small to large. */
static const struct kit_row rows[] = {
    {"MatMul-13 f32[384,384] w:f32[384,384] -> f32[384,384]", ref_matmul, 1e-3, -1, 1},
    {"MatMul-13 f32[768,768] w:f32[768,768] -> f32[768,768]", ref_matmul, 1e-3, -1, 1},
    {"MatMul-13 f32[1536,1536] w:f32[1536,1536] -> f32[1536,1536]", ref_matmul, 1e-3, -1, 1},
    {"MatMul-13 f32[3072,3072] w:f32[3072,3072] -> f32[3072,3072]", ref_matmul, 1e-3, -1, 1},
    {"Conv-11 f32[1,16,64,64] w:f32[16,16,3,3] -> f32[1,16,64,64] | kernel_shape=[3,3] "
     "strides=[1,1] dilations=[1,1] pads=[1,1,1,1] group=1 auto_pad='NOTSET'",
     ref_conv, 1e-3, -1, 1},
    {"Conv-11 f32[1,64,128,128] w:f32[64,64,3,3] -> f32[1,64,128,128] | kernel_shape=[3,3] "
     "strides=[1,1] dilations=[1,1] pads=[1,1,1,1] group=1 auto_pad='NOTSET'",
     ref_conv, 1e-3, -1, 1},
    {"Conv-11 f32[1,128,256,256] w:f32[128,128,3,3] -> f32[1,128,256,256] | kernel_shape=[3,3] "
     "strides=[1,1] dilations=[1,1] pads=[1,1,1,1] group=1 auto_pad='NOTSET'",
     ref_conv, 1e-3, -1, 1},
    {"Tanh-13 f32[4000037] -> f32[4000037]", ref_unary, 1e-3, -1, 1},
    {"Tanh-13 f32[40000037] -> f32[40000037]", ref_unary, 1e-3, -1, 1},
};

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A thread that sets a flag at a time. */
struct canceller {
    volatile uint32_t flag;
    int64_t at;
};

static void *cancel_later(void *u)
{
    struct canceller *canceller = u;
    int64_t left = canceller->at - now_ns();
    struct timespec wait = {(time_t)(left / 1000000000), (long)(left % 1000000000)};

    if (left > 0)
        nanosleep(&wait, NULL);
    canceller->at = now_ns();
    __atomic_store_n(&canceller->flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* How long after the flag was set execute returned; below 0: it was done before. */
static int64_t cancel_once(struct kit_exec *exec, int64_t after, bp_rc *rc)
{
    struct canceller canceller = {0, now_ns() + after};
    pthread_t thread;
    int64_t end;

    exec->run->cancel = &canceller.flag;
    if (pthread_create(&thread, NULL, cancel_later, &canceller) != 0)
        kit_skip(exec->kit, "no threads here");
    *rc = kit_execute(exec);
    end = now_ns();
    pthread_join(thread, NULL);
    exec->run->cancel = NULL;
    return end - canceller.at;
}

static int64_t be_late_once(struct kit_exec *exec, int64_t after, bp_rc *rc)
{
    int64_t deadline = now_ns() + after;

    exec->run->deadline_ns = deadline;
    *rc = kit_execute(exec);
    exec->run->deadline_ns = 0;
    return now_ns() - deadline;
}

/* Stops a run of a program that takes `length` ns. */
static void stop(struct kit_exec *exec, const struct kit_case *c, int64_t length, bool by_deadline)
{
    struct kit *kit = exec->kit;
    const char *what = by_deadline ? "its deadline" : "the request to stop";
    bp_rc rc = BP_OK, right = by_deadline ? BP_E_TIMEOUT : BP_E_CANCELLED;
    int64_t best = INT64_MAX;

    for (int i = 0; i < TRIES && best > MOST_NS; i++) {
        int64_t took =
            by_deadline ? be_late_once(exec, length / 4, &rc) : cancel_once(exec, length / 4, &rc);

        if (rc != BP_OK && rc != right)
            kit_fail(kit, "%s: stopped, it gives %d: %s", c->name, (int)rc, kit->words);
        best = took < best ? took : best;
    }
    if (best > MOST_NS)
        kit_fail(kit, "%s: a run of %.0f ms ends %.0f ms after %s; 20 ms are allowed", c->name,
                 (double)length * 1e-6, (double)best * 1e-6, what);
    kit_execute_well(exec, c); /* the frame goes on */
}

/* Is a run of the case long enough to be stopped? Then it is. */
static bool try_case(struct kit *kit, bp_instance *instance, const struct kit_case *c,
                     bool by_deadline)
{
    struct kit_graph *graph;
    struct kit_exec exec;
    int64_t length = 0;

    if (!kit_takes(kit, instance, c, 0))
        return false;
    graph = kit_ready(kit, &exec, instance, c, 0);
    kit_place(&exec, c, 1, 0);
    for (int i = 0; i < 2; i++) { /* the first one warms up */
        int64_t start = now_ns();

        kit_execute_well(&exec, c);
        length = now_ns() - start;
    }
    if (length >= LONG_NS)
        stop(&exec, c, length, by_deadline);
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    return length >= LONG_NS;
}

static void stops(struct kit *kit, bool by_deadline)
{
    bp_instance *instance = kit_begin(kit);
    const char *done = NULL; /* the family that was long enough */
    unsigned n = 0;

    if (kit->p.flags & BP_PROVIDER_UNINTERRUPTIBLE)
        kit_skip(kit, "it says BP_PROVIDER_UNINTERRUPTIBLE");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kit_case c;

        kit_case_parse(&rows[i], &c);
        if (kit->p.flags & BP_PROVIDER_NHWC)
            kit_case_channels_last(&c);
        if (done && strcmp(done, c.op) == 0)
            continue;
        if (try_case(kit, instance, &c, by_deadline)) {
            done = c.op;
            n++;
            continue;
        }
        if (!c.has_weights)
            continue;
        c = kit_case_with_constants(&c, 77);
        if (try_case(kit, instance, &c, by_deadline)) {
            done = c.op;
            n++;
        }
    }
    kit->p.destroy(instance);
    if (n == 0)
        kit_skip(kit, "none of the kit's largest cases takes 100 ms");
    kit_note(kit, "%u operators", n);
}

static void cancelled(struct kit *kit)
{
    stops(kit, false);
}

static void late(struct kit *kit)
{
    stops(kit, true);
}

static const struct kit_test tests[] = {
    {"BPK-CANCEL-01", "a run that is asked to stop does so within 20 ms", "bp_run.cancel",
     cancelled},
    {"BPK-CANCEL-02", "a run ends within 20 ms of its deadline", "bp_run.deadline_ns", late},
};

const struct kit_group kit_cancel = {"CANCEL", tests, sizeof tests / sizeof tests[0]};
