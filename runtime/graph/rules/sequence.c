/* SPDX-License-Identifier: MIT */
/* sequence.c - sequences and optionals. */

#include "config.h"

#include "graph/rules/common.h"

#define FAMILY BP_FAMILY_SEQUENCE

/* ---- sequences ------------------------------------------------------------------------------- */

/*
 * ONNX: SequenceEmpty 11; SequenceConstruct 11; SequenceInsert 11; SequenceErase 11;
 *   SequenceAt 11; SequenceLength 11; ConcatFromSequence 11; SplitToSequence 11, 24.
 * The items of a sequence have one element type and a shape each, which no fact holds: what
 * is taken out of one has a shape that only the data tells. An operator that gives a sequence
 * passes on the element type. The host runs all of these, as providers see tensors alone.
 */

/* Output 0 is one item of input 0. */
static bp_rc infer_item(struct bp_infer *infer)
{
    const struct bp_fact *whole = bp_rule_in(infer, 0);

    if (whole && whole->item)
        bp_rule_set_fact(infer, 0, whole->item);
    return BP_OK;
}

static bp_rc infer_construct(struct bp_infer *infer)
{
    return bp_rule_set_items(infer, 0, BP_KIND_SEQUENCE, bp_rule_in(infer, 0));
}

static bp_rc infer_empty(struct bp_infer *infer)
{
    int64_t dtype = bp_ir_attr_int(infer->node, "dtype", BP_DTYPE_F32);
    struct bp_fact item = {.rank = BP_RANK_UNKNOWN, .dtype = (uint32_t)dtype};

    if (dtype <= BP_DTYPE_NONE || dtype >= BP_DTYPE_END)
        return bp_fail(infer->err, BP_E_INVALID, "dtype %lld is not an element type that is known",
                       (long long)dtype);
    return bp_rule_set_items(infer, 0, BP_KIND_SEQUENCE, &item);
}

/* Output 0 is of the type of input 0. */
static bp_rc infer_same(struct bp_infer *infer)
{
    const struct bp_fact *in = bp_rule_in(infer, 0);

    if (in && !bp_fact_is_blank(in))
        bp_rule_set_fact(infer, 0, in);
    return BP_OK;
}

static bp_rc infer_insert(struct bp_infer *infer)
{
    const struct bp_fact *tensor = bp_rule_in(infer, 1);

    if (tensor && tensor->dtype)
        return bp_rule_set_items(infer, 0, BP_KIND_SEQUENCE, tensor);
    return infer_same(infer);
}

static bp_rc infer_scalar_i64(struct bp_infer *infer)
{
    return bp_rule_set(infer, 0, BP_DTYPE_I64, 0, NULL);
}

static bp_rc infer_split(struct bp_infer *infer)
{
    struct bp_fact item = {.rank = BP_RANK_UNKNOWN, .dtype = bp_rule_dtype(infer, 0)};
    const struct bp_fact *in = bp_rule_in(infer, 0);
    uint32_t axis;
    bp_rc rc = BP_OK;

    if (bp_rule_ranked(in))
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 0), in->rank, "axis", &axis);
    return rc < 0 ? rc : bp_rule_set_items(infer, 0, BP_KIND_SEQUENCE, &item);
}

static bp_rc infer_concat(struct bp_infer *infer)
{
    const struct bp_fact *item = bp_fact_innermost(bp_rule_in(infer, 0));

    return bp_rule_unknown(infer, 0, item ? item->dtype : BP_DTYPE_NONE);
}

#define SEQ(name) P_KINDS(name, 'T', ALL3, K_SEQUENCE)
#define POSITION(flags)                                                                            \
    {                                                                                              \
        "position", INDEX, flags, 'I', K_TENSOR                                                    \
    }

ROW(SequenceAt, 11, INFER(infer_item), IN(SEQ("input_sequence"), POSITION(0)),
    OUT(P("tensor", 'T', ALL3)), NO_ATTRS, .is_host_op = true, .sizes_from_data = true);
