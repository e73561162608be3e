/* SPDX-License-Identifier: MIT */
/* variables.c - the environment variables that the host reads, and when they do not count. */

#include "config.h"

#include "host/variables.h"

#include <stdlib.h>

#include "host/trust.h"

static const char *const names[] = {
    "BACKPLANE_PROVIDERS",
    "BACKPLANE_PROVIDER_PATH",
    "BACKPLANE_PROVIDER_PATH_ADD",
    "BACKPLANE_STRICT",
};

bool bp_variables_count(uint32_t flags)
{
    return !(flags & (BP_ENV_IGNORE_VARIABLES | BP_ENV_HERMETIC)) && !bp_trust_is_elevated();
}

const char *bp_variable(uint32_t flags, const char *name)
{
    return bp_variables_count(flags) ? secure_getenv(name) : NULL;
}

const char *bp_variable_ignored(uint32_t flags, uint32_t i)
{
    if (bp_variables_count(flags))
        return NULL;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        if (getenv(names[n]) && i-- == 0)
            return names[n];
    }
    return NULL;
}
