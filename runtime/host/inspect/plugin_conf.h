/* SPDX-License-Identifier: MIT */
/*
 * plugin_conf.h - NAME.conf beside a plug-in: what an operator says of it. It can tune or forbid,
 * never add.
 */
#ifndef BP_HOST_INSPECT_PLUGIN_CONF_H
#define BP_HOST_INSPECT_PLUGIN_CONF_H

#include "base/region.h"
#include "host/inspect/inspect.h"

enum {
    BP_PLUGIN_CONF_PRIORITY = 50 /* of a plug-in without one */
};

/* Start from {0} with the priority set. Strings lie in `text`. */
struct bp_plugin_conf {
    char *text;
    int priority; /* 0 to 99; counts before the manifest's */
    bool is_disabled;
    bool wants_trusted;    /* libraries that it brings in */
    const char *sha256;    /* 64 digits that the file's bytes must give; NULL: any */
    bp_key_value *options; /* defaults that take the place of the plug-in's */
    uint32_t n_options;
};

/*
 * Reads the file at an absolute path; none is fine. One that is malformed or that others may write
 * to ends the verdict, at BP_STAGE_POLICY or BP_STAGE_SECURITY: a pinned hash that does not count
 * would be worse than none.
 */
void bp_plugin_conf_read(const char *path, struct bp_trust *trust, struct bp_plugin_conf *conf,
                         struct bp_stage_verdict *verdict);
/* Is the hash of the file at path the pinned one, if one is pinned? BP_E_UNAVAILABLE: no. */
bp_rc bp_plugin_conf_check_pin(const struct bp_plugin_conf *conf, const char *path,
                               const char *sha256, bp_err *err) BP_CHECKED;
/*
 * The caller's options, and those of the file whose keys are not among them; from the region, with
 * borrowed strings.
 */
bp_rc bp_plugin_conf_merge(const struct bp_plugin_conf *conf, const bp_key_value *options,
                           uint32_t n, struct bp_region *region, const bp_key_value **out,
                           uint32_t *out_n, bp_err *err) BP_CHECKED;
void bp_plugin_conf_finish(struct bp_plugin_conf *conf);

#endif
