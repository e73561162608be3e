/* SPDX-License-Identifier: MIT */
/* fixed.h - sizes that an application gives to the named dimensions of a model. */
#ifndef BP_GRAPH_SYMBOL_FIXED_H
#define BP_GRAPH_SYMBOL_FIXED_H

#include "base/status.h"

/* A dimension by its name (dim_param) or by its denotation ("DATA_BATCH"). */
struct bp_fixed_size {
    char *name;
    int64_t size;
    bool is_denotation;
};

/* Owned. Start from {0}. */
struct bp_fixed_list {
    struct bp_fixed_size *rows;
    uint32_t count;
};

/*
 * Sets the size of a dimension, in place of an earlier one. BP_E_INVALID: no name, or a negative
 * size.
 */
bp_rc bp_fixed_list_set(struct bp_fixed_list *list, const char *name, bool is_denotation,
                        int64_t size, bp_err *err) BP_CHECKED;
bp_rc bp_fixed_list_copy(struct bp_fixed_list *to, const struct bp_fixed_list *from,
                         bp_err *err) BP_CHECKED;
/* Index of the row, or BP_NONE. list and name may be NULL. */
uint32_t bp_fixed_list_find(const struct bp_fixed_list *list, const char *name, bool is_denotation);
void bp_fixed_list_finish(struct bp_fixed_list *list); /* {0} is fine */

#endif
