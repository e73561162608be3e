/* SPDX-License-Identifier: MIT */
/* lineup.c - from a list of names to working provider instances. */

#include "config.h"

#include "session/lineup.h"

#include <stdlib.h>
#include <string.h>

#include "host/options.h"

/* Building: what is read, and where rows go. */
struct building {
    struct bp_lineup *lineup;
    const struct bp_lineup_wish *wish;
    bp_report *report;
};

static bool is_cpu(const char *name)
{
    return bp_names_equal(name, "cpu");
}

/* What a provider's failure means under its policy; `reason` has been recorded. */
static bp_rc apply_policy(const struct bp_env *env, const char *name, uint32_t fallback, bp_rc code,
                          const char *reason, bp_err *err)
{
    if (fallback == BP_FALLBACK_REQUIRE)
        return bp_fail(err, code, "provider '%s' is required: %s", name, reason);
    if (fallback == BP_FALLBACK_WARN)
        bp_log(&env->log, BP_LOG_WARN, "session", "provider '%s' is not used: %s; %s", name, reason,
               is_cpu(name) ? "what no other provider takes cannot run"
                            : "its nodes go to the next one, at last to CPU");
    return BP_OK;
}

/* The caller's own mistakes are errors under every policy. */
static bool is_mistake(bp_rc code, const struct bp_found *found)
{
    return code == BP_E_OPTION || code == BP_E_NOMEM || (code == BP_E_INVALID && !found);
}

static struct bp_active *add_active(struct bp_lineup *lineup)
{
    struct bp_active *active = bp_region_alloc(&lineup->region, sizeof *active);
    struct bp_active **list;

    list = realloc(lineup->active, (lineup->count + 1) * sizeof(struct bp_active *));
    if (list)
        lineup->active = list;
    if (!active || !list)
        return NULL;
    list[lineup->count++] = active;
    return active;
}

/* Options, then the instance. *stage is where it ended. */
static bp_rc make_instance(struct bp_lineup *lineup, struct bp_found *found,
                           const struct bp_spec *spec, uint32_t threads, uint32_t *stage,
                           bp_err *err)
{
    const bp_key_value *options;
    struct bp_active *active;
    uint32_t n_options;
    bp_rc rc;

    *stage = BP_STAGE_OPTIONS;
    active = add_active(lineup);
    if (!active)
        return bp_fail_nomem(err, "a provider");
    active->provider = found->provider;
    active->name = found->name;
    rc = bp_conf_merge(&found->conf, spec->options, spec->n_options, &lineup->region, &options,
                       &n_options, err);
    if (rc >= 0)
        rc = bp_options_check(found->provider, options, n_options, &lineup->region,
                              &active->options, err);
    if (rc < 0)
        return rc;
    active->n_options = found->provider->n_options;
    *stage = BP_STAGE_CREATE;
    if (found->provider->dev)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "it computes in memory of its own, which this "
                       "version of the host cannot use yet");
    active->services = (struct bp_services){
        .log = &lineup->env->log,
        .pool = lineup->env->pool,
        .weights = lineup->env->weights,
        .scope = found->provider->id,
        .threads = threads,
    };
    bp_services_init(&active->services, found->file);
    rc = found->provider->create(&active->services.host, active->options, active->n_options, NULL,
                                 0, &active->instance, err);
    rc = bp_err_complete(err, rc);
    if (rc >= 0 && !active->instance)
        rc = bp_fail(err, BP_E_INTERNAL, "create succeeded without an instance");
    return rc;
}

/* Puts what became of a spec into the report. */
static bp_rc record(struct building *b, const struct bp_spec *spec, const struct bp_found *found,
                    uint32_t fallback, uint32_t stage, bp_rc code, const char *reason,
                    uint32_t *row, bp_err *err)
{
    bp_report_provider own = {
        .stage = stage,
        .code = code,
        .fallback = fallback,
        .name = found ? found->name : spec->name,
        .version = found && found->provider ? found->provider->version : NULL,
        .file = found ? found->file : NULL,
        .reason = code >= 0                  ? NULL
                  : found && found->code < 0 ? found->reason
                                             : reason,
        .fix = code < 0 && found && found->fix[0] ? found->fix : NULL,
    };

    return bp_report_add_provider(b->report, &own, row, err);
}

