/* SPDX-License-Identifier: MIT */
/* verdicts.h - the last word on each provider of an engine, once the programs are there. */
#ifndef BP_SESSION_VERDICTS_H
#define BP_SESSION_VERDICTS_H

#include "session/engine.h"

/*
 * Ends the row of each provider in the report: in use, not needed, or with less than it should have
 * got, which is logged or an error by its policy. All are settled, whatever comes of the first.
 * BP_E_UNSUPPORTED: one is required.
 */
bp_rc bp_engine_set_verdicts(struct bp_engine *engine, const struct bp_engine_config *config,
                             bp_err *err) BP_CHECKED;

#endif
