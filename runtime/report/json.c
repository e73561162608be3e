/* SPDX-License-Identifier: MIT */
/* json.c - the report as JSON; built on the public reading functions alone. */

#include "config.h"

#include "base/status.h"
#include "report/report.h"
#include "text/json.h"

/* Grows when a field changes its meaning; so does the number in "schema". */
enum { REPORT_FORMAT = 1 };

static const char *const fallback_names[] = {"default", "silent", "warn", "require"};

/* Indices into other lists of the document; BP_NONE is null. */
static void index_or_null(struct bp_text *text, const char *key, uint32_t index)
{
    if (index == BP_NONE)
        bp_json_string(text, key, NULL);
    else
        bp_json_int(text, key, index);
}

/* Writes a size or number; null where the provider does not estimate it. */
static void bytes_or_null(struct bp_text *text, const char *key, uint32_t is_known, uint64_t bytes)
{
    if (is_known)
        bp_json_int(text, key, (int64_t)bytes);
    else
        bp_json_string(text, key, NULL);
}

/* Writes a time in whole nanoseconds; null where it is not estimated. */
static void time_or_null(struct bp_text *text, const char *key, uint32_t is_known, double ns)
{
    bytes_or_null(text, key, is_known, (uint64_t)(ns + 0.5));
}

/* Writes the keys that bp_explain()'s JSON has as well. */
void bp_report_put_options(const bp_report *report, uint32_t provider, struct bp_text *text)
{
    uint32_t n = report ? bp_report_option_count(report, provider) : 0;

    bp_json_open(text, "options", '[');
    for (uint32_t j = 0; j < n; j++) {
        bp_report_option row = {.struct_size = sizeof row};

        if (bp_report_get_option(report, provider, j, &row, NULL) < 0)
            continue;
        bp_json_open(text, NULL, '{');
        bp_json_string(text, "key", row.key);
        bp_json_string(text, "value", row.value);
        bp_json_string(text, "origin", bp_origin_name(row.origin));
        bp_json_close(text, '}');
    }
    bp_json_close(text, ']');
}

/* A provider's row: how far it came, what it got, and what it estimates. */
static bp_rc add_provider(struct bp_text *text, const bp_report *report, uint32_t i, bp_err *err)
{
    bp_report_provider row = {.struct_size = sizeof row};
    bp_rc rc = bp_report_get_provider(report, i, &row, err);

    if (rc < 0)
        return rc;
    bp_json_open(text, NULL, '{');
    bp_json_string(text, "name", row.name);
    bp_json_string(text, "stage", bp_stage_name(row.stage));
    bp_json_string(text, "code", bp_rc_name(row.code));
    bp_json_string(text, "named_by", bp_named_by_name(row.named_by));
    bp_json_string(text, "fallback", fallback_names[row.fallback & 3]);
    bp_json_string(text, "version", row.version);
    bp_json_string(text, "file", row.file);
    bp_json_string(text, "reason", row.reason);
    bp_json_string(text, "fix", row.fix);
    bp_json_bool(text, "known", row.states & BP_STATE_KNOWN);
    bp_json_bool(text, "installed", row.states & BP_STATE_INSTALLED);
    bp_json_bool(text, "loadable", row.states & BP_STATE_LOADABLE);
    bp_json_bool(text, "usable", row.states & BP_STATE_USABLE);
    bp_json_bool(text, "uninterruptible", row.is_uninterruptible);
    bp_json_int(text, "claimed", row.n_claimed);
    bp_json_int(text, "costly", row.n_costly);
    bp_json_int(text, "nodes", row.n_nodes);
    bp_json_int(text, "groups", row.n_groups);
    bytes_or_null(text, "weight_bytes", row.known & BP_ESTIMATED_WEIGHTS, row.weight_bytes);
    bytes_or_null(text, "peak_bytes", row.known & BP_ESTIMATED_MEMORY, row.peak_bytes);
    time_or_null(text, "run_ns", row.known & BP_ESTIMATED_TIME, row.run_ns);
    time_or_null(text, "copy_ns", row.known & BP_ESTIMATED_COPIES, row.copy_ns);
    bp_json_bool(text, "simulated", row.known & BP_ESTIMATED_SIMULATED);
    bp_report_put_options(report, i, text);
    bp_json_close(text, '}');
    return BP_OK;
}

