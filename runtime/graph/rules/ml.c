/* SPDX-License-Identifier: MIT */
/* ml.c - ai.onnx.ml: encoders, scalers and others that prepare features, and operators on maps. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_ML

/* ---- same shape ------------------------------------------------------------------------------ */

/*
 * ai.onnx.ml: Binarizer 1; Imputer 1; Scaler 1; Normalizer 1; CategoryMapper 1; LabelEncoder
 *   1, 2, 4.
 * Y has the shape of X. Binarizer and Imputer keep the type, Scaler and Normalizer give
 * float32; Normalizer takes rank 1 or 2. CategoryMapper and LabelEncoder 1 map strings to
 * int64 or back. LabelEncoder from 2 on has lists of keys and values, whose types are those
 * of X and Y.
 */

/* Number of elements of a list attribute; 0: absent. */
static uint32_t count_of(const struct bp_infer *infer, const char *name)
{
    const bp_attr *attr = bp_ir_attr(infer->node, name);

    return attr ? attr->count : 0;
}

static bp_rc infer_to_float(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, BP_DTYPE_F32, bp_rule_in(infer, 0));
}

static bp_rc infer_normalizer(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_rank(infer, 0, 1, 2);

    return rc < 0 ? rc : infer_to_float(infer);
}

/* Strings to integers, integers to strings. */
static bp_rc infer_swap(struct bp_infer *infer)
{
    uint32_t dtype = bp_rule_dtype(infer, 0);

    dtype = dtype == BP_DTYPE_STRING ? BP_DTYPE_I64
            : dtype == BP_DTYPE_I64  ? BP_DTYPE_STRING
                                     : BP_DTYPE_NONE;
    return bp_rule_like(infer, 0, dtype, bp_rule_in(infer, 0));
}

/* The type of the values that the keys are mapped to. */
static bp_rc infer_label_encoder(struct bp_infer *infer)
{
    const bp_attr *tensor = bp_ir_attr(infer->node, "values_tensor");
    uint32_t dtype = BP_DTYPE_NONE;

    if (tensor && tensor->type == BP_ATTR_TENSOR && tensor->count == 1)
        dtype = ((const bp_const *)tensor->data)->dtype;
    else if (count_of(infer, "values_strings") > 0)
        dtype = BP_DTYPE_STRING;
    else if (count_of(infer, "values_int64s") > 0)
        dtype = BP_DTYPE_I64;
    else if (count_of(infer, "values_floats") > 0)
        dtype = BP_DTYPE_F32;
    else
        return bp_fail(infer->err, BP_E_INVALID, "no attribute values_* says what keys map to");
    return bp_rule_like(infer, 0, dtype, bp_rule_in(infer, 0));
}

#define ML_NUMBER (BP_T(F32) | BP_T(F64) | BP_T(I64) | BP_T(I32))
#define LABEL (BP_T(STRING) | BP_T(I64))

ML_ROW(Binarizer, 1, INFER(bp_rule_like_first), IN(P("X", 'T', ML_NUMBER)),
       OUT(P("Y", 'T', ML_NUMBER)), ATTRS(A_FLOAT("threshold", 0.0f)));

ML_ROW(CategoryMapper, 1, INFER(infer_swap), IN(P("X", 0, LABEL)), OUT(P("Y", 0, LABEL)),
       ATTRS(A_INTS("cats_int64s"), A_STRINGS("cats_strings"), A_INT("default_int64", -1),
             A_STRING("default_string", "_Unused")));

ML_ROW(Imputer, 1, INFER(bp_rule_like_first), IN(P("X", 'T', ML_NUMBER)),
       OUT(P("Y", 'T', ML_NUMBER)),
       ATTRS(A_FLOATS("imputed_value_floats"), A_INTS("imputed_value_int64s"),
             A_FLOAT("replaced_value_float", 0.0f), A_INT("replaced_value_int64", 0)));

#define ENCODER_LISTS(kind)                                                                        \
    A_FLOATS(kind "_floats"), A_INTS(kind "_int64s"), A_STRINGS(kind "_strings")
#define ENCODER_DEFAULTS                                                                           \
    A_FLOAT("default_float", -0.0f), A_INT("default_int64", -1),                                   \
        A_STRING("default_string", "_Unused")
