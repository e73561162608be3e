/* SPDX-License-Identifier: MIT */
/*
 * string_normalizer.c - StringNormalizer (opset 10).
 * X [C] or [1, C], strings. Texts that are stop words are removed, the others brought to lower or
 * upper case; Y has the remaining number of texts, or a single empty one. ASCII is handled here;
 * for other letters libunistring is opened, whose rules need no installed locales.
 */

#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "lazy.h"

#include <stdlib.h>

#ifndef BP_UNISTRING_SONAME
#define BP_UNISTRING_SONAME NULL
#endif

/* MOST_GROWTH: bytes of a text after a change of case, for each byte before. */
enum { LANGUAGE = 8, MOST_GROWTH = 3 };
enum letters { AS_THEY_ARE, LOWER, UPPER };

/* u8_tolower and u8_toupper. */
typedef uint8_t *(*case_fn)(const uint8_t *s, size_t n, const char *language, void *normalization,
                            uint8_t *out, size_t *length);

struct library {
    case_fn lower, upper;
};

/* The attributes, and the library once a text needs it. Calls on several threads share it. */
struct packed {
    enum letters letters;
    bool is_sensitive;
    char language[LANGUAGE]; /* "" or two or three letters, "tr" */
    bool has_own_ascii;      /* the language has rules of its own for ASCII letters */
    bp_cpu_lazy unistring;
    bp_span *stop_words; /* n_stop_words */
    uint32_t n_stop_words;
};

/* ---- letters --------------------------------------------------------------------------------- */

/* ASCII needs no library, unless the language has rules of its own. */
static bool is_ascii(const bp_span *text)
{
    const unsigned char *s = text->data;

    for (size_t i = 0; i < text->size; i++) {
        if (s[i] >= 0x80)
            return false;
    }
    return true;
}