ROW(SequenceConstruct, 11, INFER(infer_construct), IN(MANY("inputs", 'T', ALL3)),
    OUT(SEQ("output_sequence")), NO_ATTRS, .is_host_op = true);
ROW(SequenceEmpty, 11, INFER(infer_empty), .in = NULL, OUT(SEQ("output")),
    ATTRS(A_INT("dtype", BP_DTYPE_F32)), .is_host_op = true);
ROW(SequenceErase, 11, INFER(infer_same), IN(SEQ("input_sequence"), POSITION(BP_PARAM_OPTIONAL)),
    OUT(SEQ("output_sequence")), NO_ATTRS, .is_host_op = true);
ROW(SequenceInsert, 11, INFER(infer_insert),
    IN(SEQ("input_sequence"), P("tensor", 'T', ALL3), POSITION(BP_PARAM_OPTIONAL)),
    OUT(SEQ("output_sequence")), NO_ATTRS, .is_host_op = true);
ROW(SequenceLength, 11, INFER(infer_scalar_i64), IN(SEQ("input_sequence")),
    OUT(P("length", 'I', BP_T(I64))), NO_ATTRS, .is_host_op = true);
ROW(ConcatFromSequence, 11, INFER(infer_concat), IN(SEQ("input_sequence")),
    OUT(P("concat_result", 'T', ALL3)), ATTRS(A_INT_REQ("axis"), A_INT("new_axis", 0)),
    .is_host_op = true, .sizes_from_data = true);

#define SPLIT_TO(since, types)                                                                     \
    ROW(SplitToSequence, since, INFER(infer_split),                                                \
        IN(P("input", 'T', types), OPT("split", 'I', INDEX)),                                      \
        OUT(P_KINDS("output_sequence", 'T', types, K_SEQUENCE)),                                   \
        ATTRS(A_INT("axis", 0), A_INT("keepdims", 1)), .is_host_op = true)

SPLIT_TO(11, ALL3);
SPLIT_TO(24, ALL4);

/* ---- SequenceMap ----------------------------------------------------------------------------- */

/*
 * ONNX: SequenceMap 17.
 * The subgraph runs once for each item of the first sequence. It takes an item of each
 * sequence and the tensors among the inputs as they are; each of its outputs becomes a
 * sequence.
 */

/* What the subgraph gets: an item of each sequence, the others as they are. */
static bp_rc map_inputs(struct bp_infer *infer, const struct bp_ir *subgraph, struct bp_fact *in)
{
    if (subgraph->n_inputs != infer->node->n_in)
        return bp_fail(infer->err, BP_E_INVALID, "body has %u inputs, the node gives it %u",
                       subgraph->n_inputs, infer->node->n_in);
    for (uint32_t i = 0; i < subgraph->n_inputs; i++) {
        const struct bp_fact *given = bp_rule_in(infer, i);

        if (given && given->kind == BP_KIND_SEQUENCE && given->item)
            in[i] = *given->item;
        else if (given && given->kind == BP_KIND_TENSOR)
            in[i] = *given;
    }
    return BP_OK;
}

static bp_rc infer_map(struct bp_infer *infer)
{
    const struct bp_ir *subgraph = bp_ir_subgraph(infer->node, "body");
    struct bp_fact *in, *out;
    bp_rc rc = BP_OK;

    if (!subgraph || subgraph->n_outputs != infer->node->n_out)
        return bp_fail(infer->err, BP_E_INVALID, "body needs as many outputs as the node, %u",
                       infer->node->n_out);
    in = bp_region_array(infer->region, subgraph->n_inputs, sizeof *in);
    if (!in)
        return bp_fail_nomem(infer->err, "shapes");
    for (uint32_t i = 0; i < subgraph->n_inputs; i++)
        in[i] = (struct bp_fact){.rank = BP_RANK_UNKNOWN};
    rc = map_inputs(infer, subgraph, in);
    if (rc >= 0)
        rc = bp_infer_subgraph(infer, subgraph, in, subgraph->n_inputs, &out);
    for (uint32_t i = 0; rc >= 0 && i < subgraph->n_outputs; i++)
        rc = bp_rule_set_items(infer, i, BP_KIND_SEQUENCE, &out[i]);
    return rc;
}

