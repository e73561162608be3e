/* SPDX-License-Identifier: MIT */
/*
 * optimize.h - rewrites a session's graph into one that computes the same with fewer nodes. The
 * passes are rows of one table (passes.h). This folder knows no providers: it asks through the
 * functions of struct bp_optimizer.
 *
 * Thread rule: one thread at a time has a graph and its optimizer; several graphs may be optimised
 * at once, as nothing here is global.
 */
#ifndef BP_OPTIMIZE_OPTIMIZE_H
#define BP_OPTIMIZE_OPTIMIZE_H

#include "optimize/passes.h"

/* What a pass did, summed over the graph and all its subgraphs. */
struct bp_pass_result {
    uint32_t n_matches;
    uint32_t nodes_before, nodes_after; /* before its first run, after its last */
    uint64_t ns;                        /* wall time, nanoseconds */
};

struct bp_optimizer {
    uint32_t level;             /* BP_OPTIMIZE_*, never DEFAULT */
    uint64_t disabled;          /* bit i: pass i does not run */
    struct bp_symbols *symbols; /* its own, while it runs */
    void *h;
    /*
     * Runs a sealed graph without inputs and writes each output to the bytes of results[i], whose
     * type and dims it must have. NULL: nothing can be run. A failure is not an error of the session:
     * the nodes stay, and each run computes them.
     */
    bp_rc (*evaluate)(void *h, struct bp_ir *ir, struct bp_ir_data *const *results, bp_err *err);
    /*
     * Which provider would claim each node of a sealed graph: an index of the caller's choice, or
     * BP_NONE for no provider and for host operators. `only` is one such index, the one provider that is
     * asked, or BP_NONE: all are. NULL: passes of the extended level do not run.
     */
    bp_rc (*takers)(void *h, struct bp_ir *ir, const struct bp_fact *facts,
                    struct bp_symbols *symbols, uint32_t only, uint32_t *out, bp_err *err);
    /* Is that index the CPU provider? NULL: none is. */
    bool (*is_cpu)(void *h, uint32_t taker);
    struct bp_pass_result results[BP_MAX_PASSES];
};

/*
 * Optimises a sealed graph and its subgraphs in place; it is sealed afterwards. A graph whose shapes
 * contradict each other is left as it is: the compiler reports the contradiction. Results that passes
 * compute belong to the graph's region. BP_E_NOMEM; BP_E_INTERNAL: a pass made a node that its schema refuses.
 */
bp_rc bp_optimize(struct bp_ir *ir, struct bp_optimizer *optimizer, bp_err *err) BP_CHECKED;

/* ---- for passes ------------------------------------------------------------------------------ */

/*
 * A node that shall replace others. Their provider is asked first: all n_of nodes must be claimed by
 * one provider (of[0] is the anchor), and that provider must claim the new node as well.
 */
struct bp_fusion {
    const char *op, *domain;
    uint32_t opset;
    uint32_t n_in, n_out, n_of, n_attrs;
    const uint32_t *in;
    const uint32_t
        *out;      /* n_out values that nodes of `of` produce, or BP_NONE; NULL: those of `last` */
    uint32_t last; /* the node that becomes it, with its outputs */
    bool is_for_others; /* skip it on the CPU provider, where the parts run faster */
    const uint32_t *of; /* all nodes that it stands for */
    const bp_attr *attrs;
};

/* Would the provider claim the new node? Changes nothing. BP_E_NOMEM. */
bp_rc bp_can_fuse(struct bp_rewrite *rw, const struct bp_fusion *fusion, bool *can,
                  bp_err *err) BP_CHECKED;
/*
 * Replaces the nodes without asking, and counts no match: a pass that does several replacements at
 * once asked about all of them with bp_can_fuse(). BP_E_NOMEM.
 */
bp_rc bp_do_fuse(struct bp_rewrite *rw, const struct bp_fusion *fusion, bp_err *err) BP_CHECKED;
/* bp_can_fuse(), then bp_do_fuse(); *done: it was replaced. BP_E_NOMEM. */
bp_rc bp_fuse(struct bp_rewrite *rw, const struct bp_fusion *fusion, bool *done,
              bp_err *err) BP_CHECKED;

#endif
