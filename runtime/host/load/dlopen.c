/* SPDX-License-Identifier: MIT */
/*
 * dlopen.c - our own module loader (lt_dlloader) under libltdl.
 *
 * libltdl's stock loader binds lazily, so a plug-in with an undefined function would open and end
 * the process at its first call; and it answers "file not found" to everything. Ours binds at once
 * and keeps dlerror's words. It understands only token paths, "/:backplane:" before the real path:
 * were it to refuse a real path, libltdl would go on to its stock loader and open the file after
 * all.
 */

#include "config.h"

#include "host/load/dlopen.h"

#include <dlfcn.h>
#include <limits.h>
#include <ltdl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libltdl/lt_dlloader.h>

#include "host/inspect/dependencies.h"

#define TOKEN "/:backplane:"

/* A path, and the file that was there when it was mapped last. */
struct mapping {
    struct mapping *next;
    struct bp_file_id file;
    char path[];
};

/* One loader for the process, because libltdl has one list of loaders; guarded as dlopen.h says. */
static struct {
    bool ready;
    struct mapping
        *mappings;    /* one a path; kept, since a plug-in that was closed may stay mapped */
    char error[1024]; /* of the last call of open */
} state;

/*
 * RTLD_NOW: an undefined symbol fails here and not at its first call. RTLD_LOCAL: plug-ins do not
 * see each other's symbols. Not RTLD_NODELETE: whether a plug-in may be unmapped is known only
 * after its entry was called.
 */
static lt_module open_module(lt_user_data data, const char *filename, lt_dladvise advise)
{
    void *handle;
    const char *text;

    (void)data;
    (void)advise;
    if (!filename || strncmp(filename, TOKEN, strlen(TOKEN)) != 0)
        return NULL;
    handle = dlopen(filename + strlen(TOKEN), RTLD_NOW | RTLD_LOCAL);
    if (handle)
        return handle;
    text = dlerror();
    snprintf(state.error, sizeof state.error, "%s", text ? text : "unknown reason");
    return NULL;
}

static int close_module(lt_user_data data, lt_module module)
{
    (void)data;
    return dlclose(module);
}

/* libltdl asks for "name_LTX_symbol" first; this loader knows no such names. */
static void *find_symbol(lt_user_data data, lt_module module, const char *symbol)
{
    (void)data;
    return strstr(symbol, "_LTX_") ? NULL : dlsym(module, symbol);
}

static bp_rc set_up(bp_err *err)
{
    static const lt_dlvtable vtable = {
        .name = "backplane",
        .module_open = open_module,
        .module_close = close_module,
        .find_sym = find_symbol,
        .priority = LT_DLLOADER_PREPEND,
    };

    if (state.ready)
        return BP_OK;
    if (lt_dlinit() != 0)
        return bp_fail(err, BP_E_INTERNAL,
                       "libltdl, which opens plug-ins, does not start: %s; install the "
                       "version that Backplane was built with",
                       lt_dlerror());
    if (!lt_dlloader_find(vtable.name) && lt_dlloader_add(&vtable) != 0)
        return bp_fail(err, BP_E_INTERNAL,
                       "libltdl, which opens plug-ins, refuses Backplane's loader: %s; "
                       "install the version that Backplane was built with",
                       lt_dlerror());
    state.ready = true;
    return BP_OK;
}

static bool find_id(const char *path, struct bp_file_id *out)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return false;
    *out = (struct bp_file_id){.dev = st.st_dev, .ino = st.st_ino};
    return true;
}

static bool is_same(const struct bp_file_id *a, const struct bp_file_id *b)
{
    return a->dev == b->dev && a->ino == b->ino;
}

static struct mapping *find_mapping(const char *path)
{
    struct mapping *row = state.mappings;

    while (row && strcmp(row->path, path) != 0)
        row = row->next;
    return row;
}

