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

/* Sizes as the application sees them: exact ones as they are, symbols by their id. */
static const bp_dim *copy_dims(struct bp_infer *infer, const struct bp_fact *fact)
{
    bp_dim *dims = bp_region_array(infer->region, fact->rank, sizeof *dims);

    for (uint32_t d = 0; dims && d < fact->rank; d++) {
        bool is_known = bp_sym_known(fact->dims[d]);

        dims[d].value = is_known ? fact->dims[d].value : -1;
        dims[d].symbol = is_known ? 0 : fact->dims[d].symbol;
        if (bp_symbols_from_data(infer->symbols, fact->dims[d]))
            dims[d].flags = BP_DIM_FROM_DATA;
    }
    return dims;
}

/* The elements as exact integers; *out NULL: some are not known. */
static bp_rc copy_content(struct bp_infer *infer, const struct bp_fact *fact, const int64_t **out)
{
    int64_t *content;

    *out = NULL;
    for (uint32_t k = 0; fact->content && k < fact->n_content; k++) {
        if (!bp_sym_known(fact->content[k]))
            return BP_OK;
    }
    if (!fact->content)
        return BP_OK;
    content = bp_region_array(infer->region, fact->n_content, sizeof *content);
    if (!content)
        return bp_fail_nomem(infer->err, "the content of a tensor");
    for (uint32_t k = 0; k < fact->n_content; k++)
        content[k] = fact->content[k].value;
    *out = content;
    return BP_OK;
}

bp_rc bp_operator_shapes_input(bp_operator_shapes *shapes, uint32_t i, bp_operator_fact *out,
                               bp_err *err)
{
    struct bp_infer *infer = shapes->infer;
    bp_operator_fact own = {.struct_size = sizeof own, .rank = BP_RANK_UNKNOWN};
    const struct bp_fact *fact;
    bp_rc rc;

    if (i >= infer->node->n_in)
        return bp_fail(err, BP_E_INVALID, "the node has %u inputs, there is no input %u",
                       infer->node->n_in, i);
    fact = infer->in[i];
    if (!fact)
        return bp_give_out(out, &own, err);
    own.dtype = fact->dtype;
    own.rank = fact->rank;
    if (fact->rank != BP_RANK_UNKNOWN) {
        own.dims = copy_dims(infer, fact);
        if (!own.dims)
            return bp_fail_nomem(err, "a shape");
    }
    rc = copy_content(infer, fact, &own.content);
    own.n_content = own.content ? fact->n_content : 0;
    return rc < 0 ? rc : bp_give_out(out, &own, err);
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

/*
 * A size that the application gave: exact, a symbol it was shown, or one that only the kernel
 * will know.
 */
static bp_rc make_size(struct bp_infer *infer, const bp_dim *dim, struct bp_sym *out, bp_err *err)
{
    if (dim->value >= 0) {
        *out = bp_sym_of(dim->value);
        return BP_OK;
    }
    if (dim->symbol > infer->symbols->count)
        return bp_fail(err, BP_E_INVALID, "a size has the symbol %u, which no input has",
                       dim->symbol);
    if (dim->symbol && !(dim->flags & BP_DIM_FROM_DATA)) {
        *out = (struct bp_sym){.symbol = dim->symbol};
        return BP_OK;
    }
    return bp_symbols_fresh(infer->symbols, true, out, err);
}

bp_rc bp_operator_shapes_set(bp_operator_shapes *shapes, uint32_t i, uint32_t dtype, uint32_t rank,
                             const bp_dim *dims, bp_err *err)
{
    struct bp_infer *infer = shapes->infer;
    struct bp_sym sizes[BP_MAX_RANK];
    bp_rc rc = BP_OK;

    if (i >= infer->node->n_out)
        return BP_OK;
    if (dtype >= BP_DTYPE_END)
        return bp_fail(err, BP_E_INVALID, "output %u: %u is no element type", i, dtype);
    if (rank != BP_RANK_UNKNOWN && (rank > BP_MAX_RANK || (rank > 0 && !dims)))
        return bp_fail(err, BP_E_INVALID, "output %u: rank %u without dims, or beyond %d", i, rank,
                       BP_MAX_RANK);
    for (uint32_t d = 0; rc >= 0 && rank != BP_RANK_UNKNOWN && d < rank; d++)
        rc = make_size(infer, &dims[d], &sizes[d], err);
    return rc < 0 ? rc : bp_infer_set(infer, i, dtype, rank, sizes);
}

/* ---- the rule -------------------------------------------------------------------------------- */

/*
 * A variadic list must have the least number of entries that the definition asks for, which
 * schemas cannot say.
 */
static bp_rc check_least(const struct bp_infer *infer, const struct bp_param *params, uint32_t n,
                         const uint32_t *least, uint32_t has, const char *what)
{
    if (n == 0 || !(params[n - 1].flags & BP_PARAM_VARIADIC) || has >= n - 1 + least[n - 1])
        return BP_OK;
    return bp_fail_detail(infer->err, BP_E_INVALID, BP_DETAIL_NODE_ARITY,
                          "has %u %ss of the list %s; the operator needs %u",
                          has >= n - 1 ? has - (n - 1) : 0, what, params[n - 1].name, least[n - 1]);
}

/* Types that the callback left open, where only one is possible. */
static void set_types(struct bp_infer *infer)
{
    for (uint32_t i = 0; i < infer->node->n_out; i++) {
        const struct bp_param *param = bp_schema_out(infer->node->schema, i);
        uint64_t types = param ? param->types : 0;

        if (infer->out[i].dtype == BP_DTYPE_NONE && types && !(types & (types - 1)))
            infer->out[i].dtype = (uint32_t)__builtin_ctzll(types);
    }
}

bp_rc bp_custom_infer(struct bp_infer *infer)
{
    const struct bp_ir_node *node = infer->node;
    const struct bp_custom *custom = bp_custom_of(node->schema);
    bp_operator_shapes shapes = {infer};
    bp_rc rc;

    rc = check_least(infer, custom->schema.in, custom->schema.n_in, custom->min_in, node->n_in,
                     "input");
    if (rc >= 0)
        rc = check_least(infer, custom->schema.out, custom->schema.n_out, custom->min_out,
                         node->n_out, "output");
    if (rc >= 0 && custom->def.shapes)
        rc = bp_custom_shapes(&custom->def, &shapes, infer->err);
    if (rc < 0)
        return rc;
    set_types(infer);
    return BP_OK;
}
