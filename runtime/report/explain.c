/* SPDX-License-Identifier: MIT */
/* explain.c - bp_explain(): tells why a provider was not used, as text and as JSON. */

#include "config.h"

#include "report/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/provider_states.h"

enum {
    REFUSALS_SHOWN = 20, /* kinds of refusals in a text; JSON has all */
    SUBJECTS_SHOWN = 3,  /* of each */
    OPERATORS_SHOWN = 6,
    EXPLAIN_FORMAT = 1 /* of the JSON, as in "schema"; grows when a field changes its meaning */
};

static const char *const state_names[] = {"known", "installed", "loadable", "usable"};

/* ---- text ------------------------------------------------------------------------------------ */

/*
 * Writes a line of the text form, which begins with two columns: the provider's name, and what the
 * line is about.
 */
static void put_label(struct bp_text *out, const char *name, const char *label)
{
    bp_text_printf_clean(out, "%-12s  %-12s  ", name, label);
}

/*
 * Writes the provider's states. They build on each other, so the first one missing ends the line.
 */
static void put_states(struct bp_text *out, uint32_t states)
{
    const char *comma = "";

    put_label(out, "", "state");
    for (uint32_t i = 0; i < 4; i++) {
        bp_text_printf_clean(out, "%s%s%s", comma, states & 1u << i ? "" : "not ", state_names[i]);
        comma = ", ";
        if (!(states & 1u << i))
            break; /* the later ones are missing as well */
    }
    bp_text_add(out, "\n");
}

/* Writes what the refusals are about: " (W, B, ...)". */
static void put_subjects(const struct bp_explained_refusal *refusal, struct bp_text *out)
{
    const char *shown[SUBJECTS_SHOWN];
    uint32_t n = 0;

    for (uint32_t i = 0; i < refusal->count; i++) {
        const char *subject = refusal->nodes[i].subject;
        uint32_t j = 0;

        while (subject && j < n && strcmp(shown[j], subject) != 0)
            j++;
        if (!subject || j < n)
            continue;
        if (n == SUBJECTS_SHOWN) {
            bp_text_add(out, ", ...");
            break;
        }
        shown[n] = subject;
        bp_text_printf_clean(out, "%s%s", n++ ? ", " : " (", subject);
    }
    if (n > 0)
        bp_text_add(out, ")");
}

/* Writes how many nodes each operator has: "; 20 Pad, 5 If, 16 others". */
static void put_operators(const struct bp_explained_refusal *refusal, struct bp_text *out)
{
    struct bp_operator_count *operators;
    uint32_t n, rest = refusal->count;

    if (refusal->count == 1)
        return; /* the example has its operator */
    if (!bp_refusal_count_operators(refusal, &operators, &n)) {
        out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < n && i < OPERATORS_SHOWN; i++) {
        bp_text_printf_clean(out, "%s%u %s", i ? ", " : "; ", operators[i].count, operators[i].op);
        rest -= operators[i].count;
    }
    if (rest > 0)
        bp_text_printf_clean(out, ", %u other%s", rest, rest == 1 ? "" : "s");
    free(operators);
}

/* Writes one kind of refusal: how often, why, and a few nodes as examples. */
static void put_refusal(const struct bp_explanation *explanation,
                        const struct bp_explained_refusal *refusal, struct bp_text *out)
{
    put_label(out, "", "refused");
    bp_text_printf_clean(out, "%u %s", refusal->count, bp_reason_name(refusal->reason));
    put_subjects(refusal, out);
    if (refusal->text)
        bp_text_printf_clean(out, ": %s", refusal->text);
    put_operators(refusal, out);
    for (uint32_t i = 0; i < BP_EXPLANATION_EXAMPLES && i < refusal->count; i++) {
        bp_report_node node = {.struct_size = sizeof node};

        if (bp_report_get_node(explanation->report, refusal->nodes[i].node, &node, NULL) < 0)
            continue;
        bp_text_printf_clean(out, "%s %s%s%s (%s%s%s)", i ? "," : "; e.g.", node.path,
                             node.path[0] ? "/" : "", node.name, node.op,
                             node.stands_for ? ", of " : "",
                             node.stands_for ? node.stands_for : "");
    }
    bp_text_add(out, "\n");
}

