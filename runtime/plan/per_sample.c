/* SPDX-License-Identifier: MIT */
/* per_sample.c - see per_sample.h: a rule for each operator that keeps samples apart. */

#include "config.h"

#include "plan/per_sample.h"

#include <string.h>

#include "graph/schema.h"

/* A walk over a group. */
struct walk {
    const struct bp_ir *ir;
    const struct bp_fact *facts;
    bool *has_batch;
    int64_t batch; /* -1: no value has told yet */
};

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_constant(const struct walk *w, uint32_t value)
{
    return (w->ir->values[value].flags & BP_IR_CONSTANT) != 0;
}

/* A tensor of numbers whose first dimension is the batch. */
static bool begins_with_batch(const struct walk *w, uint32_t value)
{
    const struct bp_fact *fact = &w->facts[value];

    return fact->kind == BP_KIND_TENSOR && fact->dtype != BP_DTYPE_STRING &&
           fact->rank != BP_RANK_UNKNOWN && fact->rank > 0 && bp_sym_known(fact->dims[0]) &&
           fact->dims[0].value == w->batch;
}

/* Input i of the node: a constant or absent. */
static bool is_fixed(const struct walk *w, const struct bp_ir_node *node, uint32_t i)
{
    return i >= node->n_in || node->in[i] == BP_NONE || is_constant(w, node->in[i]);
}

static bool has_batch(const struct walk *w, const struct bp_ir_node *node, uint32_t i)
{
    return i < node->n_in && node->in[i] != BP_NONE && w->has_batch[node->in[i]];
}

static const struct bp_fact *fact_of(const struct walk *w, const struct bp_ir_node *node,
                                     uint32_t i)
{
    return &w->facts[node->in[i]];
}

/* Are inputs `from` and later fixed? */
static bool are_fixed(const struct walk *w, const struct bp_ir_node *node, uint32_t from)
{
    for (uint32_t i = from; i < node->n_in; i++) {
        if (!is_fixed(w, node, i))
            return false;
    }
    return true;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Elements that are computed alone. Constants must not differ from sample to sample. */
static bool elementwise(const struct walk *w, const struct bp_ir_node *node)
{
    uint32_t rank = w->facts[node->out[0]].rank;

    if (node->n_out != 1)
        return false;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_fact *fact;

        if (node->in[i] == BP_NONE)
            continue;
        fact = fact_of(w, node, i);
        if (has_batch(w, node, i)
                ? fact->rank != rank
                : fact->rank > rank || (fact->rank == rank && rank > 0 && fact->dims[0].value != 1))
            return false;
    }
    return true;
}

/*
 * Samples of input 0, weights and settings in constants. One output: indices of MaxPool count through
 * the whole batch, and BatchNormalization in training takes means over it.
 */
static bool first(const struct walk *w, const struct bp_ir_node *node)
{
    return node->n_out == 1 && has_batch(w, node, 0) && are_fixed(w, node, 1) &&
           bp_ir_attr_int(node, "training_mode", 0) == 0;
}

/* The same, with an addend of the output's shape as input 3. */
static bool fused_conv(const struct walk *w, const struct bp_ir_node *node)
{
    return has_batch(w, node, 0) && is_fixed(w, node, 1) && is_fixed(w, node, 2) &&
           are_fixed(w, node, 4) &&
           (node->n_in < 4 || node->in[3] == BP_NONE ||
            (has_batch(w, node, 3) && fact_of(w, node, 3)->rank == fact_of(w, node, 0)->rank));
}

/* One scale and zero point for all, or along another axis. */
static bool quantize(const struct walk *w, const struct bp_ir_node *node)
{
    int64_t axis = bp_ir_attr_int(node, "axis", 1);

    return first(w, node) && bp_ir_attr_int(node, "block_size", 0) == 0 &&
           (fact_of(w, node, 1)->rank == 0 ||
            (axis != 0 && axis != -(int64_t)fact_of(w, node, 0)->rank));
}

/* Rows of the first matrix; the others are constants, and an addend is the same for all rows. */
static bool gemm(const struct walk *w, const struct bp_ir_node *node)
{
    return first(w, node) && bp_ir_attr_int(node, "transA", 0) == 0 &&
           (node->n_in < 3 || node->in[2] == BP_NONE || fact_of(w, node, 2)->rank < 2 ||
            fact_of(w, node, 2)->dims[0].value == 1);
}

static bool matmul(const struct walk *w, const struct bp_ir_node *node)
{
    return first(w, node) && fact_of(w, node, 0)->rank >= 2 && fact_of(w, node, 1)->rank == 2;
}

/* Along an axis that is not the batch's. */
static bool along_axis(const struct walk *w, const struct bp_ir_node *node, int64_t def)
{
    int64_t axis = bp_ir_attr_int(node, "axis", def);

    return axis != 0 && axis != -(int64_t)fact_of(w, node, 0)->rank;
}

/* Before version 13 the axis divides the dimensions in two, and the default is 1. */
static bool softmax(const struct walk *w, const struct bp_ir_node *node)
{
    return first(w, node) && along_axis(w, node, node->schema->since >= 13 ? -1 : 1);
}

static bool concat(const struct walk *w, const struct bp_ir_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        if (!has_batch(w, node, i))
            return false;
    }
    return along_axis(w, node, 0);
}

static bool split(const struct walk *w, const struct bp_ir_node *node)
{
    return has_batch(w, node, 0) && are_fixed(w, node, 1) && along_axis(w, node, 0);
}

