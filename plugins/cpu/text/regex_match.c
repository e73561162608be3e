/* SPDX-License-Identifier: MIT */
/*
 * regex_match.c - Matches RE2 patterns with PCRE2's DFA matcher; see regex_match.h. Without PCRE2
 * at build time all functions fail.
 */

#include "text/regex_match.h"

#include "lazy.h"
#include "text/re2_syntax.h"

#ifdef BP_PCRE2_SONAME

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    FIRST_INTS = 16 * 1024,      /* ints of PCRE2's workspace, at first */
    MOST_INTS = 4 * 1024 * 1024, /* limit: beyond it the match fails */
    MESSAGE_BYTES = 256          /* bytes of PCRE2's message */
};

/*
 * A step is an item of the pattern at a place of the text. Each is taken once, but for repetitions
 * that are counted, such as (a{1,9}b){1,9}, where each count is a state of its own.
 */
enum {
    STEPS_EACH = 16,          /* limit for each item and byte... */
    STEPS_AT_LEAST = 5000000, /* ...or this */
    STEPS_BETWEEN_LOOKS = 16  /* before the run is asked whether it should stop */
};

/* Functions of libpcre2-8, which is opened with the first pattern. */
struct library {
    pcre2_code *(*compile)(PCRE2_SPTR, PCRE2_SIZE, uint32_t, int *, PCRE2_SIZE *,
                           pcre2_compile_context *);
    void (*code_free)(pcre2_code *);
    pcre2_compile_context *(*context)(pcre2_general_context *);
    void (*context_free)(pcre2_compile_context *);
    int (*set_newline)(pcre2_compile_context *, uint32_t);
    int (*message)(int, PCRE2_UCHAR *, PCRE2_SIZE);
    pcre2_general_context *(*general)(void *(*)(PCRE2_SIZE, void *), void (*)(void *, void *),
                                      void *);
    pcre2_match_data *(*match_data)(uint32_t, pcre2_general_context *);
    int (*match)(const pcre2_code *, PCRE2_SPTR, PCRE2_SIZE, PCRE2_SIZE, uint32_t,
                 pcre2_match_data *, pcre2_match_context *, int *, PCRE2_SIZE);
    PCRE2_SIZE *(*ovector)(pcre2_match_data *);
    pcre2_match_context *(*match_context)(pcre2_general_context *);
    int (*set_callout)(pcre2_match_context *, int (*)(pcre2_callout_block *, void *), void *);
};

static const struct bp_cpu_symbol symbols[] = {
    {"pcre2_compile_8", offsetof(struct library, compile)},
    {"pcre2_code_free_8", offsetof(struct library, code_free)},
    {"pcre2_compile_context_create_8", offsetof(struct library, context)},
    {"pcre2_compile_context_free_8", offsetof(struct library, context_free)},
    {"pcre2_set_newline_8", offsetof(struct library, set_newline)},
    {"pcre2_get_error_message_8", offsetof(struct library, message)},
    {"pcre2_general_context_create_8", offsetof(struct library, general)},
    {"pcre2_match_data_create_8", offsetof(struct library, match_data)},
    {"pcre2_dfa_match_8", offsetof(struct library, match)},
    {"pcre2_get_ovector_pointer_8", offsetof(struct library, ovector)},
    {"pcre2_match_context_create_8", offsetof(struct library, match_context)},
    {"pcre2_set_callout_8", offsetof(struct library, set_callout)},
};

struct bp_cpu_pattern {
    bp_cpu_lazy pcre2;
    const struct library *library;
    pcre2_code *code;
    size_t size; /* bytes of the pattern */
};

/* ---- the pattern ----------------------------------------------------------------------------- */

/*
 * PCRE2_NO_AUTO_POSSESS: possessive repetitions would change which match is the longest.
 * PCRE2_NEVER_BACKSLASH_C: RE2 has \C, but it would split UTF-8 characters. PCRE2_AUTO_CALLOUT:
 * each step calls count_step().
 */
