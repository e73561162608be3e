/* SPDX-License-Identifier: MIT */
/*
 * candidates.h - the candidates of a registry: found, inspected, duplicates told apart, in the
 * order of use.
 */
#ifndef BP_HOST_CANDIDATES_H
#define BP_HOST_CANDIDATES_H

#include "host/registry_state.h"

#define BP_PLUGIN_PREFIX "libbp-"
#define BP_PLUGIN_SUFFIX ".so"

/* All under the registry's lock. */

/*
 * Looks through the search path and inspects every plug-in there that is not listed, once, and again
 * after bp_forget_provider().
 */
void bp_candidates_scan(struct bp_registry *registry);
/*
 * Returns "installed are a, b; known, but not installed: c, d", to be freed; NULL: no memory. Each
 * list has 12 names at most, then their number and the command that lists them all.
 */
char *bp_candidates_names(const struct bp_registry *registry);
/* The candidate of a name or id; one that nothing speaks against goes before others. NULL: none. */
struct bp_candidate *bp_candidates_find(const struct bp_registry *registry, const char *name,
                                        const char *id);
/* A new candidate of what is linked in; it wins over files of its name. NULL: no memory. */
struct bp_candidate *bp_candidates_add_entry(struct bp_registry *registry, const char *name,
                                             bp_entry_fn entry);
/*
 * A new candidate of a module that libtool's -dlpreopen has linked in, inspected by its manifest
 * (NULL: it has none). NULL: no memory.
 */
struct bp_candidate *bp_candidates_add_linked(struct bp_registry *registry, const char *module,
                                              const void *manifest, bp_entry_fn entry);
/* The candidate of an absolute path, made and inspected when it is new. NULL: no memory. */
struct bp_candidate *bp_candidates_of_path(struct bp_registry *registry, const char *path);
void bp_candidates_finish(struct bp_registry *registry);

#endif
