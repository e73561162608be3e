/* SPDX-License-Identifier: MIT */
/* gradient_rules.c - derivatives, one rule an operator: dx from dy, x and y. */

#include "config.h"

#include "graph/expand/gradient_rules.h"

#include <string.h>

/* A node whose output's gradient is known. */
struct step {
    struct bp_gradient *g;
    const struct bp_ir_node *node;
    uint32_t dy, y;
    uint32_t a, b; /* inputs 0 and 1; BP_NONE: absent */
    const char *why;
};

typedef void (*rule_fn)(struct step *s);

static uint32_t mul(struct step *s, uint32_t a, uint32_t b)
{
    return BP_EMIT(s->g, "Mul", a, b);
}

static uint32_t negate(struct step *s, uint32_t a)
{
    return BP_EMIT(s->g, "Neg", a);
}

/* dx of an operator of one input. */
static void give(struct step *s, uint32_t dx)
{
    bp_gradient_add(s->g, s->a, dx, false);
}

/* ---- element by element ---------------------------------------------------------------------- */

/* y = a + b: da = dy, db = dy. */
static void rule_add(struct step *s)
{
    bp_gradient_add(s->g, s->a, s->dy, true);
    bp_gradient_add(s->g, s->b, s->dy, true);
}

/* y = a - b: da = dy, db = -dy. */
static void rule_sub(struct step *s)
{
    bp_gradient_add(s->g, s->a, s->dy, true);
    bp_gradient_add(s->g, s->b, negate(s, s->dy), true);
}

/* y = a * b: da = dy * b, db = dy * a. */
static void rule_mul(struct step *s)
{
    bp_gradient_add(s->g, s->a, mul(s, s->dy, s->b), true);
    bp_gradient_add(s->g, s->b, mul(s, s->dy, s->a), true);
}

/* y = a / b: da = dy / b, db = -da * y. */
static void rule_div(struct step *s)
{
    uint32_t da = BP_EMIT(s->g, "Div", s->dy, s->b);

    bp_gradient_add(s->g, s->a, da, true);
    bp_gradient_add(s->g, s->b, negate(s, mul(s, da, s->y)), true);
}

/* b * a^(b-1), and a^b * log(a) */
static void rule_pow(struct step *s)
{
    uint32_t less = BP_EMIT(s->g, "Sub", s->b, bp_gradient_fill(s->g, 1, s->b));
    uint32_t slope = mul(s, s->b, BP_EMIT(s->g, "Pow", s->a, less));

    bp_gradient_add(s->g, s->a, mul(s, s->dy, slope), true);
    bp_gradient_add(s->g, s->b, mul(s, mul(s, s->dy, s->y), BP_EMIT(s->g, "Log", s->a)), true);
}

/* y = a + b + ...: each gets dy. */
static void rule_sum(struct step *s)
{
    for (uint32_t i = 0; i < s->node->n_in; i++)
        bp_gradient_add(s->g, s->node->in[i], s->dy, true);
}

/* y = a: da = dy. */
static void rule_identity(struct step *s)
{
    give(s, s->dy);
}

/* y = -a: da = -dy. */
static void rule_neg(struct step *s)
{
    give(s, negate(s, s->dy));
}

/* y = |a|: da = dy * sign(a), which is 0 at 0. */
static void rule_abs(struct step *s)
{
    give(s, mul(s, s->dy, BP_EMIT(s->g, "Sign", s->a)));
}

/* y = exp(a): da = dy * y. */
static void rule_exp(struct step *s)
{
    give(s, mul(s, s->dy, s->y));
}

/* y = log(a): da = dy / a. */
static void rule_log(struct step *s)
{
    give(s, BP_EMIT(s->g, "Div", s->dy, s->a));
}

/* y = sqrt(a): da = dy / (2 * y). */
static void rule_sqrt(struct step *s)
{
    give(s, BP_EMIT(s->g, "Div", s->dy, BP_EMIT(s->g, "Add", s->y, s->y)));
}

/* y = 1 / a: da = -dy * y^2. */
static void rule_reciprocal(struct step *s)
{
    give(s, negate(s, mul(s, s->dy, mul(s, s->y, s->y))));
}

/* y = sin(a): da = dy * cos(a). */
static void rule_sin(struct step *s)
{
    give(s, mul(s, s->dy, BP_EMIT(s->g, "Cos", s->a)));
}

/* y = cos(a): da = -dy * sin(a). */
static void rule_cos(struct step *s)
{
    give(s, negate(s, mul(s, s->dy, BP_EMIT(s->g, "Sin", s->a))));
}

/* The sign of y is 1 where x was above 0, else 0. */
static void rule_relu(struct step *s)
{
    give(s, mul(s, s->dy, BP_EMIT(s->g, "Sign", s->y)));
}

/* y = sigmoid(a): da = dy * (y - y^2). */
static void rule_sigmoid(struct step *s)
{
    give(s, mul(s, s->dy, BP_EMIT(s->g, "Sub", s->y, mul(s, s->y, s->y))));
}

/* y = tanh(a): da = dy - dy * y^2. */
static void rule_tanh(struct step *s)
{
    give(s, BP_EMIT(s->g, "Sub", s->dy, mul(s, s->dy, mul(s, s->y, s->y))));
}

