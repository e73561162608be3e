/* SPDX-License-Identifier: MIT */
/*
 * tf_idf_vectorizer.c - TfIdfVectorizer (opset 9).
 * X is [C] or [N, C], of strings, int32 or int64. Y [columns] or [N, columns], float32, counts for
 * each n-gram of the pool how often it occurs in the row, also with up to max_skip_count tokens
 * between two of its tokens. Modes: TF is the count, IDF the weight if it occurs, TFIDF count times
 * weight.
 */

#include "text/ngram_trie.h"

#include "kernels/tensor_data.h"

#include <stdlib.h>

struct packed {
    struct bp_cpu_ngram_trie trie;
    int64_t shortest, longest, skips; /* lengths of n-grams; tokens that may be skipped */
    const int64_t *columns;           /* of each n-gram */
    const float *weights;             /* of each n-gram; NULL: 1 */
    bool counts, weighs;              /* TF, IDF */
};

struct state {
    int64_t rows, row, columns; /* row: tokens of a row of X */
    uint32_t slices;
};

struct job {
    const struct bp_cpu_call *call;
    const struct packed *packed;
};

/* ---- the pool -------------------------------------------------------------------------------- */

/* Whether attribute mode has this value. */
static bool mode_is(const bp_graph *graph, const bp_node *node, const char *mode)
{
    return bp_node_string_is(graph, node, "mode", "", mode);
}

/* Exactly one of pool_strings and pool_int64s is needed, of X's kind. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    bool has_text = bp_node_attr(query->graph, query->node, "pool_strings") != NULL;
    bool has_number = bp_node_attr(query->graph, query->node, "pool_int64s") != NULL;

    if (!mode_is(query->graph, query->node, "TF") && !mode_is(query->graph, query->node, "IDF") &&
        !mode_is(query->graph, query->node, "TFIDF"))
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "mode", "is none of TF, IDF and TFIDF");
    else if (has_text == has_number)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "pool_strings",
                      "one of pool_strings and pool_int64s is needed");
    else if (x && (x->dtype == BP_DTYPE_STRING) != has_text)
        bp_cpu_refuse_dtype(query, 0);
    else
        bp_cpu_claim_types(op, query);
}

/* Adds the n-grams of one length, pool elements first..end; *gram counts all of them. */
static bp_rc add_grams(struct bp_cpu_node *node, struct packed *packed, const bp_attr *pool,
                       int64_t size, int64_t first, int64_t end, uint32_t *gram, bp_err *err)
{
    for (int64_t at = first; end - at >= size; at += size, ++*gram) {
        uint32_t position = 0;

        if (size < packed->shortest || size > packed->longest)
            continue;
        for (int64_t k = 0; k < size; k++) {
            const bp_span *text = pool->type == BP_ATTR_STRING ? pool->data : NULL;
            const int64_t *i64 = pool->data;
            int64_t token;

            if (!bp_cpu_ngram_trie_token(&packed->trie, text ? &text[at + k] : NULL,
                                         text ? 0 : i64[at + k], &token) ||
                !bp_cpu_ngram_trie_step(&packed->trie, &position, token))
                return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the pool");
        }
        packed->trie.nodes[position].gram = *gram + 1;
    }
    return BP_OK;
}

/* ngram_counts[i] is where the n-grams of length i + 1 start in the pool. */
static bp_rc fill_pool(struct bp_cpu_node *node, struct packed *packed, bp_err *err)
{
    const bp_attr *texts = bp_node_attr(node->graph, node->node, "pool_strings");
    const bp_attr *pool = texts ? texts : bp_node_attr(node->graph, node->node, "pool_int64s");
    uint32_t n, n_columns, n_grams = 0;
    const int64_t *starts = bp_cpu_ints(node, "ngram_counts", &n);
    const bp_attr *weights = bp_node_attr(node->graph, node->node, "weights");
    bp_rc rc = BP_OK;

    packed->columns = bp_cpu_ints(node, "ngram_indexes", &n_columns);
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        int64_t end = i + 1 < n ? starts[i + 1] : pool->count;

        if (starts[i] < 0 || end < starts[i] || end > pool->count)
            return bp_cpu_fail(node, err, BP_E_INVALID,
                               "ngram_counts %u is %lld, the pool has %u tokens", i,
                               (long long)starts[i], pool->count);
        rc = add_grams(node, packed, pool, (int64_t)i + 1, starts[i], end, &n_grams, err);
    }
    if (rc < 0)
        return rc;
    if (n_grams > n_columns)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%u n-grams, but ngram_indexes has %u elements",
                           n_grams, n_columns);
    if (weights && weights->type == BP_ATTR_FLOAT && weights->count > 0) {
        if (weights->count < n_grams)
            return bp_cpu_fail(node, err, BP_E_INVALID, "%u n-grams, but %u weights", n_grams,
                               weights->count);
        packed->weights = weights->data;
    }
    return BP_OK;
}

/* The trie's tables are the provider's own memory, not the node's. */
static void unpack(struct bp_cpu_node *node)
{
    struct packed *packed = node->packed;

    if (packed)
        bp_cpu_ngram_trie_finish(&packed->trie);
    free(packed);
    node->packed = NULL;
}

