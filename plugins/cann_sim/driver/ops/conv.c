/* SPDX-License-Identifier: MIT */
/* conv.c - Conv2D, of 1-D data too, and Conv3D, with groups, dilations and bias; NCHW only. */
#include <string.h>

#include "core/interrupt.h"
#include "ops/window.h"

/*
 * Sets the padding before the input and the output's size: floor((in + pads - span) / stride) + 1,
 * where span is the extent of a dilated kernel. SAME pads to ceil(in / stride) outputs, the odd pad
 * at the end (SAME_UPPER) or at the start; VALID pads nothing.
 */
static aclError set_extent(struct sim_call *call, const aclopAttr *attr, size_t spatial)
{
    struct sim_window *window = &call->params.window;
    const char *mode = "NOTSET";
    int64_t end[3];
    aclError rc;

    if (!sim_attr_string(attr, "auto_pad", &mode))
        return sim_refuse(call, "auto_pad has to be a string");
    if (strcmp(mode, "SAME_UPPER") == 0 || strcmp(mode, "SAME_LOWER") == 0) {
        sim_window_same(window, mode[5] == 'L');
        return 0;
    }
    rc = sim_window_pads(call, attr, spatial, window->pad, end);
    if (rc)
        return rc;
    if (strcmp(mode, "VALID") == 0)
        for (size_t i = 0; i < 3; i++)
            window->pad[i] = end[i] = 0;
    else if (strcmp(mode, "NOTSET") != 0)
        return sim_refuse(call, "auto_pad %s", mode);
    for (size_t i = 0; i < 3; i++) {
        int64_t span = window->dilation[i] * (window->kernel[i] - 1) + 1;
        int64_t slack = window->in[i] + window->pad[i] + end[i] - span;

        window->out[i] = slack < 0 ? 0 : slack / window->stride[i] + 1;
    }
    return 0;
}

/* Checks channels against the filters: W is [out_channels, channels / groups, kernel...]. */
static aclError set_groups(struct sim_call *call, const aclopAttr *attr)
{
    struct sim_window *window = &call->params.window;
    const struct sim_shape *x = &call->in[0].shape, *w = &call->in[1].shape;

    window->groups = 1;
    /* the vendor's name is the first; ONNX Runtime's provider writes the second */
    if (!sim_attr_int(attr, "groups", &window->groups) ||
        !sim_attr_int(attr, "group", &window->groups) || window->groups < 1)
        return sim_refuse(call, "groups is not an integer of at least 1");
    window->batch = x->dims[0];
    window->channels = x->dims[1];
    window->out_channels = w->dims[0];
    if (w->dims[1] != x->dims[1] / window->groups || x->dims[1] % window->groups ||
        w->dims[0] % window->groups)
        return sim_refuse(call,
                          "%lld channels and filters for %lld by %lld do not go in %lld groups",
                          (long long)x->dims[1], (long long)w->dims[0], (long long)w->dims[1],
                          (long long)window->groups);
    if (call->inputs > 2 && !call->in[2].absent &&
        (call->in[2].shape.rank != 1 || call->in[2].shape.dims[0] != w->dims[0]))
        return sim_refuse(call, "the bias is not one value per filter");
    if (call->inputs > 3 && !call->in[3].absent)
        return sim_refuse(call, "offset_w: the simulator has none");
    return 0;
}

/*
 * 1-D data, of rank 3, are computed as images of height 1. Each output counts two operations for
 * every weight of its filter.
 */
static aclError prepare(struct sim_call *call, const aclopAttr *attr)
{
    struct sim_window *window = &call->params.window;
    const struct sim_shape *x = &call->in[0].shape, *w = &call->in[1].shape;
    size_t spatial = x->rank - 2, max_spatial = call->op->code == 3 ? 3 : 2;
    aclError rc;

    if (x->rank < 3 || spatial > max_spatial || (max_spatial == 3 && spatial != 3) ||
        w->rank != x->rank)
        return sim_refuse(call, "an input of rank %zu with filters of rank %zu", x->rank, w->rank);
    for (size_t i = 0; i < 3; i++) {
        window->in[i] = i + spatial < 3 ? 1 : x->dims[i + spatial - 1];
        window->kernel[i] = i + spatial < 3 ? 1 : w->dims[i + spatial - 1];
    }
    rc = sim_window_format(call, attr);
    if (!rc)
        rc = sim_window_list(call, attr, "strides", spatial, window->stride);
    if (!rc)
        rc = sim_window_list(call, attr, "dilations", spatial, window->dilation);
    if (!rc)
        rc = set_groups(call, attr);
    if (!rc)
        rc = set_extent(call, attr, spatial);
    if (!rc)
        rc = sim_window_result(call, spatial);
    call->work = 2 * (double)sim_shape_count(&call->result[0]) *
                 (double)(w->dims[1] * window->kernel[0] * window->kernel[1] * window->kernel[2]);
    return rc;
}

/*
 * The outputs from..to (exclusive) for which the window's element at offset `at` lies inside the
 * input, so that the inner loop needs no test of padding.
 */
static void overlap(int64_t in, int64_t out, int64_t stride, int64_t at, int64_t *from, int64_t *to)
{
    *from = at >= 0 ? 0 : (-at + stride - 1) / stride;
    *to = at >= in ? 0 : (in - 1 - at) / stride + 1;
    if (*to > out)
        *to = out;
}

#define T float
#define NAME run_floats
#define PLANE plane_floats
#include "ops/conv.inc"
#undef T
#undef NAME
#undef PLANE

#define T double
#define NAME run_doubles
#define PLANE plane_doubles
#include "ops/conv.inc"

/* A row: ACL's name, and the number of spatial dimensions that it takes at most. */
#define CONV(variable, name, dimensions)                                                           \
    const struct sim_op sim_op_##variable = {                                                      \
        .type = name,                                                                              \
        .min_inputs = 2,                                                                           \
        .max_inputs = 4,                                                                           \
        .outputs = 1,                                                                              \
        .cube = true,                                                                              \
        .code = dimensions,                                                                        \
        .types = SIM_REAL,                                                                         \
        .prepare = prepare,                                                                        \
        .floats = run_floats,                                                                      \
        .doubles = run_doubles,                                                                    \
    };

CONV(conv2d, "Conv2D", 2)
CONV(conv3d, "Conv3D", 3)
