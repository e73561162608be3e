/* SPDX-License-Identifier: MIT */
/* provider_list.c - makes provider instances from a list of names. */

#include "config.h"

#include "compile/provider_list.h"

#include <stdlib.h>
#include <string.h>

#include "compile/after_fork.h"
#include "custom/provider.h"
#include "host/options/device_choice.h"
#include "host/options/provider_options.h"

/* What is read, and where rows go, while the list is built. */
struct building {
    struct bp_provider_list *providers;
    const struct bp_provider_list_config *config;
    bp_report *report;
    bp_rc required; /* status of the first required provider that failed */
    char words[1024];
};

static char cpu_name[] = "cpu";
static const struct bp_spec unnamed_cpu = {.name = cpu_name, .fallback = BP_FALLBACK_WARN};

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
 * Adds a row, in the region, so that pointers to rows stay valid when the list grows. NULL: no
 * memory.
 */
static struct bp_active *add_active(struct bp_provider_list *providers)
{
    struct bp_active *active = bp_region_alloc(&providers->region, sizeof *active);
    struct bp_active **list;

    list = realloc(providers->active, (providers->count + 1) * sizeof(struct bp_active *));
    if (list)
        providers->active = list;
    if (active)
        active->memory = bp_region_alloc(&providers->region, sizeof *active->memory);
    if (active)
        active->refused = bp_region_alloc(&providers->region, sizeof *active->refused);
    if (!active || !active->memory || !active->refused || !list)
        return NULL;
    list[providers->count++] = active;
    return active;
}

/* Describes all devices of a provider, in the region. */
static bp_rc describe_all(struct bp_provider_list *providers, const struct bp_candidate *found,
                          bp_device **out, bp_err *err)
{
    bp_device *all = bp_region_array(&providers->region, found->n_devices, sizeof *all);
    bp_rc rc = all ? BP_OK : bp_fail_nomem(err, "a provider's devices");

    for (uint32_t i = 0; rc >= 0 && i < found->n_devices; i++) {
        rc = bp_candidate_device(found, i, &all[i], err);
        if (rc < 0)
            rc = bp_fail_in(err, rc, "device %u", i);
    }
    *out = all;
    return rc;
}

/*
 * Sets active->chosen: the devices of the option "device" (text; NULL: it is not given), or those
 * of the session. A device that does not exist is the caller's mistake, as a wrong option is.
 */
static bp_rc choose_devices(struct bp_provider_list *providers, const struct bp_candidate *found,
                            const struct bp_spec *spec, const char *text, struct bp_active *active,
                            bp_err *err)
{
    uint32_t n = text ? found->n_devices : spec->n_devices;
    bp_device *all;
    bp_rc rc;

    active->chosen = bp_region_array(&providers->region, n, sizeof *active->chosen);
    if (!active->chosen)
        return bp_fail_nomem(err, "a provider's devices");
    if (text) {
        rc = describe_all(providers, found, &all, err);
        if (rc >= 0)
            rc = bp_device_choice_parse(text, all, n, active->chosen, &active->n_chosen, err);
        return rc < 0 ? bp_fail_in(err, rc, "provider '%s', option 'device'", found->name) : rc;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (spec->devices[i] >= found->n_devices)
            return bp_fail(err, BP_E_OPTION, "provider '%s' has %u device%s, there is no device %u",
                           found->name, found->n_devices, found->n_devices == 1 ? "" : "s",
                           spec->devices[i]);
        active->chosen[active->n_chosen++] = spec->devices[i];
    }
    return BP_OK;
}

/* Creates the instance with its options and services, which have to outlive it. */
static bp_rc start_instance(struct bp_provider_list *providers, struct bp_active *active,
                            const char *file, uint32_t threads, bp_err *err)
{
    const bp_provider *provider = active->provider;
    bp_rc rc;

    active->services = (struct bp_services){
        .log = providers->log,
        .pool = providers->pool,
        .weights = providers->env->weights,
        .scope = provider->id,
        .threads = threads,
    };
    bp_services_init(&active->services, file);
    rc = provider->create(&active->services.host, active->options, active->n_options,
                          active->n_chosen ? active->chosen : NULL, active->n_chosen,
                          &active->instance, err);
    rc = bp_err_complete(err, rc);
    if (rc >= 0 && !active->instance)
        rc = bp_fail(err, BP_E_INTERNAL, "create succeeded without an instance");
    return rc;
}

/* Checks the table of device operations. BP_E_INTERNAL: a required one is missing. */
static bp_rc check_device_ops(const bp_device_ops *dev, bp_err *err)
{
    if (!dev->alloc || !dev->free || !dev->copy)
        return bp_fail(err, BP_E_INTERNAL, "its device operations lack alloc, free or copy");
    if (dev->stream_create && (!dev->stream_destroy || !dev->event_create || !dev->event_destroy ||
                               !dev->event_record || !dev->event_wait))
        return bp_fail(err, BP_E_INTERNAL, "it has streams, but not all operations on them");
    return BP_OK;
}

