/* SPDX-License-Identifier: MIT */
/*
 * builder.h - a frame in the making: which tensors exist, in which layouts and where. Steps are
 * added in the order in which they will run.
 *
 * All of it is for one thread, with the thread team held. Indices of values and nodes are those of
 * the graph. What functions hand out lives as long as the frame.
 */
#ifndef BP_DNNL_BUILDER_H
#define BP_DNNL_BUILDER_H

#include <bp/arena.h>
#include <bp/sdk.h>
#include <common/blocks.h>
#include <dnnl.h>
#include <stdbool.h>

struct bp_dnnl_conv_choice;
struct bp_dnnl_quant_rows;

/* Where bytes lie; addresses of the first three are known when the frame runs. */
enum {
    BP_DNNL_NOWHERE,
    BP_DNNL_SCRATCH, /* in scratch memory: item `index` of the arena */
    BP_DNNL_INPUT,   /* in the frame's input `index` */
    BP_DNNL_OUTPUT,  /* in the frame's output `index` */
    BP_DNNL_FIXED    /* at `fixed`, for as long as the frame lives */
};

struct bp_dnnl_location {
    uint32_t kind, index;
    size_t offset;     /* bytes from its beginning */
    const void *fixed; /* of BP_DNNL_FIXED alone; offset is in it already */
};

/* A tensor in one layout; oneDNN's dnnl_memory before there is an address. */
struct bp_dnnl_tensor {
    dnnl_memory_desc_t md;
    struct bp_dnnl_location location;
};

/* A value of the graph. */
struct bp_dnnl_value {
    dnnl_dims_t dims; /* of rank 0: one dimension of 1, as oneDNN has no scalars */
    int rank;
    bool is_known; /* it has a shape */
    const struct bp_dnnl_quant_rows
        *quantized;                   /* constant bytes to dequantise as weights are; or NULL */
    uint32_t n_tensors;               /* layouts in which it exists so far */
    struct bp_dnnl_tensor tensors[2]; /* the first is the one that it was made in */
    uint32_t uses_left; /* reads by nodes that are not built yet, and one for a graph output */
    /* Of an in-place Concat's output: some input lies in concat_buffer already. */
    bool has_concat_buffer;
    struct bp_dnnl_tensor concat_buffer;
};

struct bp_dnnl_builder {
    bp_frame *frame;
    const bp_host *host;
    const bp_instance *instance;
    const bp_graph *graph;
    struct bp_blocks *memory;     /* of the frame */
    struct bp_dnnl_value *values; /* one a value */
    /* Scratch memory: an item is live from the step that was next when it was made to the last one
       that takes it as an argument. */
    bp_arena_item *items;
    uint32_t *item_uses; /* one an item: reads of its values that are still to come */
    uint32_t n_items, items_cap;
    uint32_t node;         /* that is being built */
    uint32_t n_steps;      /* so far */
    bool is_single_thread; /* steps are made for the calling thread alone */
    bool is_blocked;       /* convolutions work on blocks of 16 channels, see build/conv_layout.h */
    const struct bp_dnnl_conv_choice *choice; /* what autotune measured; NULL: conv_layout.h's */
};

/*
 * Scratch memory for a tensor, live for the steps that take it as an argument. It is not a value's:
 * bp_dnnl_view() makes it one. BP_E_NOMEM.
 */
bp_rc bp_dnnl_temporary(struct bp_dnnl_builder *b, const dnnl_memory_desc_t *md,
                        struct bp_dnnl_tensor *out, bp_err *err);
/* The value exists at that location too, as md describes it. Of two layouts the first is kept. */
void bp_dnnl_view(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                  struct bp_dnnl_location location);
/* May the current node overwrite this tensor of one of its inputs, which has no other reader? */
bool bp_dnnl_may_overwrite(const struct bp_dnnl_builder *b, const struct bp_dnnl_tensor *tensor);
/* Is it the same in every run: an initializer, or one that is dequantised? */
bool bp_dnnl_is_constant(const struct bp_dnnl_builder *b, uint32_t value);
/* Primitives from here on are made for the calling thread alone, or for the whole team again. */
void bp_dnnl_use_one_thread(struct bp_dnnl_builder *b, bool is_single_thread);

/* The value that is the node's input i; NULL: absent. */
static inline struct bp_dnnl_value *bp_dnnl_in(const struct bp_dnnl_builder *b, const bp_node *node,
                                               uint32_t i)
{
    return i < node->n_in && node->in[i] != BP_NONE ? &b->values[node->in[i]] : NULL;
}

/* Do both begin at the same byte? Not for BP_DNNL_FIXED. */
static inline bool bp_dnnl_same_location(const struct bp_dnnl_location *a,
                                         const struct bp_dnnl_location *b)
{
    return a->kind == b->kind && a->index == b->index && a->offset == b->offset;
}

#endif
