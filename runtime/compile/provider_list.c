/* SPDX-License-Identifier: MIT */
/* provider_list.c - makes provider instances from a list of names. */

#include "config.h"

#include "compile/provider_list.h"

#include <stdlib.h>
#include <string.h>

#include <bp/estimate.h>

#include "compile/active.h"
#include "compile/after_fork.h"
#include "custom/provider.h"

/* What is read, and where rows go, while the list is built. */
struct building {
    struct bp_provider_list *providers;
    const struct bp_provider_list_config *config;
    bp_report *report;
    uint32_t named_by; /* BP_NAMED_BY_*, of what is being added */
    bp_rc required;    /* status of the first required provider that failed */
    char words[1024];
};

static char cpu_name[] = "cpu";
static const struct bp_spec unnamed_cpu = {.name = cpu_name, .fallback = BP_FALLBACK_WARN};
static char auto_name[] = BP_AUTO;
static struct bp_spec auto_rows[] = {{.name = auto_name}};
static const struct bp_spec_list auto_list = {auto_rows, 1};

/* Is the name, in any spelling, that of CPU? CPU is special: it is always in the list, and last. */
static bool is_cpu(const char *name)
{
    return bp_provider_names_equal(name, "cpu");
}

/*
 * Applies the policy of a provider that failed; `reason` has been recorded. BP_OK: the session goes
 * on without it.
 */
static bp_rc apply_policy(const struct bp_log *log, const char *name, uint32_t fallback, bp_rc code,
                          const char *reason, bp_err *err)
{
    if (fallback == BP_FALLBACK_REQUIRE)
        return bp_fail(err, code, "provider '%s' is required: %s", name, reason);
    if (fallback == BP_FALLBACK_WARN)
        bp_log(log, BP_LOG_WARN, "session", "provider '%s' is not used: %s; %s", name, reason,
               is_cpu(name) ? "what no other provider takes cannot run"
                            : "its nodes go to the next one, at last to CPU");
    return BP_OK;
}

/* Is the failure a mistake of the caller? Such mistakes are errors under every policy. */
static bool is_mistake(bp_rc code, const struct bp_candidate *found)
{
    return code == BP_E_OPTION || code == BP_E_NOMEM || (code == BP_E_INVALID && !found);
}

/*
 * Returns what the user can do about a provider that failed, or NULL; `own` is a buffer for a
 * sentence.
 */
static const char *fix_for(const struct bp_spec *spec, const struct bp_told *told, bp_rc code,
                           char *own, size_t cap)
{
    char name[BP_NAME_MAX];

    if (code >= 0)
        return NULL;
    if (told)
        return told->fix;
    return bp_provider_names_short(spec->name, name) && bp_provider_names_advice(name, own, cap)
               ? own
               : NULL;
}

/*
 * Returns the reason without the fix, " (...)", that an error has at its end: a row has a column of
 * its own for the fix.
 */
static const char *reason_alone(const char *reason, const char *fix, char *own, size_t cap)
{
    size_t n = strlen(reason), n_fix = fix ? strlen(fix) + 3 : 0;

    if (n_fix == 0 || n <= n_fix || n >= cap ||
        strncmp(reason + n - n_fix + 2, fix, n_fix - 3) != 0)
        return reason;
    memcpy(own, reason, n - n_fix);
    own[n - n_fix] = '\0';
    return own;
}

/* Adds the outcome for a spec to the report. told: what is known of `found`, as it was tried. */
static bp_rc record(struct building *b, const struct bp_spec *spec,
                    const struct bp_candidate *found, const struct bp_told *told, uint32_t fallback,
                    uint32_t stage, bp_rc code, const char *reason, uint32_t *row, bp_err *err)
{
    char way[256], alone[768];
    const char *fix = fix_for(spec, found ? told : NULL, code, way, sizeof way);
    bp_report_provider own = {
        .stage = stage,
        .code = code,
        .fallback = fallback,
        .name = found ? found->name : spec->name,
        .version = told->provider ? told->provider->version : NULL,
        .file = found ? found->file : NULL,
        .reason = code >= 0        ? NULL
                  : told->code < 0 ? told->reason
                                   : reason_alone(reason, fix, alone, sizeof alone),
        .fix = fix,
        .is_uninterruptible =
            told->provider && (told->provider->flags & BP_PROVIDER_UNINTERRUPTIBLE),
        .named_by = spec == &unnamed_cpu ? BP_NAMED_BY_HOST : b->named_by,
    };

    return bp_report_add_provider(b->report, &own, row, err);
}

