/* SPDX-License-Identifier: MIT */
/* custom_infer.c - the shape rule of operators that an application defines. */

#include "config.h"

#include "graph/custom.h"

#include "graph/custom_call.h"
#include "graph/infer.h"

/* Lives for one call of a definition's callback. */
struct bp_operator_shapes {
    struct bp_infer *infer;
};

/* ---- what the callback may ask --------------------------------------------------------------- */

uint32_t bp_operator_shapes_inputs(const bp_operator_shapes *shapes)
{
    return shapes->infer->node->n_in;
}

uint32_t bp_operator_shapes_outputs(const bp_operator_shapes *shapes)
{
    return shapes->infer->node->n_out;
}

bp_rc bp_operator_shapes_input(bp_operator_shapes *shapes, uint32_t i, bp_operator_fact *out,
                               bp_err *err)
{
    struct bp_infer *infer = shapes->infer;
    bp_operator_fact own;
    bp_rc rc;

    if (i >= infer->node->n_in)
        return bp_fail(err, BP_E_INVALID, "the node has %u inputs, there is no input %u",
                       infer->node->n_in, i);
    rc = bp_operand_fact(infer, i, &own, err);
    return bp_done(err, rc < 0 ? rc : bp_give_out(out, &own, err));
}

const bp_attr *bp_operator_shapes_attr(const bp_operator_shapes *shapes, const char *name)
{
    return bp_ir_attr(shapes->infer->node, name);
}

const char *bp_operator_shapes_symbol(const bp_operator_shapes *shapes, uint32_t symbol)
{
    const struct bp_symbols *symbols = shapes->infer->symbols;
    struct bp_sym sym = {.symbol = symbol};

    if (symbol == 0 || symbol > symbols->count || bp_symbols_is_nameless(symbols, sym))
        return "";
    return bp_symbols_name(symbols, sym);
}

bp_rc bp_operator_shapes_set(bp_operator_shapes *shapes, uint32_t i, uint32_t dtype, uint32_t rank,
                             const bp_dim *dims, bp_err *err)
{
    return bp_done(err, bp_operand_set(shapes->infer, i, dtype, rank, dims, true, err));
}

/* ---- the rule -------------------------------------------------------------------------------- */

bp_rc bp_custom_infer(struct bp_infer *infer)
{
    const struct bp_ir_node *node = infer->node;
    const struct bp_custom *custom = bp_custom_of(node->schema);
    bp_operator_shapes shapes = {infer};
    bp_rc rc;

    rc = bp_operands_check_counts(infer, &custom->least);
    if (rc >= 0 && custom->def.shapes)
        rc = bp_custom_shapes(&custom->def, &shapes, infer->err);
    return rc < 0 ? rc : bp_operands_set_types(infer);
}
