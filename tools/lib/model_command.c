/* SPDX-License-Identifier: MIT */
/* model_command.c - the frame of a command with one operand, MODEL: arguments, environment, the work. */

#include "config.h"

#include "lib/model_command.h"

/* act() gets the path as it was typed; its result is the exit code. */
int model_command_run(struct cli *cli, const struct model_command *command, int argc, char **argv)
{
    const struct arg_command parsed = {.name = command->name,
                                       .operands = "MODEL",
                                       .about = command->about,
                                       .groups = command->groups,
                                       .n_groups = command->n_groups,
                                       .min_operands = 1,
                                       .max_operands = 1};
    struct arg_list operands = {0};
    int code = args_parse(cli, &parsed, argc, argv, &operands);

    if (code == ARGS_GO) {
        if (command->threads)
            cli->threads = (uint32_t)*command->threads;
        code = cli_open(cli);
        if (code == CLI_OK)
            code = command->act(cli, command->args, operands.items[0]);
    }
    arg_list_finish(&operands);
    return code;
}
