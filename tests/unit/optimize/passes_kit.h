/* SPDX-License-Identifier: MIT */
/* passes_kit.h - what the tests of passes share, on top of kit.h: a model run at each level. */
#ifndef BP_TESTS_PASSES_KIT_H
#define BP_TESTS_PASSES_KIT_H

#include "support/session_kit.h"

enum { MOST_OUTPUTS = 4 };

/* Creates kit.options again with this level; kit.session must not exist. */
void passes_open_at(uint32_t level);
/* Operators of all nodes of kit.session in their order, with a blank between. */
const char *passes_ops(void);
/* Its row of the report. */
bp_report_node passes_node(const char *name);
/* How often a pass that ran has matched. */
uint32_t passes_matches(const char *pass);

struct passes_result {
    bp_binding out[MOST_OUTPUTS];
    uint32_t n;
};

/* Feeds each input (float32, sizes known; 3 where not) with numbers of the seed. */
void passes_run(uint64_t seed, struct passes_result *result);
void passes_forget(struct passes_result *result);
/* How far results may be apart, besides 1e-4 relative to 1 + the result; 0 at first. */
extern float passes_step;
/* Are results near enough? `what` made the second. */
void passes_compare(const struct passes_result *want, const struct passes_result *got,
                    const char *what);
/*
 * The model after the passes of kit.options (flags as of bp_model_optimize), saved to memory and
 * opened again.
 */
struct passes_saved {
    bp_model *model;
    uint8_t *bytes;
    size_t size;
};
void passes_save(uint32_t flags, struct passes_saved *out);
void passes_unsave(struct passes_saved *saved);
/*
 * The model computes the same at every level, in the first run, the second, and saved. Behind it there
 * is a session at the highest level.
 */
void passes_same(void);
/* That, with an output "y" added, and it becomes these operators. */
void passes_becomes(const char *basic, const char *extended);
/* The same operators at both levels. */
void passes_gives(const char *ops);

/* An initializer of such dims with pseudo-random elements of the seed, none of them 0. */
void passes_floats(const char *name, const int64_t *dims, uint64_t seed);
void passes_scalar(const char *name, float value);
void passes_float_attr(const char *name, float value);

#endif
