/* SPDX-License-Identifier: MIT */
/* worker_config.h - reads a bp_worker_config of the application. */
#ifndef BP_BASE_WORKER_CONFIG_H
#define BP_BASE_WORKER_CONFIG_H

#include "base/status.h"

/* Reads a config of the application, whose lists *out borrows. BP_E_INVALID: it makes no sense. */
bp_rc bp_worker_config_read(const bp_worker_config *theirs, bp_worker_config *out,
                            bp_err *err) BP_CHECKED;
/* The same as one block, to be freed with free(); NULL for NULL. */
bp_rc bp_worker_config_copy(const bp_worker_config *theirs, bp_worker_config **out,
                            bp_err *err) BP_CHECKED;

#endif
