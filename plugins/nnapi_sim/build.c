/* SPDX-License-Identifier: MIT */
/* build.c - see build.h. */

#include "build.h"

#include <limits.h>

static const int32_t to_nhwc[] = {0, 2, 3, 1}, to_nchw[] = {0, 3, 1, 2};

/* A value by pointer that the runtime copies at once. */
enum { SMALL = ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES };

void bp_nn_build_init(struct bp_nn_build *b, bp_instance *instance, const struct bp_nn_facts *facts,
                      struct bp_nn_model *model, struct bp_nn_place *places, bool *is_done,
                      bp_err *err)
{
    *b = (struct bp_nn_build){.instance = instance,
                              .graph = facts->graph,
                              .facts = facts,
                              .model = model,
                              .places = places,
                              .is_done = is_done,
                              .err = err};
}

bool bp_nn_new_places(const bp_graph *graph, struct bp_blocks *memory, struct bp_nn_place **places,
                      bool **is_done)
{
    *places = bp_blocks_array(memory, graph->n_values, sizeof **places);
    *is_done = bp_blocks_array(memory, graph->n_nodes, sizeof **is_done);
    if (!*places || !*is_done)
        return false;
    for (uint32_t i = 0; i < graph->n_values; i++)
        (*places)[i] = (struct bp_nn_place){{BP_NONE, BP_NONE}};
    return true;
}

void bp_nn_give_up(struct bp_nn_build *b, const char *fmt, ...)
{
    char text[256];
    va_list args;

    if (b->rc < 0)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    b->rc = bp_fail(b->err, BP_E_UNSUPPORTED, "nnapi: %s '%s': %s", BP_NODE(b->graph, b->node)->op,
                    BP_NODE(b->graph, b->node)->name, text);
}

static void fail_no_memory(struct bp_nn_build *b)
{
    if (b->rc >= 0)
        b->rc = bp_fail(b->err, BP_E_NOMEM, "nnapi: no memory for the model of a group");
}

void *bp_nn_get(struct bp_nn_build *b, uint64_t bytes)
{
    void *memory =
        b->rc < 0 || bytes > SIZE_MAX ? NULL : bp_blocks_get(b->model->memory, (size_t)bytes);

    if (!memory)
        fail_no_memory(b);
    return memory;
}

const struct bp_nn_operand *bp_nn_at(const struct bp_nn_build *b, uint32_t operand)
{
    static const struct bp_nn_operand none; /* after a failure */

    return operand < b->model->n_operands ? &b->model->operands[operand] : &none;
}

static uint32_t add(struct bp_nn_build *b, const struct bp_nn_operand *operand)
{
    uint32_t index = 0;

    if (b->rc >= 0 && !bp_nn_model_operand(b->model, operand, &index))
        fail_no_memory(b);
    return index;
}

/* ---- constants ------------------------------------------------------------------------------- */

uint32_t bp_nn_constant(struct bp_nn_build *b, const struct bp_nn_operand *described)
{
    struct bp_nn_operand operand = *described;

    operand.kind = BP_NN_CONSTANT;
    operand.bytes = bp_nn_operand_count(&operand) * bp_nn_element_bytes(operand.type);
    return add(b, &operand);
}

static uint32_t small(struct bp_nn_build *b, int32_t type, uint32_t rank, uint32_t n,
                      const void *data, size_t bytes)
{
    struct bp_nn_operand operand = {.type = type, .rank = rank, .dims = {n}};
    void *copy = bp_nn_get(b, bytes);

    if (copy)
        memcpy(copy, data, bytes);
    operand.data = copy;
    return bp_nn_constant(b, &operand);
}

uint32_t bp_nn_i32(struct bp_nn_build *b, int32_t value)
{
    return small(b, ANEURALNETWORKS_INT32, 0, 0, &value, sizeof value);
}

uint32_t bp_nn_f32(struct bp_nn_build *b, float value)
{
    return small(b, ANEURALNETWORKS_FLOAT32, 0, 0, &value, sizeof value);
}