/* Done before the file is mapped, as nothing could undo that. */
static bp_rc remember(const char *path, bp_err *err)
{
    struct mapping *row = find_mapping(path);
    size_t n = strlen(path) + 1;

    if (!row) {
        row = calloc(1, sizeof *row + n);
        if (!row)
            return bp_fail_nomem(err, "a plug-in");
        memcpy(row->path, path, n);
        row->next = state.mappings;
        state.mappings = row;
    }
    if (!find_id(path, &row->file))
        row->file = (struct bp_file_id){0};
    return BP_OK;
}

/* RTLD_NOLOAD maps nothing: the linker only looks whether it has that path. */
bool bp_dlopen_is_replaced(const char *path)
{
    const struct mapping *row = find_mapping(path);
    struct bp_file_id now;
    void *handle;

    if (!row || !find_id(path, &now) || is_same(&row->file, &now))
        return false;
    handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    dlclose(handle);
    return true;
}

/*
 * Finds the file that an address belongs to. dli_fname is the path by which the linker mapped it,
 * which may be another name of the same file, so files are compared by identity.
 */
static bool find_file_of(const void *address, struct bp_file_id *out)
{
    Dl_info info;

    return dladdr(address, &info) != 0 && info.dli_fname && find_id(info.dli_fname, out);
}

static bp_rc find_entry(lt_dlhandle handle, const char *path, const struct bp_file_id *inspected,
                        bp_entry_fn *out, bp_err *err)
{
    void *symbol = lt_dlsym(handle, BP_ENTRY_SYMBOL);
    struct bp_file_id own, found;

    if (!symbol)
        return bp_fail(err, BP_E_IO, "%s is not a Backplane plug-in: it has no symbol %s", path,
                       BP_ENTRY_SYMBOL);
    if (!find_id(path, &own) || !find_file_of(symbol, &found) || !is_same(&own, &found))
        return bp_fail(err, BP_E_IO,
                       "%s is not a Backplane plug-in: %s comes from a library that it needs", path,
                       BP_ENTRY_SYMBOL);
    if (inspected && !is_same(inspected, &found))
        return bp_fail(err, BP_E_IO, "%s: another file has taken its place since it was inspected",
                       path);
    memcpy(out, &symbol, sizeof *out); /* ISO C has no cast from an object to a function pointer */
    return BP_OK;
}

/*
 * Writes why a file could not be opened: all missing libraries and symbols if that is the reason,
 * else dlerror()'s text.
 */
static bp_rc fail_to_open(const char *path, uint32_t *stage, bp_err *err)
{
    struct bp_text lacks = {0};
    bp_rc rc;

    if (bp_dependencies_explain(path, &lacks)) {
        *stage = BP_STAGE_DEPENDENCIES;
        rc = bp_fail(err, BP_E_IO, "%s cannot be opened: %s", path, lacks.data);
    } else {
        rc = bp_fail(err, BP_E_IO, "%s cannot be opened: %s", path, state.error);
    }
    bp_text_finish(&lacks);
    return rc;
}

/* All calls share the buffer of the linker's text; the caller's lock keeps them apart. */
bp_rc bp_dlopen_entry(const char *path, const struct bp_file_id *inspected, bp_entry_fn *out,
                      void **out_handle, uint32_t *stage, bp_err *err)
{
    char token[sizeof TOKEN + PATH_MAX];
    lt_dlhandle handle;
    bp_rc rc;

    *stage = BP_STAGE_OPEN;
    rc = set_up(err);
    if (rc < 0)
        return rc;
    if ((size_t)snprintf(token, sizeof token, TOKEN "%s", path) >= sizeof token)
        return bp_fail(err, BP_E_INVALID,
                       "the path of a plug-in has %zu bytes, %d at most are possible; move it to "
                       "another directory: %.60s...",
                       strlen(path), PATH_MAX - 1, path);
    rc = remember(path, err);
    if (rc < 0)
        return rc;
    snprintf(state.error, sizeof state.error, "unknown reason");
    handle = lt_dlopen(token);
    if (!handle)
        return fail_to_open(path, stage, err);
    *stage = BP_STAGE_ENTRY;
    *out_handle = handle;
    return find_entry(handle, path, inspected, out, err);
}

void bp_dlopen_close(void *handle)
{
    lt_dlclose(handle);
}
