/* SPDX-License-Identifier: MIT */
/* registry.c - finds plug-ins, opens them when they are wanted, and remembers why one is unusable. */

#include "config.h"

#include "host/registry.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define PREFIX "libbp-"
#define SUFFIX ".so"

bp_rc bp_registry_init(struct bp_registry *registry, const bp_env_config *config,
                       const struct bp_log *log, bp_err *err)
{
    bp_rc rc;

    *registry = (struct bp_registry){.log = log};
    rc = bp_search_init(&registry->search, config, log, err);
    if (rc < 0) {
        bp_search_finish(&registry->search);
        return rc;
    }
    pthread_mutex_init(&registry->lock, NULL);
    return BP_OK;
}

void bp_registry_finish(struct bp_registry *registry)
{
    while (registry->first) {
        struct bp_found *next = registry->first->next;

        free(registry->first->file);
        free(registry->first);
        registry->first = next;
    }
    bp_search_finish(&registry->search);
    pthread_mutex_destroy(&registry->lock);
}

/* Order of rows: linked in before files, by name in each, CPU behind all, unlisted ones at the end. */
static int rank(const struct bp_found *row)
{
    if (!row->is_listed)
        return 3;
    if (strcmp(row->name, "cpu") == 0)
        return 2;
    return row->file ? 1 : 0;
}

static bool goes_before(const struct bp_found *a, const struct bp_found *b)
{
    if (rank(a) != rank(b))
        return rank(a) < rank(b);
    return strcmp(a->name, b->name) < 0;
}

static struct bp_found *find_name(const struct bp_registry *registry, const char *name)
{
    struct bp_found *row;

