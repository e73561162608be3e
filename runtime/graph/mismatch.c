/* SPDX-License-Identifier: MIT */
/* mismatch.c - tells of declared shapes that inference or a run contradicts. */

#include "config.h"

#include "graph/mismatch.h"

#include "graph/fact.h"
#include "text/text.h"

enum { TYPE_TEXT = 160 };

void bp_mismatches_init(struct bp_mismatches *list)
{
    *list = (struct bp_mismatches){0};
    bp_fork_mutex_init(&list->lock, &list->fork);
}

void bp_mismatches_finish(struct bp_mismatches *list)
{
    bp_strmap_finish(&list->seen);
    bp_region_finish(&list->region);
    bp_fork_mutex_destroy(&list->lock, &list->fork);
}

const struct bp_mismatch *bp_mismatches_at(const struct bp_mismatches *list, uint32_t i)
{
    const struct bp_mismatch *row = atomic_load(&list->first);

    while (row && i-- > 0)
        row = atomic_load(&row->next);
    return row;
}

/* The list of the main graph, which counts for all subgraphs. */
static struct bp_mismatches *list_of(const struct bp_ir *ir)
{
    while (ir->parent)
        ir = ir->parent;
    return ir->mismatches;
}

/* ---- where a value is ------------------------------------------------------------------------ */

/* The node of the graph around it that has this subgraph; NULL: it is just being changed by a pass. */
static const struct bp_ir_node *node_around(const struct bp_ir *subgraph, uint32_t *which)
{
    for (uint32_t i = 0; i < subgraph->parent->n_nodes; i++) {
        const struct bp_ir_node *node = &subgraph->parent->nodes[i];

        for (*which = 0; *which < node->n_subgraphs; ++*which) {
            if (node->subgraphs[*which] == subgraph)
                return node;
        }
    }
    return NULL;
}

/* Name of the attribute that holds a subgraph: "then_branch". */
static const char *attr_of(const struct bp_ir_node *node, const struct bp_ir *subgraph)
{
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        const bp_attr *attr = &node->attrs[i];

        if (attr->type == BP_ATTR_GRAPH && bp_ir_subgraph(node, attr->name) == subgraph)
            return attr->name;
    }
    return "body";
}

/* "loop1/subgraph/if2/then_branch"; at most BP_MAX_SUBGRAPH_DEPTH deep. */
static void add_path(const struct bp_ir *ir, struct bp_text *out)
{
    const struct bp_ir_node *node;
    uint32_t which;

    if (!ir->parent)
        return;
    add_path(ir->parent, out);
    node = node_around(ir, &which);
    bp_text_printf(out, "%s%s", out->len ? "/" : "", node ? node->name : ir->name);
    if (node && node->n_subgraphs > 1)
        bp_text_printf(out, "/%s", attr_of(node, ir));
}

/* Three arguments for "%s%s%s": " in 'loop1'", nothing at the top. */
#define IN_WORDS(path) (path)[0] ? " in '" : "", (path), (path)[0] ? "'" : ""
#define STRICT_WORDS(name, path, found, declared)                                                  \
    "value '%s'%s%s%s is %s, but the model declares it as %s, and declared shapes are strict in "  \
    "this session",                                                                                \
        (name), IN_WORDS(path), (found), (declared)

/* ---- telling --------------------------------------------------------------------------------- */

bp_rc bp_mismatch_fail(const struct bp_ir *ir, uint32_t value, const struct bp_symbols *symbols,
                       const struct bp_fact *found, bp_err *err)
{
    char found_text[TYPE_TEXT], declared[TYPE_TEXT];

    bp_fact_text(found, symbols, found_text, sizeof found_text);
    bp_fact_text(&ir->values[value].declared, ir->symbols, declared, sizeof declared);
    return bp_fail(err, BP_E_INVALID, "value '%s' is %s, but the model declares it as %s",
                   ir->values[value].name, found_text, declared);
}

