/* SPDX-License-Identifier: MIT */
/*
 * optimize.h - rewrites a session's graph into one that computes the same with less. Passes are
 * rows of one table (passes.h). Knows no providers: it asks through the functions of struct
 * bp_optimizer.
 */
#ifndef BP_OPTIMIZE_OPTIMIZE_H
#define BP_OPTIMIZE_OPTIMIZE_H

#include "optimize/passes.h"

/* How a pass went, over the graph and all bodies. */
struct bp_pass_result {
    uint32_t n_matches;
    uint32_t nodes_before, nodes_after; /* of all graphs it ran over, at its first and last time */
    uint64_t ns;
};

struct bp_optimizer {
    uint32_t level;             /* BP_OPTIMIZE_*, never DEFAULT */
    uint64_t disabled;          /* bit i: pass i does not run */
    struct bp_symbols *symbols; /* its own, while it runs */
    void *h;
    /*
     * Runs a sealed graph without inputs and writes each output to the bytes of results[i], whose
     * type and dims it must have. NULL: nothing can be run. A failure is no error: the nodes stay
     * then.
     */
    bp_rc (*evaluate)(void *h, struct bp_ir *ir, struct bp_ir_data *const *results, bp_err *err);
    /*
     * Who would take each node of a sealed graph: any numbers, or BP_NONE for nobody and nodes that
     * the host runs. `only` is one of those numbers, who alone is asked, or BP_NONE: all are. NULL:
     * no passes that ask.
     */
    bp_rc (*takers)(void *h, struct bp_ir *ir, const struct bp_fact *facts,
                    const struct bp_symbols *symbols, uint32_t only, uint32_t *out, bp_err *err);
    /* Is that taker the CPU provider? NULL: none is. */
    bool (*is_cpu)(void *h, uint32_t taker);
    struct bp_pass_result results[BP_MAX_PASSES];
};

/*
 * Optimises a sealed graph and its bodies in place; it is sealed afterwards. A graph whose shapes
 * contradict each other is left as it is: who compiles it will say why. BP_E_NOMEM.
 */
bp_rc bp_optimize(struct bp_ir *ir, struct bp_optimizer *optimizer, bp_err *err) BP_CHECKED;

/* ---- for passes ------------------------------------------------------------------------------ */

/*
 * A node in the making that shall take the place of others: asks their provider first.
 * n_of nodes must all be of one taker (of[0] is the anchor), and it must take the node as well.
 */
struct bp_fusion {
    const char *op, *domain;
    uint32_t opset;
    uint32_t n_in, n_out, n_of, n_attrs;
    const uint32_t *in;
    const uint32_t *out; /* n_out values that nodes of `of` make, or BP_NONE; NULL: those of `last` */
    uint32_t last;       /* the node that becomes it, with its outputs */
    bool is_for_others;  /* not worth it on the CPU provider, whose parts are faster */
    const uint32_t *of;  /* all nodes that it stands for */
    const bp_attr *attrs;
};

/* Would the provider agree? Changes nothing. */
bp_rc bp_can_fuse(struct bp_rewrite *rw, const struct bp_fusion *fusion, bool *can,
                  bp_err *err) BP_CHECKED;
/* Does it unasked, and counts no match: of several at once, all were asked about before. */
bp_rc bp_do_fuse(struct bp_rewrite *rw, const struct bp_fusion *fusion, bp_err *err) BP_CHECKED;
/* Does it if the provider agrees; *done says whether. */
bp_rc bp_fuse(struct bp_rewrite *rw, const struct bp_fusion *fusion, bool *done,
              bp_err *err) BP_CHECKED;

#endif
