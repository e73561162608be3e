/* SPDX-License-Identifier: MIT */
/*
 * tokenizer.c - Tokenizer of com.microsoft.
 * X is [C] or [N, C], strings. Y has one more dimension: the tokens of each text, filled up with
 * pad_value to the largest number of tokens. Tokens are the substrings between matches of
 * `separators` (patterns, applied one after the other), or the matches of `tokenexp`, or the
 * characters, if the only separator is empty or tokenexp is ".". Tokens borrow X's bytes; attribute
 * mark adds "\x02" and "\x03" around them.
 */

#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "text/regex_match.h"

enum { MARKS = 2 /* start and end of a text */ };

struct packed {
    bool by_character, by_token;
    bool has_marks;
    int64_t least; /* characters of a token */
    bp_span pad;
    uint32_t n_patterns;
    struct bp_cpu_pattern *patterns[];
};

struct state {
    struct bp_cpu_runtime_shape runtime;
    struct bp_cpu_matcher matcher;
};

/* ---- attributes ------------------------------------------------------------------------------ */

/* A list of strings; *n is 0 if it is absent or empty. */
static const bp_span *texts_of(const bp_graph *graph, const bp_node *node, const char *name,
                               uint32_t *n, bool *is_given)
{
    const bp_attr *attr = bp_node_attr(graph, node, name);

    *is_given = attr && attr->type == BP_ATTR_STRING;
    *n = *is_given ? attr->count : 0;
    return *n ? attr->data : NULL;
}

/* Compares a text with a C string. */
static bool is_text(const bp_span *text, const char *what)
{
    return text->size == strlen(what) &&
           (text->size == 0 || memcmp(text->data, what, text->size) == 0);
}

/* Reads how texts are split; returns what is wrong with the attributes, or NULL. */
static const char *read_mode(const bp_graph *graph, const bp_node *node, const bp_span **patterns,
                             uint32_t *n, bool *by_character, bool *by_token)
{
    bool is_given;
    int64_t least = bp_node_int(graph, node, "mincharnum", 1);

    *by_token = false;
    *patterns = texts_of(graph, node, "separators", n, &is_given);
    *by_character = *n == 1 && (*patterns)[0].size == 0;
    if (is_given && *n == 0)
        return "separators is empty";
    if (!is_given) {
        *patterns = texts_of(graph, node, "tokenexp", n, &is_given);
        *by_token = true;
        if (*n != 1)
            return "neither separators nor tokenexp is given";
        if ((*patterns)[0].size == 0)
            return "tokenexp is empty";
        *by_character = is_text(&(*patterns)[0], ".");
    }
    if (least < 1)
        return "mincharnum is not above 0";
    return *by_character && least > 1 ? "mincharnum is above 1, but tokens are characters" : NULL;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_span *patterns;
    uint32_t n;
    bool by_character, by_token;
    const char *wrong =
        read_mode(query->graph, query->node, &patterns, &n, &by_character, &by_token);

    if (wrong)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, NULL, "%s", wrong);
#ifndef BP_PCRE2_SONAME
    else if (!by_character)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, by_token ? "tokenexp" : "separators",
                      "Backplane was built without PCRE2");
#endif
    else
        bp_cpu_claim_types(op, query);
}

static void unpack(struct bp_cpu_node *node)
{
    struct packed *p = node->packed;

    for (uint32_t i = 0; p && i < p->n_patterns; i++)
        bp_cpu_pattern_close(p->patterns[i]);
    node->packed = NULL;
}

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_attr *pad = bp_node_attr(node->graph, node->node, "pad_value");
    const bp_span *patterns;
    bool by_character, by_token;
    uint32_t n;
    const char *wrong = read_mode(node->graph, node->node, &patterns, &n, &by_character, &by_token);
    struct packed *p;
    bp_rc rc = BP_OK;

    if (wrong)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s", wrong);
    p = bp_cpu_node_memory(node, sizeof *p + n * sizeof p->patterns[0]);
    if (!p)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the patterns");
    p->by_character = by_character;
    p->by_token = by_token;
    p->has_marks = bp_cpu_int(node, "mark", 0) != 0;
    p->least = bp_cpu_int(node, "mincharnum", 1);
    if (pad && pad->type == BP_ATTR_STRING && pad->count == 1)
        p->pad = *(const bp_span *)pad->data;
    node->packed = p;
    for (; p->n_patterns < n && !by_character && rc >= 0; p->n_patterns++)
        rc = bp_cpu_pattern_open(node, &patterns[p->n_patterns],
                                 by_token ? "tokenexp" : "a separator", false,
                                 &p->patterns[p->n_patterns], err);
    if (rc < 0)
        unpack(node);
    return rc;
}

