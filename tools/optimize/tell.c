/* SPDX-License-Identifier: MIT */
/* tell.c - what became of the models, as text and as JSON. */

#include "config.h"

#include "optimize/optimize.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/text.h"
#include "plan/text.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* One line a model, and for a single one what the passes did. */
static void tell_text(struct cli *cli, const struct optimize_args *args,
                      const struct optimize_job *job, const struct optimize_result *result,
                      bool is_one)
{
    struct bp_text words = {0};

    text_clean(&words, args->lists ? job->in : job->out);
    text_printf(&words, ": %" PRIu32 " nodes, of %" PRIu32, result->nodes_after,
                result->nodes_before);
    if (!args->lists) {
        text_put(&words, ", ");
        text_bytes(&words, result->bytes);
    }
    if (result->inputs_after < result->inputs_before)
        text_printf(&words, "; %" PRIu32 " inputs with defaults are constants",
                    result->inputs_before - result->inputs_after);
    puts(text_string(&words));
    text_finish(&words);
    if (is_one)
        (void)!plan_passes(cli, result->report, args->lists, &cli->err);
}

static void add_failure(struct optimize_tally *tally, const struct optimize_job *job,
                        const struct optimize_result *result)
{
    text_put(&tally->failures, "  ");
    text_clean(&tally->failures, job->in);
    text_put(&tally->failures, ": ");
    text_clean(&tally->failures, result->words);
    text_put(&tally->failures, "\n");
}

static void end_text(const struct optimize_args *args, const struct optimize_tally *tally)
{
    printf("%zu of %zu models %s, %" PRIu64 " nodes of %" PRIu64 "\n", tally->n_done, tally->n,
           args->lists ? "read" : "saved", tally->nodes_after, tally->nodes_before);
    if (tally->n_done < tally->n)
        printf("%zu failed:\n%s", tally->n - tally->n_done, text_string(&tally->failures));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Those that found something. */
static void write_passes(struct json *json, const bp_report *report)
{
    json_array(json, "passes");
    for (uint32_t i = 0; i < bp_report_pass_count(report); i++) {
        bp_report_pass row = {.struct_size = sizeof row};

        if (bp_report_get_pass(report, i, &row, NULL) < 0 || row.n_matches == 0)
            continue;
        json_object(json, NULL);
        json_string(json, "name", row.name);
        json_uint(json, "matches", row.n_matches);
        json_uint(json, "nodes_before", row.n_before);
        json_uint(json, "nodes_after", row.n_after);
        json_object_end(json);
    }
    json_array_end(json);
}

static void tell_json(struct json *json, const struct optimize_args *args,
                      const struct optimize_job *job, const struct optimize_result *result)
{
    bool is_done = result->code == CLI_OK;

    json_object(json, NULL);
    json_string(json, "model", job->in);
    if (!args->lists)
        json_string(json, "output", job->out);
    json_string(json, "result", !is_done ? "failed" : args->lists ? "read" : "saved");
    json_number(json, "ms", result->seconds * 1e3);
    if (is_done) {
        json_uint(json, "nodes_before", result->nodes_before);
        json_uint(json, "nodes_after", result->nodes_after);
        json_uint(json, "inputs_before", result->inputs_before);
        json_uint(json, "inputs_after", result->inputs_after);
        if (!args->lists)
            json_uint(json, "bytes", result->bytes);
        write_passes(json, result->report);
    } else {
        json_string(json, "error", result->words);
        json_uint(json, "code", (uint64_t)result->code);
    }
    json_object_end(json);
}

/* ---- both ------------------------------------------------------------------------------------ */

void optimize_tell_begin(const struct optimize_args *args, struct json *json)
{
    if (!args->is_json)
        return;
    json_object(json, NULL);
    json_string(json, "schema", "optimize/1");
    json_array(json, "models");
}

void optimize_tell(struct cli *cli, const struct optimize_args *args, struct json *json,
                   const struct optimize_job *job, const struct optimize_result *result,
                   struct optimize_tally *tally, bool is_one)
{
    tally->n++;
    if (result->code == CLI_OK) {
        tally->n_done++;
        tally->nodes_before += result->nodes_before;
        tally->nodes_after += result->nodes_after;
    } else {
        cli_fail(cli, result->code, "%s", result->words);
        add_failure(tally, job, result);
    }
    if (args->is_json)
        tell_json(json, args, job, result);
    else if (!cli->globals.quiet && result->code == CLI_OK)
        tell_text(cli, args, job, result, is_one);
}

void optimize_tell_end(const struct cli *cli, const struct optimize_args *args, struct json *json,
                       struct optimize_tally *tally, bool is_one)
{
    if (args->is_json) {
        json_array_end(json);
        json_uint(json, "done", tally->n_done);
        json_uint(json, "failed", tally->n - tally->n_done);
        json_uint(json, "nodes_before", tally->nodes_before);
        json_uint(json, "nodes_after", tally->nodes_after);
        json_object_end(json);
    } else if (!is_one && !cli->globals.quiet) {
        end_text(args, tally);
    }
    text_finish(&tally->failures);
}