/*
 * Returns the policy in force. CPU is not required unless it is named: it takes what is left over.
 * What "auto" found was not asked for, so that its failure is no news.
 */
static uint32_t policy_of(const struct building *b, const struct bp_spec *spec)
{
    if (b->named_by == BP_NAMED_BY_AUTO)
        return spec->fallback ? spec->fallback : BP_FALLBACK_SILENT;
    if (spec != &unnamed_cpu && (b->config->strict || b->providers->env->strict))
        return BP_FALLBACK_REQUIRE;
    if (spec != &unnamed_cpu && b->providers->env->override.fallback)
        return b->providers->env->override.fallback;
    return spec->fallback ? spec->fallback : b->config->fallback;
}

/* Has it a device that is not the machine's own processor, although its manifest says so? */
static bp_rc check_processor(const struct bp_candidate *found, bp_err *err)
{
    for (uint32_t i = 0; i < found->n_devices; i++) {
        bp_device device = {.struct_size = sizeof device};
        bp_rc rc = bp_candidate_device(found, i, &device, err);

        if (rc < 0)
            return rc;
        if (device.kind != BP_DEVICE_CPU || (device.flags & BP_DEVICE_SIMULATED))
            return bp_fail(err, BP_E_UNSUPPORTED,
                           "its device %u is not the machine's own processor, so it is used only "
                           "where it is named",
                           i);
    }
    return BP_OK;
}

/*
 * Adds one provider that was asked for. After a failure under policy `require` the others are
 * tried, too, so that the report is complete.
 */
static bp_rc add_spec(struct building *b, const struct bp_spec *spec, bp_err *err)
{
    uint32_t fallback = policy_of(b, spec);
    uint32_t before = b->providers->count;
    struct bp_candidate *found = NULL;
    struct bp_told told;
    uint32_t stage, row;
    char text[768], words[sizeof b->words];
    bp_err own = bp_err_init(text, sizeof text);
    bp_rc code, rc;

    code = bp_registry_open(&b->providers->env->registry, spec->name, &found, &told, &own);
    stage = found ? told.stage : BP_STAGE_FOUND;
    if (code >= 0 && b->named_by == BP_NAMED_BY_AUTO)
        code = check_processor(found, &own);
    if (code >= 0)
        code = bp_active_make(b->providers, found, spec, b->config->threads, &stage, &own);
    rc = record(b, spec, found, &told, fallback, stage, code, text, &row, err);
    if (rc < 0)
        return rc;
    if (code >= 0) {
        b->providers->active[before]->row = row;
        b->providers->active[before]->fallback = fallback;
        b->providers->active[before]->min_share = spec->min_share;
        return bp_provider_list_record_options(b->providers->active[before], b->report, err);
    }
    b->providers->count = before;
    if (is_mistake(code, found))
        return bp_fail(err, code, "%s", text);
    own = bp_err_init(words, sizeof words);
    rc = apply_policy(b->providers->log, found ? found->name : spec->name, fallback, code, text,
                      &own);
    if (rc < 0 && b->required >= 0) {
        b->required = rc;
        memcpy(b->words, words, sizeof words);
    }
    return BP_OK;
}

/* Has a list this provider, in any spelling? The list may be NULL. */
static bool has(const struct bp_spec_list *list, const char *name)
{
    return list && bp_spec_find(list, name);
}

/* Adds what "auto" stands for, but for what `list`, which has it, or `skip` name themselves. */
static bp_rc add_auto(struct building *b, const struct bp_spec *as, const struct bp_spec_list *list,
                      const struct bp_spec_list *skip, bp_err *err)
{
    struct bp_env *env = b->providers->env;
    uint32_t named_by = b->named_by;
    struct bp_spec_list found = {0};
    bp_rc rc = bp_registry_processors(&env->registry, &found, err);

    for (uint32_t i = 0; i < found.count; i++)
        found.rows[i].fallback = as->fallback;
    if (rc >= 0)
        rc = bp_default_providers_apply(&env->default_providers, &found, err);
    if (rc >= 0)
        rc = bp_registry_probe(&env->registry, &found, err);
    b->named_by = BP_NAMED_BY_AUTO;
    for (uint32_t i = 0; rc >= 0 && i < found.count; i++) {
        if (!has(list, found.rows[i].name) && !has(skip, found.rows[i].name))
            rc = add_spec(b, &found.rows[i], err);
    }
    b->named_by = named_by;
    bp_spec_finish(&found);
    return rc;
}

