/* SPDX-License-Identifier: MIT */
/* load.c - from a model's path to a session, and what its failures mean to the caller. */

#include "config.h"

#include "lib/load.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <bp/sdk.h>

#include "lib/orphans.h"
#include "lib/progress.h"

int load_model_code(bp_rc rc)
{
    return rc == BP_E_NOMEM || rc == BP_E_INTERNAL ? CLI_RUN : CLI_MODEL;
}

/* Must every named provider be usable? */
static bool all_required(const struct cli *cli, const struct load_args *args)
{
    const char *name, *value, *ignored;

    for (uint32_t i = 0; (name = bp_env_variable(cli->env, i, &value, &ignored)) != NULL; i++) {
        if (strcmp(name, "BACKPLANE_STRICT") == 0 && !ignored && strcmp(value, "0") != 0)
            return true;
        if (strcmp(name, "BACKPLANE_FALLBACK") == 0 && !ignored)
            return strcasecmp(value, "require") == 0 || strcasecmp(value, "error") == 0;
    }
    return args->is_strict || args->fallback == BP_FALLBACK_REQUIRE;
}

/*
 * Is one of the named providers unknown, or (if all must be) not usable? cli->err keeps its
 * words.
 */
static bool one_is_missing(const struct cli *cli, const struct load_args *args)
{
    char *copy = xstrdup(args->providers ? args->providers : ""), *rest = copy, *name;
    bool found = false;

    while (!found && *copy && (name = strsep(&rest, ",")) != NULL) {
        bp_rc rc = bp_env_is_available(cli->env, name, NULL);

        found = rc == BP_E_INVALID || (rc < 0 && all_required(cli, args));
    }
    free(copy);
    return found;
}

/* Would CPU run the model if no provider were required? */
static bool runs_without(struct cli *cli, bp_model *model)
{
    bp_report *report = NULL;
    bool runs = bp_plan_create(cli->env, model, NULL, &report, NULL) >= 0 &&
                count_orphan_nodes(report) == 0;

    bp_report_destroy(report);
    return runs;
}

/*
 * The exit code says who has to act: the user (usage, provider), the author of the model, or
 * none of them (run).
 */
int load_code(struct cli *cli, const struct load_args *args, bp_model *model, bp_rc rc)
{
    switch (rc) {
    case BP_E_UNAVAILABLE:
        return CLI_PROVIDER;
    case BP_E_OPTION:
        return CLI_USAGE;
    case BP_E_TIMEOUT:
        return CLI_TIMEOUT;
    case BP_E_NOMEM:
    case BP_E_INTERNAL:
        return CLI_RUN;
    default:
        if (one_is_missing(cli, args))
            return CLI_PROVIDER;
        if (all_required(cli, args) && runs_without(cli, model))
            return CLI_FALLBACK;
        return CLI_MODEL;
    }
}

/* Does any input have a free dimension of this name, which is `length` bytes long? */
static bool has_symbol(const bp_model *model, const char *symbol, size_t length)
{
    bp_io_info io = {.struct_size = sizeof io};

    for (uint32_t i = 0; bp_model_input(model, i, &io, NULL) >= 0; i++) {
        for (uint32_t d = 0; io.rank != BP_RANK_UNKNOWN && d < io.rank; d++) {
            const char *name = io.dims[d].symbol;

            if (name && strlen(name) == length && memcmp(name, symbol, length) == 0)
                return true;
        }
    }
    return false;
}

/* Every --dim must name a dimension of an input; load_options() has checked their form. */
static bp_rc check_dims(struct cli *cli, const bp_model *model, const struct load_args *args)
{
    for (size_t i = 0; i < args->dims.n; i++) {
        const char *item = args->dims.items[i];

        if (!has_symbol(model, item, (size_t)(strrchr(item, '=') - item)))
            return bp_fail(&cli->err, BP_E_INVALID,
                           "--dim %s: no input has a free dimension of that name; 'backplane "
                           "info' shows their names",
                           item);
    }
    return BP_OK;
}

/* Prints nothing: the message is in cli->err. On failure *out is empty. */
int load_session(struct cli *cli, const char *path, const struct load_args *args,
                 bp_session_options *options, struct loaded *out)
{
    double start = clock_seconds();
    struct progress progress;
    int code;
    bp_rc rc;

    *out = (struct loaded){0};
    rc = bp_model_open(cli->env, path, &out->model, &cli->err);
    if (rc < 0)
        return load_model_code(rc);
    if (check_dims(cli, out->model, args) < 0) {
        load_finish(out);
        return CLI_USAGE;
    }
    out->open_seconds = clock_seconds() - start;
    start = clock_seconds();
    progress_begin(&progress, cli);
    bp_session_options_set_progress(options, progress_phase, &progress);
    rc = bp_session_create_from_model(cli->env, out->model, options, &out->session, &cli->err);
    bp_session_options_set_progress(options, NULL, NULL);
    progress_end(&progress);
    if (rc < 0) {
        code = load_code(cli, args, out->model, rc);
        load_finish(out);
        return code;
    }
    out->create_seconds = clock_seconds() - start;
    return CLI_OK;
}

/* Prints what failed, unlike load_session(). */
int load_from_args(struct cli *cli, const char *path, const struct load_args *args,
                   struct loaded *out)
{
    bp_session_options *options = NULL;
    int code = load_options(cli, args, &options);

    *out = (struct loaded){0};
    if (code != CLI_OK)
        return code;
    code = load_session(cli, path, args, options, out);
    bp_session_options_destroy(options);
    return code == CLI_OK ? CLI_OK : cli_fail(cli, code, "%s", cli->words);
}

void load_finish(struct loaded *loaded)
{
    bp_session_destroy(loaded->session);
    bp_model_close(loaded->model);
    *loaded = (struct loaded){0};
}

int load_model(struct cli *cli, const char *path, bp_model **out)
{
    bp_rc rc = bp_model_open(cli->env, path, out, &cli->err);

    return rc < 0 ? cli_fail_rc(cli, load_model_code(rc), rc) : CLI_OK;
}
