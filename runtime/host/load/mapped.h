/* SPDX-License-Identifier: MIT */
/* mapped.h - which shared objects this process has mapped, and which of them are new. */
#ifndef BP_HOST_LOAD_MAPPED_H
#define BP_HOST_LOAD_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

/* Paths of the objects. Start from {0}. */
struct bp_mapped {
    char **paths;
    size_t n, cap;
    bool failed; /* there was no memory for some */
};

void bp_mapped_look(struct bp_mapped *out);
void bp_mapped_finish(struct bp_mapped *mapped);
/*
 * `own`, then what is mapped now and was not before, with a NULL at the end; one block, to be freed
 * with free(). NULL: no memory, now or then.
 */
char **bp_mapped_since(const struct bp_mapped *before, const char *own);

#endif
