/* SPDX-License-Identifier: MIT */
/*
 * run_passes.c - what the optimiser needs of a session: which provider takes a node, and the values
 * of constant expressions.
 */

#include "config.h"

#include "session/run_passes.h"

#include <stdlib.h>

#include "compile/missing.h"
#include "custom/provider.h"
#include "exec/control/table.h"
#include "optimize/optimize.h"
#include "plan/apply_placement.h"
#include "plan/make_partition.h"
#include "text/text.h"

/* The default level; bp_session_options_set_optimization() overrides it. */
enum { DEFAULT_LEVEL = BP_OPTIMIZE_EXTENDED };

/* ---- who takes a node ------------------------------------------------------------------------ */

/* Lists the engine's providers as a partition needs them, in the region. NULL: no memory. */
static struct bp_asked *list_asked(const struct bp_provider_list *providers,
                                   struct bp_region *region)
{
    struct bp_asked *asked = bp_region_array(region, providers->count, sizeof *asked);

    for (uint32_t i = 0; asked && i < providers->count; i++) {
        const struct bp_active *active = providers->active[i];

        asked[i] = (struct bp_asked){
            .provider = active->provider,
            .instance = active->instance,
            .name = active->name,
            .runs_custom = active->provider == &bp_custom_provider,
            .refused = active->refused,
            .devices = active->devices,
            .n_devices = active->n_devices,
        };
    }
    return asked;
}

/*
 * Finds which provider takes each node of a graph, asking `count` providers from `first` on: out[n]
 * is the provider's index in the engine's list, or BP_NONE. A provider that fails to answer is an
 * error.
 */
static bp_rc ask(const struct bp_engine *engine, struct bp_ir *ir, const struct bp_fact *facts,
                 struct bp_symbols *symbols, const struct bp_placement *placement, uint32_t first,
                 uint32_t count, struct bp_region *region, uint32_t *out, bp_err *err)
{
    struct bp_asked *asked = list_asked(&engine->providers, region);
    struct bp_ask_failure *failed = bp_region_array(region, count, sizeof *failed);
    struct bp_partition part = {0};
    bp_rc rc;

    if (!asked || !failed)
        return bp_fail_nomem(err, "the partition");
    rc = bp_partition_create_with_placement(ir, facts, symbols, asked + first, count, placement,
                                            region, &part, failed, err);
    for (uint32_t i = 0; rc >= 0 && i < count; i++)
        rc = failed[i].rc;
    for (uint32_t n = 0; rc >= 0 && n < ir->n_nodes; n++)
        out[n] = part.provider_of[n] < BP_BY_NONE ? first + part.provider_of[n] : BP_NONE;
    return rc;
}

/* bp_optimizer.takers: asks all providers, or the one in `only`. */
static bp_rc takers(void *h, struct bp_ir *ir, const struct bp_fact *facts,
                    struct bp_symbols *symbols, uint32_t only, uint32_t *out, bp_err *err)
{
    const struct bp_engine *engine = h;
    bool is_one = only != BP_NONE;
    struct bp_region region = {0};
    bp_rc rc = ask(engine, ir, facts, symbols, NULL, is_one ? only : 0,
                   is_one ? 1 : engine->providers.count, &region, out, err);

    bp_region_finish(&region);
    return rc;
}

bp_rc bp_engine_takers(const struct bp_engine *engine, const struct bp_engine_config *config,
                       struct bp_ir *ir, const char *path, const struct bp_fact *facts,
                       struct bp_symbols *symbols, uint32_t *out, bp_err *err)
{
    const struct bp_placement placement = {config->placements, engine->has_matched, path};
    struct bp_region region = {0};
    bp_rc rc = ask(engine, ir, facts, symbols, config->placements ? &placement : NULL, 0,
                   engine->providers.count, &region, out, err);

    bp_region_finish(&region);
    return rc;
}