/*
 * The matcher is made with the first pattern and serves all of them. Texts are checked to be UTF-8
 * once, before the matches.
 */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct packed *p = call->node->packed;
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof(struct state), 1, 0, err);
    struct state *s = call->state;

    if (rc >= 0 && p->n_patterns > 0) {
        rc = bp_cpu_matcher_prepare(call, p->patterns[0], &s->matcher, err);
        s->matcher.is_checked = true;
    }
    return rc;
}

/* ---- UTF-8 ----------------------------------------------------------------------------------- */

/* Bytes of the UTF-8 character that starts with byte c. */
static size_t length_of(unsigned char c)
{
    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Characters of n bytes of UTF-8: bytes that do not continue one. */
static int64_t count_characters(const unsigned char *s, size_t n)
{
    int64_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += (s[i] & 0xc0) != 0x80;
    return count;
}

/* Whether a text is UTF-8, without surrogates and overlong encodings. */
static bool is_utf_8(const bp_span *text)
{
    const unsigned char *s = text->size > 0 ? text->data : (const void *)"", *end = s + text->size;

    while (s < end) {
        size_t n = length_of(*s);
        unsigned low = 0x80, high = 0xbf; /* of the second byte */

        if ((*s >= 0x80 && *s < 0xc2) || *s > 0xf4 || (size_t)(end - s) < n)
            return false;
        low = *s == 0xe0 ? 0xa0 : *s == 0xf0 ? 0x90 : low;
        high = *s == 0xed ? 0x9f : *s == 0xf4 ? 0x8f : high;
        for (size_t i = 1; i < n; i++, low = 0x80, high = 0xbf) {
            if (s[i] < low || s[i] > high)
                return false;
        }
        s += n;
    }
    return true;
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* The tokens of one text; the capacity is one token for each character. */
struct list {
    bp_span *tokens;
    int64_t n;
};

/* The state of a run. */
struct job {
    struct bp_cpu_call *call;
    const struct packed *p;
    struct bp_cpu_matcher *matcher;
    struct list from, to; /* before and after a separator */
};

/* Adds bytes start..end as a token, if it has at least mincharnum characters. */
static void add(const struct job *job, struct list *list, const bp_span *text, size_t start,
                size_t end)
{
    const char *s = text->data;

    if (start < end &&
        count_characters((const unsigned char *)s + start, end - start) >= job->p->least)
        list->tokens[list->n++] = (bp_span){s + start, end - start};
}

/* Where the search goes on after a match; an empty match skips a character. */
static size_t after_match(const bp_span *text, size_t start, size_t end)
{
    if (end > start)
        return end;
    return start + (start < text->size ? length_of(((const unsigned char *)text->data)[start]) : 1);
}

/* Adds the substrings of a text between the matches of one separator. */
static bp_rc separate(const struct job *job, const struct bp_cpu_pattern *pattern,
                      const bp_span *text, struct list *to, bp_err *err)
{
    size_t at = 0, start, end;
    bool found = true;

    while (found && at <= text->size) {
        bp_rc rc = bp_cpu_matcher_find(job->matcher, pattern, text, at, &found, &start, &end, err);

        if (rc < 0)
            return rc;
        add(job, to, text, at, found ? start : text->size);
        at = found ? after_match(text, start, end) : at;
    }
    return BP_OK;
}

/* Each separator splits the tokens that the one before has left. */
static bp_rc cut_by_separators(struct job *job, const bp_span *text, bp_err *err)
{
    job->to.tokens[0] = *text;
    job->to.n = 1;
    for (uint32_t i = 0; i < job->p->n_patterns && job->to.n > 0; i++) {
        struct list list = job->from;

        job->from = job->to;
        job->to = (struct list){list.tokens, 0};
        for (int64_t t = 0; t < job->from.n; t++) {
            bp_rc rc = separate(job, job->p->patterns[i], &job->from.tokens[t], &job->to, err);

            if (rc < 0)
                return rc;
        }
    }
    return BP_OK;
}

/*
 * The matches of tokenexp. After a match that is too short the search goes on one character later.
 */
static bp_rc cut_by_tokens(struct job *job, const bp_span *text, bp_err *err)
{
    size_t at = 0, start, end;
    bool found = true;

    job->to.n = 0;
    while (at <= text->size) {
        int64_t before = job->to.n;
        bp_rc rc = bp_cpu_matcher_find(job->matcher, job->p->patterns[0], text, at, &found, &start,
                                       &end, err);

        if (rc < 0 || !found)
            return rc;
        add(job, &job->to, text, start, end);
        at = job->to.n > before ? end : after_match(text, start, start);
    }
    return BP_OK;
}

/* Each character is a token. */
static bp_rc cut_by_characters(struct job *job, const bp_span *text)
{
    const char *s = text->data;

    job->to.n = 0;
    for (size_t at = 0; at < text->size;) {
        size_t n = length_of((unsigned char)s[at]);

        job->to.tokens[job->to.n++] = (bp_span){s + at, n};
        at += n;
    }
    return BP_OK;
}

/* The tokens of one text, by the node's mode. */
static bp_rc cut(struct job *job, const bp_span *text, bp_err *err)
{
    return job->p->by_character ? cut_by_characters(job, text)
           : job->p->by_token   ? cut_by_tokens(job, text, err)
                                : cut_by_separators(job, text, err);
}

/* ---- run ------------------------------------------------------------------------------------- */

/*
 * Number of characters of all texts, and of the longest. BP_E_INVALID: a text is not UTF-8; the
 * message is ONNX Runtime's.
 */
static bp_rc measure(const struct bp_cpu_call *call, int64_t *all, int64_t *most, bp_err *err)
{
    const bp_span *texts = bp_cpu_data(call->in[0]);
    int64_t n = bp_cpu_count(call->in[0]);

    *all = *most = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t count;

        if (!is_utf_8(&texts[i]))
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "Input string contains invalid utf8 chars at input index: %lld",
                               (long long)i);
        count = count_characters(texts[i].data, texts[i].size);
        *all += count;
        *most = count > *most ? count : *most;
    }
    return BP_OK;
}