uint32_t bp_nn_bool(struct bp_nn_build *b, bool value)
{
    uint8_t byte = value;

    return small(b, ANEURALNETWORKS_BOOL, 0, 0, &byte, sizeof byte);
}

uint32_t bp_nn_i32s(struct bp_nn_build *b, const int32_t *values, uint32_t n)
{
    return small(b, ANEURALNETWORKS_TENSOR_INT32, 1, n, values, n * sizeof *values);
}

bool bp_nn_is_constant(const struct bp_nn_build *b, uint32_t value)
{
    return value != BP_NONE && BP_VALUE(b->graph, value)->flags & BP_VALUE_CONSTANT;
}

const void *bp_nn_bytes(struct bp_nn_build *b, uint32_t value)
{
    bp_span span;

    if (b->rc < 0 || (b->model->is_trial && BP_VALUE(b->graph, value)->const_bytes > SMALL))
        return NULL;
    b->rc = b->instance->host.constant(b->instance->host.h, b->graph, value, &span, b->err);
    return b->rc < 0 ? NULL : span.data;
}

/* ---- values ---------------------------------------------------------------------------------- */

int bp_nn_wanted(const struct bp_nn_build *b)
{
    return bp_nn_is_nchw(b->instance) ? BP_NN_NCHW : BP_NN_NHWC;
}

uint32_t bp_nn_dims(const struct bp_nn_build *b, uint32_t value, int layout, uint32_t *dims)
{
    const bp_value *row = BP_VALUE(b->graph, value);

    if (row->rank == 0 || row->rank > BP_NN_MAX_RANK) {
        dims[0] = 1;
        return 1;
    }
    for (uint32_t i = 0; i < row->rank; i++) {
        uint32_t from = layout == BP_NN_NHWC && row->rank == 4 ? (uint32_t)to_nhwc[i] : i;

        dims[i] = (uint32_t)row->dims[from].value;
    }
    return row->rank;
}

int bp_nn_layout_of(const struct bp_nn_build *b, const struct bp_nn_arg *arg)
{
    const struct bp_nn_place *place = &b->places[arg->value];

    if (bp_nn_wanted(b) == BP_NN_NHWC && place->at[BP_NN_NHWC] != BP_NONE)
        return BP_NN_NHWC;
    return BP_NN_NCHW;
}

static int32_t type_of(const bp_value *value)
{
    switch (value->dtype) {
    case BP_DTYPE_U8:
        return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    case BP_DTYPE_I32:
        return ANEURALNETWORKS_TENSOR_INT32;
    default:
        return ANEURALNETWORKS_TENSOR_FLOAT32;
    }
}

/* An operand for a value, with its type, sizes and scale. */
static void describe(struct bp_nn_build *b, const struct bp_nn_arg *arg, int layout,
                     struct bp_nn_operand *out)
{
    const bp_value *value = BP_VALUE(b->graph, arg->value);
    struct bp_nn_quant quant;

    *out = (struct bp_nn_operand){.type = type_of(value)};
    out->rank = bp_nn_dims(b, arg->value, layout, out->dims);
    if (value->dtype != BP_DTYPE_U8)
        return;
    if (!bp_nn_quant_of(b->facts, arg, &quant)) {
        bp_nn_give_up(b, "the scale of '%s' is not known", value->name);
        return;
    }
    out->scale = quant.scale;
    out->zero = quant.zero;
}

/* NCHW to NHWC, of elements of 1 or 4 bytes. */
static void permute(const struct bp_nn_operand *out, const void *from, void *to, uint32_t size)
{
    uint32_t n = out->dims[0], h = out->dims[1], w = out->dims[2], c = out->dims[3];
    const char *src = from;
    char *dst = to;

    for (uint64_t i = 0; i < (uint64_t)n * h * w; i++) {
        uint64_t image = i / ((uint64_t)h * w), pixel = i % ((uint64_t)h * w);

        for (uint32_t k = 0; k < c; k++, dst += size)
            memcpy(dst, src + ((image * c + k) * h * w + pixel) * size, size);
    }
}