#define CODE2 (LABEL | BP_T(F32))
#define CODE4 (CODE2 | BP_T(F64) | BP_T(I32) | BP_T(I16))

ML_ROW(LabelEncoder, 1, INFER(infer_swap), IN(P("X", 0, LABEL)), OUT(P("Y", 0, LABEL)),
       ATTRS(A_STRINGS("classes_strings"), A_INT("default_int64", -1),
             A_STRING("default_string", "_Unused")));
ML_ROW(LabelEncoder, 2, INFER(infer_label_encoder), IN(P("X", 0, CODE2)), OUT(P("Y", 0, CODE2)),
       ATTRS(ENCODER_DEFAULTS, ENCODER_LISTS("keys"), ENCODER_LISTS("values")));
ML_ROW(LabelEncoder, 4, INFER(infer_label_encoder), IN(P("X", 0, CODE4)), OUT(P("Y", 0, CODE4)),
       ATTRS(ENCODER_DEFAULTS, A_TENSOR_OPT("default_tensor"), ENCODER_LISTS("keys"),
             A_TENSOR_OPT("keys_tensor"), ENCODER_LISTS("values"), A_TENSOR_OPT("values_tensor")));

ML_ROW(Normalizer, 1, INFER(infer_normalizer), IN(P("X", 0, ML_NUMBER)), OUT(P("Y", 0, BP_T(F32))),
       ATTRS(A_STRING("norm", "MAX")));

ML_ROW(Scaler, 1, INFER(infer_to_float), IN(P("X", 0, ML_NUMBER)), OUT(P("Y", 0, BP_T(F32))),
       ATTRS(A_FLOATS("offset"), A_FLOATS("scale")));

/* ---- ArrayFeatureExtractor ------------------------------------------------------------------- */

/*
 * ai.onnx.ml: ArrayFeatureExtractor 1.
 * Picks the columns Y of X, along its last dimension: the result has the shape of X with the
 * number of elements of Y there. A vector counts as a matrix of one row.
 */

static bp_rc infer_array_feature_extractor(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *y = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t rank;
    bp_rc rc = bp_rule_rank(infer, 0, 1, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rank = x->rank > 1 ? x->rank : 2; /* a list counts as a matrix of one row */
    dims[0] = bp_sym_of(1);
    if (x->rank > 1)
        memcpy(dims, x->dims, (x->rank - 1) * sizeof *dims);
    rc = bp_rule_ranked(y) ? bp_rule_product(infer, y->dims, y->rank, &dims[rank - 1])
                           : bp_rule_from_data(infer, &dims[rank - 1], 1);
    return rc < 0 ? rc : bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), rank, dims);
}

ML_ROW(ArrayFeatureExtractor, 1, INFER(infer_array_feature_extractor),
       IN(P("X", 'T', ML_NUMBER | BP_T(STRING)), P("Y", 0, BP_T(I64))),
       OUT(P("Z", 'T', ML_NUMBER | BP_T(STRING))), NO_ATTRS);

/* ---- OneHotEncoder --------------------------------------------------------------------------- */

/*
 * ai.onnx.ml: OneHotEncoder 1.
 * The result is float32 and has the shape of X with a dimension more at the end, of the
 * number of categories. Exactly one of cats_int64s and cats_strings is given.
 */

static bp_rc infer_one_hot_encoder(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    uint32_t n_ints = count_of(infer, "cats_int64s"), n_strings = count_of(infer, "cats_strings");
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc;

    if ((n_ints > 0) == (n_strings > 0))
        return bp_fail(infer->err, BP_E_INVALID, "give either cats_int64s or cats_strings");
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, BP_DTYPE_F32);
    rc = bp_rule_check_rank(infer, (uint64_t)x->rank + 1);
    if (rc < 0)
        return rc;
    if (x->rank > 0)
        memcpy(dims, x->dims, x->rank * sizeof *dims);
    dims[x->rank] = bp_sym_of(n_ints + n_strings);
    return bp_rule_set(infer, 0, BP_DTYPE_F32, x->rank + 1, dims);
}

ML_ROW(OneHotEncoder, 1, INFER(infer_one_hot_encoder), IN(P("X", 0, ML_NUMBER | BP_T(STRING))),
       OUT(P("Y", 0, BP_T(F32))),
       ATTRS(A_INTS("cats_int64s"), A_STRINGS("cats_strings"), A_INT("zeros", 1)));

