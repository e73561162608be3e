/* SPDX-License-Identifier: MIT */
/* sum_to.c - SumTo, an operator of this host's own (domain org.backplane), which gradients need. */

#include "config.h"

#include "graph/rules/rules.h"

/* The shape of `like`, which has to broadcast to that of x. */
static bp_rc infer_sum_to(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *like = bp_rule_in(infer, 1);

    if (bp_rule_ranked(x) && bp_rule_ranked(like)) {
        bp_rc rc = bp_rule_fits_onto(infer, x, like);

        if (rc < 0)
            return rc;
    }
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), like);
}

OWN_ROW(SumTo, 1, INFER(infer_sum_to),
        IN(P("x", 'T', FLOAT | INDEX), P("like", 'L', BP_T_ANY)), OUT(P("y", 'T', FLOAT | INDEX)));
