/* SPDX-License-Identifier: MIT */
/*
 * facts.c - what is known of a graph before operators are asked: who reads which value, which nodes
 * are a quantized operator together, and scales of values of uint8.
 */

#include "nn.h"

/* Nodes that may be the middle of a QDQ unit, and how many of their inputs are data; 0: all. */
static const struct {
    const char *op;
    uint32_t n_data;
} middles[] = {{"Conv", 3},   {"AveragePool", 1}, {"Resize", 1},  {"Add", 2},
               {"Mul", 2},    {"Transpose", 1},   {"Reshape", 1}, {"Softmax", 1},
               {"Concat", 0}, {"Gemm", 3},        {"MatMul", 2}};

/* Operators with scales among their inputs: which inputs are data, and those of the result. */
static const struct {
    const char *domain, *op;
    uint32_t n_data, data[3]; /* each followed by its scale and zero point, but for a bias */
    uint32_t out_scale;
} qlinear[] = {
    {"", "QLinearConv", 3, {0, 3, 8}, 6},
    {"", "QLinearMatMul", 2, {0, 3}, 6},
    {"com.microsoft", "QLinearAdd", 2, {0, 3}, 6},
    {"com.microsoft", "QLinearMul", 2, {0, 3}, 6},
    {"com.microsoft", "QLinearSigmoid", 1, {0}, 3},
    {"com.microsoft", "QLinearAveragePool", 1, {0}, 3},
};

#define COUNT(rows) ((uint32_t)(sizeof(rows) / sizeof((rows)[0])))

static uint32_t input_of(const bp_node *node, uint32_t i)
{
    return i < node->n_in ? node->in[i] : BP_NONE;
}

static uint32_t output_of(const bp_node *node)
{
    return node->n_out > 0 ? node->out[0] : BP_NONE;
}

static bool is_op(const bp_node *node, const char *domain, const char *op)
{
    return strcmp(node->op, op) == 0 && strcmp(node->domain, domain) == 0;
}

/* ---- constants ------------------------------------------------------------------------------- */

/* The bytes of a constant of that many elements at most. */
static const unsigned char *read(const bp_instance *instance, const bp_graph *graph, uint32_t value,
                                 uint32_t cap, uint32_t *dtype, uint32_t *n)
{
    const bp_value *row;
    bp_span span;

    if (value == BP_NONE)
        return NULL;
    row = BP_VALUE(graph, value);
    *dtype = row->dtype;
    if (!(row->flags & BP_VALUE_CONSTANT) || bp_dtype_width(*dtype) < 8 ||
        row->const_bytes / (bp_dtype_width(*dtype) / 8) > cap ||
        instance->host.constant(instance->host.h, graph, value, &span, NULL) < 0)
        return NULL;
    *n = (uint32_t)(span.size / (bp_dtype_width(*dtype) / 8));
    return span.data ? span.data : (const unsigned char *)"";
}

bool bp_nn_floats(const bp_instance *instance, const bp_graph *graph, uint32_t value, float *out,
                  uint32_t cap, uint32_t *n)
{
    uint32_t dtype;
    const unsigned char *data = read(instance, graph, value, cap, &dtype, n);

    if (!data || dtype != BP_DTYPE_F32)
        return false;
    memcpy(out, data, *n * sizeof *out);
    return true;
}

static int64_t integer_at(const unsigned char *data, uint32_t dtype, uint32_t i)
{
    int64_t wide;
    int32_t word;

    switch (dtype) {
    case BP_DTYPE_I64:
        memcpy(&wide, data + (size_t)i * sizeof wide, sizeof wide);
        return wide;
    case BP_DTYPE_I32:
        memcpy(&word, data + (size_t)i * sizeof word, sizeof word);
        return word;
    case BP_DTYPE_I8:
        return data[i] < 128 ? data[i] : data[i] - 256;
    default:
        return data[i];
    }
}

bool bp_nn_ints(const bp_instance *instance, const bp_graph *graph, uint32_t value, int64_t *out,
                uint32_t cap, uint32_t *n)
{
    uint32_t dtype;
    const unsigned char *data = read(instance, graph, value, cap, &dtype, n);

    if (!data || (dtype != BP_DTYPE_I64 && dtype != BP_DTYPE_I32 && dtype != BP_DTYPE_I8 &&
                  dtype != BP_DTYPE_U8 && dtype != BP_DTYPE_BOOL))
        return false;
    for (uint32_t i = 0; i < *n; i++)
        out[i] = integer_at(data, dtype, i);
    return true;
}

/* A zero point that is absent is 0. */
static bool read_quant(const struct bp_nn_facts *facts, uint32_t scale, uint32_t zero,
                       struct bp_nn_quant *out)
{
    int64_t point = 0;
    uint32_t n;

    if (!bp_nn_floats(facts->instance, facts->graph, scale, &out->scale, 1, &n) || n != 1)
        return false;
    if (zero != BP_NONE &&
        (!bp_nn_ints(facts->instance, facts->graph, zero, &point, 1, &n) || n != 1))
        return false;
    out->zero = (int32_t)point;
    return true;
}

