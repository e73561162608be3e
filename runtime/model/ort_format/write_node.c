/* SPDX-License-Identifier: MIT */
/* write_node.c - nodes, their attributes and the edges between them, in ONNX Runtime's format. */

#include "config.h"

#include "graph/custom.h"
#include "graph/infer.h"
#include "model/ort_format/writer.h"

/* ---- attributes ------------------------------------------------------------------------------ */

/* Field and type number of an attribute, for a single value and for a list. */
static const struct {
    const struct bp_flat_field *field, *list_field;
    uint32_t type, list_type;
} kinds[] = {
    [BP_ATTR_FLOAT] = {&bp_ort_attr_f, &bp_ort_attr_floats, 1, 6},
    [BP_ATTR_INT] = {&bp_ort_attr_i, &bp_ort_attr_ints, 2, 7},
    [BP_ATTR_STRING] = {&bp_ort_attr_s, &bp_ort_attr_strings, 3, 8},
    [BP_ATTR_TENSOR] = {&bp_ort_attr_t, &bp_ort_attr_tensors, 4, 9},
    [BP_ATTR_GRAPH] = {&bp_ort_attr_g, &bp_ort_attr_graphs, 5, 10},
};

/* A subgraph; inference finds the types of its inputs from its node. */
static bp_rc put_subgraph(struct bp_ort_writer *w, uint32_t at, const struct bp_ir_node *node,
                          struct bp_ir *subgraph, const struct bp_fact *facts)
{
    const struct bp_fact *inputs = NULL;
    bp_rc rc =
        bp_infer_subgraph_inputs(node, subgraph, facts, &w->symbols, &w->region, &inputs, w->err);

    return rc < 0 ? rc : bp_ort_put_graph(w, at, subgraph, facts, inputs);
}

/* Item i of an attribute, referred to by the offset at `at`. */
static bp_rc put_item(struct bp_ort_writer *w, uint32_t at, const struct bp_ir_node *node,
                      const bp_attr *attr, uint32_t i, const struct bp_fact *facts)
{
    const bp_span *text = attr->data;
    const bp_const *tensor = attr->data;
    const uint32_t *subgraphs = attr->data;

    if (attr->type == BP_ATTR_GRAPH)
        return put_subgraph(w, at, node, node->subgraphs[subgraphs[i]], facts);
    if (attr->type == BP_ATTR_TENSOR)
        bp_ort_put_tensor(w, at, "", tensor[i].dtype, tensor[i].dims, tensor[i].rank,
                          tensor[i].data, tensor[i].bytes);
    else
        bp_flat_put_text(&w->out, at, text[i].data, text[i].size);
    return BP_OK;
}

/* Lists of int64 and float are written inline, others as lists of offsets. */
static bp_rc put_list(struct bp_ort_writer *w, uint32_t at, const struct bp_ir_node *node,
                      const bp_attr *attr, const struct bp_fact *facts)
{
    uint32_t width = attr->type == BP_ATTR_INT ? 8 : 4;
    uint32_t first = bp_flat_put_list(&w->out, at, attr->count, width);
    bp_rc rc = BP_OK;

    if (attr->type == BP_ATTR_INT || attr->type == BP_ATTR_FLOAT) {
        bp_flat_set(&w->out, first, attr->data, (size_t)attr->count * width);
        return BP_OK;
    }
    for (uint32_t i = 0; i < attr->count && rc >= 0; i++)
        rc = put_item(w, first + i * width, node, attr, i, facts);
    return rc;
}

static uint64_t scalar_of(const bp_attr *attr)
{
    uint64_t value = 0;

    memcpy(&value, attr->data, attr->type == BP_ATTR_INT ? sizeof(int64_t) : sizeof(float));
    return value;
}

/* Three fields: name, type, and the one for the value. */
static bp_rc put_attribute(struct bp_ort_writer *w, uint32_t at, const struct bp_ir_node *node,
                           const bp_attr *attr, const struct bp_fact *facts)
{
    bool is_list = attr->flags & BP_ATTR_LIST;
    bool is_scalar = !is_list && (attr->type == BP_ATTR_INT || attr->type == BP_ATTR_FLOAT);
    const struct bp_flat_field *field =
        is_list ? kinds[attr->type].list_field : kinds[attr->type].field;
    struct bp_flat_slot slots[] = {
        bp_ort_child(&bp_ort_attr_name),
        bp_ort_scalar(&bp_ort_attr_type, 4,
                      is_list ? kinds[attr->type].list_type : kinds[attr->type].type),
        is_scalar ? bp_ort_scalar(field, attr->type == BP_ATTR_INT ? 8 : 4, scalar_of(attr))
                  : bp_ort_child(field)};

    if (bp_write_is_type(node, attr))
        return bp_fail(w->err, BP_E_UNSUPPORTED,
                       "its attribute '%s' is a type, which ONNX Runtime's format cannot say: save "
                       "it as .onnx",
                       attr->name);
    bp_flat_put_table(&w->out, at, slots, 3);
    bp_ort_put_string(w, slots[0].at, attr->name);
    if (is_scalar)
        return BP_OK;
    return is_list ? put_list(w, slots[2].at, node, attr, facts)
                   : put_item(w, slots[2].at, node, attr, 0, facts);
}

