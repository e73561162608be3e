/* SPDX-License-Identifier: MIT */
/* candidates.h - the rows of a registry: found, judged, duplicates told apart, in the order of use. */
#ifndef BP_HOST_CANDIDATES_H
#define BP_HOST_CANDIDATES_H

#include "host/registry.h"

#define BP_PLUGIN_PREFIX "libbp-"
#define BP_PLUGIN_SUFFIX ".so"

/* All under the registry's lock. */

/* Looks through the search path, once, and judges every plug-in there. */
void bp_rows_scan(struct bp_registry *registry);
/* "installed are a, b; known, but not installed: c, d", to be freed; NULL: no memory. */
char *bp_rows_names(const struct bp_registry *registry);
/* The row of a name or id; one that nothing speaks against goes before others. NULL: none. */
struct bp_found *bp_rows_find(const struct bp_registry *registry, const char *name, const char *id);
/* A new row of what is linked in; it wins over files of its name. NULL: no memory. */
struct bp_found *bp_rows_add_entry(struct bp_registry *registry, const char *name,
                                   bp_entry_fn entry);
/*
 * A new row of a module that libtool's -dlpreopen has linked in, judged by its note (NULL: it has none).
 * NULL: no memory.
 */
struct bp_found *bp_rows_add_linked(struct bp_registry *registry, const char *module,
                                    const void *note, bp_entry_fn entry);
/* The row of an absolute path, made and judged when it is new. NULL: no memory. */
struct bp_found *bp_rows_of_path(struct bp_registry *registry, const char *path);
void bp_rows_finish(struct bp_registry *registry);
/* Is it linked in, or a file that nothing speaks against so far? */
bool bp_row_is_fit(const struct bp_found *row);

#endif
