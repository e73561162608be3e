/* SPDX-License-Identifier: MIT */
/* tests.c - walks directories in search of tests. */

#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "onnx/tests.h"

enum { DEPTH_MAX = 32 }; /* of directories; a link may lead back up */

/* What all levels of a search have in common. */
struct search {
    tests_fn fn;
    void *user;
    char **bad;
};

/* "a/b"; the caller's to free(). */
static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 2;
    char *path = malloc(size);

    if (!path)
        abort();
    snprintf(path, size, "%s/%s", a, b);
    return path;
}

static bool has_model(const char *dir)
{
    char *path = join(dir, "model.onnx");
    struct stat status;
    bool has = stat(path, &status) == 0;

    free(path);
    return has;
}

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int find(const struct search *search, const char *dir, const char *name, int depth)
{
    struct dirent **entries = NULL;
    int n, failed = 0;

    if (has_model(dir)) {
        search->fn(search->user, dir, name);
        return 0;
    }
    n = depth < DEPTH_MAX ? scandir(dir, &entries, is_visible, by_name) : 0;
    if (n < 0) {
        failed = errno;
        *search->bad = strdup(dir);
        return failed;
    }
    for (int i = 0; i < n; i++) {
        char *path = join(dir, entries[i]->d_name), *below = join(name, entries[i]->d_name);

        if (failed == 0 && is_directory(path))
            failed = find(search, path, below, depth + 1);
        free(path);
        free(below);
        free(entries[i]);
    }
    free(entries);
    return failed;
}

/* The last part of a path that is not empty; slashes at its end are cut off. */
static const char *base_name(char *path)
{
    size_t end = strlen(path);
    const char *slash;

    while (end > 1 && path[end - 1] == '/')
        path[--end] = '\0';
    slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

int tests_find(const char *dir, tests_fn fn, void *user, char **bad)
{
    struct search search = {fn, user, bad};
    char *path = strdup(dir);
    int failed;

    if (!path)
        abort();
    *bad = NULL;
    failed = find(&search, path, base_name(path), 0);
    free(path);
    return failed;
}
