/* SPDX-License-Identifier: MIT */
/* gemm.c - see gemm.h; and the activations that passes of the host fuse with products. */

#include "ops/gemm.h"

#include "build/chain.h"
#include "build/tune.h"

/* ---- activations ----------------------------------------------------------------------------- */

/* P and Q are its two numbers. */
static const struct activation {
    const char *name, *expr;
    float p, q; /* defaults */
} activations[] = {
    {"Relu", "((v) < 0 ? 0.0f : (v))", 0, 0},
    {"Sigmoid", "sigmoid_of(v)", 0, 0},
    {"Tanh", "tanh_of(v)", 0, 0},
    {"LeakyRelu", "((v) < 0 ? ACT_P * (v) : (v))", 0.01f, 0},
    {"HardSigmoid", "((v) != (v) ? (v) : fmin(1.0f, fmax(0.0f, ACT_P * (v) + ACT_Q)))", 0.2f, 0.5f},
    {"Clip", "((v) < ACT_P ? ACT_P : (v) > ACT_Q ? ACT_Q : (v))", -3.4028234663852886e38f,
     3.4028234663852886e38f},
};

enum { N_ACTIVATIONS = sizeof activations / sizeof activations[0] };

static const struct activation *find_activation(const bp_graph *graph, const bp_node *node)
{
    for (uint32_t i = 0; i < N_ACTIVATIONS; i++) {
        if (bp_node_string_is(graph, node, "activation", "", activations[i].name))
            return &activations[i];
    }
    return NULL;
}

bool bp_opencl_takes_activation(const struct bp_opencl_query *query)
{
    if (find_activation(query->graph, query->node) ||
        bp_node_string_is(query->graph, query->node, "activation", "", ""))
        return true;
    return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "activation", "it is not known");
}

/* Number i of the activation, by whichever of the two operators it is. */
static float number_of(const bp_graph *graph, const bp_node *node, uint32_t i, float def)
{
    const bp_attr *list = bp_node_attr(graph, node, "activation_params");

    if (list && list->type == BP_ATTR_FLOAT && i < list->count)
        return ((const float *)list->data)[i];
    return bp_node_float(graph, node, i == 0 ? "activation_alpha" : "activation_beta", def);
}

