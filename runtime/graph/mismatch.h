/* SPDX-License-Identifier: MIT */
/*
 * mismatch.h - values whose sizes or rank are not those that the model declares. Inference wins: a
 * declared shape is a hint. Each such value is reported once, in the log and in a list, however often
 * its graph is walked, planned or decoded; where declared shapes are strict, it is an error.
 */
#ifndef BP_GRAPH_MISMATCH_H
#define BP_GRAPH_MISMATCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/fork.h"
#include "base/log.h"
#include "graph/ir.h"

struct bp_mismatch {
    const char *value;
    const char *path; /* names of the nodes around it, "loop1/subgraph"; "" at the top */
    const char *inferred, *declared; /* "float32[4]" */
    struct bp_mismatch *_Atomic next;
};

/* The list. Runs add to it while others read: rows never change nor go before finish. */
struct bp_mismatches {
    pthread_mutex_t lock;      /* of adding */
    struct bp_fork_watch fork; /* of the lock */
    struct bp_strmap seen;
    struct bp_region region;
    const struct bp_log *log; /* borrowed; may be NULL */
    bool is_strict;
    struct bp_mismatch *_Atomic first;
    struct bp_mismatch *last;
    atomic_uint count;
};

void bp_mismatches_init(struct bp_mismatches *list);
void bp_mismatches_finish(struct bp_mismatches *list);
/*
 * BP_E_SHAPE where declared shapes are strict and the list is not empty: also in a branch whose
 * errors count only once it runs.
 */
bp_rc bp_mismatches_check(const struct bp_mismatches *list, bp_err *err) BP_CHECKED;
/* Row i, or NULL. [any thread] */
const struct bp_mismatch *bp_mismatches_at(const struct bp_mismatches *list, uint32_t i);

/*
 * `found`, with names from `symbols`, is not what the model declares of a value of ir. BP_E_SHAPE:
 * declared shapes are strict. A graph without a list says nothing. [any thread]
 */
bp_rc bp_mismatch_report(const struct bp_ir *ir, uint32_t value, const struct bp_symbols *symbols,
                         const struct bp_fact *found, bp_err *err) BP_CHECKED;
/* The error for a value whose type is not the declared one; BP_E_INVALID. */
bp_rc bp_mismatch_fail(const struct bp_ir *ir, uint32_t value, const struct bp_symbols *symbols,
                       const struct bp_fact *found, bp_err *err);
/*
 * Holds the exact sizes that a run made against the declared ones, and reports a difference.
 * [any thread]
 */
bp_rc bp_mismatch_check(const struct bp_ir *ir, uint32_t value, uint32_t dtype, uint32_t rank,
                        const int64_t *dims, bp_err *err) BP_CHECKED;

#endif
