/* SPDX-License-Identifier: MIT */
/* infer_merge.c - holds what a rule found against what the model file declares. */

#include "config.h"

#include "graph/infer_merge.h"

#include "graph/infer.h"

static bp_rc fail_differs(const struct bp_ir *ir, const struct bp_ir_value *value,
                          const struct bp_symbols *symbols, const struct bp_fact *fact, bp_err *err)
{
    char found[160], declared[160];

    bp_fact_text(fact, symbols, found, sizeof found);
    bp_fact_text(&value->declared, ir->symbols, declared, sizeof declared);
    return bp_fail(err, BP_E_INVALID, "value '%s' is %s, but the model declares it as %s",
                   value->name, found, declared);
}

/* The rank may be the declared one, the sizes come with the data. */
static bp_rc take_rank(const struct bp_fact *declared, struct bp_symbols *symbols,
                       struct bp_region *region, struct bp_fact *fact, bp_err *err)
{
    struct bp_sym *dims = bp_region_array(region, declared->rank, sizeof *dims);
    bp_rc rc = dims ? BP_OK : bp_fail_nomem(err, "a shape");

    for (uint32_t i = 0; rc == BP_OK && i < declared->rank; i++)
        rc = bp_symbols_fresh(symbols, true, &dims[i], err);
    if (rc < 0)
        return rc;
    fact->rank = declared->rank;
    fact->dims = dims;
    return BP_OK;
}

/* Does a declared size say anything among these symbols? */
static bool says_something(const struct bp_ir *ir, const struct bp_symbols *symbols,
                           struct bp_sym declared)
{
    return bp_sym_known(declared) ? declared.value >= 0 : symbols == ir->symbols;
}

/* Of a found and a declared size, the one to keep; false: they contradict each other. */
static bool choose(const struct bp_symbols *symbols, struct bp_sym found, struct bp_sym declared,
                   struct bp_sym *out)
{
    *out = found;
    if (bp_sym_known(found))
        return !bp_sym_known(declared) || declared.value == found.value;
    if (bp_symbols_from_data(symbols, found))
        return true;
    if (bp_sym_known(declared) || bp_symbols_is_nameless(symbols, found))
        *out = declared;
    return true;
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

/* Where one of both is no tensor: what the model says counts where it says more. */
static bp_rc merge_kinds(const struct bp_ir *ir, const struct bp_ir_value *value,
                         const struct bp_symbols *symbols, struct bp_fact *fact, bp_err *err)
{
    const struct bp_fact *declared = &value->declared;
    const struct bp_fact *inside = bp_fact_innermost(fact);

    if (!same_type(fact, declared))
        return fail_differs(ir, value, symbols, fact, err);
    if (bp_fact_is_blank(fact) || (!bp_fact_is_blank(declared) && inside == NULL) ||
        (inside && inside->dtype == BP_DTYPE_NONE && bp_fact_innermost(declared)))
        *fact = *declared;
    return BP_OK;
}

bp_rc bp_infer_merge(const struct bp_ir *ir, const struct bp_ir_value *value,
                     struct bp_symbols *symbols, struct bp_region *region, struct bp_fact *fact,
                     bp_err *err)
{
    const struct bp_fact *declared = &value->declared;
    struct bp_sym chosen, *dims = NULL;

    if (fact->kind != BP_KIND_TENSOR || declared->kind != BP_KIND_TENSOR)
        return merge_kinds(ir, value, symbols, fact, err);
    if (fact->dtype == BP_DTYPE_NONE)
        fact->dtype = declared->dtype;
    else if (declared->dtype != BP_DTYPE_NONE && declared->dtype != fact->dtype)
        return fail_differs(ir, value, symbols, fact, err);
    if (declared->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    if (fact->rank == BP_RANK_UNKNOWN)
        return take_rank(declared, symbols, region, fact, err);
    if (fact->rank != declared->rank)
        return fail_differs(ir, value, symbols, fact, err);
    for (uint32_t i = 0; i < fact->rank; i++) {
        if (!says_something(ir, symbols, declared->dims[i]))
            continue;
        if (!choose(symbols, fact->dims[i], declared->dims[i], &chosen))
            return fail_differs(ir, value, symbols, fact, err);
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
