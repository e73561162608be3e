/* SPDX-License-Identifier: MIT */
/*
 * tune.h - with the option `tune`, ways to compute something are timed where a session first meets it;
 * answers are the instance's and, with a cache folder, kept there for later ones.
 */
#ifndef BP_OPENCL_TUNE_H
#define BP_OPENCL_TUNE_H

#include "build/builder.h"

/* Adds the steps of candidate i to b; operands are stand-ins of what `data` has. */
typedef void (*bp_opencl_candidate)(struct bp_opencl_builder *b, uint32_t i, const void *data);

/*
 * The fastest of n candidates for what `key` describes, without blanks: sizes and all else that times
 * depend on beside the device. `fixed` without the option, or where none of them runs.
 */
uint32_t bp_opencl_tune(struct bp_opencl_builder *b, const char *key, uint32_t n, uint32_t fixed,
                        bp_opencl_candidate add, const void *data);
/* For candidates: a tensor like this one in memory of b, constant if it is. */
struct bp_opencl_tensor bp_opencl_stand_in(struct bp_opencl_builder *b,
                                           const struct bp_opencl_tensor *of);

/* Frees the answers of an instance. */
void bp_opencl_tuned_free(bp_instance *instance);

#endif
