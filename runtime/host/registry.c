/* SPDX-License-Identifier: MIT */
/* registry.c - finds plug-ins, opens them on demand, and remembers why one is unusable. */

#include "config.h"

#include "host/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/candidates.h"
#include "host/check_provider.h"
#include "host/forget_provider.h"
#include "host/inspect/dependencies.h"
#include "host/linked.h"
#include "host/probe_candidates.h"
#include "host/recheck.h"
#include "text/text.h"

/*
 * Makes the parts in the order of need: the inspector before the allow list, whose files it checks.
 * On failure all of them are finished, so that the caller has nothing to undo.
 */
bp_rc bp_registry_init(struct bp_registry *registry, const bp_env_config *config,
                       const struct bp_settings *settings, const struct bp_log *log, bp_err *err)
{
    bp_rc rc;

    *registry = (struct bp_registry){.log = log};
    registry->is_strict = bp_settings_is_on(settings, "BACKPLANE_STRICT");
    bp_inspector_init(&registry->inspector, config->flags & BP_ENV_HERMETIC);
    rc = bp_search_init(&registry->search, config, settings, log, err);
    if (rc >= 0)
        rc = bp_probe_policy_init(&registry->probe_policy, config, settings, log, err);
    if (rc >= 0)
        rc = bp_order_init(&registry->order, bp_settings_get(settings, "BACKPLANE_PROVIDERS"), err);
    if (rc >= 0)
        rc = bp_recheck_init(registry, config, settings, err);
    if (rc >= 0)
        rc = bp_allow_list_init(&registry->allow, config, settings, &registry->inspector.trust, log,
                                err);
    if (rc >= 0)
        rc = bp_probe_policy_cache(&registry->probe_policy, &registry->cache, err);
    if (rc < 0) {
        bp_allow_list_finish(&registry->allow);
        bp_order_finish(&registry->order);
        bp_probe_policy_finish(&registry->probe_policy);
        bp_search_finish(&registry->search);
        return rc;
    }
    registry->inspector.cache = registry->cache.file ? &registry->cache : NULL;
    registry->inspector.log = log;
    pthread_mutex_init(&registry->lock, NULL);
    rc = bp_linked_add(registry, bp_linked_symbols(), err);
    if (rc < 0)
        bp_registry_finish(registry);
    return rc;
}

void bp_registry_finish(struct bp_registry *registry)
{
    bp_candidates_finish(registry);
    bp_region_finish(&registry->told);
    bp_manifest_cache_finish(&registry->cache);
    bp_order_finish(&registry->order);
    bp_allow_list_finish(&registry->allow);
    bp_probe_policy_finish(&registry->probe_policy);
    bp_search_finish(&registry->search);
    pthread_mutex_destroy(&registry->lock);
}

/*
 * Adds a linked-in provider. A file of the same name becomes its duplicate, as linked-in ones take
 * precedence.
 */
