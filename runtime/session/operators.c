/* SPDX-License-Identifier: MIT */
/* operators.c - bp_env_provider_operators(): what a provider takes, found out by asking it. */

#include "config.h"

#include <string.h>

#include "base/guard.h"
#include "compile/operator_query.h"
#include "graph/provider_ops.h"
#include "graph/schema_table.h"
#include "text/text.h"

/*
 * Does the host run the operator itself? Constants are folded by the host. No provider is asked for
 * such nodes.
 */
static bool is_host_op(const struct bp_schema *schema)
{
    return schema->is_host_op || (strcmp(schema->op, "Constant") == 0 && !schema->domain[0]);
}

/* Writes the names of the parameters that have the type variable: "X, Y". */
static void params_text(struct bp_text *out, const struct bp_operator_query *query, uint32_t var)
{
    const struct bp_schema *schema = query->schema;

    for (uint32_t i = 0; i < schema->n_in + schema->n_out; i++) {
        bool is_in = i < schema->n_in;
        const struct bp_param *param = is_in ? &schema->in[i] : &schema->out[i - schema->n_in];

        if ((is_in ? query->in_vars[i] : query->out_vars[i - schema->n_in]) == var)
            bp_text_printf(out, "%s%s", out->len ? ", " : "", param->name);
    }
}

/*
 * Should the variable get a row? A variable with one type is left out, unless the operator has no
 * other.
 */
static bool has_types_to_report(const struct bp_operator_query *query, uint32_t var)
{
    uint64_t types = query->vars[var].types;

    if (types & (types - 1))
        return true;
    for (uint32_t i = 0; i < query->n_vars; i++) {
        if (query->vars[i].types & (query->vars[i].types - 1))
            return false;
    }
    return var == 0;
}

/* The arguments of one call of the application's function. */
struct row {
    bp_operator_fn fn;
    void *user;
    const bp_operator_info *info;
};

/* Calls the function; runs under bp_guard(), because it may throw. */
static void call_fn(void *u)
{
    const struct row *row = u;

    row->fn(row->user, row->info);
}

/*
 * Calls the application's function; an exception in it ends the list with the status that
 * bp_thrown_fail() returns.
 */
static bp_rc hand_over(struct row row, bp_err *err)
{
    struct bp_thrown thrown;

    return bp_guard(call_fn, &row, &thrown)
               ? BP_OK
               : bp_thrown_fail(&thrown, "the function that takes operators", err);
}

