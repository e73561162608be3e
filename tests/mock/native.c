/* SPDX-License-Identifier: MIT */
/*
 * native.c - a provider with operators of its own, in the domain org.backplane.test: Scale (an
 * attribute with a default, an optional input), Repeat (a size that follows from an attribute),
 * Fill (a shape that follows from elements, a list as attribute), Count (a list of inputs of any
 * type) and Positive (a size that comes with the data). Its rules are checked by the host, so the kernels
 * trust them. Built with another DECLARES it declares the same in the same words, in others, or
 * what no provider may declare.
 */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#ifndef MOCK_NAME
#define MOCK_NAME "native"
#endif

/* What it declares. */
#define SOUND 1   /* sound schemas, the same in all plug-ins that have them */
#define OTHER 2   /* Scale with another second input */
#define ONNX 3    /* an operator in ONNX's domain */
#define GARBLED 4 /* an attribute with a default of no type */
#define KNOWN 5   /* one of com.microsoft that the host knows */
#define TWICE 6   /* one version of an operator twice */
#define SHORT 7   /* rows that are shorter than those of 1.0 */
#define QUOTED 8  /* a name that means something to JSON */
#ifndef DECLARES
#define DECLARES SOUND
#endif

#define DOMAIN "org.backplane.test"
#define F32 (UINT64_C(1) << BP_DTYPE_F32)

/* ---- schemas --------------------------------------------------------------------------------- */

/* Output 0 is like input 0. */
static bp_rc same_shape(const bp_op_shapes *node, bp_err *err)
{
    const bp_operator_fact *x = BP_AT(bp_operator_fact, node->in, node->in_stride, 0);

    return node->set(node->h, 0, BP_DTYPE_NONE, x->rank, x->dims, err);
}

static int64_t times_of(const bp_op_shapes *node)
{
    const bp_attr *times = bp_shapes_attr(node, "times");

    return *(const int64_t *)times->data; /* it is required, so the host has checked it */
}

/* The first size times the attribute; unknown as long as that size is. */
static bp_rc repeat_shape(const bp_op_shapes *node, bp_err *err)
{
    const bp_operator_fact *x = BP_AT(bp_operator_fact, node->in, node->in_stride, 0);
    bp_dim dims[8];

    if (times_of(node) < 1)
        return bp_fail(err, BP_E_INVALID, "attribute 'times' is %lld, must be 1 or more",
                       (long long)times_of(node));
    if (x->rank == BP_RANK_UNKNOWN)
        return node->set(node->h, 0, BP_DTYPE_NONE, x->rank, NULL, err);
    if (x->rank < 1 || x->rank > 8)
        return bp_fail(err, BP_E_SHAPE, "X has rank %u, must have 1 to 8", (unsigned)x->rank);
    memcpy(dims, x->dims, x->rank * sizeof dims[0]);
    dims[0] = (bp_dim){.value = dims[0].value < 0 ? -1 : dims[0].value * times_of(node)};
    return node->set(node->h, 0, BP_DTYPE_NONE, x->rank, dims, err);
}

/* Y has the sizes that the elements of the input are, as far as they are known. */
static bp_rc fill_shape(const bp_op_shapes *node, bp_err *err)
{
    const bp_operator_fact *shape = BP_AT(bp_operator_fact, node->in, node->in_stride, 0);
    bp_dim dims[8];

    if (!shape->content)
        return node->set(node->h, 0, BP_DTYPE_NONE, BP_RANK_UNKNOWN, NULL, err);
    if (shape->n_content > 8)
        return bp_fail(err, BP_E_SHAPE, "Y would have rank %u, at most 8",
                       (unsigned)shape->n_content);
    for (uint32_t d = 0; d < shape->n_content; d++)
        dims[d] = (bp_dim){.value = shape->content[d]};
    return node->set(node->h, 0, BP_DTYPE_NONE, shape->n_content, dims, err);
}

static bp_rc count_shape(const bp_op_shapes *node, bp_err *err)
{
    return node->set(node->h, 0, BP_DTYPE_NONE, 0, NULL, err);
}

