/* SPDX-License-Identifier: MIT */
/* cli.c - the environment, messages, colours and memory of the program. */

#include "config.h"

#include "lib/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/text.h"

static const char *const log_levels[] = {"error", "warn", "info", "debug", NULL};

static const struct arg_spec global_specs[] = {
    {.name = "provider-dir",
     .kind = ARG_LIST,
     .value = "DIR",
     .at = offsetof(struct cli_globals, provider_dirs),
     .help = "Look for providers here first. May be given more than once."},
    {.name = "log",
     .kind = ARG_CHOICE,
     .value = "LEVEL",
     .choices = log_levels,
     .at = offsetof(struct cli_globals, log),
     .help = "Log level of the runtime: error, warn (default), info or debug."},
    {.name = "quiet",
     .letter = 'q',
     .kind = ARG_FLAG,
     .at = offsetof(struct cli_globals, quiet),
     .help = "Say nothing but errors and what was asked for by name."},
};

/*
 * Colours go to terminals only, and not where NO_COLOR (https://no-color.org) is set to anything.
 */
static bool wants_colour(int fd)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

void cli_init(struct cli *cli)
{
    *cli = (struct cli){0};
    cli->err = bp_err_init(cli->words, sizeof cli->words);
    cli->colour = wants_colour(STDOUT_FILENO);
    cli->err_colour = wants_colour(STDERR_FILENO);
}

void cli_finish(struct cli *cli)
{
    bp_env_destroy(cli->env, NULL);
    cli->env = NULL;
    arg_list_finish(&cli->globals.provider_dirs);
}

struct arg_group cli_group(struct cli *cli)
{
    return (struct arg_group){"General options", global_specs,
                              sizeof global_specs / sizeof global_specs[0], &cli->globals};
}

/* "backplane: error: text" in one write, so that threads do not mix their lines. */
static void say(const struct cli *cli, enum cli_style style, const char *label, const char *words)
{
    struct bp_text line = {0};

    text_printf(&line, "backplane: %s%s:%s ", cli_style(cli->err_colour, style), label,
                cli_style(cli->err_colour, STYLE_PLAIN));
    text_clean(&line, words);
    text_put(&line, "\n");
    fflush(stdout);
    fputs(text_string(&line), stderr);
    text_finish(&line);
}

/*
 * The library's log: called from any thread, so each line is put together first and written at
 * once.
 */
static void log_line(void *user, uint32_t level, const char *domain, const char *text)
{
    static const char *const labels[] = {"note", "error", "warning", "info", "debug"};
    const struct cli *cli = user;
    struct bp_text words = {0};

    if (domain && *domain)
        text_printf(&words, "%s: ", domain);
    text_put(&words, text);
    say(cli,
        level == BP_LOG_ERROR  ? STYLE_RED
        : level == BP_LOG_WARN ? STYLE_YELLOW
                               : STYLE_DIM,
        labels[level < sizeof labels / sizeof labels[0] ? level : 0], text_string(&words));
    text_finish(&words);
}

/*
 * Appends the parts of a path that are names, ".." among them: where links are, that is no step
 * back.
 */
static void add_parts(struct bp_text *whole, const char *path)
{
    while (*path) {
        size_t n = strcspn(path, "/");

        if (n > 0 && !(n == 1 && path[0] == '.')) {
            text_put(whole, "/");
            text_add(whole, path, n);
        }
        path += n + (path[n] == '/');
    }
}

/* Where the current directory is gone, the path stays relative, and whoever opens it says so. */
char *cli_absolute(const char *path)
{
    struct bp_text whole = {0};
    char *here = NULL;

    if (path[0] != '/') {
        here = getcwd(NULL, 0);
        if (!here)
            return xstrdup(path);
        add_parts(&whole, here);
        free(here);
    }
    add_parts(&whole, path);
    here = xstrdup(whole.len ? text_string(&whole) : "/");
    text_finish(&whole);
    return here;
}

/* A directory by its absolute path. NULL with errno set when it does not exist. */
static char *absolute(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return NULL;
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    return cli_absolute(path);
}

/*
 * The environment copies the directories and the log function's address; cli stays its log_user,
 * so it must outlive it.
 */
int cli_open(struct cli *cli)
{
    struct arg_list *dirs = &cli->globals.provider_dirs;
    char **paths = xalloc(dirs->n + 1, sizeof *paths);
    bp_env_config config = {.struct_size = sizeof config, .log = log_line, .log_user = cli};
    int code = CLI_OK;
    bp_rc rc;

    for (size_t i = 0; i < dirs->n; i++) {
        paths[i] = absolute(dirs->items[i]);
        if (!paths[i]) {
            code =
                cli_fail(cli, CLI_USAGE, "--provider-dir %s: %s", dirs->items[i], strerror(errno));
            goto out;
        }
    }
    config.log_level = cli->globals.log     ? cli->globals.log
                       : cli->globals.quiet ? BP_LOG_ERROR
                                            : BP_LOG_WARN;
    config.threads = cli->threads;
    config.provider_dirs = (const char *const *)paths;
    config.n_provider_dirs = (uint32_t)dirs->n;
    rc = bp_env_create(&config, &cli->env, &cli->err);
    if (rc < 0)
        code = cli_fail_rc(cli, CLI_RUN, rc);
out:
    for (size_t i = 0; i < dirs->n; i++)
        free(paths[i]);
    free(paths);
    return code;
}

int cli_fail(const struct cli *cli, int code, const char *fmt, ...)
{
    struct bp_text words = {0};
    va_list args;

    va_start(args, fmt);
    text_vprintf(&words, fmt, args);
    va_end(args);
    say(cli, STYLE_RED, "error", text_string(&words));
    text_finish(&words);
    return code;
}

int cli_fail_rc(const struct cli *cli, int code, bp_rc rc)
{
    return cli_fail(cli, code, "%s", cli->words[0] ? cli->words : bp_rc_name(rc));
}

int cli_flush(const struct cli *cli, int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    cli_fail(cli, CLI_RUN, "standard output: %s", strerror(errno));
    return code == CLI_OK ? CLI_RUN : code;
}

const char *cli_style(bool colour, enum cli_style style)
{
    static const char *const codes[STYLE_END] = {"\033[0m",  "\033[1m",  "\033[2m",
                                                 "\033[31m", "\033[32m", "\033[33m"};

    return colour ? codes[style] : "";
}

void out_of_memory(void)
{
    fputs("backplane: error: out of memory\n", stderr);
    exit(CLI_RUN);
}

/* Zeroed memory; never NULL, because a command has nothing better to do than to end. */
void *xalloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    if (!p)
        out_of_memory();
    return p;
}

/*
 * As realloc() of n * size bytes, with the product checked; ends the program instead of failing.
 */
void *xrealloc(void *p, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        out_of_memory();
    p = realloc(p, n * size);
    if (!p)
        out_of_memory();
    return p;
}

char *xstrdup(const char *text)
{
    size_t n = strlen(text) + 1;

    return memcpy(xalloc(n, 1), text, n);
}
