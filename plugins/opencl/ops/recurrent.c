/* SPDX-License-Identifier: MIT */
/*
 * recurrent.c - RNN, GRU and LSTM: for each direction a product of all steps with W, then one kernel
 * that goes through the steps.
 */

#include "ops/gemm.h"

enum { X, W, R, B, LENGTHS, INITIAL_H, INITIAL_C, P };
enum { MAX_FUNCTIONS = 3, GROUP = 64 };

/* bp_opencl_op.kind is the number of gates. */
enum { RNN = 1, GRU = 3, LSTM = 4 };

/* ---- activations ----------------------------------------------------------------------------- */

/* ALPHA and BETA are replaced; has: how many of them a function takes. */
static const struct function {
    const char *name; /* in lower case */
    uint32_t has;
    float alpha, beta;
    const char *expr;
} functions[] = {
    {"affine", 2, 1, 0, "alpha * v + beta"},
    {"elu", 1, 1, 0, "v < 0 ? alpha * expm1(v) : v"},
    {"hardsigmoid", 2, 0.2f, 0.5f, "fmin(1.0f, fmax(0.0f, alpha * v + beta))"},
    {"leakyrelu", 1, 0.01f, 0, "v < 0 ? alpha * v : v"},
    {"relu", 0, 0, 0, "v < 0 ? 0.0f : v"},
    {"scaledtanh", 2, 1, 1, "alpha * tanh_of(beta * v)"},
    {"sigmoid", 0, 0, 0, "sigmoid_of(v)"},
    {"softplus", 0, 0, 0, "softplus_of(v)"},
    {"softsign", 0, 0, 0, "v / (1.0f + fabs(v))"},
    {"tanh", 0, 0, 0, "tanh_of(v)"},
    {"thresholdedrelu", 1, 1, 0, "v > alpha ? v : 0.0f"},
};

enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

/* One of them with its numbers. */
struct activation {
    const struct function *function;
    float alpha, beta;
};

/* Compares without case, as models spell names in several ways. */
static const struct function *find_function(const char *chars, size_t n)
{
    for (uint32_t i = 0; i < N_FUNCTIONS; i++) {
        size_t k = 0;

        while (k < n && functions[i].name[k] && (chars[k] | 32) == functions[i].name[k])
            k++;
        if (k == n && functions[i].name[k] == '\0')
            return &functions[i];
    }
    return NULL;
}

/* The next number of a list, for a function that takes one. */
static float next_number(const bp_attr *list, bool is_wanted, float def, uint32_t *used)
{
    if (!is_wanted || !list || list->type != BP_ATTR_FLOAT || *used >= list->count)
        return def;
    return ((const float *)list->data)[(*used)++];
}

static uint32_t functions_of(const struct bp_opencl_op *op)
{
    return op->kind == LSTM ? 3 : op->kind == GRU ? 2 : 1;
}

/* Those of all directions; a sentence says what is wrong. */
static const char *read_activations(const struct bp_opencl_op *op, const bp_graph *graph,
                                    const bp_node *node, uint32_t count, struct activation *out)
{
    static const char *const defaults[2][MAX_FUNCTIONS] = {{"sigmoid", "tanh", "tanh"}, {"tanh"}};
    const bp_attr *names = bp_node_attr(graph, node, "activations");
    const bp_attr *alpha = bp_node_attr(graph, node, "activation_alpha");
    const bp_attr *beta = bp_node_attr(graph, node, "activation_beta");
    uint32_t n_alpha = 0, n_beta = 0, n = functions_of(op);

    if (names && (names->type != BP_ATTR_STRING || names->count == 0))
        names = NULL;
    if (names && names->count < count)
        return "there are fewer activations than the directions need";
    for (uint32_t i = 0; i < count; i++) {
        const char *def = defaults[op->kind == RNN][i % n];
        bp_span name = names ? ((const bp_span *)names->data)[i] : (bp_span){def, strlen(def)};
        const struct function *function = find_function(name.data, name.size);

        if (!function)
            return "an activation is not known";
        out[i] = (struct activation){
            function, next_number(alpha, function->has > 0, function->alpha, &n_alpha),
            next_number(beta, function->has > 1, function->beta, &n_beta)};
    }
    return NULL;
}