static bp_rc add_spec(struct building *b, const struct bp_spec *spec, bp_err *err)
{
    uint32_t fallback = spec->fallback ? spec->fallback : b->wish->fallback;
    uint32_t before = b->lineup->count;
    struct bp_found *found = NULL;
    uint32_t stage, row;
    char text[768];
    bp_err own = bp_err_init(text, sizeof text);
    bp_rc code, rc;

    code = bp_registry_open(&b->lineup->env->registry, spec->name, &found, &own);
    stage = found ? found->stage : BP_STAGE_FOUND;
    if (code >= 0)
        code = make_instance(b->lineup, found, spec, b->wish->threads, &stage, &own);
    rc = record(b, spec, found, fallback, stage, code, text, &row, err);
    if (rc < 0)
        return rc;
    if (code >= 0) {
        b->lineup->active[before]->row = row;
        b->lineup->active[before]->fallback = fallback;
        return BP_OK;
    }
    b->lineup->count = before;
    if (is_mistake(code, found))
        return bp_fail(err, code, "%s", text);
    return apply_policy(b->lineup->env, found ? found->name : spec->name, fallback, code, text,
                        err);
}

/* The rows of a list but CPU's; those in `skip` have been added already. */
static bp_rc add_list(struct building *b, const struct bp_spec_list *list,
                      const struct bp_spec_list *skip, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < list->count; i++) {
        bool is_there = is_cpu(list->rows[i].name);

        for (uint32_t j = 0; skip && j < skip->count; j++)
            is_there |= bp_names_equal(skip->rows[j].name, list->rows[i].name);
        if (!is_there)
            rc = add_spec(b, &list->rows[i], err);
    }
    return rc;
}

/* What a list says of CPU, or NULL. */
static const struct bp_spec *find_cpu(const struct bp_spec_list *list)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (is_cpu(list->rows[i].name))
            return &list->rows[i];
    }
    return NULL;
}

static bp_rc add_cpu(struct building *b, const struct bp_spec_list *defaults, bp_err *err)
{
    static char name[] = "cpu";
    struct bp_spec plain = {.name = name, .fallback = BP_FALLBACK_WARN};
    const struct bp_spec *spec = find_cpu(b->wish->own);

    if (!spec && defaults)
        spec = find_cpu(defaults);
    return add_spec(b, spec ? spec : &plain, err);
}

bp_rc bp_lineup_init(struct bp_lineup *lineup, struct bp_env *env,
                     const struct bp_lineup_wish *wish, bp_report *report, bp_err *err)
{
    struct building b = {.lineup = lineup, .wish = wish, .report = report};
    const struct bp_spec_list *defaults = wish->ignore_env ? NULL : &env->defaults;
    bp_rc rc = BP_OK;

    *lineup = (struct bp_lineup){.env = env};
    if (wish->own)
        rc = add_list(&b, wish->own, NULL, err);
    pthread_mutex_lock(&env->lock);
    if (rc >= 0 && defaults)
        rc = add_list(&b, defaults, wish->own, err);
    if (rc >= 0)
        rc = add_cpu(&b, defaults, err);
    pthread_mutex_unlock(&env->lock);
    return rc;
}

void bp_lineup_finish(struct bp_lineup *lineup)
{
    for (uint32_t i = 0; i < lineup->count; i++) {
        if (lineup->active[i]->instance)
            lineup->active[i]->provider->destroy(lineup->active[i]->instance);
    }
    free(lineup->active);
    bp_region_finish(&lineup->region);
    *lineup = (struct bp_lineup){0};
}

bp_rc bp_lineup_drop(struct bp_lineup *lineup, uint32_t i, bp_report *report, uint32_t stage,
                     bp_rc code, const char *reason, bp_err *err)
{
    struct bp_active *active = lineup->active[i];
    uint32_t fallback = active->fallback;
    const char *name = active->name;
    bp_rc rc;

    rc = bp_report_end_provider(report, active->row, stage, code, reason, NULL, err);
    if (active->instance)
        active->provider->destroy(active->instance);
    for (uint32_t j = i; j + 1 < lineup->count; j++)
        lineup->active[j] = lineup->active[j + 1];
    lineup->count--;
    if (rc < 0)
        return rc;
    return apply_policy(lineup->env, name, fallback, code, reason, err);
}
