/* SPDX-License-Identifier: MIT */
/* node_cost.c - estimates how long a core needs for a node without a cost; see reassign.h. */

#include "config.h"

#include <string.h>

#include "plan/reassign.h"

/* Rates of a common core with vectors of eight float32. */
#define PRODUCTS_PER_NS 16.0
#define BYTES_PER_NS 8.0
#define NODE_NS 500.0

/* Returns the elements of a value; less than 0: unknown, or no tensor. */
static double elements(const struct bp_fact *fact)
{
    double n = 1;

    if (fact->kind != BP_KIND_TENSOR || !bp_fact_is_exact(fact))
        return -1;
    for (uint32_t d = 0; d < fact->rank; d++)
        n *= (double)fact->dims[d].value;
    return n;
}

double bp_fact_bytes(const struct bp_fact *fact)
{
    uint32_t bits = bp_dtype_width(fact->dtype);
    double n = elements(fact);

    return bits == 0 || n < 0 ? -1 : n * bits / 8;
}

static bool is_one_of(const char *op, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(*list, op) == 0)
            return true;
    }
    return false;
}

/* Returns how many products make one element of the result; less than 0: not such an operator. */
static double products(const struct bp_ir_node *node, const struct bp_fact *facts)
{
    static const char *const matmuls[] = {"MatMul", "FusedMatMul", NULL};
    static const char *const gemms[] = {"Gemm", "FusedGemm", NULL};
    static const char *const convs[] = {"Conv", "FusedConv", NULL};
    const struct bp_fact *a, *b;

    if (node->n_in < 2 || node->in[0] == BP_NONE || node->in[1] == BP_NONE)
        return -1;
    a = &facts[node->in[0]];
    b = &facts[node->in[1]];
    if (!bp_fact_is_exact(a) || !bp_fact_is_exact(b) || a->rank == 0 || b->rank == 0)
        return -1;
    if (is_one_of(node->op, matmuls))
        return (double)a->dims[a->rank - 1].value;
    if (is_one_of(node->op, gemms))
        return (double)a->dims[bp_ir_attr_int(node, "transA", 0) ? 0 : a->rank - 1].value;
    if (is_one_of(node->op, convs) && b->dims[0].value > 0)
        return elements(b) / (double)b->dims[0].value;
    return -1;
}

/* Operators that read their elements once or twice. */
static bool is_light(const char *op)
{
    static const char *const light[] = {
        "Abs",       "Add",       "And",        "BatchNormalization",
        "Cast",      "Ceil",      "Clip",       "Concat",
        "Div",       "Equal",     "Expand",     "Flatten",
        "Floor",     "Gather",    "Greater",    "Identity",
        "LeakyRelu", "Less",      "Max",        "Min",
        "Mul",       "Neg",       "Not",        "Or",
        "Pad",       "PRelu",     "Reciprocal", "Relu",
        "Reshape",   "Shape",     "Slice",      "Split",
        "Sqrt",      "Squeeze",   "Sub",        "Sum",
        "Tile",      "Transpose", "Unsqueeze",  "Where",
        NULL};

    return is_one_of(op, light);
}

/* Returns the bytes that the node reads and writes; less than 0: a size is unknown. */
static double traffic(const struct bp_ir_node *node, const struct bp_fact *facts)
{
    double sum = 0;

    for (uint32_t i = 0; i < node->n_in + node->n_out; i++) {
        uint32_t value = i < node->n_in ? node->in[i] : node->out[i - node->n_in];
        double bytes = value == BP_NONE ? 0 : bp_fact_bytes(&facts[value]);

        if (bytes < 0)
            return -1;
        sum += bytes;
    }
    return sum;
}

double bp_host_ns(const struct bp_ir *ir, const struct bp_fact *facts, uint32_t n)
{
    const struct bp_ir_node *node = &ir->nodes[n];
    double bytes = traffic(node, facts), each = products(node, facts);

    if (bytes < 0 || node->n_out == 0 || node->out[0] == BP_NONE ||
        (each < 0 && !is_light(node->op)))
        return -1;
    return NODE_NS + bytes / BYTES_PER_NS +
           (each < 0 ? 0 : each * elements(&facts[node->out[0]]) / PRODUCTS_PER_NS);
}
