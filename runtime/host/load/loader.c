/* SPDX-License-Identifier: MIT */
/* loader.c - the modules of this process, each opened once, with copies of their tables. */

#include "config.h"

#include "host/load/loader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"
#include "host/load/dlopen.h"
#include "host/load/mapped.h"
#include "host/load/services.h"

enum { MAX_TABLE = 65536, MAX_PROVIDERS = 64 };

struct loaded {
    struct loaded *next;
    char *path; /* NULL: a linked-in module */
    bp_entry_fn entry;
    void *handle;    /* of a file */
    uint32_t n_open; /* opens that were not released yet */
    bp_host host;    /* what the entry was given; stays with the module */
    struct bp_module_copy copy;
};

/* The state of the process. */
static struct {
    pthread_mutex_t lock;
    struct loaded *first;
    struct bp_fork_watch fork; /* of the lock */
} modules = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void watch_forks(void)
{
    bp_fork_watch(&modules.fork, bp_fork_open_mutex, &modules.lock);
}

void bp_loader_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, watch_forks);
}

/*
 * Finds a module by the path as given: two paths of one file are two modules here, and the linker
 * returns the same handle for both.
 */
static struct loaded *find(const char *path, bp_entry_fn entry)
{
    struct loaded *row;

    for (row = modules.first; row; row = row->next) {
        if (path ? row->path && strcmp(row->path, path) == 0 : row->entry == entry)
            return row;
    }
    return NULL;
}

/*
 * Is the size of a table plausible? It may be larger than ours (newer) or as small as the first
 * version's (older); beyond 64 KiB it is not a table but garbage.
 */
static bp_rc check_size(const char *name, const char *table, uint32_t size, uint32_t least,
                        bp_err *err)
{
    if (size >= least && size <= MAX_TABLE)
        return BP_OK;
    return bp_fail(
        err, BP_E_VERSION,
        "%s: its %s has %u bytes; this host reads %u to %u: set struct_size to sizeof the table, "
        "and build it against the SDK of this host",
        name, table, size, least, (unsigned)MAX_TABLE);
}

/*
 * Refuses an unknown critical flag: it means that a host that does not know it cannot use the
 * plug-in correctly. Other unknown flags are ignored.
 */
static bp_rc check_flags(const char *name, const char *table, uint32_t flags, bp_err *err)
{
    if (!(flags & BP_CRITICAL))
        return BP_OK;
    return bp_fail(
        err, BP_E_VERSION,
        "%s: its %s has critical flags 0x%08x that this host does not know; use a newer host, or "
        "an older plug-in",
        name, table, flags & BP_CRITICAL);
}

/* Checks the magic before the version: if it is wrong, no other field can be trusted. */
static bp_rc check_module(const char *name, const bp_module *theirs, bp_err *err)
{
    bp_rc rc;

    if (!theirs)
        return bp_fail(err, BP_E_INTERNAL,
                       "%s: its entry succeeded but gave no module; it has to set *out", name);
    rc = check_size(name, "module table", theirs->struct_size, BP_LEAST_MODULE, err);
    if (rc < 0)
        return rc;
    if (theirs->magic != BP_MAGIC)
        return bp_fail(
            err, BP_E_VERSION,
            "%s: its magic is 0x%08x, Backplane's is 0x%08x; build it against the SDK of this "
            "host",
            name, theirs->magic, BP_MAGIC);
    if (theirs->abi_major != BP_ABI_MAJOR)
        return bp_fail(
            err, BP_E_VERSION,
            "%s speaks ABI %u.%u, this host speaks %u.0 to %u.%u; build it against the SDK of "
            "this host, or use a newer host",
            name, theirs->abi_major, theirs->abi_minor, BP_ABI_MAJOR, BP_ABI_MAJOR, BP_ABI_MINOR);
    if (theirs->n_providers > 0 && !theirs->providers)
        return bp_fail(err, BP_E_INVALID,
                       "%s says that it holds %u providers, but its list of them is NULL; set "
                       "bp_module.providers",
                       name, theirs->n_providers);
    if (theirs->n_providers < 1 || theirs->n_providers > MAX_PROVIDERS)
        return bp_fail(err, BP_E_INVALID, "%s holds %u providers; 1 to %d are possible", name,
                       theirs->n_providers, MAX_PROVIDERS);
    return check_flags(name, "module table", theirs->flags, err);
}

