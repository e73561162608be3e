/* SPDX-License-Identifier: MIT */
/* custom.c - sets of operators that an application defines. */

#include "config.h"

#include "graph/custom.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "graph/custom_call.h"
#include "graph/schema_table.h"

struct bp_operators {
    atomic_uint refs;
    atomic_uint users; /* tables of sessions and models: rows stay as they are */
    struct bp_custom **rows;
    uint32_t n_rows;
    struct bp_region region;
};

/* ---- definitions ----------------------------------------------------------------------------- */

static const char *domain_text(const char *domain)
{
    return domain[0] ? domain : "ai.onnx";
}

/*
 * Operators of known domains are replaced only when that is asked for, as it changes what models
 * mean; those of the host itself never.
 */
static bp_rc check_domain(const bp_operator_def *def, bp_err *err)
{
    const char *domain = bp_plain_domain(def->domain);

    if (strcmp(domain, "org.backplane") == 0)
        return bp_fail(err, BP_E_INVALID,
                       "operator '%.80s' cannot be defined in domain 'org.backplane', which is the "
                       "host's own",
                       def->name);
    if ((bp_schema_newest(domain) || strcmp(domain, "ai.onnx.training") == 0) &&
        !(def->flags & BP_OPERATOR_REPLACE))
        return bp_fail(err, BP_E_INVALID,
                       "operator '%.80s' cannot be defined in domain '%s', which is not the "
                       "application's: choose another domain, or set BP_OPERATOR_REPLACE to take "
                       "the place of what is there",
                       def->name, domain_text(domain));
    return BP_OK;
}

static struct bp_operands operands_of(const bp_operator_def *def)
{
    return (struct bp_operands){def->in, def->out, def->n_in, def->n_out};
}

/*
 * All that can be said of a definition without running it, so that a mistake is told where it is
 * made.
 */
static bp_rc check_def(const bp_operator_def *def, bp_err *err)
{
    struct bp_operands operands = operands_of(def);
    bp_rc rc;

    if (!def->name || !def->name[0])
        return bp_fail(err, BP_E_INVALID, "an operator needs a name");
    if (!def->domain)
        return bp_fail(err, BP_E_INVALID, "operator '%.80s' needs a domain", def->name);
    if (def->flags & ~(uint32_t)BP_OPERATOR_REPLACE)
        return bp_fail(err, BP_E_INVALID, "operator '%.80s': unknown flags 0x%x", def->name,
                       def->flags);
    if (def->since == 0 || (def->until && def->until < def->since))
        return bp_fail(err, BP_E_INVALID, "operator '%.80s': versions %u to %u are not a range",
                       def->name, def->since, def->until);
    if (!def->compute)
        return bp_fail(err, BP_E_INVALID, "operator '%.80s' has no compute function", def->name);
    if (def->destroy && !def->create)
        return bp_fail(err, BP_E_INVALID, "operator '%.80s' has destroy, but create is NULL",
                       def->name);
    rc = check_domain(def, err);
    return rc < 0 ? rc : bp_operands_check(&operands, def->name, err);
}

/*
 * Copies the definition and makes a schema of it. Everything lies in the set's region, so
 * nothing is freed on its own.
 */
static bp_rc add_row(bp_operators *set, const bp_operator_def *def, bp_err *err)
{
    struct bp_custom *row = bp_region_alloc(&set->region, sizeof *row);
    struct bp_custom **rows =
        realloc(set->rows, ((size_t)set->n_rows + 1) * sizeof(struct bp_custom *));
    struct bp_operands operands = operands_of(def);
    bp_rc rc;

    if (rows)
        set->rows = rows;
    if (!rows || !row)
        return bp_fail_nomem(err, "an operator");
    row->def = *def;
    row->def.name = bp_region_string(&set->region, def->name);
    row->def.domain = bp_region_string(&set->region, bp_plain_domain(def->domain));
    row->schema = (struct bp_schema){
        .op = row->def.name,
        .domain = row->def.domain,
        .since = def->since,
        .infer = bp_custom_infer,
        .is_host_op = bp_operands_have_objects(&operands),
        .sizes_from_data = true,
        .is_custom = true,
    };
    if (!row->def.name || !row->def.domain)
        return bp_fail_nomem(err, "an operator");
    rc = bp_operands_fill(&operands, &set->region, &row->schema, &row->least, err);
    if (rc < 0)
        return rc;
    row->def.in = NULL; /* the caller's; the schema has them */
    row->def.out = NULL;
    set->rows[set->n_rows++] = row;
    return BP_OK;
}

