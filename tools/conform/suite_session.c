/* SPDX-License-Identifier: MIT */
/* suite_session.c - one directory of test data on a session of the library. */

#include "config.h"

#include <stdlib.h>

#include "conform/suite.h"
#include "plan/plan.h"

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

static int run(struct suite *suite, void *self, const bp_binding *inputs, uint32_t n_inputs,
               struct results *out)
{
    bp_session *session = self;

    return run_once(suite->cli, session, inputs, n_inputs, NULL, out);
}

/* Inputs and outputs share one array; their strings are the session's. */
static int run_session(struct suite *suite, bp_session *session, const char *dir)
{
    uint32_t n_inputs = bp_session_input_count(session);
    uint32_t n_outputs = bp_session_output_count(session);
    bp_io_info *ends = xalloc((size_t)n_inputs + n_outputs, sizeof *ends);
    struct subject subject = {.self = session,
                              .run = run,
                              .inputs = ends,
                              .outputs = ends + n_inputs,
                              .n_inputs = n_inputs,
                              .n_outputs = n_outputs};
    bp_rc rc = BP_OK;
    int code;

    for (uint32_t i = 0; i < n_inputs + n_outputs && rc >= 0; i++) {
        ends[i].struct_size = sizeof ends[i];
        rc = i < n_inputs ? bp_session_input(session, i, &ends[i], &suite->cli->err)
                          : bp_session_output(session, i - n_inputs, &ends[i], &suite->cli->err);
    }
    code = rc < 0 ? suite_blame(suite, CLI_RUN, NULL, suite->cli->words)
                  : suite_run_sets(suite, &subject, dir);
    free(ends);
    return code;
}

int suite_run_directory(struct suite *suite, const char *dir, bool *is_skipped)
{
    struct loaded loaded = {0};
    int code = load_session(suite->cli, suite->model, &suite->args->load, suite->options, &loaded);

    if (code != CLI_OK) {
        suite_blame(suite, code, NULL, suite->cli->words);
        *is_skipped = code == CLI_FALLBACK && takes_nothing(suite, suite->model);
    } else {
        plan_placement(&suite->placed, bp_session_report(loaded.session));
        code = run_session(suite, loaded.session, dir);
    }
    load_finish(&loaded);
    return code;
}
