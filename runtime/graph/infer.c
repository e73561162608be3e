/* SPDX-License-Identifier: MIT */
/* infer.c - walks a graph in running order and asks each node's shape rule. */

#include "config.h"

#include "graph/infer.h"

#include <assert.h>
#include <stdlib.h>

#include "graph/infer_merge.h"

enum { FEW = 8 }; /* inputs, and outputs, of most nodes */

static const struct bp_fact unknown = {.rank = BP_RANK_UNKNOWN};

/* ---- the beginning --------------------------------------------------------------------------- */

/*
 * What is declared, with a symbol of its own for each size that is neither exact nor named, nor
 * one among `symbols`: declared names are the graph's.
 */
static bp_rc start_declared(const struct bp_ir *ir, const struct bp_fact *declared,
                            struct bp_symbols *symbols, struct bp_region *region,
                            struct bp_fact *fact, bp_err *err)
{
    struct bp_sym *dims;

    *fact = *declared;
    fact->content = NULL;
    fact->reals = NULL;
    fact->n_content = 0;
    if (declared->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    dims = bp_region_array(region, declared->rank, sizeof *dims);
    if (!dims)
        return bp_fail_nomem(err, "a shape");
    for (uint32_t i = 0; i < declared->rank; i++) {
        dims[i] = declared->dims[i];
        if (bp_sym_known(dims[i]) ? dims[i].value < 0 : symbols != ir->symbols) {
            bp_rc rc = bp_symbols_fresh(symbols, false, &dims[i], err);

            if (rc < 0)
                return rc;
        }
    }
    fact->dims = dims;
    return BP_OK;
}

/*
 * Type and shape of a constant, and its content where it is small. Only then are its bytes
 * loaded: large weights stay in their file.
 */
static bp_rc start_constant(struct bp_ir_data *data, struct bp_region *region, struct bp_fact *fact,
                            bp_err *err)
{
    struct bp_sym *dims = bp_region_array(region, data->rank, sizeof *dims);
    size_t bytes;
    bp_rc rc;

    if (!dims)
        return bp_fail_nomem(err, "a shape");
    for (uint32_t i = 0; i < data->rank; i++)
        dims[i] = bp_sym_of(data->dims[i]);
    *fact = unknown;
    fact->dtype = data->dtype;
    fact->rank = data->rank;
    fact->dims = dims;
    if (!bp_fact_has_content(fact) ||
        !bp_dense_bytes(data->dtype, data->dims, data->rank, &bytes) || bytes > data->size)
        return BP_OK; /* large weights stay in their file */
    rc = bp_ir_data_load(data, err);
    return rc < 0 ? rc : bp_infer_content(fact, data->bytes, region, err);
}

bp_rc bp_infer_start(const struct bp_ir *ir, const struct bp_fact *outer,
                     struct bp_symbols *symbols, struct bp_region *region, struct bp_fact **out,
                     bp_err *err)
{
    struct bp_fact *facts = bp_region_array(region, ir->n_values, sizeof *facts);
    bp_rc rc = facts ? BP_OK : bp_fail_nomem(err, "shapes");

    *out = NULL;
    for (uint32_t i = 0; rc == BP_OK && i < ir->n_values; i++) {
        const struct bp_ir_value *value = &ir->values[i];

        facts[i] = unknown;
        if (value->flags & BP_IR_CONSTANT)
            rc = start_constant(value->data, region, &facts[i], err);
        else if (value->flags & BP_IR_CAPTURED && outer)
            facts[i] = outer[value->outer];
        else if (value->flags & (BP_IR_INPUT | BP_IR_CAPTURED))
            rc = start_declared(ir, &value->declared, symbols, region, &facts[i], err);
        if (rc < 0)
            bp_fail_in(err, rc, "value '%s'", value->name);
    }
    if (rc == BP_OK)
        *out = facts;
    return rc;
}

/* ---- element types --------------------------------------------------------------------------- */

/* For each type variable: one more than the input that had a type for it first. */
struct bindings {
    uint32_t first[256];
};

/* The type variable of a parameter, as a place in the bindings of the node. */
static uint32_t *binding(struct bindings *bindings, const struct bp_param *param)
{
    assert(param->type_var < sizeof bindings->first / sizeof bindings->first[0]);
    return &bindings->first[param->type_var];
}

/* "W", or "inputs[2]" of a variadic one. */
static void param_text(const struct bp_param *params, uint32_t n, uint32_t i, char *buf, size_t cap)
{
    if (i < n && !(params[i].flags & BP_PARAM_VARIADIC))
        snprintf(buf, cap, "%s", params[i].name);
    else
        snprintf(buf, cap, "%s[%u]", params[n - 1].name, i - (n - 1));
}

/* "float16, float32 or float64" */
static void types_text(uint64_t types, char *buf, size_t cap)
{
    size_t len = 0;

    buf[0] = '\0';
    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        int n;

        if (!(types >> dtype & 1))
            continue;
        types &= ~(UINT64_C(1) << dtype);
        n = snprintf(buf + len, cap - len, "%s%s",
                     len == 0 ? ""
                     : types  ? ", "
                              : " or ",
                     bp_dtype_name(dtype));
        if (n < 0 || (size_t)n >= cap - len)
            return;
        len += (size_t)n;
    }
}

