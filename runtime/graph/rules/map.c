/* SPDX-License-Identifier: MIT */
/* map.c - the operators of ai.onnx.ml that take or give maps: CastMap, DictVectorizer, ZipMap. */

#include "config.h"

#include "graph/rules/rules.h"

#include <string.h>

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
    const bp_attr *numbers = bp_ir_attr(infer->node, "int64_vocabulary");
    uint32_t n = names && names->count ? names->count : numbers ? numbers->count : 0;
    struct bp_sym dims[2] = {bp_sym_of(1), bp_sym_of(n)};

    if (is_list(infer, "string_vocabulary") == is_list(infer, "int64_vocabulary"))
        return bp_fail(infer->err, BP_E_INVALID,
                       "either string_vocabulary or int64_vocabulary has to list the keys");
    return bp_rule_set(infer, 0, map && map->item ? map->item[1].dtype : BP_DTYPE_NONE, 2, dims);
}

ML_ROW(CastMap, 1, INFER(infer_cast_map), IN(P_KINDS("X", '1', 0, K_MAP)),
       OUT(P("Y", '2', BP_T(STRING) | BP_T(F32) | BP_T(I64))),
       ATTRS(A_STRING("cast_to", "TO_FLOAT"), A_STRING("map_form", "DENSE"), A_INT("max_map", 1)),
       .is_hosted = true, .sizes_from_data = true);
ML_ROW(DictVectorizer, 1, INFER(infer_dict), IN(P_KINDS("X", '1', 0, K_MAP)),
       OUT(P("Y", '2', BP_T(I64) | BP_T(F32) | BP_T(F64) | BP_T(STRING))),
       ATTRS(A_STRINGS("string_vocabulary"), A_INTS("int64_vocabulary")), .is_hosted = true);
ML_ROW(ZipMap, 1, INFER(infer_zip), IN(P("X", 'X', BP_T(F32))),
       OUT(P_KINDS("Z", 'Z', 0, K_SEQUENCE)),
       ATTRS(A_STRINGS("classlabels_strings"), A_INTS("classlabels_int64s")), .is_hosted = true);
