/* SPDX-License-Identifier: MIT */
/* infer_merge.c - holds what a rule found against what the model file declares. */

#include "config.h"

#include "graph/infer_merge.h"

#include "graph/fact.h"
#include "graph/mismatch.h"

/*
 * Of a found size and a declared one, the one to keep. A declared exact size is a hint that no plan rests
 * on: exporters write those of their example into models whose sizes are free. A declared name is
 * good enough for a size without one.
 */
static struct bp_sym choose(const struct bp_ir *ir, const struct bp_symbols *symbols,
                            struct bp_sym found, struct bp_sym declared)
{
    if (bp_sym_known(found) || bp_sym_known(declared) || symbols != ir->symbols ||
        bp_symbols_from_data(symbols, found) || !bp_symbols_is_nameless(symbols, found))
        return found;
    return declared;
}

static bool differ(struct bp_sym found, struct bp_sym declared)
{
    return bp_sym_known(found) && bp_sym_known(declared) && declared.value >= 0 &&
           declared.value != found.value;
}

/* Do two known types say the same, as far as both say something? */
static bool same_type(const struct bp_fact *a, const struct bp_fact *b)
{
    if (!a || !b || bp_fact_is_blank(a) || bp_fact_is_blank(b))
        return true;
    if (a->kind != b->kind)
        return false;
    if (a->kind == BP_KIND_TENSOR)
        return !a->dtype || !b->dtype || a->dtype == b->dtype;
    if (!a->item || !b->item)
        return true;
    return same_type(a->item, b->item) &&
           (a->kind != BP_KIND_MAP || same_type(a->item + 1, b->item + 1));
}

/* Where one of both is not a tensor: what the model says counts where it says more. */
static bp_rc merge_kinds(const struct bp_ir *ir, uint32_t value, const struct bp_symbols *symbols,
                         struct bp_fact *fact, bp_err *err)
{
    const struct bp_fact *declared = &ir->values[value].declared;
    const struct bp_fact *inside = bp_fact_innermost(fact);

    if (!same_type(fact, declared))
        return bp_mismatch_fail(ir, value, symbols, fact, err);
    if (bp_fact_is_blank(fact) || (!bp_fact_is_blank(declared) && inside == NULL) ||
        (inside && inside->dtype == BP_DTYPE_NONE && bp_fact_innermost(declared))) {
        *fact = *declared;
        fact->rank = BP_RANK_UNKNOWN;
        fact->dims = NULL;
    }
    return BP_OK;
}

static bp_rc merge_dims(const struct bp_ir *ir, const struct bp_fact *declared,
                        const struct bp_symbols *symbols, struct bp_region *region,
                        struct bp_fact *fact, bp_err *err)
{
    struct bp_sym *dims = NULL;

    for (uint32_t i = 0; i < fact->rank; i++) {
        struct bp_sym chosen = choose(ir, symbols, fact->dims[i], declared->dims[i]);

        if (bp_sym_equal(chosen, fact->dims[i]))
            continue;
        if (!dims) { /* the rule's list may be that of an input too */
            dims = bp_region_array(region, fact->rank, sizeof *dims);
            if (!dims)
                return bp_fail_nomem(err, "a shape");
            memcpy(dims, fact->dims, fact->rank * sizeof *dims);
            fact->dims = dims;
        }
        dims[i] = chosen;
    }
    return BP_OK;
}

bp_rc bp_infer_merge(const struct bp_ir *ir, uint32_t value, struct bp_symbols *symbols,
                     struct bp_region *region, struct bp_fact *fact, bp_err *err)
{
    const struct bp_fact *declared = &ir->values[value].declared;

    if (fact->kind != BP_KIND_TENSOR || declared->kind != BP_KIND_TENSOR)
        return merge_kinds(ir, value, symbols, fact, err);
    if (fact->dtype == BP_DTYPE_NONE)
        fact->dtype = declared->dtype;
    else if (declared->dtype != BP_DTYPE_NONE && declared->dtype != fact->dtype)
        return bp_mismatch_fail(ir, value, symbols, fact, err);
    if (declared->rank == BP_RANK_UNKNOWN || fact->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    if (fact->rank != declared->rank)
        return bp_mismatch_report(ir, value, symbols, fact, err);
    for (uint32_t i = 0; i < fact->rank; i++) {
        if (differ(fact->dims[i], declared->dims[i])) {
            bp_rc rc = bp_mismatch_report(ir, value, symbols, fact, err);

            if (rc < 0)
                return rc;
            break;
        }
    }
    return merge_dims(ir, declared, symbols, region, fact, err);
}