    for (row = registry->first; row; row = row->next) {
        if (row->is_listed && strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

static void put_in_place(struct bp_registry *registry, struct bp_found *row)
{
    struct bp_found **link = &registry->first;

    while (*link && !goes_before(row, *link))
        link = &(*link)->next;
    row->next = *link;
    *link = row;
}

/* A new row, in its place. file is copied; NULL: linked in. */
static struct bp_found *add_row(struct bp_registry *registry, const char *name, const char *file,
                                bp_entry_fn entry, bool is_listed)
{
    struct bp_found *row = calloc(1, sizeof *row);

    if (row && file)
        row->file = strdup(file);
    if (!row || (file && !row->file)) {
        free(row);
        return NULL;
    }
    snprintf(row->name, sizeof row->name, "%s", name);
    row->entry = entry;
    row->is_listed = is_listed;
    put_in_place(registry, row);
    return row;
}

/* Its name means another one from now on; sessions that use the row keep it. */
static void unlist(struct bp_registry *registry, struct bp_found *row)
{
    struct bp_found **link = &registry->first;

    while (*link != row)
        link = &(*link)->next;
    *link = row->next;
    row->is_listed = false;
    put_in_place(registry, row);
}

/* "dnnl" of "libbp-dnnl.so"; false for other files. */
static bool name_of_file(const char *file, char out[BP_NAME_MAX])
{
    size_t n = strlen(file);
    size_t fixed = strlen(PREFIX) + strlen(SUFFIX);

    if (n <= fixed || n - fixed >= BP_NAME_MAX || strncmp(file, PREFIX, strlen(PREFIX)) != 0 ||
        strcmp(file + n - strlen(SUFFIX), SUFFIX) != 0)
        return false;
    memcpy(out, file + strlen(PREFIX), n - fixed);
    out[n - fixed] = '\0';
    return true;
}

static void scan_dir(struct bp_registry *registry, const char *dir)
{
    struct dirent **entries = NULL;
    int n = scandir(dir, &entries, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        char name[BP_NAME_MAX];

        if (name_of_file(entries[i]->d_name, name) &&
            (size_t)snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name) < sizeof path) {
            struct bp_found *other = find_name(registry, name);

            if (other)
                bp_log(registry->log, BP_LOG_INFO, "host", "%s is not used: %s comes first", path,
                       other->file ? other->file : "a provider that is linked in");
            else if (!add_row(registry, name, path, NULL, true))
                bp_log(registry->log, BP_LOG_ERROR, "host", "%s: no memory to list it", path);
        }
        free(entries[i]);
    }
    free(entries);
}

static void scan(struct bp_registry *registry)
{
    if (registry->is_scanned)
        return;
    for (uint32_t i = 0; i < registry->search.count; i++)
        scan_dir(registry, registry->search.dirs[i].path);
    registry->is_scanned = true;
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
    other = find_name(registry, short_name);
    if (other && !other->file)
        rc = bp_fail(err, BP_E_INVALID, "provider '%s' is linked in already", short_name);
    else if (!add_row(registry, short_name, NULL, entry, true))
        rc = bp_fail_nomem(err, "a provider");
    else if (other)
        unlist(registry, other);
    pthread_mutex_unlock(&registry->lock);
    return rc;
}

struct bp_found *bp_registry_row(struct bp_registry *registry, uint32_t i)
{
    struct bp_found *row;

    pthread_mutex_lock(&registry->lock);
    scan(registry);
    for (row = registry->first; row && i > 0; row = row->next)
        i--;
    pthread_mutex_unlock(&registry->lock);
    return row;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The provider of a module that a row means: the one with its name, else the first. */
static const bp_provider *choose(const struct bp_module_copy *copy, const char *name)
{
    for (uint32_t i = 0; i < copy->module.n_providers; i++) {
        if (strcmp(copy->providers[i].name, name) == 0)
            return &copy->providers[i];
    }
    return &copy->providers[0];
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

static bp_rc open_row(struct bp_registry *registry, struct bp_found *row, bp_err *err)
{
    const struct bp_module_copy *copy = NULL;
    bp_rc rc;

    if (row->file)
        rc = bp_loader_open(row->file, &copy, &row->stage, err);
    else
        rc = bp_loader_adopt(row->name, row->entry, &copy, &row->stage, err);
    if (rc < 0)
        return rc;
    row->provider = choose(copy, row->name);
    row->services.log = registry->log;
    row->services.scope = row->provider->id;
    bp_services_init(&row->services, row->file);
    row->stage = BP_STAGE_AVAILABLE;
    return ask_available(row, err);
}

static bp_rc try_locked(struct bp_registry *registry, struct bp_found *row, bp_err *err)
{
    if (!row->is_tried) {
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
        near = nearest(registry, name);
        rc = bp_fail(err, BP_E_INVALID, "nobody knows a provider '%s'%s%s%s; looked in %s", written,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", where);
    }
    free(dirs);
    return rc;
}

/* The row of an absolute path; made when it is new. */
static struct bp_found *row_of_path(struct bp_registry *registry, const char *path)
{
    const char *slash = strrchr(path, '/');
    char name[BP_NAME_MAX];
    struct bp_found *row;

    for (row = registry->first; row; row = row->next) {
        if (row->file && strcmp(row->file, path) == 0)
            return row;
    }
    if (!name_of_file(slash + 1, name))
        snprintf(name, sizeof name, "%.63s", slash + 1);
    return add_row(registry, name, path, NULL, false);
}

/* The row of a name or path; *out is NULL on failure. */
static bp_rc find_locked(struct bp_registry *registry, const char *name, struct bp_found **out,
                         bp_err *err)
{
    char short_name[BP_NAME_MAX];

    *out = NULL;
    scan(registry);
    if (name[0] == '/') {
        *out = row_of_path(registry, name);
        return *out ? BP_OK : bp_fail_nomem(err, "a provider");
    }
    if (!bp_names_short(name, short_name))
        return bp_fail(err, BP_E_INVALID, "a provider's name is too long: %.40s...", name);
    *out = find_name(registry, short_name);
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
