/* SPDX-License-Identifier: MIT */
/* operands.c - inputs and outputs of operators that an application or a provider defines. */

#include "config.h"

#include "graph/operands.h"

#include <string.h>

enum {
    MAX_OPERANDS = 1024,
    MAX_TYPE_VAR = 99,
    LIST_VAR = 100 /* of lists with one type and no variable of their own: two at most */
};

/* A bit of bp_operand.kinds. */
#define KIND(name) (1u << BP_KIND_##name)

const char *bp_plain_domain(const char *domain)
{
    return strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Names, types and flags of one operand; only the last may be variadic. */
static bp_rc check_operand(const char *name, const bp_operand *rows, uint32_t n, uint32_t i,
                           const char *what, bp_err *err)
{
    const bp_operand *row = &rows[i];
    const char *wrong = NULL;

    if (!row->name || !row->name[0])
        wrong = "has no name";
    else if (row->types >> BP_DTYPE_END || row->types & 1)
        wrong = "has a bit in `types` that is not an element type";
    else if (row->type_var > MAX_TYPE_VAR)
        wrong = "has a type_var beyond 99";
    else if (row->flags & ~(uint32_t)(BP_OPERAND_OPTIONAL | BP_OPERAND_VARIADIC | BP_OPERAND_MIXED |
                                      BP_OPERAND_CONTENT))
        wrong = "has an unknown flag";
    else if (row->kinds & ~(KIND(TENSOR) | KIND(SEQUENCE) | KIND(OPTIONAL)))
        wrong = "has a bit in `kinds` that is none of tensor, sequence and optional";
    else if (row->flags & BP_OPERAND_VARIADIC && i + 1 < n)
        wrong = "is variadic and not the last one";
    else if (!(row->flags & BP_OPERAND_VARIADIC) && (row->flags & BP_OPERAND_MIXED))
        wrong = "is mixed and not variadic";
    if (wrong)
        return bp_fail(err, BP_E_INVALID, "operator '%.80s': %s %u %s", name, what, i, wrong);
    return BP_OK;
}

/* All operands of one side; messages say which one is wrong. */
static bp_rc check_side(const char *name, const bp_operand *rows, uint32_t n, const char *what,
                        bp_err *err)
{
    bp_rc rc = BP_OK;

    if (n > MAX_OPERANDS || (n > 0 && !rows))
        return bp_fail(err, BP_E_INVALID, "operator '%.80s': %u %ss without a list, or beyond %d",
                       name, n, what, MAX_OPERANDS);
    for (uint32_t i = 0; rc >= 0 && i < n; i++)
        rc = check_operand(name, rows, n, i, what, err);
    return rc;
}

bp_rc bp_operands_check(const struct bp_operands *operands, const char *name, bp_err *err)
{
    bp_rc rc;

    if (operands->n_out == 0)
        return bp_fail(err, BP_E_INVALID, "operator '%.80s' has no outputs", name);
    rc = check_side(name, operands->in, operands->n_in, "input", err);
    if (rc >= 0)
        rc = check_side(name, operands->out, operands->n_out, "output", err);
    for (uint32_t i = 0; rc >= 0 && i < operands->n_out; i++) {
        uint32_t kinds = operands->out[i].kinds;

        if (kinds & KIND(TENSOR) && kinds != KIND(TENSOR))
            rc = bp_fail(err, BP_E_INVALID,
                         "operator '%.80s': output %u has several kinds; it can be a tensor, a "
                         "sequence, an optional, or (two bits) an optional sequence",
                         name, i);
    }
    return rc;
}

bool bp_operands_have_objects(const struct bp_operands *operands)
{
    bool found = false;

    for (uint32_t i = 0; i < operands->n_in; i++)
        found |= (operands->in[i].kinds & ~KIND(TENSOR)) != 0;
    for (uint32_t i = 0; i < operands->n_out; i++)
        found |= (operands->out[i].kinds & ~KIND(TENSOR)) != 0;
    return found;
}

/* ---- parameters of a schema ------------------------------------------------------------------ */

/* Operands as parameters of a schema; *least gets the least number of a list. NULL: no memory. */
static const struct bp_param *make_params(struct bp_region *region, const bp_operand *rows,
                                          uint32_t n, const uint32_t **least)
{
    struct bp_param *params = bp_region_array(region, n, sizeof *params);
    uint32_t *min = bp_region_array(region, n, sizeof *min);

    if (!params || !min)
        return NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t flags = rows[i].flags;
        bool is_list = flags & BP_OPERAND_VARIADIC;

        params[i].name = bp_region_string(region, rows[i].name);
        if (!params[i].name)
            return NULL;
        params[i].types = rows[i].types ? rows[i].types : BP_T_ANY;
        params[i].type_var = rows[i].type_var;
        params[i].kinds = rows[i].kinds == KIND(TENSOR) ? 0 : rows[i].kinds;
        if (is_list && !(flags & BP_OPERAND_MIXED) && !rows[i].type_var)
            params[i].type_var = LIST_VAR;
        min[i] = is_list ? rows[i].min_count : 0;
        if (is_list ? min[i] == 0 : flags & BP_OPERAND_OPTIONAL)
            params[i].flags |= BP_PARAM_OPTIONAL;
        params[i].flags |= (is_list ? BP_PARAM_VARIADIC : 0) |
                           (flags & BP_OPERAND_MIXED ? BP_PARAM_HETEROGENEOUS : 0) |
                           (flags & BP_OPERAND_CONTENT ? BP_PARAM_CONTENT : 0);
    }
    *least = min;
    return params;
}

