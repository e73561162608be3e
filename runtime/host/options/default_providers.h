/* SPDX-License-Identifier: MIT */
/*
 * default_providers.h - the providers of sessions for which the program names none: those of
 * providers.conf, in the system's configuration directory or the user's.
 */
#ifndef BP_HOST_OPTIONS_DEFAULT_PROVIDERS_H
#define BP_HOST_OPTIONS_DEFAULT_PROVIDERS_H

#include "base/file_trust.h"
#include "host/options/provider_spec.h"

/* The name that stands for all installed providers of the machine's own processor. */
#define BP_AUTO "auto"

/* "option.NAME.KEY = value" or "fallback.NAME = policy" of a file. */
struct bp_default_row {
    const char *name;
    const char *key; /* NULL: the policy */
    const char *value;
    uint32_t fallback;
};

/* Start from {0}. */
struct bp_default_providers {
    struct bp_spec_list list; /* names in order, without options; BP_AUTO may be one of them */
    bool is_given;            /* by a file or the program; an empty list is `none` */
    bool is_of_program;
    uint32_t fallback;           /* of named providers; 0: as the session says */
    struct bp_default_row *rows; /* later ones count */
    uint32_t n_rows;
    char *texts[2]; /* of the files: strings lie there */
};

/*
 * Reads the files, the user's after the system's: what it says counts. names: the program's list
 * ("auto", "none", "a, b") in place of `default`; NULL: none. flags: BP_ENV_*. BP_E_INVALID: a line or name is wrong.
 * Others: a file cannot be read, or another user may write to it. Finish it also after a failure.
 */
bp_rc bp_default_providers_init(struct bp_default_providers *defaults, const char *names,
                                uint32_t flags, bp_err *err) BP_CHECKED;
void bp_default_providers_finish(struct bp_default_providers *defaults);
/* Gives the rows of a list what the files say of them. BP_E_NOMEM. */
bp_rc bp_default_providers_apply(const struct bp_default_providers *defaults,
                                 struct bp_spec_list *list, bp_err *err) BP_CHECKED;
/* Reads one file; none is fine. *text is the caller's, see bp_conf_file_read(). */
bp_rc bp_default_providers_read(struct bp_default_providers *defaults, const char *path,
                                struct bp_trust *trust, char **text, bp_err *err) BP_CHECKED;

#endif
