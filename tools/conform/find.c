/* SPDX-License-Identifier: MIT */
/* find.c - the tests below a directory: directories that hold a model.onnx. */

#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conform/conform.h"
#include "values/file.h"

enum { DEPTH_MAX = 32 }; /* of directories; a link may lead back up */

/* The layout of ONNX's backend tests: DIR/model.onnx beside DIR/test_data_set_*. */
static bool has_model(const char *dir)
{
    struct bp_text path = {0};
    bool has;

    text_printf(&path, "%s/model.onnx", dir);
    has = file_exists(text_string(&path));
    text_finish(&path);
    return has;
}

static void add_test(struct conform *c, const char *dir, const char *name)
{
    if (c->n == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 64;
        c->tests = xrealloc(c->tests, c->cap, sizeof *c->tests);
    }
    c->tests[c->n] = (struct test){.dir = xstrdup(dir), .name = xstrdup(name)};
    c->n++;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Not alphasort: the order is to be the same in every locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Below a test nothing is looked for. `name` is the path from the operand on. */
static int find(struct conform *c, const char *dir, const char *name, int depth)
{
    struct bp_text path = {0}, below = {0};
    struct dirent **entries = NULL;
    int n, code = CLI_OK;

    if (has_model(dir)) {
        add_test(c, dir, name);
        return CLI_OK;
    }
    n = depth < DEPTH_MAX ? scandir(dir, &entries, is_visible, by_name) : 0;
    if (n < 0)
        return cli_fail(c->cli, CLI_USAGE, "%s: %s", dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        text_clear(&path);
        text_printf(&path, "%s/%s", dir, entries[i]->d_name);
        text_clear(&below);
        text_printf(&below, "%s/%s", name, entries[i]->d_name);
        if (code == CLI_OK && file_is_directory(text_string(&path)))
            code = find(c, text_string(&path), text_string(&below), depth + 1);
        free(entries[i]);
    }
    free(entries);
    text_finish(&path);
    text_finish(&below);
    return code;
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

/* An operand without a test is an error, because a mistyped path must not pass. */
int conform_find(struct conform *c, const char *dir)
{
    size_t before = c->n;
    char *path = xstrdup(dir);
    const char *name = base_name(path);
    int code;

    if (!file_is_directory(path))
        code = cli_fail(c->cli, CLI_USAGE, "%s: %s", path,
                        file_exists(path) ? "is no directory of test data" : strerror(ENOENT));
    else
        code = find(c, path, name, 0);
    if (code == CLI_OK && c->n == before)
        code = cli_fail(c->cli, CLI_USAGE,
                        "%s: there is no test in it, which is a directory with "
                        "a model.onnx",
                        path);
    free(path);
    return code;
}

const char *test_short_name(const struct test *test)
{
    const char *slash = strrchr(test->name, '/');

    return slash ? slash + 1 : test->name;
}
