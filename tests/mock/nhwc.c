/* SPDX-License-Identifier: MIT */
/*
 * nhwc.c - a provider that wants its data channels-last (BP_PROVIDER_NHWC): Conv, MaxPool and
 * GlobalAveragePool of two spatial dimensions in float32, Relu, and Add of equal shapes. It says yes
 * to both layouts, so that a host which does not transpose is found out: execute refuses the other
 * one.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#define LAST "com.ms.internal.nhwc"

static const bp_option options[] = {
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "refuse",
     "operator that is refused when it is channels-last", "", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "decline", "compile refuses groups with this operator",
     "", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "most", "images that a frame takes, 0 for any", "0", NULL,
     0, 1000},
};

struct bp_instance {
    const bp_host *host;
    char refuse[64], decline[64];
    int64_t most;
};

struct bp_program {
    const bp_instance *instance;
    const bp_graph *graph;
};

struct bp_frame {
    const bp_program *program;
    const bp_frame_desc *desc;
    int64_t (*dims)[4]; /* one a value; ranks below 4 are not computed with */
    size_t *at;         /* one a value: where it begins in scratch */
};

/* The window of a Conv or MaxPool, in both spatial dimensions. */
struct window {
    int64_t size[2], stride[2], pad[2];
};

/* ---- claims ---------------------------------------------------------------------------------- */

static int has_layout(const bp_node *node)
{
    return strcmp(node->op, "Conv") == 0 || strcmp(node->op, "MaxPool") == 0 ||
           strcmp(node->op, "GlobalAveragePool") == 0;
}

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    bp_instance *instance = (bp_instance *)calloc(1, sizeof *instance);

    (void)n_opts;
    (void)devs;
    (void)n_devs;
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    instance->host = host;
    strncpy(instance->refuse, opts[0].str, sizeof instance->refuse - 1);
    strncpy(instance->decline, opts[1].str, sizeof instance->decline - 1);
    instance->most = opts[2].i;
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    free(instance);
}

/* Has the node only attributes that the kernels mind? */
static int is_simple(const bp_graph *g, const bp_node *node)
{
    for (uint32_t a = 0; a < node->n_attr; a++) {
        const bp_attr *attr = BP_ATTR(g, node->first_attr + a);
        const int64_t *ints = (const int64_t *)attr->data;

        if (strcmp(attr->name, "auto_pad") == 0) {
            const bp_span *text = (const bp_span *)attr->data;

            if (text->size != 6 || memcmp(text->data, "NOTSET", 6) != 0)
                return 0;
        }
        if ((strcmp(attr->name, "group") == 0 && ints[0] != 1) ||
            (strcmp(attr->name, "ceil_mode") == 0 && ints[0] != 0))
            return 0;
        for (uint32_t i = 0; strcmp(attr->name, "dilations") == 0 && i < attr->count; i++) {
            if (ints[i] != 1)
                return 0;
        }
    }
    return node->n_out == 1;
}

/* Add takes equal shapes: symbols say that of sizes that are not known. */
static int are_equal(const bp_value *a, const bp_value *b)
{
    if (a->rank == BP_RANK_UNKNOWN || a->rank != b->rank)
        return 0;
    for (uint32_t d = 0; d < a->rank; d++) {
        if (a->dims[d].value != b->dims[d].value ||
            (a->dims[d].value < 0 &&
             (a->dims[d].symbol == 0 || a->dims[d].symbol != b->dims[d].symbol)))
            return 0;
    }
    return 1;
}

static int takes(const bp_instance *instance, const bp_graph *g, const bp_node *node)
{
    int is_last = strcmp(node->domain, LAST) == 0;
    const bp_value *x = BP_VALUE(g, node->in[0]);

    if (x->dtype != BP_DTYPE_F32 || (node->domain[0] && !is_last))
        return 0;
    if (has_layout(node))
        return x->rank == 4 && is_simple(g, node) &&
               !(is_last && strcmp(node->op, instance->refuse) == 0);
    return strcmp(node->op, "Relu") == 0 ||
           (strcmp(node->op, "Add") == 0 && are_equal(x, BP_VALUE(g, node->in[1])));
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    (void)err;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (takes(instance, g, BP_NODE(g, n)))
            bp_accept(claims, n);
        else
            bp_refuse(claims, n, BP_R_OP, NULL, "not one of its operators");
    }
    return BP_OK;
}

