/* SPDX-License-Identifier: MIT */
/*
 * family.h - families of operators: the one taxonomy that files of rules and kernels, tests and
 * documents are sorted by.
 */
#ifndef BP_GRAPH_FAMILY_H
#define BP_GRAPH_FAMILY_H

/* In the order of lists; bp_operator_family() has a name and a line for each. */
enum {
    BP_FAMILY_NONE, /* an application's operators */
    BP_FAMILY_ELEMENTWISE,
    BP_FAMILY_REDUCTION,
    BP_FAMILY_TENSOR,
    BP_FAMILY_GATHER_SCATTER,
    BP_FAMILY_CONV_POOL,
    BP_FAMILY_MATMUL,
    BP_FAMILY_NORMALIZATION,
    BP_FAMILY_ATTENTION,
    BP_FAMILY_QUANTIZED,
    BP_FAMILY_RECURRENT,
    BP_FAMILY_IMAGE,
    BP_FAMILY_TEXT,
    BP_FAMILY_ML,
    BP_FAMILY_RANDOM,
    BP_FAMILY_SEQUENCE,
    BP_FAMILY_SIGNAL,
    BP_FAMILY_TRAINING,
    BP_FAMILY_CONTROL_FLOW,
    BP_FAMILY_END
};

#endif