bp_rc bp_registry_add_entry(struct bp_registry *registry, const char *name, bp_entry_fn entry,
                            bp_err *err)
{
    char short_name[BP_NAME_MAX];
    struct bp_candidate *other;
    bp_rc rc = BP_OK;

    if (!name || !*name || !entry || !bp_provider_names_short(name, short_name))
        return bp_fail(err, BP_E_INVALID, "a linked-in provider needs a name and an entry");
    pthread_mutex_lock(&registry->lock);
    other = bp_candidates_find(registry, short_name, short_name);
    if (other && !other->file)
        rc = bp_fail(err, BP_E_INVALID, "provider '%s' is linked in already", short_name);
    else if (!bp_candidates_add_entry(registry, short_name, entry))
        rc = bp_fail_nomem(err, "a provider");
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

/*
 * Walks the list: there are some dozens of candidates, and a caller that asks for all of them opens
 * each, which takes far longer.
 */
struct bp_candidate *bp_registry_get(struct bp_registry *registry, uint32_t i)
{
    struct bp_candidate *candidate;

    pthread_mutex_lock(&registry->lock);
    bp_candidates_scan(registry);
    for (candidate = registry->first; candidate && i > 0; candidate = candidate->next)
        i--;
    pthread_mutex_unlock(&registry->lock);
    return candidate;
}

/* The list of files is fixed once the module is open, so that callers may walk it without the lock. */
char *const *bp_registry_files(struct bp_registry *registry, uint32_t i)
{
    struct bp_candidate *candidate = bp_registry_get(registry, i);
    char *const *files = NULL;

    pthread_mutex_lock(&registry->lock);
    if (candidate && candidate->file && candidate->module)
        files = candidate->module->files;
    pthread_mutex_unlock(&registry->lock);
    return files;
}

bp_rc bp_registry_need(struct bp_registry *registry, uint32_t i, struct bp_candidate **out,
                       bp_err *err)
{
    uint32_t n = 0;

    *out = bp_registry_get(registry, i);
    if (*out)
        return BP_OK;
    while (bp_registry_get(registry, n))
        n++;
    return bp_fail(err, BP_E_INVALID, "there is no provider %u: %u are known, from 0 on", i, n);
}

/* ---- opening --------------------------------------------------------------------------------- */

/*
 * Returns the provider of a module that belongs to the candidate: by its manifest's id, else by its
 * name, else the first.
 */
static bp_rc choose(const struct bp_module_copy *copy, struct bp_candidate *candidate, bp_err *err)
{
    const char *id = candidate->inspected.manifest.id;

    for (uint32_t i = 0; i < copy->module.n_providers; i++) {
        const bp_provider *provider = &copy->providers[i];

        if (strcmp(id ? id : candidate->name, id ? provider->id : provider->name) == 0) {
            candidate->provider = provider;
            return BP_OK;
        }
    }
    if (id) /* vetoes and duplicates were settled by that id */
        return bp_fail(
            err, BP_E_INVALID, "%s: its manifest says that it is '%s', its tables hold '%s'",
            candidate->file ? candidate->file : candidate->name, id, copy->providers[0].id);
    candidate->provider = &copy->providers[0];
    return BP_OK;
}

/*
 * Asks whether the provider is available. It writes reason and fix into the candidate's verdict,
 * within the given capacities; the NULs afterwards protect against one that fills them up.
 */
static bp_rc ask_available(struct bp_candidate *candidate, bp_err *err)
{
    bp_avail avail = {.struct_size = sizeof avail, .state = BP_AVAIL_UNKNOWN};
    bp_rc rc;

    candidate->n_devices = 1;
    if (!candidate->provider->is_available)
        return BP_OK;
    avail.reason = candidate->reason;
    avail.reason_cap = sizeof candidate->reason;
    avail.fix = candidate->fix;
    avail.fix_cap = sizeof candidate->fix;
    rc = candidate->provider->is_available(&candidate->services.host, &avail, err);
    candidate->reason[sizeof candidate->reason - 1] = candidate->fix[sizeof candidate->fix - 1] =
        '\0';
    if (rc < 0)
        return bp_err_complete(err, rc);
    candidate->n_devices = avail.n_devices;
    if (avail.state == BP_AVAIL_YES)
        return BP_OK;
    return bp_fail(err, BP_E_UNAVAILABLE, "%s",
                   candidate->reason[0] ? candidate->reason : "no reason given");
}

/* Inspects the file before it is mapped: it may have changed since it was listed. */
static bp_rc open_file(struct bp_registry *registry, struct bp_candidate *candidate,
                       const struct bp_module_copy **out, bp_err *err)
{
    struct bp_file_id id;
    int fd = bp_recheck_file(registry, candidate, &id);
    bp_rc rc;

    if (fd < 0)
        return bp_fail(err, candidate->code, "%s", candidate->reason);
    rc = bp_loader_open(candidate->file, &id, out, &candidate->stage, err);
    close(fd);
    if (rc < 0 && candidate->stage == BP_STAGE_DEPENDENCIES)
        snprintf(candidate->fix, sizeof candidate->fix, "%s", BP_DEPENDENCIES_FIX);
    return rc;
}

/* The candidate holds the services, because it never moves and the provider keeps their address. */
static bp_rc open_row(struct bp_registry *registry, struct bp_candidate *candidate, bp_err *err)
{
    const struct bp_module_copy *copy = NULL;
    bp_rc rc;

    if (candidate->file)
        rc = open_file(registry, candidate, &copy, err);
    else
        rc = bp_loader_adopt(candidate->name, candidate->entry, &copy, &candidate->stage, err);
    if (rc < 0)
        return rc;
    candidate->module = copy;
    rc = choose(copy, candidate, err);
    if (rc < 0)
        return rc;
    candidate->services.log = registry->log;
    candidate->services.scope = candidate->provider->id;
    bp_services_init(&candidate->services, candidate->file);
    candidate->stage = BP_STAGE_AVAILABLE;
    return ask_available(candidate, err);
}

/*
 * Opens a candidate once; later calls return the verdict of the first. The text goes to a separate
 * buffer, because the error repeats what is in the verdict.
 */
static bp_rc try_locked(struct bp_registry *registry, struct bp_candidate *candidate, bp_err *err)
{
    bp_rc rc;

    candidate->is_to_probe = true;
    rc = bp_probe_candidates(registry, err);
    if (rc < 0)
        return rc;
    if (candidate->progress != BP_CANDIDATE_OPENED && bp_candidate_is_fit(candidate)) {
        char text[sizeof candidate->reason] = "";
        bp_err own = bp_err_init(text, sizeof text);

        candidate->code = open_row(registry, candidate, &own);
        bp_candidate_set_opened(candidate);
        memcpy(candidate->reason, text, sizeof candidate->reason);
    }
    if (candidate->code < 0)
        return bp_fail(err, candidate->code, "%s%s%s%s", candidate->reason,
                       candidate->fix[0] ? " (" : "", candidate->fix, candidate->fix[0] ? ")" : "");
    return BP_OK;
}

bp_rc bp_registry_try(struct bp_registry *registry, struct bp_candidate *candidate, bp_err *err)
{
    bp_rc rc;

    pthread_mutex_lock(&registry->lock);
    rc = try_locked(registry, candidate, err);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

/*
 * Returns the nearest name among those known and those found; NULL: none. Known names come first: a
 * typing error of "cuda" should not suggest a plug-in that happens to be installed.
 */
static const char *nearest(const struct bp_registry *registry, const char *name)
{
    const char *best = bp_provider_names_nearest(name);

    for (const struct bp_candidate *candidate = registry->first; !best && candidate;
         candidate = candidate->next) {
        const char *const names[] = {candidate->name};

        best = bp_nearest(name, names, 1);
    }
    return best;
}

/* Makes the error for an unknown name, which the caller spelled `written`. */
static bp_rc not_found(const struct bp_registry *registry, const char *name, const char *written,
                       bp_err *err)
{
    char *dirs = bp_search_text(&registry->search);
    const char *where = dirs ? dirs : "the search path";
    const char *near;
    char way[256];
    bp_rc rc;

    if (bp_provider_names_advice(name, way, sizeof way)) {
        rc = bp_fail(err, BP_E_UNAVAILABLE,
                     "provider '%s' is known, but not installed; looked in %s (%s)", name, where,
                     way);
    } else {
        char *all = bp_candidates_names(registry);

        near = nearest(registry, name);
        rc = bp_fail(err, BP_E_INVALID, "there is no provider '%s'%s%s%s; looked in %s; %s",
                     written, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                     where, all ? all : "no memory to name those that are known");
        free(all);
    }
    free(dirs);
    return rc;
}

/* Finds the candidate of a name or path; *out is NULL on failure. */
static bp_rc find_locked(struct bp_registry *registry, const char *name, struct bp_candidate **out,
                         bp_err *err)
{
    char short_name[BP_NAME_MAX];

    *out = NULL;
    bp_candidates_scan(registry);
    if (name[0] == '/') {
        *out = bp_candidates_of_path(registry, name);
        return *out ? BP_OK : bp_fail_nomem(err, "a provider");
    }
    if (!bp_provider_names_short(name, short_name))
        return bp_fail(err, BP_E_INVALID, "a provider's name is too long: %.40s...", name);
    *out = bp_candidates_find(registry, short_name, name);
    return *out ? BP_OK : not_found(registry, short_name, name, err);
}

/* Indices count as in bp_registry_get(); they may change when a provider is linked in later. */
bp_rc bp_registry_find(struct bp_registry *registry, const char *name, uint32_t *out, bp_err *err)
{
    struct bp_candidate *found;
    bp_rc rc;

    *out = 0;
    pthread_mutex_lock(&registry->lock);
    rc = find_locked(registry, name, &found, err);
    for (struct bp_candidate *candidate = registry->first; rc >= 0 && candidate != found;
         candidate = candidate->next)
        ++*out;
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

static bp_rc open_locked(struct bp_registry *registry, const char *name, struct bp_candidate **out,
                         bp_err *err)
{
    bp_rc rc = find_locked(registry, name, out, err);

    return rc < 0 ? rc : try_locked(registry, *out, err);
}

bp_rc bp_registry_open(struct bp_registry *registry, const char *name, struct bp_candidate **out,
                       struct bp_told *told, bp_err *err)
{
    bp_rc rc, told_rc = BP_OK;

    *out = NULL;
    if (told)
        *told = (struct bp_told){0};
    pthread_mutex_lock(&registry->lock);
    rc = open_locked(registry, name, out, err);
    if (told && *out)
        told_rc = bp_candidate_tell(*out, &registry->told, told, err);
    pthread_mutex_unlock(&registry->lock);
    return told_rc < 0 ? told_rc : rc;
}

bp_rc bp_registry_tell(struct bp_registry *registry, struct bp_candidate *candidate,
                       struct bp_told *out, bp_err *err)
{
    bp_rc rc;

    pthread_mutex_lock(&registry->lock);
    rc = bp_candidate_tell(candidate, &registry->told, out, err);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

/* Skips unknown names here; opening them gives the error. */
bp_rc bp_registry_probe(struct bp_registry *registry, const struct bp_spec_list *list, bp_err *err)
{
    struct bp_candidate *candidate;
    bp_rc rc;

    pthread_mutex_lock(&registry->lock);
    bp_candidates_scan(registry);
    for (candidate = registry->first; !list && candidate; candidate = candidate->next)
        candidate->is_to_probe = true;
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (find_locked(registry, list->rows[i].name, &candidate, NULL) >= 0)
            candidate->is_to_probe = true;
    }
    rc = bp_probe_candidates(registry, err);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

/* Removes the file from the quarantine file, too, so that other processes try it again. */
bp_rc bp_registry_retry(struct bp_registry *registry, const char *name, bp_err *err)
{
    struct bp_candidate *candidate;
    bp_rc rc;

    pthread_mutex_lock(&registry->lock);
    rc = find_locked(registry, name, &candidate, err);
    if (rc >= 0)
        bp_probe_forget(registry, candidate);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

bp_rc bp_registry_forget(struct bp_registry *registry, const char *name, bp_err *err)
{
    bp_rc rc;

    pthread_mutex_lock(&registry->lock);
    rc = bp_forget_provider(registry, name, err);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

bp_rc bp_registry_check(struct bp_registry *registry, uint32_t i, bool is_probed,
                        bp_provider_check *out, bp_err *err)
{
    struct bp_candidate *candidate;
    bp_rc rc = bp_registry_need(registry, i, &candidate, err);

    if (rc < 0)
        return rc;
    pthread_mutex_lock(&registry->lock);
    rc = bp_check_provider(registry, candidate, is_probed, out, err);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

/* Reads the lists only if their length is asked for: a mode of `off` reads no file. */
uint32_t bp_registry_allow(struct bp_registry *registry, const char **dir, uint32_t *n)
{
    struct bp_allow_list *allow = &registry->allow;

    /* mode and directories are fixed, the lists are read by whoever comes first */
    pthread_mutex_lock(&registry->lock);
    if (n) {
        bp_allow_list_read(allow, &registry->inspector.trust);
        *n = allow->count;
    }
    pthread_mutex_unlock(&registry->lock);
    if (dir)
        *dir = allow->dirs[0];
    return allow->mode;
}

/* ---- what the user wants --------------------------------------------------------------------- */

/* Adds a name but CPU, which ends every list of a session. */
static bp_rc prefer(struct bp_spec_list *list, const char *name, bp_err *err)
{
    if (bp_provider_names_equal(name, "cpu") || bp_spec_find(list, name))
        return BP_OK;
    return bp_spec_add(list, name, NULL, 0, BP_FALLBACK_DEFAULT, err);
}

static bp_rc prefer_found(const struct bp_registry *registry, const char *pattern,
                          struct bp_spec_list *list, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (const struct bp_candidate *candidate = registry->first; rc >= 0 && candidate;
         candidate = candidate->next) {
        if (bp_candidate_is_listed(candidate) && bp_candidate_is_fit(candidate) &&
            strcmp(candidate->name, "cpu") != 0 &&
            bp_order_fits(pattern, candidate->name, candidate->inspected.manifest.id))
            rc = prefer(list, candidate->name, err);
    }
    return rc;
}

/*
 * Adds a name without wildcards even if no provider has it, so that the report shows that it is
 * missing.
 */
bp_rc bp_registry_prefer(struct bp_registry *registry, struct bp_spec_list *out, bp_err *err)
{
    bp_rc rc = BP_OK;

    pthread_mutex_lock(&registry->lock);
    if (registry->order.count > 0)
        bp_candidates_scan(registry);
    for (uint32_t i = 0; rc >= 0 && i < registry->order.count; i++) {
        const struct bp_order_entry *entry = &registry->order.entries[i];

        if (entry->is_veto)
            continue;
        rc = strpbrk(entry->pattern, "*?[") ? prefer_found(registry, entry->pattern, out, err)
                                            : prefer(out, entry->pattern, err);
    }
    pthread_mutex_unlock(&registry->lock);
    return rc;
}
