/* SPDX-License-Identifier: MIT */
/* mapped.c - lists the shared objects that this process has mapped. */

#include "config.h"

#include "host/load/mapped.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

/*
 * Called by dl_iterate_phdr() under the linker's lock, so it only copies; a value other than 0 ends
 * the walk.
 */
static int add(struct dl_phdr_info *info, size_t size, void *user)
{
    struct bp_mapped *out = user;
    char **grown = out->paths;

    (void)size;
    if (!info->dlpi_name || info->dlpi_name[0] != '/') /* the program, and the kernel's vDSO */
        return 0;
    if (out->n == out->cap) {
        size_t cap = out->cap ? out->cap * 2 : 32;

        grown = realloc(out->paths, cap * sizeof *grown);
        if (grown) {
            out->paths = grown;
            out->cap = cap;
        }
    }
    if (grown)
        grown[out->n] = strdup(info->dlpi_name);
    if (!grown || !grown[out->n]) {
        out->failed = true;
        return 1;
    }
    out->n++;
    return 0;
}

void bp_mapped_look(struct bp_mapped *out)
{
    (void)dl_iterate_phdr(add, out);
}

void bp_mapped_finish(struct bp_mapped *mapped)
{
    for (size_t i = 0; i < mapped->n; i++)
        free(mapped->paths[i]);
    free(mapped->paths);
    *mapped = (struct bp_mapped){0};
}

static bool has(const struct bp_mapped *mapped, const char *path)
{
    for (size_t i = 0; i < mapped->n; i++) {
        if (strcmp(mapped->paths[i], path) == 0)
            return true;
    }
    return false;
}

/*
 * Makes one block of the rows, pointers first, then the texts, so that the caller frees one
 * pointer.
 */
static char **pack(const char *const *paths, size_t n)
{
    size_t size = (n + 1) * sizeof(char *);
    char **out, *text;

    for (size_t i = 0; i < n; i++)
        size += strlen(paths[i]) + 1;
    out = calloc(1, size);
    if (!out)
        return NULL;
    text = (char *)(out + n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t bytes = strlen(paths[i]) + 1;

        out[i] = memcpy(text, paths[i], bytes);
        text += bytes;
    }
    return out;
}

/*
 * If another thread has mapped something meanwhile, that is listed, too: rather too many files than
 * too few.
 */
char **bp_mapped_since(const struct bp_mapped *before, const char *own)
{
    struct bp_mapped now = {0};
    const char **fresh;
    char **out = NULL;
    size_t n = 0;

    bp_mapped_look(&now);
    fresh = calloc(now.n + 1, sizeof *fresh);
    if (fresh && !before->failed && !now.failed) {
        fresh[n++] = own;
        for (size_t i = 0; i < now.n; i++) {
            if (strcmp(now.paths[i], own) != 0 && !has(before, now.paths[i]))
                fresh[n++] = now.paths[i];
        }
        out = pack(fresh, n);
    }
    free(fresh);
    bp_mapped_finish(&now);
    return out;
}
