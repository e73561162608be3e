/* SPDX-License-Identifier: MIT */
/* channels_last.h - nodes of providers that want their data channels-last (BP_PROVIDER_NHWC). */
#ifndef BP_SESSION_CHANNELS_LAST_H
#define BP_SESSION_CHANNELS_LAST_H

#include "session/engine.h"

/*
 * Asks who takes the nodes of the graph and of its subgraphs, makes those with a layout channels-last
 * whose provider wants that, and asks again. A node that no such provider takes then is refused in the provider's
 * name; *n_refused counts these, and if it is not 0, the graph has to be decoded again. Sets
 * engine->has_changed_layout where the graph was changed. A provider that fails to answer changes
 * nothing here, as it fails again when programs are made. BP_E_NOMEM.
 */
bp_rc bp_engine_use_channels_last(struct bp_engine *engine, const struct bp_engine_config *config,
                                  uint32_t *n_refused, bp_err *err) BP_CHECKED;

#endif
