/* SPDX-License-Identifier: MIT */
/* find.c - the models of a directory, and where each is to go. */

#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "optimize/optimize.h"
#include "values/file.h"

enum { DEPTH_MAX = 32 }; /* of directories; a link may lead back up */

/* The list owns copies of both paths. */
static void add(struct optimize_jobs *jobs, const char *in, const char *out)
{
    if (jobs->n == jobs->cap) {
        jobs->cap = jobs->cap ? jobs->cap * 2 : 16;
        jobs->items = xrealloc(jobs->items, jobs->cap, sizeof *jobs->items);
    }
    jobs->items[jobs->n++] = (struct optimize_job){xstrdup(in), xstrdup(out)};
}

void optimize_jobs_finish(struct optimize_jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        free(jobs->items[i].in);
        free(jobs->items[i].out);
    }
    free(jobs->items);
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

/* Six characters at least: ".onnx" alone is a hidden file. */
static bool is_model(const struct optimize_jobs *jobs, const char *name)
{
    size_t n = strlen(name);

    return (n > 5 && strcmp(name + n - 5, ".onnx") == 0) ||
           (jobs->takes_ort && n > 4 && strcmp(name + n - 4, ".ort") == 0);
}

/*
 * `out` mirrors the folders of `in`; deeper than DEPTH_MAX nothing is looked for, because a link
 * may lead back up.
 */
static int walk(struct cli *cli, const char *in, const char *out, int depth,
                struct optimize_jobs *jobs)
{
    struct dirent **entries = NULL;
    struct bp_text from = {0}, to = {0};
    int n = depth < DEPTH_MAX ? scandir(in, &entries, is_visible, by_name) : 0;
    int code = CLI_OK;

    if (n < 0)
        return cli_fail(cli, CLI_USAGE, "%s: %s", in, strerror(errno));
    for (int i = 0; i < n; i++) {
        text_clear(&from);
        text_clear(&to);
        text_printf(&from, "%s/%s", in, entries[i]->d_name);
        text_printf(&to, "%s/%s", out, entries[i]->d_name);
        if (code == CLI_OK && file_is_directory(text_string(&from)))
            code = walk(cli, text_string(&from), text_string(&to), depth + 1, jobs);
        else if (is_model(jobs, entries[i]->d_name))
            add(jobs, text_string(&from), text_string(&to));
        free(entries[i]);
    }
    free(entries);
    text_finish(&from);
    text_finish(&to);
    return code;
}

int optimize_find(struct cli *cli, const char *in, const char *out, struct optimize_jobs *jobs)
{
    int code;

    if (!file_is_directory(in)) {
        if (file_is_directory(out))
            return cli_fail(cli, CLI_USAGE, "--output %s: is a directory; name a file", out);
        add(jobs, in, out);
        return CLI_OK;
    }
    if (file_exists(out) && !file_is_directory(out))
        return cli_fail(cli, CLI_USAGE, "--output %s: is not a directory, and %s is one", out, in);
    code = walk(cli, in, out, 0, jobs);
    if (code == CLI_OK && jobs->n == 0)
        code = cli_fail(cli, CLI_USAGE, "%s: there is no *.onnx%s in it", in,
                        jobs->takes_ort ? " or *.ort" : "");
    return code;
}