ROW(SequenceMap, 17, INFER(infer_map), .subgraph_inputs = map_inputs,
    IN(P_KINDS("input_sequence", 'S', ALL3, K_SEQUENCE),
       {"additional_inputs", ALL3, BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS | BP_PARAM_OPTIONAL,
        'V', K_TENSOR | K_SEQUENCE}),
    OUT({"out_sequence", ALL3, BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS, 'O', K_SEQUENCE}),
    ATTRS(A_GRAPH_REQ("body")), .is_host_op = true);

/* ---- optionals ------------------------------------------------------------------------------- */

/*
 * ONNX: Optional 15, 28; OptionalGetElement 15, 18, 28; OptionalHasElement 15, 18, 28.
 * Optional wraps its input; without one the type is that which the model declares for the
 * output. OptionalGetElement takes it out, OptionalHasElement gives a bool scalar. From
 * version 18 on both also take tensors and sequences, which count as filled.
 */

/* OptionalGetElement-18 gives a tensor or a sequence, which is not an optional, as it is. */
static bp_rc infer_get(struct bp_infer *infer)
{
    const struct bp_fact *whole = bp_rule_in(infer, 0);

    if (!whole || bp_fact_is_blank(whole) || whole->kind == BP_KIND_OPTIONAL)
        return infer_item(infer);
    bp_rule_set_fact(infer, 0, whole);
    return BP_OK;
}

/* The attribute `type` is not looked at: without an input the model declares the output's type. */
static bp_rc infer_optional(struct bp_infer *infer)
{
    const struct bp_fact *in = bp_rule_in(infer, 0);

    if (!in || bp_fact_is_blank(in))
        return BP_OK;
    return bp_rule_set_items(infer, 0, BP_KIND_OPTIONAL, in);
}

static bp_rc infer_has(struct bp_infer *infer)
{
    return bp_rule_set(infer, 0, BP_DTYPE_BOOL, 0, NULL);
}

#define ANY_KIND (K_OPTIONAL | K_TENSOR | K_SEQUENCE)
#define OPTIONAL(since, types)                                                                     \
    ROW(Optional, since, INFER(infer_optional),                                                    \
        IN({"input", types, BP_PARAM_OPTIONAL, 'V', K_TENSOR | K_SEQUENCE}),                       \
        OUT(P_KINDS("output", 'V', types, K_OPTIONAL)), ATTRS(A_STRING_OPT("type")),               \
        .is_host_op = true)
#define GET(since, types, kinds)                                                                   \
    ROW(OptionalGetElement, since, INFER(infer_get), IN(P_KINDS("input", 'O', types, kinds)),      \
        OUT(P_KINDS("output", 'V', types, K_TENSOR | K_SEQUENCE)), NO_ATTRS, .is_host_op = true,   \
        .sizes_from_data = true)
#define HAS(since, types, flags, kinds)                                                            \
    ROW(OptionalHasElement, since, INFER(infer_has), IN({"input", types, flags, 'O', kinds}),      \
        OUT(P("output", 'B', BP_T(BOOL))), NO_ATTRS, .is_host_op = true)

OPTIONAL(15, ALL3);
OPTIONAL(28, ALL13);
GET(15, ALL4, K_OPTIONAL);
GET(18, ALL4, ANY_KIND);
GET(28, ALL13, ANY_KIND);
HAS(15, ALL4, 0, K_OPTIONAL);
HAS(18, ALL4, BP_PARAM_OPTIONAL, ANY_KIND);
HAS(28, ALL13, BP_PARAM_OPTIONAL, ANY_KIND);