static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    bp_program *program;

    (void)what;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (strcmp(BP_NODE(g, n)->op, instance->decline) == 0)
            return bp_fail(err, BP_E_UNSUPPORTED, "no group with %s", instance->decline);
    }
    program = (bp_program *)calloc(1, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    program->instance = instance;
    program->graph = g;
    *out = program;
    return BP_OK;
}

static void program_free(bp_program *program)
{
    free(program);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void frame_free(bp_frame *frame)
{
    if (frame) {
        free(frame->dims);
        free(frame->at);
    }
    free(frame);
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    uint32_t n_values = program->graph->n_values;
    bp_frame *frame;
    size_t n = 0;

    if (program->instance->most > 0 && desc->in[0].dims[0] > program->instance->most)
        return bp_fail(err, BP_E_SHAPE, "more than %lld images",
                       (long long)program->instance->most);
    frame = (bp_frame *)calloc(1, sizeof *frame);
    if (frame) {
        frame->dims = calloc(n_values + 1, sizeof *frame->dims);
        frame->at = (size_t *)calloc(n_values + 1, sizeof *frame->at);
    }
    if (!frame || !frame->dims || !frame->at) {
        frame_free(frame);
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    }
    frame->program = program;
    frame->desc = desc;
    for (uint32_t v = 0; v < n_values; v++) {
        const bp_shape *shape = &desc->shapes[v];

        for (uint32_t d = 0; d < shape->rank && d < 4; d++)
            frame->dims[v][d] = shape->dims[d];
        frame->at[v] = n;
        n += (size_t)bp_dims_count(shape->dims, shape->rank);
    }
    frame->at[n_values] = n;
    needs->scratch_bytes = n * sizeof(float);
    *out = frame;
    return BP_OK;
}

/* Where the elements of a value are during execute; constants are the model's. */
static bp_rc elements_of(const bp_frame *frame, uint32_t value, float **out, bp_err *err)
{
    const bp_graph *g = frame->program->graph;
    const bp_host *host = frame->program->instance->host;
    bp_span span = {NULL, 0};
    bp_rc rc;

    for (uint32_t i = 0; i < g->n_inputs; i++) {
        if (g->inputs[i] == value)
            *out = (float *)bp_tensor_data(&frame->desc->in[i]);
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        if (g->outputs[i] == value)
            *out = (float *)bp_tensor_data(&frame->desc->out[i]);
    }
    if (*out)
        return BP_OK;
    *out = (float *)frame->desc->scratch + frame->at[value];
    if (!(BP_VALUE(g, value)->flags & BP_VALUE_CONSTANT))
        return BP_OK;
    rc = host->constant(host->h, g, value, &span, err);
    if (rc >= 0)
        memcpy(*out, span.data, span.size);
    return rc;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const int64_t *ints_of(const bp_graph *g, const bp_node *node, const char *name)
{
    for (uint32_t a = 0; a < node->n_attr; a++) {
        const bp_attr *attr = BP_ATTR(g, node->first_attr + a);

        if (strcmp(attr->name, name) == 0 && attr->count >= 2)
            return (const int64_t *)attr->data;
    }
    return NULL;
}

static struct window window_of(const bp_graph *g, const bp_node *node, const int64_t *sizes)
{
    const int64_t *strides = ints_of(g, node, "strides"), *pads = ints_of(g, node, "pads");
    struct window w;

    for (int d = 0; d < 2; d++) {
        w.size[d] = sizes[d];
        w.stride[d] = strides ? strides[d] : 1;
        w.pad[d] = pads ? pads[d] : 0;
    }
    return w;
}

/* Element (n, h, w, c) of data that are channels-last; NULL: it is in the padding. */
static const float *at(const float *x, const int64_t *dims, int64_t n, int64_t h, int64_t w,
                       int64_t c)
{
    if (h < 0 || h >= dims[1] || w < 0 || w >= dims[2])
        return NULL;
    return x + ((n * dims[1] + h) * dims[2] + w) * dims[3] + c;
}

/* What the window at (h, w) sees of channel k: the product with its weights, or the largest. */
static float look(const struct window *win, const float *x, const int64_t *dims, int64_t n,
                  int64_t h, int64_t w, int64_t k, const float *weights)
{
    float sum = 0, most = -INFINITY;

    for (int64_t i = 0; i < win->size[0]; i++) {
        for (int64_t j = 0; j < win->size[1]; j++) {
            int64_t y = h * win->stride[0] - win->pad[0] + i;
            int64_t z = w * win->stride[1] - win->pad[1] + j;
            const float *one = at(x, dims, n, y, z, weights ? 0 : k);

            if (!one)
                continue;
            most = one[0] > most ? one[0] : most;
            for (int64_t c = 0; weights && c < dims[3]; c++)
                sum += one[c] * weights[((k * dims[3] + c) * win->size[0] + i) * win->size[1] + j];
        }
    }
    return weights ? sum : most;
}

static void slide(const struct window *win, const float *x, const int64_t *in, float *y,
                  const int64_t *out, const float *weights, const float *bias)
{
    for (int64_t n = 0; n < out[0]; n++) {
        for (int64_t h = 0; h < out[1]; h++) {
            for (int64_t w = 0; w < out[2]; w++) {
                for (int64_t k = 0; k < out[3]; k++)
                    *y++ = look(win, x, in, n, h, w, k, weights) + (bias ? bias[k] : 0);
            }
        }
    }
}

static void average(const float *x, const int64_t *in, float *y)
{
    for (int64_t n = 0; n < in[0]; n++) {
        for (int64_t c = 0; c < in[3]; c++) {
            float sum = 0;

            for (int64_t i = 0; i < in[1] * in[2]; i++)
                sum += x[(n * in[1] * in[2] + i) * in[3] + c];
            *y++ = sum / (float)(in[1] * in[2]);
        }
    }
}

static bp_rc run_node(const bp_frame *frame, const bp_node *node, bp_err *err)
{
    const bp_graph *g = frame->program->graph;
    const int64_t *dims = frame->dims[node->in[0]], *out = frame->dims[node->out[0]];
    float *in[3] = {NULL, NULL, NULL}, *y = NULL;
    size_t n = frame->at[node->out[0] + 1] - frame->at[node->out[0]];
    bp_rc rc = elements_of(frame, node->out[0], &y, err);
    struct window win;

    for (uint32_t i = 0; rc >= 0 && i < node->n_in && i < 3; i++) {
        if (node->in[i] != BP_NONE)
            rc = elements_of(frame, node->in[i], &in[i], err);
    }
    if (rc < 0)
        return rc;
    if (has_layout(node) && strcmp(node->domain, LAST) != 0)
        return bp_fail(err, BP_E_INTERNAL, "node '%s' is not channels-last", node->name);
    if (strcmp(node->op, "Conv") == 0) {
        win = window_of(g, node, frame->dims[node->in[1]] + 2);
        slide(&win, in[0], dims, y, out, in[1], in[2]);
    } else if (strcmp(node->op, "MaxPool") == 0) {
        win = window_of(g, node, ints_of(g, node, "kernel_shape"));
        slide(&win, in[0], dims, y, out, NULL, NULL);
    } else if (strcmp(node->op, "GlobalAveragePool") == 0) {
        average(in[0], dims, y);
    } else {
        for (size_t i = 0; i < n; i++)
            y[i] = in[1] ? in[0][i] + in[1][i] : in[0][i] > 0 ? in[0][i] : 0;
    }
    return BP_OK;
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_graph *g = frame->program->graph;
    bp_rc rc = BP_OK;

    (void)run;
    for (uint32_t n = 0; rc >= 0 && n < g->n_nodes; n++)
        rc = run_node(frame, BP_NODE(g, n), err);
    return rc;
}

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNINTERRUPTIBLE | BP_PROVIDER_NHWC,
    .id = "org.backplane.nhwc",
    .name = "nhwc",
    .version = "0.1",
    .vendor = "Backplane's tests",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .option_stride = sizeof options[0],
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

BP_MANIFEST("id=org.backplane.nhwc\n"
            "name=nhwc\n"
            "version=0.1\n"
            "license=MIT");

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc = bp_host_check(host, "nhwc", err);

    if (rc >= 0)
        *out = &module;
    return rc;
}