/*
 * An element type that the version of the operator does not take; the message lists those that
 * it does.
 */
static bp_rc fail_type(const struct bp_infer *infer, uint32_t i, uint32_t dtype, bool is_input)
{
    const struct bp_schema *schema = infer->node->schema;
    const struct bp_param *param = is_input ? bp_schema_in(schema, i) : bp_schema_out(schema, i);
    char name[64], types[320];

    param_text(is_input ? schema->in : schema->out, is_input ? schema->n_in : schema->n_out, i,
               name, sizeof name);
    types_text(param->types, types, sizeof types);
    return bp_fail_detail(infer->err, BP_E_INVALID, BP_DETAIL_NODE_TYPE,
                          "%s %s %s type %s, version %u of the operator %s %s",
                          is_input ? "input" : "output", name, is_input ? "has" : "would have",
                          bp_dtype_name(dtype), schema->since, is_input ? "takes" : "gives", types);
}

/* Two inputs that share a type variable have different types; the message names both. */
static bp_rc fail_types_differ(const struct bp_infer *infer, uint32_t i, uint32_t first)
{
    const struct bp_schema *schema = infer->node->schema;
    char name[64], first_name[64];

    param_text(schema->in, schema->n_in, i, name, sizeof name);
    param_text(schema->in, schema->n_in, first, first_name, sizeof first_name);
    return bp_fail_detail(infer->err, BP_E_INVALID, BP_DETAIL_TYPES_DIFFER,
                          "input %s has type %s, %s has %s; both must be the same", name,
                          bp_dtype_name(infer->in[i]->dtype), first_name,
                          bp_dtype_name(infer->in[first]->dtype));
}

/*
 * Is the element type among those of the parameter? One without types allows all, as the maps of
 * ai.onnx.ml.
 */
static bool allows(const struct bp_param *param, uint32_t dtype)
{
    return param->types == 0 || param->types >> dtype & 1;
}

/* Is the kind of value among those of the parameter? Without any it takes tensors alone. */
static bool allows_kind(const struct bp_param *param, uint32_t kind)
{
    return (param->kinds ? param->kinds : 1u << BP_KIND_TENSOR) >> kind & 1;
}

/* Element type of a tensor, or of those in a sequence or optional; NONE: not known, or a map's. */
static uint32_t element_type(const struct bp_fact *fact)
{
    const struct bp_fact *tensor = bp_fact_innermost(fact);

    return tensor ? tensor->dtype : BP_DTYPE_NONE;
}

/* A sequence, map or optional where the operator takes a tensor, or the reverse. */
static bp_rc fail_kind(const struct bp_infer *infer, uint32_t i)
{
    char name[64], type[160];

    param_text(infer->node->schema->in, infer->node->schema->n_in, i, name, sizeof name);
    bp_fact_text(infer->in[i], infer->symbols, type, sizeof type);
    return bp_fail(infer->err, BP_E_INVALID, "input %s is %s, which the operator does not take",
                   name, type);
}

/*
 * Binds type variables in the order of inputs, and checks each input against its parameter and
 * against the inputs that share its variable. Unknown types pass.
 */
static bp_rc check_input_types(const struct bp_infer *infer, struct bindings *bindings)
{
    const struct bp_schema *schema = infer->node->schema;

    for (uint32_t i = 0; i < infer->node->n_in; i++) {
        const struct bp_param *param = bp_schema_in(schema, i);
        uint32_t *first, dtype;

        if (!param || !infer->in[i])
            continue;
        if (!bp_fact_is_blank(infer->in[i]) && !allows_kind(param, infer->in[i]->kind))
            return fail_kind(infer, i);
        dtype = element_type(infer->in[i]);
        if (dtype == BP_DTYPE_NONE)
            continue;
        if (!allows(param, dtype))
            return fail_type(infer, i, dtype, true);
        if (param->type_var == 0 || param->flags & BP_PARAM_HETEROGENEOUS)
            continue;
        first = binding(bindings, param);
        if (*first == 0)
            *first = i + 1;
        else if (element_type(infer->in[*first - 1]) != dtype)
            return fail_types_differ(infer, i, *first - 1);
    }
    return BP_OK;
}