/* Writes the options that were set; there may be many defaults. */
static void put_options(const struct bp_explanation *explanation, struct bp_text *out)
{
    uint32_t n = explanation->report
                     ? bp_report_option_count(explanation->report, explanation->provider)
                     : 0;

    for (uint32_t j = 0; j < n; j++) {
        bp_report_option row = {.struct_size = sizeof row};

        if (bp_report_get_option(explanation->report, explanation->provider, j, &row, NULL) < 0 ||
            row.origin == BP_ORIGIN_DEFAULT)
            continue;
        put_label(out, "", "option");
        bp_text_printf_clean(out, "%s=%s (%s)\n", row.key, row.value, bp_origin_name(row.origin));
    }
}

/* Says why a provider is in the list that the program did not ask for. */
static void put_named_by(const struct bp_explanation *explanation, struct bp_text *out)
{
    static const char *const words[] = {
        [BP_NAMED_BY_ENVIRONMENT] = "is a default of the program's environment",
        [BP_NAMED_BY_VARIABLE] = "BACKPLANE_PROVIDERS names it",
        [BP_NAMED_BY_FILE] = "providers.conf names it",
        [BP_NAMED_BY_AUTO] =
            "nothing names a provider, and this one's device is the machine's processor (auto)",
    };
    uint32_t by = explanation->row.named_by;

    if (!explanation->report || by >= sizeof words / sizeof words[0] || !words[by])
        return;
    put_label(out, "", "listed");
    bp_text_printf_clean(out, "%s\n", words[by]);
}

