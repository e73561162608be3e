/* SPDX-License-Identifier: MIT */
/*
 * provider_spec.h - what an application asks of providers: an ordered list of names with their
 * options.
 */
#ifndef BP_HOST_OPTIONS_PROVIDER_SPEC_H
#define BP_HOST_OPTIONS_PROVIDER_SPEC_H

#include "base/status.h"

/* One provider, as asked for. Owned by its list. */
struct bp_spec {
    char *name;
    bp_key_value *options; /* strings owned */
    uint32_t n_options;
    uint32_t fallback; /* BP_FALLBACK_* */
    uint32_t *devices; /* NULL: the provider chooses */
    uint32_t n_devices;
    double min_share; /* of the nodes, 0..1 */
    bool is_of_file;  /* the options are those of providers.conf */
};

/* Start from {0}. */
struct bp_spec_list {
    struct bp_spec *rows;
    uint32_t count;
};

/*
 * Appends a copy. BP_E_INVALID: an empty name, one that is there (in any spelling), or a key twice.
 */
bp_rc bp_spec_add(struct bp_spec_list *list, const char *name, const bp_key_value *options,
                  uint32_t n_options, uint32_t fallback, bp_err *err) BP_CHECKED;
/* Sets an option of a row; it replaces one of the same key. BP_E_NOMEM. */
bp_rc bp_spec_set_option(struct bp_spec *row, const char *key, const char *value,
                         bp_err *err) BP_CHECKED;
/* Sets the devices of the row that `name` means. BP_E_INVALID: there is none, or a device twice. */
bp_rc bp_spec_set_devices(struct bp_spec_list *list, const char *name, const uint32_t *devices,
                          uint32_t n_devices, bp_err *err) BP_CHECKED;
/* A copy of every row after those of `to`, which on failure has some of them. */
bp_rc bp_spec_copy(struct bp_spec_list *to, const struct bp_spec_list *from,
                   bp_err *err) BP_CHECKED;
/* The row of a provider in any spelling, or NULL. */
struct bp_spec *bp_spec_find(const struct bp_spec_list *list, const char *name);
void bp_spec_finish(struct bp_spec_list *list);
bp_rc bp_spec_check_fallback(uint32_t fallback, bp_err *err) BP_CHECKED;

#endif
