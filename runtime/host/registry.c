/* SPDX-License-Identifier: MIT */
/* registry.c - finds plug-ins, opens them when they are wanted, and remembers why one is unusable. */

#include "config.h"

#include "host/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "host/candidates.h"
#include "host/linked.h"
#include "host/recheck.h"

bp_rc bp_registry_init(struct bp_registry *registry, const bp_env_config *config,
                       const struct bp_settings *settings, const struct bp_log *log, bp_err *err)
{
    bp_rc rc;

    *registry = (struct bp_registry){.log = log};
    registry->is_strict = bp_settings_is_on(settings, "BACKPLANE_STRICT");
    bp_vet_init(&registry->vet, config->flags & BP_ENV_HERMETIC);
    rc = bp_search_init(&registry->search, config, settings, log, err);
    if (rc >= 0)
        rc = bp_screen_init(&registry->screen, config, settings, log, err);
    if (rc >= 0)
        rc = bp_order_init(&registry->order, bp_settings_get(settings, "BACKPLANE_PROVIDERS"), err);
    if (rc >= 0)
        rc = bp_confirm_init(registry, config, settings, err);
    if (rc >= 0)
        rc = bp_allow_init(&registry->allow, config, settings, &registry->vet.trust, log, err);
    if (rc >= 0)
        rc = bp_screen_notes(&registry->screen, &registry->notes, err);
    if (rc < 0) {
        bp_allow_finish(&registry->allow);
        bp_order_finish(&registry->order);
        bp_screen_finish(&registry->screen);
        bp_search_finish(&registry->search);
        return rc;
    }
    registry->vet.notes = registry->notes.file ? &registry->notes : NULL;
    registry->vet.log = log;
    pthread_mutex_init(&registry->lock, NULL);
    rc = bp_linked_add(registry, bp_linked_symbols(), err);
    if (rc < 0)
        bp_registry_finish(registry);
    return rc;
}

void bp_registry_finish(struct bp_registry *registry)
{
    bp_rows_finish(registry);
    bp_notes_finish(&registry->notes);
    bp_order_finish(&registry->order);
    bp_allow_finish(&registry->allow);
    bp_screen_finish(&registry->screen);
    bp_search_finish(&registry->search);
    pthread_mutex_destroy(&registry->lock);
}

