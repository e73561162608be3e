/* SPDX-License-Identifier: MIT */
/* text.c - operators on strings, and TfIdfVectorizer. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_TEXT

/* ---- RegexFullMatch -------------------------------------------------------------------------- */

/*
 * ONNX: RegexFullMatch 20.
 * Y is bool and has the shape of X.
 */

static bp_rc infer_regex_full_match(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, BP_DTYPE_BOOL, bp_rule_in(infer, 0));
}

#define TEXT BP_T(STRING)

ROW(RegexFullMatch, 20, INFER(infer_regex_full_match), IN(P("X", '1', TEXT)),
    OUT(P("Y", '2', BP_T(BOOL))), ATTRS(A_STRING_OPT("pattern")));

/* ---- StringConcat ---------------------------------------------------------------------------- */

/*
 * ONNX: StringConcat 20.
 * X and Y broadcast in both directions.
 */

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

ROW(StringConcat, 20, INFER(infer_string_concat), IN(P("X", 'T', TEXT), P("Y", 'T', TEXT)),
    OUT(P("Z", 'T', TEXT)));

/* ---- StringSplit ----------------------------------------------------------------------------- */

/*
 * ONNX: StringSplit 20.
 * Y has the shape of X with a dimension more, as long as the string with the most substrings
 * has substrings; shorter ones are filled up with empty strings. Z has the number of
 * substrings of each string.
 */

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
    rc = bp_rule_check_rank(infer, (uint64_t)x->rank + 1);
    if (rc < 0)
        return rc;
    for (uint32_t d = 0; d < x->rank; d++)
        dims[d] = x->dims[d];
    rc = bp_rule_from_data(infer, &dims[x->rank], 1);
    return rc < 0 ? rc : bp_rule_set(infer, 0, BP_DTYPE_STRING, x->rank + 1, dims);
}

ROW(StringSplit, 20, INFER(infer_string_split), IN(P("X", '1', TEXT)),
    OUT(P("Y", '2', TEXT), P("Z", '3', BP_T(I64))),
    ATTRS(A_STRING_OPT("delimiter"), A_INT_OPT("maxsplit")), .sizes_from_data = true);

/* ---- StringNormalizer ------------------------------------------------------------------------ */

/*
 * ONNX: StringNormalizer 10.
 * X is (C) or (1, C), Y has its rank. Stop words are dropped, so the last size comes with the
 * data where there are any; if all are dropped, one empty string is left.
 */

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

ROW(StringNormalizer, 10, INFER(infer_string_normalizer), IN(P("X", 0, TEXT)), OUT(P("Y", 0, TEXT)),
    ATTRS(A_STRING("case_change_action", "NONE"), A_INT("is_case_sensitive", 0),
          A_STRING_OPT("locale"), A_STRINGS("stopwords")),
    .sizes_from_data = true);

/* ---- Tokenizer ------------------------------------------------------------------------------- */

/*
 * com.microsoft: Tokenizer 1.
 * X is (C) or (N, C). Y has a dimension more, of as many tokens as the string with the most
 * has; shorter ones are filled up with pad_value.
 */

/* [C] and [N, C] get a dimension more, as long as the text with most tokens; [N, 0] and [0] do not. */
static bp_rc infer_tokenizer(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[3];
    uint32_t rank = 0;
    bool is_empty = false;
    bp_rc rc = bp_rule_rank(infer, 0, 1, 2);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, BP_DTYPE_STRING);
    for (uint32_t d = 0; d < x->rank; d++)
        is_empty = is_empty || (bp_sym_known(x->dims[d]) && x->dims[d].value == 0);
    for (uint32_t d = 0; d < x->rank; d++) {
        if (!is_empty || d + 1 < x->rank)
            dims[rank++] = x->dims[d];
    }
    dims[rank] = bp_sym_of(0);
    if (!is_empty)
        rc = bp_rule_from_data(infer, &dims[rank], 1);
    return rc < 0 ? rc : bp_rule_set(infer, 0, BP_DTYPE_STRING, rank + 1, dims);
}

MS_ROW(Tokenizer, 1, INFER(infer_tokenizer), .sizes_from_data = true, IN(P("X", 'T', BP_T(STRING))),
       OUT(P("Y", 'T', BP_T(STRING))),
       ATTRS(A_INT_REQ("mark"), A_INT_REQ("mincharnum"), A_STRING_REQ("pad_value"),
             A_STRINGS("separators"), A_STRING_OPT("tokenexp")));

/* ---- TfIdfVectorizer ------------------------------------------------------------------------- */

/*
 * ONNX: TfIdfVectorizer 9.
 * X is (C), (N, C) or a scalar. Y is float32, with an element for each column that
 * ngram_indexes names instead of C.
 */

/* [C] or [N, C] give one element for each column that ngram_indexes names, up to the largest. */
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

#define WORDS (TEXT | BP_T(I32) | BP_T(I64))

ROW(TfIdfVectorizer, 9, INFER(infer_tf_idf_vectorizer), IN(P("X", 'T', WORDS)),
    OUT(P("Y", '1', BP_T(F32))),
    ATTRS(A_INT_REQ("max_gram_length"), A_INT_REQ("max_skip_count"), A_INT_REQ("min_gram_length"),
          A_STRING_REQ("mode"), A_INTS_REQ("ngram_counts"), A_INTS_REQ("ngram_indexes"),
          A_INTS("pool_int64s"), A_STRINGS("pool_strings"), A_FLOATS("weights")));
