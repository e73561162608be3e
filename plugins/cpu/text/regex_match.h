/* SPDX-License-Identifier: MIT */
/*
 * regex_match.h - Matches regular expressions in RE2's syntax with PCRE2, which is opened with the
 * first pattern.
 * PCRE2's DFA matcher follows all alternatives at once. So, as with RE2, no pattern takes
 * exponential time, and of the matches that start first the longest is found. Of counted
 * repetitions within repetitions the time may grow with the square of a text's size: there is a limit,
 * and a run's deadline counts.
 * A pattern is read-only once it is open; each call has a matcher of its own.
 */
#ifndef BP_CPU_TEXT_REGEX_MATCH_H
#define BP_CPU_TEXT_REGEX_MATCH_H

#include "cpu.h"

struct bp_cpu_pattern; /* a compiled pattern */

/*
 * For op->pack: compiles a pattern; `what` names the attribute in messages. The memory is the
 * node's; bp_cpu_pattern_close() gives the rest back. BP_E_INVALID: RE2 would refuse it.
 * BP_E_UNAVAILABLE: PCRE2 is missing.
 */
bp_rc bp_cpu_pattern_open(struct bp_cpu_node *node, const bp_span *text, const char *what,
                          bool is_anchored, struct bp_cpu_pattern **out, bp_err *err);
void bp_cpu_pattern_close(struct bp_cpu_pattern *pattern); /* NULL is fine */

/* What one call needs to match patterns; used by one thread. */
struct bp_cpu_matcher {
    void *match, *limits;        /* of PCRE2 */
    uint64_t n_steps, max_steps; /* of the match that is looked for */
    struct bp_cpu_call *call;
    bool is_prepared; /* then PCRE2 gets no more memory */
    bool is_checked;  /* set it where all texts are known to be UTF-8 */
    size_t at;        /* in the scratch */
    int *workspace;   /* of PCRE2: n_ints elements, in this run */
    size_t n_ints;
};

/*
 * For op->prepare, with any of the call's patterns; adds its scratch to call->scratch_bytes.
 * BP_E_NOMEM.
 */
bp_rc bp_cpu_matcher_prepare(struct bp_cpu_call *call, const struct bp_cpu_pattern *pattern,
                             struct bp_cpu_matcher *out, bp_err *err);
/* For op->run, before the first text. */
void bp_cpu_matcher_begin(struct bp_cpu_matcher *matcher);
/*
 * Finds the first, and there the longest, match in a text from byte `from` on: *start and *end;
 * *found false: there is none. A text that is no UTF-8 matches nothing. BP_E_INVALID: the match
 * needs more workspace or steps than the limit. BP_E_NOMEM.
 */
bp_rc bp_cpu_matcher_find(struct bp_cpu_matcher *matcher, const struct bp_cpu_pattern *pattern,
                          const bp_span *text, size_t from, bool *found, size_t *start, size_t *end,
                          bp_err *err);

#endif
