/* SPDX-License-Identifier: MIT */
/* suite.c - directories of test data in the ONNX project's layout, run and compared. */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deadline.h"
#include "plan.h"
#include "suite.h"

static enum outcome run_directory(struct suite *suite, const char *dir, int *code)
{
    struct loaded loaded = {0};
    struct text path = {0};
    enum outcome outcome = FAILED;

    suite->n_sets = 0;
    text_clear(&suite->why);
    text_clear(&suite->placed);
    text_printf(&path, "%s/model.onnx", dir);
    deadline_start(suite->args->timeout, dir);
    *code =
        load_session(suite->cli, text_string(&path), &suite->args->load, suite->options, &loaded);
    text_finish(&path);
    if (*code != CLI_OK) {
        suite_blame(suite, *code, NULL, suite->cli->words);
    } else {
        plan_placement(&suite->placed, bp_session_report(loaded.session));
        *code = suite_run_sets(suite, loaded.session, dir);
        outcome = *code == CLI_OK ? PASSED : FAILED;
    }
    deadline_start(0, dir);
    load_finish(&loaded);
    return outcome;
}

/* The last part of a path, whatever slashes end it. */
static char *base_name(const char *path)
{
    size_t end = strlen(path), start;
    char *name;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/'; start--)
        ;
    name = xalloc(end - start + 1, 1);
    return memcpy(name, path + start, end - start);
}

static void tell_json(struct suite *suite, enum outcome outcome, const char *name, int code)
{
    static const char *const words[OUTCOMES] = {"passed", "failed", "skipped"};

    json_object(&suite->json, NULL);
    json_string(&suite->json, "name", name);
    json_string(&suite->json, "result", words[outcome]);
    json_int(&suite->json, "code", code);
    json_uint(&suite->json, "sets", suite->n_sets);
    json_string(&suite->json, "placement", text_string(&suite->placed));
    if (outcome != PASSED)
        json_string(&suite->json, "why", text_string(&suite->why));
    json_object_end(&suite->json);
}

static void tell(struct suite *suite, enum outcome outcome, const char *name)
{
    static const char *const labels[OUTCOMES] = {"ok  ", "FAIL", "skip"};
    static const enum cli_style styles[OUTCOMES] = {STYLE_GREEN, STYLE_RED, STYLE_YELLOW};
    bool colour = suite->cli->colour;
    struct text line = {0};

    if (suite->cli->globals.quiet && outcome != FAILED)
        return;
    text_printf(&line, "%s%s%s ", cli_style(colour, styles[outcome]), labels[outcome],
                cli_style(colour, STYLE_PLAIN));
    text_clean(&line, name);
    if (suite->args->has_report && suite->placed.length)
        text_printf(&line, "  (%s)", text_string(&suite->placed));
    if (outcome != PASSED) {
        text_put(&line, ": ");
        text_clean(&line, text_string(&suite->why));
    }
    puts(text_string(&line));
    fflush(stdout);
    text_finish(&line);
}

static void summarise(struct suite *suite)
{
    const size_t *counts = suite->counts;

    if (suite->args->is_json) {
        json_array_end(&suite->json);
        json_uint(&suite->json, "passed", counts[PASSED]);
        json_uint(&suite->json, "failed", counts[FAILED]);
        json_uint(&suite->json, "skipped", counts[SKIPPED]);
        json_object_end(&suite->json);
    } else if (!suite->cli->globals.quiet) {
        printf("%zu passed, %zu failed", counts[PASSED], counts[FAILED]);
        if (counts[SKIPPED])
            printf(", %zu skipped", counts[SKIPPED]);
        putchar('\n');
    }
}

int suite_run(struct cli *cli, const struct run_args *args, const struct arg_list *dirs)
{
    struct suite suite = {.cli = cli, .args = args, .json = {.out = stdout}};
    int code = load_options(cli, &args->load, &suite.options);

    if (code != CLI_OK)
        return code;
    progress_begin(&suite.progress, cli);
    if (args->is_json) {
        json_object(&suite.json, NULL);
        json_array(&suite.json, "results");
    }
    for (size_t i = 0; i < dirs->n; i++) {
        char *name = base_name(dirs->items[i]);
        enum outcome outcome;

        progress_show(&suite.progress, name, (double)i / (double)dirs->n);
        outcome = run_directory(&suite, dirs->items[i], &code);
        progress_end(&suite.progress);
        suite.counts[outcome]++;
        if (outcome == FAILED)
            suite.code = suite.code == CLI_OK || suite.code == code ? code : CLI_DIFFERS;
        if (args->is_json)
            tell_json(&suite, outcome, name, code);
        else
            tell(&suite, outcome, name);
        free(name);
    }
    summarise(&suite);
    bp_session_options_destroy(suite.options);
    text_finish(&suite.why);
    text_finish(&suite.placed);
    return suite.code;
}
