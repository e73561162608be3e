/* SPDX-License-Identifier: MIT */
/* check_provider.h - all checks of one plug-in, without opening it in this process. */
#ifndef BP_HOST_CHECK_PROVIDER_H
#define BP_HOST_CHECK_PROVIDER_H

#include "host/registry_state.h"

#include <backplane.h>

/*
 * As bp_env_check_provider() does, for a candidate, under the registry's lock. BP_E_NOMEM.
 */
bp_rc bp_check_provider(struct bp_registry *registry, struct bp_candidate *candidate,
                        bool is_probed, bp_provider_check *out, bp_err *err) BP_CHECKED;

#endif