static bool transpose(const struct walk *w, const struct bp_ir_node *node)
{
    uint32_t n = 0;
    const int64_t *perm = bp_ir_attr_ints(node, "perm", &n);

    return first(w, node) && n > 0 && perm[0] == 0;
}

/* Elements stay in their order, and so the batch first if its size is the first of both shapes. */
static bool same_order(const struct walk *w, const struct bp_ir_node *node)
{
    return first(w, node);
}

/* Axes by attribute, or the elements of a constant; none means all. */
static bool reduce(const struct walk *w, const struct bp_ir_node *node)
{
    uint32_t n = 0;
    const int64_t *axes = bp_ir_attr_ints(node, "axes", &n);
    const struct bp_fact *given =
        node->n_in > 1 && node->in[1] != BP_NONE ? fact_of(w, node, 1) : NULL;
    int64_t rank = fact_of(w, node, 0)->rank;

    if (!first(w, node) || (given && !given->content))
        return false;
    if (given)
        n = given->n_content;
    for (uint32_t i = 0; i < n; i++) {
        int64_t axis = given ? given->content[i].value : axes[i];

        if (axis == 0 || axis == -rank)
            return false;
    }
    return n > 0;
}

/* Scales only: sizes would name the batch's. */
static bool resize(const struct walk *w, const struct bp_ir_node *node)
{
    return first(w, node) && node->n_in <= 3;
}

/* ---- operators ------------------------------------------------------------------------------- */

typedef bool rule_fn(const struct walk *w, const struct bp_ir_node *node);

static const struct rule {
    const char *op;
    rule_fn *apply;
} rules[] = {
    {"Abs", elementwise},
    {"Add", elementwise},
    {"AveragePool", first},
    {"BatchNormalization", first},
    {"Cast", elementwise},
    {"Clip", elementwise},
    {"Concat", concat},
    {"Conv", first},
    {"ConvTranspose", first},
    {"DequantizeLinear", quantize},
    {"Div", elementwise},
    {"Elu", elementwise},
    {"Erf", elementwise},
    {"Exp", elementwise},
    {"Flatten", same_order},
    {"FusedConv", fused_conv},
    {"Gelu", elementwise},
    {"Gemm", gemm},
    {"GlobalAveragePool", first},
    {"GlobalMaxPool", first},
    {"HardSigmoid", elementwise},
    {"HardSwish", elementwise},
    {"Identity", elementwise},
    {"InstanceNormalization", first},
    {"LRN", first},
    {"LeakyRelu", elementwise},
    {"MatMul", matmul},
    {"Max", elementwise},
    {"MaxPool", first},
    {"Min", elementwise},
    {"Mul", elementwise},
    {"Neg", elementwise},
    {"PRelu", elementwise},
    {"Pow", elementwise},
    {"QLinearConv", first},
    {"QLinearGlobalAveragePool", first},
    {"QuantizeLinear", quantize},
    {"QuickGelu", elementwise},
    {"ReduceMax", reduce},
    {"ReduceMean", reduce},
    {"ReduceSum", reduce},
    {"Relu", elementwise},
    {"Reshape", same_order},
    {"Resize", resize},
    {"Sigmoid", elementwise},
    {"Softmax", softmax},
    {"Softplus", elementwise},
    {"Split", split},
    {"Sqrt", elementwise},
    {"Squeeze", same_order},
    {"Sub", elementwise},
    {"Tanh", elementwise},
    {"Transpose", transpose},
    {"Unsqueeze", same_order},
};

/* Operators of applications and providers mean what they like. */
static rule_fn *rule_of(const struct bp_ir_node *node)
{
    size_t low = 0, high = sizeof rules / sizeof rules[0];

    if (!node->schema || node->schema->is_custom || node->schema->is_provider_op ||
        (node->schema->domain[0] && strcmp(node->schema->domain, "com.microsoft") != 0))
        return NULL;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(node->op, rules[middle].op);

        if (order == 0)
            return rules[middle].apply;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Inputs from outside the group tell the batch, or have it. */
static bool take_inputs(struct walk *w, const struct bp_ir_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        uint32_t value = node->in[i];

        if (value == BP_NONE || is_constant(w, value) || w->has_batch[value])
            continue;
        if (w->batch < 0 && w->facts[value].rank != BP_RANK_UNKNOWN && w->facts[value].rank > 0)
            w->batch = w->facts[value].dims[0].value;
        if (!begins_with_batch(w, value))
            return false;
        w->has_batch[value] = true;
    }
    return true;
}

static bool take_outputs(struct walk *w, const struct bp_ir_node *node)
{
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] == BP_NONE)
            continue;
        if (!begins_with_batch(w, node->out[i]))
            return false;
        w->has_batch[node->out[i]] = true;
    }
    return true;
}

bool bp_is_per_sample(const struct bp_ir *ir, const uint32_t *nodes, uint32_t n_nodes,
                      const struct bp_fact *facts, bool *has_batch_out, int64_t *batch)
{
    struct walk w = {.ir = ir, .facts = facts, .has_batch = has_batch_out, .batch = -1};
    bool ok = true;

    for (uint32_t i = 0; ok && i < n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[nodes[i]];
        rule_fn *rule = rule_of(node);

        ok = rule && node->n_out > 0 && node->out[0] != BP_NONE && take_inputs(&w, node) &&
             rule(&w, node) && take_outputs(&w, node);
    }
    *batch = w.batch;
    return ok && w.batch > 0;
}
