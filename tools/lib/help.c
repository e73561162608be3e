/* SPDX-License-Identifier: MIT */
/* help.c - prints --help from the option tables, and finds what a mistyped word may have meant. */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/args.h"
#include "lib/cli.h"

enum {
    HELP_COLUMN = 26, /* where sentences begin */
    HELP_WIDTH = 78,
    WORD_MAX = 63 /* longer words get no suggestion */
};

static const struct arg_spec help_spec = {
    .name = "help", .letter = 'h', .kind = ARG_FLAG, .help = "Print this and exit."};

/* Prints words from column `column` on, broken at HELP_WIDTH. */
static void print_wrapped(const char *words, int column)
{
    while (*words) {
        int length = (int)strcspn(words, " ");

        if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, words);
        column += length;
        words += length;
        words += strspn(words, " ");
    }
    putchar('\n');
}

/* An option whose name reaches the column of sentences gets a line of its own. */
static void print_spec(const struct arg_spec *spec)
{
    int column = printf("  ");

    if (spec->letter)
        column += printf("-%c, ", spec->letter);
    column += printf("--%s", spec->name);
    if (spec->value)
        column += printf(" %s", spec->value);
    if (column + 2 > HELP_COLUMN) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", HELP_COLUMN - column, "");
    print_wrapped(spec->help, HELP_COLUMN);
}

/* --help comes last in the last group, so no command has to list it. */
void args_help(const struct cli *cli, const struct arg_command *command)
{
    const char *bold = cli_style(cli->colour, STYLE_BOLD);
    const char *plain = cli_style(cli->colour, STYLE_PLAIN);

    printf("%sUsage:%s backplane%s%s [options] %s\n\n%s\n", bold, plain, command->name ? " " : "",
           command->name ? command->name : "", command->operands, command->about);
    for (size_t g = 0; g < command->n_groups; g++) {
        const struct arg_group *group = &command->groups[g];

        printf("\n%s%s:%s\n", bold, group->title, plain);
        for (size_t i = 0; i < group->n; i++)
            print_spec(&group->specs[i]);
        if (g + 1 == command->n_groups)
            print_spec(&help_spec);
    }
}

/* The edit distance: letters to insert, drop, replace or swap to make one word of the other. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][WORD_MAX + 1]; /* of the table: two before, one before, now */
    size_t na = strlen(a), nb = strlen(b);

    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = rows[1][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *now = rows[(i + 1) % 3], *before = rows[i % 3], *two = rows[(i + 2) % 3];

        now[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = before[j - 1] + (a[i - 1] != b[j - 1]);

            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two[j - 2] + 1 < best)
                best = two[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[(na + 1) % 3][nb];
}

const char *args_suggest(const char *word, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t length = strlen(word);
    unsigned least = length < 4 ? 1 : 2; /* edits that a slip of the finger explains */

    if (length > WORD_MAX)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        unsigned d;

        if (strlen(names[i]) > WORD_MAX)
            continue;
        d = distance(word, names[i]);
        if (d < least || (d == least && !best)) {
            least = d;
            best = names[i];
        }
    }
    return best;
}
