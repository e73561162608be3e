/* SPDX-License-Identifier: MIT */
/*
 * mobile.c - a provider as those of phones are: it takes a list of plain ONNX operators in float32
 * with sizes that are known, and no fused ones. There is no phone: it answers for plans, and
 * compiling fails. Plans for it are what a host without the device can make.
 */

#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

struct bp_instance {
    const bp_host *host;
    int takes_matrices;
};

static const bp_option options[] = {
    {sizeof(bp_option), 0, BP_OPT_BOOL, 0, "matrices", "take Gemm, MatMul and Reshape", "true",
     NULL, 0, 0},
};

/* What Android's Neural Networks API has, as far as tests come by it. */
static const char *const ops[] = {
    "Abs",
    "Add",
    "AveragePool",
    "BatchNormalization",
    "Clip",
    "Concat",
    "Conv",
    "Div",
    "Flatten",
    "Gemm",
    "Identity",
    "LeakyRelu",
    "MatMul",
    "MaxPool",
    "GlobalAveragePool",
    "Mul",
    "Pad",
    "Relu",
    "Reshape",
    "Sigmoid",
    "Slice",
    "Softmax",
    "Squeeze",
    "Sub",
    "Tanh",
    "Transpose",
    "Unsqueeze",
};

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    bp_instance *instance = (bp_instance *)calloc(1, sizeof *instance);

    (void)devs;
    (void)n_devs;
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    instance->host = host;
    instance->takes_matrices = n_opts > 0 && opts[0].i != 0;
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    free(instance);
}

static int is_of_matrices(const char *op)
{
    return strcmp(op, "Gemm") == 0 || strcmp(op, "MatMul") == 0 || strcmp(op, "Reshape") == 0;
}

static int is_listed(const bp_instance *instance, const bp_node *node)
{
    if (node->domain[0] != '\0' || (!instance->takes_matrices && is_of_matrices(node->op)))
        return 0;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(ops[i], node->op) == 0)
            return 1;
    }
    return 0;
}

static int has_sizes(const bp_value *value)
{
    for (uint32_t d = 0; d < value->rank; d++) {
        if (value->dims[d].value < 0)
            return 0;
    }
    return value->rank != BP_RANK_UNKNOWN;
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    (void)err;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        const bp_node *node = BP_NODE(g, n);
        const bp_value *in = node->n_in > 0 ? BP_VALUE(g, node->in[0]) : NULL;

        if (!is_listed(instance, node))
            bp_refuse(claims, n, BP_R_OP, node->op, "no such operation");
        else if (!in || in->dtype != BP_DTYPE_F32)
            bp_refuse(claims, n, BP_R_DTYPE, NULL, "float32 alone");
        else if (!has_sizes(in))
            bp_refuse(claims, n, BP_R_DYNAMIC_SHAPE, NULL, "all sizes must be known");
        else
            bp_accept(claims, n);
    }
    return BP_OK;
}

static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    (void)instance;
    (void)what;
    (void)out;
    return bp_fail(err, BP_E_UNAVAILABLE, "there is no phone to compile %u nodes", g->n_nodes);
}

/* What is left cannot be reached without a program; the table has to have it. */

static void program_free(bp_program *program)
{
    (void)program;
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    (void)program;
    (void)desc;
    (void)needs;
    (void)out;
    return bp_fail(err, BP_E_UNAVAILABLE, "there is no phone");
}

static void frame_free(bp_frame *frame)
{
    (void)frame;
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    (void)frame;
    (void)run;
    return bp_fail(err, BP_E_UNAVAILABLE, "there is no phone");
}

BP_MANIFEST("id=org.backplane.mobile\n"
            "name=mobile\n"
            "version=0.1\n"
            "license=MIT");

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .id = "org.backplane.mobile",
    .name = "mobile",
    .version = "0.1",
    .vendor = "Backplane's tests",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .option_stride = sizeof(bp_option),
    .create = create,
    .destroy = destroy,
    .capability = capability,
    .compile = compile,
    .program_free = program_free,
    .frame_create = frame_create,
    .frame_free = frame_free,
    .execute = execute,
};

static const bp_provider *const providers[] = {&provider};

static const bp_module module = {
    .struct_size = sizeof(bp_module),
    .abi_major = BP_ABI_MAJOR,
    .abi_minor = BP_ABI_MINOR,
    .magic = BP_MAGIC,
    .providers = providers,
    .n_providers = 1,
};

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc = bp_host_check(host, "mobile", err);

    if (rc < 0)
        return rc;
    *out = &module;
    return BP_OK;
}