/* Case of one ASCII letter; other bytes stay. */
static unsigned char ascii_case(unsigned char c, bool up)
{
    if (up)
        return c >= 'a' && c <= 'z' ? (unsigned char)(c - 32) : c;
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

/* Opens libunistring once, at the first text that needs it. BP_E_UNAVAILABLE. */
static bp_rc open_library(const struct bp_cpu_node *node, struct packed *p,
                          const struct library **out, bp_err *err)
{
    static const struct bp_cpu_symbol symbols[] = {
        {"u8_tolower", offsetof(struct library, lower)},
        {"u8_toupper", offsetof(struct library, upper)},
    };

    const void *functions;

    switch (bp_cpu_lazy_open(&p->unistring, BP_UNISTRING_SONAME, symbols, 2, &functions)) {
    case BP_CPU_LAZY_OK:
        *out = functions;
        return BP_OK;
    case BP_CPU_LAZY_NO_MEMORY:
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for libunistring's functions");
    default:
        return bp_cpu_fail(node, err, BP_E_UNAVAILABLE,
                           "letters beyond ASCII need libunistring, which is not here");
    }
}

/*
 * Changes the case of a text; `buffer` has MOST_GROWTH times its bytes, and one. BP_E_INVALID: it
 * is not UTF-8.
 */
static bp_rc change_case(const struct bp_cpu_node *node, struct packed *p, bool up,
                         const bp_span *text, char *buffer, bp_span *out, bp_err *err)
{
    size_t length = MOST_GROWTH * text->size + 1;
    const struct library *library = NULL;
    uint8_t *got;
    bp_rc rc;

    *out = (bp_span){buffer, text->size};
    if (!p->has_own_ascii && is_ascii(text)) {
        for (size_t i = 0; i < text->size; i++)
            buffer[i] = (char)ascii_case(((const unsigned char *)text->data)[i], up);
        return BP_OK;
    }
    rc = open_library(node, p, &library, err);
    if (rc < 0)
        return rc;
    got = (up ? library->upper : library->lower)(text->data, text->size,
                                                 p->language[0] ? p->language : NULL, NULL,
                                                 (uint8_t *)buffer, &length);
    if (!got)
        return bp_cpu_fail(node, err, BP_E_INVALID, "a text is not UTF-8");
    if (got != (uint8_t *)buffer) { /* it did not fit, which no letter's rule makes happen */
        free(got);
        return bp_cpu_fail(node, err, BP_E_INTERNAL, "a text grew more than %d times", MOST_GROWTH);
    }
    out->size = length;
    return BP_OK;
}

/* ---- stop words ------------------------------------------------------------------------------ */

/* Byte order; a prefix comes before the longer text. */
static int compare(const void *a, const void *b)
{
    const bp_span *x = a, *y = b;
    size_t n = x->size < y->size ? x->size : y->size;
    int order = n ? memcmp(x->data, y->data, n) : 0;

    return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* Bisection: the stop words are sorted. */
static bool is_stop_word(const struct packed *p, const bp_span *text)
{
    return p->n_stop_words > 0 &&
           bsearch(text, p->stop_words, p->n_stop_words, sizeof *text, compare) != NULL;
}

/*
 * The language of a locale: "tr_TR.UTF-8" and "tr-TR" are "tr". Turkish, Azeri and Lithuanian have
 * rules of their own for ASCII letters.
 */
static void read_language(const struct bp_cpu_node *node, struct packed *p)
{
    static const char *const own[] = {"tr", "az", "lt"};
    const bp_attr *attr = bp_node_attr(node->graph, node->node, "locale");
    const bp_span *locale = attr && attr->type == BP_ATTR_STRING ? attr->data : NULL;
    size_t n = 0;

    while (locale && n < locale->size && n + 1 < LANGUAGE) {
        unsigned char c = ascii_case(((const unsigned char *)locale->data)[n], false);

        if (c < 'a' || c > 'z')
            break;
        p->language[n++] = (char)c;
    }
    p->language[n == 2 || n == 3 ? n : 0] = '\0';
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        p->has_own_ascii = p->has_own_ascii || strcmp(p->language, own[i]) == 0;
}

/* Copies the stop words in lower case, unless case matters, and sorts them. */
static bp_rc read_words(struct bp_cpu_node *node, struct packed *p, bp_err *err)
{
    const bp_attr *attr = bp_node_attr(node->graph, node->node, "stopwords");
    const bp_span *stop_words = attr && attr->type == BP_ATTR_STRING ? attr->data : NULL;

    p->n_stop_words = stop_words ? attr->count : 0;
    if (p->n_stop_words == 0)
        return BP_OK;
    p->stop_words = bp_cpu_node_memory(node, p->n_stop_words * sizeof *p->stop_words);
    if (!p->stop_words)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the stop words");
    for (uint32_t i = 0; i < p->n_stop_words; i++) {
        char *buffer;
        bp_rc rc;

        p->stop_words[i] = stop_words[i];
        if (p->is_sensitive)
            continue;
        buffer = bp_cpu_node_memory(node, MOST_GROWTH * stop_words[i].size + 1);
        if (!buffer)
            return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the stop words");
        rc = change_case(node, p, false, &stop_words[i], buffer, &p->stop_words[i], err);
        if (rc < 0)
            return rc;
    }
    qsort(p->stop_words, p->n_stop_words, sizeof *p->stop_words, compare);
    return BP_OK;
}

/* ---- the node -------------------------------------------------------------------------------- */

/* Index of case_change_action among NONE, LOWER, UPPER; -1: it is none of them. */
static int letters_of(const bp_graph *graph, const bp_node *node)
{
    static const char *const names[] = {"NONE", "LOWER", "UPPER"};

    for (int i = 0; i < 3; i++) {
        if (bp_node_string_is(graph, node, "case_change_action", "NONE", names[i]))
            return i;
    }
    return -1;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (letters_of(query->graph, query->node) < 0)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "case_change_action",
                      "is none of NONE, LOWER and UPPER");
    else
        bp_cpu_claim_types(op, query);
}

/* The library is opened for each node that needs it, and closed with it. */
static void unpack(struct bp_cpu_node *node)
{
    struct packed *p = node->packed;

    if (!p)
        return;
    bp_cpu_lazy_close(&p->unistring);
    node->packed = NULL;
}

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    struct packed *p = bp_cpu_node_memory(node, sizeof *p);
    bp_rc rc;

    if (!p)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the stop words");
    node->packed = p;
    p->letters = (enum letters)letters_of(node->graph, node->node);
    p->is_sensitive = bp_cpu_int(node, "is_case_sensitive", 0) != 0;
    read_language(node, p);
    rc = read_words(node, p, err);
    if (rc < 0)
        unpack(node);
    return rc;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_runtime_shape_state(call, sizeof(struct bp_cpu_runtime_shape), 1, 0, err);
}

