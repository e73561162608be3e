/* SPDX-License-Identifier: MIT */
/* window.h - attributes that Conv and the pools share; see window.c. */
#ifndef SIM_WINDOW_H
#define SIM_WINDOW_H

#include "ops/op.h"

aclError sim_window_format(const struct sim_call *call, const aclopAttr *attr);
/* The last `spatial` of three numbers from a list; 1 without it. */
aclError sim_window_list(const struct sim_call *call, const aclopAttr *attr, const char *name,
                         size_t spatial, int64_t *out);
/* "pads" is begin and end of each dimension in turn: top, bottom, left, right. */
aclError sim_window_pads(const struct sim_call *call, const aclopAttr *attr, size_t spatial,
                         int64_t *begin, int64_t *end);
void sim_window_same(struct sim_window *window, bool more_at_start);
/* The shape of the result, from window.out. */
aclError sim_window_result(struct sim_call *call, size_t spatial);

#endif
