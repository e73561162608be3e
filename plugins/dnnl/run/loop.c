/* SPDX-License-Identifier: MIT */
/*
 * loop.c - our own loops as parallel regions of oneDNN's team: a second team would fight it for the
 * processors.
 */

#include "run/loop.h"

#include "base/library.h"
#include "build/step.h"

/* Elements. Fewer are done sooner than a team is started and has met again. */
enum { WORTH_A_TEAM = 32768 };

struct work {
    const struct bp_dnnl_step *step;
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

/* This thread's range of iterations, within one of all others; each of the team calls it once. */
static void do_share(void *u)
{
    const struct work *work = u;
    size_t of = (size_t)bp_dnnl.get_num_threads(), i = (size_t)bp_dnnl.get_thread_num();
    size_t each = work->step->iterations / of, more = work->step->iterations % of;
    size_t first = i * each + (i < more ? i : more);
    size_t end = first + each + (i < more ? 1 : 0);

    if (end > first)
        run_iterations(work->step, work->at, first, end);
}

/* Without GOMP_parallel() loops run on the caller. */
void bp_dnnl_run_loop(const struct bp_dnnl_step *step, uint32_t threads, void *const *at)
{
    struct work work = {.step = step, .at = at};

    if (threads > 1 && step->elements >= WORTH_A_TEAM && bp_dnnl.parallel)
        bp_dnnl.parallel(do_share, &work, threads, 0);
    else
        run_iterations(step, at, 0, step->iterations);
}
