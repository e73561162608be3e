/* SPDX-License-Identifier: MIT */
/* print_passes.c - prints the table of passes as Markdown, for docs/passes.md: `make update-passes`. */

#include "config.h"

#include <stdio.h>

#include <backplane.h>

#include "optimize/passes.h"

static const char *level_name(uint32_t level)
{
    switch (level) {
    case BP_OPTIMIZE_BASIC:
        return "basic";
    case BP_OPTIMIZE_EXTENDED:
        return "extended";
    case BP_OPTIMIZE_LAYOUT:
        return "layout";
    default:
        return "?";
    }
}

static const char *keeps_name(uint32_t keeps)
{
    switch (keeps) {
    case BP_KEEPS_BITS:
        return "bits";
    case BP_KEEPS_VALUE:
        return "value";
    case BP_KEEPS_STEP:
        return "step";
    default:
        return "?";
    }
}

int main(void)
{
    const struct bp_pass *pass;

    puts("| pass | level | keeps | does |\n|---|---|---|---|");
    for (uint32_t i = 0; (pass = bp_pass_at(i)) != NULL; i++)
        printf("| `%s` | %s | %s | %s |\n", pass->name, level_name(pass->level),
               keeps_name(pass->keeps), pass->help);
    return 0;
}
