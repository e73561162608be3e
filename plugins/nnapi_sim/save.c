/* SPDX-License-Identifier: MIT */
/*
 * save.c - programs as bytes: the NNAPI model with its constants, so that loading takes neither the
 * graph nor lowering. What a driver compiles it keeps itself, in cache_dir.
 *
 * A blob is the magic, the device's name, places of inputs and outputs, and the model. Integers have
 * 4 bytes, sizes of constants 8, the lowest first.
 */

#include "program.h"

#define MAGIC "BPNNAPI1"

enum { MOST_NAME = 256, MOST_LIST = 1 << 24 };

/* ---- writing --------------------------------------------------------------------------------- */

struct writer {
    const bp_sink *sink;
    bp_rc rc;
};

static void put(struct writer *w, const void *data, size_t size)
{
    if (w->rc >= 0 && size > 0)
        w->rc = w->sink->write(w->sink->h, data, size);
}

static void put_u32(struct writer *w, uint32_t value)
{
    unsigned char bytes[4];

    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    put(w, bytes, sizeof bytes);
}

static void put_float(struct writer *w, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_u32(w, bits);
}

static void put_list(struct writer *w, const uint32_t *list, uint32_t n)
{
    put_u32(w, n);
    for (uint32_t i = 0; i < n; i++)
        put_u32(w, list[i]);
}

static void put_operand(struct writer *w, const struct bp_nn_operand *operand)
{
    put_u32(w, (uint32_t)operand->type);
    put_list(w, operand->dims, operand->rank);
    put_float(w, operand->scale);
    put_u32(w, (uint32_t)operand->zero);
    put_u32(w, operand->kind);
    put_u32(w, operand->channel_dim);
    put_u32(w, operand->n_scales);
    for (uint32_t i = 0; i < operand->n_scales; i++)
        put_float(w, operand->scales[i]);
    put_u32(w, (uint32_t)operand->bytes);
    put_u32(w, (uint32_t)(operand->bytes >> 32));
    if (operand->kind == BP_NN_CONSTANT)
        put(w, operand->data, (size_t)operand->bytes);
}

