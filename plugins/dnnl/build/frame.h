/* SPDX-License-Identifier: MIT */
/* frame.h - a program prepared for one set of shapes: primitives, their memory and their order. */
#ifndef BP_DNNL_FRAME_H
#define BP_DNNL_FRAME_H

#include <bp/arena.h>
#include <bp/sdk.h>
#include <common/blocks.h>
#include <dnnl.h>
#include <stdbool.h>

struct bp_dnnl_step;
struct bp_dnnl_weight;

struct bp_frame {
    struct bp_blocks memory; /* holds all of this, the frame itself too */
    bp_program *program;
    const bp_frame_desc *desc; /* the host's: shapes, buffers, scratch */
    dnnl_stream_t stream;
    struct bp_dnnl_step *steps, **end; /* a list, and where the next one is linked */
    struct bp_dnnl_weight *weights;    /* taken from the host's service, see constants.c */
    bp_arena_item *items;              /* of scratch memory; offsets in bytes */
    uint32_t items_cap;
    uint32_t threads; /* of the team that primitives were made for */
    /* The buffers that steps were told of. */
    void *scratch;
    uint32_t io_epoch;
    bool is_bound;
    uint32_t is_stopped; /* atomic: a loop of this run found that it should stop */
};

#endif