/* Reports one row for each type variable that is worth one. */
static bp_rc deliver_rows(const struct bp_operator_query *query, bp_operator_info *info,
                          bp_operator_fn fn, void *user, bp_err *err)
{
    for (uint32_t v = 0; v < query->n_vars; v++) {
        struct bp_text params = {0};
        bp_rc rc;

        if (!has_types_to_report(query, v))
            continue;
        params_text(&params, query, v);
        info->params = params.data;
        info->types = query->vars[v].types;
        info->taken = query->vars[v].taken;
        info->conditional = query->vars[v].conditional & ~info->taken;
        rc = params.failed ? bp_fail_nomem(err, "the operators of a provider")
                           : hand_over((struct row){fn, user, info}, err);
        bp_text_finish(&params);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* Asks the provider for one version of an operator and reports the answers. */
static bp_rc ask(const struct bp_active *active, const struct bp_schema *row,
                 bp_operator_info *info, bp_operator_fn fn, void *user, bp_err *err)
{
    struct bp_operator_query query;
    bp_rc rc;

    if (!bp_operator_query_init(&query, row))
        return bp_fail(err, BP_E_INTERNAL,
                       "operator %s has %u inputs and outputs, more than can be asked about; "
                       "its provider has to declare fewer",
                       row->op, (unsigned)(row->n_in + row->n_out));
    rc = bp_operator_query_ask(&query, active, err);
    return rc < 0 ? rc : deliver_rows(&query, info, fn, user, err);
}

/* Reports row i of the host's schemas. */
static bp_rc ask_row(const struct bp_active *active, uint32_t i, bp_operator_fn fn, void *user,
                     bp_err *err)
{
    uint32_t n;
    const struct bp_schema *const *rows = bp_schema_all(&n);
    const struct bp_schema *row = rows[i], *next = i + 1 < n ? rows[i + 1] : NULL;
    bool is_last =
        !next || strcmp(next->op, row->op) != 0 || strcmp(next->domain, row->domain) != 0;
    bp_operator_info info = {.struct_size = sizeof info,
                             .since = row->since,
                             .until = is_last ? 0 : next->since - 1,
                             .family = row->family,
                             .op = row->op,
                             .domain = row->domain};

    if (is_host_op(row)) {
        info.flags = BP_OPERATOR_HOST;
        return hand_over((struct row){fn, user, &info}, err);
    }
    return ask(active, row, &info, fn, user, err);
}

/* Reports the operators that the provider declares, in the order of its schemas. */
static bp_rc ask_own(const struct bp_provider_list *providers, const struct bp_active *active,
                     bp_operator_fn fn, void *user, bp_err *err)
{
    struct bp_region region = {0};
    struct bp_provider_ops own = {0};
    bp_rc rc =
        bp_provider_ops_add(&own, &region, active->name, active->provider, providers->log, err);

    for (uint32_t i = 0; rc >= 0 && i < own.count; i++) {
        const struct bp_schema *row = &own.rows[i]->schema;
        bp_operator_info info = {.struct_size = sizeof info,
                                 .since = row->since,
                                 .until = own.rows[i]->until,
                                 .op = row->op,
                                 .domain = row->domain};

        rc = ask(active, row, &info, fn, user, err);
    }
    bp_region_finish(&region);
    return rc;
}

/*
 * Returns the instance of the provider of this name. It need not be the first, because CPU was
 * added.
 */
static const struct bp_active *find_active(const struct bp_provider_list *providers,
                                           const char *name)
{
    for (uint32_t i = 0; i < providers->count; i++) {
        if (strcmp(providers->active[i]->name, name) == 0)
            return providers->active[i];
    }
    return NULL;
}

/*
 * Makes a provider list of this provider and CPU, without the environment's defaults; the list's
 * report is not used. The caller finishes *providers after a failure, too.
 */
static bp_rc open_provider(struct bp_env *env, const char *name, struct bp_provider_list *providers,
                           const struct bp_active **out, bp_err *err)
{
    struct bp_spec_list own = {0};
    struct bp_provider_list_config config = {
        .own = &own, .ignore_env = true, .fallback = BP_FALLBACK_REQUIRE};
    bp_report *report = NULL;
    bp_rc rc = bp_spec_add(&own, name, NULL, 0, BP_FALLBACK_REQUIRE, err);

    if (rc >= 0)
        rc = bp_report_create(&report, err);
    if (rc >= 0)
        rc = bp_provider_list_init(providers, env, &config, report, err);
    bp_report_destroy(report);
    bp_spec_finish(&own);
    *out = rc < 0 ? NULL : find_active(providers, name);
    if (rc >= 0 && !*out)
        rc = bp_fail(err, BP_E_INTERNAL,
                     "provider '%s' was opened, but has no instance: name it by the "
                     "name that 'backplane providers' lists",
                     name);
    return rc;
}

/*
 * Reports all rows of the schema table, in its order, as one instance of the provider answers them.
 */
bp_rc bp_env_provider_operators(bp_env *env, uint32_t i, bp_operator_fn fn, void *user, bp_err *err)
{
    struct bp_candidate *found;
    struct bp_provider_list providers = {0};
    const struct bp_active *active;
    uint32_t n;
    bp_rc rc;

    if (!fn)
        return bp_fail(err, BP_E_INVALID, "operators need a function that takes them");
    rc = bp_env_check_fork(env, err);
    if (rc >= 0)
        rc = bp_registry_need(&env->registry, i, &found, err);
    if (rc < 0)
        return rc;
    rc = open_provider(env, found->name, &providers, &active, err);
    bp_schema_all(&n);
    for (uint32_t row = 0; row < n && rc >= 0; row++)
        rc = ask_row(active, row, fn, user, err);
    if (rc >= 0)
        rc = ask_own(&providers, active, fn, user, err);
    bp_provider_list_finish(&providers);
    return bp_done(err, rc);
}