bp_rc bp_nn_save(bp_program *program, const bp_sink *sink, bp_err *err)
{
    const struct bp_nn_model *model = &program->model;
    struct writer w = {sink, BP_OK};
    const char *name = program->device ? program->device->name : "";

    put(&w, MAGIC, sizeof MAGIC - 1);
    put_u32(&w, (uint32_t)strlen(name));
    put(&w, name, strlen(name));
    put_list(&w, program->in, program->n_in);
    put_list(&w, program->out, program->n_out);
    put_u32(&w, model->n_operands);
    for (uint32_t i = 0; i < model->n_operands; i++)
        put_operand(&w, &model->operands[i]);
    put_u32(&w, model->n_operations);
    for (uint32_t i = 0; i < model->n_operations; i++) {
        const struct bp_nn_operation *row = &model->operations[i];

        put_u32(&w, (uint32_t)row->code);
        put_list(&w, model->indices + row->first, row->n_in);
        put_list(&w, model->indices + row->first + row->n_in, row->n_out);
    }
    put_list(&w, model->inputs, model->n_inputs);
    put_list(&w, model->outputs, model->n_outputs);
    return w.rc < 0 ? bp_fail(err, w.rc, "nnapi: the program cannot be written") : BP_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A blob may come from anywhere: after a failure all that is read is 0. */
struct reader {
    struct bp_blocks *memory;
    const unsigned char *data;
    size_t size, at;
    bool failed;
};

static const unsigned char *take(struct reader *r, uint64_t size)
{
    const unsigned char *data = r->data + r->at;

    if (r->failed || size > r->size - r->at) {
        r->failed = true;
        return NULL;
    }
    r->at += (size_t)size;
    return data;
}

static uint32_t take_u32(struct reader *r)
{
    const unsigned char *bytes = take(r, 4);
    uint32_t value = 0;

    for (int i = 0; bytes && i < 4; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

static float take_float(struct reader *r)
{
    uint32_t bits = take_u32(r);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A count of things that take `least` bytes each, so that it cannot be more than the blob has. */
static uint32_t take_count(struct reader *r, size_t least)
{
    uint32_t n = take_u32(r);

    r->failed |= n > MOST_LIST || n > (r->size - r->at) / least;
    return r->failed ? 0 : n;
}

/* Each below `limit`, or BP_NONE where that is allowed. */
static uint32_t *take_list(struct reader *r, uint32_t *n, uint64_t limit, bool may_be_none)
{
    uint32_t *list;

    *n = take_count(r, 4);
    list = bp_blocks_array(r->memory, *n, sizeof *list);
    r->failed |= !list;
    for (uint32_t i = 0; i < *n && !r->failed; i++) {
        list[i] = take_u32(r);
        r->failed |= list[i] >= limit && !(may_be_none && list[i] == BP_NONE);
    }
    return r->failed ? NULL : list;
}

/* Sizes whose product fits. */
static void take_dims(struct reader *r, struct bp_nn_operand *out)
{
    uint64_t count = 1;

    out->rank = take_u32(r);
    r->failed |= out->rank > BP_NN_MAX_RANK;
    for (uint32_t i = 0; i < out->rank && !r->failed; i++) {
        out->dims[i] = take_u32(r);
        r->failed |= out->dims[i] == 0 || count > UINT32_MAX;
        count *= out->dims[i];
    }
    r->failed |= count > UINT32_MAX;
}

static void take_operand(struct reader *r, struct bp_nn_operand *out)
{
    float *scales;

    *out = (struct bp_nn_operand){.type = (int32_t)take_u32(r)};
    take_dims(r, out);
    out->scale = take_float(r);
    out->zero = (int32_t)take_u32(r);
    out->kind = take_u32(r);
    out->channel_dim = take_u32(r);
    out->n_scales = take_count(r, 4);
    scales = bp_blocks_array(r->memory, out->n_scales, sizeof *scales);
    r->failed |= !scales || out->kind > BP_NN_CONSTANT;
    for (uint32_t i = 0; i < out->n_scales && !r->failed; i++)
        scales[i] = take_float(r);
    out->scales = scales;
    out->bytes = take_u32(r);
    out->bytes |= (uint64_t)take_u32(r) << 32;
    if (r->failed || out->kind != BP_NN_CONSTANT)
        return;
    r->failed |= out->bytes != bp_nn_operand_count(out) * bp_nn_element_bytes(out->type);
    out->data = take(r, out->bytes);
}

static void take_operations(struct reader *r, struct bp_nn_model *model)
{
    uint32_t n = take_count(r, 12);

    for (uint32_t i = 0; i < n && !r->failed; i++) {
        int32_t code = (int32_t)take_u32(r);
        uint32_t n_in, n_out;
        uint32_t *in = take_list(r, &n_in, model->n_operands, false);
        uint32_t *out = take_list(r, &n_out, model->n_operands, false);

        r->failed |= !in || !out || !bp_nn_model_operation(model, code, 0, n_in, in, n_out, out);
    }
}

/* Places of inputs and outputs are checked when their numbers are known. */
static bool is_whole(const bp_program *program)
{
    for (uint32_t i = 0; i < program->n_in; i++) {
        if (program->in[i] != BP_NONE && program->in[i] >= program->model.n_inputs)
            return false;
    }
    for (uint32_t i = 0; i < program->n_out; i++) {
        if (program->out[i] >= program->model.n_outputs)
            return false;
    }
    return true;
}

static bool read_program(bp_program *program, bp_span blob)
{
    unsigned char *copy = bp_blocks_get(&program->memory, blob.size);
    struct reader r = {.memory = &program->memory, .data = copy, .size = blob.size};
    struct bp_nn_model *model = &program->model;
    const char *name = program->device ? program->device->name : "";
    const unsigned char *bytes;
    uint32_t n;

    if (!copy)
        return false;
    memcpy(copy, blob.data, blob.size);
    bytes = take(&r, sizeof MAGIC - 1);
    if (!bytes || memcmp(bytes, MAGIC, sizeof MAGIC - 1) != 0)
        return false;
    n = take_u32(&r);
    bytes = take(&r, n);
    if (!bytes || n != strlen(name) || memcmp(bytes, name, n) != 0)
        return false; /* of another device */
    program->in = take_list(&r, &program->n_in, MOST_LIST, true);
    program->out = take_list(&r, &program->n_out, MOST_LIST, false);
    n = take_count(&r, 4);
    for (uint32_t i = 0; i < n && !r.failed; i++) {
        struct bp_nn_operand operand;
        uint32_t index;

        take_operand(&r, &operand);
        r.failed |= !bp_nn_model_operand(model, &operand, &index);
    }
    take_operations(&r, model);
    model->inputs = take_list(&r, &model->n_inputs, model->n_operands, false);
    model->outputs = take_list(&r, &model->n_outputs, model->n_operands, false);
    return !r.failed && r.at == r.size && is_whole(program);
}

/* Do inputs and outputs of the graph have the sizes and types of the saved model's? */
static bool matches(const bp_program *program, const bp_graph *graph)
{
    if (program->n_in != graph->n_inputs || program->n_out != graph->n_outputs)
        return false;
    for (uint32_t i = 0; i < program->n_in + program->n_out; i++) {
        bool is_in = i < program->n_in;
        uint32_t k = is_in ? i : i - program->n_in;
        const bp_value *value = BP_VALUE(graph, is_in ? graph->inputs[k] : graph->outputs[k]);
        const struct bp_nn_operand *operand;
        uint64_t count = 1;

        if (is_in && program->in[k] == BP_NONE)
            continue;
        operand = &program->model.operands[is_in ? program->model.inputs[program->in[k]]
                                                 : program->model.outputs[program->out[k]]];
        for (uint32_t d = 0; value->rank != BP_RANK_UNKNOWN && d < value->rank; d++)
            count *= value->dims[d].value < 0 ? 0 : (uint64_t)value->dims[d].value;
        if (value->rank == BP_RANK_UNKNOWN || count != bp_nn_operand_count(operand) ||
            bp_dtype_width(value->dtype) / 8 != bp_nn_element_bytes(operand->type))
            return false;
    }
    return true;
}

bp_rc bp_nn_load(bp_instance *instance, const bp_graph *graph, const bp_compile *what, bp_span blob,
                 bp_program **out, bp_err *err)
{
    bp_program *program;
    bp_rc rc = bp_nn_new_program(instance, what, &program, err);

    *out = NULL;
    if (rc < 0)
        return rc;
    if (!read_program(program, blob) || !matches(program, graph)) {
        bp_nn_program_free(program);
        return bp_fail(err, BP_E_STALE,
                       "nnapi: the saved program is damaged, or of another device or group");
    }
    rc = bp_nn_finish_program(program, what->name ? what->name : "", err);
    if (rc < 0) {
        bp_nn_program_free(program);
        return rc == BP_E_UNSUPPORTED
                   ? bp_fail(err, BP_E_STALE, "nnapi: the runtime does not take the saved program")
                   : rc;
    }
    *out = program;
    return BP_OK;
}
