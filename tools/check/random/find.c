/* SPDX-License-Identifier: MIT */
/* find.c - the file of the provider that --reference names. */

#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/random/find.h"

/* Is there "DIR/libbp-NAME.so"? n: length of DIR. */
static bool is_in(const char *dir, size_t n, const char *name, char out[PATH_MAX])
{
    int length = snprintf(out, PATH_MAX, "%.*s/libbp-%s.so", (int)n, dir, name);

    return n > 0 && length > 0 && length < PATH_MAX && access(out, R_OK) == 0;
}

bool kit_find_reference(const char *name, const char *plugin, char out[PATH_MAX])
{
    const char *path = getenv("BACKPLANE_PROVIDER_PATH"), *slash = strrchr(plugin, '/');
    char *whole;

    if (strchr(name, '/')) {
        whole = realpath(name, NULL);
        if (whole && strlen(whole) < PATH_MAX)
            strcpy(out, whole);
        free(whole);
        return whole != NULL;
    }
    while (path && *path) {
        size_t n = strcspn(path, ":");

        if (is_in(path, n, name, out))
            return true;
        path += n + (path[n] == ':');
    }
    return (slash && is_in(plugin, (size_t)(slash - plugin), name, out)) ||
           is_in(BP_PROVIDER_DIR, strlen(BP_PROVIDER_DIR), name, out);
}
