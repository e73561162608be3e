/* SPDX-License-Identifier: MIT */
/* active.c - one provider of a list: its instance is made, counted, changed and ended. */

#include "config.h"

#include "compile/active.h"

#include <stdlib.h>
#include <string.h>

#include "compile/after_fork.h"
#include "host/options/device_choice.h"
#include "host/options/provider_options.h"

/*
 * Adds a row, in the region, so that pointers to rows stay valid when the list grows. NULL: no
 * memory.
 */
struct bp_active *bp_active_add(struct bp_provider_list *providers)
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
bp_rc bp_active_start(struct bp_provider_list *providers, struct bp_active *active,
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
bp_rc bp_active_make(struct bp_provider_list *providers, struct bp_candidate *found,
                     const struct bp_spec *spec, uint32_t threads, uint32_t *stage, bp_err *err)
{
    const char *device = NULL;
    struct bp_active *active;
    bp_rc rc;

    *stage = BP_STAGE_OPTIONS;
    active = bp_active_add(providers);
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
    rc = bp_active_start(providers, active, found->file, threads, err);
    if (rc < 0)
        return rc;
    rc = list_devices(providers, active, found, err);
    if (rc < 0)
        found->provider->destroy(active->instance);
    return rc;
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
void bp_active_finish(struct bp_active *active)
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