/* Domain and name are equal; the version is not looked at. */
static bool same_operator(const struct bp_custom *row, const char *domain, const char *name)
{
    return strcmp(row->def.domain, domain) == 0 && strcmp(row->def.name, name) == 0;
}

/*
 * A set has one definition for each version of an operator, and cannot grow while a session uses
 * it.
 */
static bp_rc check_new(const bp_operators *set, const bp_operator_def *def, bp_err *err)
{
    if (atomic_load(&set->users))
        return bp_fail(err, BP_E_INVALID,
                       "operator '%.80s': the set is in use by a session; add it before, or make "
                       "another set",
                       def->name);
    for (uint32_t i = 0; i < set->n_rows; i++) {
        if (same_operator(set->rows[i], bp_plain_domain(def->domain), def->name) &&
            set->rows[i]->def.since == def->since)
            return bp_fail(err, BP_E_INVALID,
                           "operator '%.80s' of domain '%.80s' is defined twice for version %u",
                           def->name, domain_text(def->domain), def->since);
    }
    return BP_OK;
}

bp_rc bp_operators_add(bp_operators *set, const bp_operator_def *def, bp_err *err)
{
    bp_operator_def own = {0};
    bp_rc rc;

    if (!set || !def || def->struct_size < sizeof def->struct_size || def->struct_size > 4096)
        return bp_fail(err, BP_E_INVALID,
                       "bp_operators_add: a set and a definition with its struct_size are needed");
    bp_copy_in(&own, sizeof own, def);
    rc = check_def(&own, err);
    if (rc >= 0)
        rc = check_new(set, &own, err);
    if (rc >= 0)
        rc = add_row(set, &own, err);
    if (rc < 0)
        bp_custom_release(&own);
    return bp_done(err, rc);
}

/* ---- life ------------------------------------------------------------------------------------ */

bp_rc bp_operators_create(bp_operators **out, bp_err *err)
{
    if (!out)
        return bp_fail_null(err, "out");
    *out = calloc(1, sizeof **out);
    if (!*out)
        return bp_fail_nomem(err, "a set of operators");
    atomic_init(&(*out)->refs, 1);
    atomic_init(&(*out)->users, 0);
    return bp_done(err, BP_OK);
}

void bp_operators_release(bp_operators *set)
{
    if (!set || atomic_fetch_sub(&set->refs, 1) != 1)
        return;
    for (uint32_t i = 0; i < set->n_rows; i++)
        bp_custom_release(&set->rows[i]->def);
    free(set->rows);
    bp_region_finish(&set->region);
    free(set);
}

bp_rc bp_custom_list_add(struct bp_custom_list *list, bp_operators *set, bp_err *err)
{
    bp_operators **sets;

    if (!set)
        return bp_fail(err, BP_E_INVALID, "no set of operators was given");
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->sets[i] == set)
            return BP_OK; /* once is enough */
    }
    sets = realloc(list->sets, ((size_t)list->count + 1) * sizeof(bp_operators *));
    if (!sets)
        return bp_fail_nomem(err, "a set of operators");
    list->sets = sets;
    sets[list->count++] = set;
    atomic_fetch_add(&set->refs, 1);
    return BP_OK;
}

bp_rc bp_custom_list_copy(struct bp_custom_list *to, const struct bp_custom_list *from, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && from && i < from->count; i++)
        rc = bp_custom_list_add(to, from->sets[i], err);
    return rc;
}

