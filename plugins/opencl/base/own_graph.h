/* SPDX-License-Identifier: MIT */
/*
 * own_graph.h - a group's graph that was saved with its program, so that the program needs no
 * model. All sizes are known in it. Constants of any graph are read here.
 */
#ifndef BP_OPENCL_OWN_GRAPH_H
#define BP_OPENCL_OWN_GRAPH_H

#include "base/bytes.h"

#include <common/blocks.h>

/*
 * The bytes of a constant: the host's, or of a graph of ours. As bp_host.constant; of ours those
 * that are larger than 64 KiB are there only until bp_opencl_own_graph_keep().
 */
bp_rc bp_opencl_constant(const bp_host *host, const bp_graph *graph, uint32_t value, bp_span *out,
                         bp_err *err);

/* Is it one of ours? */
bool bp_opencl_is_own(const bp_graph *graph);

/* Sizes have to be known. BP_E_UNSUPPORTED: an attribute is of a kind that is not saved. */
bp_rc bp_opencl_graph_save(const bp_host *host, const bp_graph *graph, struct bp_opencl_writer *w,
                           bp_err *err);
/*
 * Reads a graph into memory; constants and texts lie in the reader's bytes. Every index is checked.
 * BP_E_STALE, BP_E_NOMEM
 */
bp_rc bp_opencl_graph_load(struct bp_blocks *memory, struct bp_opencl_reader *r,
                           const bp_graph **out, bp_err *err);
/* Copies what lies in the reader's bytes, which may go then, but for large constants. */
bp_rc bp_opencl_own_graph_keep(struct bp_blocks *memory, const bp_graph *graph, bp_err *err);
/* One a value, in memory; sizes that are not known are -1. NULL: no memory. */
bp_shape *bp_opencl_graph_shapes(struct bp_blocks *memory, const bp_graph *graph);

#endif