static bp_rc compile(struct bp_cpu_node *node, struct bp_cpu_pattern *p, const char *pattern,
                     size_t size, const char *what, bool is_anchored, bp_err *err)
{
    pcre2_compile_context *context = p->library->context(NULL);
    PCRE2_UCHAR message_text[MESSAGE_BYTES] = {0};
    PCRE2_SIZE at = 0;
    int code = 0;

    if (!context)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the pattern");
    (void)p->library->set_newline(context, PCRE2_NEWLINE_LF);
    p->code = p->library->compile((PCRE2_SPTR)pattern, size,
                                  PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NO_AUTO_POSSESS |
                                      PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C |
                                      (is_anchored ? PCRE2_ANCHORED : 0),
                                  &code, &at, context);
    p->library->context_free(context);
    if (p->code)
        return BP_OK;
    (void)p->library->message(code, message_text, sizeof message_text);
    return bp_cpu_fail(node, err, BP_E_INVALID, "%s is wrong near byte %zu: %s", what, (size_t)at,
                       (const char *)message_text);
}

void bp_cpu_pattern_close(struct bp_cpu_pattern *p)
{
    if (!p)
        return;
    if (p->code)
        p->library->code_free(p->code);
    bp_cpu_lazy_close(&p->pcre2);
    p->code = NULL;
}

bp_rc bp_cpu_pattern_open(struct bp_cpu_node *node, const bp_span *text, const char *what,
                          bool is_anchored, struct bp_cpu_pattern **out, bp_err *err)
{
    struct bp_cpu_pattern *p = bp_cpu_node_memory(node, sizeof *p);
    char *buffer = bp_cpu_node_memory(node, BP_CPU_REGEX_CAPACITY(text->size));
    enum bp_cpu_lazy_rc opened;
    const void *functions;
    const char *wrong;
    size_t size, at;
    bp_rc rc;

    *out = NULL;
    if (!p || !buffer)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the pattern");
    wrong = bp_cpu_regex_translate(text->size ? text->data : "", text->size, buffer, &size, &at);
    if (wrong)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s has %s at byte %zu", what, wrong, at);
    opened = bp_cpu_lazy_open(&p->pcre2, BP_PCRE2_SONAME, symbols, sizeof symbols / sizeof *symbols,
                              &functions);
    if (opened == BP_CPU_LAZY_NO_MEMORY)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the pattern");
    if (opened == BP_CPU_LAZY_NO_LIBRARY)
        return bp_cpu_fail(node, err, BP_E_UNAVAILABLE, "this needs %s, which is not here",
                           BP_PCRE2_SONAME);
    p->library = functions;
    p->size = size;
    rc = compile(node, p, buffer, size, what, is_anchored, err);
    if (rc < 0)
        bp_cpu_pattern_close(p);
    else
        *out = p;
    return rc;
}

/* ---- looking for it -------------------------------------------------------------------------- */

/*
 * PCRE2's allocator: memory of the call, and none once the call is prepared, because kernels do not
 * allocate.
 */
static void *take(PCRE2_SIZE bytes, void *u)
{
    const struct bp_cpu_matcher *m = u;

    return m->is_prepared ? NULL : bp_cpu_call_memory(m->call, bytes);
}

/* PCRE2's free: the memory goes with the call. */
static void give_back(void *memory, void *u)
{
    (void)memory; /* it goes with the frame */
    (void)u;
}

/* PCRE2's callout, before each item that it tries: below 0 ends the match. */
static int count_step(pcre2_callout_block *block, void *u)
{
    struct bp_cpu_matcher *m = u;

    (void)block;
    if (m->n_steps++ >= m->max_steps)
        return PCRE2_ERROR_MATCHLIMIT;
    if (m->n_steps % STEPS_BETWEEN_LOOKS == 0 && bp_cpu_should_stop(m->call->stop))
        return PCRE2_ERROR_CALLOUT;
    return 0;
}

/* The match data is allocated here, the workspace is scratch of the call. */
bp_rc bp_cpu_matcher_prepare(struct bp_cpu_call *call, const struct bp_cpu_pattern *pattern,
                             struct bp_cpu_matcher *out, bp_err *err)
{
    pcre2_general_context *context;

    *out = (struct bp_cpu_matcher){.call = call, .at = call->scratch_bytes};
    context = pattern->library->general(take, give_back, out);
    if (context) {
        out->match = pattern->library->match_data(1, context);
        out->limits = pattern->library->match_context(context);
    }
    if (!out->match || !out->limits ||
        pattern->library->set_callout(out->limits, count_step, out) != 0)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for matches");
    out->is_prepared = true;
    call->scratch_bytes += FIRST_INTS * sizeof(int);
    return BP_OK;
}

