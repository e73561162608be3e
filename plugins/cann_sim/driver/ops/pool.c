/* SPDX-License-Identifier: MIT */
/* pool.c - MaxPoolV3 and AvgPoolV2, of 2-D images in NCHW. */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "ops/window.h"

enum { MAX, AVERAGE };

/*
 * Outputs along a dimension, `slack` being how far the window can move. With ceil_mode they are
 * rounded up, but the last window has to start inside the input or the padding before it, at less
 * than `last_start`.
 */
static int64_t pooled(int64_t slack, int64_t stride, bool ceil_mode, int64_t last_start)
{
    int64_t out;

    if (slack < 0)
        return 0;
    out = (slack + (ceil_mode ? stride - 1 : 0)) / stride + 1;
    if (ceil_mode && (out - 1) * stride >= last_start)
        out--;
    return out;
}

/*
 * padding_mode is CALCULATED (from pads), SAME or VALID; the vendor wants pads smaller than the
 * window.
 */
static aclError set_extent(struct sim_call *call, const aclopAttr *attr)
{
    struct sim_window *window = &call->params.window;
    const char *mode = "CALCULATED";
    int64_t ceil_mode = 0, end[3];
    aclError rc;

    if (!sim_attr_string(attr, "padding_mode", &mode) ||
        !sim_attr_int(attr, "ceil_mode", &ceil_mode))
        return sim_refuse(call, "padding_mode has to be a string, ceil_mode a bool");
    if (strcmp(mode, "SAME") == 0) {
        sim_window_same(window, false);
        return 0;
    }
    rc = sim_window_pads(call, attr, 2, window->pad, end);
    if (rc)
        return rc;
    if (strcmp(mode, "VALID") == 0)
        for (size_t i = 0; i < 3; i++)
            window->pad[i] = end[i] = 0;
    else if (strcmp(mode, "CALCULATED") != 0)
        return sim_refuse(call, "padding_mode %s", mode);
    window->out[0] = 1;
    for (size_t i = 1; i < 3; i++) {
        if (window->pad[i] >= window->kernel[i] || end[i] >= window->kernel[i])
            return sim_refuse(call, "pads have to be less than the window");
        window->out[i] =
            pooled(window->in[i] + window->pad[i] + end[i] - window->kernel[i], window->stride[i],
                   ceil_mode && strcmp(mode, "VALID") != 0, window->in[i] + window->pad[i]);
    }
    return 0;
}

/* ksize and strides, unless global_pooling makes the window all of the image. */
static aclError set_window(struct sim_call *call, const aclopAttr *attr)
{
    struct sim_window *window = &call->params.window;
    int64_t global = 0;
    aclError rc;

    for (size_t i = 0; i < 3; i++)
        window->stride[i] = window->dilation[i] = window->out[i] = 1;
    if (!sim_attr_int(attr, "global_pooling", &global))
        return sim_refuse(call, "global_pooling has to be a bool");
    if (global) {
        memcpy(window->kernel, window->in, sizeof window->kernel);
        return 0;
    }
    if (!sim_attr_has(attr, "ksize") || !sim_attr_has(attr, "strides"))
        return sim_refuse(call, "ksize and strides are needed");
    rc = sim_window_list(call, attr, "ksize", 2, window->kernel);
    if (!rc)
        rc = sim_window_list(call, attr, "strides", 2, window->stride);
    return rc ? rc : set_extent(call, attr);
}

/*
 * `exclusive` says that padding does not count in an average, the opposite of ONNX's
 * count_include_pad. An operation counts per element of each window.
 */
static aclError prepare(struct sim_call *call, const aclopAttr *attr)
{
    struct sim_window *window = &call->params.window;
    const struct sim_shape *x = &call->in[0].shape;
    int64_t exclusive = 1;
    aclError rc;

    if (x->rank != 4)
        return sim_refuse(call, "an input of rank %zu, not 4", x->rank);
    window->batch = x->dims[0];
    window->channels = window->out_channels = x->dims[1];
    window->in[0] = 1;
    window->in[1] = x->dims[2];
    window->in[2] = x->dims[3];
    if (!sim_attr_int(attr, "exclusive", &exclusive))
        return sim_refuse(call, "exclusive has to be a bool");
    window->exclude_pads = exclusive != 0;
    rc = sim_window_format(call, attr);
    if (!rc)
        rc = set_window(call, attr);
    if (!rc)
        rc = sim_window_result(call, 2);
    call->work =
        (double)sim_shape_count(&call->result[0]) * (double)(window->kernel[1] * window->kernel[2]);
    return rc;
}

#define T float
#define NAME run_floats
#define CELL cell_floats
#include "ops/pool.inc"
#undef T
#undef NAME
#undef CELL

#define T double
#define NAME run_doubles
#define CELL cell_doubles
#include "ops/pool.inc"

/* A row: ACL's name, and which of the two it is. */
#define POOL(variable, name, which)                                                                \
    const struct sim_op sim_op_##variable = {                                                      \
        .type = name,                                                                              \
        .min_inputs = 1,                                                                           \
        .max_inputs = 1,                                                                           \
        .outputs = 1,                                                                              \
        .code = which,                                                                             \
        .types = SIM_REAL,                                                                         \
        .prepare = prepare,                                                                        \
        .floats = run_floats,                                                                      \
        .doubles = run_doubles,                                                                    \
    };

POOL(max_pool, "MaxPoolV3", MAX)
POOL(avg_pool, "AvgPoolV2", AVERAGE)