/* Refusal j of node i; "provider" is an index into "providers". */
static bp_rc add_refusal(struct bp_text *text, const bp_report *report, uint32_t i, uint32_t j,
                         bp_err *err)
{
    bp_report_refusal row = {.struct_size = sizeof row};
    bp_rc rc = bp_report_get_refusal(report, i, j, &row, err);

    if (rc < 0)
        return rc;
    bp_json_open(text, NULL, '{');
    bp_json_int(text, "provider", row.provider);
    bp_json_string(text, "reason", bp_reason_name(row.reason));
    bp_json_string(text, "subject", row.subject);
    bp_json_string(text, "text", row.text);
    bp_json_close(text, '}');
    return BP_OK;
}

/* A node with all its refusals; "group" is an index into "groups". */
static bp_rc add_node(struct bp_text *text, const bp_report *report, uint32_t i, bp_err *err)
{
    bp_report_node row = {.struct_size = sizeof row};
    bp_rc rc = bp_report_get_node(report, i, &row, err);

    if (rc < 0)
        return rc;
    bp_json_open(text, NULL, '{');
    bp_json_string(text, "name", row.name);
    bp_json_string(text, "op", row.op);
    bp_json_string(text, "domain", row.domain);
    bp_json_string(text, "path", row.path);
    bp_json_string(text, "stands_for", row.stands_for);
    bp_json_string(text, "rule", row.rule);
    index_or_null(text, "provider", row.provider);
    index_or_null(text, "group", row.group);
    bp_json_open(text, "refusals", '[');
    for (uint32_t j = 0; rc >= 0 && j < row.n_refusals; j++)
        rc = add_refusal(text, report, i, j, err);
    bp_json_close(text, ']');
    bp_json_close(text, '}');
    return rc;
}

/* The word for where a group's program came from; NULL: it has no program. */
static const char *program_name(uint32_t program)
{
    return program == BP_PROGRAM_LOADED     ? "loaded"
           : program == BP_PROGRAM_COMPILED ? "compiled"
                                            : NULL;
}

/* A group's row; sizes are in bytes, times in nanoseconds. */
static bp_rc add_group(struct bp_text *text, const bp_report *report, uint32_t i, bp_err *err)
{
    bp_report_group row = {.struct_size = sizeof row};
    bp_rc rc = bp_report_get_group(report, i, &row, err);

    if (rc < 0)
        return rc;
    bp_json_open(text, NULL, '{');
    index_or_null(text, "provider", row.provider);
    index_or_null(text, "device", row.device);
    bp_json_string(text, "device_id", row.device_id ? row.device_id : "");
    bp_json_int(text, "nodes", row.n_nodes);
    bp_json_int(text, "inputs", row.n_inputs);
    bp_json_int(text, "outputs", row.n_outputs);
    bp_json_int(text, "copies", row.n_copies);
    bp_json_int(text, "copy_bytes", (int64_t)row.copy_bytes);
    bp_json_int(text, "unsized_copies", (int64_t)row.n_unsized_copies);
    bp_json_string(text, "path", row.path);
    bytes_or_null(text, "weight_bytes", row.known & BP_ESTIMATED_WEIGHTS, row.weight_bytes);
    bytes_or_null(text, "run_bytes", row.known & BP_ESTIMATED_MEMORY, row.run_bytes);
    time_or_null(text, "run_ns", row.known & BP_ESTIMATED_TIME, row.run_ns);
    time_or_null(text, "copy_ns", row.known & BP_ESTIMATED_COPIES, row.copy_ns);
    bp_json_string(text, "program", program_name(row.program));
    bp_json_string(text, "cache", row.cache);
    bytes_or_null(text, "max_frames", row.max_frames, row.max_frames);
    bytes_or_null(text, "frame_bytes", row.program, row.frame_bytes);
    bp_json_close(text, '}');
    return BP_OK;
}