bool bp_nn_quant_of(const struct bp_nn_facts *facts, const struct bp_nn_arg *arg,
                    struct bp_nn_quant *out)
{
    if (arg->scale != BP_NONE)
        return read_quant(facts, arg->scale, arg->zero, out);
    *out = arg->value != BP_NONE ? facts->quants[arg->value] : (struct bp_nn_quant){0, 0};
    return out->scale != 0;
}

/* ---- units ----------------------------------------------------------------------------------- */

/* DequantizeLinear that makes the value, or NULL. */
static const bp_node *dequantize_of(const bp_graph *graph, uint32_t value)
{
    uint32_t producer = value == BP_NONE ? BP_NONE : BP_VALUE(graph, value)->producer;
    const bp_node *node = producer == BP_NONE ? NULL : BP_NODE(graph, producer);

    return node && is_op(node, "", "DequantizeLinear") && input_of(node, 0) != BP_NONE ? node
                                                                                       : NULL;
}

/* How many inputs of the middle of a QDQ unit are data; 0: it is none. */
static uint32_t data_of_middle(const bp_node *node)
{
    for (uint32_t i = 0; i < COUNT(middles); i++) {
        if (is_op(node, "", middles[i].op))
            return middles[i].n_data == 0 || middles[i].n_data > node->n_in ? node->n_in
                                                                            : middles[i].n_data;
    }
    return 0;
}

/* The QuantizeLinear of a QDQ unit around the node, or BP_NONE. */
static uint32_t find_quantize(const struct bp_nn_facts *facts, const bp_node *node)
{
    uint32_t n = data_of_middle(node), out = output_of(node), reader;

    if (n == 0 || out == BP_NONE || facts->uses[out] != 1)
        return BP_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (node->in[i] != BP_NONE && !dequantize_of(facts->graph, node->in[i]))
            return BP_NONE;
    }
    reader = facts->reader[out];
    if (reader == BP_NONE || !is_op(BP_NODE(facts->graph, reader), "", "QuantizeLinear") ||
        input_of(BP_NODE(facts->graph, reader), 0) != out ||
        output_of(BP_NODE(facts->graph, reader)) == BP_NONE)
        return BP_NONE;
    return reader;
}

static void fill_qdq(const struct bp_nn_facts *facts, struct bp_nn_unit *unit)
{
    const bp_node *quantize = BP_NODE(facts->graph, unit->quantize);

    unit->is_qdq = true;
    unit->n_in = data_of_middle(unit->node);
    for (uint32_t i = 0; i < unit->n_in; i++) {
        const bp_node *from = dequantize_of(facts->graph, unit->node->in[i]);

        if (from)
            unit->in[i] = (struct bp_nn_arg){from->in[0], input_of(from, 1), input_of(from, 2),
                                             true, bp_node_int(facts->graph, from, "axis", 1)};
    }
    unit->out = (struct bp_nn_arg){output_of(quantize), input_of(quantize, 1),
                                   input_of(quantize, 2), true, 0};
}

/* An operator with scales among its inputs. False: it is none. */
static bool fill_qlinear(struct bp_nn_unit *unit)
{
    const bp_node *node = unit->node;
    uint32_t row = 0;

    while (row < COUNT(qlinear) && !is_op(node, qlinear[row].domain, qlinear[row].op))
        row++;
    if (row == COUNT(qlinear))
        return false;
    unit->n_in = qlinear[row].n_data;
    for (uint32_t i = 0; i < unit->n_in; i++) {
        uint32_t at = qlinear[row].data[i];
        bool has_scale = at != 8; /* a bias is of int32, of scale x * w */

        unit->in[i] =
            (struct bp_nn_arg){input_of(node, at), has_scale ? input_of(node, at + 1) : BP_NONE,
                               has_scale ? input_of(node, at + 2) : BP_NONE, true, 0};
    }
    unit->out = (struct bp_nn_arg){output_of(node), input_of(node, qlinear[row].out_scale),
                                   input_of(node, qlinear[row].out_scale + 1), true, 0};
    return true;
}

static bool is_bytes(const bp_graph *graph, uint32_t value)
{
    return value != BP_NONE && BP_VALUE(graph, value)->dtype == BP_DTYPE_U8;
}

bool bp_nn_facts_unit(const struct bp_nn_facts *facts, uint32_t index, struct bp_nn_unit *out)
{
    const bp_node *node = BP_NODE(facts->graph, index);

    *out = (struct bp_nn_unit){.node = node, .index = index};
    out->in = bp_blocks_array(facts->memory, node->n_in + 3u, sizeof *out->in);
    if (!out->in)
        return false;
    for (uint32_t i = 0; i < node->n_in + 3u; i++)
        out->in[i] = (struct bp_nn_arg){BP_NONE, BP_NONE, BP_NONE, false, 0};
    out->quantize = find_quantize(facts, node);
    if (out->quantize != BP_NONE) {
        fill_qdq(facts, out);
        return true;
    }
    if (fill_qlinear(out))
        return true;
    out->n_in = node->n_in;
    for (uint32_t i = 0; i < node->n_in; i++)
        out->in[i] = (struct bp_nn_arg){node->in[i], BP_NONE, BP_NONE,
                                        is_bytes(facts->graph, node->in[i]), 0};
    out->out = (struct bp_nn_arg){output_of(node), BP_NONE, BP_NONE,
                                  is_bytes(facts->graph, output_of(node)), 0};
    if (is_op(node, "", "QuantizeLinear")) {
        out->n_in = node->n_in > 0;
        out->out.scale = input_of(node, 1);
        out->out.zero = input_of(node, 2);
    } else if (is_op(node, "", "DequantizeLinear")) {
        out->n_in = node->n_in > 0;
        out->in[0].scale = input_of(node, 1);
        out->in[0].zero = input_of(node, 2);
    }
    return true;
}