void bp_custom_list_finish(struct bp_custom_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        bp_operators_release(list->sets[i]);
    free(list->sets);
    *list = (struct bp_custom_list){0};
}

/* ---- what a session looks up ----------------------------------------------------------------- */

/* Appends the rows of a set; those from `first` on belong to the same kind of list. */
static bp_rc add_set(struct bp_custom_table *table, bp_operators *set, uint32_t first, bp_err *err)
{
    for (uint32_t i = 0; i < set->n_rows; i++) {
        const bp_operator_def *def = &set->rows[i]->def;

        for (uint32_t k = first; k < table->n_rows; k++) {
            if (same_operator(table->rows[k], def->domain, def->name) &&
                table->rows[k]->def.since == def->since)
                return bp_fail(err, BP_E_INVALID,
                               "operator '%.80s' of domain '%.80s', version %u, is in two sets",
                               def->name, domain_text(def->domain), def->since);
        }
        table->rows[table->n_rows++] = set->rows[i];
    }
    return BP_OK;
}

/* Adds references to all sets of a list, those of the session before those of its environment. */
static bp_rc add_list(struct bp_custom_table *table, const struct bp_custom_list *list, bp_err *err)
{
    uint32_t first = table->n_rows;
    size_t n = table->n_rows;
    const struct bp_custom **rows;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; list && i < list->count; i++)
        n += list->sets[i]->n_rows;
    rows = realloc(table->rows, (n + 1) * sizeof(const struct bp_custom *));
    if (!rows)
        return bp_fail_nomem(err, "the application's operators");
    table->rows = rows;
    for (uint32_t i = 0; rc >= 0 && list && i < list->count; i++)
        rc = add_set(table, list->sets[i], first, err);
    return rc;
}

bp_rc bp_custom_table_init(struct bp_custom_table *table, const struct bp_custom_list *own,
                           const struct bp_custom_list *env, bp_err *err)
{
    bp_rc rc;

    *table = (struct bp_custom_table){0};
    rc = bp_custom_list_copy(&table->sets, own, err);
    if (rc >= 0)
        rc = bp_custom_list_copy(&table->sets, env, err);
    if (rc < 0)
        return rc;
    table->is_user = true;
    for (uint32_t i = 0; i < table->sets.count; i++)
        atomic_fetch_add(&table->sets.sets[i]->users, 1);
    rc = add_list(table, own, err);
    table->n_own = table->n_rows;
    if (rc >= 0)
        rc = add_list(table, env, err);
    return rc;
}

void bp_custom_table_finish(struct bp_custom_table *table)
{
    for (uint32_t i = 0; table->is_user && i < table->sets.count; i++)
        atomic_fetch_sub(&table->sets.sets[i]->users, 1);
    free(table->rows);
    bp_custom_list_finish(&table->sets);
    *table = (struct bp_custom_table){0};
}

/* The newest row among [from, to) that is in force. */
static const struct bp_custom *newest(const struct bp_custom_table *table, uint32_t from,
                                      uint32_t to, const char *domain, const char *op,
                                      uint32_t opset)
{
    const struct bp_custom *best = NULL;

    for (uint32_t i = from; i < to; i++) {
        const bp_operator_def *def = &table->rows[i]->def;

        if (def->since <= opset && (!best || def->since > best->def.since) &&
            same_operator(table->rows[i], domain, op))
            best = table->rows[i];
    }
    return best && best->def.until && opset > best->def.until ? NULL : best;
}

const struct bp_schema *bp_custom_find(const struct bp_custom_table *table, const char *domain,
                                       const char *op, uint32_t opset)
{
    const struct bp_custom *row;

    if (!table || opset == 0)
        return NULL;
    domain = bp_plain_domain(domain);
    row = newest(table, 0, table->n_own, domain, op, opset);
    if (!row)
        row = newest(table, table->n_own, table->n_rows, domain, op, opset);
    return row ? &row->schema : NULL;
}
