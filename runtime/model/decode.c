/* SPDX-License-Identifier: MIT */
/*
 * decode.c - a GraphProto becomes a graph: values first, then nodes in any order.
 *
 * ONNX wants nodes sorted topologically; files of some converters are not, and sealing sorts them.
 * Order of definition: inputs, initializers, outputs of nodes; a name defined twice is refused.
 */

#include "config.h"

#include "model/model.h"

/* ---- inputs and initializers ----------------------------------------------------------------- */

/* An input without a type is allowed: inference, or the first run, finds it. */
static bp_rc define_inputs(struct bp_builder *builder, const Bp__GraphProto *proto,
                           struct bp_ir *ir, bp_err *err)
{
    for (size_t i = 0; i < proto->n_input; i++) {
        const char *name = bp_text_or_empty(proto->input[i]->name);
        uint32_t value;
        bp_rc rc = bp_ir_define(ir, name, &value, err);

        if (rc >= 0) {
            ir->values[value].flags = BP_IR_INPUT;
            rc = bp_decode_type(builder, proto->input[i]->type, &ir->values[value].declared, err);
        }
        if (rc < 0)
            return bp_fail_in(err, rc, "input '%.80s'", name);
    }
    return BP_OK;
}

/* Type, rank and known dimensions of a default must agree with what the input declares. */
static bp_rc check_default(const struct bp_fact *fact, const struct bp_ir_data *data, bp_err *err)
{
    if (fact->dtype != BP_DTYPE_NONE && fact->dtype != data->dtype)
        return bp_fail(err, BP_E_INVALID, "has a default of type %s and is declared %s",
                       bp_dtype_name(data->dtype), bp_dtype_name(fact->dtype));
    if (fact->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    if (fact->rank != data->rank)
        return bp_fail(err, BP_E_INVALID, "has a default of rank %u and is declared with rank %u",
                       data->rank, fact->rank);
    for (uint32_t i = 0; i < data->rank; i++) {
        if (bp_sym_known(fact->dims[i]) && fact->dims[i].value != data->dims[i])
            return bp_fail(err, BP_E_INVALID,
                           "has a default of size %lld in dimension %u and is declared with %lld",
                           (long long)data->dims[i], i, (long long)fact->dims[i].value);
    }
    return BP_OK;
}

/*
 * An initializer with the name of an input is the input's default (IR version 3 requires one for
 * each initializer; from 4 on it is optional). It is constant unless the session lets callers
 * override it.
 */
static bp_rc set_default(const struct bp_builder *builder, struct bp_ir *ir, uint32_t value,
                         struct bp_ir_data *data, bp_err *err)
{
    struct bp_ir_value *input = &ir->values[value];
    bp_rc rc;

    if (input->data)
        return bp_fail(err, BP_E_INVALID, "two initializers have the name '%.80s'", input->name);
    rc = check_default(&input->declared, data, err);
    if (rc < 0)
        return bp_fail_in(err, rc, "input '%.80s'", input->name);
    input->data = data;
    input->flags |= BP_IR_DEFAULTED;
    /* the node of a subgraph feeds its inputs */
    if (!builder->open_defaults && !ir->parent)
        input->flags |= BP_IR_CONSTANT;
    return BP_OK;
}

/* A name that is an input makes it the default; else the name is new. */
static bp_rc define_constant(const struct bp_builder *builder, struct bp_ir *ir, const char *name,
                             struct bp_ir_data *data, bp_err *err)
{
    uint32_t value = bp_strmap_get(&ir->by_name, name, BP_NONE);
    bp_rc rc;

    if (value != BP_NONE && ir->values[value].flags & BP_IR_INPUT)
        return set_default(builder, ir, value, data, err);
    rc = bp_ir_define(ir, name, &value, err);
    if (rc < 0)
        return rc;
    ir->values[value].data = data;
    ir->values[value].flags = BP_IR_CONSTANT | BP_IR_INITIALIZER;
    return BP_OK;
}

/* A sparse initializer has its name on its `values` tensor. */
static bp_rc define_initializers(struct bp_builder *builder, const Bp__GraphProto *proto,
                                 struct bp_ir *ir, bp_err *err)
{
    struct bp_ir_data *data;
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < proto->n_initializer && rc >= 0; i++) {
        const Bp__TensorProto *tensor = proto->initializer[i];

        rc = bp_decode_tensor(builder, tensor, &data, err);
        if (rc >= 0)
            rc = define_constant(builder, ir, bp_text_or_empty(tensor->name), data, err);
    }
    for (size_t i = 0; i < proto->n_sparse_initializer && rc >= 0; i++) {
        const Bp__SparseTensorProto *tensor = proto->sparse_initializer[i];

        rc = bp_decode_sparse(builder, tensor, &data, err);
        if (rc >= 0)
            rc = define_constant(builder, ir, bp_text_or_empty(tensor->values->name), data, err);
    }
    return rc < 0 ? bp_fail_in(err, rc, "initializers") : rc;
}

