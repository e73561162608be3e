/* SPDX-License-Identifier: MIT */
/*
 * loop.c - our own loops as parallel regions of oneDNN's team: a second team would fight it for the
 * processors.
 */

#include "run/loop.h"

#include "base/instance.h"
#include "base/library.h"
#include "base/program.h"
#include "base/threads.h"
#include "build/frame.h"
#include "build/step.h"

/* Elements. Fewer are done sooner than a team is started and has met again. */
enum { WORTH_A_TEAM = 32768 };

/* Elements between two looks at whether the run should stop: a millisecond at most. */
enum { LOOK_EACH = 1 << 18 };

struct work {
    bp_frame *frame;
    const struct bp_dnnl_step *step;
    const bp_run *run; /* NULL: it is not stopped */
    void *const *at;
};

/* A typed loop gets all addresses, a plain one those of its two float tensors. */
static void run_iterations(const struct bp_dnnl_step *step, void *const *at, size_t first,
                           size_t end)
{
    if (step->typed)
        step->typed(step->u, at, first, end);
    else
        step->loop(step->u, at[0], at[1], first, end);
}

/* Once one thread has found it, the others need not look at the clock. */
static bool should_stop(const struct work *work)
{
    bp_frame *frame = work->frame;

    if (__atomic_load_n(&frame->is_stopped, __ATOMIC_RELAXED))
        return true;
    if (bp_stop_check(&frame->program->instance->host, work->run) == BP_OK)
        return false;
    __atomic_store_n(&frame->is_stopped, 1, __ATOMIC_RELAXED);
    return true;
}

/* At least one iteration, whatever its length. */
static void run_some(const struct work *work, size_t first, size_t end)
{
    const struct bp_dnnl_step *step = work->step;
    size_t length = step->iterations > 0 ? step->elements / step->iterations : 0;
    size_t most = length < LOOK_EACH ? LOOK_EACH / (length + 1) : 1;

    if (!work->run) {
        run_iterations(step, work->at, first, end);
        return;
    }
    while (first < end && !should_stop(work)) {
        size_t next = end - first > most ? first + most : end;

        run_iterations(step, work->at, first, next);
        first = next;
    }
}

/* This thread's range of iterations, within one of all others; each of the team calls it once. */
static void do_share(void *u)
{
    const struct work *work = u;
    size_t of = (size_t)bp_dnnl.get_num_threads(), i = (size_t)bp_dnnl.get_thread_num();
    size_t each = work->step->iterations / of, more = work->step->iterations % of;
    size_t first = i * each + (i < more ? i : more);
    size_t end = first + each + (i < more ? 1 : 0);

    if (end > first)
        run_some(work, first, end);
}

/* Without GOMP_parallel() loops run on the caller. */
void bp_dnnl_run_loop(bp_frame *frame, const struct bp_dnnl_step *step, const bp_run *run,
                      void *const *at)
{
    struct work work = {.frame = frame, .step = step, .run = run, .at = at};

    if (frame->threads > 1 && step->elements >= WORTH_A_TEAM && bp_dnnl.parallel)
        bp_dnnl_parallel(do_share, &work, frame->threads);
    else
        run_some(&work, 0, step->iterations);
}
