/* SPDX-License-Identifier: MIT */
/* provider_options.h - an application's key/value pairs, checked against a provider's schema. */
#ifndef BP_HOST_OPTIONS_PROVIDER_OPTIONS_H
#define BP_HOST_OPTIONS_PROVIDER_OPTIONS_H

#include "base/log.h"
#include "base/region.h"
#include "base/status.h"

/*
 * Checks `kv` against the schema of `provider`, fills defaults, and gives one row for each row of
 * the schema, in its order. A key that begins with ? may be unknown and is passed over then, and so
 * is "device", which the host reads.
 * Everything in *out comes from `region`. BP_E_OPTION: an unknown key
 * (names the nearest and all valid ones), a value of the wrong type, out of range or not among the
 * choices, or a required one that is missing.
 */
bp_rc bp_options_check(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv,
                       struct bp_region *region, bp_opt **out, bp_err *err) BP_CHECKED;

/* "64", "-3", "16M": K, M, G and T are powers of 1024. False: it is nothing of that. */
bool bp_options_parse_int(const char *text, int64_t *out);

/* A line in the log for each key that is deprecated, or passed over; `kv` has been checked. */
void bp_options_warn(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv,
                     const struct bp_log *log);

/* The value of the host's own option "device" (device_choice.h), or NULL. Borrowed from kv. */
const char *bp_options_device(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv);

#define BP_OPTION_HIDDEN "(secret)"
/* The value of row i, as anybody may see it: BP_OPTION_HIDDEN for a secret one. */
const char *bp_options_shown(const bp_provider *provider, uint32_t i, const bp_opt *opt);

/*
 * Checks one option that is to be changed while an instance lives: *at is its row, *out what the
 * provider is to get, its text from `region`. BP_E_OPTION: as above. BP_E_UNSUPPORTED: the row is
 * not dynamic.
 */
bp_rc bp_options_check_change(const bp_provider *provider, const char *key, const char *value,
                              struct bp_region *region, uint32_t *at, bp_opt *out,
                              bp_err *err) BP_CHECKED;

#endif