void bp_cpu_matcher_begin(struct bp_cpu_matcher *m)
{
    m->workspace = (int *)(void *)((char *)m->call->scratch + m->at);
    m->n_ints = FIRST_INTS;
}

/*
 * Returns PCRE2's result; below 0 is an error. The workspace grows fourfold, up to MOST_INTS, while
 * PCRE2 finds it too small.
 */
static int match(struct bp_cpu_matcher *m, const struct bp_cpu_pattern *p, const bp_span *text,
                 size_t from)
{
    for (;;) {
        int rc = p->library->match(p->code, text->size ? text->data : (PCRE2_SPTR) "", text->size,
                                   from, m->is_checked ? PCRE2_NO_UTF_CHECK : 0, m->match,
                                   m->limits, m->workspace, m->n_ints);

        if (rc != PCRE2_ERROR_DFA_WSSIZE || m->n_ints >= MOST_INTS)
            return rc;
        m->n_ints *= 4;
        m->workspace = bp_cpu_run_memory(m->call, m->n_ints * sizeof *m->workspace);
        if (!m->workspace)
            return PCRE2_ERROR_NOMEMORY;
    }
}

bp_rc bp_cpu_matcher_find(struct bp_cpu_matcher *m, const struct bp_cpu_pattern *pattern,
                          const bp_span *text, size_t from, bool *found, size_t *start, size_t *end,
                          bp_err *err)
{
    int rc;

    m->n_steps = 0;
    m->max_steps = (uint64_t)STEPS_EACH * (pattern->size + 1) * (text->size + 1);
    if (m->max_steps < STEPS_AT_LEAST)
        m->max_steps = STEPS_AT_LEAST;
    rc = match(m, pattern, text, from);
    *found = rc >= 0;
    if (rc >= 0) { /* the longest match comes first */
        *start = pattern->library->ovector(m->match)[0];
        *end = pattern->library->ovector(m->match)[1];
        return BP_OK;
    }
    if (rc == PCRE2_ERROR_MATCHLIMIT)
        return bp_cpu_fail(
            m->call->node, err, BP_E_INVALID,
            "the pattern takes over %llu steps on a text of %zu bytes: it has counted "
            "repetitions within repetitions, which have to be simpler",
            (unsigned long long)m->max_steps, text->size);
    /* after PCRE2_ERROR_CALLOUT the run ends, and nothing of it is used */
    if (rc == PCRE2_ERROR_NOMATCH || rc == PCRE2_ERROR_CALLOUT ||
        (rc <= PCRE2_ERROR_UTF8_ERR1 && rc >= PCRE2_ERROR_UTF8_ERR21))
        return BP_OK;
    return bp_cpu_fail(m->call->node, err, rc == PCRE2_ERROR_NOMEMORY ? BP_E_NOMEM : BP_E_INVALID,
                       "the pattern is too heavy for a text of %zu bytes: PCRE2 says %d",
                       text->size, rc);
}

#else

bp_rc bp_cpu_pattern_open(struct bp_cpu_node *node, const bp_span *text, const char *what,
                          bool is_anchored, struct bp_cpu_pattern **out, bp_err *err)
{
    (void)text;
    (void)is_anchored;
    *out = NULL;
    return bp_cpu_fail(node, err, BP_E_UNAVAILABLE,
                       "%s needs PCRE2, without which Backplane was built", what);
}

void bp_cpu_pattern_close(struct bp_cpu_pattern *pattern)
{
    (void)pattern;
}

bp_rc bp_cpu_matcher_prepare(struct bp_cpu_call *call, const struct bp_cpu_pattern *pattern,
                             struct bp_cpu_matcher *out, bp_err *err)
{
    (void)pattern;
    (void)out;
    return bp_cpu_fail(call->node, err, BP_E_UNAVAILABLE, "Backplane was built without PCRE2");
}

void bp_cpu_matcher_begin(struct bp_cpu_matcher *matcher)
{
    (void)matcher;
}

bp_rc bp_cpu_matcher_find(struct bp_cpu_matcher *matcher, const struct bp_cpu_pattern *pattern,
                          const bp_span *text, size_t from, bool *found, size_t *start, size_t *end,
                          bp_err *err)
{
    (void)pattern;
    (void)text;
    (void)from;
    *found = false;
    *start = *end = 0;
    return bp_cpu_fail(matcher->call->node, err, BP_E_UNAVAILABLE,
                       "Backplane was built without PCRE2");
}

#endif
