/* SPDX-License-Identifier: MIT */
/* table.h - rows whose columns line up. */
#ifndef BP_TOOLS_TABLE_H
#define BP_TOOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cli.h"

/* Starts as {.columns = n}; `right` has a bit for each column that is set flush right. */
struct table {
    size_t columns;
    unsigned right;
    char **cells; /* n_cells of them, row by row */
    enum cli_style *styles;
    size_t n_cells, cap;
};

/* Adds the next cell; the text is cleaned as by text_clean. NULL is an empty one. */
void table_add(struct table *table, const char *text);
void table_add_styled(struct table *table, enum cli_style style, const char *text);
void table_addf(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Prints every row on standard output, `indent` blanks before each, the first row bold if
 * has_head.
 */
void table_print(const struct table *table, const struct cli *cli, int indent, bool has_head);
void table_finish(struct table *table);

#endif