/*
 * In the model's order. In the main graph inputs with a default come last, as callers may leave
 * them out.
 */
static bp_rc list_inputs(struct bp_ir *ir, uint32_t n, bp_err *err)
{
    ir->inputs = bp_region_array(ir->region, n, sizeof *ir->inputs);
    if (!ir->inputs)
        return bp_fail_nomem(err, "inputs");
    /* they were defined first, so they are the first n values */
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < n; i++) {
            bool is_defaulted = !ir->parent && ir->values[i].flags & BP_IR_DEFAULTED;

            if (is_defaulted == (pass == 1))
                ir->inputs[ir->n_inputs++] = i;
        }
    }
    return BP_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Unnamed nodes are reported by their first output, which is unique. */
bp_rc bp_fail_node(const Bp__NodeProto *node, bp_rc rc, bp_err *err)
{
    const char *name = bp_text_or_empty(node->name);

    if (!name[0] && node->n_output > 0)
        return bp_fail_in(err, rc, "node of '%.80s' (%.80s)", node->output[0],
                          bp_text_or_empty(node->op_type));
    return bp_fail_in(err, rc, "node '%.80s' (%.80s)", name, bp_text_or_empty(node->op_type));
}

/* The output of a node replaces an initializer of the same name, as in ONNX Runtime. */
static bp_rc define_output(struct bp_ir *ir, const char *name, uint32_t *out, bp_err *err)
{
    uint32_t value = bp_strmap_get(&ir->by_name, name, BP_NONE);

    if (value == BP_NONE || !(ir->values[value].flags & BP_IR_INITIALIZER))
        return bp_ir_define(ir, name, out, err);
    ir->values[value].data = NULL;
    ir->values[value].flags = 0;
    *out = value;
    return BP_OK;
}

/* A Constant node becomes a constant value, and no node. */
static bp_rc define_outputs(struct bp_builder *builder, const Bp__NodeProto *node, struct bp_ir *ir,
                            bp_err *err)
{
    struct bp_ir_data *data;
    uint32_t value;
    bp_rc rc = BP_OK;

    if (bp_is_constant_node(node)) {
        rc = bp_decode_constant(builder, node, &data, err);
        if (rc < 0 || !node->output[0][0])
            return rc;
        rc = define_output(ir, node->output[0], &value, err);
        if (rc < 0)
            return rc;
        ir->values[value].data = data;
        ir->values[value].flags = BP_IR_CONSTANT;
        return BP_OK;
    }
    for (size_t i = 0; i < node->n_output && rc >= 0; i++) {
        if (node->output[i][0])
            rc = define_output(ir, node->output[i], &value, err);
    }
    return rc;
}

/* Empty names are absent inputs or outputs. */
static bp_rc link_node(const Bp__NodeProto *node, struct bp_ir *ir, uint32_t at, bp_err *err)
{
    uint32_t value;

    for (size_t i = 0; i < node->n_input; i++) {
        bp_rc rc;

        if (!node->input[i][0])
            continue;
        rc = bp_ir_resolve(ir, node->input[i], &value, err);
        if (rc < 0)
            return rc;
        ir->nodes[at].in[i] = value;
    }
    for (size_t i = 0; i < node->n_output; i++) {
        if (node->output[i][0])
            ir->nodes[at].out[i] = bp_strmap_get(&ir->by_name, node->output[i], BP_NONE);
    }
    return BP_OK;
}

