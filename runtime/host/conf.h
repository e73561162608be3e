/* SPDX-License-Identifier: MIT */
/* conf.h - NAME.conf beside a plug-in: what an operator says of it. It can tune or forbid, never add. */
#ifndef BP_HOST_CONF_H
#define BP_HOST_CONF_H

#include "host/vet.h"

enum {
    BP_CONF_PRIORITY = 50, /* of a plug-in without one */
    BP_CONF_MAX = 65536    /* bytes of a file; more is refused */
};

/* Start from {0} with the priority set. Strings lie in `text`. */
struct bp_conf {
    char *text;
    int priority; /* 0 to 99; counts before the note's */
    bool is_disabled;
    const char *sha256;    /* 64 digits that the file's bytes must give; NULL: any */
    bp_key_value *options; /* defaults that take the place of the plug-in's */
    uint32_t n_options;
};

/*
 * Reads the file at an absolute path; none is fine. One that is malformed or that others may write to
 * ends the verdict, at BP_STAGE_POLICY or BP_STAGE_SECURITY: a pinned hash that does not count would be
 * worse than none.
 */
void bp_conf_read(const char *path, struct bp_trust *trust, struct bp_conf *conf,
                  struct bp_ruling *verdict);
void bp_conf_finish(struct bp_conf *conf);

#endif
