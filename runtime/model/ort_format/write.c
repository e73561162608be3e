/* SPDX-License-Identifier: MIT */
/*
 * write.c - a model's graph in ONNX Runtime's own format (.ort).
 *
 * Unlike ONNX, the format has the type of every value and the edges of every node, so shapes are
 * inferred first.
 */

#include "config.h"

#include "model/ort_format/write.h"

#include "graph/infer.h"
#include "model/ort_format/writer.h"

/* ---- what is known of values ----------------------------------------------------------------- */

/* Inferred facts; when inference fails, what the model declares. NULL: no memory. */
static const struct bp_fact *find_facts(struct bp_ort_writer *w, const struct bp_ir *ir,
                                        const struct bp_fact *outer, const struct bp_fact *inputs)
{
    char text[256];
    bp_err own = bp_err_init(text, sizeof text);
    struct bp_fact *facts = NULL;
    bp_rc rc = bp_infer_start(ir, outer, &w->symbols, &w->region, &facts, &own);

    if (rc < 0)
        return NULL;
    for (uint32_t i = 0; inputs && i < ir->n_inputs; i++) {
        if (bp_fact_is_blank(&facts[ir->inputs[i]]))
            facts[ir->inputs[i]] = inputs[i];
    }
    if (bp_infer_run(ir, NULL, 0, facts, &w->symbols, &w->region, &own) >= 0)
        return facts;
    for (uint32_t v = 0; v < ir->n_values; v++) {
        if (!bp_fact_is_blank(&ir->values[v].declared))
            facts[v] = ir->values[v].declared;
    }
    return facts;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Constants that a node reads, and defaults of inputs; not what a subgraph captures. */
static bool is_written(const struct bp_ir_value *value, bool is_used)
{
    bool is_default = value->flags & BP_IR_DEFAULTED && !(value->flags & BP_IR_CONSTANT);

    return value->data && !(value->flags & BP_IR_CAPTURED) &&
           (is_default || (is_used && value->flags & BP_IR_CONSTANT));
}

/* External data is loaded: the format has all data inside. */
static bp_rc put_initializers(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir,
                              const bool *used)
{
    uint32_t n = 0, first;

    for (uint32_t v = 0; v < ir->n_values; v++)
        n += is_written(&ir->values[v], used[v]);
    first = bp_flat_put_list(&w->out, at, n, 4);
    for (uint32_t v = 0; v < ir->n_values; v++) {
        const struct bp_ir_value *value = &ir->values[v];
        bp_rc rc;

        if (!is_written(value, used[v]))
            continue;
        rc = bp_ir_data_load(value->data, w->err);
        if (rc < 0)
            return bp_fail_in(w->err, rc, "initializer '%.80s'", value->name);
        bp_ort_put_tensor(w, first, value->name, value->data->dtype, value->data->dims,
                          value->data->rank, value->data->bytes, value->data->size);
        first += 4;
    }
    return BP_OK;
}

/* Does a node leave out an input or output? Then the list of values needs one without a name. */
static bool has_absent(const struct bp_ir *ir)
{
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];

        for (uint32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] == BP_NONE)
                return true;
        }
        for (uint32_t i = 0; i < node->n_out; i++) {
            if (node->out[i] == BP_NONE)
                return true;
        }
    }
    return false;
}

/* Every value that a node, input or output refers to has an entry. */
static bool is_named(const struct bp_ir_value *value, bool is_used)
{
    return is_used || value->producer != BP_NONE || value->flags & (BP_IR_INPUT | BP_IR_OUTPUT);
}

/* NodeArgs: one for each value, with its type if known. */
static void put_values(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir,
                       const struct bp_fact *facts, const bool *used)
{
    bool absent = has_absent(ir);
    uint32_t n = absent, first;

    for (uint32_t v = 0; v < ir->n_values; v++)
        n += is_named(&ir->values[v], used[v]);
    first = bp_flat_put_list(&w->out, at, n, 4);
    for (uint32_t v = 0; v < ir->n_values; v++) {
        if (!is_named(&ir->values[v], used[v]))
            continue;
        bp_ort_put_value(w, first, ir->values[v].name, &facts[v]);
        first += 4;
    }
    if (absent)
        bp_ort_put_value(w, first, "", NULL);
}

/* Graph inputs or outputs, as a list of names. */
static void put_value_names(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir,
                            const uint32_t *list, uint32_t n)
{
    uint32_t first = bp_flat_put_list(&w->out, at, n, 4);

    for (uint32_t i = 0; i < n; i++)
        bp_ort_put_string(w, first + i * 4, ir->values[list[i]].name);
}

