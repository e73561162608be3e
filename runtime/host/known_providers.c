/* SPDX-License-Identifier: MIT */
/*
 * known_providers.c - lists every provider with a known name, and what this build and this machine
 * have of each.
 */

#include "config.h"

#include <string.h>

#include "host/candidates.h"
#include "host/env.h"
#include "host/options/provider_names.h"
#include "host/provider_states.h"

/*
 * Returns BP_KNOWN_* of a name; the registry's lock is held. A vendor's plug-in makes a name
 * supported that this release knows only by name.
 */
static uint32_t flags_of(const struct bp_registry *registry, const char *name)
{
    uint32_t flags = 0;

    if (bp_provider_names_is_in_release(name))
        flags |= BP_KNOWN_SUPPORTED;
    if (bp_provider_names_has(PROVIDERS_BUILT, name))
        flags |= BP_KNOWN_LINKABLE;
    for (const struct bp_candidate *candidate = registry->first; candidate;
         candidate = candidate->next) {
        /* plug-ins that were opened by a path outside the search don't count */
        if (strcmp(candidate->name, name) != 0 || candidate->standing == BP_CANDIDATE_BY_PATH)
            continue;
        flags |= BP_KNOWN_SUPPORTED;
        flags |= candidate->file ? BP_KNOWN_FILE : BP_KNOWN_LINKED | BP_KNOWN_LINKABLE;
    }
    return flags;
}

static const char *why_absent(const bp_known_provider *known)
{
    if (known->home == BP_HOME_GONE)
        return "it was withdrawn";
    if (known->home == BP_HOME_ELSEWHERE)
        return "a plug-in for it has to come from its vendor";
    if (!(known->flags & BP_KNOWN_SUPPORTED))
        return "this release of Backplane has no plug-in for it";
    return "its plug-in is not installed";
}

/* Fills in the state of the provider's plug-in; candidate NULL: there is none. */
static bp_rc describe(struct bp_registry *registry, struct bp_candidate *candidate,
                      bp_known_provider *out, bp_err *err)
{
    struct bp_told told;
    bp_rc rc = BP_OK;

    if (candidate) {
        rc = bp_candidate_tell(candidate, &registry->told, &told, err);
        if (rc < 0)
            return rc;
        out->stage = told.stage;
        out->code = told.code;
        out->file = candidate->file;
        out->reason = told.reason;
        out->fix = told.fix;
    } else {
        out->stage = BP_STAGE_FOUND;
        out->code = BP_E_UNAVAILABLE;
        out->reason = why_absent(out);
    }
    out->states = bp_states_of(out->name, out->stage, out->code);
    return rc;
}

bp_rc bp_env_known_provider(bp_env *env, uint32_t i, bp_known_provider *out, bp_err *err)
{
    bp_known_provider own = {.struct_size = sizeof own, .name = bp_provider_names_known(i)};
    struct bp_registry *registry = &env->registry;
    bp_rc rc = bp_env_check_fork(env, err);

    if (rc < 0)
        return rc;
    if (!own.name)
        return bp_fail(
            err, BP_E_INVALID,
            "there is no known provider %u: they are counted from 0 to the first failure", i);
    own.home = bp_provider_names_home(i, &own.note);
    pthread_mutex_lock(&registry->lock);
    bp_candidates_scan(registry);
    own.flags = flags_of(registry, own.name);
    rc = describe(registry, bp_candidates_find(registry, own.name, own.name), &own, err);
    pthread_mutex_unlock(&registry->lock);
    return bp_done(err, rc < 0 ? rc : bp_give_out(out, &own, err));
}