/* Under the lock. *is_new: no other walk and no other decoding of the model has added it. */
static bool add_row(struct bp_mismatches *list, const char *path, const char *name,
                    const char *found, const char *declared, bool *is_new)
{
    const char *key = bp_region_printf(&list->region, "%s\n%s", path, name);
    struct bp_mismatch *row;

    *is_new = false;
    if (!key)
        return false;
    if (bp_strmap_get(&list->seen, key, BP_NONE) != BP_NONE)
        return true;
    row = bp_region_alloc(&list->region, sizeof *row);
    if (!row)
        return false;
    row->path = bp_region_string(&list->region, path);
    row->value = bp_region_string(&list->region, name);
    row->inferred = bp_region_string(&list->region, found);
    row->declared = bp_region_string(&list->region, declared);
    if (!row->path || !row->value || !row->inferred || !row->declared ||
        !bp_strmap_put(&list->seen, key, 0))
        return false;
    if (list->last)
        atomic_store(&list->last->next, row);
    else
        atomic_store(&list->first, row);
    list->last = row;
    atomic_fetch_add(&list->count, 1);
    *is_new = true;
    return true;
}

/* The thread that sets the value's flag first reports it; a strict session fails each time. */
bp_rc bp_mismatch_report(const struct bp_ir *ir, uint32_t value, const struct bp_symbols *symbols,
                         const struct bp_fact *found, bp_err *err)
{
    struct bp_mismatches *list = list_of(ir);
    struct bp_ir_value *row = &ir->values[value];
    char found_text[TYPE_TEXT], declared[TYPE_TEXT];
    struct bp_text path = {0};
    const char *where;
    bp_rc rc = BP_OK;
    bool ok, is_new;

    if (!list)
        return BP_OK;
    if (atomic_exchange(&row->is_reported, 1) && !list->is_strict)
        return BP_OK;
    bp_fact_text(found, symbols, found_text, sizeof found_text);
    bp_fact_text(&row->declared, ir->symbols, declared, sizeof declared);
    add_path(ir, &path);
    where = path.data ? path.data : "";
    pthread_mutex_lock(&list->lock);
    ok = !path.failed && add_row(list, where, row->name, found_text, declared, &is_new);
    pthread_mutex_unlock(&list->lock);
    if (!ok)
        rc = bp_fail_nomem(err, "a declared shape that does not fit");
    else if (list->is_strict)
        rc = bp_fail(err, BP_E_SHAPE, STRICT_WORDS(row->name, where, found_text, declared));
    else if (is_new)
        bp_log(list->log, BP_LOG_WARN, "graph",
               "value '%s'%s%s%s is %s, but the model declares it as %s; the declared shape is "
               "ignored",
               row->name, IN_WORDS(where), found_text, declared);
    bp_text_finish(&path);
    return rc;
}

bp_rc bp_mismatches_check(const struct bp_mismatches *list, bp_err *err)
{
    const struct bp_mismatch *first = atomic_load(&list->first);

    if (!list->is_strict || !first)
        return BP_OK;
    return bp_fail(err, BP_E_SHAPE,
                   STRICT_WORDS(first->value, first->path, first->inferred, first->declared));
}

/* ---- runs ------------------------------------------------------------------------------------ */

/*
 * Does a shape of exact sizes contradict what is declared? Names and unknown sizes fit
 * everything.
 */
static bool fits(const struct bp_fact *declared, uint32_t rank, const int64_t *dims)
{
    if (declared->kind != BP_KIND_TENSOR || declared->rank == BP_RANK_UNKNOWN)
        return true;
    if (declared->rank != rank)
        return false;
    for (uint32_t d = 0; d < rank; d++) {
        if (bp_sym_known(declared->dims[d]) && declared->dims[d].value >= 0 &&
            declared->dims[d].value != dims[d])
            return false;
    }
    return true;
}

bp_rc bp_mismatch_check(const struct bp_ir *ir, uint32_t value, uint32_t dtype, uint32_t rank,
                        const int64_t *dims, bp_err *err)
{
    const struct bp_ir_value *row = &ir->values[value];
    struct bp_sym sizes[BP_MAX_RANK];
    struct bp_fact found = {.dtype = dtype, .rank = rank, .dims = sizes};

    if (fits(&row->declared, rank, dims))
        return BP_OK;
    if (rank > BP_MAX_RANK)
        return bp_fail(err, BP_E_SHAPE, "'%s' has rank %u, at most %d is possible", row->name, rank,
                       BP_MAX_RANK);
    for (uint32_t d = 0; d < rank; d++)
        sizes[d] = bp_sym_of(dims[d]);
    return bp_mismatch_report(ir, value, ir->symbols, &found, err);
}