static void define_activation(struct bp_opencl_prefix *prefix, char name,
                              const struct activation *activation)
{
    uint32_t alpha, beta;

    memcpy(&alpha, &activation->alpha, sizeof alpha);
    memcpy(&beta, &activation->beta, sizeof beta);
    bp_opencl_define(prefix,
                     "float act_%c(float v)\n{\n    float alpha = as_float(0x%08xu), beta = "
                     "as_float(0x%08xu);\n    return %s;\n}",
                     name, (unsigned)alpha, (unsigned)beta, activation->function->expr);
}

/* ---- claim ----------------------------------------------------------------------------------- */

static bool is_direction(const bp_graph *graph, const bp_node *node, const char *name)
{
    return bp_node_string_is(graph, node, "direction", "forward", name);
}

/* 1 or 2; 0: the attribute is not known. "foward" is how version 1 of GRU spells its default. */
static uint32_t directions_of(const bp_graph *graph, const bp_node *node)
{
    if (is_direction(graph, node, "bidirectional"))
        return 2;
    return is_direction(graph, node, "forward") || is_direction(graph, node, "foward") ||
           is_direction(graph, node, "reverse");
}

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    struct activation activations[2 * MAX_FUNCTIONS];
    uint32_t directions = directions_of(query->graph, query->node);
    const char *fault;

    for (uint32_t i = X; i <= R; i++) {
        if (!bp_opencl_takes(query, i, op->types, 3, 3))
            return false;
    }
    if (!bp_opencl_takes_optional(query, B, op->types, 2, 2) ||
        !bp_opencl_takes_optional(query, LENGTHS, BP_OPENCL_I32, 1, 1) ||
        !bp_opencl_takes_optional(query, INITIAL_H, op->types, 3, 3) ||
        !bp_opencl_takes_optional(query, INITIAL_C, op->types, 3, 3) ||
        !bp_opencl_takes_optional(query, P, op->types, 2, 2))
        return false;
    if (directions == 0)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "direction",
                                "it is not forward, reverse or bidirectional");
    fault =
        read_activations(op, query->graph, query->node, directions * functions_of(op), activations);
    return !fault || bp_opencl_refuse(query, BP_R_ATTRIBUTE, "activations", "%s", fault);
}

/* ---- build ----------------------------------------------------------------------------------- */

/* As kernels know it: sizes_t of kernels/recurrent.cl. */
struct sizes {
    int32_t steps, hidden, gate_step, gate_batch, y_step, y_batch, state_batch, is_reverse;
};

struct layer {
    const struct bp_opencl_op *op;
    const bp_node *node;
    int64_t steps, batch, input, hidden, directions;
    bool is_batch_first;
    struct activation activations[2 * MAX_FUNCTIONS];
};

static struct bp_opencl_tensor part_of(const struct bp_opencl_tensor *tensor, int64_t first)
{
    struct bp_opencl_tensor part = *tensor;

    part.place.offset += (uint64_t)first * sizeof(float);
    return part;
}

/* x * W' for all steps of direction d, in x's order of steps and batch. */
static struct bp_opencl_tensor multiply(struct bp_opencl_builder *b, const struct layer *l,
                                        int64_t d)
{
    int64_t rows = l->steps * l->batch, n = l->op->kind * l->hidden;
    struct bp_opencl_tensor w = part_of(bp_opencl_in(b, l->node, W), d * n * l->input);
    struct bp_opencl_tensor gates = bp_opencl_scratch(b, BP_DTYPE_F32, rows * n);
    struct bp_opencl_gemm gemm = {.y = &gates,
                                  .a = bp_opencl_in(b, l->node, X),
                                  .b = &w,
                                  .m = rows,
                                  .n = n,
                                  .k = l->input,
                                  .n_batches = 1,
                                  .am = l->input,
                                  .ak = 1,
                                  .bk = 1,
                                  .bn = l->input,
                                  .alpha = 1,
                                  .beta = 1};

    bp_opencl_gemm(b, &gemm);
    return gates;
}

