/* SPDX-License-Identifier: MIT */
/* main.c - `backplane`: finds the subcommand and hands over. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/text.h"

struct main_args {
    bool wants_version;
};

static const struct arg_spec main_specs[] = {
    {.name = "version",
     .letter = 'V',
     .kind = ARG_FLAG,
     .at = offsetof(struct main_args, wants_version),
     .help = "Print the version and exit."},
};

static const struct command *const commands[] = {
    &cmd_providers, &cmd_doctor, &cmd_info,    &cmd_plan,   &cmd_optimize,
    &cmd_compile,   &cmd_run,    &cmd_bench,   &cmd_tune,   &cmd_conform,
    &cmd_operators, &cmd_cache,  &cmd_install, &cmd_remove, &cmd_verify};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* What --help says of the program: its commands, from their table, and its exit codes. */
static void describe(struct bp_text *about)
{
    text_put(about, "Runs ONNX models on execution providers that are plug-ins.\n\n"
                    "Commands ('backplane COMMAND --help' explains each):\n");
    for (size_t i = 0; i < COMMANDS; i++)
        text_printf(about, "  %-22s  %s\n", commands[i]->name, commands[i]->summary);
    text_put(
        about,
        "\n"
        "Exit codes: 0 done, 1 a result differs, 2 usage, 3 the model is invalid or cannot be\n"
        "run, 4 a provider is not usable, 5 a required provider got no node, 6 the run failed,\n"
        "124 timeout.");
}

static int unknown_command(const struct cli *cli, const char *name)
{
    const char *names[COMMANDS], *near;

    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    near = args_suggest(name, names, COMMANDS);
    return cli_fail(cli, CLI_USAGE, "there is no command '%s'%s%s%s; see 'backplane --help'", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Without a command the help is printed, but the exit code is that of a mistake, for scripts. */
static int dispatch(struct cli *cli, const char *about, int argc, char **argv)
{
    struct main_args args = {0};
    const struct arg_group groups[] = {
        {"Options", main_specs, sizeof main_specs / sizeof main_specs[0], &args},
        cli_group(cli),
    };
    const struct arg_command command = {.operands = "COMMAND ...",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0]};
    int next, code = args_parse_leading(cli, &command, argc, argv, &next);

    if (code != ARGS_GO)
        return code;
    if (args.wants_version) {
        printf("backplane %s\n", bp_version());
        return CLI_OK;
    }
    if (next == argc) {
        args_help(cli, &command);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, argv[next]) == 0)
            return commands[i]->run(cli, argc - next, argv + next);
    }
    return unknown_command(cli, argv[next]);
}

int main(int argc, char **argv)
{
    struct bp_text about = {0};
    struct cli cli;
    int code;

    cli_init(&cli);
    describe(&about);
    code = cli_flush(&cli, dispatch(&cli, text_string(&about), argc, argv));
    text_finish(&about);
    cli_finish(&cli);
    return code;
}
