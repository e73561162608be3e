/* SPDX-License-Identifier: MIT */
/* provider_options.h - an application's key/value pairs, checked against a provider's schema. */
#ifndef BP_HOST_OPTIONS_PROVIDER_OPTIONS_H
#define BP_HOST_OPTIONS_PROVIDER_OPTIONS_H

#include "base/log.h"
#include "base/region.h"
#include "base/status.h"

/* The options of an instance, as create() gets them. */
struct bp_checked_options {
    bp_opt *rows; /* those of the schema in its order, then keys outside of it in the order given */
    uint32_t count; /* the schema's, unless the provider takes any option */
};

/*
 * Checks `kv` against the schema of `provider` and fills defaults. "device" is passed over, as the
 * host reads it, unless the schema has it. A key outside of the schema is an error, but of a
 * provider with BP_PROVIDER_ANY_OPTION becomes a row whose value is text. A key that begins with ?
 * may be unknown: it is passed over where it would be an error.
 * Everything in *out comes from `region`. BP_E_OPTION: an unknown key (names the nearest and all
 * valid ones), one that is given twice, a value of the wrong type, out of range or not among the
 * choices, or a required one that is missing.
 */
bp_rc bp_options_check(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv,
                       struct bp_region *region, struct bp_checked_options *out,
                       bp_err *err) BP_CHECKED;

/* "64", "-3", "16M": K, M, G and T are powers of 1024. False: it is nothing of that. */
bool bp_options_parse_int(const char *text, int64_t *out);

/* A line in the log for each key that is deprecated, or passed over; `kv` has been checked. */
void bp_options_warn(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv,
                     const struct bp_log *log);

/* The value of the host's own option "device" (device_choice.h), or NULL. Borrowed from kv. */
const char *bp_options_device(const bp_provider *provider, const bp_key_value *kv, uint32_t n_kv);

#define BP_OPTION_HIDDEN "(secret)"
/*
 * The value of row i as reports show it: BP_OPTION_HIDDEN for a secret option of the schema. A key
 * outside of the schema has no flags, so that its value is shown.
 */
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