/* Adds the providers of a list except CPU; those in `skip` have been added already. */
static bp_rc add_list(struct building *b, uint32_t named_by, const struct bp_spec_list *list,
                      const struct bp_spec_list *skip, bp_err *err)
{
    bp_rc rc = bp_registry_probe(&b->providers->env->registry, list, err);

    b->named_by = named_by;
    for (uint32_t i = 0; rc >= 0 && i < list->count; i++) {
        const struct bp_spec *spec = &list->rows[i];

        if (strcmp(spec->name, BP_AUTO) == 0)
            rc = add_auto(b, spec, list, skip, err);
        else if (!is_cpu(spec->name) && !has(skip, spec->name))
            rc = add_spec(b, spec, err);
    }
    return rc;
}

/* Returns what a list says of CPU, or NULL. CPU is added last, wherever the list has it. */
static const struct bp_spec *find_cpu(const struct bp_spec_list *list)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (is_cpu(list->rows[i].name))
            return &list->rows[i];
    }
    return NULL;
}

/* Returns the spec of CPU: the session's own comes before the environment's. */
static bp_rc add_cpu(struct building *b, const struct bp_spec_list *defaults, bp_err *err)
{
    const struct bp_spec *spec = find_cpu(b->config->own);

    b->named_by = BP_NAMED_BY_SESSION;
    if (!spec && defaults) {
        b->named_by = BP_NAMED_BY_ENVIRONMENT;
        spec = find_cpu(defaults);
    }
    return add_spec(b, spec ? spec : &unnamed_cpu, err);
}

/*
 * Adds the provider of the application's operators, which is part of the host and has no options.
 */
static bp_rc add_custom(struct building *b, bp_err *err)
{
    bp_report_provider row = {
        .stage = BP_STAGE_CREATE,
        .fallback = BP_FALLBACK_REQUIRE, /* only this provider has the application's operators */
        .name = bp_custom_provider.name,
        .version = bp_custom_provider.version,
        .named_by = BP_NAMED_BY_HOST,
    };
    struct bp_active *active = bp_active_add(b->providers);
    bp_rc rc;

    if (!active)
        return bp_fail_nomem(err, "a provider");
    active->provider = &bp_custom_provider;
    active->name = bp_custom_provider.name;
    active->fallback = row.fallback;
    rc = bp_active_start(b->providers, active, NULL, b->config->threads, err);
    return rc < 0 ? rc : bp_report_add_provider(b->report, &row, &active->row, err);
}

/* Adds the providers of BACKPLANE_PROVIDERS; *is_given: it names some, cpu alone for example. */
static bp_rc add_preferred(struct building *b, bool *is_given, bp_err *err)
{
    struct bp_env *env = b->providers->env;
    struct bp_spec_list list = {0};
    bp_rc rc = bp_registry_prefer(&env->registry, &list, is_given, err);

    if (rc >= 0)
        rc = bp_default_providers_apply(&env->default_providers, &list, err);
    if (rc >= 0)
        rc = add_list(b, BP_NAMED_BY_VARIABLE, &list, NULL, err);
    bp_spec_finish(&list);
    return rc < 0 ? bp_fail_in(err, rc, "BACKPLANE_PROVIDERS") : rc;
}

/*
 * Adds the default providers, if the program has named none for the session: the program's for all
 * sessions, else the user's variable, else those of providers.conf, else "auto".
 */
static bp_rc add_default_providers(struct building *b, const struct bp_spec_list *defaults,
                                   bp_err *err)
{
    const struct bp_default_providers *given = &b->providers->env->default_providers;
    struct bp_spec_list list = {0};
    bool is_given = false;
    bp_rc rc = BP_OK;

    if (!defaults || defaults->count > 0 || (b->config->own && b->config->own->count > 0))
        return BP_OK;
    if (!given->is_of_program)
        rc = add_preferred(b, &is_given, err);
    if (rc < 0 || is_given)
        return rc;
    if (!given->is_given)
        return add_list(b, BP_NAMED_BY_AUTO, &auto_list, NULL, err);
    rc = bp_spec_copy(&list, &given->list, err);
    if (rc >= 0)
        rc = bp_default_providers_apply(given, &list, err);
    if (rc >= 0)
        rc = add_list(b, given->is_of_program ? BP_NAMED_BY_ENVIRONMENT : BP_NAMED_BY_FILE, &list,
                      NULL, err);
    bp_spec_finish(&list);
    return rc;
}