/* Nodes that came out of a function have the opset of that function. */
static bp_rc add_node(struct bp_builder *builder, const Bp__NodeProto *node, struct bp_ir *ir,
                      bp_err *err)
{
    uint32_t at;
    bp_rc rc;

    if (!node->op_type || !node->op_type[0])
        return bp_fail(err, BP_E_INVALID, "has no op_type");
    rc = bp_ir_add_node(ir, bp_text_or_empty(node->name), node->op_type,
                        bp_onnx_domain(node->domain), (uint32_t)node->n_input,
                        (uint32_t)node->n_output, &at, err);
    if (rc < 0)
        return rc;
    ir->nodes[at].opset = node->has_opset ? node->opset : 0;
    rc = link_node(node, ir, at, err);
    if (rc >= 0)
        rc = bp_decode_attributes(builder, node, ir, at, err);
    return rc;
}

/*
 * All outputs are defined before any input is resolved, because a node, or a subgraph in it, may
 * read what a later node produces.
 */
static bp_rc add_nodes(struct bp_builder *builder, const Bp__GraphProto *proto, struct bp_ir *ir,
                       bp_err *err)
{
    for (size_t i = 0; i < proto->n_node; i++) {
        bp_rc rc = define_outputs(builder, proto->node[i], ir, err);

        if (rc < 0)
            return bp_fail_node(proto->node[i], rc, err);
    }
    for (size_t i = 0; i < proto->n_node; i++) {
        bp_rc rc;

        if (bp_is_constant_node(proto->node[i]))
            continue;
        rc = add_node(builder, proto->node[i], ir, err);
        if (rc < 0)
            return bp_fail_node(proto->node[i], rc, err);
    }
    return BP_OK;
}

/* ---- outputs and declared types -------------------------------------------------------------- */

/* An output may name any value of the graph, an input or initializer too. */
static bp_rc list_outputs(const Bp__GraphProto *proto, struct bp_ir *ir, bp_err *err)
{
    ir->outputs = bp_region_array(ir->region, proto->n_output, sizeof *ir->outputs);
    if (!ir->outputs)
        return bp_fail_nomem(err, "outputs");
    for (size_t i = 0; i < proto->n_output; i++) {
        const char *name = bp_text_or_empty(proto->output[i]->name);
        bp_rc rc = bp_ir_resolve(ir, name, &ir->outputs[i], err);

        if (rc < 0)
            return bp_fail_in(err, rc, "output '%.80s'", name);
        ir->values[ir->outputs[i]].flags |= BP_IR_OUTPUT;
    }
    ir->n_outputs = (uint32_t)proto->n_output;
    return BP_OK;
}

/*
 * Declared types of values. Names that no value has are ignored, because optimisers leave such
 * value_info behind.
 */
static bp_rc declare(struct bp_builder *builder, Bp__ValueInfoProto *const *infos, size_t n,
                     struct bp_ir *ir, bp_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = bp_text_or_empty(infos[i]->name);
        uint32_t value = bp_strmap_get(&ir->by_name, name, BP_NONE);
        bp_rc rc;

        if (value == BP_NONE || ir->values[value].flags & (BP_IR_INPUT | BP_IR_CAPTURED))
            continue;
        rc = bp_decode_type(builder, infos[i]->type, &ir->values[value].declared, err);
        if (rc < 0)
            return bp_fail_in(err, rc, "value '%.80s'", name);
    }
    return BP_OK;
}

bp_rc bp_decode_graph(struct bp_builder *builder, const Bp__GraphProto *proto, struct bp_ir *ir,
                      bp_err *err)
{
    bp_rc rc = define_inputs(builder, proto, ir, err);

    if (rc >= 0)
        rc = define_initializers(builder, proto, ir, err);
    if (rc >= 0)
        rc = list_inputs(ir, (uint32_t)proto->n_input, err);
    if (rc >= 0)
        rc = add_nodes(builder, proto, ir, err);
    for (uint32_t v = 0; v < ir->n_values; v++) /* no node can redefine it any more */
        ir->values[v].flags &= ~(uint32_t)BP_IR_INITIALIZER;
    if (rc >= 0)
        rc = list_outputs(proto, ir, err);
    if (rc >= 0)
        rc = declare(builder, proto->value_info, proto->n_value_info, ir, err);
    if (rc >= 0)
        rc = declare(builder, proto->output, proto->n_output, ir, err);
    return rc;
}
