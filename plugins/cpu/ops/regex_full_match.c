/* SPDX-License-Identifier: MIT */
/*
 * regex_full_match.c - RegexFullMatch (opset 20): does the pattern, in RE2's syntax, match the
 * whole of each text? PCRE2 looks for it with its other algorithm, which follows all ways at once:
 * as with RE2, no pattern makes it try one way after the other for ever.
 */

#include "kernels/data.h"
#include "kernels/regex.h"
#include "lazy.h"

#ifdef BP_PCRE2_SONAME

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    WORK_NUMBERS = 16 * 1024,       /* of PCRE2's list of ways, at first */
    MOST_NUMBERS = 4 * 1024 * 1024, /* beyond that many the pattern is refused */
    WORDS = 256                     /* bytes of PCRE2's message */
};

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
};

struct packed {
    void *handle;
    struct library library;
    pcre2_code *code;
};

struct state {
    pcre2_match_data *match;
    struct bp_cpu_call *call;
    bool is_prepared; /* then PCRE2 gets no more memory */
};

/* ---- the pattern ----------------------------------------------------------------------------- */

static bp_rc compile(struct bp_cpu_node *node, struct packed *p, const char *pattern, size_t size,
                     bp_err *err)
{
    pcre2_compile_context *context = p->library.context(NULL);
    PCRE2_UCHAR words[WORDS] = {0};
    PCRE2_SIZE at = 0;
    int code = 0;

    if (!context)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the pattern");
    (void)p->library.set_newline(context, PCRE2_NEWLINE_LF);
    p->code = p->library.compile((PCRE2_SPTR)pattern, size,
                                 PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ANCHORED |
                                     PCRE2_NO_AUTO_POSSESS | PCRE2_NEVER_BACKSLASH_C,
                                 &code, &at, context);
    p->library.context_free(context);
    if (p->code)
        return BP_OK;
    (void)p->library.message(code, words, sizeof words);
    return bp_cpu_fail(node, err, BP_E_INVALID, "pattern is wrong near byte %zu: %s", (size_t)at,
                       (const char *)words);
}

static void unpack(struct bp_cpu_node *node)
{
    struct packed *p = node->packed;

    if (!p)
        return;
    if (p->code)
        p->library.code_free(p->code);
    bp_cpu_lazy_close(p->handle);
    node->packed = NULL;
}

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_attr *attr = bp_node_attr(node->graph, node->node, "pattern");
    const bp_span *pattern = attr->data;
    struct packed *p = bp_cpu_node_memory(node, sizeof *p);
    char *room = bp_cpu_node_memory(node, BP_CPU_REGEX_ROOM(pattern->size));
    const char *wrong;
    size_t size, at;
    bp_rc rc;

    if (!p || !room)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the pattern");
    wrong =
        bp_cpu_regex_translate(pattern->size ? pattern->data : "", pattern->size, room, &size, &at);
    if (wrong)
        return bp_cpu_fail(node, err, BP_E_INVALID, "pattern has %s at byte %zu", wrong, at);
    p->handle =
        bp_cpu_lazy_open(BP_PCRE2_SONAME, symbols, sizeof symbols / sizeof *symbols, &p->library);
    if (!p->handle)
        return bp_cpu_fail(node, err, BP_E_UNAVAILABLE, "this needs %s, which is not here",
                           BP_PCRE2_SONAME);
    node->packed = p;
    rc = compile(node, p, room, size, err);
    if (rc < 0)
        unpack(node);
    return rc;
}

/* ---- running --------------------------------------------------------------------------------- */

static void *take(PCRE2_SIZE bytes, void *u)
{
    const struct state *s = u;

    return s->is_prepared ? NULL : bp_cpu_call_memory(s->call, bytes);
}

static void give_back(void *memory, void *u)
{
    (void)memory; /* it goes with the frame */
    (void)u;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct packed *p = call->node->packed;
    pcre2_general_context *context;
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->call = call;
    context = p->library.general(take, give_back, s);
    if (context)
        s->match = p->library.match_data(1, context);
    if (!s->match)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for matches");
    s->is_prepared = true;
    call->scratch_bytes = WORK_NUMBERS * sizeof(int);
    return BP_OK;
}

struct room {
    int *numbers;
    size_t n;
};

/* Below 0: an error of PCRE2. */
static int match(struct bp_cpu_call *call, const bp_span *text, struct room *room)
{
    const struct packed *p = call->node->packed;
    struct state *s = call->state;
    int rc;

    for (;;) {
        rc = p->library.match(p->code, text->size ? text->data : (PCRE2_SPTR) "", text->size, 0,
                              PCRE2_ANCHORED, s->match, NULL, room->numbers, room->n);
        if (rc != PCRE2_ERROR_DFA_WSSIZE || room->n >= MOST_NUMBERS)
            return rc;
        room->n *= 4;
        room->numbers = bp_cpu_run_memory(call, room->n * sizeof *room->numbers);
        if (!room->numbers)
            return PCRE2_ERROR_NOMEMORY;
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct packed *p = call->node->packed;
    const struct state *s = call->state;
    const bp_span *texts = bp_cpu_data(call->in[0]);
    uint8_t *out = bp_cpu_data(call->out[0]);
    int64_t n = bp_cpu_count(call->in[0]);
    struct room room = {call->scratch, WORK_NUMBERS};

    for (int64_t i = 0; i < n; i++) {
        int rc = match(call, &texts[i], &room);

        /* the longest match comes first; a text that is no UTF-8 matches nothing */
        out[i] = rc >= 0 && p->library.ovector(s->match)[1] == texts[i].size;
        if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH ||
            (rc <= PCRE2_ERROR_UTF8_ERR1 && rc >= PCRE2_ERROR_UTF8_ERR21))
            continue;
        return bp_cpu_fail(call->node, err, rc == PCRE2_ERROR_NOMEMORY ? BP_E_NOMEM : BP_E_INVALID,
                           "the pattern is too heavy for text %lld of %zu bytes: PCRE2 says %d",
                           (long long)i, texts[i].size, rc);
    }
    return BP_OK;
}

#endif

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_attr *pattern = bp_node_attr(query->graph, query->node, "pattern");

    if (!pattern || pattern->type != BP_ATTR_STRING || pattern->count != 1)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "pattern", "is not given");
#ifndef BP_PCRE2_SONAME
    else if (op)
        bp_cpu_refuse(query, BP_R_OP, NULL, "Backplane was built without PCRE2");
#endif
    else
        bp_cpu_claim_types(op, query);
}

#ifndef BP_PCRE2_SONAME
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_fail(call->node, err, BP_E_UNAVAILABLE, "Backplane was built without PCRE2");
}
#endif

const struct bp_cpu_op bp_cpu_op_regex_full_match = {
    .name = "RegexFullMatch",
    .since = 20,
    .types = UINT64_C(1) << BP_DTYPE_STRING,
    .claim = claim,
#ifdef BP_PCRE2_SONAME
    .pack = pack,
    .unpack = unpack,
    .prepare = prepare,
#endif
    .run = run,
};