/* Types that the rule left open, where the schema leaves only one; and no other than it allows. */
static bp_rc check_output_types(const struct bp_infer *infer, struct bindings *bindings)
{
    for (uint32_t i = 0; i < infer->node->n_out; i++) {
        const struct bp_param *param = bp_schema_out(infer->node->schema, i);
        struct bp_fact *out = &infer->out[i];
        uint32_t first, dtype;

        if (!param)
            continue;
        first = param->flags & BP_PARAM_HETEROGENEOUS ? 0 : *binding(bindings, param);
        if (out->kind == BP_KIND_TENSOR && out->dtype == BP_DTYPE_NONE && !param->kinds &&
            param->type_var != 0 && first != 0)
            out->dtype = element_type(infer->in[first - 1]);
        dtype = element_type(out);
        if (dtype != BP_DTYPE_NONE && !allows(param, dtype))
            return fail_type(infer, i, dtype, false);
    }
    return BP_OK;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/*
 * Types of inputs, then the rule, then types of outputs: a rule may count on inputs that its
 * schema allows.
 */
static bp_rc infer_node(struct bp_infer *infer)
{
    const struct bp_schema *schema = infer->node->schema;
    struct bindings bindings = {{0}};
    bp_rc rc;

    if (!schema)
        return BP_OK;
    rc = check_input_types(infer, &bindings);
    if (rc == BP_OK && schema->infer)
        rc = schema->infer(infer);
    if (rc == BP_OK)
        rc = check_output_types(infer, &bindings);
    return rc;
}

/*
 * Gathers the facts of the inputs, runs the rule and keeps its answer, completed by what the
 * model declares. A node without a schema gives what is declared alone.
 */
static bp_rc run_node(const struct bp_ir *ir, struct bp_infer *infer, const struct bp_fact **in,
                      struct bp_fact *facts)
{
    const struct bp_ir_node *node = infer->node;
    bp_rc rc;

    for (uint32_t i = 0; i < node->n_in; i++)
        in[i] = node->in[i] == BP_NONE ? NULL : &facts[node->in[i]];
    for (uint32_t i = 0; i < node->n_out; i++)
        infer->out[i] = unknown;
    rc = infer_node(infer);
    for (uint32_t i = 0; rc == BP_OK && i < node->n_out; i++) {
        uint32_t value = node->out[i];

        if (value == BP_NONE)
            continue;
        if (node->schema)
            rc = bp_infer_merge(ir, value, infer->symbols, infer->region, &infer->out[i],
                                infer->err);
        else
            rc = start_declared(ir, &ir->values[value].declared, infer->symbols, infer->region,
                                &infer->out[i], infer->err);
        facts[value] = infer->out[i];
    }
    return rc;
}

/* What a node gives whose shapes cannot be, when that is no reason to stop. */
static void set_unknown(const struct bp_ir_node *node, struct bp_fact *facts)
{
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] != BP_NONE)
            facts[node->out[i]] = unknown;
    }
}

/*
 * Runs the nodes in order with one set of buffers that is large enough for each; most need no more
 * than the few on the stack. With goes_past a node whose shapes cannot be gives unknown facts, and
 * the walk goes on.
 */
static bp_rc walk(const struct bp_ir *ir, const uint32_t *nodes, uint32_t n_nodes, bool goes_past,
                  struct bp_fact *facts, struct bp_symbols *symbols, struct bp_region *region,
                  bp_err *err)
{
    struct bp_infer infer = {
        .ir = ir, .outer = facts, .symbols = symbols, .region = region, .err = err};
    uint32_t n = nodes ? n_nodes : ir->n_nodes, most_in = 0, most_out = 0;
    const struct bp_fact *few_in[FEW], **in = few_in;
    struct bp_fact few_out[FEW];
    bp_rc rc = BP_OK;

    infer.out = few_out;

    for (uint32_t i = 0; i < n; i++) {
        const struct bp_ir_node *node = &ir->nodes[nodes ? nodes[i] : i];

        most_in = node->n_in > most_in ? node->n_in : most_in;
        most_out = node->n_out > most_out ? node->n_out : most_out;
    }
    if (most_in > FEW)
        in = calloc(most_in, sizeof *in);
    if (most_out > FEW)
        infer.out = calloc(most_out, sizeof *infer.out);
    infer.in = in;
    if (!in || !infer.out) {
        rc = bp_fail_nomem(err, "shapes");
        goto out;
    }
    for (uint32_t i = 0; rc == BP_OK && i < n; i++) {
        infer.node = &ir->nodes[nodes ? nodes[i] : i];
        rc = run_node(ir, &infer, in, facts);
        if (rc == BP_E_SHAPE && goes_past) {
            set_unknown(infer.node, facts);
            rc = BP_OK;
        }
        if (rc < 0)
            bp_fail_in(err, rc, "node '%s' (%s)", infer.node->name, infer.node->op);
    }
out:
    if (infer.out != few_out)
        free(infer.out);
    if (in != few_in)
        free(in);
    return rc;
}

bp_rc bp_infer_run(const struct bp_ir *ir, const uint32_t *nodes, uint32_t n_nodes,
                   struct bp_fact *facts, struct bp_symbols *symbols, struct bp_region *region,
                   bp_err *err)
{
    return walk(ir, nodes, n_nodes, false, facts, symbols, region, err);
}

bp_rc bp_infer_run_past(const struct bp_ir *ir, struct bp_fact *facts, struct bp_symbols *symbols,
                        struct bp_region *region, bp_err *err)
{
    return walk(ir, NULL, 0, true, facts, symbols, region, err);
}
