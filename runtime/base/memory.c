/* SPDX-License-Identifier: MIT */
/* memory.c - the limits on host memory that a session and its environment may have. */

#include "config.h"

#include "base/memory.h"

enum { N_LIMITS = 2 };

/* For messages. */
static double megabytes(uint64_t bytes)
{
    return (double)bytes / 1e6;
}

bool bp_memory_is_limited(const struct bp_engine_memory *memory)
{
    for (int i = 0; i < N_LIMITS; i++) {
        if (memory->limits[i] && memory->limits[i]->most > 0)
            return true;
    }
    return false;
}

/* Undoes the first n limits' part of bp_memory_take(). */
static void give_limits(struct bp_engine_memory *memory, int n, size_t bytes)
{
    for (int i = 0; i < n; i++) {
        if (memory->limits[i])
            bp_memory_drop(&memory->limits[i]->held, bytes);
    }
}

static bp_rc fail(const struct bp_memory_limit *limit, uint64_t held, size_t bytes, bp_err *err)
{
    return bp_fail(
        err, BP_E_NOMEM,
        "%.1f MB more are needed, and the %s holds %.1f MB: together more than its limit "
        "of %.1f MB; raise the limit, or run smaller inputs or fewer runs at once",
        megabytes(bytes), limit->whose, megabytes(held), megabytes(limit->most));
}

/* Counts first and looks then, so that two threads never take the same bytes. */
bp_rc bp_memory_take(struct bp_engine_memory *memory, size_t bytes, bp_err *err)
{
    if (bp_memory_is_limited(memory))
        bp_memory_count_rest(memory);
    for (int i = 0; i < N_LIMITS; i++) {
        struct bp_memory_limit *limit = memory->limits[i];
        uint64_t before;

        if (!limit)
            continue;
        before = atomic_fetch_add(&limit->held.held, bytes);
        if (limit->most > 0 && (bytes > limit->most || before > limit->most - bytes)) {
            atomic_fetch_sub(&limit->held.held, bytes);
            give_limits(memory, i, bytes);
            return fail(limit, before, bytes, err);
        }
        bp_memory_note_peak(&limit->held, before + bytes);
    }
    bp_memory_add(&memory->all, bytes);
    return BP_OK;
}

void bp_memory_give(struct bp_engine_memory *memory, size_t bytes)
{
    bp_memory_drop(&memory->all, bytes);
    give_limits(memory, N_LIMITS, bytes);
}

/* Sums wrap where less is held than before; the total never does. */
static void set_rest(struct bp_engine_memory *memory, uint64_t now)
{
    uint64_t more = now - atomic_exchange(&memory->rest, now);

    for (int i = 0; i < N_LIMITS; i++) {
        if (memory->limits[i] && more != 0)
            bp_memory_note_peak(&memory->limits[i]->held,
                                atomic_fetch_add(&memory->limits[i]->held.held, more) + more);
    }
}

void bp_memory_count_rest(struct bp_engine_memory *memory)
{
    if (memory->count_rest)
        set_rest(memory, memory->count_rest(memory->providers));
}

bp_rc bp_memory_check_rest(struct bp_engine_memory *memory, bp_err *err)
{
    bp_memory_count_rest(memory);
    for (int i = 0; i < N_LIMITS; i++) {
        const struct bp_memory_limit *limit = memory->limits[i];
        uint64_t held = limit ? atomic_load(&limit->held.held) : 0;

        if (limit && limit->most > 0 && held > limit->most)
            return bp_fail(
                err, BP_E_NOMEM,
                "with the weights of this model the %s holds %.1f MB, more than its limit "
                "of %.1f MB; raise the limit, or use fewer models at once",
                limit->whose, megabytes(held), megabytes(limit->most));
    }
    return BP_OK;
}

void bp_memory_leave(struct bp_engine_memory *memory)
{
    set_rest(memory, 0);
}