bp_rc bp_operands_fill(const struct bp_operands *operands, struct bp_region *region,
                       struct bp_schema *schema, struct bp_operand_counts *least, bp_err *err)
{
    schema->n_in = operands->n_in;
    schema->n_out = operands->n_out;
    schema->in = make_params(region, operands->in, operands->n_in, &least->in);
    schema->out = make_params(region, operands->out, operands->n_out, &least->out);
    return schema->in && schema->out ? BP_OK : bp_fail_nomem(err, "an operator");
}

/* ---- counts and types of a node -------------------------------------------------------------- */

/* One side of the node. */
static bp_rc check_least(const struct bp_infer *infer, const struct bp_param *params, uint32_t n,
                         const uint32_t *least, uint32_t has, const char *what)
{
    if (n == 0 || !(params[n - 1].flags & BP_PARAM_VARIADIC) || has >= n - 1 + least[n - 1])
        return BP_OK;
    return bp_fail_detail(infer->err, BP_E_INVALID, BP_DETAIL_NODE_ARITY,
                          "has %u %ss of the list %s; the operator needs %u",
                          has >= n - 1 ? has - (n - 1) : 0, what, params[n - 1].name, least[n - 1]);
}

bp_rc bp_operands_check_counts(const struct bp_infer *infer, const struct bp_operand_counts *least)
{
    const struct bp_ir_node *node = infer->node;
    const struct bp_schema *schema = node->schema;
    bp_rc rc = check_least(infer, schema->in, schema->n_in, least->in, node->n_in, "input");

    return rc < 0
               ? rc
               : check_least(infer, schema->out, schema->n_out, least->out, node->n_out, "output");
}

/* The element type of the inputs that have the type variable; NONE: not known. */
static uint32_t type_of_variable(const struct bp_infer *infer, uint32_t type_var)
{
    uint32_t dtype = BP_DTYPE_NONE;

    for (uint32_t i = 0; type_var != 0 && dtype == BP_DTYPE_NONE && i < infer->node->n_in; i++) {
        const struct bp_param *param = bp_schema_in(infer->node->schema, i);
        const struct bp_fact *tensor =
            param && param->type_var == type_var ? bp_fact_innermost(infer->in[i]) : NULL;

        dtype = tensor ? tensor->dtype : BP_DTYPE_NONE;
    }
    return dtype;
}

