/* SPDX-License-Identifier: MIT */
/* model_api.c - bp_model: what a model is, told without any provider; and plans of one. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "graph/schema.h"
#include "session/contexts.h"
#include "session/session.h"

/* ---- operators in use ------------------------------------------------------------------------ */

/* Rows of one operator and version become neighbours. */
static int by_name(const void *a, const void *b)
{
    const bp_op_info *x = a;
    const bp_op_info *y = b;
    int order = strcmp(x->domain, y->domain);

    if (order == 0)
        order = strcmp(x->op, y->op);
    /* functions of a model may import other versions than the model */
    return order ? order : (x->since > y->since) - (x->since < y->since);
}

/* Nodes of a graph and of all its subgraphs. */
static uint32_t count_nodes(const struct bp_ir *ir)
{
    uint32_t n = ir->n_nodes;

    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        for (uint32_t b = 0; b < ir->nodes[i].n_subgraphs; b++)
            n += count_nodes(ir->nodes[i].subgraphs[b]);
    }
    return n;
}

/* One row a node, from *n on, which is moved; rows has space for count_nodes(). */
static void list_nodes(const struct bp_ir *ir, bp_op_info *rows, uint32_t *n)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        rows[(*n)++] = (bp_op_info){
            .struct_size = sizeof *rows,
            .count = 1,
            .op = node->op,
            .domain = node->domain,
            .opset = node->opset,
            .since = node->schema ? node->schema->since : 0,
        };
        for (uint32_t b = 0; b < node->n_subgraphs; b++)
            list_nodes(node->subgraphs[b], rows, n);
    }
}

