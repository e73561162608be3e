/* SPDX-License-Identifier: MIT */
/* active.h - the steps of making and ending one provider of a list; see provider_list.c. */
#ifndef BP_COMPILE_ACTIVE_H
#define BP_COMPILE_ACTIVE_H

#include "compile/provider_list.h"

/* Appends an empty row to the list. NULL: no memory. */
struct bp_active *bp_active_add(struct bp_provider_list *providers);
/* Creates the instance of a row, whose options and devices are set. `file`: of the plug-in, or NULL. */
bp_rc bp_active_start(struct bp_provider_list *providers, struct bp_active *active,
                      const char *file, uint32_t threads, bp_err *err) BP_CHECKED;
/*
 * Appends a row with an instance of an opened provider, as the spec asks: options, devices. *stage is the
 * last stage that was reached, also on failure, after which the caller takes the row back.
 */
bp_rc bp_active_make(struct bp_provider_list *providers, struct bp_candidate *found,
                     const struct bp_spec *spec, uint32_t threads, uint32_t *stage,
                     bp_err *err) BP_CHECKED;
/* Destroys the instance and frees what is not in the list's region. */
void bp_active_finish(struct bp_active *active);

#endif