/* Asks the provider to describe a device of its instance. */
static bp_rc describe_device(const struct bp_active *active, struct bp_asked_device *out,
                             bp_err *err)
{
    const bp_provider *provider = active->provider;
    bp_device device = {.struct_size = sizeof device, .spaces = 1};
    bp_rc rc = BP_OK;

    if (provider->device) {
        bp_err_clear(err);
        rc = provider->device(&active->services.host, out->index, &device, err);
        rc = bp_err_complete(err, rc);
    }
    if (rc >= 0 && provider->dev && device.spaces == 0)
        rc =
            bp_fail(err, BP_E_INTERNAL, "it has device operations, but its device no memory space");
    out->spaces = provider->dev ? device.spaces : 0;
    out->id = device.id ? device.id : "";
    return rc;
}

/*
 * Sets active->devices: those that were asked for, else all. Devices with memory need a
 * description; that of others is for the report alone, so a failure to describe them is ignored.
 */
static bp_rc list_devices(struct bp_provider_list *providers, struct bp_active *active,
                          const struct bp_candidate *found, bp_err *err)
{
    uint32_t n = active->n_chosen ? active->n_chosen : found->n_devices;
    bp_rc rc = BP_OK;

    active->n_devices = n ? n : 1;
    active->devices =
        bp_region_array(&providers->region, active->n_devices, sizeof *active->devices);
    if (!active->devices)
        return bp_fail_nomem(err, "a provider's devices");
    if (active->provider->dev)
        rc = check_device_ops(active->provider->dev, err);
    for (uint32_t i = 0; rc >= 0 && i < active->n_devices; i++) {
        struct bp_asked_device *device = &active->devices[i];

        device->index = active->n_chosen ? active->chosen[i] : i;
        rc = describe_device(active, device, err);
        if (rc < 0 && !active->provider->dev)
            rc = BP_OK;
    }
    return rc;
}

/* Checks options and devices, then creates the instance. *stage is the last stage reached. */
static bp_rc make_instance(struct bp_provider_list *providers, struct bp_candidate *found,
                           const struct bp_spec *spec, uint32_t threads, uint32_t *stage,
                           bp_err *err)
{
    const char *device = NULL;
    struct bp_active *active;
    bp_rc rc;

    *stage = BP_STAGE_OPTIONS;
    active = add_active(providers);
    if (!active)
        return bp_fail_nomem(err, "a provider");
    active->provider = found->provider;
    active->name = found->name;
    rc = bp_provider_list_gather_options(providers, found, spec, active, &device, err);
    if (rc >= 0)
        rc = choose_devices(providers, found, spec, device, active, err);
    if (rc < 0)
        return rc;
    bp_options_warn(found->provider, spec->options, spec->n_options, providers->log);
    *stage = BP_STAGE_CREATE;
    rc = start_instance(providers, active, found->file, threads, err);
    if (rc < 0)
        return rc;
    rc = list_devices(providers, active, found, err);
    if (rc < 0)
        found->provider->destroy(active->instance);
    return rc;
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
    };

    return bp_report_add_provider(b->report, &own, row, err);
}

/*
 * Returns the policy in force. CPU is not required unless it is named: it takes what is left over.
 */