/* ---- FeatureVectorizer ----------------------------------------------------------------------- */

/*
 * ai.onnx.ml: FeatureVectorizer 1.
 * Joins the columns of all inputs: an input is (rows, columns...) or a vector, which is one
 * row; the result is float32, (rows, sum of columns). inputdimensions has the number of
 * columns for each input.
 */

/* Columns that input i gives; all dimensions after the first are one row. */
static bp_rc width_of(struct bp_infer *infer, uint32_t i, struct bp_sym *out)
{
    const struct bp_fact *x = bp_rule_in(infer, i);
    uint32_t n;
    const int64_t *widths = bp_ir_attr_ints(infer->node, "inputdimensions", &n);

    if (widths) {
        if (widths[i] < 0)
            return bp_fail(infer->err, BP_E_INVALID, "inputdimensions has %" PRId64, widths[i]);
        *out = bp_sym_of(widths[i]);
        return BP_OK;
    }
    if (!bp_rule_ranked(x))
        return bp_rule_from_data(infer, out, 1);
    if (x->rank == 1) {
        *out = x->dims[0];
        return BP_OK;
    }
    return bp_rule_product(infer, x->dims + 1, x->rank - 1, out);
}

/* All inputs have the same number of rows. */
static bp_rc unify_rows(struct bp_infer *infer, uint32_t i, bool *known, struct bp_sym *rows)
{
    const struct bp_fact *x = bp_rule_in(infer, i);
    struct bp_sym own, both;
    bp_rc rc = bp_rule_rank(infer, i, 1, BP_MAX_RANK);

    if (rc < 0 || !bp_rule_ranked(x))
        return rc;
    own = x->rank == 1 ? bp_sym_of(1) : x->dims[0];
    both = own;
    if (*known && !bp_rule_unify(*rows, own, &both))
        return bp_fail(infer->err, BP_E_SHAPE,
                       "input %u has %" PRId64 " rows, those before it %" PRId64, i, own.value,
                       rows->value);
    *known = true;
    *rows = both;
    return BP_OK;
}

static bp_rc infer_feature_vectorizer(struct bp_infer *infer)
{
    const bp_attr *widths = bp_ir_attr(infer->node, "inputdimensions");
    struct bp_sym dims[2] = {bp_sym_of(0), bp_sym_of(0)};
    bool known = false;
    bp_rc rc = BP_OK;

    if (widths && widths->count != infer->node->n_in)
        return bp_fail(infer->err, BP_E_INVALID, "inputdimensions has %u sizes for %u inputs",
                       widths->count, infer->node->n_in);
    for (uint32_t i = 0; i < infer->node->n_in && rc >= 0; i++) {
        struct bp_sym width;

        rc = unify_rows(infer, i, &known, &dims[0]);
        if (rc >= 0)
            rc = width_of(infer, i, &width);
        if (rc >= 0)
            rc = bp_rule_calc(infer, dims[1], '+', width, &dims[1]);
    }
    if (rc >= 0 && !known)
        rc = bp_rule_from_data(infer, &dims[0], 1);
    return rc < 0 ? rc : bp_rule_set(infer, 0, BP_DTYPE_F32, 2, dims);
}

ML_ROW(FeatureVectorizer, 1, INFER(infer_feature_vectorizer), IN(MANY("X", 'T', ML_NUMBER)),
       OUT(P("Y", 0, BP_T(F32))), ATTRS(A_INTS("inputdimensions")));

/* ---- maps ------------------------------------------------------------------------------------ */

/*
 * ai.onnx.ml: CastMap 1; DictVectorizer 1; ZipMap 1.
 * Maps have no element type, so the host runs these. CastMap gives (1, n): n is max_map in a
 * SPARSE form, else it comes with the data. DictVectorizer gives (1, size of the vocabulary).
 * ZipMap gives a sequence of maps, from a class label to float32, one for each row of X.
 */

static bool is_list(const struct bp_infer *infer, const char *name)
{
    const bp_attr *attr = bp_ir_attr(infer->node, name);

    return attr && attr->count > 0;
}

