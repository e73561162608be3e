/* SPDX-License-Identifier: MIT */
/* table.h - the operators that the host runs itself, and how to find the one of a node. */
#ifndef BP_EXEC_CONTROL_TABLE_H
#define BP_EXEC_CONTROL_TABLE_H

#include "exec/run.h"

/* How to run a node that is the host's; NULL: the host cannot. */
const struct bp_host_op *bp_host_op_find(const struct bp_ir_node *node);

/* The operators, by file. */
bp_rc bp_host_op_custom(struct bp_run_state *, const struct bp_unit *,
                        bp_err *); /* custom_operator.c */
bp_rc bp_host_op_if(struct bp_run_state *, const struct bp_unit *, bp_err *);       /* if.c */
bp_rc bp_host_op_loop(struct bp_run_state *, const struct bp_unit *, bp_err *);     /* loop.c */
bp_rc bp_host_op_scan(struct bp_run_state *, const struct bp_unit *, bp_err *);     /* scan.c */
bp_rc bp_host_op_identity(struct bp_run_state *, const struct bp_unit *, bp_err *); /* sequence.c */
bp_rc bp_host_op_sequence_at(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_sequence_construct(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_sequence_empty(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_sequence_erase(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_sequence_insert(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_sequence_length(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_sequence_map(struct bp_run_state *, const struct bp_unit *,
                              bp_err *); /* sequence_map.c */
bp_rc bp_host_op_split_to_sequence(struct bp_run_state *, const struct bp_unit *,
                                   bp_err *); /* split_to_sequence.c */
bp_rc bp_host_op_concat_from_sequence(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_optional(struct bp_run_state *, const struct bp_unit *, bp_err *); /* optional.c */
bp_rc bp_host_op_optional_get(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_optional_has(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_cast_map(struct bp_run_state *, const struct bp_unit *,
                          bp_err *); /* map_values.c */
bp_rc bp_host_op_dict_vectorizer(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_zip_map(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_beam_search(struct bp_run_state *, const struct bp_unit *,
                             bp_err *); /* generate.c */
bp_rc bp_host_op_greedy_search(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_sampling(struct bp_run_state *, const struct bp_unit *, bp_err *);
bp_rc bp_host_op_sparse_matmul(struct bp_run_state *, const struct bp_unit *,
                               bp_err *); /* sparse_matmul.c */

#endif
