/* SPDX-License-Identifier: MIT */
/* json.c - what a run made, as JSON. */

#include "config.h"

#include "lib/memory.h"
#include "run/run.h"
#include "values/value.h"

/* Type and shape of a tensor, in the object that is open. */
static void json_tensor(struct json *json, const char *name, const bp_tensor *tensor)
{
    json_string(json, "name", name);
    json_string(json, "type", bp_dtype_name(tensor->dtype));
    json_list(json, "shape");
    for (uint32_t i = 0; i < tensor->rank; i++)
        json_int(json, NULL, tensor->dims[i]);
    json_list_end(json);
}

/* Exact types are written digit by digit, because a double would round 64-bit integers. */
static void json_first_values(struct json *json, const bp_tensor *tensor)
{
    struct bp_text text = {0};

    json_list(json, "first");
    for (size_t i = 0; i < run_first_count(tensor); i++) {
        text_clear(&text);
        value_text(&text, tensor, i);
        if (tensor->dtype == BP_DTYPE_STRING)
            json_string(json, NULL, text_string(&text));
        else if (value_is_exact(tensor->dtype))
            json_raw(json, NULL, text_string(&text));
        else
            json_number(json, NULL, value_number(tensor, i));
    }
    json_list_end(json);
    text_finish(&text);
}

/* "min", "max" and "mean" are absent when every element is NaN. */
static void json_output(struct json *json, const char *name, const bp_tensor *tensor)
{
    struct value_stats stats;

    value_get_stats(tensor, &stats);
    json_object(json, NULL);
    json_tensor(json, name, tensor);
    if (stats.count > stats.nans) {
        json_number(json, "min", stats.min);
        json_number(json, "max", stats.max);
        json_number(json, "mean", stats.mean);
    }
    json_uint(json, "nan", stats.nans);
    json_uint(json, "infinite", stats.infinities);
    json_first_values(json, tensor);
    json_object_end(json);
}

static void json_verdict(struct json *json, const struct expectation *e,
                         const struct results *results)
{
    struct bp_text words = {0};

    compare_words(&words, &results->bindings[e->output].tensor, &e->want, &e->result);
    json_object(json, NULL);
    json_string(json, "name", e->name);
    json_string(json, "file", e->path);
    json_bool(json, "same", compare_is_same(&e->result));
    json_uint(json, "mismatches", e->result.mismatches);
    json_uint(json, "elements", e->result.count);
    json_string(json, "words", text_string(&words));
    json_object_end(json);
    text_finish(&words);
}

static void json_inputs(struct json *json, const struct loaded *loaded, const struct feed *feed)
{
    json_array(json, "inputs");
    for (uint32_t i = 0; i < feed->n; i++) {
        bp_io_info io = {.struct_size = sizeof io};

        if (bp_session_input(loaded->session, feed->bindings[i].index, &io, NULL) < 0)
            continue;
        json_object(json, NULL);
        json_tensor(json, io.name, &feed->bindings[i].tensor);
        json_string(json, "source", feed->sources[i]);
        json_object_end(json);
    }
    json_array_end(json);
}

int run_print_json(struct cli *cli, const char *path, const struct loaded *loaded,
                   const struct feed *feed, const struct results *results,
                   const struct expectation *expectations, size_t n_expectations, bool has_report)
{
    struct json json = {.out = stdout};
    char *report = NULL;

    if (has_report) {
        bp_rc rc = bp_report_json(bp_session_report(loaded->session), &report, &cli->err);

        if (rc < 0)
            return cli_fail_rc(cli, CLI_RUN, rc);
    }
    json_object(&json, NULL);
    json_string(&json, "schema", "run/1");
    json_string(&json, "model", path);
    json_inputs(&json, loaded, feed);
    json_array(&json, "outputs");
    for (uint32_t i = 0; i < results->n; i++) {
        bp_io_info io = {.struct_size = sizeof io};

        if (bp_session_output(loaded->session, i, &io, NULL) >= 0)
            json_output(&json, io.name, &results->bindings[i].tensor);
    }
    json_array_end(&json);
    json_array(&json, "expected");
    for (size_t i = 0; i < n_expectations; i++)
        json_verdict(&json, &expectations[i], results);
    json_array_end(&json);
    if (report) {
        json_raw(&json, "report", report);
        memory_json(&json, loaded->session);
    }
    json_object_end(&json);
    bp_free(report);
    return CLI_OK;
}
