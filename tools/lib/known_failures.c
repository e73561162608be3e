/* SPDX-License-Identifier: MIT */
/* known_failures.c - tests that are known to fail, with the reason: the file of --expect. */

#include "config.h"

#include "lib/known_failures.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts blanks off both ends. */
static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* "PATTERN reason...", "# comment" or a blank line; "~PATTERN" is one that may also pass. */
static int read_line(const struct cli *cli, const char *path, char *line, size_t number,
                     struct known *out)
{
    char *name = trim(line), *reason = name + strcspn(name, " \t");
    struct known_row *row;

    if (*name == '\0' || *name == '#')
        return CLI_OK;
    if (*reason == '\0')
        return cli_fail(cli, CLI_USAGE, "%s:%zu: '%s' stands without the reason why it fails", path,
                        number, name);
    *reason++ = '\0';
    if (out->n == out->cap) {
        out->cap = out->cap ? out->cap * 2 : 16;
        out->rows = xrealloc(out->rows, out->cap, sizeof *out->rows);
    }
    row = &out->rows[out->n++];
    row->may_pass = *name == '~';
    row->pattern = xstrdup(name + (row->may_pass ? 1 : 0));
    row->reason = xstrdup(trim(reason));
    row->line = number;
    return CLI_OK;
}

/* On an error *out holds the rows read so far: known_finish() is due in any case. */
int known_read(const struct cli *cli, const char *path, struct known *out)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    int code = CLI_OK;

    if (!file)
        return cli_fail(cli, CLI_USAGE, "--expect %s: %s", path, strerror(errno));
    for (size_t number = 1; code == CLI_OK && getline(&line, &cap, file) >= 0; number++)
        code = read_line(cli, path, line, number, out);
    if (code == CLI_OK && ferror(file))
        code = cli_fail(cli, CLI_USAGE, "--expect %s: %s", path, strerror(errno));
    free(line);
    fclose(file);
    return code;
}

void known_finish(struct known *known)
{
    for (size_t i = 0; i < known->n; i++) {
        free(known->rows[i].pattern);
        free(known->rows[i].reason);
    }
    free(known->rows);
    *known = (struct known){0};
}

/*
 * The first matching row, so that a file can go from the special to the general; patterns as in
 * fnmatch(3).
 */
const struct known_row *known_find(const struct known *known, const char *name,
                                   const char *short_name)
{
    for (size_t i = 0; i < known->n; i++) {
        const char *pattern = known->rows[i].pattern;

        if (fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, short_name, 0) == 0)
            return &known->rows[i];
    }
    return NULL;
}