/* Writes the values whose declared shape differs from the inferred one or from that of a run. */
void bp_report_put_mismatches(const bp_report *report, struct bp_text *text)
{
    uint32_t n = report ? bp_report_mismatch_count(report) : 0;

    bp_json_open(text, "mismatches", '[');
    for (uint32_t i = 0; i < n; i++) {
        bp_report_mismatch row = {.struct_size = sizeof row};

        if (bp_report_get_mismatch(report, i, &row, NULL) < 0)
            continue;
        bp_json_open(text, NULL, '{');
        bp_json_string(text, "value", row.value);
        bp_json_string(text, "path", row.path);
        bp_json_string(text, "inferred", row.inferred);
        bp_json_string(text, "declared", row.declared);
        bp_json_close(text, '}');
    }
    bp_json_close(text, ']');
}

/* Writes a pass without its time, so that equal sessions have equal reports. */
static bp_rc add_pass(struct bp_text *text, const bp_report *report, uint32_t i, bp_err *err)
{
    bp_report_pass row = {.struct_size = sizeof row};
    bp_rc rc = bp_report_get_pass(report, i, &row, err);

    if (rc < 0)
        return rc;
    bp_json_open(text, NULL, '{');
    bp_json_string(text, "name", row.name);
    bp_json_string(text, "help", row.help);
    bp_json_int(text, "level", row.level);
    bp_json_bool(text, "exact", row.is_exact);
    bp_json_int(text, "matches", row.n_matches);
    bp_json_int(text, "nodes_before", row.n_before);
    bp_json_int(text, "nodes_after", row.n_after);
    bp_json_close(text, '}');
    return BP_OK;
}

/* Writes one list of rows under `key`. */
static bp_rc
add_list(struct bp_text *text, const bp_report *report, const char *key, uint32_t count,
         bp_rc (*add)(struct bp_text *text, const bp_report *report, uint32_t i, bp_err *err),
         bp_err *err)
{
    bp_rc rc = BP_OK;

    bp_json_open(text, key, '[');
    for (uint32_t i = 0; rc >= 0 && i < count; i++)
        rc = add(text, report, i, err);
    bp_json_close(text, ']');
    return rc;
}

/* Values between nodes: "from" null is an input of the model, "to" null an output. */
static void add_edges(struct bp_text *text, const bp_report *report)
{
    uint32_t from, to;
    const char *name;

    bp_json_open(text, "edges", '[');
    for (uint32_t i = 0; (name = bp_report_edge(report, i, &from, &to)) != NULL; i++) {
        bp_json_open(text, NULL, '{');
        bp_json_string(text, "value", name);
        index_or_null(text, "from", from);
        index_or_null(text, "to", to);
        bp_json_close(text, '}');
    }
    bp_json_close(text, ']');
}

/* Lists refer to each other by index, so that their order is that of the report. */
bp_rc bp_report_json(const bp_report *report, char **out, bp_err *err)
{
    struct bp_text text = {0};
    bp_rc rc;

    if (!report)
        return bp_fail_null(err, "the report");
    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    bp_json_open(&text, NULL, '{');
    bp_json_string(&text, "schema", "report/1");
    bp_json_int(&text, "format", REPORT_FORMAT);
    rc = add_list(&text, report, "providers", bp_report_provider_count(report), add_provider, err);
    if (rc >= 0)
        rc = add_list(&text, report, "passes", bp_report_pass_count(report), add_pass, err);
    if (rc >= 0)
        rc = add_list(&text, report, "groups", bp_report_group_count(report), add_group, err);
    if (rc >= 0)
        rc = add_list(&text, report, "nodes", bp_report_node_count(report), add_node, err);
    add_edges(&text, report);
    bp_report_put_mismatches(report, &text);
    bp_report_put_refused_sizes(report, &text);
    bp_json_close(&text, '}');
    if (rc >= 0 && text.failed)
        rc = bp_fail_nomem(err, "the report");
    if (rc >= 0)
        *out = bp_text_take(&text);
    bp_text_finish(&text);
    return bp_done(err, rc);
}
