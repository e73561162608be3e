/* SPDX-License-Identifier: MIT */
/* make_partition.h - asks providers which nodes they take, and makes groups of them. */
#ifndef BP_PLAN_MAKE_PARTITION_H
#define BP_PLAN_MAKE_PARTITION_H

#include "plan/partition.h"

struct bp_placement;

/*
 * Asks in order and groups what they take. Everything in *out comes from region. A provider that
 * fails to answer takes nothing; *failed (n_asked codes, the caller's, with texts in region) says
 * why.
 */
struct bp_ask_failure {
    bp_rc rc;
    uint32_t detail; /* BP_DETAIL_* */
    const char *text;
};
bp_rc bp_partition_create(const struct bp_ir *ir, const struct bp_fact *facts,
                          struct bp_symbols *symbols, const struct bp_asked *asked,
                          uint32_t n_asked, struct bp_region *region, struct bp_partition *out,
                          struct bp_ask_failure *failed, bp_err *err) BP_CHECKED;

/*
 * The same under rules (placement NULL: none): they turn verdicts into BP_NO, BP_R_OPTION, with the
 * rule as the subject. Of rules that name a provider to run a node, the first counts; that provider
 * comes before all others then, which are asked in order if it refuses.
 */
bp_rc bp_partition_create_with_placement(const struct bp_ir *ir, const struct bp_fact *facts,
                                         struct bp_symbols *symbols, const struct bp_asked *asked,
                                         uint32_t n_asked, const struct bp_placement *placement,
                                         struct bp_region *region, struct bp_partition *out,
                                         struct bp_ask_failure *failed, bp_err *err) BP_CHECKED;

#endif