/* The first member without which a provider cannot be used that is NULL; NULL: none is. */
static const char *find_missing(const bp_provider *p)
{
    const struct {
        bool is_there;
        const char *name;
    } required[] = {
        {p->id, "id"},
        {p->name, "name"},
        {p->version, "version"},
        {p->options || p->n_options == 0, "options"},
        {p->create, "create"},
        {p->destroy, "destroy"},
        {p->capability, "capability"},
        {p->compile, "compile"},
        {p->program_free, "program_free"},
        {p->frame_create, "frame_create"},
        {p->frame_free, "frame_free"},
        {p->execute, "execute"},
    };

    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++) {
        if (!required[i].is_there)
            return required[i].name;
    }
    return NULL;
}

/*
 * Copies a provider's table. The copy has all slots that this host knows; those that an older
 * plug-in lacks are NULL, so callers test a slot and never a size.
 */
static bp_rc copy_provider(const char *name, const bp_provider *theirs, bp_provider *own,
                           bp_device_ops *dev, bp_err *err)
{
    const char *missing;
    bp_rc rc;

    if (!theirs)
        return bp_fail(
            err, BP_E_INVALID,
            "%s: an entry of its list of providers is NULL; n_providers has to be their number",
            name);
    rc = check_size(name, "provider table", theirs->struct_size, BP_LEAST_PROVIDER, err);
    if (rc < 0)
        return rc;
    bp_copy_in(own, sizeof *own, theirs);
    missing = find_missing(own);
    if (missing)
        return bp_fail(err, BP_E_INVALID, "%s: bp_provider.%s is NULL; it is required", name,
                       missing);
    rc = check_flags(name, "provider table", own->flags, err);
    if (rc < 0 || !own->dev)
        return rc;
    rc = check_size(name, "device table", own->dev->struct_size, BP_LEAST_DEVICE_OPS, err);
    if (rc < 0)
        return rc;
    bp_copy_in(dev, sizeof *dev, own->dev);
    own->dev = dev;
    return BP_OK;
}