/* Reads the attributes and builds the trie, once for a node. */
static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    struct packed *packed = calloc(1, sizeof *packed);
    bp_rc rc;

    if (!packed)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the pool");
    node->packed = packed;
    packed->shortest = bp_cpu_int(node, "min_gram_length", 1);
    packed->longest = bp_cpu_int(node, "max_gram_length", 1);
    packed->skips = bp_cpu_int(node, "max_skip_count", 0);
    packed->counts = !mode_is(node->graph, node->node, "IDF");
    packed->weighs = !mode_is(node->graph, node->node, "TF");
    if (packed->shortest < 1 || packed->longest < packed->shortest || packed->skips < 0)
        rc = bp_cpu_fail(
            node, err, BP_E_INVALID, "n-grams of %lld to %lld tokens, with %lld between",
            (long long)packed->shortest, (long long)packed->longest, (long long)packed->skips);
    else
        rc = bp_cpu_ngram_trie_start(&packed->trie)
                 ? fill_pool(node, packed, err)
                 : bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the pool");
    if (rc < 0)
        unpack(node);
    return rc;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Each worker has scratch for the token indices of one row. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    const struct packed *packed = call->node->packed;
    struct state *s;
    uint32_t n;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->rows = x->rank == 2 ? x->dims[0] : 1;
    s->row = x->rank > 0 ? x->dims[x->rank - 1] : 1;
    s->columns = y->rank > 0 ? y->dims[y->rank - 1] : 0;
    if (x->rank > 2 || y->rank != (x->rank == 2 ? 2 : 1) || (y->rank == 2 && y->dims[0] != s->rows))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X and Y do not fit together");
    (void)bp_cpu_ints(call->node, "ngram_indexes", &n);
    for (uint32_t i = 0; i < n; i++) {
        if (packed->columns[i] < 0 || packed->columns[i] >= s->columns)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "ngram_indexes has %lld",
                               (long long)packed->columns[i]);
    }
    s->slices = bp_cpu_slices(call, s->rows,
                              s->row * 8 * (packed->skips < 64 ? packed->skips + 1 : 64) + 1);
    if (s->slices > s->rows)
        s->slices = s->rows > 0 ? (uint32_t)s->rows : 1;
    if (__builtin_mul_overflow((size_t)s->row * sizeof(int64_t) + 64, call->width,
                               &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

/* An occurrence of an n-gram: TF and TFIDF add, IDF sets. */
static void count_gram(const struct packed *packed, uint32_t gram, float *y)
{
    float *at = &y[packed->columns[gram - 1]];
    float by = packed->weighs && packed->weights ? packed->weights[gram - 1] : 1;

    *at = packed->counts ? *at + by : by;
}

/*
 * Follows the trie from token `at` on, taking each `step`-th token, and counts the n-grams that end
 * on the path.
 */
static void walk(const struct packed *packed, const int64_t *tokens, int64_t n, int64_t at,
                 int64_t step, int64_t shortest, float *y)
{
    uint32_t position = 0;

    for (int64_t size = 1; size <= packed->longest && at < n; size++, at += step) {
        if (tokens[at] < 0 || !bp_cpu_ngram_trie_find(&packed->trie, &position, tokens[at]))
            return;
        if (size >= shortest && packed->trie.nodes[position].gram)
            count_gram(packed, packed->trie.nodes[position].gram, y);
        if (step >= n - at)
            return;
    }
}

/*
 * Looks the tokens of a row up once, then walks from each of them with every step. Single tokens
 * are counted for step 1 only.
 */
static void one_row(const struct job *job, int64_t row, int64_t *tokens)
{
    const struct state *s = job->call->state;
    const struct packed *packed = job->packed;
    const bp_tensor *x = job->call->in[0];
    float *y = (float *)bp_cpu_data(job->call->out[0]) + row * s->columns;
    int64_t shortest = packed->shortest;

    memset(y, 0, (size_t)s->columns * sizeof *y);
    for (int64_t i = 0; i < s->row; i++) {
        const bp_span *text = bp_cpu_data(x);
        int64_t at = row * s->row + i;

        if (x->dtype == BP_DTYPE_STRING)
            tokens[i] = bp_cpu_ngram_trie_of_text(&packed->trie, &text[at]);
        else if (x->dtype == BP_DTYPE_I64)
            tokens[i] =
                bp_cpu_ngram_trie_of_int64(&packed->trie, ((const int64_t *)bp_cpu_data(x))[at]);
        else
            tokens[i] =
                bp_cpu_ngram_trie_of_int64(&packed->trie, ((const int32_t *)bp_cpu_data(x))[at]);
    }
    for (int64_t step = 1; step <= packed->skips + 1 && step <= s->row; step++) {
        for (int64_t i = 0; i < s->row; i++)
            walk(packed, tokens, s->row, i, step, shortest, y);
        if (shortest == 1 && ++shortest > packed->longest) /* single tokens count once */
            return;
    }
}

/* Rows are shared out to the threads. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->call->state;
    int64_t *tokens =
        bp_cpu_worker_scratch(job->call->scratch, worker, (size_t)s->row * sizeof *tokens);

    for (int64_t row = s->rows * i / s->slices; row < s->rows * (i + 1) / s->slices; row++)
        one_row(job, row, tokens);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {call, call->node->packed};

    (void)err;
    if (s->rows > 0 && s->columns > 0)
        bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_tf_idf_vectorizer = {
    .name = "TfIdfVectorizer",
    .since = 9,
    .types =
        UINT64_C(1) << BP_DTYPE_STRING | UINT64_C(1) << BP_DTYPE_I32 | UINT64_C(1) << BP_DTYPE_I64,
    .claim = claim,
    .pack = pack,
    .unpack = unpack,
    .prepare = prepare,
    .run = run,
};