/* bp_optimizer.is_cpu */
static bool is_cpu(void *h, uint32_t taker)
{
    const struct bp_engine *engine = h;

    return taker < engine->providers.count &&
           bp_provider_names_equal(engine->providers.active[taker]->name, "cpu");
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Makes a provider list of CPU alone, with a report that is not kept. */
struct alone {
    struct bp_active cpu;
    struct bp_active *active[1];
    struct bp_provider_list providers;
    bp_report *report;
};

/* Borrows the engine's CPU instance; false: it has none. */
static bool find_cpu(const struct bp_engine *engine, struct alone *out)
{
    for (uint32_t i = 0; i < engine->providers.count; i++) {
        if (!bp_provider_names_equal(engine->providers.active[i]->name, "cpu"))
            continue;
        out->cpu = *engine->providers.active[i];
        out->cpu.row = 0;
        out->cpu.refused = NULL; /* those are of the engine's graph */
        out->active[0] = &out->cpu;
        out->providers = (struct bp_provider_list){
            .env = engine->providers.env, .active = out->active, .count = 1};
        return true;
    }
    return false;
}

/*
 * Compiles a graph of constant nodes for CPU. BP_E_UNSUPPORTED: CPU has no kernel for one of them.
 */
static bp_rc make_subgraph(struct alone *alone, struct bp_ir *ir, struct bp_subgraph **out,
                           bp_err *err)
{
    struct bp_missing missing = {0};
    struct bp_text words = {0};
    struct bp_subgraph_maker maker = {.find_host_op = bp_host_op_find,
                                      .providers = &alone->providers,
                                      .symbols = ir->symbols,
                                      .report = alone->report,
                                      .missing = &missing,
                                      .failed = BP_NONE};
    bp_report_provider row = {.struct_size = sizeof row, .name = "cpu"};
    uint32_t index;
    bp_rc rc = bp_report_add_provider(alone->report, &row, &index, err);

    if (rc >= 0)
        rc = bp_subgraph_create(&maker, ir, NULL, NULL, "", out, err);
    if (rc >= 0 && missing.n_nodes > 0) {
        bp_missing_write(&missing, &words);
        rc = bp_fail(err, BP_E_UNSUPPORTED, "%s", words.data ? words.data : "no kernel");
    }
    bp_text_finish(&words);
    bp_missing_finish(&missing);
    return rc;
}

/* Lets the run write to the buffers in which the results are wanted. */
static bp_binding *want(struct bp_frame_state *frame, const struct bp_ir *ir,
                        struct bp_ir_data *const *results, struct bp_region *region)
{
    bp_binding *bindings = bp_region_array(region, ir->n_outputs, sizeof *bindings);

    for (uint32_t i = 0; bindings && i < ir->n_outputs; i++) {
        const struct bp_ir_data *data = results[i];

        bindings[i].tensor = (bp_tensor){
            .base = (void *)(uintptr_t)data->bytes,
            .bytes = data->size,
            .dims = bp_region_array(region, data->rank, sizeof(int64_t)),
            .rank = data->rank,
            .dtype = data->dtype,
        };
        if (!bindings[i].tensor.dims)
            return NULL;
        frame->wanted[ir->outputs[i]] = &bindings[i];
    }
    return bindings;
}

/* Copies results that the run put elsewhere, if they have the expected type and size. */
static bp_rc settle(const struct bp_frame_state *frame, const struct bp_ir *ir,
                    struct bp_ir_data *const *results, bp_err *err)
{
    for (uint32_t i = 0; i < ir->n_outputs; i++) {
        const struct bp_cell *cell = &frame->cells[ir->outputs[i]];
        const struct bp_ir_data *data = results[i];

        if (cell->dtype != data->dtype || cell->rank != data->rank || cell->bytes != data->size ||
            !bp_same_dims(cell->dims, data->dims, cell->rank))
            return bp_fail(err, BP_E_INTERNAL, "'%s' has another shape than was inferred",
                           ir->values[ir->outputs[i]].name);
        if (cell->base != data->bytes && data->size > 0)
            memmove((void *)(uintptr_t)data->bytes, cell->base, data->size);
    }
    return BP_OK;
}

/* Runs once with a frame of its own: constants are folded once, so the frame is not kept. */
static bp_rc run(const struct bp_subgraph *subgraph, struct bp_ir *ir,
                 struct bp_ir_data *const *results, bp_err *err)
{
    struct bp_run_shared shared = {0};
    struct bp_region region = {0};
    struct bp_frame_state *frame;
    bp_rc rc = bp_frame_state_create(subgraph, &frame, err);

    if (rc >= 0 && !want(frame, ir, results, &region))
        rc = bp_fail_nomem(err, "the constants of a graph");
    if (rc >= 0)
        rc = bp_subgraph_run(frame, &shared, err);
    if (rc >= 0)
        rc = settle(frame, ir, results, err);
    bp_frame_state_destroy(frame);
    bp_region_finish(&region);
    return rc;
}

/* bp_optimizer.evaluate: computes the outputs of a graph without inputs into `results`. */
static bp_rc evaluate(void *h, struct bp_ir *ir, struct bp_ir_data *const *results, bp_err *err)
{
    struct bp_subgraph *subgraph = NULL;
    struct alone alone = {.report = NULL};
    bp_rc rc;

    if (!find_cpu(h, &alone))
        return bp_fail(
            err, BP_E_UNSUPPORTED,
            "constants are folded by the provider 'cpu', which is not among those of the "
            "session; install it, or the constants stay as they are");
    rc = bp_report_create(&alone.report, err);
    if (rc >= 0)
        rc = make_subgraph(&alone, ir, &subgraph, err);
    if (rc >= 0)
        rc = run(subgraph, ir, results, err);
    bp_subgraph_destroy(subgraph);
    bp_report_destroy(alone.report);
    return rc;
}

/* ---- nodes that must stay -------------------------------------------------------------------- */

/*
 * Placement rules name nodes of the model, so passes must not change the nodes that a rule matches.
 */
static bp_rc pin(struct bp_engine *engine, const struct bp_engine_config *config, bp_err *err)
{
    const struct bp_placement placement = {config->placements, engine->has_matched, ""};
    struct bp_region region = {0};
    const struct bp_asked *asked;
    bp_rc rc;

    if (!config->placements)
        return BP_OK;
    asked = list_asked(&engine->providers, &region);
    rc = asked ? bp_placement_pin(&placement, asked, engine->providers.count, engine->ir, err)
               : bp_fail_nomem(err, "the placement rules");
    bp_region_finish(&region);
    return rc;
}

/*
 * Inputs of a compiled program must be computed by nodes, as they were when it was compiled: if a
 * pass made one a constant, the program would lack an input.
 */
static void pin_inputs(struct bp_ir *ir)
{
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];

        for (uint32_t i = 0; bp_node_is_context(node) && i < node->n_in; i++) {
            uint32_t producer = node->in[i] == BP_NONE ? BP_NONE : ir->values[node->in[i]].producer;

            if (producer != BP_NONE)
                ir->nodes[producer].is_pinned = true;
        }
    }
    for (struct bp_ir *subgraph = ir->first_subgraph; subgraph; subgraph = subgraph->next_subgraph)
        pin_inputs(subgraph);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Returns the level in force: that of the options or, without one, the host's default. */
