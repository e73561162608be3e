/* SPDX-License-Identifier: MIT */
/* suite.c - one directory of test data in the ONNX project's layout, run and compared. */

#include "config.h"

#include <stdlib.h>

#include "conform/suite.h"
#include "lib/deadline.h"

void suite_run(struct cli *cli, const struct suite_args *args, const char *dir, struct verdict *out)
{
    struct suite suite = {.cli = cli, .args = args};

    *out = (struct verdict){0};
    deadline_start(args->timeout, dir);
    out->code = load_options(cli, &args->load, &suite.options);
    if (out->code == CLI_OK)
        out->code = suite_run_directory(&suite, dir, &out->is_skipped);
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
