/* SPDX-License-Identifier: MIT */
/*
 * program.h - a group of nodes, compiled: what is known of it before there are sizes. Frames of
 * several threads read it at once; only autotune writes to it later, with the thread team held.
 */
#ifndef BP_DNNL_PROGRAM_H
#define BP_DNNL_PROGRAM_H

#include <bp/sdk.h>
#include <common/blocks.h>
#include <stdbool.h>

struct bp_dnnl_chain;
struct bp_dnnl_conv_choice;
struct bp_dnnl_op;

struct bp_program {
    struct bp_blocks memory; /* holds all of this, the program itself too */
    bp_instance *instance;
    const bp_graph *graph;
    const struct bp_dnnl_op **ops; /* one a node: its row of the table */
    uint32_t *uses;                /* one a value: reads by nodes, and one for a graph output */
    struct bp_dnnl_chain *chains; /* one a node: the fused chain that ends there, or a zeroed one */
    bool *is_fused_away;          /* one a node: it runs with the last node of its chain */
    uint32_t *concat_of; /* one a value: the Concat in whose output it may be made, or BP_NONE */
    struct bp_dnnl_conv_choice *choices; /* what autotune measured, a list, the newest first */
};

#endif
