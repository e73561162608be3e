/* SPDX-License-Identifier: MIT */
/* known_failures.h - tests that are known to fail, with the reason: the file of --expect. */
#ifndef BP_TOOLS_KNOWN_H
#define BP_TOOLS_KNOWN_H

#include "lib/cli.h"

struct known_row {
    char *pattern, *reason;
    size_t line;
    bool may_pass; /* by chance */
};

/* Starts as {0}. */
struct known {
    struct known_row *rows;
    size_t n, cap;
};

/*
 * Reads a text file: a line for each test, its name, a blank and the reason; # begins a comment. The
 * name may be a pattern, as a shell has them; one that begins with ~ may also pass. Prints what fails; returns an exit code.
 */
int known_read(const struct cli *cli, const char *path, struct known *out);
void known_finish(struct known *known);
/* The row for a test, by its whole name or the last part of it; NULL: it should pass. */
const struct known_row *known_find(const struct known *known, const char *name,
                                   const char *short_name);

#endif
