/* SPDX-License-Identifier: MIT */
/*
 * provider_states.h - from how far a provider came to what it is: known, installed, loadable,
 * usable.
 */
#ifndef BP_HOST_PROVIDER_STATES_H
#define BP_HOST_PROVIDER_STATES_H

#include "host/options/provider_names.h"

#include <backplane.h>

/* BP_STATE_* of a provider that ended at a stage with a code. */
static inline uint32_t bp_states_of(const char *name, uint32_t stage, bp_rc code)
{
    bool got_in = stage > BP_STAGE_FOUND || (stage == BP_STAGE_FOUND && code >= 0);
    bool loads = stage >= BP_STAGE_AVAILABLE;
    bool works = stage > BP_STAGE_AVAILABLE || (stage == BP_STAGE_AVAILABLE && code >= 0);
    uint32_t states = 0;

    if (got_in || (name && bp_provider_names_is_known(name)))
        states |= BP_STATE_KNOWN;
    if (got_in)
        states |= BP_STATE_INSTALLED;
    if (loads)
        states |= BP_STATE_LOADABLE;
    if (works)
        states |= BP_STATE_USABLE;
    return states;
}

#endif