/* After a failure the caller's destroy() frees what was copied before. */
static bp_rc copy_tables(const char *name, const bp_module *theirs, struct bp_module_copy *copy,
                         bp_err *err)
{
    uint32_t n;
    bp_rc rc;

    rc = check_module(name, theirs, err);
    if (rc < 0)
        return rc;
    bp_copy_in(&copy->module, sizeof copy->module, theirs);
    n = copy->module.n_providers;
    copy->providers = calloc(n, sizeof *copy->providers);
    copy->dev = calloc(n, sizeof *copy->dev);
    if (!copy->providers || !copy->dev)
        return bp_fail_nomem(err, "a plug-in's tables");
    for (uint32_t i = 0; i < n; i++) {
        rc = copy_provider(name, theirs->providers[i], &copy->providers[i], &copy->dev[i], err);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* Frees the copies; what is mapped stays. */
static void destroy(struct loaded *row)
{
    if (!row)
        return;
    free(row->copy.providers);
    free(row->copy.dev);
    free(row->copy.files);
    free(row->path);
    free(row);
}

/* Calls the entry of a plug-in that is not loaded yet, and copies its tables. */
static bp_rc call_entry(const char *name, const char *path, bp_entry_fn entry, struct loaded **out,
                        bp_err *err)
{
    const bp_module *theirs = NULL;
    struct loaded *row = NULL;
    bp_rc rc;

    row = calloc(1, sizeof *row);
    if (row && path)
        row->path = strdup(path);
    if (!row || (path && !row->path)) {
        rc = bp_fail_nomem(err, "a plug-in");
        goto out;
    }
    row->entry = entry;
    bp_services_for_module(&row->host, row->path);
    bp_err_clear(err);
    rc = bp_err_complete(err, entry(&row->host, &theirs, err));
    if (rc < 0) {
        rc = bp_fail_in(err, rc, "%s refuses this host", name);
        goto out;
    }
    rc = copy_tables(name, theirs, &row->copy, err);
    if (rc < 0)
        goto out;
    row->next = modules.first;
    modules.first = row;
    *out = row;
    row = NULL;
out:
    destroy(row);
    return rc;
}

/*
 * Maps the file at a path and calls its entry; the libraries that this mapped are recorded with it.
 */
static bp_rc open_file(const char *path, const struct bp_file_id *inspected, struct loaded **out,
                       uint32_t *stage, bp_err *err)
{
    struct bp_mapped before = {0};
    bp_entry_fn entry;
    void *handle;
    bp_rc rc;

    bp_mapped_look(&before);
    rc = bp_dlopen_entry(path, inspected, &entry, &handle, stage, err);
    if (rc >= 0) {
        *stage = BP_STAGE_ABI;
        rc = call_entry(path, path, entry, out, err);
    }
    if (rc >= 0) {
        (*out)->handle = handle;
        (*out)->copy.files = bp_mapped_since(&before, path);
    }
    bp_mapped_finish(&before);
    return rc;
}

/* Opens the module at path, or of entry if path is NULL. The lock is held. */
static bp_rc open_locked(const char *name, const char *path, const struct bp_file_id *inspected,
                         bp_entry_fn entry, struct loaded **out, uint32_t *stage, bp_err *err)
{
    *stage = BP_STAGE_OPEN;
    if (path && bp_dlopen_is_replaced(path))
        return bp_fail(err, BP_E_BUSY,
                       "%s is another file than the one that this process has mapped from that "
                       "path; start the program anew, or install it by another name",
                       path);
    *stage = BP_STAGE_ABI;
    *out = find(path, entry);
    if (*out)
        return BP_OK;
    return path ? open_file(path, inspected, out, stage, err)
                : call_entry(name, NULL, entry, out, err);
}

/*
 * One lock for the process: the entry of a plug-in runs under it, so that no thread sees a module
 * half made. An entry must not open plug-ins itself.
 */
static bp_rc open_module(const char *name, const char *path, const struct bp_file_id *inspected,
                         bp_entry_fn entry, const struct bp_module_copy **out, uint32_t *stage,
                         bp_err *err)
{
    struct loaded *row = NULL;
    bp_rc rc;

    *out = NULL;
    pthread_mutex_lock(&modules.lock);
    rc = open_locked(name, path, inspected, entry, &row, stage, err);
    if (rc >= 0)
        row->n_open++;
    pthread_mutex_unlock(&modules.lock);
    if (rc >= 0)
        *out = &row->copy;
    return rc;
}

bp_rc bp_loader_open(const char *path, const struct bp_file_id *inspected,
                     const struct bp_module_copy **out, uint32_t *stage, bp_err *err)
{
    return open_module(path, path, inspected, NULL, out, stage, err);
}

bp_rc bp_loader_adopt(const char *name, bp_entry_fn entry, const struct bp_module_copy **out,
                      uint32_t *stage, bp_err *err)
{
    return open_module(name, NULL, NULL, entry, out, stage, err);
}

/* ---- unloading ------------------------------------------------------------------------------- */

/*
 * May the module of these rows be unloaded? Rows of one entry are one plug-in by several paths. It
 * is unloaded when none of them is open, all came from files, and all of its providers have the
 * flag.
 */
static bool is_unloadable(const struct loaded *of)
{
    for (const struct loaded *row = modules.first; row; row = row->next) {
        if (row->entry != of->entry)
            continue;
        if (row->n_open > 0 || !row->handle)
            return false;
        for (uint32_t i = 0; i < row->copy.module.n_providers; i++) {
            if (!(row->copy.providers[i].flags & BP_PROVIDER_UNLOADABLE))
                return false;
        }
    }
    return true;
}

/* Removes the rows of an entry from the list. */
static struct loaded *take_out(bp_entry_fn entry)
{
    struct loaded **link = &modules.first, *taken = NULL;

    while (*link) {
        struct loaded *row = *link;

        if (row->entry != entry) {
            link = &row->next;
            continue;
        }
        *link = row->next;
        row->next = taken;
        taken = row;
    }
    return taken;
}

/* Frees the host table last, because the plug-in may log while it is torn down. */
static void unload(bp_entry_fn entry)
{
    struct loaded *rows = take_out(entry);

    if (rows->copy.module.teardown)
        rows->copy.module.teardown();
    while (rows) {
        struct loaded *next = rows->next;

        bp_dlopen_close(rows->handle);
        destroy(rows);
        rows = next;
    }
}

/* Calls teardown() under the lock, as the entry: no thread opens the plug-in meanwhile. */
void bp_loader_release(const struct bp_module_copy *copy)
{
    struct loaded *row;

    if (!copy)
        return;
    pthread_mutex_lock(&modules.lock);
    for (row = modules.first; &row->copy != copy;)
        row = row->next;
    if (--row->n_open == 0 && is_unloadable(row))
        unload(row->entry);
    pthread_mutex_unlock(&modules.lock);
}

bool bp_loader_has(const char *path)
{
    bool has;

    pthread_mutex_lock(&modules.lock);
    has = find(path, NULL) != NULL;
    pthread_mutex_unlock(&modules.lock);
    return has;
}

bool bp_loader_is_replaced(const char *path)
{
    bool is_replaced;

    pthread_mutex_lock(&modules.lock);
    is_replaced = bp_dlopen_is_replaced(path);
    pthread_mutex_unlock(&modules.lock);
    return is_replaced;
}
