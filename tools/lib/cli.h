/* SPDX-License-Identifier: MIT */
/* cli.h - what every subcommand shares: exit codes, the options before all others, messages. */
#ifndef BP_TOOLS_CLI_H
#define BP_TOOLS_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include <backplane.h>

#include "lib/args.h"

/* Exit codes; they are part of the program's interface and documented in backplane(1). */
enum {
    CLI_OK = 0,
    CLI_DIFFERS = 1,  /* a result is not what was expected */
    CLI_USAGE = 2,    /* a bad argument, or a bad file that an argument names */
    CLI_MODEL = 3,    /* the model is unreadable, invalid, or no provider can run it */
    CLI_PROVIDER = 4, /* a provider that was asked for is not usable */
    CLI_FALLBACK = 5, /* a required provider did not get a node */
    CLI_RUN = 6,      /* the runtime or the system failed */
    CLI_TIMEOUT = 124
};

struct cli_globals {
    struct arg_list provider_dirs;
    uint32_t log; /* BP_LOG_*; 0: warnings */
    bool quiet;
};

struct cli {
    struct cli_globals globals;
    bool colour;       /* standard output takes colours */
    bool err_colour;   /* standard error takes colours */
    uint32_t threads;  /* of the environment's pool; 0: its default */
    bp_env *env;       /* NULL until cli_open */
    bp_err err;        /* words of the last failure, in `words` */
    char words[32768]; /* an error may name many operators */
};

struct command {
    const char *name;
    const char *summary;
    int (*run)(struct cli *cli, int argc,
               char **argv); /* argv[0] is the name; returns an exit code */
};

extern const struct command cmd_bench, cmd_cache, cmd_compile, cmd_conform, cmd_doctor, cmd_info,
    cmd_install, cmd_operators, cmd_optimize, cmd_plan, cmd_providers, cmd_remove, cmd_run,
    cmd_tune, cmd_verify;

void cli_init(struct cli *cli);
void cli_finish(struct cli *cli);

/* --provider-dir, --log, --quiet: a group for every command's list. */
struct arg_group cli_group(struct cli *cli);

/*
 * Makes the environment as the options say. On failure the message is printed; returns an exit
 * code.
 */
int cli_open(struct cli *cli);

/*
 * A path made absolute, to be freed. Its links stay, because the loader checks the owners of those as
 * well.
 */
char *cli_absolute(const char *path);

/* Prints "backplane: error: ..." and returns `code`, so that `return cli_fail(...)` reads well. */
int cli_fail(const struct cli *cli, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with the words that the last library call left in cli->err. */
int cli_fail_rc(const struct cli *cli, int code, bp_rc rc);
/* Flushes standard output. A full disk or a closed pipe is CLI_RUN, unless `code` is worse. */
int cli_flush(const struct cli *cli, int code);

enum cli_style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_RED,
    STYLE_GREEN,
    STYLE_YELLOW,
    STYLE_END
};
/* The escape sequence that starts a style, "" where colours are off. STYLE_PLAIN ends all. */
const char *cli_style(bool colour, enum cli_style style);

/* The allocators of a program that has nothing better to do without memory than say so and exit. */
void *xalloc(size_t n, size_t size); /* zeroed; the product is checked */
_Noreturn void out_of_memory(void);  /* says so, and ends the program */
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *text);

#endif