static uint32_t constant_in(struct bp_nn_build *b, const struct bp_nn_arg *arg, int layout)
{
    struct bp_nn_operand operand;
    void *moved;

    describe(b, arg, layout, &operand);
    operand.data = bp_nn_bytes(b, arg->value);
    if (operand.data && layout == BP_NN_NHWC && operand.rank == 4) {
        uint32_t size = bp_nn_element_bytes(operand.type);

        moved = bp_nn_get(b, bp_nn_operand_count(&operand) * size);
        if (moved)
            permute(&operand, operand.data, moved, size);
        operand.data = moved;
    }
    return bp_nn_constant(b, &operand);
}

/* What nothing here makes is an input of the model, in ONNX's order. */
static uint32_t input_in(struct bp_nn_build *b, const struct bp_nn_arg *arg)
{
    struct bp_nn_operand operand;
    uint32_t *inputs = bp_nn_get(b, (b->model->n_inputs + 1u) * sizeof *inputs), index;

    describe(b, arg, BP_NN_NCHW, &operand);
    index = add(b, &operand);
    if (!inputs)
        return 0;
    if (b->model->n_inputs > 0)
        memcpy(inputs, b->model->inputs, b->model->n_inputs * sizeof *inputs);
    inputs[b->model->n_inputs++] = index;
    b->model->inputs = inputs;
    return index;
}

/* The value in its other layout. */
static uint32_t converted(struct bp_nn_build *b, uint32_t operand, int layout)
{
    b->model->n_transposes++;
    return bp_nn_transpose(b, operand, layout == BP_NN_NHWC ? to_nhwc : to_nchw);
}

/* Layouts differ in rank 4 only. Each is made once, so that a change and its reverse cancel out. */
uint32_t bp_nn_in(struct bp_nn_build *b, const struct bp_nn_arg *arg, int layout)
{
    struct bp_nn_place *place;
    int other;

    if (arg->value == BP_NONE) {
        bp_nn_give_up(b, "an input is absent");
        return 0;
    }
    place = &b->places[arg->value];
    if (BP_VALUE(b->graph, arg->value)->rank != 4)
        layout = BP_NN_NCHW;
    other = 1 - layout;
    if (place->at[layout] != BP_NONE)
        return place->at[layout];
    if (bp_nn_is_constant(b, arg->value)) {
        place->at[layout] = constant_in(b, arg, layout);
    } else {
        if (place->at[other] == BP_NONE)
            place->at[BP_NN_NCHW] = input_in(b, arg);
        if (place->at[layout] == BP_NONE)
            place->at[layout] = converted(b, place->at[other], layout);
    }
    return place->at[layout];
}

void bp_nn_set(struct bp_nn_build *b, uint32_t value, int layout, uint32_t operand)
{
    b->places[value].at[BP_VALUE(b->graph, value)->rank == 4 ? layout : BP_NN_NCHW] = operand;
}

uint32_t bp_nn_out(struct bp_nn_build *b, const struct bp_nn_unit *unit, int layout)
{
    struct bp_nn_operand operand;
    uint32_t index;

    describe(b, &unit->out, layout, &operand);
    index = add(b, &operand);
    bp_nn_set(b, unit->out.value, layout, index);
    return index;
}

uint32_t bp_nn_like(struct bp_nn_build *b, uint32_t like, uint32_t rank, const uint32_t *dims)
{
    struct bp_nn_operand operand = {.type = bp_nn_at(b, like)->type,
                                    .rank = rank,
                                    .scale = bp_nn_at(b, like)->scale,
                                    .zero = bp_nn_at(b, like)->zero};

    memcpy(operand.dims, dims, rank * sizeof *dims);
    return add(b, &operand);
}

/* ---- operations ------------------------------------------------------------------------------ */

