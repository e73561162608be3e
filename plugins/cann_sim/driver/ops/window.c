/* SPDX-License-Identifier: MIT */
/* window.c - what convolutions and pooling read of their attributes. */
#include "ops/window.h"

#include <string.h>

/* Both in the attribute and in the description of the first input. */
aclError sim_window_format(const struct sim_call *call, const aclopAttr *attr)
{
    const char *format = "NCHW";

    if (!sim_attr_string(attr, "data_format", &format) ||
        (strcmp(format, "NCHW") != 0 && strcmp(format, "NCDHW") != 0))
        return sim_refuse(call, "data_format %s: the simulator has NCHW and NCDHW", format);
    if (call->in[0].format == ACL_FORMAT_NHWC || call->in[0].format == ACL_FORMAT_NDHWC)
        return sim_refuse(call, "an input described as NHWC: the simulator has NCHW");
    return 0;
}

/*
 * The vendor's lists have two more numbers before, for batch and channels; those are not looked at.
 */
aclError sim_window_list(const struct sim_call *call, const aclopAttr *attr, const char *name,
                         size_t spatial, int64_t *out)
{
    int64_t values[5];
    size_t count;

    for (size_t i = 0; i < 3; i++)
        out[i] = 1;
    if (!sim_attr_ints(attr, name, 5, values, &count))
        return sim_refuse(call, "%s has to be a list of at most 5 integers", name);
    if (count == 0)
        return 0;
    /* of one spatial dimension, four numbers are those of an image of height 1 */
    if (count != spatial && count != spatial + 2 && !(spatial == 1 && count == 4))
        return sim_refuse(call, "%s has %zu elements", name, count);
    for (size_t i = 0; i < spatial; i++) {
        out[3 - spatial + i] = values[count - spatial + i];
        if (out[3 - spatial + i] < 1 || out[3 - spatial + i] > INT32_MAX)
            return sim_refuse(call, "%s has the value %lld", name,
                              (long long)values[count - spatial + i]);
    }
    return 0;
}

/* Of one spatial dimension, four numbers are those of an image of height 1: the last two count. */
aclError sim_window_pads(const struct sim_call *call, const aclopAttr *attr, size_t spatial,
                         int64_t *begin, int64_t *end)
{
    int64_t values[6];
    size_t count, skip = 0;

    for (size_t i = 0; i < 3; i++)
        begin[i] = end[i] = 0;
    if (!sim_attr_ints(attr, "pads", 6, values, &count))
        return sim_refuse(call, "pads has to be a list of at most 6 integers");
    if (count == 0)
        return 0;
    if (spatial == 1 && count == 4)
        skip = 2;
    if (count - skip != 2 * spatial)
        return sim_refuse(call, "pads has %zu elements for %zu dimensions", count, spatial);
    for (size_t i = 0; i < spatial; i++) {
        begin[3 - spatial + i] = values[skip + 2 * i];
        end[3 - spatial + i] = values[skip + 2 * i + 1];
        if (values[skip + 2 * i] < 0 || values[skip + 2 * i + 1] < 0 ||
            values[skip + 2 * i] > INT32_MAX || values[skip + 2 * i + 1] > INT32_MAX)
            return sim_refuse(call, "pads have to be 0 or more");
    }
    return 0;
}

/* Padding is what the outputs' windows need in sum, and never negative. */
void sim_window_same(struct sim_window *window, bool more_at_start)
{
    for (size_t i = 0; i < 3; i++) {
        int64_t span = window->dilation[i] * (window->kernel[i] - 1) + 1, pads;

        window->out[i] = (window->in[i] + window->stride[i] - 1) / window->stride[i];
        pads = (window->out[i] - 1) * window->stride[i] + span - window->in[i];
        if (pads < 0)
            pads = 0;
        window->pad[i] = (pads + more_at_start) / 2;
    }
}

/* Batch and channels, then the last `spatial` sizes. */
aclError sim_window_result(struct sim_call *call, size_t spatial)
{
    struct sim_window *window = &call->params.window;
    struct sim_shape *result = &call->result[0];

    result->rank = spatial + 2;
    result->dims[0] = window->batch;
    result->dims[1] = window->out_channels;
    for (size_t i = 3 - spatial; i < 3; i++) {
        if (window->out[i] < 1)
            return sim_refuse(call, "dimension %zu of the result would be less than 1",
                              i + spatial - 1);
        result->dims[i + spatial - 1] = window->out[i];
    }
    return 0;
}