bp_rc bp_registry_add_entry(struct bp_registry *registry, const char *name, bp_entry_fn entry,
                            bp_err *err)
{
    char short_name[BP_NAME_MAX];
    struct bp_found *other;
    bp_rc rc = BP_OK;

    if (!name || !*name || !entry || !bp_names_short(name, short_name))
        return bp_fail(err, BP_E_INVALID, "a linked-in provider needs a name and an entry");
    pthread_mutex_lock(&registry->lock);
    other = bp_rows_find(registry, short_name, short_name);
    if (other && !other->file)
        rc = bp_fail(err, BP_E_INVALID, "provider '%s' is linked in already", short_name);
    else if (!bp_rows_add_entry(registry, short_name, entry))
        rc = bp_fail_nomem(err, "a provider");
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

struct bp_found *bp_registry_row(struct bp_registry *registry, uint32_t i)
{
    struct bp_found *row;

    pthread_mutex_lock(&registry->lock);
    bp_rows_scan(registry);
    for (row = registry->first; row && i > 0; row = row->next)
        i--;
    pthread_mutex_unlock(&registry->lock);
    return row;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The provider of a module that a row means: the one of its note's id, else of its name, else the first. */
static bp_rc choose(const struct bp_module_copy *copy, struct bp_found *row, bp_err *err)
{
    const char *id = row->vetted.note.id;

    for (uint32_t i = 0; i < copy->module.n_providers; i++) {
        const bp_provider *provider = &copy->providers[i];

        if (strcmp(id ? id : row->name, id ? provider->id : provider->name) == 0) {
            row->provider = provider;
            return BP_OK;
        }
    }
    if (id) /* vetoes and duplicates were judged by that id */
        return bp_fail(err, BP_E_INVALID, "%s: its note says that it is '%s', its tables hold '%s'",
                       row->file ? row->file : row->name, id, copy->providers[0].id);
    row->provider = &copy->providers[0];
    return BP_OK;
}

static bp_rc ask_available(struct bp_found *row, bp_err *err)
{
    bp_avail avail = {.struct_size = sizeof avail, .state = BP_AVAIL_UNKNOWN};
    bp_rc rc;

    row->n_devices = 1;
    if (!row->provider->is_available)
        return BP_OK;
    avail.reason = row->reason;
    avail.reason_cap = sizeof row->reason;
    avail.fix = row->fix;
    avail.fix_cap = sizeof row->fix;
    rc = row->provider->is_available(&row->services.host, &avail, err);
    row->reason[sizeof row->reason - 1] = row->fix[sizeof row->fix - 1] = '\0';
    if (rc < 0)
        return bp_err_complete(err, rc);
    row->n_devices = avail.n_devices;
    if (avail.state == BP_AVAIL_YES)
        return BP_OK;
    return bp_fail(err, BP_E_UNAVAILABLE, "%s", row->reason[0] ? row->reason : "no reason given");
}

/* What is mapped is what is judged here, not what was when it was listed. */
static bp_rc open_file(struct bp_registry *registry, struct bp_found *row,
                       const struct bp_module_copy **out, bp_err *err)
{
    struct bp_file_id id;
    int fd = bp_row_confirm(registry, row, &id);
    bp_rc rc;

    if (fd < 0)
        return bp_fail(err, row->code, "%s", row->reason);
    rc = bp_loader_open(row->file, &id, out, &row->stage, err);
    close(fd);
    if (rc < 0 && row->stage == BP_STAGE_DEPENDENCIES)
        snprintf(row->fix, sizeof row->fix,
                 "install what is missing, or a build of the plug-in for what is here; the linker "
                 "looks in the plug-in's RUNPATH, LD_LIBRARY_PATH and what ldconfig -p lists");
    return rc;
}

static bp_rc open_row(struct bp_registry *registry, struct bp_found *row, bp_err *err)
{
    const struct bp_module_copy *copy = NULL;
    bp_rc rc;

    if (row->file)
        rc = open_file(registry, row, &copy, err);
    else
        rc = bp_loader_adopt(row->name, row->entry, &copy, &row->stage, err);
    if (rc < 0)
        return rc;
    row->module = copy;
    rc = choose(copy, row, err);
    if (rc < 0)
        return rc;
    row->services.log = registry->log;
    row->services.scope = row->provider->id;
    bp_services_init(&row->services, row->file);
    row->stage = BP_STAGE_AVAILABLE;
    return ask_available(row, err);
}

static bp_rc try_locked(struct bp_registry *registry, struct bp_found *row, bp_err *err)
{
    bp_rc rc;

    row->is_asked = true;
    rc = bp_screen_rows(registry, err);
    if (rc < 0)
        return rc;
    if (!row->is_tried && bp_row_is_fit(row)) {
        char text[sizeof row->reason] = "";
        bp_err own = bp_err_init(text, sizeof text);

        row->code = open_row(registry, row, &own);
        row->is_tried = true;
        memcpy(row->reason, text, sizeof row->reason);
    }
    if (row->code < 0)
        return bp_fail(err, row->code, "%s%s%s%s", row->reason, row->fix[0] ? " (" : "", row->fix,
                       row->fix[0] ? ")" : "");
    return BP_OK;
}

bp_rc bp_registry_try(struct bp_registry *registry, struct bp_found *row, bp_err *err)
{
    bp_rc rc;

    pthread_mutex_lock(&registry->lock);
    rc = try_locked(registry, row, err);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

/* The nearest name among those found and those known; NULL: none. */
static const char *nearest(const struct bp_registry *registry, const char *name)
{
    const char *best = bp_names_nearest(name);

    for (const struct bp_found *row = registry->first; !best && row; row = row->next) {
        const char *const names[] = {row->name};

        best = bp_nearest(name, names, 1);
    }
    return best;
}

/* Nobody here has the name, which a caller wrote as `written`. */
static bp_rc not_found(const struct bp_registry *registry, const char *name, const char *written,
                       bp_err *err)
{
    char *dirs = bp_search_text(&registry->search);
    const char *where = dirs ? dirs : "the search path";
    const char *near;
    char way[256];
    bp_rc rc;

    if (bp_names_way(name, way, sizeof way)) {
        rc = bp_fail(err, BP_E_UNAVAILABLE,
                     "provider '%s' is known, but not installed; looked in %s (%s)", name, where,
                     way);
    } else {
        char *all = bp_rows_names(registry);

        near = nearest(registry, name);
        rc = bp_fail(err, BP_E_INVALID, "nobody knows a provider '%s'%s%s%s; looked in %s; %s",
                     written, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                     where, all ? all : "no memory to name those that are known");
        free(all);
    }
    free(dirs);
    return rc;
}

/* The row of a name or path; *out is NULL on failure. */
static bp_rc find_locked(struct bp_registry *registry, const char *name, struct bp_found **out,
                         bp_err *err)
{
    char short_name[BP_NAME_MAX];

    *out = NULL;
    bp_rows_scan(registry);
    if (name[0] == '/') {
        *out = bp_rows_of_path(registry, name);
        return *out ? BP_OK : bp_fail_nomem(err, "a provider");
    }
    if (!bp_names_short(name, short_name))
        return bp_fail(err, BP_E_INVALID, "a provider's name is too long: %.40s...", name);
    *out = bp_rows_find(registry, short_name, name);
    return *out ? BP_OK : not_found(registry, short_name, name, err);
}

bp_rc bp_registry_find(struct bp_registry *registry, const char *name, uint32_t *out, bp_err *err)
{
    struct bp_found *found;
    bp_rc rc;

    *out = 0;
    pthread_mutex_lock(&registry->lock);
    rc = find_locked(registry, name, &found, err);
    for (struct bp_found *row = registry->first; rc >= 0 && row != found; row = row->next)
        ++*out;
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

static bp_rc open_locked(struct bp_registry *registry, const char *name, struct bp_found **out,
                         bp_err *err)
{
    bp_rc rc = find_locked(registry, name, out, err);

    return rc < 0 ? rc : try_locked(registry, *out, err);
}

bp_rc bp_registry_open(struct bp_registry *registry, const char *name, struct bp_found **out,
                       bp_err *err)
{
    bp_rc rc;

    *out = NULL;
    pthread_mutex_lock(&registry->lock);
    rc = open_locked(registry, name, out, err);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

bp_rc bp_registry_probe(struct bp_registry *registry, const struct bp_spec_list *list, bp_err *err)
{
    struct bp_found *row;
    bp_rc rc;

    pthread_mutex_lock(&registry->lock);
    bp_rows_scan(registry);
    for (row = registry->first; !list && row; row = row->next)
        row->is_asked = true;
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (find_locked(registry, list->rows[i].name, &row, NULL) >= 0)
            row->is_asked = true;
    }
    rc = bp_screen_rows(registry, err);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

bp_rc bp_registry_retry(struct bp_registry *registry, const char *name, bp_err *err)
{
    struct bp_found *row;
    bp_rc rc;

    pthread_mutex_lock(&registry->lock);
    rc = find_locked(registry, name, &row, err);
    if (rc >= 0)
        bp_screen_forget(registry, row);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

uint32_t bp_registry_allow(struct bp_registry *registry, const char **dir, uint32_t *n)
{
    struct bp_allow *allow = &registry->allow;

    pthread_mutex_lock(&registry->lock);
    if (n) {
        bp_allow_read(allow, &registry->vet.trust);
        *n = allow->count;
    }
    pthread_mutex_unlock(&registry->lock);
    if (dir)
        *dir = allow->dirs[0];
    return allow->mode;
}

/* ---- what the user wants --------------------------------------------------------------------- */

static bp_rc prefer(struct bp_spec_list *list, const char *name, bp_err *err)
{
    if (bp_names_equal(name, "cpu") || bp_spec_find(list, name))
        return BP_OK;
    return bp_spec_add(list, name, NULL, 0, BP_FALLBACK_DEFAULT, err);
}

static bp_rc prefer_found(const struct bp_registry *registry, const char *pattern,
                          struct bp_spec_list *list, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (const struct bp_found *row = registry->first; rc >= 0 && row; row = row->next) {
        if (row->is_listed && bp_row_is_fit(row) && strcmp(row->name, "cpu") != 0 &&
            bp_order_fits(pattern, row->name, row->vetted.note.id))
            rc = prefer(list, row->name, err);
    }
    return rc;
}

bp_rc bp_registry_prefer(struct bp_registry *registry, struct bp_spec_list *out, bp_err *err)
{
    bp_rc rc = BP_OK;

    pthread_mutex_lock(&registry->lock);
    if (registry->order.count > 0)
        bp_rows_scan(registry);
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