/* Writes a provider as text: the headline first, then the facts, and what to do about it last. */
void bp_explanation_text(const struct bp_explanation *explanation, struct bp_text *out)
{
    const char *fix = bp_explanation_fix(explanation);

    put_label(out, explanation->row.name, bp_stage_name(explanation->row.stage));
    bp_explanation_headline(explanation, out);
    bp_text_add(out, "\n");
    put_states(out, explanation->row.states);
    if (explanation->row.file) {
        put_label(out, "", "file");
        bp_text_printf_clean(out, "%s\n", explanation->row.file);
    }
    put_named_by(explanation, out);
    put_options(explanation, out);
    if (explanation->row.is_uninterruptible) {
        put_label(out, "", "stops");
        bp_text_add(out, "between its groups only: its nodes look at no deadline and no cancel\n");
    }
    for (uint32_t i = 0; i < explanation->n_refusals && i < REFUSALS_SHOWN; i++)
        put_refusal(explanation, &explanation->refusals[i], out);
    if (explanation->n_refusals > REFUSALS_SHOWN) {
        put_label(out, "", "refused");
        bp_text_printf_clean(out, "and for %u more reasons\n",
                             explanation->n_refusals - REFUSALS_SHOWN);
    }
    if (fix) {
        put_label(out, "", "fix");
        bp_text_printf_clean(out, "%s\n", fix);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_operators(const struct bp_explained_refusal *refusal, struct bp_text *out)
{
    struct bp_operator_count *operators;
    uint32_t n;

    if (!bp_refusal_count_operators(refusal, &operators, &n)) {
        out->failed = true;
        return;
    }
    bp_json_open(out, "operators", '[');
    for (uint32_t i = 0; i < n; i++) {
        bp_json_open(out, NULL, '{');
        bp_json_string(out, "op", operators[i].op);
        bp_json_int(out, "count", operators[i].count);
        bp_json_close(out, '}');
    }
    bp_json_close(out, ']');
    free(operators);
}

/* As put_refusal(), with a key for each part. */
static void json_refusal(const struct bp_explanation *explanation,
                         const struct bp_explained_refusal *refusal, struct bp_text *out)
{
    bp_json_open(out, NULL, '{');
    bp_json_string(out, "reason", bp_reason_name(refusal->reason));
    bp_json_int(out, "count", refusal->count);
    bp_json_string(out, "text", refusal->text);
    json_operators(refusal, out);
    bp_json_open(out, "examples", '[');
    for (uint32_t i = 0; i < BP_EXPLANATION_EXAMPLES && i < refusal->count; i++) {
        bp_report_node node = {.struct_size = sizeof node};

        if (bp_report_get_node(explanation->report, refusal->nodes[i].node, &node, NULL) < 0)
            continue;
        bp_json_open(out, NULL, '{');
        bp_json_string(out, "name", node.name);
        bp_json_string(out, "op", node.op);
        bp_json_string(out, "path", node.path);
        bp_json_string(out, "subject", refusal->nodes[i].subject);
        if (node.stands_for)
            bp_json_string(out, "stands_for", node.stands_for);
        bp_json_close(out, '}');
    }
    bp_json_close(out, ']');
    bp_json_close(out, '}');
}

/*
 * Writes a provider as JSON. All fields are always there, with null for what is unknown, so that
 * readers need no special case.
 */
void bp_explanation_json(const struct bp_explanation *explanation, struct bp_text *out)
{
    const bp_report_provider *row = &explanation->row;
    struct bp_text headline = {0};

    bp_explanation_headline(explanation, &headline);
    bp_json_open(out, NULL, '{');
    bp_json_string(out, "name", row->name);
    bp_json_string(out, "stage", bp_stage_name(row->stage));
    bp_json_string(out, "code", bp_rc_name(row->code));
    bp_json_string(out, "summary", headline.data);
    bp_json_string(out, "fix", bp_explanation_fix(explanation));
    for (uint32_t i = 0; i < 4; i++)
        bp_json_bool(out, state_names[i], row->states & 1u << i);
    bp_json_string(out, "version", row->version);
    bp_json_string(out, "file", row->file);
    bp_json_string(out, "named_by", explanation->report ? bp_named_by_name(row->named_by) : NULL);
    bp_json_bool(out, "uninterruptible", row->is_uninterruptible);
    bp_json_int(out, "claimed", row->n_claimed);
    bp_json_int(out, "costly", row->n_costly);
    bp_json_int(out, "nodes", row->n_nodes);
    bp_json_int(out, "total", explanation->n_total);
    bp_report_put_options(explanation->report, explanation->provider, out);
    bp_json_open(out, "refusals", '[');
    for (uint32_t i = 0; i < explanation->n_refusals; i++)
        json_refusal(explanation, &explanation->refusals[i], out);
    bp_json_close(out, ']');
    bp_json_close(out, '}');
    out->failed |= headline.failed;
    bp_text_finish(&headline);
}

/* ---- which providers ------------------------------------------------------------------------- */

/* One call of bp_explain(): its sources, and the text so far. */
struct explaining {
    bp_env *env;
    const bp_report *report;
    uint32_t format;
    struct bp_text out;
};

/* Appends one provider in the format of the call. */
static void add(struct explaining *e, const struct bp_explanation *explanation)
{
    if (e->format == BP_EXPLAIN_JSON)
        bp_explanation_json(explanation, &e->out);
    else
        bp_explanation_text(explanation, &e->out);
}

/* Appends a provider of the environment, which is opened for this. */
static bp_rc add_found(struct explaining *e, uint32_t i, bp_err *err)
{
    bp_provider_info info = {.struct_size = sizeof info};
    struct bp_explanation explanation = {0};
    bp_rc rc = bp_env_provider_info(e->env, i, &info, err);

    if (rc < 0)
        return rc;
    explanation.row = (bp_report_provider){
        .stage = info.stage,
        .code = info.code,
        .name = info.name,
        .version = info.version,
        .file = info.file,
        .reason = info.reason,
        .fix = info.fix,
        .states = info.states,
    };
    add(e, &explanation);
    return BP_OK;
}

/*
 * Appends a name that the report does not have: that of an installed, a known or an unknown
 * provider.
 */
static bp_rc add_other(struct explaining *e, const char *name, bp_err *err)
{
    char text[768] = "", way[256] = "", short_name[BP_NAME_MAX] = "";
    bp_err own = bp_err_init(text, sizeof text);
    struct bp_explanation explanation = {0};
    uint32_t i;
    bp_rc rc = bp_env_find_provider(e->env, name, &i, &own);

    if (rc >= 0)
        return add_found(e, i, err);
    if (rc != BP_E_UNAVAILABLE || !bp_provider_names_short(name, short_name) ||
        !bp_provider_names_advice(short_name, way, sizeof way))
        return bp_fail(err, rc, "%s", text);
    explanation.row = (bp_report_provider){
        .stage = BP_STAGE_FOUND,
        .code = rc,
        .name = short_name,
        .reason = text,
        .fix = way,
        .states = bp_states_of(short_name, BP_STAGE_FOUND, rc),
    };
    add(e, &explanation);
    return BP_OK;
}

/* Appends a provider of the report. */
static bp_rc add_row(struct explaining *e, uint32_t i, bp_err *err)
{
    struct bp_explanation explanation;
    bp_rc rc = bp_explanation_of_row(&explanation, e->report, i, err);

    if (rc < 0)
        return rc;
    add(e, &explanation);
    bp_explanation_finish(&explanation);
    return BP_OK;
}

/* Does the caller mean this provider, by its name in any spelling or by its file? */
static bp_rc add_named(struct explaining *e, const char *name, bp_err *err)
{
    uint32_t n = e->report ? bp_report_provider_count(e->report) : 0;

    for (uint32_t i = 0; i < n; i++) {
        bp_report_provider row = {.struct_size = sizeof row};
        bp_rc rc = bp_report_get_provider(e->report, i, &row, err);

        if (rc < 0 || bp_provider_names_equal(row.name, name) ||
            (row.file && strcmp(row.file, name) == 0))
            return rc < 0 ? rc : add_row(e, i, err);
    }
    return add_other(e, name, err);
}

/* Without a report all providers of the environment are opened, as by bp_env_probe(). */
static bp_rc add_all(struct explaining *e, bp_err *err)
{
    uint32_t n = 0;
    bp_rc rc = BP_OK;

    if (e->report)
        n = bp_report_provider_count(e->report);
    else
        rc = bp_env_probe(e->env, err);
    if (rc >= 0 && !e->report)
        rc = bp_env_provider_count(e->env, &n, err);
    for (uint32_t i = 0; rc >= 0 && i < n; i++)
        rc = e->report ? add_row(e, i, err) : add_found(e, i, err);
    return rc;
}

/* Appends the groups that run on other providers for some sizes. */
static void add_refused_sizes(struct explaining *e)
{
    uint32_t n = e->report ? bp_report_refused_sizes_count(e->report) : 0;

    for (uint32_t i = 0; i < n; i++) {
        bp_report_refused_sizes row = {.struct_size = sizeof row};
        bp_report_provider provider = {.struct_size = sizeof provider};

        if (bp_report_get_refused_sizes(e->report, i, &row, NULL) < 0 ||
            bp_report_get_provider(e->report, row.provider, &provider, NULL) < 0)
            continue;
        put_label(&e->out, provider.name, "sizes");
        bp_text_printf_clean(&e->out, "does not run %u node%s from '%s' on with %s: %s\n",
                             row.n_nodes, row.n_nodes == 1 ? "" : "s", row.node, row.sizes,
                             row.text);
    }
}

/*
 * Appends declared shapes that don't fit; they concern the session, so not if one provider is asked
 * for.
 */
static void add_mismatches(struct explaining *e)
{
    uint32_t n = e->report ? bp_report_mismatch_count(e->report) : 0;

    if (e->format == BP_EXPLAIN_JSON) {
        bp_report_put_mismatches(e->report, &e->out);
        bp_report_put_refused_sizes(e->report, &e->out);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        bp_report_mismatch row = {.struct_size = sizeof row};

        if (bp_report_get_mismatch(e->report, i, &row, NULL) < 0)
            continue;
        put_label(&e->out, "(model)", "mismatch");
        bp_text_printf_clean(&e->out, "value '%s'%s%s is %s, declared as %s\n", row.value,
                             row.path[0] ? " in " : "", row.path, row.inferred, row.declared);
    }
    add_refused_sizes(e);
}

/* Begins the outer object with the version of its format, for later readers of the file. */
static void open_json(struct explaining *e)
{
    if (e->format != BP_EXPLAIN_JSON)
        return;
    bp_json_open(&e->out, NULL, '{');
    bp_json_string(&e->out, "schema", "explanation/1");
    bp_json_int(&e->out, "format", EXPLAIN_FORMAT);
}

/* Closes the JSON also after a failure: then `out` only has to be freed. */
bp_rc bp_explain(bp_env *env, const bp_report *report, const char *provider, uint32_t format,
                 char **out, bp_err *err)
{
    struct explaining e = {.env = env, .report = report, .format = format};
    bp_rc rc;

    if (!env)
        return bp_fail_null(err, "the environment");
    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (format > BP_EXPLAIN_JSON)
        return bp_fail(err, BP_E_INVALID, "%u is not a format; use a BP_EXPLAIN_* constant",
                       format);
    open_json(&e);
    if (format == BP_EXPLAIN_JSON)
        bp_json_open(&e.out, "providers", '[');
    rc = provider ? add_named(&e, provider, err) : add_all(&e, err);
    if (format == BP_EXPLAIN_JSON)
        bp_json_close(&e.out, ']');
    if (rc >= 0 && !provider)
        add_mismatches(&e);
    if (format == BP_EXPLAIN_JSON) {
        bp_json_close(&e.out, '}');
    } else {
        bp_text_add(&e.out, "");
    }
    if (rc >= 0 && e.out.failed)
        rc = bp_fail_nomem(err, "an explanation");
    if (rc >= 0) {
        *out = e.out.data ? bp_text_take(&e.out) : strdup("");
        if (!*out)
            rc = bp_fail_nomem(err, "an explanation");
    }
    bp_text_finish(&e.out);
    return bp_done(err, rc);
}

/* ---- BACKPLANE_REPORT ------------------------------------------------------------------------ */

/* The name of the file in BACKPLANE_REPORT chooses the format. */
static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), n_end = strlen(end);

    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* Writes the text by one call, so that reports of several threads and processes don't mix. */
static void write_out(const bp_env *env, const char *to, const struct bp_text *text)
{
    bool is_stderr = strcmp(to, "stderr") == 0;
    FILE *file = is_stderr ? stderr : fopen(to, "ae");
    bool ok = file && fwrite(text->data, 1, text->len, file) == text->len;

    if (file && !is_stderr)
        ok = fclose(file) == 0 && ok;
    if (!ok)
        bp_log(&env->log, BP_LOG_WARN, "session", "BACKPLANE_REPORT: %s: %s", to, strerror(errno));
}

/*
 * A failure to write this file is a warning and never a failure of the session, whose results don't
 * depend on it.
 */
void bp_explain_session(bp_env *env, const bp_report *report, const char *error)
{
    const char *to = bp_settings_get(&env->settings, "BACKPLANE_REPORT");
    struct explaining e = {.env = env, .report = report};
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc;

    if (!to)
        return;
    e.format = ends_with(to, ".json") ? BP_EXPLAIN_JSON : BP_EXPLAIN_TEXT;
    open_json(&e);
    if (e.format == BP_EXPLAIN_JSON) {
        bp_json_bool(&e.out, "created", !error);
        bp_json_string(&e.out, "error", error);
        bp_json_open(&e.out, "providers", '[');
    } else {
        bp_text_printf_clean(&e.out, "backplane: session %s%s\n", error ? "failed: " : "created",
                             error ? error : "");
    }
    rc = add_all(&e, &err);
    if (e.format == BP_EXPLAIN_JSON)
        bp_json_close(&e.out, ']');
    add_mismatches(&e);
    if (e.format == BP_EXPLAIN_JSON) {
        bp_json_close(&e.out, '}');
        bp_text_add(&e.out, "\n");
    }
    if (rc < 0 || e.out.failed || !e.out.data)
        bp_log(&env->log, BP_LOG_WARN, "session", "BACKPLANE_REPORT: %s",
               rc < 0 ? text : "no memory for it");
    else
        write_out(env, to, &e.out);
    bp_text_finish(&e.out);
}