/* ---- the whole graph ------------------------------------------------------------------------- */

static void count_uses(struct bp_nn_facts *facts)
{
    const bp_graph *graph = facts->graph;

    for (uint32_t i = 0; i < graph->n_values; i++)
        facts->reader[i] = BP_NONE;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(graph, i);

        for (uint32_t k = 0; k < node->n_in; k++) {
            if (node->in[k] == BP_NONE)
                continue;
            facts->uses[node->in[k]]++;
            facts->reader[node->in[k]] = i;
        }
        for (uint32_t k = 0; k < node->n_captures; k++)
            facts->uses[node->captures[k]] += 2; /* a subgraph reads it: never a unit's inside */
    }
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        facts->uses[graph->outputs[i]]++;
        facts->reader[graph->outputs[i]] = BP_NONE;
    }
}

/* Nodes of units, and DequantizeLinear that others read too. */
static bool find_units(struct bp_nn_facts *facts)
{
    const bp_graph *graph = facts->graph;
    uint32_t *reads = bp_blocks_array(facts->memory, graph->n_values, sizeof *reads);

    if (!reads)
        return false;
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        facts->unit_of[i] = i;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(graph, i);
        uint32_t quantize = find_quantize(facts, node);

        for (uint32_t k = 0; quantize != BP_NONE && k < data_of_middle(node); k++) {
            if (node->in[k] == BP_NONE)
                continue;
            reads[node->in[k]]++;
            facts->unit_of[BP_VALUE(graph, node->in[k])->producer] = i;
        }
        if (quantize != BP_NONE)
            facts->unit_of[quantize] = i;
    }
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(graph, i);

        if (is_op(node, "", "DequantizeLinear") && output_of(node) != BP_NONE)
            facts->is_shared[i] = facts->uses[node->out[0]] > reads[node->out[0]];
    }
    return true;
}

static void learn(struct bp_nn_facts *facts, const struct bp_nn_arg *arg)
{
    struct bp_nn_quant quant;

    if (arg->value != BP_NONE && arg->scale != BP_NONE && facts->quants[arg->value].scale == 0 &&
        read_quant(facts, arg->scale, arg->zero, &quant))
        facts->quants[arg->value] = quant;
}

/* What hands on bytes as they are: their scale comes with them. */
static bool moves_bytes(const bp_node *node)
{
    return is_op(node, "", "Transpose") || is_op(node, "", "Resize") || is_op(node, "", "Concat") ||
           is_op(node, "", "MaxPool");
}

/* Producers tell the scale of what they make; readers that of what is made nowhere here. */
static bool find_quants(struct bp_nn_facts *facts)
{
    const bp_graph *graph = facts->graph;
    struct bp_nn_unit unit;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        if (!bp_nn_facts_unit(facts, i, &unit))
            return false;
        learn(facts, &unit.out);
        if (!unit.is_qdq && unit.out.is_quantized && moves_bytes(unit.node) &&
            unit.in[0].value != BP_NONE && unit.out.value != BP_NONE)
            facts->quants[unit.out.value] = facts->quants[unit.in[0].value];
        for (uint32_t k = 0; k < unit.n_in; k++) {
            if (unit.in[k].value != BP_NONE &&
                BP_VALUE(graph, unit.in[k].value)->producer == BP_NONE)
                learn(facts, &unit.in[k]);
        }
    }
    return true;
}

bool bp_nn_facts_init(struct bp_nn_facts *facts, const bp_instance *instance, const bp_graph *graph,
                      struct bp_blocks *memory)
{
    *facts = (struct bp_nn_facts){.instance = instance, .graph = graph, .memory = memory};
    facts->uses = bp_blocks_array(memory, graph->n_values, sizeof *facts->uses);
    facts->reader = bp_blocks_array(memory, graph->n_values, sizeof *facts->reader);
    facts->quants = bp_blocks_array(memory, graph->n_values, sizeof *facts->quants);
    facts->unit_of = bp_blocks_array(memory, graph->n_nodes, sizeof *facts->unit_of);
    facts->is_shared = bp_blocks_array(memory, graph->n_nodes, sizeof *facts->is_shared);
    if (!facts->uses || !facts->reader || !facts->quants || !facts->unit_of || !facts->is_shared)
        return false;
    count_uses(facts);
    return find_units(facts) && find_quants(facts);
}