/* A row of scores for each map, with a name for each class. */
static bp_rc infer_zip(struct bp_infer *infer)
{
    struct bp_fact *items = bp_region_array(infer->region, 3, sizeof *items);
    bool strings = is_list(infer, "classlabels_strings");
    bp_rc rc = bp_rule_rank(infer, 0, 1, 2);

    if (rc < 0 || !items)
        return rc < 0 ? rc : bp_fail_nomem(infer->err, "a type");
    if (strings == is_list(infer, "classlabels_int64s"))
        return bp_fail(infer->err, BP_E_INVALID,
                       "either classlabels_strings or classlabels_int64s has to name the classes");
    for (int i = 0; i < 3; i++)
        items[i] = (struct bp_fact){.rank = BP_RANK_UNKNOWN};
    items[0].dtype = strings ? BP_DTYPE_STRING : BP_DTYPE_I64;
    items[1].dtype = BP_DTYPE_F32;
    items[2].kind = BP_KIND_MAP;
    items[2].item = items;
    return bp_rule_set_items(infer, 0, BP_KIND_SEQUENCE, &items[2]);
}

static bp_rc infer_cast_map(struct bp_infer *infer)
{
    struct bp_sym dims[2] = {bp_sym_of(1), bp_sym_of(0)};
    int64_t n = bp_ir_attr_int(infer->node, "max_map", 1);
    bp_rc rc = BP_OK;
    uint32_t dtype;

    if (bp_ir_attr_is(infer->node, "cast_to", "TO_FLOAT", "TO_FLOAT"))
        dtype = BP_DTYPE_F32;
    else if (bp_ir_attr_is(infer->node, "cast_to", "TO_FLOAT", "TO_STRING"))
        dtype = BP_DTYPE_STRING;
    else if (bp_ir_attr_is(infer->node, "cast_to", "TO_FLOAT", "TO_INT64"))
        dtype = BP_DTYPE_I64;
    else
        return bp_fail(infer->err, BP_E_INVALID,
                       "cast_to is none of TO_FLOAT, TO_INT64 and TO_STRING");
    if (bp_ir_attr_is(infer->node, "map_form", "DENSE", "SPARSE")) {
        if (n < 1)
            return bp_fail(infer->err, BP_E_INVALID, "max_map is %lld, it has to be positive",
                           (long long)n);
        dims[1] = bp_sym_of(n);
    } else {
        rc = bp_rule_from_data(infer, &dims[1], 1);
    }
    return rc < 0 ? rc : bp_rule_set(infer, 0, dtype, 2, dims);
}

static bp_rc infer_dict(struct bp_infer *infer)
{
    const struct bp_fact *map = bp_rule_in(infer, 0);
    const bp_attr *names = bp_ir_attr(infer->node, "string_vocabulary");
    const bp_attr *ints = bp_ir_attr(infer->node, "int64_vocabulary");
    uint32_t n = names && names->count ? names->count : ints ? ints->count : 0;
    struct bp_sym dims[2] = {bp_sym_of(1), bp_sym_of(n)};

    if (is_list(infer, "string_vocabulary") == is_list(infer, "int64_vocabulary"))
        return bp_fail(infer->err, BP_E_INVALID,
                       "either string_vocabulary or int64_vocabulary has to list the keys");
    return bp_rule_set(infer, 0, map && map->item ? map->item[1].dtype : BP_DTYPE_NONE, 2, dims);
}

ML_ROW(CastMap, 1, INFER(infer_cast_map), IN(P_KINDS("X", '1', 0, K_MAP)),
       OUT(P("Y", '2', BP_T(STRING) | BP_T(F32) | BP_T(I64))),
       ATTRS(A_STRING("cast_to", "TO_FLOAT"), A_STRING("map_form", "DENSE"), A_INT("max_map", 1)),
       .is_host_op = true, .sizes_from_data = true);
ML_ROW(DictVectorizer, 1, INFER(infer_dict), IN(P_KINDS("X", '1', 0, K_MAP)),
       OUT(P("Y", '2', BP_T(I64) | BP_T(F32) | BP_T(F64) | BP_T(STRING))),
       ATTRS(A_STRINGS("string_vocabulary"), A_INTS("int64_vocabulary")), .is_host_op = true);
ML_ROW(ZipMap, 1, INFER(infer_zip), IN(P("X", 'X', BP_T(F32))),
       OUT(P_KINDS("Z", 'Z', 0, K_SEQUENCE)),
       ATTRS(A_STRINGS("classlabels_strings"), A_INTS("classlabels_int64s")), .is_host_op = true);
