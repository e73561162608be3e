/* SPDX-License-Identifier: MIT */
/*
 * engine_frames.c - the frames that the runs of an engine share: a list of idle ones, and a limit
 * if a provider allows only some frames of a program at once.
 *
 * A frame state has one frame of each program that its run goes through, and more that it keeps for
 * other sizes. With a limit there are at most as many states as frames of the program that allows
 * the fewest. Each state has a share of these frames: all of them while there is one state, half of
 * them with two. A state's share changes only while it is idle. So a run waits before it begins,
 * when it holds no frame that another run could be waiting for.
 */

#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "exec/run_shared.h"
#include "session/engine.h"

enum { LOOK_NS = 20 * 1000 * 1000 }; /* a waiting run looks so often whether it should end */

/*
 * In the child of a fork(), too: frames in runs of other threads never come back. It has the idle
 * ones, which all have the share of now.
 */
static void begin_limit(void *u)
{
    struct bp_engine *engine = u;
    struct bp_frame_limit *limit = &engine->limit;
    pthread_condattr_t attr;

    limit->n_states = limit->n_behind = 0;
    for (int i = 0; i < BP_IDLE_FRAMES; i++)
        limit->n_states += atomic_load(&engine->idle[i]) != NULL;
    if (limit->n_states == 0)
        limit->share = 0;
    pthread_mutex_init(&limit->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&limit->changed, &attr);
    pthread_condattr_destroy(&attr);
}

void bp_engine_init_frames(struct bp_engine *engine)
{
    begin_limit(engine);
    bp_fork_watch(&engine->fork, begin_limit, engine);
}

void bp_engine_finish_frames(struct bp_engine *engine)
{
    bp_fork_unwatch(&engine->fork);
    for (int i = 0; i < BP_IDLE_FRAMES; i++)
        bp_frame_state_destroy(atomic_load(&engine->idle[i]));
    pthread_cond_destroy(&engine->limit.changed);
    pthread_mutex_destroy(&engine->limit.lock);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/*
 * Takes an idle frame, or NULL. Slots are exchanged atomically, so that runs on many threads need
 * no lock. The frame used last is not preferred, because each has plans for the shapes that it has
 * met.
 */
static struct bp_frame_state *pop(struct bp_engine *engine)
{
    for (int i = 0; i < BP_IDLE_FRAMES; i++) {
        struct bp_frame_state *frame = atomic_exchange(&engine->idle[i], NULL);

        if (frame)
            return frame;
    }
    return NULL;
}

/* Puts a frame into a free slot; false: all slots are taken. */
static bool push(struct bp_engine *engine, struct bp_frame_state *frame)
{
    for (int i = 0; i < BP_IDLE_FRAMES; i++) {
        struct bp_frame_state *none = NULL;

        if (atomic_compare_exchange_strong(&engine->idle[i], &none, frame))
            return true;
    }
    return false;
}

/* ---- with a limit: all with its lock --------------------------------------------------------- */

/* Returns the time of the next look: after LOOK_NS, or just after the deadline. */
static struct timespec next_look(const struct bp_run_shared *shared)
{
    struct timespec t;
    int64_t ns;

    clock_gettime(CLOCK_MONOTONIC, &t);
    ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + LOOK_NS;
    if (shared->deadline_ns && shared->deadline_ns < ns)
        ns = shared->deadline_ns + 1;
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/*
 * Waits until a state was returned or destroyed, or until the next look; an error if the run should
 * end.
 */
static bp_rc wait_for_change(struct bp_frame_limit *limit, const struct bp_run_shared *shared,
                             bp_err *err)
{
    bp_rc rc = bp_run_check(shared, err);
    struct timespec until;

    if (rc < 0)
        return rc;
    if (!shared->cancel && !shared->deadline_ns) {
        pthread_cond_wait(&limit->changed, &limit->lock);
        return BP_OK;
    }
    until = next_look(shared);
    pthread_cond_timedwait(&limit->changed, &limit->lock, &until);
    return BP_OK;
}

/*
 * May another state be created? If so, the shares of the others have to shrink first, which happens
 * to each when its run ends.
 */
static bool has_space(struct bp_frame_limit *limit)
{
    if (limit->n_states == limit->most)
        return false;
    if (limit->share < limit->n_states + 1) {
        limit->share = limit->n_states + 1;
        limit->n_behind = limit->n_states; /* all of them run, else an idle one had been taken */
    }
    return limit->n_behind == 0;
}

static bp_rc take(struct bp_engine *engine, const struct bp_run_shared *shared,
                  struct bp_frame_state **out, bp_err *err)
{
    struct bp_frame_limit *limit = &engine->limit;
    bp_rc rc = BP_OK;

    while (rc >= 0 && !(*out = pop(engine))) {
        if (has_space(limit)) {
            rc = bp_frame_state_create(engine->graph, out, err);
            if (rc < 0)
                return rc;
            limit->n_states++;
            (*out)->share = limit->share;
            return BP_OK;
        }
        rc = wait_for_change(limit, shared, err);
    }
    return rc;
}

/* Removes a state that is about to be destroyed from the counts of the limit. */
static void forget(struct bp_frame_limit *limit, const struct bp_frame_state *frame)
{
    limit->n_states--;
    limit->n_behind -= frame->share < limit->share;
    if (limit->n_states == 0)
        limit->share = 0;
}

/* Returns a state: it drops the frames beyond its share; if no slot is free it is destroyed. */
static void put(struct bp_engine *engine, struct bp_frame_state *frame)
{
    struct bp_frame_limit *limit = &engine->limit;

    if (frame->share < limit->share) {
        limit->n_behind--;
        bp_frame_state_set_share(frame, limit->share);
    }
    if (!push(engine, frame)) {
        forget(limit, frame);
        bp_frame_state_destroy(frame);
    }
    pthread_cond_broadcast(&limit->changed);
}

/* ---- both ------------------------------------------------------------------------------------ */

bp_rc bp_engine_take_frame(struct bp_engine *engine, const struct bp_run_shared *shared,
                           struct bp_frame_state **out, bp_err *err)
{
    bp_rc rc;

    if (engine->limit.most == 0) {
        *out = pop(engine);
        return *out ? BP_OK : bp_frame_state_create(engine->graph, out, err);
    }
    pthread_mutex_lock(&engine->limit.lock);
    rc = take(engine, shared, out, err);
    pthread_mutex_unlock(&engine->limit.lock);
    return rc;
}

/* With more runs at once than slots, the frames that find no slot are destroyed. */
void bp_engine_return_frame(struct bp_engine *engine, struct bp_frame_state *frame)
{
    if (engine->limit.most > 0) {
        pthread_mutex_lock(&engine->limit.lock);
        put(engine, frame);
        pthread_mutex_unlock(&engine->limit.lock);
    } else if (!push(engine, frame)) {
        bp_frame_state_destroy(frame);
    }
}

/* Destroys the idle frames; frames in a run are in no slot, and stay. */
uint64_t bp_engine_trim(struct bp_engine *engine)
{
    uint64_t bytes = 0;

    pthread_mutex_lock(&engine->limit.lock);
    for (int i = 0; i < BP_IDLE_FRAMES; i++) {
        struct bp_frame_state *frame = atomic_exchange(&engine->idle[i], NULL);

        if (!frame)
            continue;
        bytes += bp_frame_state_bytes(frame, NULL);
        if (engine->limit.most > 0)
            forget(&engine->limit, frame);
        bp_frame_state_destroy(frame);
    }
    pthread_cond_broadcast(&engine->limit.changed);
    pthread_mutex_unlock(&engine->limit.lock);
    return bytes;
}