/* Warns if several providers failed and CPU runs everything: each failure has had its own line. */
static void sum_up(const struct building *b)
{
    uint32_t n_failed = 0, n_warned = 0;

    for (uint32_t i = 0; i < bp_report_provider_count(b->report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(b->report, i, &row, NULL) < 0 || row.code >= 0)
            continue;
        n_failed++;
        n_warned += row.fallback == BP_FALLBACK_WARN;
    }
    if (n_warned > 0 && n_failed > 1 && b->providers->count == 1)
        bp_log(b->providers->log, BP_LOG_WARN, "session",
               "none of the %u providers asked for is used: all runs on '%s'", n_failed,
               b->providers->active[0]->name);
}

/* In the child of a fork(): instances that are not for it are not called any more. */
static void lose_providers(void *u)
{
    struct bp_provider_list *providers = u;

    for (uint32_t i = 0; i < providers->count; i++) {
        struct bp_active *active = providers->active[i];

        if (active->provider->flags & BP_PROVIDER_FORK_SAFE)
            continue;
        bp_after_fork(active->provider, &active->after_fork);
        active->provider = &active->after_fork;
        providers->lost = active->name;
    }
}

bp_rc bp_provider_list_fail_fork(const struct bp_provider_list *providers, bp_err *err)
{
    return bp_fail(err, BP_E_UNAVAILABLE,
                   "provider '%s' does not work in the child of a fork(): create the session "
                   "there, or leave the provider out",
                   providers->lost);
}

/* Adds the environment's providers under its lock, as another thread may change the list. */
bp_rc bp_provider_list_init(struct bp_provider_list *providers, struct bp_env *env,
                            const struct bp_provider_list_config *config, bp_report *report,
                            bp_err *err)
{
    struct building b = {.providers = providers, .config = config, .report = report};
    const struct bp_spec_list *defaults = config->ignore_env ? NULL : &env->defaults;
    bp_rc rc = BP_OK;

    *providers = (struct bp_provider_list){.env = env,
                                           .log = config->log ? config->log : &env->log,
                                           .pool = config->pool ? config->pool : env->pool};
    rc = bp_env_check_fork(env, err);
    if (rc >= 0 && config->own)
        rc = add_list(&b, BP_NAMED_BY_SESSION, config->own, NULL, err);
    pthread_mutex_lock(&env->lock);
    if (rc >= 0 && defaults)
        rc = add_list(&b, BP_NAMED_BY_ENVIRONMENT, defaults, config->own, err);
    if (rc >= 0)
        rc = add_default_providers(&b, defaults, err);
    if (rc >= 0 && config->has_custom)
        rc = add_custom(&b, err);
    if (rc >= 0)
        rc = add_cpu(&b, defaults, err);
    pthread_mutex_unlock(&env->lock);
    if (rc >= 0 && b.required >= 0)
        sum_up(&b);
    bp_fork_watch(&providers->fork, lose_providers, providers);
    return rc >= 0 && b.required < 0 ? bp_fail(err, b.required, "%s", b.words) : rc;
}

/* Destroys the instances in order; none may have a program left. */
void bp_provider_list_finish(struct bp_provider_list *providers)
{
    bp_fork_unwatch(&providers->fork);
    for (uint32_t i = 0; i < providers->count; i++)
        bp_active_finish(providers->active[i]);
    free(providers->active);
    bp_region_finish(&providers->region);
    *providers = (struct bp_provider_list){0};
}

/*
 * Destroys the instance at index i; its row of the report says which stage it reached. The others
 * keep their order.
 */
bp_rc bp_provider_list_drop(struct bp_provider_list *providers, uint32_t i, bp_report *report,
                            uint32_t stage, bp_rc code, const char *reason, bp_err *err)
{
    struct bp_active *active = providers->active[i];
    uint32_t fallback = active->fallback;
    const char *name = active->name;
    bp_rc rc;

    rc = bp_report_end_provider(report, active->row, stage, code, reason, NULL, err);
    bp_active_finish(active);
    for (uint32_t j = i; j + 1 < providers->count; j++)
        providers->active[j] = providers->active[j + 1];
    providers->count--;
    if (rc < 0)
        return rc;
    return apply_policy(providers->log, name, fallback, code, reason, err);
}