/* One row an operator and version of it, sorted; counts added up. */
static bp_rc list_ops(struct bp_model *model, bp_err *err)
{
    uint32_t n = 0;

    model->ops = bp_region_array(&model->region, count_nodes(model->ir), sizeof *model->ops);
    if (!model->ops)
        return bp_fail_nomem(err, "the list of operators");
    list_nodes(model->ir, model->ops, &n);
    qsort(model->ops, n, sizeof *model->ops, by_name);
    for (uint32_t i = 0; i < n; i++) {
        if (model->n_ops > 0 && by_name(&model->ops[model->n_ops - 1], &model->ops[i]) == 0)
            model->ops[model->n_ops - 1].count++;
        else
            model->ops[model->n_ops++] = model->ops[i];
    }
    return BP_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* A model's graph is decoded with the environment's operators, as a session's will be. */
static bp_rc fill(struct bp_model *model, bp_err *err)
{
    bp_rc rc;

    rc = bp_env_custom_table(model->env, NULL, &model->custom, err);
    if (rc >= 0)
        rc = bp_onnx_graph(model->onnx, &(struct bp_onnx_graph_config){.custom = &model->custom},
                           &model->region, &model->symbols, &model->ir, err);
    if (rc >= 0)
        rc = bp_ports_init(&model->ports, model->ir, NULL, &model->symbols, err);
    if (rc >= 0)
        rc = list_ops(model, err);
    return rc;
}

/* Recorded optimisations of ONNX Runtime rest on its kernels and layouts; they say nothing here. */
static void log_unread(const bp_env *env, const struct bp_onnx *onnx)
{
    uint32_t n = bp_onnx_unread_optimizations(onnx);

    if (n > 0)
        bp_log(&env->log, BP_LOG_INFO, "model",
               "the model has %u runtime optimisations that ONNX Runtime recorded for itself; they "
               "are skipped, Backplane has its own passes",
               n);
}

/* Takes over the reference to onnx. */
static bp_rc create(bp_env *env, struct bp_onnx *onnx, bp_model **out, bp_err *err)
{
    struct bp_model *model = calloc(1, sizeof *model);
    bp_rc rc;

    if (!model) {
        bp_onnx_unref(onnx);
        return bp_fail_nomem(err, "a model");
    }
    model->env = env;
    model->onnx = onnx;
    bp_env_hold(env);
    rc = fill(model, err);
    if (rc < 0) {
        bp_model_close(model);
        return rc;
    }
    log_unread(env, onnx);
    *out = model;
    return BP_OK;
}

/*
 * Sources are structs of the application: its size, and either a path or bytes, are checked before
 * use.
 */
static bp_rc check_source(const bp_model_source *from, bp_err *err)
{
    uint32_t least = offsetof(bp_model_source, edits) + sizeof from->edits;

    if (from->struct_size < least)
        return bp_fail(err, BP_E_INVALID, "the struct_size of a model's source is %u, at least %u",
                       from->struct_size, least);
    if (!from->path == !from->bytes)
        return bp_fail(err, BP_E_INVALID, "a model needs either a path or bytes");
    if (from->path && !from->path[0])
        return bp_fail(err, BP_E_INVALID, "the path of the model is empty: name a file");
    for (uint32_t i = 0; i < from->n_weights; i++) {
        if (!from->weights[i].name)
            return bp_fail(err, BP_E_INVALID, "weight %u has no name", i);
    }
    for (uint32_t i = 0; i < from->n_files; i++) {
        if (!from->files[i].name || (!from->files[i].bytes && from->files[i].size > 0))
            return bp_fail(err, BP_E_INVALID, "file %u has no name or no bytes", i);
    }
    return BP_OK;
}

/* The other two functions that open a model are short forms of this one. */
bp_rc bp_model_open_source(bp_env *env, const bp_model_source *source, bp_model **out, bp_err *err)
{
    struct bp_onnx *onnx;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (!env || !source)
        return bp_fail(err, BP_E_INVALID, "a model needs an environment and a source");
    rc = check_source(source, err);
    if (rc >= 0)
        rc = bp_onnx_open_source(source, &onnx, err);
    return bp_done(err, rc < 0 ? rc : create(env, onnx, out, err));
}

/* From a file, with external data beside it. */
bp_rc bp_model_open(bp_env *env, const char *path, bp_model **out, bp_err *err)
{
    bp_model_source source = {.struct_size = sizeof source, .path = path};

    return bp_model_open_source(env, &source, out, err);
}

/*
 * The bytes are borrowed until the model and its sessions are gone; dir is where external data
 * lies.
 */
bp_rc bp_model_open_memory(bp_env *env, const void *bytes, size_t size, const char *dir,
                           bp_model **out, bp_err *err)
{
    bp_model_source source = {
        .struct_size = sizeof source, .bytes = bytes, .size = size, .dir = dir};

    return bp_model_open_source(env, &source, out, err);
}

/* Providers have no part in it: what is saved is the model as it was opened. */
bp_rc bp_model_save(const bp_model *model, const bp_model_sink *sink, bp_err *err)
{
    if (!model || !sink || sink->struct_size < sizeof *sink || !sink->write)
        return bp_fail(err, BP_E_INVALID,
                       "saving needs a model and a sink with struct_size and write");
    if (sink->format > BP_MODEL_FORMAT_ORT)
        return bp_fail(err, BP_E_INVALID,
                       "a model cannot be saved in format %u; set BP_MODEL_FORMAT_ONNX or "
                       "BP_MODEL_FORMAT_ORT",
                       sink->format);
    return bp_done(err, bp_onnx_save(model->onnx, sink, err));
}

/* Sessions keep references of their own to the model's bytes. */
void bp_model_close(bp_model *model)
{
    if (!model)
        return;
    bp_ports_finish(&model->ports);
    if (model->ir)
        bp_ir_finish(model->ir);
    bp_symbols_finish(&model->symbols);
    bp_region_finish(&model->region);
    bp_custom_table_finish(&model->custom);
    bp_onnx_unref(model->onnx);
    bp_env_release(model->env);
    free(model);
}

/* ---- reading --------------------------------------------------------------------------------- */

/*
 * Sizes and texts come from the file, counts from the graph with functions in place of their calls.
 */
bp_rc bp_model_get_info(const bp_model *model, bp_model_info *out, bp_err *err)
{
    bp_model_info own = {0};

    if (!model)
        return bp_fail_null(err, "the model");
    if (!out)
        return bp_fail_null(err, "the struct for the facts");
    bp_onnx_info(model->onnx, &own);
    own.struct_size = sizeof own;
    own.n_inputs = model->ports.n_inputs;
    own.n_outputs = model->ports.n_outputs;
    own.n_nodes = count_nodes(model->ir);
    own.n_ops = model->n_ops;
    return bp_done(err, bp_give_out(out, &own, err));
}

/* Row i of inputs or outputs, copied as far as the caller's struct_size goes. */
static bp_rc give_port(const bp_io_info *rows, uint32_t n, const char *what, uint32_t i,
                       bp_io_info *out, bp_err *err)
{
    if (i >= n)
        return bp_fail(err, BP_E_INVALID, "the model has %u %ss, there is no %s %u", n, what, what,
                       i);
    return bp_give_out(out, &rows[i], err);
}

bp_rc bp_model_input(const bp_model *model, uint32_t i, bp_io_info *out, bp_err *err)
{
    if (!model)
        return bp_fail_null(err, "the model");
    return bp_done(err,
                   give_port(model->ports.inputs, model->ports.n_inputs, "input", i, out, err));
}

bp_rc bp_model_output(const bp_model *model, uint32_t i, bp_io_info *out, bp_err *err)
{
    if (!model)
        return bp_fail_null(err, "the model");
    return bp_done(err,
                   give_port(model->ports.outputs, model->ports.n_outputs, "output", i, out, err));
}

/* Rows are sorted by domain, name and version. */
bp_rc bp_model_op(const bp_model *model, uint32_t i, bp_op_info *out, bp_err *err)
{
    if (!model)
        return bp_fail_null(err, "the model");
    if (i >= model->n_ops)
        return bp_fail(err, BP_E_INVALID, "the model has %u operators, there is no operator %u",
                       model->n_ops, i);
    return bp_done(err, bp_give_out(out, &model->ops[i], err));
}

const char *bp_model_opset(const bp_model *model, uint32_t i, int64_t *version)
{
    if (!model)
        return NULL;
    return bp_onnx_opset(model->onnx, i, version);
}

const char *bp_model_metadata(const bp_model *model, uint32_t i, const char **value)
{
    if (!model)
        return NULL;
    return bp_onnx_metadata(model->onnx, i, value);
}

const char *bp_model_external(const bp_model *model, uint32_t i)
{
    if (!model)
        return NULL;
    return bp_onnx_external(model->onnx, i);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* An engine that only knows what providers would take, or one whose programs were saved. */
static bp_rc make_engine(bp_env *env, const bp_model *model, const bp_session_options *options,
                         bool saves_programs, bool writes_graph, bool open_defaults,
                         struct bp_engine **out, bool *has_fixed, bp_err *err)
{
    struct bp_session_options own;
    struct bp_engine_config config;
    bp_rc rc = bp_session_options_copy(&own, options, err);

    *out = NULL;
    if (rc >= 0) {
        config = bp_session_options_engine_config(&own);
        config.claims_only = !saves_programs;
        config.saves_programs = saves_programs;
        config.writes_graph = writes_graph;
        config.open_defaults = open_defaults;
        *has_fixed = own.fixed.count > 0;
        rc = bp_engine_create(env, model->onnx, &config, out, err);
    }
    bp_session_options_finish(&own);
    return rc;
}

static bp_rc plan(bp_env *env, const bp_model *model, const bp_session_options *options,
                  bool writes_graph, bool open_defaults, struct bp_engine **out, bp_err *err)
{
    bool has_fixed;

    return make_engine(env, model, options, false, writes_graph, open_defaults, out, &has_fixed,
                       err);
}

/* The report outlives the engine: it becomes the caller's. */
static bp_report *take_report(struct bp_engine *engine)
{
    bp_report *report = engine->report;

    engine->report = NULL;
    return report;
}

/* Everything that a session would do up to compiling; the engine is not kept. */
bp_rc bp_plan_create(bp_env *env, bp_model *model, const bp_session_options *options,
                     bp_report **out, bp_err *err)
{
    struct bp_engine *engine = NULL;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (!env || !model)
        return bp_fail(err, BP_E_INVALID, "a plan needs an environment and a model");
    rc = plan(env, model, options, false, false, &engine, err);
    if (rc >= 0)
        *out = take_report(engine);
    bp_engine_destroy(engine);
    return bp_done(err, rc);
}

/*
 * The optimised graph of a plan's engine, written as a model again. Nodes and values lie in the
 * engine's region, which therefore outlives the engine here.
 */
bp_rc bp_model_optimize(bp_env *env, bp_model *model, const bp_session_options *options,
                        uint32_t flags, bp_model **out, bp_report **report, bp_err *err)
{
    struct bp_engine *engine = NULL;
    struct bp_region region = {0};
    struct bp_onnx *onnx = NULL;
    bp_report *told = NULL;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (report)
        *report = NULL;
    if (!env || !model)
        return bp_fail(err, BP_E_INVALID, "optimising needs an environment and a model");
    if (flags & ~(uint32_t)BP_OPTIMIZE_KEEP_DEFAULTS)
        return bp_fail(err, BP_E_INVALID, "flags 0x%x of bp_model_optimize() have no meaning",
                       flags);
    rc = plan(env, model, options, true, flags & BP_OPTIMIZE_KEEP_DEFAULTS, &engine, err);
    if (rc >= 0) { /* what the engine's graph is made of outlives it */
        region = engine->region;
        engine->region = (struct bp_region){0};
        rc = bp_onnx_rebuild(model->onnx, engine->ir, NULL, &region, &onnx, err);
    }
    if (rc >= 0)
        told = take_report(engine);
    bp_engine_destroy(engine); /* before what its graph is made of may go */
    bp_region_finish(&region);
    if (rc >= 0)
        rc = create(env, onnx, out, err);
    if (rc < 0 || !report) {
        bp_report_destroy(told);
        return bp_done(err, rc);
    }
    *report = told;
    return bp_done(err, rc);
}

/* As above, with programs: what the new graph is made of outlives the engine. */
static bp_rc write_programs(struct bp_engine *engine, const bp_context_config *config,
                            bool has_fixed, struct bp_onnx **out, uint32_t *n_programs, bp_err *err)
{
    struct bp_region region = engine->region;
    bp_rc rc;

    engine->region = (struct bp_region){0};
    rc = bp_engine_write_contexts(engine, config, has_fixed, &region, out, n_programs, err);
    bp_engine_destroy(engine);
    bp_region_finish(&region);
    return rc;
}

bp_rc bp_model_compile(bp_env *env, bp_model *model, const bp_session_options *options,
                       const bp_context_config *config, bp_model **out, uint32_t *n_programs,
                       bp_report **report, bp_err *err)
{
    bp_context_config own = {.flags = BP_CONTEXT_EMBED};
    struct bp_engine *engine = NULL;
    struct bp_onnx *onnx = NULL;
    bp_report *told = NULL;
    bool has_fixed = false;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    if (!n_programs)
        return bp_fail_null(err, "the number of programs");
    *out = NULL;
    *n_programs = 0;
    if (report)
        *report = NULL;
    if (!env || !model)
        return bp_fail(err, BP_E_INVALID, "compiling needs an environment and a model");
    if (config)
        bp_copy_in(&own, sizeof own, config);
    if (own.flags & ~(uint32_t)BP_CONTEXT_EMBED)
        return bp_fail(err, BP_E_INVALID, "flags 0x%x of bp_model_compile() have no meaning",
                       own.flags);
    rc = make_engine(env, model, options, true, false, false, &engine, &has_fixed, err);
    if (rc < 0)
        return rc;
    told = take_report(engine);
    rc = write_programs(engine, &own, has_fixed, &onnx, n_programs, err);
    if (rc >= 0 && onnx)
        rc = create(env, onnx, out, err);
    if (rc < 0 || !report) {
        bp_report_destroy(told);
        return bp_done(err, rc);
    }
    *report = told;
    return bp_done(err, rc);
}