void bp_nn_emit_many(struct bp_nn_build *b, int32_t code, uint32_t n_in, const uint32_t *in,
                     uint32_t n_out, const uint32_t *out)
{
    if (b->rc >= 0 && !bp_nn_model_operation(b->model, code, b->node, n_in, in, n_out, out))
        fail_no_memory(b);
}

void bp_nn_emit(struct bp_nn_build *b, int32_t code, uint32_t n_in, const uint32_t *in,
                uint32_t out)
{
    bp_nn_emit_many(b, code, n_in, in, 1, &out);
}

void bp_nn_reshape(struct bp_nn_build *b, uint32_t in, uint32_t out)
{
    int32_t dims[BP_NN_MAX_RANK];
    uint32_t rank = bp_nn_at(b, out)->rank;

    for (uint32_t i = 0; i < rank; i++)
        dims[i] = (int32_t)bp_nn_at(b, out)->dims[i];
    bp_nn_emit(b, ANEURALNETWORKS_RESHAPE, 2, (uint32_t[]){in, bp_nn_i32s(b, dims, rank)}, out);
}

uint32_t bp_nn_transpose(struct bp_nn_build *b, uint32_t in, const int32_t *perm)
{
    uint32_t rank = bp_nn_at(b, in)->rank, dims[BP_NN_MAX_RANK], out;

    for (uint32_t i = 0; i < rank; i++)
        dims[i] = bp_nn_at(b, in)->dims[perm[i]];
    out = bp_nn_like(b, in, rank, dims);
    bp_nn_emit(b, ANEURALNETWORKS_TRANSPOSE, 2, (uint32_t[]){in, bp_nn_i32s(b, perm, rank)}, out);
    return out;
}

/* ---- activations ----------------------------------------------------------------------------- */

/* A bound of Clip: an attribute before version 11, then an input. Absent: none. */
static bool bound(const bp_instance *instance, const bp_graph *graph, const bp_node *node,
                  const char *name, uint32_t input, float absent, float *out)
{
    uint32_t n;

    *out = absent;
    if (node->since < 11) {
        *out = bp_node_float(graph, node, name, absent);
        return true;
    }
    if (input >= node->n_in || node->in[input] == BP_NONE)
        return true;
    return bp_nn_floats(instance, graph, node->in[input], out, 1, &n) && n == 1;
}

int32_t bp_nn_activation_of(const bp_instance *instance, const bp_graph *graph, const bp_node *node)
{
    float least, most;

    if (node->domain[0] != '\0')
        return -1;
    if (strcmp(node->op, "Relu") == 0)
        return ANEURALNETWORKS_RELU;
    if (strcmp(node->op, "Clip") != 0 || !bound(instance, graph, node, "min", 1, -1e30f, &least) ||
        !bound(instance, graph, node, "max", 2, 1e30f, &most))
        return -1;
    if (least == 0 && most == 6)
        return ANEURALNETWORKS_RELU6;
    return least == -1 && most == 1 ? ANEURALNETWORKS_RELU1 : -1;
}

int32_t bp_nn_take_activation(struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    uint32_t out = unit->out.value, reader;
    int32_t code;

    if (b->model->is_trial || unit->out.is_quantized || b->facts->uses[out] != 1)
        return ANEURALNETWORKS_FUSED_NONE;
    reader = b->facts->reader[out];
    if (reader == BP_NONE || BP_NODE(b->graph, reader)->in[0] != out)
        return ANEURALNETWORKS_FUSED_NONE;
    code = bp_nn_activation_of(b->instance, b->graph, BP_NODE(b->graph, reader));
    if (code < 0)
        return ANEURALNETWORKS_FUSED_NONE;
    b->is_done[reader] = true;
    unit->out.value = BP_NODE(b->graph, reader)->out[0];
    return code == ANEURALNETWORKS_RELU    ? ANEURALNETWORKS_FUSED_RELU
           : code == ANEURALNETWORKS_RELU1 ? ANEURALNETWORKS_FUSED_RELU1
                                           : ANEURALNETWORKS_FUSED_RELU6;
}