static const bp_operand one_input[] = {{"X", F32, 0, 1, 0, 0}};
static const bp_operand one_output[] = {{"Y", F32, 0, 1, 0, 0}};
static const bp_operand scale_inputs[] = {
    {"X", F32, 0, 1, 0, 0},
#if DECLARES == OTHER
    {"offset", F32, 0, 1, 0, 0},
#else
    {"offset", F32, BP_OPERAND_OPTIONAL, 1, 0, 0},
#endif
};
static const bp_op_attr scale_attrs[] = {
    {.struct_size = sizeof(bp_op_attr),
     .flags = BP_OP_ATTR_DEFAULT,
     .name = "factor",
#if DECLARES == GARBLED
     .type = BP_ATTR_STRING,
#else
     .type = BP_ATTR_FLOAT,
#endif
     .def_float = 2},
};
static const bp_op_attr repeat_attrs[] = {
    {.struct_size = sizeof(bp_op_attr),
     .flags = BP_OP_ATTR_REQUIRED,
     .name = "times",
     .type = BP_ATTR_INT},
};
static const bp_op_attr fill_attrs[] = {
    {.struct_size = sizeof(bp_op_attr),
     .flags = BP_OP_ATTR_REQUIRED | BP_OP_ATTR_LIST,
     .name = "values",
     .type = BP_ATTR_INT},
};
static const bp_operand fill_inputs[] = {
    {"shape", UINT64_C(1) << BP_DTYPE_I64, BP_OPERAND_CONTENT, 0, 0, 0}};
static const bp_operand count_inputs[] = {
    {"inputs", 0, BP_OPERAND_VARIADIC | BP_OPERAND_MIXED, 0, 2, 0}};
static const bp_operand count_outputs[] = {{"N", UINT64_C(1) << BP_DTYPE_I64, 0, 0, 0, 0}};

static const bp_op_schema schemas[] = {
    {.struct_size = sizeof(bp_op_schema),
#if DECLARES == ONNX
     .domain = "",
#else
     .domain = DOMAIN,
#endif
     .name = "Scale",
     .since = 1,
     .in = scale_inputs,
     .out = one_output,
     .n_in = 2,
     .n_out = 1,
     .attrs = scale_attrs,
     .n_attrs = 1,
     .attr_stride = sizeof(bp_op_attr),
     .shapes = same_shape},
    {.struct_size = sizeof(bp_op_schema),
     .domain = DOMAIN,
     .name = "Repeat",
     .since = 1,
     .in = one_input,
     .out = one_output,
     .n_in = 1,
     .n_out = 1,
     .attrs = repeat_attrs,
     .n_attrs = 1,
     .attr_stride = sizeof(bp_op_attr),
     .shapes = repeat_shape},
    {.struct_size = sizeof(bp_op_schema),
     .domain = DOMAIN,
     .name = "Fill",
     .since = 1,
     .in = fill_inputs,
     .out = one_output,
     .n_in = 1,
     .n_out = 1,
     .attrs = fill_attrs,
     .n_attrs = 1,
     .attr_stride = sizeof(bp_op_attr),
     .shapes = fill_shape},
    {.struct_size = sizeof(bp_op_schema),
     .domain = DOMAIN,
     .name = "Count",
     .since = 1,
     .in = count_inputs,
     .out = count_outputs,
     .n_in = 1,
     .n_out = 1,
     .shapes = count_shape},
    {.struct_size = sizeof(bp_op_schema),
#if DECLARES == KNOWN
     .domain = "com.microsoft",
     .name = "Gelu",
#elif DECLARES == TWICE
     .domain = DOMAIN,
     .name = "Repeat",
#elif DECLARES == QUOTED
     .domain = DOMAIN,
     .name = "Posi\"tive\\",
#else
     .domain = DOMAIN,
     .name = "Positive",
#endif
     .flags = BP_OP_ANY_ATTR,
     .since = 1,
     .in = one_input,
     .out = one_output,
     .n_in = 1,
     .n_out = 1},
};

/* ---- the provider ---------------------------------------------------------------------------- */

struct bp_instance {
    const bp_host *host;
};

/* A program is one node after the other; their values are in no need of memory between. */
struct bp_program {
    const bp_graph *graph;
};

struct bp_frame {
    const bp_program *program;
    const bp_frame_desc *desc;
};

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    bp_instance *instance = (bp_instance *)calloc(1, sizeof *instance);

    (void)opts;
    (void)n_opts;
    (void)devs;
    (void)n_devs;
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    instance->host = host;
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    free(instance);
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    (void)instance;
    (void)err;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (strcmp(BP_NODE(g, n)->domain, DOMAIN) == 0)
            bp_accept(claims, n);
        else
            bp_refuse(claims, n, BP_R_OP, NULL, MOCK_NAME " runs operators of its own only");
    }
    return BP_OK;
}

