/* SPDX-License-Identifier: MIT */
/* probe_candidates.h - applies the probe policy: probes candidates, and keeps what came of it. */
#ifndef BP_HOST_PROBE_CANDIDATES_H
#define BP_HOST_PROBE_CANDIDATES_H

#include "host/registry_state.h"

/* All under the registry's lock. */

/*
 * Probes the candidates with is_to_probe set, all at once, as far as the policy wants it and it has
 * not been done; clears is_to_probe. One that fails has stage, reason and fix in its verdict.
 * BP_E_NOMEM: none was probed.
 */
bp_rc bp_probe_candidates(struct bp_registry *registry, bp_err *err) BP_CHECKED;
/*
 * Probes one candidate that is not open and that nothing speaks against, whatever the policy and
 * earlier results, but for a quarantine. Ends *verdict unless it is usable: also with what the
 * provider itself says, which is not the candidate's verdict. False: it was not run.
 */
bool bp_probe_one(struct bp_registry *registry, struct bp_candidate *candidate,
                  struct bp_stage_verdict *verdict);
/*
 * Forgets what is known of a candidate's file, here and in the quarantine file. It is probed when
 * next asked for.
 */
void bp_probe_forget(struct bp_registry *registry, struct bp_candidate *candidate);

#endif