/* The tokens of all texts, one after the other, and the number of each text's tokens. */
static bp_rc cut_all(struct bp_cpu_call *call, bp_span **tokens, int64_t **counts, int64_t *most,
                     bp_err *err)
{
    struct job job = {.call = call, .p = call->node->packed};
    const bp_span *texts = bp_cpu_data(call->in[0]);
    int64_t n = bp_cpu_count(call->in[0]), longest, all, used = 0;
    bp_rc rc = measure(call, &all, &longest, err);

    if (rc < 0)
        return rc;
    *tokens = bp_cpu_run_memory(call, (size_t)(all + 1) * sizeof **tokens);
    *counts = bp_cpu_run_memory(call, (size_t)n * sizeof **counts);
    job.from.tokens = bp_cpu_run_memory(call, (size_t)(longest + 1) * sizeof **tokens);
    job.to.tokens = bp_cpu_run_memory(call, (size_t)(longest + 1) * sizeof **tokens);
    if (!*tokens || !*counts || !job.from.tokens || !job.to.tokens)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the tokens");
    job.matcher = &((struct state *)call->state)->matcher;
    if (job.p->n_patterns > 0)
        bp_cpu_matcher_begin(job.matcher);
    *most = 0;
    for (int64_t i = 0; i < n && rc >= 0; i++) {
        rc = cut(&job, &texts[i], err);
        if (rc < 0)
            return rc;
        memcpy(*tokens + used, job.to.tokens, (size_t)job.to.n * sizeof **tokens);
        used += job.to.n;
        (*counts)[i] = job.to.n;
        *most = job.to.n > *most ? job.to.n : *most;
    }
    return rc;
}

/* The tokens of a text between its marks, then padding up to `width`. */
static void put_row(const struct packed *p, const bp_span *tokens, int64_t n, int64_t width,
                    bp_span *to)
{
    int64_t at = 0;

    if (p->has_marks)
        to[at++] = (bp_span){"\x02", 1};
    for (int64_t i = 0; i < n; i++)
        to[at++] = tokens[i];
    if (p->has_marks)
        to[at++] = (bp_span){"\x03", 1};
    while (at < width)
        to[at++] = p->pad;
}

/* Y's shape depends on the texts: the tokens are counted before it is allocated. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct packed *p = call->node->packed;
    const bp_tensor *x = call->in[0];
    int64_t n = bp_cpu_count(x), dims[3], most = 0, *counts = NULL;
    bp_span *tokens = NULL, *out;
    uint32_t rank = 0;
    bp_rc rc = BP_OK;

    if (x->rank < 1 || x->rank > 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the input has rank %u, not 1 or 2",
                           x->rank);
    if (n > 0)
        rc = cut_all(call, &tokens, &counts, &most, err);
    if (rc < 0)
        return rc;
    if (n > 0 || x->rank == 2) /* no texts: ONNX Runtime's output has one dimension less */
        dims[rank++] = x->dims[0];
    if (n > 0 && x->rank == 2)
        dims[rank++] = x->dims[1];
    dims[rank++] = most > 0 && p->has_marks ? most + MARKS : most;
    rc = bp_cpu_runtime_shape_output(call, rank, dims, err);
    if (rc < 0 || most == 0)
        return rc;
    out = bp_cpu_data(call->out[0]);
    for (int64_t i = 0; i < n; tokens += counts[i++])
        put_row(p, tokens, counts[i], dims[rank - 1], out + i * dims[rank - 1]);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_tokenizer = {
    .name = "Tokenizer",
    .domain = "com.microsoft",
    .since = 1,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = UINT64_C(1) << BP_DTYPE_STRING,
    .claim = claim,
    .pack = pack,
    .unpack = unpack,
    .prepare = prepare,
    .run = run,
};
