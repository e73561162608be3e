/* SPDX-License-Identifier: MIT */
/*
 * shape_list.h - sets of input shapes, by the names of the inputs, for sessions that do not exist
 * yet.
 */
#ifndef BP_SESSION_SHAPE_LIST_H
#define BP_SESSION_SHAPE_LIST_H

#include <backplane.h>

#include "base/region.h"
#include "base/status.h"

struct bp_shape_set {
    bp_named_shape *inputs;
    uint32_t n_inputs;
};

/* Owned. Start from {0}. */
struct bp_shape_list {
    struct bp_shape_set *rows;
    uint32_t count, cap;
    struct bp_region region; /* of what the rows point to */
};

/* Appends a copy of a set. BP_E_INVALID: it makes no sense for any model. */
bp_rc bp_shape_list_add(struct bp_shape_list *list, const bp_named_shape *inputs, uint32_t n_inputs,
                        bp_err *err) BP_CHECKED;
bp_rc bp_shape_list_copy(struct bp_shape_list *to, const struct bp_shape_list *from,
                         bp_err *err) BP_CHECKED;
void bp_shape_list_finish(struct bp_shape_list *list); /* {0} is fine */

#endif
