/* SPDX-License-Identifier: MIT */
/*
 * drop_no_ops.c - x -> node -> readers becomes x -> readers, where the node changes nothing.
 *
 * Each row of the table has an operator and the condition under which its output equals its input:
 * Cast to the same type, Reshape to the same shape, Transpose with the identity permutation...
 * Bits: unchanged.
 */

#include "config.h"

#include "optimize/passes.h"

enum { MOST_AXES = 64 }; /* elements of shapes, pads and steps that are looked at */

/* Types must be known; Cast between equal types is a copy. */
static bool keeps_type(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    uint32_t from = rw->facts[node->in[0]].dtype;

    return from != BP_DTYPE_NONE && from == rw->facts[node->out[0]].dtype;
}

static bool keeps_shape(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    return bp_rw_same_shape(rw, node->in[0], node->out[0]);
}

/* Without `perm` a Transpose reverses the axes, so that is not a no-op. */
static bool keeps_order(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    uint32_t n;
    const int64_t *perm = bp_ir_attr_ints(node, "perm", &n);

    (void)rw;
    for (uint32_t i = 0; i < n; i++) {
        if (perm[i] != (int64_t)i)
            return false;
    }
    return perm != NULL;
}

/* Dropout copies its input unless it trains: an input since opset 12, an attribute before 7. */
static bool is_inference(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    int64_t training = 0;
    uint32_t n;

    if (node->schema->since < 7)
        return bp_ir_attr_int(node, "is_test", 0) != 0;
    if (bp_rw_in(node, 2) == BP_NONE)
        return true;
    return bp_rw_ints(rw, node->in[2], &training, 1, &n) && n == 1 && training == 0;
}

static bool is_all_zero(const struct bp_rewrite *rw, uint32_t value)
{
    int64_t elements[2 * MOST_AXES];
    uint32_t n;

    if (!bp_rw_ints(rw, value, elements, 2 * MOST_AXES, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (elements[i] != 0)
            return false;
    }
    return true;
}

/* `pads` is an attribute before opset 11, an input from then on. */
static bool pads_nothing(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    uint32_t n;
    const int64_t *pads = bp_ir_attr_ints(node, "pads", &n);

    if (node->schema->since >= 11)
        return is_all_zero(rw, bp_rw_in(node, 1));
    for (uint32_t i = 0; i < n; i++) {
        if (pads[i] != 0)
            return false;
    }
    return pads != NULL;
}

/* Concat, Max, Mean, Min and Sum of one operand return it. */
static bool is_alone(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    (void)rw;
    return node->n_in == 1;
}

/* With steps of 1, a Slice that has as many elements as its input has all of them, in order. */
static bool takes_all(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    int64_t steps[MOST_AXES];
    uint32_t n = 0;

    if (!keeps_shape(rw, node))
        return false;
    if (bp_rw_in(node, 4) != BP_NONE && !bp_rw_ints(rw, node->in[4], steps, MOST_AXES, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (steps[i] != 1)
            return false;
    }
    return true;
}

static bool repeats_once(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    int64_t repeats[MOST_AXES];
    uint32_t n;

    if (node->schema->since < 6 || !bp_rw_ints(rw, bp_rw_in(node, 1), repeats, MOST_AXES, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (repeats[i] != 1)
            return false;
    }
    return true;
}

static const struct rule {
    const char *op;
    bool (*is_no_op)(const struct bp_rewrite *rw, const struct bp_ir_node *node); /* NULL: it is */
} rules[] = {
    {"Cast", keeps_type},       {"Concat", is_alone},       {"Dropout", is_inference},
    {"Expand", keeps_shape},    {"Flatten", keeps_shape},   {"Identity", NULL},
    {"Max", is_alone},          {"Mean", is_alone},         {"Min", is_alone},
    {"Pad", pads_nothing},      {"Reshape", keeps_shape},   {"Slice", takes_all},
    {"Squeeze", keeps_shape},   {"Sum", is_alone},          {"Tile", repeats_once},
    {"Transpose", keeps_order}, {"Unsqueeze", keeps_shape},
};

enum { N_RULES = sizeof rules / sizeof rules[0] };

/* The key of each rule, and a set of their upper 6 bits that rejects most nodes with one test. */
struct keys {
    uint32_t of[N_RULES];
    uint64_t bits;
};

static uint64_t bit_of(uint32_t key)
{
    return UINT64_C(1) << (key >> 26);
}

/* The rule of a node, or NULL; operators of other domains have none. */
static const struct rule *find_rule(const struct bp_rewrite *rw, uint32_t n,
                                    const struct keys *keys)
{
    uint32_t key = rw->nodes.key[n];

    if (!(keys->bits & bit_of(key)))
        return NULL;
    for (size_t i = 0; i < N_RULES; i++) {
        if (keys->of[i] == key)
            return rw->nodes.flags[n] & BP_RW_FOREIGN ? NULL : &rules[i];
    }
    return NULL;
}

static bool is_no_op(const struct bp_rewrite *rw, uint32_t n, const struct keys *keys)
{
    const struct rule *rule = find_rule(rw, n, keys);
    uint32_t out = rw->nodes.out[n];

    return rule && bp_rw_input(rw, n, 0) != BP_NONE && out != BP_NONE && bp_rw_one_output(rw, n) &&
           (rw->values.count[out] > 0 || rw->values.flags[out] & BP_IR_OUTPUT) &&
           (!rule->is_no_op || rule->is_no_op(rw, bp_rw_node(rw, n)));
}

bp_rc bp_pass_drop_no_ops(struct bp_rewrite *rw, bp_err *err)
{
    struct keys keys = {.bits = 0};

    (void)err;
    for (size_t i = 0; i < N_RULES; i++) {
        keys.of[i] = bp_rw_key(rules[i].op);
        keys.bits |= bit_of(keys.of[i]);
    }
    for (uint32_t n = 0; n < rw->ir->n_nodes; n++) {
        if (is_no_op(rw, n, &keys) && bp_rw_replace(rw, rw->nodes.out[n], bp_rw_input(rw, n, 0)))
            rw->n_matches++;
    }
    return BP_OK;
}