/* Attributes that sealing added with their default are left out. */
static bp_rc put_attributes(struct bp_ort_writer *w, uint32_t at, const struct bp_ir_node *node,
                            const struct bp_fact *facts)
{
    uint32_t n = 0, first;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < node->n_attrs; i++)
        n += !bp_write_is_default(node, &node->attrs[i]);
    first = bp_flat_put_list(&w->out, at, n, 4);
    for (uint32_t i = 0; i < node->n_attrs && rc >= 0; i++) {
        if (bp_write_is_default(node, &node->attrs[i]))
            continue;
        rc = put_attribute(w, first, node, &node->attrs[i], facts);
        first += 4;
    }
    return rc;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* An absent input or output is an empty name. */
static void put_names(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir,
                      const uint32_t *list, uint32_t n)
{
    uint32_t first = bp_flat_put_list(&w->out, at, n, 4);

    for (uint32_t i = 0; i < n; i++)
        bp_ort_put_string(w, first + i * 4, list[i] == BP_NONE ? "" : ir->values[list[i]].name);
}

/*
 * Node.input_arg_counts: actual inputs of each formal parameter: 1, 0 when it is left out, n when
 * it is variadic.
 */
static void put_counts(struct bp_ort_writer *w, uint32_t at, const struct bp_ir_node *node)
{
    const struct bp_schema *schema =
        node->schema && !bp_custom_of(node->schema) ? node->schema : NULL;
    uint32_t n = schema ? schema->n_in : node->n_in;
    uint32_t first = bp_flat_put_list(&w->out, at, n, 4);

    for (uint32_t i = 0; i < n; i++) {
        bool is_variadic = schema && schema->in[i].flags & BP_PARAM_VARIADIC;
        int32_t count = is_variadic && node->n_in > i ? (int32_t)(node->n_in - i) : i < node->n_in;

        bp_flat_set(&w->out, first + i * 4, &count, sizeof count);
    }
}

/* ONNX Runtime looks up the kernel by the version that introduced the operator's definition. */
static int32_t since_of(const struct bp_ir_node *node)
{
    uint32_t since = node->schema ? node->schema->since : node->opset;

    return since > 0 ? (int32_t)since : 1;
}

/* execution_provider_type must be set, or ONNX Runtime refuses the file. */
static bp_rc put_node(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir, uint32_t index,
                      const struct bp_fact *facts)
{
    const struct bp_ir_node *node = &ir->nodes[index];
    struct bp_flat_slot slots[] = {bp_ort_child(&bp_ort_node_name),
                                   bp_ort_child(&bp_ort_node_domain),
                                   bp_ort_scalar(&bp_ort_node_since, 4, (uint32_t)since_of(node)),
                                   bp_ort_scalar(&bp_ort_node_index, 4, index),
                                   bp_ort_child(&bp_ort_node_op),
                                   bp_ort_child(&bp_ort_node_provider),
                                   bp_ort_child(&bp_ort_node_inputs),
                                   bp_ort_child(&bp_ort_node_outputs),
                                   bp_ort_child(&bp_ort_node_attributes),
                                   bp_ort_child(&bp_ort_node_arg_counts),
                                   bp_ort_child(&bp_ort_node_implicit)};

    if (strcmp(node->domain, "org.backplane") == 0)
        return bp_fail(w->err, BP_E_UNSUPPORTED,
                       "only Backplane has the operators that it was written with: save it as "
                       ".onnx");
    bp_flat_put_table(&w->out, at, slots, sizeof slots / sizeof *slots);
    bp_ort_put_string(w, slots[0].at, node->name);
    bp_ort_put_string(w, slots[1].at, node->domain);
    bp_ort_put_string(w, slots[4].at, node->op);
    bp_ort_put_string(w, slots[5].at,
                      "CPUExecutionProvider"); /* every build of ONNX Runtime has it */
    put_names(w, slots[6].at, ir, node->in, node->n_in);
    put_names(w, slots[7].at, ir, node->out, node->n_out);
    put_counts(w, slots[9].at, node);
    put_names(w, slots[10].at, ir, node->implicit, node->n_implicit);
    return put_attributes(w, slots[8].at, node, facts);
}

