/* SPDX-License-Identifier: MIT */
/* find.c - the tests below a directory: directories that hold a model.onnx. */

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conform/conform.h"
#include "onnx/tests.h"
#include "values/file.h"

static void add_test(void *user, const char *dir, const char *name)
{
    struct conform *c = user;

    if (c->n == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 64;
        c->tests = xrealloc(c->tests, c->cap, sizeof *c->tests);
    }
    c->tests[c->n] = (struct test){.dir = xstrdup(dir), .name = xstrdup(name)};
    c->n++;
}

/* An operand without a test is an error, because a mistyped path must not pass. */
int conform_find(struct conform *c, const char *dir)
{
    size_t before = c->n;
    char *bad = NULL;
    int failed, code = CLI_OK;

    if (!file_is_directory(dir))
        return cli_fail(c->cli, CLI_USAGE, "%s: %s", dir,
                        file_exists(dir) ? "is not a directory of test data" : strerror(ENOENT));
    failed = tests_find(dir, add_test, c, &bad);
    if (failed != 0)
        code = cli_fail(c->cli, CLI_USAGE, "%s: %s", bad ? bad : dir, strerror(failed));
    else if (c->n == before)
        code = cli_fail(c->cli, CLI_USAGE,
                        "%s: there is no test in it, which is a directory with "
                        "a model.onnx",
                        dir);
    free(bad);
    return code;
}

const char *test_short_name(const struct test *test)
{
    const char *slash = strrchr(test->name, '/');

    return slash ? slash + 1 : test->name;
}