/* Copies the texts that are not stop words to `kept`; *n counts them. */
static bp_rc filter(struct bp_cpu_call *call, bp_span *kept, int64_t *n, char *buffer, bp_err *err)
{
    struct packed *p = call->node->packed;
    const bp_span *texts = bp_cpu_data(call->in[0]);
    int64_t count = bp_cpu_count(call->in[0]);

    *n = 0;
    for (int64_t i = 0; i < count; i++) {
        bp_span folded = texts[i];

        if (!p->is_sensitive && p->n_stop_words > 0) {
            bp_rc rc = change_case(call->node, p, false, &texts[i], buffer, &folded, err);

            if (rc < 0)
                return rc;
        }
        if (!is_stop_word(p, &folded))
            kept[(*n)++] = texts[i];
    }
    return BP_OK;
}

/* Texts whose case stays are borrowed from X; others get memory of the run. */
static bp_rc write_texts(struct bp_cpu_call *call, const bp_span *kept, int64_t n, bp_err *err)
{
    struct packed *p = call->node->packed;
    bp_span *out = bp_cpu_data(call->out[0]);
    size_t bytes = 0;
    char *memory;

    if (n == 0) /* ONNX: one empty text if all were removed */
        out[0] = (bp_span){"", 0};
    if (p->letters == AS_THEY_ARE) {
        for (int64_t i = 0; i < n; i++)
            out[i] = kept[i];
        return BP_OK;
    }
    for (int64_t i = 0; i < n; i++)
        bytes += MOST_GROWTH * kept[i].size + 1;
    memory = bp_cpu_run_memory(call, bytes + 1);
    if (!memory)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the texts");
    for (int64_t i = 0; i < n; i++) {
        bp_rc rc = change_case(call->node, p, p->letters == UPPER, &kept[i], memory, &out[i], err);

        if (rc < 0)
            return rc;
        memory += MOST_GROWTH * kept[i].size + 1;
    }
    return BP_OK;
}

/* One buffer, large enough for the longest text, serves all comparisons. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    const bp_span *texts = bp_cpu_data(x);
    int64_t count = bp_cpu_count(x), dims[2] = {1, 1}, n = 0;
    size_t longest = 0;
    bp_span *kept = bp_cpu_run_memory(call, (size_t)count * sizeof *kept + 1);
    char *buffer;
    bp_rc rc;

    if ((x->rank != 1 && x->rank != 2) || (x->rank == 2 && x->dims[0] != 1))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X is neither [C] nor [1, C]");
    for (int64_t i = 0; i < count; i++)
        longest = texts[i].size > longest ? texts[i].size : longest;
    buffer = bp_cpu_run_memory(call, MOST_GROWTH * longest + 1);
    if (!kept || !buffer)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the texts");
    rc = filter(call, kept, &n, buffer, err);
    if (rc < 0)
        return rc;
    dims[x->rank - 1] = n > 0 ? n : 1;
    rc = bp_cpu_runtime_shape_output(call, x->rank, dims, err);
    return rc < 0 ? rc : write_texts(call, kept, n, err);
}

const struct bp_cpu_op bp_cpu_op_string_normalizer = {
    .name = "StringNormalizer",
    .since = 10,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = UINT64_C(1) << BP_DTYPE_STRING,
    .claim = claim,
    .pack = pack,
    .unpack = unpack,
    .prepare = prepare,
    .run = run,
};
