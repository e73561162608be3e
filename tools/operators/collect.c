/* SPDX-License-Identifier: MIT */
/*
 * collect.c - the operators that a model needs: its own, and those that passes make of them. A pass may
 * make a node that another pass replaces, in which case no result shows it; so each pass that found
 * something is also left out once.
 */

#include "config.h"

#include "operators/operators.h"

#include <stdlib.h>

/* Adds the operators of a model. A version is the one in force, so that it also serves other imports. */
static void add_model(const bp_model *model, struct operator_list *list)
{
    bp_op_info op = {.struct_size = sizeof op};

    for (uint32_t i = 0; bp_model_op(model, i, &op, NULL) >= 0; i++)
        operator_list_add(list, op.domain, op.op, op.since ? op.since : op.opset, NULL,
                          op.since == 0);
}

/* Which passes found something, a flag each; there are as many as bp_optimization_pass() has. */
static void mark_passes(const bp_report *report, bool *found, uint32_t n)
{
    for (uint32_t i = 0; i < n && i < bp_report_pass_count(report); i++) {
        bp_report_pass row = {.struct_size = sizeof row};

        found[i] |= bp_report_get_pass(report, i, &row, NULL) >= 0 && row.n_matches > 0;
    }
}

struct collecting {
    struct cli *cli;
    const struct load_args *args;
    struct operator_list *list;
    bp_model *model;
    bool *found;
    uint32_t n_passes;
};

/* Optimizes to one level, without one pass or with all (NULL), and adds what is there then. */
static int add_optimized(struct collecting *c, uint32_t level, const char *without, uint32_t flags)
{
    struct load_args args = *c->args;
    char cpu[] = "cpu";
    bp_session_options *options = NULL;
    bp_report *report = NULL;
    bp_model *made = NULL;
    bp_rc rc = BP_OK;
    int code;

    args.level = level;
    if (!args.providers)
        args.providers = cpu;
    code = load_options(c->cli, &args, &options);
    if (code == CLI_OK && !c->args->providers)
        bp_session_options_ignore_env_providers(options);
    if (code == CLI_OK && without)
        rc = bp_session_options_disable_pass(options, without, &c->cli->err);
    if (code == CLI_OK && rc >= 0)
        rc = bp_model_optimize(c->cli->env, c->model, options, flags, &made, &report, &c->cli->err);
    if (rc < 0)
        code = cli_fail_rc(c->cli, load_code(c->cli, c->args, c->model, rc), rc);
    if (code == CLI_OK) {
        add_model(made, c->list);
        mark_passes(report, c->found, c->n_passes);
    }
    bp_report_destroy(report);
    bp_model_close(made);
    bp_session_options_destroy(options);
    return code;
}

/* A session keeps initializers that are inputs; a model that is saved may have them as constants. */
static int add_levels(struct collecting *c)
{
    int code = CLI_OK;

    for (uint32_t level = BP_OPTIMIZE_NONE; code == CLI_OK && level <= BP_OPTIMIZE_LAYOUT; level++)
        code = add_optimized(c, level, NULL, BP_OPTIMIZE_KEEP_DEFAULTS);
    if (code == CLI_OK)
        code = add_optimized(c, BP_OPTIMIZE_LAYOUT, NULL, 0);
    for (uint32_t i = 0; code == CLI_OK && i < c->n_passes; i++) {
        if (c->found[i])
            code = add_optimized(c, BP_OPTIMIZE_LAYOUT, bp_optimization_pass(i, NULL, NULL), 0);
    }
    return code;
}

int operators_of_model(struct cli *cli, const struct load_args *args, const char *path,
                       struct operator_list *list)
{
    struct collecting c = {.cli = cli, .args = args, .list = list};
    int code = load_model(cli, path, &c.model);

    if (code != CLI_OK)
        return code;
    while (bp_optimization_pass(c.n_passes, NULL, NULL))
        c.n_passes++;
    c.found = xalloc(c.n_passes, sizeof *c.found);
    add_model(c.model, list);
    code = add_levels(&c);
    list->models += code == CLI_OK;
    free(c.found);
    bp_model_close(c.model);
    return code;
}
