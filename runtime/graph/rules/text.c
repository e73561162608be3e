/* SPDX-License-Identifier: MIT */
/* text.c - operators on strings, and TfIdfVectorizer, which counts words. */

#include "config.h"

#include "graph/rules/rules.h"

#include <inttypes.h>

static bp_rc infer_regex_full_match(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, BP_DTYPE_BOOL, bp_rule_in(infer, 0));
}

static bp_rc infer_string_concat(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *y = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t rank;
    bp_rc rc;

    if (!bp_rule_ranked(x) || !bp_rule_ranked(y))
        return bp_rule_unknown(infer, 0, BP_DTYPE_STRING);
    rc = bp_infer_broadcast(infer, x, y, &rank, dims);
    return rc < 0 ? rc : bp_rule_set(infer, 0, BP_DTYPE_STRING, rank, dims);
}

/* Y has one dimension more, as long as the text with most parts has parts. */
static bp_rc infer_string_split(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc = bp_rule_like(infer, 1, BP_DTYPE_I64, x);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, BP_DTYPE_STRING);
    rc = bp_rule_room(infer, (uint64_t)x->rank + 1);
    if (rc < 0)
        return rc;
    for (uint32_t d = 0; d < x->rank; d++)
        dims[d] = x->dims[d];
    rc = bp_rule_from_data(infer, &dims[x->rank], 1);
    return rc < 0 ? rc : bp_rule_set(infer, 0, BP_DTYPE_STRING, x->rank + 1, dims);
}

/* [C] or [1, C]; without stop words nothing is dropped. */
static bp_rc infer_string_normalizer(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    const bp_attr *words = bp_ir_attr(infer->node, "stopwords");
    struct bp_sym dims[2], last;
    bp_rc rc = bp_rule_rank(infer, 0, 1, 2);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, BP_DTYPE_STRING);
    if (x->rank == 2)
        rc = bp_rule_expect(infer, 0, 0, bp_sym_of(1), "the operator");
    if (rc < 0)
        return rc;
    dims[0] = bp_sym_of(1);
    last = x->dims[x->rank - 1];
    if (bp_sym_known(last) && last.value == 0)
        last = bp_sym_of(1); /* one empty text stands for nothing */
    else if ((words && words->count > 0) || !bp_sym_known(last))
        rc = bp_rule_from_data(infer, &last, 1);
    dims[x->rank - 1] = last;
    return rc < 0 ? rc : bp_rule_set(infer, 0, BP_DTYPE_STRING, x->rank, dims);
}

/* [C] or [N, C] give one number for each column that ngram_indexes names, up to the largest. */
static bp_rc infer_tf_idf_vectorizer(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[2];
    uint32_t n;
    const int64_t *columns = bp_ir_attr_ints(infer->node, "ngram_indexes", &n);
    int64_t most = -1;
    bp_rc rc = bp_rule_rank(infer, 0, 0, 2);

    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        if (columns[i] < 0 || columns[i] >= INT32_MAX)
            rc = bp_fail(infer->err, BP_E_INVALID, "ngram_indexes has %" PRId64, columns[i]);
        most = columns[i] > most ? columns[i] : most;
    }
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, BP_DTYPE_F32);
    if (x->rank == 2)
        dims[0] = x->dims[0];
    dims[x->rank == 2 ? 1 : 0] = bp_sym_of(most + 1);
    return bp_rule_set(infer, 0, BP_DTYPE_F32, x->rank == 2 ? 2 : 1, dims);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define TEXT BP_T(STRING)

ROW(RegexFullMatch, 20, INFER(infer_regex_full_match), IN(P("X", '1', TEXT)),
    OUT(P("Y", '2', BP_T(BOOL))), ATTRS(A_STRING_OPT("pattern")));

ROW(StringConcat, 20, INFER(infer_string_concat), IN(P("X", 'T', TEXT), P("Y", 'T', TEXT)),
    OUT(P("Z", 'T', TEXT)));

ROW(StringSplit, 20, INFER(infer_string_split), IN(P("X", '1', TEXT)),
    OUT(P("Y", '2', TEXT), P("Z", '3', BP_T(I64))),
    ATTRS(A_STRING_OPT("delimiter"), A_INT_OPT("maxsplit")), .sizes_from_data = true);

ROW(StringNormalizer, 10, INFER(infer_string_normalizer), IN(P("X", 0, TEXT)), OUT(P("Y", 0, TEXT)),
    ATTRS(A_STRING("case_change_action", "NONE"), A_INT("is_case_sensitive", 0),
          A_STRING_OPT("locale"), A_STRINGS("stopwords")),
    .sizes_from_data = true);

#define WORDS (TEXT | BP_T(I32) | BP_T(I64))

ROW(TfIdfVectorizer, 9, INFER(infer_tf_idf_vectorizer), IN(P("X", 'T', WORDS)),
    OUT(P("Y", '1', BP_T(F32))),
    ATTRS(A_INT_REQ("max_gram_length"), A_INT_REQ("max_skip_count"), A_INT_REQ("min_gram_length"),
          A_STRING_REQ("mode"), A_INTS_REQ("ngram_counts"), A_INTS_REQ("ngram_indexes"),
          A_INTS("pool_int64s"), A_STRINGS("pool_strings"), A_FLOATS("weights")));
