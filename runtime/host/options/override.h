/* SPDX-License-Identifier: MIT */
/*
 * override.h - settings by which the user overrides a program: BACKPLANE_FALLBACK and
 * BACKPLANE_PROVIDER_OPTIONS.
 */
#ifndef BP_HOST_OPTIONS_OVERRIDE_H
#define BP_HOST_OPTIONS_OVERRIDE_H

#include "base/region.h"
#include "host/options/settings.h"

struct bp_override_option {
    const char *name; /* of the provider, in any spelling, or its id */
    const char *key, *value;
};

/* Start from {0}. Strings lie in `text`. */
struct bp_override {
    uint32_t fallback; /* BP_FALLBACK_*, of every provider that a session names; 0: as it says */
    char *text;
    struct bp_override_option *options;
    uint32_t n_options;
};

/*
 * Reads the variables. BP_E_INVALID: one of them is malformed, the words say how; a setting that is
 * not understood must not count as unset. Finish it also after a failure.
 */
bp_rc bp_override_init(struct bp_override *override, const struct bp_settings *settings,
                       bp_err *err) BP_CHECKED;
void bp_override_finish(struct bp_override *override);
/* Reads a word for a policy: "silent", "warn", "require" or "error". False: it is none. */
bool bp_override_parse_fallback(const char *word, uint32_t *out);
/* Does the variable give this option of a provider? */
bool bp_override_has(const struct bp_override *override, const char *name, const char *id,
                     const char *key);
/* The row of a key, also where it says that the key may be unknown ("?key"); NULL: none. */
const bp_key_value *bp_key_values_find(const bp_key_value *options, uint32_t n, const char *key);
/*
 * The options of a provider with the variable's in place of those of the same keys, and the others
 * after them; from the region, with borrowed strings. *out_n_own: how many are the variable's.
 */
bp_rc bp_override_merge(const struct bp_override *override, const char *name, const char *id,
                        const bp_key_value *options, uint32_t n, struct bp_region *region,
                        const bp_key_value **out, uint32_t *out_n, uint32_t *out_n_own,
                        bp_err *err) BP_CHECKED;

#endif