/* Output i becomes a sequence, an optional or both, of what it is now; shapes inside differ. */
static bp_rc wrap(struct bp_infer *infer, uint32_t i, const struct bp_param *param)
{
    static const uint32_t kinds[] = {BP_KIND_SEQUENCE, BP_KIND_OPTIONAL}; /* from the inside */
    struct bp_fact *out = &infer->out[i];

    if (out->dtype == BP_DTYPE_NONE)
        out->dtype = type_of_variable(infer, param->type_var);
    *out = (struct bp_fact){.dtype = out->dtype, .rank = BP_RANK_UNKNOWN};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct bp_fact *item;

        if (!(param->kinds >> kinds[k] & 1))
            continue;
        item = bp_region_array(infer->region, 1, sizeof *item);
        if (!item)
            return bp_fail_nomem(infer->err, "a type");
        *item = *out;
        *out = (struct bp_fact){.rank = BP_RANK_UNKNOWN, .kind = kinds[k], .item = item};
    }
    return BP_OK;
}

bp_rc bp_operands_set_types(struct bp_infer *infer)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < infer->node->n_out; i++) {
        const struct bp_param *param = bp_schema_out(infer->node->schema, i);
        uint64_t types = param ? param->types : 0;

        if (infer->out[i].dtype == BP_DTYPE_NONE && types && !(types & (types - 1)))
            infer->out[i].dtype = (uint32_t)__builtin_ctzll(types);
        if (param && param->kinds)
            rc = wrap(infer, i, param);
    }
    return rc;
}

/* ---- what a rule is shown, and what it says -------------------------------------------------- */

/* Sizes as a rule sees them: exact ones as they are, symbols by their id. NULL: no memory. */
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
static bp_rc copy_content(struct bp_infer *infer, const struct bp_fact *fact, const int64_t **out,
                          bp_err *err)
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
        return bp_fail_nomem(err, "the content of a tensor");
    for (uint32_t k = 0; k < fact->n_content; k++)
        content[k] = fact->content[k].value;
    *out = content;
    return BP_OK;
}

bp_rc bp_operand_fact(struct bp_infer *infer, uint32_t i, bp_operator_fact *out, bp_err *err)
{
    const struct bp_fact *fact = infer->in[i];
    bp_rc rc;

    *out = (bp_operator_fact){.struct_size = sizeof *out, .rank = BP_RANK_UNKNOWN};
    if (!fact)
        return BP_OK;
    out->dtype = bp_fact_innermost(fact) ? bp_fact_innermost(fact)->dtype : BP_DTYPE_NONE;
    out->kind = fact->kind;
    out->rank = fact->rank;
    if (fact->rank != BP_RANK_UNKNOWN) {
        out->dims = copy_dims(infer, fact);
        if (!out->dims)
            return bp_fail_nomem(err, "a shape");
    }
    rc = copy_content(infer, fact, &out->content, err);
    out->n_content = out->content ? fact->n_content : 0;
    return rc;
}

/* A size that a rule gave: exact, a symbol it was shown, or one of its own. */
static bp_rc make_size(struct bp_infer *infer, const bp_dim *dim, bool unnamed_from_data,
                       struct bp_sym *out, bp_err *err)
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
    return bp_symbols_fresh(infer->symbols, unnamed_from_data || dim->flags & BP_DIM_FROM_DATA, out,
                            err);
}

bp_rc bp_operand_set(struct bp_infer *infer, uint32_t i, uint32_t dtype, uint32_t rank,
                     const bp_dim *dims, bool unnamed_from_data, bp_err *err)
{
    struct bp_sym sizes[BP_MAX_RANK];
    bp_rc rc = BP_OK;

    if (i >= infer->node->n_out)
        return BP_OK;
    if (dtype >= BP_DTYPE_END)
        return bp_fail(err, BP_E_INVALID, "output %u: %u is not an element type", i, dtype);
    if (rank != BP_RANK_UNKNOWN && (rank > BP_MAX_RANK || (rank > 0 && !dims)))
        return bp_fail(err, BP_E_INVALID, "output %u: rank %u without dims, or beyond %d", i, rank,
                       BP_MAX_RANK);
    for (uint32_t d = 0; rc >= 0 && rank != BP_RANK_UNKNOWN && d < rank; d++)
        rc = make_size(infer, &dims[d], unnamed_from_data, &sizes[d], err);
    return rc < 0 ? rc : bp_infer_set(infer, i, dtype, rank, sizes);
}