/* Recursive; at most BP_MAX_SUBGRAPH_DEPTH deep. */
bp_rc bp_ort_put_graph(struct bp_ort_writer *w, uint32_t at, struct bp_ir *ir,
                       const struct bp_fact *outer, const struct bp_fact *inputs)
{
    struct bp_flat_slot slots[] = {bp_ort_child(&bp_ort_graph_initializers),
                                   bp_ort_child(&bp_ort_graph_args),
                                   bp_ort_child(&bp_ort_graph_nodes),
                                   bp_ort_scalar(&bp_ort_graph_max_node, 4, ir->n_nodes),
                                   bp_ort_child(&bp_ort_graph_edges),
                                   bp_ort_child(&bp_ort_graph_inputs),
                                   bp_ort_child(&bp_ort_graph_outputs)};
    const struct bp_fact *facts = find_facts(w, ir, outer, inputs);
    const bool *used = bp_write_find_used(&w->region, ir);
    bp_rc rc;

    if (!facts || !used)
        return bp_fail_nomem(w->err, "the written graph");
    bp_flat_put_table(&w->out, at, slots, sizeof slots / sizeof *slots);
    put_value_names(w, slots[5].at, ir, ir->inputs, ir->n_inputs);
    put_value_names(w, slots[6].at, ir, ir->outputs, ir->n_outputs);
    put_values(w, slots[1].at, ir, facts, used);
    bp_ort_put_edges(w, slots[4].at, ir);
    rc = put_initializers(w, slots[0].at, ir, used);
    return rc < 0 ? rc : bp_ort_put_nodes(w, slots[2].at, ir, facts);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Tables of two fields, of which the first is a string: imports and metadata. */
/* Imports of version 0 are kept, because a file must import something. */
static void put_imports(struct bp_ort_writer *w, uint32_t at, const struct bp_writer *imports)
{
    uint32_t first = bp_flat_put_list(&w->out, at, imports->n_imports, 4);

    for (uint32_t i = 0; i < imports->n_imports; i++) {
        const struct bp_import *import = &imports->imports[i];
        struct bp_flat_slot slots[] = {bp_ort_child(&bp_ort_import_domain),
                                       bp_ort_scalar(&bp_ort_import_version, 8, import->version)};

        bp_flat_put_table(&w->out, first + i * 4, slots, 2);
        bp_ort_put_string(w, slots[0].at, import->domain);
    }
}

static void put_metadata(struct bp_ort_writer *w, uint32_t at, const struct bp_onnx *onnx)
{
    const char *key, *value;
    uint32_t n = 0, first;

    while (bp_onnx_metadata(onnx, n, &value))
        n++;
    first = bp_flat_put_list(&w->out, at, n, 4);
    for (uint32_t i = 0; i < n; i++) {
        struct bp_flat_slot slots[] = {bp_ort_child(&bp_ort_entry_key),
                                       bp_ort_child(&bp_ort_entry_value)};

        key = bp_onnx_metadata(onnx, i, &value);
        bp_flat_put_table(&w->out, first + i * 4, slots, 2);
        bp_ort_put_string(w, slots[0].at, key);
        bp_ort_put_string(w, slots[1].at, value);
    }
}

static bp_rc put_model(struct bp_ort_writer *w, uint32_t at, const struct bp_onnx *onnx,
                       struct bp_ir *ir)
{
    const Bp__ModelProto *proto = onnx->proto;
    struct bp_flat_slot slots[] = {
        bp_ort_scalar(&bp_ort_model_ir_version, 8, (uint64_t)proto->ir_version),
        bp_ort_child(&bp_ort_model_imports),
        bp_ort_child(&bp_ort_model_producer),
        bp_ort_child(&bp_ort_model_producer_version),
        bp_ort_child(&bp_ort_model_domain),
        bp_ort_scalar(&bp_ort_model_version, 8, (uint64_t)proto->model_version),
        bp_ort_child(&bp_ort_model_doc),
        bp_ort_child(&bp_ort_model_graph),
        bp_ort_child(&bp_ort_model_metadata)};
    struct bp_writer imports = {.onnx = onnx, .err = w->err};
    bp_rc rc = bp_write_imports(&imports, ir, w->err);

    if (rc >= 0) {
        bp_flat_put_table(&w->out, at, slots, sizeof slots / sizeof *slots);
        put_imports(w, slots[1].at, &imports);
        bp_ort_put_string(w, slots[2].at, bp_text_or_empty(proto->producer_name));
        bp_ort_put_string(w, slots[3].at, bp_text_or_empty(proto->producer_version));
        bp_ort_put_string(w, slots[4].at, bp_text_or_empty(proto->domain));
        bp_ort_put_string(w, slots[6].at, bp_text_or_empty(proto->doc_string));
        put_metadata(w, slots[8].at, onnx);
        rc = bp_ort_put_graph(w, slots[7].at, ir, NULL, NULL);
    }
    bp_region_finish(&imports.region);
    return rc;
}

/* The root table, InferenceSession: the format's version as text, and the model. */
static bp_rc put_session(struct bp_ort_writer *w, const struct bp_onnx *onnx, struct bp_ir *ir)
{
    static const char version[] = {'0' + BP_ORT_VERSION_WRITTEN, '\0'};
    struct bp_flat_slot slots[] = {bp_ort_child(&bp_ort_session_version),
                                   bp_ort_child(&bp_ort_session_model)};

    bp_flat_begin(&w->out, BP_ORT_IDENTIFIER);
    bp_flat_put_table(&w->out, 0, slots, 2);
    bp_ort_put_string(w, slots[0].at, version);
    return put_model(w, slots[1].at, onnx, ir);
}

/* Functions are inlined and Constant nodes are initializers in the written graph. */
bp_rc bp_ort_write(const struct bp_onnx *onnx, const bp_model_sink *sink, bp_err *err)
{
    struct bp_ort_writer w = {.err = err};
    struct bp_ir *ir = NULL;
    bp_rc rc = bp_onnx_graph(onnx, &(struct bp_onnx_graph_config){.open_defaults = true}, &w.region,
                             &w.symbols, &ir, err);

    if (rc >= 0) {
        rc = put_session(&w, onnx, ir);
        if (rc >= 0)
            rc = bp_flat_end(&w.out, sink->begin, sink->write, sink->user, err);
        if (rc < 0)
            rc = bp_fail_in(err, rc, "%s", onnx->name);
    }
    bp_ir_finish(ir);
    bp_flat_finish(&w.out);
    bp_region_finish(&w.region);
    bp_symbols_finish(&w.symbols);
    return rc;
}
