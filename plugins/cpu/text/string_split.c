/* SPDX-License-Identifier: MIT */
/*
 * string_split.c - StringSplit (opset 20).
 * X of shape [...], strings. Y [..., most] has the substrings of each text between delimiters,
 * filled up with empty texts; Z [...], int64, their numbers. The delimiter "" means runs of white
 * space; maxsplit limits the splits. Substrings borrow X's bytes.
 */

#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"

struct state {
    struct bp_cpu_runtime_shape runtime;
    bp_span delimiter; /* empty: runs of white space */
    int64_t most;      /* splits; -1: no limit */
};

/* Y's shape depends on the texts, so that run() allocates it. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_attr *delimiter = bp_node_attr(call->node->graph, call->node->node, "delimiter");
    struct state *state;
    bp_rc rc;

    if (!call->out[0]) { /* only Z is wanted */
        rc = bp_cpu_state(call, sizeof *state, err);
    } else {
        rc = bp_cpu_runtime_shape_state(call, sizeof *state, 1, 0, err);
    }
    if (rc < 0)
        return rc;
    state = call->state;
    if (delimiter && delimiter->type == BP_ATTR_STRING && delimiter->count > 0)
        state->delimiter = *(const bp_span *)delimiter->data;
    state->most = bp_cpu_int(call->node, "maxsplit", -1);
    return BP_OK;
}

/* Bytes of the white space character that starts here, by Unicode's property; 0: there is none. */
static size_t space_at(const unsigned char *s, size_t n)
{
    unsigned code;

    if (n == 0)
        return 0;
    if (s[0] < 0x80)
        return s[0] == ' ' || (s[0] >= 9 && s[0] <= 13) || (s[0] >= 0x1c && s[0] <= 0x1f);
    if (n >= 2 && s[0] == 0xc2)
        return s[1] == 0x85 || s[1] == 0xa0 ? 2 : 0;
    if (n < 3 || s[0] < 0xe1 || s[0] > 0xe3 || (s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80)
        return 0;
    code = (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
    if (code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
        code == 0x202f || code == 0x205f || code == 0x3000)
        return 3;
    return 0;
}

/* The text from byte `at` on. */
static bp_span rest_of(const bp_span *text, size_t at)
{
    return (bp_span){(const char *)text->data + at, text->size - at};
}

/*
 * Substrings between white space, into `substrings` unless it is NULL; returns their number. After
 * `most` splits the rest stays one substring.
 */
static int64_t split_space(const bp_span *text, int64_t most, bp_span *substrings)
{
    const unsigned char *s = text->data;
    int64_t n = 0;
    size_t at = 0, size;

    for (;;) {
        size_t start;

        while ((size = space_at(s + at, text->size - at)) > 0)
            at += size;
        if (at == text->size)
            return n;
        if (n == most) {
            if (substrings)
                substrings[n] = rest_of(text, at);
            return n + 1;
        }
        start = at;
        while (at < text->size && space_at(s + at, text->size - at) == 0)
            at++;
        if (substrings)
            substrings[n] = (bp_span){s + start, at - start};
        n++;
    }
}

/* The first delimiter in from..end, or NULL. */
static const char *find(const char *from, const char *end, const bp_span *delimiter)
{
    const char *first = delimiter->data;

    while ((size_t)(end - from) >= delimiter->size) {
        from = memchr(from, *first, (size_t)(end - from) - delimiter->size + 1);
        if (!from || memcmp(from, first, delimiter->size) == 0)
            return from;
        from++;
    }
    return NULL;
}

/* Substrings between delimiters; n delimiters make n + 1 of them. */
static int64_t split_at(const bp_span *text, const bp_span *delimiter, int64_t most,
                        bp_span *substrings)
{
    const char *from = text->size ? text->data : "", *end = from + text->size;
    int64_t n = 0;

    while (n != most) {
        const char *at = find(from, end, delimiter);

        if (!at)
            break;
        if (substrings)
            substrings[n] = (bp_span){from, (size_t)(at - from)};
        n++;
        from = at + delimiter->size;
    }
    if (substrings)
        substrings[n] = (bp_span){from, (size_t)(end - from)};
    return n + 1;
}

/* Substrings of one text; an empty text has none if the delimiter is white space. */
static int64_t split(const struct state *s, const bp_span *text, bp_span *substrings)
{
    int64_t most = s->most < 0 ? -1 : s->most;

    if (s->delimiter.size == 0)
        return text->size ? split_space(text, most, substrings) : 0;
    return split_at(text, &s->delimiter, most, substrings);
}

/* Each text is split twice: Y's last dimension is known only after all substrings are counted. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *x = call->in[0];
    const bp_span *texts = bp_cpu_data(x);
    bp_tensor *counts = bp_cpu_out(call, 1);
    int64_t dims[BP_CPU_MAX_RANK + 1], n = bp_cpu_count(x), most = 0;
    bp_span *out;
    bp_rc rc = BP_OK;

    for (int64_t i = 0; i < n; i++) {
        int64_t substrings = split(s, &texts[i], NULL);

        most = substrings > most ? substrings : most;
    }
    if (counts && counts->rank == BP_RANK_UNKNOWN)
        rc = bp_cpu_alloc_output(call, 1, x->rank, x->dims, err);
    for (int64_t i = 0; counts && i < n && rc >= 0; i++)
        ((int64_t *)bp_cpu_data(counts))[i] = split(s, &texts[i], NULL);
    if (rc < 0 || !call->out[0])
        return rc;
    for (uint32_t d = 0; d < x->rank; d++)
        dims[d] = x->dims[d];
    dims[x->rank] = most;
    rc = bp_cpu_runtime_shape_output(call, x->rank + 1, dims, err);
    if (rc < 0)
        return rc;
    out = bp_cpu_data(call->out[0]);
    for (int64_t i = 0; i < n; i++, out += most) {
        int64_t substrings = split(s, &texts[i], out);

        for (int64_t k = substrings; k < most; k++)
            out[k] = (bp_span){"", 0};
    }
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_string_split = {
    .name = "StringSplit",
    .since = 20,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = UINT64_C(1) << BP_DTYPE_STRING,
    .prepare = prepare,
    .run = run,
};
