/* SPDX-License-Identifier: MIT */
/* model_command.h - the frame of a command with one operand, MODEL: arguments, environment, the work. */
#ifndef BP_TOOLS_MODEL_COMMAND_H
#define BP_TOOLS_MODEL_COMMAND_H

#include "lib/cli.h"

struct model_command {
    const char *name, *about; /* as in arg_command */
    const struct arg_group *groups;
    size_t n_groups;
    const uint64_t *threads; /* of the environment, once arguments are read; NULL: its default */
    /* Called with the environment open; path is the operand. Returns an exit code. */
    int (*act)(struct cli *cli, const void *args, const char *path);
    const void *args; /* act's: what the groups' options went into */
};

/* Reads argv, opens the environment, and acts. Returns an exit code; what failed has been printed. */
int model_command_run(struct cli *cli, const struct model_command *command, int argc, char **argv);

#endif
