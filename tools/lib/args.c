/* SPDX-License-Identifier: MIT */
/* args.c - reads a command line by its tables. */

#include "config.h"

#include "lib/args.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"

/* Where the reader stands in a command line. */
struct reader {
    const struct cli *cli;
    const struct arg_command *command;
    int argc;
    char **argv;
    int next;        /* argument to read */
    bool no_options; /* "--" was seen */
};

/*
 * The list borrows `item`, which lives in argv; a list is never shortened, so doubling suffices.
 */
static void arg_list_add(struct arg_list *list, const char *item)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 8;
        list->items = xrealloc(list->items, list->cap, sizeof *list->items);
    }
    list->items[list->n++] = item;
}

void arg_list_finish(struct arg_list *list)
{
    free(list->items);
    *list = (struct arg_list){0};
}

bool arg_count(const char *text, uint64_t max, uint64_t *out)
{
    unsigned long long value;
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return false; /* strtoull would take blanks and signs */
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno || *end || value > max)
        return false;
    *out = value;
    return true;
}

/*
 * A finite number without blanks before it or anything behind it; "nan", "inf" and "" are none.
 */
static bool arg_number(const char *text, double *out)
{
    double value;
    char *end;

    if (text[0] == '\0' || isspace((unsigned char)text[0]))
        return false;
    value = strtod(text, &end);
    if (*end || !isfinite(value))
        return false;
    *out = value;
    return true;
}

/* "backplane run", as messages and usage lines name it. */
static const char *title(const struct arg_command *command)
{
    return command->name ? command->name : "";
}

/* Prints "WHATHINT; see 'backplane COMMAND --help'" to standard error and returns CLI_USAGE. */
static int usage_error(const struct reader *r, const char *what, const char *hint)
{
    const char *name = title(r->command);

    return cli_fail(r->cli, CLI_USAGE, "%s%s; see 'backplane%s%s --help'", what, hint,
                    name[0] ? " " : "", name);
}

/* arg as it was typed, "--imput=x=y.npy" or "-z". */
static int unknown_option(const struct reader *r, const char *arg)
{
    struct arg_list names = {0};
    char word[64], what[128], hint[128] = "";
    const char *near;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(arg, "="), arg);

    arg_list_add(&names, "help");
    for (size_t g = 0; g < r->command->n_groups; g++) {
        for (size_t i = 0; i < r->command->groups[g].n; i++)
            arg_list_add(&names, r->command->groups[g].specs[i].name);
    }
    near = args_suggest(word + strspn(word, "-"), names.items, names.n);
    if (near)
        snprintf(hint, sizeof hint, "; did you mean --%s?", near);
    snprintf(what, sizeof what, "there is no option %s", word);
    arg_list_finish(&names);
    return usage_error(r, what, hint);
}

/* The specification of a long name (letter 0) or of a letter, and the group it is in. */
static const struct arg_spec *find(const struct reader *r, const char *name, size_t length,
                                   char letter, const struct arg_group **group)
{
    for (size_t g = 0; g < r->command->n_groups; g++) {
        *group = &r->command->groups[g];
        for (size_t i = 0; i < (*group)->n; i++) {
            const struct arg_spec *spec = &(*group)->specs[i];

            if (letter ? spec->letter == letter
                       : strlen(spec->name) == length && memcmp(spec->name, name, length) == 0)
                return spec;
        }
    }
    return NULL;
}

/* Says which values the option takes: its choices, its range or any number. */
static int bad_value(const struct reader *r, const struct arg_spec *spec, const char *value)
{
    char what[256], hint[160] = "";

    if (spec->kind == ARG_CHOICE) {
        size_t used = 0;

        for (size_t i = 0; spec->choices[i] && used < sizeof hint; i++)
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s%s",
                                     i ? ", " : ", which is one of: ", spec->choices[i]);
    } else if (spec->max > spec->min) {
        snprintf(hint, sizeof hint, ", which is a number from %g to %g", spec->min, spec->max);
    } else {
        snprintf(hint, sizeof hint, ", which is a number");
    }
    snprintf(what, sizeof what, "'%.100s' is not a valid value for --%s", value, spec->name);
    return usage_error(r, what, hint);
}

