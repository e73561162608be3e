/* SPDX-License-Identifier: MIT */
/* options.h - an application's key/value pairs, checked against a provider's schema. */
#ifndef BP_HOST_OPTIONS_H
#define BP_HOST_OPTIONS_H

#include "base/region.h"
#include "base/status.h"

/*
 * Checks `kv` against the schema of `provider`, fills defaults, and gives one row for each row of
 * the schema, in its order. Everything in *out comes from `region`. BP_E_OPTION: an unknown key
 * (names the nearest and all valid ones), a value of the wrong type, out of range or not among the
 * choices, or a required one that is missing.
 */
bp_rc bp_options_check(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv,
                       struct bp_region *region, bp_opt **out, bp_err *err) BP_CHECKED;

/*
 * One option that changes while an instance lives: its row of the schema, and in *out the value,
 * whose text is `value` itself or the schema's. BP_E_UNSUPPORTED: the option is not dynamic.
 */
bp_rc bp_options_check_change(const bp_provider *provider, const char *key, const char *value,
                              uint32_t *index, bp_opt *out, bp_err *err) BP_CHECKED;

#endif
