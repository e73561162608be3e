/* SPDX-License-Identifier: MIT */
/*
 * window.h - attributes that convolutions and pooling share. For prepare(): failures are as of
 * sim_refuse(), and results go into call->params.window.
 */
#ifndef SIM_WINDOW_H
#define SIM_WINDOW_H

#include "ops/op.h"

/* Refuses every layout but NCHW and NCDHW. */
aclError sim_window_format(const struct sim_call *call, const aclopAttr *attr);
/*
 * Reads a list such as "strides" into the last `spatial` numbers of out[3]; the others, and all of
 * them without the attribute, are 1.
 */
aclError sim_window_list(const struct sim_call *call, const aclopAttr *attr, const char *name,
                         size_t spatial, int64_t *out);
/*
 * Reads "pads", begin and end of each dimension in turn (top, bottom, left, right), into the last
 * `spatial` numbers of begin[3] and end[3]. Unlike ONNX, where all begins come first.
 */
aclError sim_window_pads(const struct sim_call *call, const aclopAttr *attr, size_t spatial,
                         int64_t *begin, int64_t *end);
/*
 * Sets outputs and padding before the input for "SAME": as many outputs as the input divided by the
 * stride, rounded up; an odd pad goes to the end, or with more_at_start to the start.
 */
void sim_window_same(struct sim_window *window, bool more_at_start);
/* Sets the result's shape from window.out; refuses one without elements. */
aclError sim_window_result(struct sim_call *call, size_t spatial);

#endif
