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

/* libltdl has one list of loaders a process, so this is one a process; guarded as dlopen.h says. */
static struct {
    bool ready;
    char error[1024]; /* of the last open */
} state;

/*
 * RTLD_NOW: an undefined symbol fails here and not at its first call. RTLD_LOCAL: plug-ins do not
 * see each other's symbols. RTLD_NODELETE: threads and atexit() handlers of a plug-in may outlive
 * its use, so its code stays (POSIX, dlopen()).
 */
static lt_module open_module(lt_user_data data, const char *filename, lt_dladvise advise)
{
    void *handle;
    const char *text;

    (void)data;
    (void)advise;
    if (!filename || strncmp(filename, TOKEN, strlen(TOKEN)) != 0)
        return NULL;
    handle = dlopen(filename + strlen(TOKEN), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
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

/* libltdl asks for "name_LTX_symbol" first, which is no name of ours. */
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
        return bp_fail(err, BP_E_INTERNAL, "libltdl does not start: %s", lt_dlerror());
    if (!lt_dlloader_find(vtable.name) && lt_dlloader_add(&vtable) != 0)
        return bp_fail(err, BP_E_INTERNAL, "libltdl takes no loader: %s", lt_dlerror());
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

/*
 * The file that an address is part of. dli_fname is the path by which the linker mapped it, which
 * may be another name of the same file; hence the comparison by identity.
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
        return bp_fail(err, BP_E_IO, "%s is no Backplane plug-in: it has no symbol %s", path,
                       BP_ENTRY_SYMBOL);
    if (!find_id(path, &own) || !find_file_of(symbol, &found) || !is_same(&own, &found))
        return bp_fail(err, BP_E_IO,
                       "%s is no Backplane plug-in: %s comes from a library that it needs", path,
                       BP_ENTRY_SYMBOL);
    if (inspected && !is_same(inspected, &found))
        return bp_fail(err, BP_E_IO, "%s: another file has taken its place since it was inspected",
                       path);
    memcpy(out, &symbol, sizeof *out); /* ISO C has no cast from an object to a function pointer */
    return BP_OK;
}

/* Why a file could not be opened: all that it lacks, where that is it, else the linker's words. */
static bp_rc tell_failure(const char *path, uint32_t *stage, bp_err *err)
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

/* The buffer of the linker's words is shared by all calls, which the caller's lock keeps apart. */
bp_rc bp_dlopen_entry(const char *path, const struct bp_file_id *inspected, bp_entry_fn *out,
                      uint32_t *stage, bp_err *err)
{
    char token[sizeof TOKEN + PATH_MAX];
    lt_dlhandle handle;
    bp_rc rc;

    *stage = BP_STAGE_OPEN;
    rc = set_up(err);
    if (rc < 0)
        return rc;
    if ((size_t)snprintf(token, sizeof token, TOKEN "%s", path) >= sizeof token)
        return bp_fail(err, BP_E_INVALID, "the path of a plug-in is too long: %.60s...", path);
    snprintf(state.error, sizeof state.error, "unknown reason");
    handle = lt_dlopen(token);
    if (!handle)
        return tell_failure(path, stage, err);
    *stage = BP_STAGE_ENTRY;
    rc = find_entry(handle, path, inspected, out, err);
    if (rc < 0)
        lt_dlclose(handle);
    return rc;
}
