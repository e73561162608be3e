/* SPDX-License-Identifier: MIT */
/* suite.c - one directory of test data in the ONNX project's layout, run and compared. */

#include "config.h"

#include <stdlib.h>

#include "conform/suite.h"
#include "lib/deadline.h"

static int run_plain(struct suite *suite, const char *dir, bool *is_skipped)
{
    struct bp_text path = {0};
    int code;

    text_printf(&path, "%s/model.onnx", dir);
    suite->model = text_string(&path);
    code = suite_run_directory(suite, dir, is_skipped);
    text_finish(&path);
    return code;
}

/* One set on a model of its own, which has the set's inputs but the first as initializers. */
static int run_constant_set(struct suite *suite, const char *dir, const char *set, bool *is_skipped)
{
    struct constants constants;
    int code;

    if (constants_make(dir, set, &constants, &suite->cli->err) < 0) {
        code = suite_blame(suite, CLI_USAGE, set, suite->cli->words);
    } else {
        suite->model = constants.path;
        suite->set = set;
        suite->constants = &constants;
        text_clear(&suite->placed); /* that of the last set counts */
        code = suite_run_directory(suite, dir, is_skipped);
    }
    constants_finish(&constants);
    return code;
}

static int run_constant(struct suite *suite, const char *dir, bool *is_skipped)
{
    struct dirent **sets = NULL;
    int n = suite_list_sets(dir, &sets), code = CLI_OK;

    if (n == 0)
        code = suite_blame(suite, CLI_USAGE, dir, "there is no test_data_set_* in it");
    for (int i = 0; i < n; i++) {
        if (code == CLI_OK && !*is_skipped)
            code = run_constant_set(suite, dir, sets[i]->d_name, is_skipped);
        free(sets[i]);
    }
    free(sets);
    suite->n_sets = (size_t)n;
    return code;
}

void suite_run(struct cli *cli, const struct suite_args *args, const char *dir, struct verdict *out)
{
    struct suite suite = {.cli = cli, .args = args};

    *out = (struct verdict){0};
    deadline_start(args->timeout, dir);
    out->code = load_options(cli, &args->load, &suite.options);
    if (out->code == CLI_OK)
        out->code = args->has_constant_inputs ? run_constant(&suite, dir, &out->is_skipped)
                                              : run_plain(&suite, dir, &out->is_skipped);
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