/* Node indices are positions in this list; edges refer to them. */
bp_rc bp_ort_put_nodes(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir,
                       const struct bp_fact *facts)
{
    uint32_t first = bp_flat_put_list(&w->out, at, ir->n_nodes, 4);
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < ir->n_nodes && rc >= 0; i++) {
        rc = put_node(w, first + i * 4, ir, i, facts);
        if (rc < 0)
            rc = bp_fail_in(w->err, rc, "node '%s' (%s)", ir->nodes[i].name, ir->nodes[i].op);
    }
    return rc;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* EdgeEnd of the schema, 12 bytes: the other node, the producer's output, the consumer's input. */
struct edge {
    uint32_t node;
    int32_t from, to;
};

struct edges {
    struct edge *items; /* sorted by producer */
    uint32_t *ends;     /* for each node: index after its last item */
};

/* Which output of its producer the value is. */
static int32_t output_of(const struct bp_ir *ir, uint32_t value)
{
    const struct bp_ir_node *node = &ir->nodes[ir->values[value].producer];
    int32_t i = 0;

    while ((uint32_t)i < node->n_out && node->out[i] != value)
        i++;
    return i;
}

/* Input i of a node; after the inputs come the values that its subgraphs capture. */
static uint32_t input_of(const struct bp_ir_node *node, uint32_t i)
{
    return i < node->n_in ? node->in[i] : node->implicit[i - node->n_in];
}

/* Inputs and initializers have no producer, so no edge. */
static bool is_edge(const struct bp_ir *ir, uint32_t value)
{
    return value != BP_NONE && ir->values[value].producer != BP_NONE;
}

static void put_edge_ends(struct bp_ort_writer *w, uint32_t at, const struct edge *edges,
                          uint32_t n)
{
    /* a vector of 12-byte structs: reserved as 3 n words, then its length is set to n */
    uint32_t first = bp_flat_put_list(&w->out, at, (size_t)n * 3, 4);

    bp_flat_set(&w->out, first, edges, n * sizeof *edges);
    bp_flat_set(&w->out, first - 4, &n, sizeof n);
}

/* Edges that lead to a node; at most as many as it has inputs. */
static uint32_t list_inputs(const struct bp_ir *ir, const struct bp_ir_node *node,
                            struct edge *edges)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < node->n_in + node->n_implicit; i++) {
        uint32_t value = input_of(node, i);

        if (is_edge(ir, value))
            edges[n++] =
                (struct edge){ir->values[value].producer, output_of(ir, value), (int32_t)i};
    }
    return n;
}

/* Edges that leave each node: a counting sort by producer. false: no memory. */
static bool gather_outputs(struct bp_region *region, const struct bp_ir *ir, struct edges *out)
{
    size_t total = 0;
    uint32_t start = 0;

    out->ends = bp_region_array(region, ir->n_nodes, sizeof *out->ends);
    for (uint32_t n = 0; out->ends && n < ir->n_nodes; n++)
        total += (size_t)ir->nodes[n].n_in + ir->nodes[n].n_implicit;
    out->items = bp_region_array(region, total, sizeof *out->items);
    if (!out->ends || !out->items)
        return false;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t n = 0; n < ir->n_nodes; n++) {
            const struct bp_ir_node *node = &ir->nodes[n];

            for (uint32_t i = 0; i < node->n_in + node->n_implicit; i++) {
                uint32_t value = input_of(node, i), producer;

                if (!is_edge(ir, value))
                    continue;
                producer = ir->values[value].producer;
                if (pass == 1)
                    out->items[out->ends[producer]] =
                        (struct edge){n, output_of(ir, value), (int32_t)i};
                out->ends[producer]++;
            }
        }
        for (uint32_t n = 0; pass == 0 && n < ir->n_nodes; n++) { /* from counts to starts */
            uint32_t count = out->ends[n];

            out->ends[n] = start;
            start += count;
        }
    }
    return true;
}

/* NodeEdge: incoming edges of a node, then outgoing ones. */
void bp_ort_put_edges(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir)
{
    uint32_t first = bp_flat_put_list(&w->out, at, ir->n_nodes, 4), start = 0;
    struct edges outputs;

    if (!gather_outputs(&w->region, ir, &outputs)) {
        w->out.failed = true;
        return;
    }
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];
        struct edge *inputs =
            bp_region_array(&w->region, (size_t)node->n_in + node->n_implicit, sizeof *inputs);
        struct bp_flat_slot slots[] = {bp_ort_scalar(&bp_ort_edge_node, 4, i),
                                       bp_ort_child(&bp_ort_edge_inputs),
                                       bp_ort_child(&bp_ort_edge_outputs)};

        if (!inputs) {
            w->out.failed = true;
            return;
        }
        bp_flat_put_table(&w->out, first + i * 4, slots, 3);
        put_edge_ends(w, slots[1].at, inputs, list_inputs(ir, node, inputs));
        put_edge_ends(w, slots[2].at, outputs.items + start, outputs.ends[i] - start);
        start = outputs.ends[i];
    }
}