/* An operand that may be absent: what direction d has of it, from element `first` on. */
struct operand {
    const char *define;
    const struct bp_opencl_tensor *tensor;
    int64_t first;
};

static void define(const struct bp_opencl_builder *b, const struct layer *l, int64_t d,
                   struct bp_opencl_prefix *prefix)
{
    float clip = bp_node_float(b->graph, l->node, "clip", 0);
    const char *option = l->op->kind == LSTM ? "input_forget" : "linear_before_reset";
    const struct activation *f = l->activations + d * functions_of(l->op);

    if (l->op->kind != RNN)
        bp_opencl_define(prefix, "#define IS_%s", l->op->kind == LSTM ? "LSTM" : "GRU");
    bp_opencl_define(prefix, "#define OPTION %d", bp_node_int(b->graph, l->node, option, 0) != 0);
    bp_opencl_define_float(prefix, "CLIP", clip);
    bp_opencl_define(prefix, clip != 0 ? "#define clipped(v) clamp(v, -CLIP, CLIP)"
                                       : "#define clipped(v) (v)");
    for (uint32_t i = 0; i < functions_of(l->op); i++)
        define_activation(prefix, (char)('f' + i), &f[i]);
}

/* Strides of the layer's tensors for direction d, in elements. */
static struct sizes sizes_of(const struct bp_opencl_builder *b, const struct layer *l, int64_t d)
{
    int64_t n = l->hidden, gates_n = l->op->kind * n;
    bool is_first = l->is_batch_first;

    return (struct sizes){
        .steps = (int32_t)l->steps,
        .hidden = (int32_t)n,
        .is_reverse = d == 1 || is_direction(b->graph, l->node, "reverse"),
        .gate_step = (int32_t)(is_first ? gates_n : l->batch * gates_n),
        .gate_batch = (int32_t)(is_first ? l->steps * gates_n : gates_n),
        .y_step = (int32_t)(is_first ? l->directions * n : l->directions * l->batch * n),
        .y_batch = (int32_t)(is_first ? l->steps * l->directions * n : n),
        .state_batch = (int32_t)(is_first ? l->directions * n : n),
    };
}

/* Work-items for an entry of the batch: on GPUs as many as units, to hide the latency of weights. */
static int64_t group_of(const struct bp_opencl_builder *b, int64_t n)
{
    int64_t most = (int64_t)b->program->instance->device->max_group;
    int64_t group = b->program->instance->is_processor ? GROUP : 256;

    group = group < most ? group : most;
    while (group > 1 && group / 2 >= n)
        group /= 2;
    return group;
}

