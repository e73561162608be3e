/* SPDX-License-Identifier: MIT */
/*
 * regex_match.h - patterns in RE2's syntax, looked for by PCRE2, which is opened with the first of
 * them. It uses its other algorithm, which follows all ways at once: as with RE2, no pattern makes
 * it try one way after the other for ever, and of the matches that begin first the longest is
 * found.
 */
#ifndef BP_CPU_TEXT_REGEX_MATCH_H
#define BP_CPU_TEXT_REGEX_MATCH_H

#include "cpu.h"

struct bp_cpu_pattern; /* a compiled pattern */

/*
 * For op->pack; the memory is the node's, bp_cpu_pattern_close() gives the rest back. `what` is the
 * attribute it comes from. BP_E_INVALID: it is no pattern of RE2's. BP_E_UNAVAILABLE: no PCRE2.
 */
bp_rc bp_cpu_pattern_open(struct bp_cpu_node *node, const bp_span *text, const char *what,
                          bool is_anchored, struct bp_cpu_pattern **out, bp_err *err);
void bp_cpu_pattern_close(struct bp_cpu_pattern *pattern); /* NULL is fine */

/* What looking for patterns needs: one for a call. */
struct bp_cpu_matcher {
    void *match;
    struct bp_cpu_call *call;
    bool is_prepared; /* then PCRE2 gets no more memory */
    bool is_checked;  /* set it where all texts are known to be UTF-8 */
    size_t at;        /* in the scratch */
    int *numbers;     /* PCRE2's list of ways: room for n_numbers, in this run */
    size_t n_numbers;
};

/* For prepare, with any of the call's patterns; takes its scratch from call->scratch_bytes on. */
bp_rc bp_cpu_matcher_prepare(struct bp_cpu_call *call, const struct bp_cpu_pattern *pattern,
                             struct bp_cpu_matcher *out, bp_err *err);
/* For run, before the first text. */
void bp_cpu_matcher_begin(struct bp_cpu_matcher *matcher);
/*
 * The first and longest match in a text, from byte `from` on, in *start and *end; *found false:
 * there is none. A text that is no UTF-8 matches nothing. BP_E_INVALID: the pattern is too heavy.
 */
bp_rc bp_cpu_matcher_find(struct bp_cpu_matcher *matcher, const struct bp_cpu_pattern *pattern,
                          const bp_span *text, size_t from, bool *found, size_t *start, size_t *end,
                          bp_err *err);

#endif
