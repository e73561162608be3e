/* SPDX-License-Identifier: MIT */
/* table.c - rows whose columns line up. */

#include "config.h"

#include "lib/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/text.h"

/*
 * The cell is a cleaned copy: names of models and messages of plug-ins may hold control sequences
 * of terminals.
 */
void table_add_styled(struct table *table, enum cli_style style, const char *text)
{
    struct bp_text clean = {0};

    if (text)
        text_clean(&clean, text);
    if (table->n_cells == table->cap) {
        table->cap = table->cap ? table->cap * 2 : 32;
        table->cells = xrealloc(table->cells, table->cap, sizeof *table->cells);
        table->styles = xrealloc(table->styles, table->cap, sizeof *table->styles);
    }
    table->styles[table->n_cells] = style;
    table->cells[table->n_cells++] = xstrdup(text_string(&clean));
    text_finish(&clean);
}

void table_add(struct table *table, const char *text)
{
    table_add_styled(table, STYLE_PLAIN, text);
}

void table_addf(struct table *table, const char *fmt, ...)
{
    struct bp_text text = {0};
    va_list args;

    va_start(args, fmt);
    text_vprintf(&text, fmt, args);
    va_end(args);
    table_add(table, text_string(&text));
    text_finish(&text);
}

/* Whether all cells after this one in its row are empty. */
static bool is_last(const struct table *table, size_t cell)
{
    for (cell++; cell % table->columns != 0; cell++) {
        if (table->cells[cell][0])
            return false;
    }
    return true;
}

/*
 * Widths count characters, not bytes; the last cell of a row is not padded, so lines have no
 * blanks at their end.
 */
static void print_cell(const struct table *table, const struct cli *cli, size_t cell, size_t width,
                       enum cli_style style)
{
    size_t column = cell % table->columns;
    int pad = (int)(width - utf8_width(table->cells[cell]));
    bool is_right = table->right >> column & 1;

    if (is_right)
        printf("%*s", pad, "");
    fputs(cli_style(cli->colour && style != STYLE_PLAIN, style), stdout);
    fputs(table->cells[cell], stdout);
    fputs(cli_style(cli->colour && style != STYLE_PLAIN, STYLE_PLAIN), stdout);
    if (!is_right && !is_last(table, cell))
        printf("%*s", pad, "");
}

void table_print(const struct table *table, const struct cli *cli, int indent, bool has_head)
{
    size_t *widths = xalloc(table->columns, sizeof *widths);

    for (size_t i = 0; i < table->n_cells; i++) {
        size_t width = utf8_width(table->cells[i]);

        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    for (size_t i = 0; i < table->n_cells; i++) {
        if (i % table->columns == 0)
            printf("%*s", indent, "");
        print_cell(table, cli, i, widths[i % table->columns],
                   has_head && i < table->columns ? STYLE_BOLD : table->styles[i]);
        if (is_last(table, i)) {
            putchar('\n');
            i += table->columns - 1 - i % table->columns;
        } else {
            printf("  ");
        }
    }
    free(widths);
}

void table_finish(struct table *table)
{
    for (size_t i = 0; i < table->n_cells; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table->styles);
    *table = (struct table){.columns = table->columns, .right = table->right};
}