void bp_opencl_activation(const bp_graph *graph, const bp_node *node, char *out, size_t size)
{
    const struct activation *found = find_activation(graph, node);
    struct bp_opencl_prefix prefix = {.n = 0};

    if (found) {
        bp_opencl_define_float(&prefix, "ACT_P", number_of(graph, node, 0, found->p));
        bp_opencl_define_float(&prefix, "ACT_Q", number_of(graph, node, 1, found->q));
    }
    bp_opencl_define(&prefix, "#define ACT(v) %s", found ? found->expr : "(v)");
    snprintf(out, size, "%s", prefix.text);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* Registers where vectors of a row, or of both rows, can be loaded at once; else local memory. */
static const char *choose(const struct bp_opencl_builder *b, const struct bp_opencl_gemm *gemm)
{
    if (b->program->instance->is_processor && gemm->bn == 1)
        return "gemm_rows";
    if (b->program->instance->is_processor && gemm->ak == 1 && gemm->bk == 1)
        return "gemm_dots";
    return "gemm_tiles";
}

static void add_operands(struct bp_opencl_builder *b, const struct bp_opencl_gemm *gemm,
                         const struct bp_opencl_epilogue *epilogue)
{
    const int64_t sizes[] = {gemm->m,  gemm->n,  gemm->k,  gemm->am, gemm->ak,
                             gemm->bk, gemm->bn, gemm->cm, gemm->cn};

    bp_opencl_operand(b, gemm->y);
    bp_opencl_operand(b, gemm->a);
    bp_opencl_operand(b, gemm->b);
    if (gemm->bias)
        bp_opencl_operand(b, gemm->bias);
    if (gemm->z)
        bp_opencl_operand(b, gemm->z);
    for (uint32_t i = 0; epilogue && i < epilogue->n_leaves; i++)
        bp_opencl_operand(b, &epilogue->leaves[i]);
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        bp_opencl_int(b, sizes[i]);
    bp_opencl_float(b, gemm->alpha);
    bp_opencl_float(b, gemm->beta);
    bp_opencl_struct(b, &gemm->batches, sizeof gemm->batches);
}

/*
 * Sizes that may be chosen. On processors rows of a block in registers, vectors of a row, and work-items
 * of a group; elsewhere elements of a work-item each way.
 */
static const struct variant {
    uint32_t size, parts, group;
} processor_variants[] = {{8, 1, 8}, {8, 2, 8}, {8, 2, 1}, {4, 2, 8}, {8, 1, 1}},
  gpu_variants[] = {{4, 1, 0}, {2, 1, 0}, {8, 1, 0}};

enum {
    N_PROCESSOR = sizeof processor_variants / sizeof processor_variants[0],
    N_GPU = sizeof gpu_variants / sizeof gpu_variants[0]
};

/* A candidate of the tuner: the product on stand-ins. */
static void add_candidate(struct bp_opencl_builder *b, uint32_t i, const void *data)
{
    struct bp_opencl_gemm gemm = *(const struct bp_opencl_gemm *)data;
    struct bp_opencl_tensor y = bp_opencl_stand_in(b, gemm.y), x = bp_opencl_stand_in(b, gemm.a);
    struct bp_opencl_tensor w = bp_opencl_stand_in(b, gemm.b), bias, z;

    gemm.y = &y;
    gemm.a = &x;
    gemm.b = &w;
    if (gemm.bias) {
        bias = bp_opencl_stand_in(b, gemm.bias);
        gemm.bias = &bias;
    }
    if (gemm.z) {
        z = bp_opencl_stand_in(b, gemm.z);
        gemm.z = &z;
    }
    gemm.variant = i + 1;
    bp_opencl_gemm(b, &gemm);
}

static const struct variant *variant_of(struct bp_opencl_builder *b,
                                        const struct bp_opencl_gemm *gemm, const char *name)
{
    bool is_gpu = strcmp(name, "gemm_tiles") == 0;
    const struct variant *variants = is_gpu ? gpu_variants : processor_variants;
    /* two vectors where few columns are left over: on PoCL faster in most products of ResNet-50 */
    uint32_t fixed = !is_gpu && (gemm->n % 32 == 0 || gemm->n >= 512);
    char key[160];

    if (gemm->variant > 0)
        return &variants[gemm->variant - 1];
    if (!b->program->instance->tunes)
        return &variants[fixed];
    snprintf(key, sizeof key, "1:%s:type%u:%lldx%lldx%lld:batch%lld:%d%d:%d%d", name,
             gemm->y->dtype, (long long)gemm->m, (long long)gemm->n, (long long)gemm->k,
             (long long)gemm->n_batches, gemm->ak == 1, gemm->bk == 1, gemm->bias != NULL,
             gemm->z != NULL);
    return &variants[bp_opencl_tune(b, key, is_gpu ? N_GPU : N_PROCESSOR, fixed, add_candidate,
                                    gemm)];
}

/* Work-items of one group in x: as many as there are, up to `most`. */
static size_t group_of(int64_t n, uint32_t most)
{
    return n < most ? (size_t)n : most;
}

/* What kernels/gemm.cl calls the variant's size. */
static const char *tile_name(const char *kernel)
{
    return strcmp(kernel, "gemm_tiles") == 0 ? "WORK" : "ROWS";
}

static void add_gemm(struct bp_opencl_builder *b, const struct bp_opencl_gemm *gemm,
                     const struct bp_opencl_epilogue *epilogue)
{
    struct bp_opencl_prefix prefix = {.n = 0};
    const char *name = choose(b, gemm);
    const struct variant *variant = variant_of(b, gemm, name);
    uint32_t size = variant->size, tile = 16 * size;
    int64_t rows = (gemm->m + size - 1) / size,
            columns = (gemm->n + 16 * variant->parts - 1) / (16 * variant->parts),
            quads = (gemm->n + 3) / 4;

    bp_opencl_define_type(&prefix, "T", gemm->y->dtype);
    if (gemm->y->dtype == BP_DTYPE_F16)
        bp_opencl_define(&prefix, "#define T_IS_HALF");
    if (gemm->bias)
        bp_opencl_define(&prefix, "#define HAS_BIAS");
    if (gemm->z)
        bp_opencl_define(&prefix, "#define HAS_Z");
    bp_opencl_define(&prefix, "%s", gemm->activation ? gemm->activation : "#define ACT(v) (v)");
    bp_opencl_define(&prefix, "#define %s %u\n#define PARTS %u", tile_name(name), size,
                     variant->parts);
    bp_opencl_begin(b, "gemm", bp_opencl_with_epilogue(b, &prefix, epilogue), name);
    add_operands(b, gemm, epilogue);
    if (strcmp(name, "gemm_rows") == 0)
        bp_opencl_run_groups(b, rows, columns, gemm->n_batches, group_of(rows, variant->group), 1);
    else if (strcmp(name, "gemm_dots") == 0)
        bp_opencl_run_groups(b, quads, gemm->m, gemm->n_batches, group_of(quads, variant->group),
                             1);
    else
        bp_opencl_run_groups(b, (gemm->n + tile - 1) / tile * 16, (gemm->m + tile - 1) / tile * 16,
                             gemm->n_batches, 16, 16);
}

void bp_opencl_gemm(struct bp_opencl_builder *b, const struct bp_opencl_gemm *gemm)
{
    add_gemm(b, gemm, NULL);
}

/* ---- products that element-wise nodes follow ------------------------------------------------- */

/* A product with all that it points to. */
struct saved {
    struct bp_opencl_gemm gemm;
    struct bp_opencl_tensor y, a, b, bias, z;
    char activation[512];
};

static void add_saved(struct bp_opencl_builder *b, const void *data,
                      const struct bp_opencl_epilogue *epilogue)
{
    const struct saved *saved = data;
    struct bp_opencl_gemm gemm = saved->gemm;

    gemm.y = epilogue ? epilogue->y : &saved->y;
    gemm.a = &saved->a;
    gemm.b = &saved->b;
    gemm.bias = gemm.bias ? &saved->bias : NULL;
    gemm.z = gemm.z ? &saved->z : NULL;
    gemm.activation = gemm.activation ? saved->activation : NULL;
    add_gemm(b, &gemm, epilogue);
}

void bp_opencl_gemm_output(struct bp_opencl_builder *b, const struct bp_opencl_gemm *gemm)
{
    struct saved saved = {.gemm = *gemm, .y = *gemm->y, .a = *gemm->a, .b = *gemm->b};

    if (gemm->bias)
        saved.bias = *gemm->bias;
    if (gemm->z)
        saved.z = *gemm->z;
    if (gemm->activation)
        snprintf(saved.activation, sizeof saved.activation, "%s", gemm->activation);
    if (!bp_opencl_chain_product(b, gemm->n, add_saved, &saved, sizeof saved))
        add_gemm(b, gemm, NULL);
}
