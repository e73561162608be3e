/* SPDX-License-Identifier: MIT */
/* operators.c - bp_env_provider_operators(): what a provider takes, found out by asking it. */

#include "config.h"

#include <string.h>

#include "base/guard.h"
#include "compile/operator_query.h"
#include "graph/schema_table.h"
#include "text/text.h"

/* Does the host run it itself? Constants are folded by it. No provider is asked for such nodes. */
static bool is_host_op(const struct bp_schema *schema)
{
    return schema->is_host_op || (strcmp(schema->op, "Constant") == 0 && !schema->domain[0]);
}

/* "X, Y": the parameters that have the variable. */
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

/* A variable with one type says nothing that the others do not, unless there is no other. */
static bool is_worth_telling(const struct bp_operator_query *query, uint32_t var)
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

/* One call of the application's function, for bp_guard(), as it may throw. */
struct row {
    bp_operator_fn fn;
    void *user;
    const bp_operator_info *info;
};

/* Runs under bp_guard(). */
static void call_fn(void *u)
{
    const struct row *row = u;

    row->fn(row->user, row->info);
}

/*
 * An exception in the function ends the list: BP_E_INTERNAL or what bp_thrown_fail() makes of it.
 */
static bp_rc hand_over(struct row row, bp_err *err)
{
    struct bp_thrown thrown;

    return bp_guard(call_fn, &row, &thrown)
               ? BP_OK
               : bp_thrown_fail(&thrown, "the function that takes operators", err);
}

/* One row for each type variable that says something. */
static bp_rc tell(const struct bp_operator_query *query, bp_operator_info *info, bp_operator_fn fn,
                  void *user, bp_err *err)
{
    for (uint32_t v = 0; v < query->n_vars; v++) {
        struct bp_text params = {0};
        bp_rc rc;

        if (!is_worth_telling(query, v))
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

/* Row i of the schemas. */
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
    struct bp_operator_query query;
    bp_rc rc;

    if (is_host_op(row)) {
        info.flags = BP_OPERATOR_HOST;
        fn(user, &info);
        return BP_OK;
    }
    if (!bp_operator_query_init(&query, row))
        return bp_fail(err, BP_E_INTERNAL, "%s has too many inputs and outputs", row->op);
    rc = bp_operator_query_ask(&query, active, err);
    return rc < 0 ? rc : tell(&query, &info, fn, user, err);
}

/* The instance of the provider of this name, which need not be the first: CPU was added. */
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
 * A provider list of this provider and CPU, without the environment's defaults; its report is not
 * used. *providers is to be finished also after a failure.
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
        rc = bp_fail(err, BP_E_INTERNAL, "provider '%s' has no instance", name);
    return rc;
}

/* One instance answers for all rows of the schema table, in its order. */
bp_rc bp_env_provider_operators(bp_env *env, uint32_t i, bp_operator_fn fn, void *user, bp_err *err)
{
    struct bp_candidate *found = bp_registry_get(&env->registry, i);
    struct bp_provider_list providers = {0};
    const struct bp_active *active;
    uint32_t n;
    bp_rc rc;

    if (!fn)
        return bp_fail(err, BP_E_INVALID, "operators need a function that takes them");
    if (!found)
        return bp_fail(err, BP_E_INVALID, "there is no provider %u", i);
    rc = open_provider(env, found->name, &providers, &active, err);
    bp_schema_all(&n);
    for (uint32_t row = 0; row < n && rc >= 0; row++)
        rc = ask_row(active, row, fn, user, err);
    bp_provider_list_finish(&providers);
    return rc;
}