/* y = log(1 + exp(a)): da = dy * sigmoid(a). */
static void rule_softplus(struct step *s)
{
    give(s, mul(s, s->dy, BP_EMIT(s->g, "Sigmoid", s->a)));
}

/* ---- products -------------------------------------------------------------------------------- */

/* x with its last two dimensions exchanged, by a product with transposed factor and one as such. */
static uint32_t product(struct step *s, uint32_t a, bool transposes_a, uint32_t b,
                        bool transposes_b)
{
    static const int64_t perm[] = {1, 0};

    if (transposes_a)
        a = bp_gradient_emit_ints(s->g, "Transpose", a, "perm", perm, 2);
    if (transposes_b)
        b = bp_gradient_emit_ints(s->g, "Transpose", b, "perm", perm, 2);
    return BP_EMIT(s->g, "MatMul", a, b);
}

/* Matrices only: what is declared or a constant has to have rank 2. */
static bool is_matrix(const struct step *s, uint32_t value)
{
    const struct bp_ir_value *row = &s->g->emit.ir->values[value];

    if (row->data)
        return row->data->rank == 2;
    return row->declared.rank == 2 || row->declared.rank == BP_RANK_UNKNOWN;
}

/* Y = A x B: dA = dY x B^T, dB = A^T x dY. */
static void rule_matmul(struct step *s)
{
    if (!is_matrix(s, s->a) || !is_matrix(s, s->b)) {
        s->why = "of factors that are not matrices";
        return;
    }
    bp_gradient_add(s->g, s->a, product(s, s->dy, false, s->b, true), false);
    bp_gradient_add(s->g, s->b, product(s, s->a, true, s->dy, false), false);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The elements stay in order: dy takes the shape of a again. */
static void rule_reshape(struct step *s)
{
    give(s, BP_EMIT(s->g, "Reshape", s->dy, BP_EMIT(s->g, "Shape", s->a)));
}

/* The inverse permutation. */
static void rule_transpose(struct step *s)
{
    uint32_t n;
    const int64_t *perm = bp_ir_attr_ints(s->node, "perm", &n);
    int64_t back[BP_MAX_RANK];

    if (!perm) { /* reversed, and so is its inverse */
        give(s, BP_EMIT(s->g, "Transpose", s->dy));
        return;
    }
    for (uint32_t i = 0; i < n && n <= BP_MAX_RANK; i++) {
        if (perm[i] < 0 || perm[i] >= n) {
            s->why = "with such a perm";
            return;
        }
        back[perm[i]] = i;
    }
    give(s, bp_gradient_emit_ints(s->g, "Transpose", s->dy, "perm", back, n));
}

/* The sum over the copies that Expand made. */
static void rule_expand(struct step *s)
{
    bp_gradient_add(s->g, s->a, s->dy, true);
}

/* Sums and means over dimensions that stay, with size 1. */
static void rule_reduce(struct step *s)
{
    uint32_t shape = BP_EMIT(s->g, "Shape", s->a);
    uint32_t dx = s->dy;

    if (bp_ir_attr_int(s->node, "keepdims", 1) == 0) {
        s->why = "with keepdims=0";
        return;
    }
    if (strcmp(s->node->op, "ReduceMean") == 0) {
        uint32_t ratio =
            BP_EMIT(s->g, "Div", BP_EMIT(s->g, "Size", s->a), BP_EMIT(s->g, "Size", s->y));

        dx = BP_EMIT(s->g, "Div", dx, BP_EMIT(s->g, "CastLike", ratio, dx));
    }
    give(s, BP_EMIT(s->g, "Expand", dx, shape));
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    const char *op;
    rule_fn rule;
} rules[] = {
    {"Abs", rule_abs},
    {"Add", rule_add},
    {"Cos", rule_cos},
    {"Div", rule_div},
    {"Exp", rule_exp},
    {"Expand", rule_expand},
    {"Flatten", rule_reshape},
    {"Identity", rule_identity},
    {"Log", rule_log},
    {"MatMul", rule_matmul},
    {"Mul", rule_mul},
    {"Neg", rule_neg},
    {"Pow", rule_pow},
    {"Reciprocal", rule_reciprocal},
    {"ReduceMean", rule_reduce},
    {"ReduceSum", rule_reduce},
    {"Relu", rule_relu},
    {"Reshape", rule_reshape},
    {"Sigmoid", rule_sigmoid},
    {"Sin", rule_sin},
    {"Softplus", rule_softplus},
    {"Sqrt", rule_sqrt},
    {"Squeeze", rule_reshape},
    {"Sub", rule_sub},
    {"Sum", rule_sum},
    {"Tanh", rule_tanh},
    {"Transpose", rule_transpose},
    {"Unsqueeze", rule_reshape},
};

/* Operators of ONNX with one output; others have no rule. */
bool bp_gradient_of_node(struct bp_gradient *g, const struct bp_ir_node *node, uint32_t dy,
                         const char **why)
{
    struct step s = {.g = g, .node = node, .dy = dy, .a = BP_NONE, .b = BP_NONE};

    *why = NULL;
    if (node->domain[0] != '\0' || node->n_out != 1 || node->n_in < 1)
        return false;
    s.y = node->out[0];
    s.a = node->in[0];
    s.b = node->n_in > 1 ? node->in[1] : BP_NONE;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rules[i].op, node->op) != 0)
            continue;
        rules[i].rule(&s);
        *why = s.why;
        return s.why == NULL;
    }
    return false;
}