static uint32_t level_of(const struct bp_engine_config *config)
{
    return config->level == BP_OPTIMIZE_DEFAULT ? DEFAULT_LEVEL : config->level;
}

bool bp_engine_fuses(const struct bp_engine_config *config)
{
    return level_of(config) >= BP_OPTIMIZE_EXTENDED;
}

bool bp_engine_is_optimized(const struct bp_engine_config *config)
{
    return level_of(config) > BP_OPTIMIZE_NONE;
}

/* Adds a row to the report for each pass that was allowed to run, even if it changed nothing. */
static bp_rc report_passes(bp_report *report, const struct bp_optimizer *optimizer, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && bp_pass_at(i); i++) {
        const struct bp_pass *pass = bp_pass_at(i);
        const struct bp_pass_result *result = &optimizer->results[i];
        bp_report_pass row = {
            .level = pass->level,
            .is_exact = pass->keeps == BP_KEEPS_BITS,
            .n_matches = result->n_matches,
            .n_before = result->nodes_before,
            .n_after = result->nodes_after,
            .ns = result->ns,
            .name = pass->name,
            .help = pass->help,
        };

        if (pass->level <= optimizer->level && !(optimizer->disabled >> i & 1))
            rc = bp_report_add_pass(report, &row, err);
    }
    return rc;
}

/*
 * Pins nodes first, so that no pass changes a node that a rule matches, and no provider takes it
 * inside control flow.
 */
bp_rc bp_engine_optimize(struct bp_engine *engine, const struct bp_engine_config *config,
                         bp_err *err)
{
    struct bp_optimizer optimizer = {.level = level_of(config),
                                     .disabled = config->disabled_passes,
                                     .h = engine,
                                     .evaluate = evaluate,
                                     .takers = takers,
                                     .is_cpu = is_cpu};
    bp_rc rc;

    if (bp_engine_is_optimized(config))
        pin_inputs(engine->ir);
    rc = pin(engine, config, err);
    if (rc < 0 || !bp_engine_is_optimized(config))
        return rc;
    rc = bp_optimize(engine->ir, &optimizer, err);
    return rc < 0 ? rc : report_passes(engine->report, &optimizer, err);
}
