/* SPDX-License-Identifier: MIT */
/* suite.c - one directory of test data in the ONNX project's layout, run and compared. */

#include "config.h"

#include <stdlib.h>

#include "deadline.h"
#include "plan.h"
#include "suite.h"

/*
 * Is the reason why there is no session that a required provider takes no node? Then there is nothing
 * to test it on. A provider that takes one and fails later does get a plan.
 */
static bool takes_nothing(struct suite *suite, const char *path)
{
    bp_model *model = NULL;
    bp_report *plan = NULL;
    bool is_planned = bp_model_open(suite->cli->env, path, &model, NULL) < 0 ||
                      bp_plan_create(suite->cli->env, model, suite->options, &plan, NULL) >= 0;

    bp_report_destroy(plan);
    bp_model_close(model);
    return !is_planned;
}

static int run_directory(struct suite *suite, const char *dir, bool *is_skipped)
{
    struct loaded loaded = {0};
    struct text path = {0};
    int code;

    text_printf(&path, "%s/model.onnx", dir);
    code =
        load_session(suite->cli, text_string(&path), &suite->args->load, suite->options, &loaded);
    if (code != CLI_OK) {
        suite_blame(suite, code, NULL, suite->cli->words);
        *is_skipped = code == CLI_FALLBACK && takes_nothing(suite, text_string(&path));
    } else {
        plan_placement(&suite->placed, bp_session_report(loaded.session));
        code = suite_run_sets(suite, loaded.session, dir);
    }
    text_finish(&path);
    load_finish(&loaded);
    return code;
}

void suite_run(struct cli *cli, const struct suite_args *args, const char *dir, struct verdict *out)
{
    struct suite suite = {.cli = cli, .args = args};

    *out = (struct verdict){0};
    deadline_start(args->timeout, dir);
    out->code = load_options(cli, &args->load, &suite.options);
    if (out->code == CLI_OK)
        out->code = run_directory(&suite, dir, &out->is_skipped);
    deadline_start(0, dir);
    bp_session_options_destroy(suite.options);
    out->n_sets = suite.n_sets;
    out->placed = xstrdup(text_string(&suite.placed));
    out->why = xstrdup(text_string(&suite.why));
    text_finish(&suite.placed);
    text_finish(&suite.why);
}

void verdict_finish(struct verdict *verdict)
{
    free(verdict->placed);
    free(verdict->why);
    *verdict = (struct verdict){0};
}
