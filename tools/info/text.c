/* SPDX-License-Identifier: MIT */
/* text.c - what a model holds, in tables. */

#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "info/info.h"
#include "lib/table.h"
#include "lib/text.h"

static bp_rc print_ios(const struct cli *cli, const struct info *s, bool outputs, bp_err *err)
{
    uint32_t n = outputs ? s->info.n_outputs : s->info.n_inputs;
    struct table table = {.columns = 3};
    struct bp_text type = {0};
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        bp_io_info io = {.struct_size = sizeof io};

        rc = outputs ? bp_model_output(s->model, i, &io, err)
                     : bp_model_input(s->model, i, &io, err);
        if (rc < 0)
            break;
        text_clear(&type);
        text_type(&type, &io);
        table_add(&table, io.name);
        table_add(&table, text_string(&type));
        table_add_styled(&table, STYLE_DIM, io.flags & BP_IO_OPTIONAL ? "has a default" : "");
    }
    if (rc >= 0 && n > 0) {
        printf("%s%s%s\n", cli_style(cli->colour, STYLE_BOLD), outputs ? "outputs" : "inputs",
               cli_style(cli->colour, STYLE_PLAIN));
        table_print(&table, cli, 2, false);
    }
    table_finish(&table);
    text_finish(&type);
    return rc;
}

/* Facts that the model leaves open have no row. */
static void add_fact(struct table *table, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    table_add_styled(table, STYLE_BOLD, name);
    table_add(table, value);
}

/* Names come from the model; table_add() takes control characters out of them. */
static void print_facts(const struct cli *cli, const struct info *s)
{
    const bp_model_info *info = &s->info;
    struct table table = {.columns = 2};
    struct bp_text text = {0};
    const char *domain;
    int64_t version;

    add_fact(&table, "model", s->path);
    if (info->format == BP_MODEL_FORMAT_ORT) {
        text_printf(&text, "ONNX Runtime's own (.ort), version %u", info->format_version);
        add_fact(&table, "format", text_string(&text));
        text_clear(&text);
    }
    add_fact(&table, "graph", info->graph_name);
    text_printf(&text, "%s%s%s", info->producer ? info->producer : "",
                info->producer_version && *info->producer_version ? " " : "",
                info->producer_version ? info->producer_version : "");
    add_fact(&table, "producer", text_string(&text));
    add_fact(&table, "domain", info->domain);
    add_fact(&table, "about", info->doc);
    table_add_styled(&table, STYLE_BOLD, "version");
    table_addf(&table, "%" PRId64 ", IR %" PRId64, info->model_version, info->ir_version);
    text_clear(&text);
    for (uint32_t i = 0; (domain = bp_model_opset(s->model, i, &version)) != NULL; i++)
        text_printf(&text, "%s%s %" PRId64, i ? ", " : "", *domain ? domain : "ai.onnx", version);
    add_fact(&table, "operator sets", text_string(&text));
    text_clear(&text);
    text_bytes(&text, info->file_bytes);
    add_fact(&table, "file", text_string(&text));
    text_clear(&text);
    text_printf(&text, "%" PRIu64 " tensors, ", info->n_weights);
    text_bytes(&text, info->weight_bytes);
    add_fact(&table, "weights", text_string(&text));
    text_clear(&text);
    if (info->n_functions)
        text_printf(&text, "%" PRIu64 ", put in place of their calls", info->n_functions);
    add_fact(&table, "functions", text_string(&text));
    table_print(&table, cli, 0, false);
    table_finish(&table);
    text_finish(&text);
}

/* Unknown operators are not an error here: a plug-in may know them. */
static bp_rc print_ops(const struct cli *cli, const struct info *s, bp_err *err)
{
    struct table table = {.columns = 4, .right = 1u << 0};
    uint32_t unknown = 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < s->info.n_ops; i++) {
        bp_op_info op = {.struct_size = sizeof op};

        rc = bp_model_op(s->model, i, &op, err);
        if (rc < 0)
            break;
        unknown += op.since == 0;
        table_addf(&table, "%" PRIu32, op.count);
        table_addf(&table, "%s%s%s", op.domain, *op.domain ? "." : "", op.op);
        if (op.since)
            table_addf(&table, "since %" PRIu32, op.since);
        else
            table_add(&table, "");
        table_add_styled(&table, STYLE_RED, op.since ? "" : "not known");
    }
    if (rc >= 0) {
        printf("%s%" PRIu32 " nodes of %" PRIu32 " operators%s\n",
               cli_style(cli->colour, STYLE_BOLD), s->info.n_nodes, s->info.n_ops,
               cli_style(cli->colour, STYLE_PLAIN));
        table_print(&table, cli, 2, false);
        if (unknown)
            printf("%s%" PRIu32 " operator%s not known: only a provider that knows %s can run "
                   "this model%s\n",
                   cli_style(cli->colour, STYLE_RED), unknown, unknown == 1 ? " is" : "s are",
                   unknown == 1 ? "it" : "them", cli_style(cli->colour, STYLE_PLAIN));
    }
    table_finish(&table);
    return rc;
}

/* Metadata and external files. */
static void print_rest(const struct cli *cli, const struct info *s)
{
    struct table table = {.columns = 2};
    const char *key, *value;

    if (s->info.n_external)
        printf("%sexternal files%s\n", cli_style(cli->colour, STYLE_BOLD),
               cli_style(cli->colour, STYLE_PLAIN));
    for (uint32_t i = 0; (key = bp_model_external(s->model, i)) != NULL; i++) {
        table_add(&table, key);
        table_add(&table, "");
    }
    table_print(&table, cli, 2, false);
    table_finish(&table);
    if (s->info.n_metadata)
        printf("%smetadata%s\n", cli_style(cli->colour, STYLE_BOLD),
               cli_style(cli->colour, STYLE_PLAIN));
    for (uint32_t i = 0; (key = bp_model_metadata(s->model, i, &value)) != NULL; i++) {
        table_add(&table, key);
        table_add(&table, value);
    }
    table_print(&table, cli, 2, false);
    table_finish(&table);
}

bp_rc info_text(const struct cli *cli, const struct info *s, bp_err *err)
{
    bp_rc rc;

    print_facts(cli, s);
    rc = print_ios(cli, s, false, err);
    if (rc >= 0)
        rc = print_ios(cli, s, true, err);
    if (rc >= 0)
        rc = print_ops(cli, s, err);
    if (rc >= 0)
        print_rest(cli, s);
    return rc;
}