static void run_steps(struct bp_opencl_builder *b, const struct layer *l, int64_t d,
                      const struct bp_opencl_tensor *gates)
{
    int64_t n = l->hidden, gates_n = l->op->kind * n, group = group_of(b, n);
    int64_t state = l->is_batch_first ? d * n : d * l->batch * n;
    struct bp_opencl_tensor scratch = bp_opencl_scratch(b, BP_DTYPE_F32, l->batch * 4 * n);
    const struct operand operands[] = {
        {"Y", bp_opencl_out(b, l->node, 0), state},
        {"Y_H", bp_opencl_out(b, l->node, 1), state},
        {"Y_C", bp_opencl_out(b, l->node, 2), state},
        {"GATES", gates, 0},
        {"R", bp_opencl_in(b, l->node, R), d * gates_n * n},
        {"BIAS", bp_opencl_in(b, l->node, B), d * 2 * gates_n},
        {"LENGTHS", bp_opencl_in(b, l->node, LENGTHS), 0},
        {"H", bp_opencl_in(b, l->node, INITIAL_H), state},
        {"C", bp_opencl_in(b, l->node, INITIAL_C), state},
        {"P", bp_opencl_in(b, l->node, P), d * 3 * n},
        {"SCRATCH", &scratch, 0},
    };
    struct sizes sizes = sizes_of(b, l, d);
    struct bp_opencl_prefix prefix = {.n = 0};

    define(b, l, d, &prefix);
    for (uint32_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        if (operands[i].tensor)
            bp_opencl_define(&prefix, "#define HAS_%s", operands[i].define);
    }
    bp_opencl_begin(b, "recurrent", prefix.text, "recurrent");
    for (uint32_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        struct bp_opencl_tensor part;

        if (!operands[i].tensor)
            continue;
        part = part_of(operands[i].tensor, operands[i].first);
        bp_opencl_operand(b, &part);
    }
    bp_opencl_struct(b, &sizes, sizeof sizes);
    bp_opencl_run_groups(b, l->batch * group, 1, 1, (size_t)group, 1);
}

static bool fits(const struct bp_opencl_tensor *tensor, int64_t count)
{
    return !tensor || tensor->count == count;
}

static bool shapes_fit(const struct bp_opencl_builder *b, const struct layer *l)
{
    int64_t n = l->hidden, rows = l->op->kind * n, states = l->directions * l->batch * n;
    const bp_node *node = l->node;

    return fits(bp_opencl_in(b, node, W), l->directions * rows * l->input) &&
           fits(bp_opencl_in(b, node, R), l->directions * rows * n) &&
           fits(bp_opencl_in(b, node, B), l->directions * 2 * rows) &&
           fits(bp_opencl_in(b, node, LENGTHS), l->batch) &&
           fits(bp_opencl_in(b, node, INITIAL_H), states) &&
           fits(bp_opencl_in(b, node, INITIAL_C), states) &&
           fits(bp_opencl_in(b, node, P), l->directions * 3 * n) &&
           fits(bp_opencl_out(b, node, 0), l->steps * states) &&
           fits(bp_opencl_out(b, node, 1), states) && fits(bp_opencl_out(b, node, 2), states) &&
           l->steps * l->batch * rows <= INT32_MAX && l->steps * states <= INT32_MAX;
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, X), *r = bp_opencl_in(b, node, R);
    struct layer l = {.op = op,
                      .node = node,
                      .input = x->dims[2],
                      .hidden = r->dims[2],
                      .directions = directions_of(b->graph, node),
                      .is_batch_first = bp_node_int(b->graph, node, "layout", 0) != 0};

    l.steps = x->dims[l.is_batch_first];
    l.batch = x->dims[!l.is_batch_first];
    if (!shapes_fit(b, &l) ||
        read_activations(op, b->graph, node, (uint32_t)l.directions * functions_of(op),
                         l.activations))
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: the shapes of '%s' do not fit together",
                             node->name);
    for (int64_t d = 0; d < l.directions && b->rc >= 0; d++) {
        struct bp_opencl_tensor gates = multiply(b, &l, d);

        run_steps(b, &l, d, &gates);
    }
}

#define ROW(onnx, gates, from, outputs)                                                            \
    {                                                                                              \
        .name = onnx, .since = from, .until = BP_OPENCL_LATEST, .claim = claim, .build = build,    \
        .types = BP_OPENCL_F32, .kind = gates, .n_out = outputs                                    \
    }

const struct bp_opencl_op bp_opencl_recurrent_ops[] = {
    ROW("GRU", GRU, 7, 2),
    ROW("LSTM", LSTM, 7, 3),
    ROW("RNN", RNN, 7, 2),
    {.name = NULL},
};
