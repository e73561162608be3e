/* SPDX-License-Identifier: MIT */
/* info.h - the output formats of `backplane info`: text and JSON. */
#ifndef BP_TOOLS_INFO_H
#define BP_TOOLS_INFO_H

#include "lib/cli.h"

/* A model with what all parts of the output need. */
struct info {
    const char *path;
    const bp_model *model;
    bp_model_info info;
};

/* Prints it on standard output. What fails is in err, and then nothing complete was printed. */
bp_rc info_text(const struct cli *cli, const struct info *s, bp_err *err) BP_CHECKED;
bp_rc info_json(const struct info *s, bp_err *err) BP_CHECKED;

#endif
