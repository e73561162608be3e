/* SPDX-License-Identifier: MIT */
/* linked.h - plug-ins that libtool's -dlpreopen has linked into the program. */
#ifndef BP_HOST_LINKED_H
#define BP_HOST_LINKED_H

#include "host/registry_state.h"

/*
 * A row of libtool's lt_preloaded_symbols: the name and address of a symbol, or the name of an
 * object file and NULL before its symbols. A row without a name ends the table.
 */
struct bp_linked_symbol {
    const char *name;
    void *address;
};

/* The table of this program; NULL: it was linked without -dlpreopen. */
const struct bp_linked_symbol *bp_linked_symbols(void);
/*
 * Adds a row for each plug-in of a table (NULL: none), which is one by its entry,
 * MODULE_LTX_bp_provider_entry_v1; MODULE_LTX_bp_provider_manifest_v1 is its manifest. What is
 * wrong with one stands in its row. The table stays as long as the registry. BP_E_NOMEM.
 */
bp_rc bp_linked_add(struct bp_registry *registry, const struct bp_linked_symbol *symbols,
                    bp_err *err) BP_CHECKED;

#endif
