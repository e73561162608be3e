/* SPDX-License-Identifier: MIT */
/* forget_provider.h - forgets the files of a provider, so that they are searched for again. */
#ifndef BP_HOST_FORGET_PROVIDER_H
#define BP_HOST_FORGET_PROVIDER_H

#include "host/registry_state.h"

/* As bp_registry_forget() does, under the registry's lock. */
bp_rc bp_forget_provider(struct bp_registry *registry, const char *name, bp_err *err) BP_CHECKED;

#endif