/* Without a range (max <= min) every number from 0 on is allowed. */
static bool in_range(const struct arg_spec *spec, double value)
{
    return spec->max > spec->min ? value >= spec->min && value <= spec->max : value >= 0;
}

/*
 * Appends to a comma-separated list, so that "-p a -p b" means "-p a,b". The caller frees *names.
 */
static void add_names(char **names, const char *more)
{
    size_t n = *names ? strlen(*names) : 0;

    *names = xrealloc(*names, n + strlen(more) + 2, 1);
    if (n)
        (*names)[n++] = ',';
    strcpy(*names + n, more);
}

/* Puts a value into its field; false when it is none. */
static bool store(const struct arg_spec *spec, void *field, const char *value)
{
    switch (spec->kind) {
    case ARG_FLAG:
        *(bool *)field = true;
        return true;
    case ARG_TEXT:
        *(const char **)field = value;
        return true;
    case ARG_NAMES:
        add_names(field, value);
        return true;
    case ARG_LIST:
        arg_list_add(field, value);
        return true;
    case ARG_COUNT:
        return arg_count(value, UINT64_MAX, field) && in_range(spec, (double)*(uint64_t *)field);
    case ARG_NUMBER:
        return arg_number(value, field) && in_range(spec, *(double *)field);
    case ARG_CHOICE:
        for (uint32_t i = 0; spec->choices[i]; i++) {
            if (strcmp(spec->choices[i], value) == 0) {
                *(uint32_t *)field = i + 1;
                return true;
            }
        }
        return false;
    }
    return false;
}

/* One option at r->next: "--name=value", "--name value", "-x value" or a flag. */
static int read_option(struct reader *r)
{
    const char *arg = r->argv[r->next++];
    bool is_long = arg[1] == '-';
    const char *name = arg + 1 + is_long;
    size_t length = strcspn(name, "=");
    const struct arg_group *group = NULL;
    const struct arg_spec *spec;
    const char *value = NULL;

    if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
        args_help(r->cli, r->command);
        return cli_flush(r->cli, CLI_OK);
    }
    spec = is_long           ? find(r, name, length, 0, &group)
           : name[1] == '\0' ? find(r, NULL, 0, name[0], &group)
                             : NULL;
    if (!spec)
        return unknown_option(r, arg);
    if (is_long && name[length] == '=')
        value = name + length + 1;
    if (spec->kind == ARG_FLAG && value)
        return usage_error(r, "a value was given to an option that takes none: ", arg);
    if (spec->kind != ARG_FLAG && !value) {
        if (r->next == r->argc)
            return usage_error(r, "an option stands without its value: ", arg);
        value = r->argv[r->next++];
    }
    if (!store(spec, (char *)group->into + spec->at, value))
        return bad_value(r, spec, value);
    return ARGS_GO;
}

/* "-" alone is an operand, as by POSIX: programs take it for standard input or output. */
static bool at_option(const struct reader *r)
{
    const char *arg = r->argv[r->next];

    return !r->no_options && arg[0] == '-' && arg[1] != '\0';
}

/*
 * Stops at the first operand, which is the name of a command: what follows is for that command.
 */
int args_parse_leading(const struct cli *cli, const struct arg_command *command, int argc,
                       char **argv, int *next)
{
    struct reader r = {.cli = cli, .command = command, .argc = argc, .argv = argv, .next = 1};
    int code = ARGS_GO;

    while (code == ARGS_GO && r.next < argc && at_option(&r))
        code = read_option(&r);
    *next = r.next;
    return code;
}

int args_parse(const struct cli *cli, const struct arg_command *command, int argc, char **argv,
               struct arg_list *operands)
{
    struct reader r = {.cli = cli, .command = command, .argc = argc, .argv = argv, .next = 1};

    while (r.next < argc) {
        if (!at_option(&r)) {
            arg_list_add(operands, argv[r.next++]);
        } else if (strcmp(argv[r.next], "--") == 0) {
            r.no_options = true;
            r.next++;
        } else {
            int code = read_option(&r);

            if (code != ARGS_GO)
                return code;
        }
    }
    if (operands->n < command->min_operands)
        return usage_error(&r, "something is missing: ", command->operands);
    if (operands->n > command->max_operands)
        return usage_error(&r, "one argument too many: ", operands->items[command->max_operands]);
    return ARGS_GO;
}