static uint32_t policy_of(const struct building *b, const struct bp_spec *spec)
{
    if (spec != &unnamed_cpu && (b->config->strict || b->providers->env->strict))
        return BP_FALLBACK_REQUIRE;
    if (spec != &unnamed_cpu && b->providers->env->override.fallback)
        return b->providers->env->override.fallback;
    return spec->fallback ? spec->fallback : b->config->fallback;
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
    if (code >= 0)
        code = make_instance(b->providers, found, spec, b->config->threads, &stage, &own);
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

/* Adds the providers of a list except CPU; those in `skip` have been added already. */
static bp_rc add_list(struct building *b, const struct bp_spec_list *list,
                      const struct bp_spec_list *skip, bp_err *err)
{
    bp_rc rc = bp_registry_probe(&b->providers->env->registry, list, err);

    for (uint32_t i = 0; rc >= 0 && i < list->count; i++) {
        bool is_there = is_cpu(list->rows[i].name);

        for (uint32_t j = 0; skip && j < skip->count; j++)
            is_there |= bp_provider_names_equal(skip->rows[j].name, list->rows[i].name);
        if (!is_there)
            rc = add_spec(b, &list->rows[i], err);
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

    if (!spec && defaults)
        spec = find_cpu(defaults);
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
    };
    struct bp_active *active = add_active(b->providers);
    bp_rc rc;

    if (!active)
        return bp_fail_nomem(err, "a provider");
    active->provider = &bp_custom_provider;
    active->name = bp_custom_provider.name;
    active->fallback = row.fallback;
    rc = start_instance(b->providers, active, NULL, b->config->threads, err);
    return rc < 0 ? rc : bp_report_add_provider(b->report, &row, &active->row, err);
}

/* Adds the providers of BACKPLANE_PROVIDERS, if the program has named none for the session. */
static bp_rc add_preferred(struct building *b, const struct bp_spec_list *defaults, bp_err *err)
{
    struct bp_spec_list list = {0};
    bp_rc rc;

    if (!defaults || defaults->count > 0 || (b->config->own && b->config->own->count > 0))
        return BP_OK;
    rc = bp_registry_prefer(&b->providers->env->registry, &list, err);
    if (rc >= 0)
        rc = add_list(b, &list, NULL, err);
    bp_spec_finish(&list);
    return rc < 0 ? bp_fail_in(err, rc, "BACKPLANE_PROVIDERS") : rc;
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
        rc = add_list(&b, config->own, NULL, err);
    pthread_mutex_lock(&env->lock);
    if (rc >= 0 && defaults)
        rc = add_list(&b, defaults, config->own, err);
    if (rc >= 0)
        rc = add_preferred(&b, defaults, err);
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

struct bp_held_beside bp_active_held(const struct bp_active *active)
{
    bp_instance_memory said = {.struct_size = sizeof said};
    int64_t shared = atomic_load(&active->services.weight_bytes);
    struct bp_held_beside held = {.weights = shared > 0 ? (uint64_t)shared : 0};

    if (!active->provider->memory || active->provider->memory(active->instance, &said, NULL) < 0)
        return held;
    held.weights += said.host_weights;
    held.caches = said.host_caches;
    held.own_weights = said.device_weights;
    held.own_caches = said.device_caches;
    return held;
}

uint64_t bp_provider_list_bytes(const struct bp_provider_list *providers)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < providers->count; i++) {
        struct bp_held_beside held = bp_active_held(providers->active[i]);

        bytes += held.weights + held.caches;
    }
    return bytes;
}

/* Warns of weights that the instance has not put back: they stay in memory with the environment. */
static void warn_of_weights(const struct bp_active *active)
{
    long long n = atomic_load(&active->services.n_weights);

    if (n > 0)
        bp_log(active->services.log, BP_LOG_WARN, "session",
               "provider '%s' ended without putting back weights: %lld, of %lld bytes",
               active->name, n, (long long)atomic_load(&active->services.weight_bytes));
}

/* Destroys the instance and the texts of changed options; the row itself is in the region. */
static void finish_active(struct bp_active *active)
{
    if (active->instance) {
        active->provider->destroy(active->instance);
        if (active->provider != &active->after_fork)
            warn_of_weights(active);
    }
    bp_refused_finish(active->refused);
    for (uint32_t i = 0; active->changed && i < active->n_options; i++)
        free(active->changed[i]);
    free(active->changed);
}

/*
 * Keeps the new text before the old one is freed, as the provider may read either until set_option
 * returns.
 */
bp_rc bp_active_set_option(struct bp_active *active, const char *key, const char *value,
                           bp_err *err)
{
    struct bp_region region = {0};
    bp_opt changed = {0};
    char *copy = NULL;
    uint32_t at;
    bp_rc rc = bp_options_check_change(active->provider, key, value, &region, &at, &changed, err);

    if (rc >= 0 && !active->changed)
        active->changed = calloc((size_t)active->n_options + 1, sizeof(char *));
    if (rc >= 0)
        copy = strdup(changed.str);
    bp_region_finish(&region);
    if (rc < 0)
        return rc;
    if (!active->changed || !copy) {
        free(copy);
        return bp_fail_nomem(err, "a provider's option");
    }
    changed.str = copy;
    bp_err_clear(err);
    rc = bp_err_complete(err, active->provider->set_option(active->instance, &changed, err));
    if (rc < 0) {
        free(copy);
        return bp_fail_in(err, rc, "provider '%s', option '%s'", active->name, key);
    }
    free(active->changed[at]);
    active->changed[at] = copy;
    active->options[at] = changed;
    return BP_OK;
}

/* Destroys the instances in order; none may have a program left. */
void bp_provider_list_finish(struct bp_provider_list *providers)
{
    bp_fork_unwatch(&providers->fork);
    for (uint32_t i = 0; i < providers->count; i++)
        finish_active(providers->active[i]);
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
    finish_active(active);
    for (uint32_t j = i; j + 1 < providers->count; j++)
        providers->active[j] = providers->active[j + 1];
    providers->count--;
    if (rc < 0)
        return rc;
    return apply_policy(providers->log, name, fallback, code, reason, err);
}
