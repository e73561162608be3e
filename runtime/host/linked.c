/* SPDX-License-Identifier: MIT */
/*
 * linked.c - finds plug-ins that libtool's -dlpreopen has linked into the program. It reads
 * libtool's table itself, because libltdl would look for files of the modules' names first.
 */

#include "config.h"

#include "host/linked.h"

#include <stdio.h>
#include <string.h>

#include "host/candidates.h"

#define MANIFEST_SYMBOL "bp_provider_manifest_v1"

/* libtool makes this table in programs with -dlpreopen; others lack it. */
extern const struct bp_linked_symbol lt__PROGRAM__LTX_preloaded_symbols[] __attribute__((weak));

const struct bp_linked_symbol *bp_linked_symbols(void)
{
    return lt__PROGRAM__LTX_preloaded_symbols;
}

/* Returns the module of a name MODULE_LTX_symbol; false: it is another kind of name. */
static bool split(const char *name, const char *symbol, char module[BP_NAME_MAX])
{
    char end[64];
    size_t n, n_end;

    snprintf(end, sizeof end, "_LTX_%s", symbol);
    n = strlen(name);
    n_end = strlen(end);
    if (n <= n_end || n - n_end >= BP_NAME_MAX || strcmp(name + n - n_end, end) != 0)
        return false;
    memcpy(module, name, n - n_end);
    module[n - n_end] = '\0';
    return true;
}

/* Walks the whole table, because libtool promises no order of names. */
static const void *find_manifest(const struct bp_linked_symbol *symbols, const char *module)
{
    char other[BP_NAME_MAX];

    for (; symbols->name; symbols++) {
        if (symbols->address && split(symbols->name, MANIFEST_SYMBOL, other) &&
            strcmp(other, module) == 0)
            return symbols->address;
    }
    return NULL;
}

/* Makes "libbp-npu" of libbp_npu, the reverse of what libtool does with file names. */
static const char *name_of(char module[BP_NAME_MAX])
{
    static const char prefix[] = "libbp_";

    if (strncmp(module, prefix, strlen(prefix)) == 0)
        module[strlen(prefix) - 1] = '-';
    return module;
}

bp_rc bp_linked_add(struct bp_registry *registry, const struct bp_linked_symbol *symbols,
                    bp_err *err)
{
    char module[BP_NAME_MAX];
    bp_entry_fn entry;

    for (const struct bp_linked_symbol *row = symbols; row && row->name; row++) {
        const void *manifest;

        if (!row->address || !split(row->name, BP_ENTRY_SYMBOL, module))
            continue;
        manifest = find_manifest(symbols, module);
        memcpy(&entry, &row->address, sizeof entry); /* ISO C has no such cast */
        if (!bp_candidates_add_linked(registry, name_of(module), manifest, entry))
            return bp_fail_nomem(err, "a provider");
    }
    return BP_OK;
}
