/* SPDX-License-Identifier: MIT */
/* suite.c - one directory of test data in the ONNX project's layout, run and compared. */

#include "config.h"

#include <stdlib.h>

#include "deadline.h"
#include "plan.h"
#include "suite.h"

/* A model whose inputs or outputs are sequences or the like cannot be fed here; says which. */
static bool has_only_tensors(struct suite *suite, const bp_session *session)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t n = pass ? bp_session_output_count(session) : bp_session_input_count(session);

        for (uint32_t i = 0; i < n; i++) {
            bp_io_info io = {.struct_size = sizeof io};
            bp_rc rc = pass ? bp_session_output(session, i, &io, NULL)
                            : bp_session_input(session, i, &io, NULL);

            if (rc >= 0 && io.dtype == BP_DTYPE_NONE) {
                text_put(&suite->why, pass ? "output " : "input ");
                text_clean(&suite->why, io.name);
                text_put(&suite->why, " is no tensor, and this program feeds only tensors");
                return false;
            }
        }
    }
    return true;
}

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
    } else if (!has_only_tensors(suite, loaded.session)) {
        *is_skipped = true;
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