/* One node for each group keeps the mock small: more are given back. */
static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    bp_program *program;

    (void)instance;
    (void)what;
    if (g->n_nodes != 1)
        return bp_fail(err, BP_E_UNSUPPORTED, "a group of %u nodes", g->n_nodes);
    program = (bp_program *)calloc(1, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    program->graph = g;
    *out = program;
    return BP_OK;
}

static void program_free(bp_program *program)
{
    free(program);
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    bp_frame *frame = (bp_frame *)calloc(1, sizeof *frame);

    (void)needs;
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    frame->program = program;
    frame->desc = desc;
    *out = frame;
    return BP_OK;
}

static void frame_free(bp_frame *frame)
{
    free(frame);
}

static size_t count(const bp_tensor *tensor)
{
    return (size_t)bp_dims_count(tensor->dims, tensor->rank);
}

/* y = x * factor + offset, a scalar. */
static void scale(const bp_graph *g, const bp_frame_desc *desc)
{
    float factor = bp_node_float(g, BP_NODE(g, 0), "factor", 0);
    float offset = desc->n_in > 1 ? *(const float *)bp_tensor_data(&desc->in[1]) : 0;
    const float *x = (const float *)bp_tensor_data(&desc->in[0]);
    float *y = (float *)bp_tensor_data(&desc->out[0]);

    for (size_t i = 0; i < count(&desc->in[0]); i++)
        y[i] = x[i] * factor + offset;
}

static void repeat(const bp_frame_desc *desc)
{
    size_t n = count(&desc->in[0]);
    const float *x = (const float *)bp_tensor_data(&desc->in[0]);
    float *y = (float *)bp_tensor_data(&desc->out[0]);

    for (size_t i = 0; n > 0 && i < count(&desc->out[0]); i++)
        y[i] = x[i % n];
}

/* The attribute's values, over and over. */
static void fill(const bp_graph *g, const bp_frame_desc *desc)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(g, BP_NODE(g, 0), "values", &n);
    float *y = (float *)bp_tensor_data(&desc->out[0]);

    for (size_t i = 0; n > 0 && i < count(&desc->out[0]); i++)
        y[i] = (float)values[i % n];
}

/* The elements of all inputs. */
static void count_all(const bp_frame_desc *desc)
{
    int64_t *n = (int64_t *)bp_tensor_data(&desc->out[0]);

    *n = 0;
    for (uint32_t i = 0; i < desc->n_in; i++)
        *n += (int64_t)count(&desc->in[i]);
}

/* The elements above zero, as a vector. */
static bp_rc positive(const bp_frame_desc *desc, bp_err *err)
{
    const float *x = (const float *)bp_tensor_data(&desc->in[0]);
    int64_t n = 0;
    float *y;
    bp_rc rc;

    for (size_t i = 0; i < count(&desc->in[0]); i++)
        n += x[i] > 0;
    rc = desc->alloc_output(desc->h, 0, 1, &n, err);
    y = (float *)bp_tensor_data(&desc->out[0]);
    for (size_t i = 0; rc >= 0 && i < count(&desc->in[0]); i++) {
        if (x[i] > 0)
            *y++ = x[i];
    }
    return rc;
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_graph *g = frame->program->graph;
    const char *op = BP_NODE(g, 0)->op;

    (void)run;
    if (strcmp(op, "Positive") == 0)
        return positive(frame->desc, err);
    if (strcmp(op, "Repeat") == 0)
        repeat(frame->desc);
    else if (strcmp(op, "Fill") == 0)
        fill(g, frame->desc);
    else if (strcmp(op, "Count") == 0)
        count_all(frame->desc);
    else
        scale(g, frame->desc);
    return BP_OK;
}

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES,
    .id = "org.backplane." MOCK_NAME,
    .name = MOCK_NAME,
    .version = "0.1",
    .vendor = "Backplane's tests",
    .create = create,
    .destroy = destroy,
    .capability = capability,
    .compile = compile,
    .program_free = program_free,
    .frame_create = frame_create,
    .frame_free = frame_free,
    .execute = execute,
    .schemas = schemas,
    .n_schemas = sizeof schemas / sizeof schemas[0],
#if DECLARES == SHORT
    .schema_stride = 8,
#else
    .schema_stride = sizeof schemas[0],
#endif
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

BP_MANIFEST("id=org.backplane." MOCK_NAME "\n"
            "name=" MOCK_NAME "\n"
            "version=0.1\n"
            "license=MIT");

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc = bp_host_check(host, MOCK_NAME, err);

    if (rc >= 0)
        *out = &module;
    return rc;
}
