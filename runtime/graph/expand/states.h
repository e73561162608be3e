/* SPDX-License-Identifier: MIT */
/*
 * states.h - values that a run leaves for the next one: an output that becomes an input, as the
 * key/value cache of a decoder does.
 */
#ifndef BP_GRAPH_EXPAND_STATES_H
#define BP_GRAPH_EXPAND_STATES_H

#include "graph/ir.h"

/* Names of an input and of the output that it gets; a '*' in both stands for the same text. */
struct bp_state_names {
    char *input, *output;
};

/* What an application asks for. Owned. Start from {0}. */
struct bp_state_list {
    struct bp_state_names *rows;
    uint32_t count;
};

/* Appends a pair. BP_E_INVALID: a name is missing or empty, or the '*' of one is not in the other. */
bp_rc bp_state_list_add(struct bp_state_list *list, const char *input, const char *output,
                        bp_err *err) BP_CHECKED;
bp_rc bp_state_list_copy(struct bp_state_list *to, const struct bp_state_list *from,
                         bp_err *err) BP_CHECKED;
void bp_state_list_finish(struct bp_state_list *list);

/* One of them in a graph. */
struct bp_ir_state {
    const char *input, *output; /* of the graph's region */
    uint32_t rank;              /* that the input declares, or BP_RANK_UNKNOWN */
    uint32_t axis; /* the output is the input with more behind it along this; BP_NONE: it is new */
    bool is_moved; /* in the graph that axis is the first, so that it grows without a copy */
};

struct bp_ir_states {
    struct bp_ir_state *rows;
    uint32_t count;
};

/*
 * Finds the pairs in a graph that is not sealed yet. With may_move, an input that grows along another
 * than its first axis gets that axis as its first, and so does the output, with Transposes in between
 * for their readers: names stay. BP_E_INVALID: there is no such input or output, two pairs have the
 * same, or one is not a tensor.
 */
bp_rc bp_ir_find_states(struct bp_ir *ir, const struct bp_state_list *asked, bool may_move,
                        struct bp_ir_states *out, bp_err *err) BP_CHECKED;

#endif
