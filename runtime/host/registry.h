/* SPDX-License-Identifier: MIT */
/* registry.h - the providers that an environment knows, and how far each has come. */
#ifndef BP_HOST_REGISTRY_H
#define BP_HOST_REGISTRY_H

#include "host/options/provider_spec.h"
#include "host/registry_state.h"

/* Borrows settings and log, which must outlive the registry. */
bp_rc bp_registry_init(struct bp_registry *registry, const bp_env_config *config,
                       const struct bp_settings *settings, const struct bp_log *log,
                       bp_err *err) BP_CHECKED;
void bp_registry_finish(struct bp_registry *registry);
/*
 * A provider linked into the application. BP_E_INVALID: the name is taken. [any thread, like all
 * below]
 */
bp_rc bp_registry_add_entry(struct bp_registry *registry, const char *name, bp_entry_fn entry,
                            bp_err *err) BP_CHECKED;
/* Row i: those found by search, then those asked for by their path; NULL: end. Opens nothing. */
struct bp_candidate *bp_registry_get(struct bp_registry *registry, uint32_t i);
/* The same. BP_E_INVALID: there is no such row; the message says how many there are. */
bp_rc bp_registry_need(struct bp_registry *registry, uint32_t i, struct bp_candidate **out,
                       bp_err *err) BP_CHECKED;
/*
 * Index of the candidate that a name or absolute path means, as bp_registry_get() counts. Opens
 * nothing.
 */
bp_rc bp_registry_find(struct bp_registry *registry, const char *name, uint32_t *out,
                       bp_err *err) BP_CHECKED;
/*
 * The candidate that a name or absolute path means, opened and asked whether it is usable. *out is
 * set also on failure, unless there is no such provider, and so is *told (which may be NULL) to what
 * is known of it then. BP_E_UNAVAILABLE: not installed, or not usable here; BP_E_INVALID: an unknown
 * name.
 */
bp_rc bp_registry_open(struct bp_registry *registry, const char *name, struct bp_candidate **out,
                       struct bp_told *told, bp_err *err) BP_CHECKED;
/* What is known of a candidate now. BP_E_NOMEM. */
bp_rc bp_registry_tell(struct bp_registry *registry, struct bp_candidate *candidate,
                       struct bp_told *out, bp_err *err) BP_CHECKED;
/*
 * The files that opening row i mapped, its own first, NULL after the last; NULL: it is not open, or
 * has no file. They live as long as the registry.
 */
char *const *bp_registry_files(struct bp_registry *registry, uint32_t i);
/* The same for a candidate; the error repeats the candidate's reason and fix. */
bp_rc bp_registry_try(struct bp_registry *registry, struct bp_candidate *candidate,
                      bp_err *err) BP_CHECKED;
/*
 * Tries the files that a list means, or with NULL all that were found, in processes of their own,
 * many at once; asked for one by one, they would be tried so. What it found stands in the
 * candidates.
 */
bp_rc bp_registry_probe(struct bp_registry *registry, const struct bp_spec_list *list,
                        bp_err *err) BP_CHECKED;
/* Forgets that the provider of a name or path has failed to stand a probe. */
bp_rc bp_registry_retry(struct bp_registry *registry, const char *name, bp_err *err) BP_CHECKED;
/*
 * Forgets the files of a provider, by a name or path as above, and searches the directories again
 * when the next question comes. BP_E_INVALID: it is linked in. BP_E_BUSY: it is open, and another
 * file has taken its place; nothing has changed then.
 */
bp_rc bp_registry_forget(struct bp_registry *registry, const char *name, bp_err *err) BP_CHECKED;
/* All checks of row i, as bp_env_check_provider() has them. BP_E_INVALID: there is no such row. */
bp_rc bp_registry_check(struct bp_registry *registry, uint32_t i, bool is_probed,
                        bp_provider_check *out, bp_err *err) BP_CHECKED;
/* The allow list, as bp_env_allow() has it. */
uint32_t bp_registry_allow(struct bp_registry *registry, const char **dir, uint32_t *n);
/*
 * What the user wants, BACKPLANE_PROVIDERS, as a list for sessions that name no provider: its names, and
 * for each of its patterns the fit ones that were found, without CPU. Start from {0}; finish it
 * also after a failure.
 */
bp_rc bp_registry_prefer(struct bp_registry *registry, struct bp_spec_list *out,
                         bp_err *err) BP_CHECKED;

#endif
