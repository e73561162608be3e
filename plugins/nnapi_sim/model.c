/* SPDX-License-Identifier: MIT */
/* model.c - lists of operands and operations, and the digest that names a compiled model. */

#include "model.h"

enum { FIRST_CAPACITY = 16 };

/* A list with one more place at its end. NULL: no memory. */
static void *grow(struct bp_blocks *memory, void *list, uint32_t n, uint32_t more, uint32_t *cap,
                  size_t size)
{
    uint32_t want = *cap ? *cap : FIRST_CAPACITY;
    void *grown;

    if (n + more <= *cap)
        return list;
    while (want < n + more)
        want *= 2;
    grown = bp_blocks_array(memory, want, size);
    if (grown && n > 0)
        memcpy(grown, list, n * size);
    if (grown)
        *cap = want;
    return grown;
}

uint32_t bp_nn_element_bytes(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
    case ANEURALNETWORKS_TENSOR_BOOL8:
    case ANEURALNETWORKS_BOOL:
        return 1;
    default:
        return 4;
    }
}

uint64_t bp_nn_operand_count(const struct bp_nn_operand *operand)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < operand->rank; i++)
        n *= operand->dims[i];
    return n;
}

bool bp_nn_model_operand(struct bp_nn_model *model, const struct bp_nn_operand *operand,
                         uint32_t *index)
{
    struct bp_nn_operand *list = grow(model->memory, model->operands, model->n_operands, 1,
                                      &model->cap_operands, sizeof *list);

    if (!list)
        return false;
    model->operands = list;
    *index = model->n_operands++;
    list[*index] = *operand;
    return true;
}

bool bp_nn_model_operation(struct bp_nn_model *model, int32_t code, uint32_t node, uint32_t n_in,
                           const uint32_t *in, uint32_t n_out, const uint32_t *out)
{
    struct bp_nn_operation *list = grow(model->memory, model->operations, model->n_operations, 1,
                                        &model->cap_operations, sizeof *list);
    uint32_t *indices = grow(model->memory, model->indices, model->n_indices, n_in + n_out,
                             &model->cap_indices, sizeof *indices);

    if (list)
        model->operations = list;
    if (indices)
        model->indices = indices;
    if (!list || !indices)
        return false;
    list[model->n_operations++] = (struct bp_nn_operation){
        .code = code, .node = node, .n_in = n_in, .n_out = n_out, .first = model->n_indices};
    memcpy(indices + model->n_indices, in, n_in * sizeof *in);
    memcpy(indices + model->n_indices + n_in, out, n_out * sizeof *out);
    model->n_indices += n_in + n_out;
    return true;
}

/* ---- the digest ------------------------------------------------------------------------------ */

/* Four lanes of FNV-1a with different starts. Names files of a cache; is no defence. */
struct digest {
    uint64_t lanes[4];
};

static void add(struct digest *digest, const void *data, size_t n)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < n; i++) {
        for (int lane = 0; lane < 4; lane++)
            digest->lanes[lane] =
                (digest->lanes[lane] ^ (bytes[i] + 0x9eu * (unsigned)lane)) * 0x100000001b3u;
    }
}

static void add_operand(struct digest *digest, const struct bp_nn_operand *operand)
{
    add(digest, &operand->type, sizeof operand->type);
    add(digest, operand->dims, operand->rank * sizeof operand->dims[0]);
    add(digest, &operand->scale, sizeof operand->scale);
    add(digest, &operand->zero, sizeof operand->zero);
    if (operand->n_scales > 0)
        add(digest, operand->scales, operand->n_scales * sizeof *operand->scales);
    if (operand->data)
        add(digest, operand->data, operand->bytes);
}

void bp_nn_model_token(const struct bp_nn_model *model, const char *extra, uint8_t out[32])
{
    struct digest digest = {
        {0xcbf29ce484222325u, 0x84222325cbf29ce4u, 0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu}};

    add(&digest, extra, strlen(extra));
    for (uint32_t i = 0; i < model->n_operands; i++)
        add_operand(&digest, &model->operands[i]);
    for (uint32_t i = 0; i < model->n_operations; i++) {
        add(&digest, &model->operations[i].code, sizeof model->operations[i].code);
        add(&digest, &model->operations[i].n_in, sizeof model->operations[i].n_in);
    }
    add(&digest, model->indices, model->n_indices * sizeof *model->indices);
    add(&digest, model->inputs, model->n_inputs * sizeof *model->inputs);
    add(&digest, model->outputs, model->n_outputs * sizeof *model->outputs);
    memcpy(out, digest.lanes, sizeof digest.lanes);
}
