/* SPDX-License-Identifier: MIT */
/* devices.c - devices of a provider, as bp_env_provider_device() lists them. */

#include "config.h"

#include "host/env.h"

#include <unistd.h>

/* The machine's memory in bytes; 0: the system does not say. */
static uint64_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

/* The description for a provider that gives none. */
static bp_device unspoken(const bp_provider *provider)
{
    return (bp_device){
        .struct_size = sizeof(bp_device),
        .kind = provider->dev ? BP_DEVICE_OTHER : BP_DEVICE_CPU,
        .numa = BP_NONE,
        .id = provider->dev ? provider->name : "cpu",
        .name = provider->dev ? provider->name : "processor",
    };
}

bp_rc bp_candidate_device(const struct bp_candidate *candidate, uint32_t device, bp_device *out,
                          bp_err *err)
{
    bp_rc rc;

    *out = unspoken(candidate->provider);
    if (!candidate->provider->device)
        return BP_OK;
    *out = (bp_device){.struct_size = sizeof *out, .numa = BP_NONE};
    bp_err_clear(err);
    rc = candidate->provider->device(&candidate->services.host, device, out, err);
    out->struct_size = sizeof *out;
    return bp_err_complete(err, rc);
}

/*
 * Opens the provider, because only it knows its devices. Strings are the provider's and live as
 * long as its module.
 */
bp_rc bp_env_provider_device(bp_env *env, uint32_t i, uint32_t device, bp_device *out, bp_err *err)
{
    bp_device own;
    struct bp_candidate *candidate;
    bp_rc rc = bp_env_check_fork(env, err);

    if (rc >= 0)
        rc = bp_registry_need(&env->registry, i, &candidate, err);
    if (rc >= 0)
        rc = bp_registry_try(&env->registry, candidate, err);
    if (rc < 0)
        return rc;
    if (device >= candidate->n_devices)
        return bp_fail(err, BP_E_INVALID, "provider '%s' has %u device%s, there is no device %u",
                       candidate->name, candidate->n_devices, candidate->n_devices == 1 ? "" : "s",
                       device);
    rc = bp_candidate_device(candidate, device, &own, err);
    if (rc < 0)
        return bp_fail_in(err, rc, "provider '%s', device %u", candidate->name, device);
    if (own.kind == BP_DEVICE_CPU && own.mem_total == 0)
        own.mem_total = machine_memory();
    own.id = own.id ? own.id : "";
    own.name = own.name ? own.name : "";
    own.driver = own.driver ? own.driver : "";
    return bp_done(err, bp_give_out(out, &own, err));
}
