/* SPDX-License-Identifier: MIT */
/*
 * engine_create.c - creates an engine: from a model and a config to programs. A provider that fails
 * is dropped where its policy allows, and the work begins again without it.
 */

#include "config.h"

#include "session/engine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "compile/missing.h"
#include "custom/provider.h"
#include "exec/control/table.h"
#include "graph/mismatch.h"
#include "graph/schema_table.h"
#include "graph/without.h"
#include "report/explain.h"
#include "session/channels_last.h"
#include "session/declare.h"
#include "session/open_cache.h"
#include "session/run_passes.h"
#include "session/verdicts.h"
#include "text/text.h"

/* The arguments of one call of the application's progress function. */
struct step {
    bp_progress_fn fn;
    void *user;
    const char *phase;
    double fraction;
};

/* Calls the progress function; runs under bp_guard(), because it may throw. */
static void call_progress(void *u)
{
    const struct step *step = u;

    step->fn(step->user, step->phase, step->fraction);
}

void bp_progress_report(const struct bp_log *log, bp_progress_fn fn, void *user, const char *phase,
                        double fraction)
{
    struct step step = {.fn = fn, .user = user, .phase = phase, .fraction = fraction};
    struct bp_thrown thrown;

    if (fn && !bp_guard(call_progress, &step, &thrown))
        bp_log(log, BP_LOG_WARN, "session", "the progress function threw an exception: %s",
               thrown.text);
}

/* Returns the log for lines about the engine. */
static const struct bp_log *log_of(const struct bp_env *env, const struct bp_engine_config *config)
{
    return config->providers.log ? config->providers.log : &env->log;
}

/* Tells the application's progress function which part of the engine is made, from 0 to 1. */
static void report_progress(const struct bp_env *env, const struct bp_engine_config *config,
                            const char *phase, double fraction)
{
    bp_progress_report(log_of(env, config), config->progress, config->progress_user, phase,
                       fraction);
}

/* Returns the list of declared shapes that differ from the inferred ones. */
static struct bp_mismatches *mismatches_of(const struct bp_engine *engine,
                                           const struct bp_engine_config *config)
{
    return config->mismatches ? config->mismatches : bp_report_mismatches(engine->report);
}

/* Nothing was found that could run a node: says where it was looked for. */
static bp_rc fail_no_provider(const struct bp_engine *engine, bp_err *err)
{
    char *dirs = bp_search_text(&engine->providers.env->registry.search);
    bp_rc rc = bp_fail(err, BP_E_UNAVAILABLE,
                       "no provider was found, not even cpu, so nothing can run; "
                       "looked in %s; install Backplane's plug-ins, or name their directory in "
                       "BACKPLANE_PROVIDER_PATH ('backplane doctor' tells more)",
                       dirs ? dirs : "the search path");

    free(dirs);
    return rc;
}

/* Was a provider found, whatever came of it then? Of one that failed later there is a reason. */
static bool has_provider(const struct bp_engine *engine)
{
    for (uint32_t i = 0; i < bp_report_provider_count(engine->report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(engine->report, i, &row, NULL) >= 0 &&
            row.stage > BP_STAGE_FOUND && strcmp(row.name, bp_custom_provider.name) != 0)
            return true;
    }
    return false;
}

static bp_rc fail_missing(const struct bp_engine *engine, const struct bp_missing *missing,
                          bp_err *err)
{
    struct bp_text words = {0};
    bp_rc rc;

    if (!has_provider(engine))
        return fail_no_provider(engine, err);
    bp_missing_write(missing, &words);
    rc = bp_fail_detail(err, BP_E_UNSUPPORTED, missing->detail, "%s",
                        words.data ? words.data : "no provider takes a node");
    bp_text_finish(&words);
    return rc;
}

/*
 * Returns for how many shapes a frame keeps plans. What grows with each run has few shapes twice, so
 * that many plans would cost memory and be found by no run.
 */
static uint32_t max_plans(const struct bp_engine *engine, const struct bp_engine_config *config)
{
    for (uint32_t i = 0; config->max_shapes == 0 && i < engine->states.count; i++) {
        if (engine->states.rows[i].axis != BP_NONE)
            return BP_FEW_PLANS;
    }
    return config->max_shapes;
}

/*
 * Makes one attempt with the providers that are left. On failure maker->failed is the provider that
 * caused it, or BP_NONE. Operators that no provider takes are collected, so that one error names
 * them all.
 */
static bp_rc try_graph(struct bp_engine *engine, const struct bp_engine_config *config,
                       struct bp_program_cache *cache, struct bp_subgraph_maker *maker, bp_err *err)
{
    struct bp_missing missing = {0};
    bp_rc rc;

    *maker = (struct bp_subgraph_maker){
        .find_host_op = bp_host_op_find,
        .providers = &engine->providers,
        .symbols = &engine->symbols,
        .report = engine->report,
        .placements = config->placements,
        .has_matched = engine->has_matched,
        .memory = &engine->memory,
        .max_plans = max_plans(engine, config),
        .cache = cache,
        .onnx = engine->onnx,
        .saves = config->saves_programs,
        .claims_only = config->claims_only,
        .missing = &missing,
        .failed = BP_NONE,
    };
    bp_report_clear_graphs(engine->report);
    rc = bp_engine_optimize(engine, config, err);
    if (rc >= 0 && !config->writes_graph && !config->saves_programs)
        rc = bp_engine_use_channels_last(engine, config, &maker->n_refused, err);
    if (rc < 0 || maker->n_refused > 0)
        return rc; /* the graph is to be decoded again */
    rc = bp_subgraph_create(maker, engine->ir, NULL, NULL, "", &engine->graph, err);
    if (rc >= 0)
        rc = bp_mismatches_check(mismatches_of(engine, config), err);
    if (rc >= 0 && missing.n_nodes > 0 && !config->claims_only)
        rc = fail_missing(engine, &missing, err);
    bp_missing_finish(&missing);
    return rc;
}

/*
 * Forgets declared shapes, except those of inputs that are not scalars and of outputs of compiled
 * programs: they don't hold for runs that feed a scalar with dimensions.
 */
static void open_scalars(struct bp_ir *ir)
{
    for (uint32_t v = 0; v < ir->n_values; v++) {
        struct bp_ir_value *value = &ir->values[v];

        if (value->producer != BP_NONE && bp_node_is_context(&ir->nodes[value->producer]))
            continue;
        if (ir->parent || !(value->flags & BP_IR_INPUT) || value->declared.rank == 0)
            value->declared.rank = BP_RANK_UNKNOWN;
    }
    for (struct bp_ir *subgraph = ir->first_subgraph; subgraph; subgraph = subgraph->next_subgraph)
        open_scalars(subgraph);
}

/* Removes from the graph every node that needs an input which this engine's runs do not feed. */
static bp_rc leave_out(struct bp_ir *ir, const struct bp_engine_config *config, bp_err *err)
{
    bool *marked = calloc((size_t)ir->n_values + 1, sizeof *marked);

    if (!marked)
        return bp_fail_nomem(err, "a graph");
    for (uint32_t i = 0; i < config->n_without; i++) {
        uint32_t value = bp_strmap_get(&ir->by_name, config->without[i], BP_NONE);

        if (value != BP_NONE)
            marked[value] = true;
    }
    bp_ir_mark_downstream(ir, marked);
    bp_ir_drop_marked(ir, marked);
    free(marked);
    return BP_OK;
}

/* Decodes the model's graph with the operators that the registered providers declare. */
static bp_rc decode_graph(struct bp_engine *engine, const struct bp_engine_config *config,
                          bp_err *err)
{
    const struct bp_onnx_graph_config how = {
        .open_defaults = config->open_defaults,
        .may_move_states = bp_engine_fuses(config),
        .custom = &engine->custom,
        .states = config->states,
        .found = &engine->states,
    };
    bp_rc rc;

    if (engine->ir)
        bp_ir_finish(engine->ir);
    engine->ir = NULL;
    engine->has_changed_layout = false;
    rc = bp_onnx_graph(engine->onnx, &how, &engine->region, &engine->symbols, &engine->ir, err);
    if (rc >= 0)
        engine->ir->mismatches = mismatches_of(engine, config);
    if (rc >= 0 && config->open_scalars)
        open_scalars(engine->ir);
    return rc >= 0 && config->n_without > 0 ? leave_out(engine->ir, config, err) : rc;
}

/*
 * Decodes the graph again if a provider that has failed since was asked by passes: they may have
 * fused nodes for it, or changed their layout.
 */
static bp_rc renew_graph(struct bp_engine *engine, const struct bp_engine_config *config,
                         bp_err *err)
{
    return bp_engine_is_optimized(config) || engine->has_changed_layout
               ? decode_graph(engine, config, err)
               : BP_OK;
}

/*
 * Collects the operators that providers declare, and decodes the graph again if it has nodes of
 * them. Called after each change of the provider list.
 */
static bp_rc declare_operators(struct bp_engine *engine, const struct bp_engine_config *config,
                               bp_err *err)
{
    bp_rc rc = bp_engine_declare(engine, err);

    return rc >= 0 && bp_engine_graph_is_old(engine) ? decode_graph(engine, config, err) : rc;
}

/* Drops the programs and the decoded graph of an attempt in which providers refused groups. */
static bp_rc begin_again(struct bp_engine *engine, const struct bp_engine_config *config,
                         bp_err *err)
{
    bp_subgraph_destroy(engine->graph);
    engine->graph = NULL;
    bp_report_clear_graphs(engine->report);
    return renew_graph(engine, config, err);
}

/*
 * Repeats attempts until the providers that are left claim and compile everything. A group that its
 * provider refuses goes to the next provider; a provider that fails is dropped. The loop ends,
 * because a provider gets a refused node no second time, and CPU is the last provider. When host
 * memory runs out no provider is dropped; when a device's memory runs out its provider is.
 */
static bp_rc make_subgraph(struct bp_engine *engine, const struct bp_engine_config *config,
                           struct bp_program_cache *cache, bp_err *err)
{
    char dropped[1024] = ""; /* about the last one: why a node may have none left */

    for (;;) {
        struct bp_subgraph_maker maker;
        char text[16384]; /* it may name all operators that a build lacks */
        bp_err own = bp_err_init(text, sizeof text);
        bp_rc rc = try_graph(engine, config, cache, &maker, &own);

        if (rc >= 0 && maker.n_refused == 0)
            return rc;
        if (rc >= 0) {
            rc = begin_again(engine, config, err);
            if (rc < 0)
                return rc;
            continue;
        }
        if (maker.failed == BP_NONE ||
            (rc == BP_E_NOMEM && !bp_has_memory(engine->providers.active[maker.failed])))
            return bp_err_copy_codes(
                err, bp_fail(err, rc, "%s%s", rc == BP_E_UNSUPPORTED ? dropped : "", text), &own);
        snprintf(dropped, sizeof dropped, "provider '%s' failed (%.767s); now ",
                 engine->providers.active[maker.failed]->name, text);
        bp_report_clear_graphs(engine->report); /* its nodes go to others */
        rc = bp_provider_list_drop(&engine->providers, maker.failed, engine->report,
                                   maker.failed_stage, rc, text, err);
        if (rc < 0)
            return bp_err_copy_codes(err, rc, &own); /* the codes of the first failure */
        rc = renew_graph(engine, config, err);
        if (rc >= 0)
            rc = declare_operators(engine, config, err);
        if (rc < 0)
            return rc;
    }
}

/* Makes the programs, with the cache of compiled programs open if it was asked for. */
static bp_rc make_programs(struct bp_engine *engine, const struct bp_engine_config *config,
                           bp_err *err)
{
    struct bp_engine_cache cache = {0};
    bp_rc rc;

    bp_engine_open_cache(&cache, engine->providers.env, config, engine->providers.log);
    cache.cache.model = bp_onnx_name(engine->onnx);
    rc = make_subgraph(engine, config, cache.is_on && !config->saves_programs ? &cache.cache : NULL,
                       err);
    bp_engine_close_cache(&cache);
    return rc;
}

/* Has the report a row for the provider of this name, whatever its state? */
static bool is_listed(const bp_report *report, const char *name)
{
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) >= 0 &&
            bp_provider_names_equal(row.name, name))
            return true;
    }
    return false;
}

/*
 * Checks the providers that placement rules name. An unknown name is an error; a provider that
 * exists but is not in this session gives a warning, as several sessions may use the same rules.
 */
static bp_rc check_placements(struct bp_engine *engine, const struct bp_engine_config *config,
                              bp_err *err)
{
    struct bp_env *env = engine->providers.env;
    uint32_t n = config->placements ? config->placements->count : 0;

    engine->has_matched = bp_region_array(&engine->region, n, sizeof *engine->has_matched);
    if (!engine->has_matched)
        return bp_fail_nomem(err, "the placement rules");
    for (uint32_t i = 0; i < n; i++) {
        const struct bp_placement_rule *rule = &config->placements->rules[i];
        uint32_t at;

        if (is_listed(engine->report, rule->provider))
            continue;
        if (bp_registry_find(&env->registry, rule->provider, &at, err) == BP_E_INVALID)
            return bp_fail_in(err, BP_E_OPTION, "placement rule '%s'", rule->text);
        bp_err_clear(err);
        if (!config->open_defaults)
            bp_log(engine->providers.log, BP_LOG_WARN, "session",
                   "placement rule '%s' does nothing: the session does not ask for that provider",
                   rule->text);
    }
    return BP_OK;
}

/*
 * Warns of rules that matched no node: most of them are misspelt. Variants don't repeat the warning
 * of the main engine.
 */
static void warn_of_placements(const struct bp_engine *engine,
                               const struct bp_engine_config *config)
{
    for (uint32_t i = 0;
         config->placements && !config->open_defaults && i < config->placements->count; i++) {
        if (!engine->has_matched[i])
            bp_log(engine->providers.log, BP_LOG_WARN, "session",
                   "placement rule '%s' matches no node that a provider could run",
                   config->placements->rules[i].text);
    }
}

/* Logs that an operator of the application replaces one that the host has. */
static void log_replaced(const struct bp_ir_node *node, const struct bp_log *log)
{
    const struct bp_schema *ours = bp_schema_find(node->domain, node->op, node->opset);

    if (ours)
        bp_log(log, BP_LOG_INFO, "session",
               "operator %s%s%s (node '%s') is the application's, not the host's", node->domain,
               node->domain[0] ? "." : "", node->op, node->name);
}

/* Has the graph, or a subgraph in it, operators of the application? */
static bool has_custom(const struct bp_ir *ir, const struct bp_log *log)
{
    bool found = false;

    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        if (bp_custom_of(node->schema)) {
            found = true;
            log_replaced(node, log);
        }
        for (uint32_t b = 0; b < node->n_subgraphs; b++)
            found |= has_custom(node->subgraphs[b], log);
    }
    return found;
}

/*
 * Reserves the nodes that providers are not to get. A node of that list which passes have removed
 * needs nothing.
 */
static bp_rc keep_refused(struct bp_engine *engine, const struct bp_engine_config *config,
                          bp_err *err)
{
    bp_rc rc = BP_OK;
    bool is_new;

    for (const struct bp_refused_by *by = config->refused; by; by = by->next) {
        for (uint32_t i = 0; i < engine->providers.count; i++) {
            struct bp_active *active = engine->providers.active[i];

            for (uint32_t n = 0;
                 n < by->nodes.count && strcmp(active->name, by->provider) == 0 && rc >= 0; n++)
                rc = bp_refused_add_name(active->refused, by->nodes.rows[n].name,
                                         by->nodes.rows[n].text, &is_new, err);
        }
    }
    return rc;
}

/*
 * Makes the graph, the providers, the programs and the verdicts, in this order; after a failure the
 * creator destroys the engine. The provider of the application's operators joins only if the graph
 * has nodes of them, so providers come after the graph.
 */
static bp_rc fill(struct bp_engine *engine, struct bp_env *env,
                  const struct bp_engine_config *config, bp_err *err)
{
    struct bp_provider_list_config providers = config->providers;
    bp_rc rc;

    report_progress(env, config, "graph", 0.1);
    rc = config->newer_opsets ? BP_OK : bp_onnx_check_released(engine->onnx, err);
    if (rc >= 0)
        rc = bp_env_custom_table(env, config->operators, &engine->custom, err);
    if (rc >= 0)
        rc = decode_graph(engine, config, err);
    if (rc < 0)
        return rc;
    report_progress(env, config, "providers", 0.3);
    providers.has_custom = has_custom(engine->ir, log_of(env, config));
    rc = bp_provider_list_init(&engine->providers, env, &providers, engine->report, err);
    if (rc >= 0)
        rc = declare_operators(engine, config, err);
    if (rc >= 0)
        rc = keep_refused(engine, config, err);
    if (rc < 0)
        return rc;
    rc = check_placements(engine, config, err);
    if (rc < 0)
        return rc;
    report_progress(env, config, config->claims_only ? "claims" : "compile", 0.4);
    rc = make_programs(engine, config, err);
    if (rc >= 0)
        engine->limit.most = bp_subgraph_max_frames(engine->graph);
    if (rc >= 0 && !config->refused)
        warn_of_placements(engine, config);
    if (rc >= 0 && !config->refused)
        rc = bp_engine_set_verdicts(engine, config, err);
    bp_onnx_drop_pages(engine->onnx);
    report_progress(env, config, "ready", 1.0);
    return rc;
}

/* Warns of a dimension's name that the model does not have: most of them are misspelt. */
static void warn_of_fixed(const struct bp_engine *engine, const struct bp_env *env,
                          const struct bp_engine_config *config)
{
    for (uint32_t i = 0; config->is_session && config->fixed && i < config->fixed->count; i++) {
        const struct bp_fixed_size *row = &config->fixed->rows[i];

        if (!engine->symbols.is_fixed[i])
            bp_log(log_of(env, config), BP_LOG_WARN, "session",
                   "no dimension of unknown size has the %s '%s', which was given the size %lld",
                   row->is_denotation ? "denotation" : "name", row->name, (long long)row->size);
    }
}

/*
 * Gives dimensions the sizes that the application has set; this repeats whenever the graph is
 * decoded again.
 */
static bp_rc fill_fixed(struct bp_engine *engine, struct bp_env *env,
                        const struct bp_engine_config *config, bp_err *err)
{
    bp_rc rc;

    engine->symbols.is_fixed =
        bp_region_array(&engine->region, config->fixed ? config->fixed->count : 0, sizeof(bool));
    if (!engine->symbols.is_fixed)
        return bp_fail_nomem(err, "a session");
    engine->symbols.fixed = config->fixed;
    rc = fill(engine, env, config, err);
    if (rc >= 0)
        warn_of_fixed(engine, env, config);
    engine->symbols.fixed = NULL; /* borrowed while the engine is created */
    return rc;
}

/* the text is needed here even if the caller passed no buffer for it */
static bp_rc fill_and_report(struct bp_engine *engine, struct bp_env *env,
                             const struct bp_engine_config *config, bp_err *err)
{
    char text[4096] = "";
    bp_err own = bp_err_init(text, sizeof text);
    bp_rc rc;

    if (!config->is_session || !bp_settings_get(&env->settings, "BACKPLANE_REPORT"))
        return fill_fixed(engine, env, config, err);
    rc = fill_fixed(engine, env, config, &own);
    bp_explain_session(env, engine->report, rc < 0 ? text : NULL);
    return rc < 0 ? bp_err_copy_codes(err, bp_fail(err, rc, "%s", text), &own) : rc;
}

static uint64_t count_rest(const void *providers)
{
    return bp_provider_list_bytes(providers);
}

/* The report is made first, so that it can record every later failure. */
bp_rc bp_engine_create(struct bp_env *env, struct bp_onnx *onnx,
                       const struct bp_engine_config *config, struct bp_engine **out, bp_err *err)
{
    struct bp_engine *engine = calloc(1, sizeof *engine);
    bp_rc rc;

    *out = NULL;
    if (!engine)
        return bp_fail_nomem(err, "a session");
    engine->onnx = bp_onnx_ref(onnx);
    bp_engine_init_frames(engine);
    engine->memory.allocator = config->allocator;
    engine->memory.count_rest = count_rest;
    engine->memory.providers = &engine->providers;
    engine->memory.limits[0] = config->memory;
    engine->memory.limits[1] = &env->memory;
    rc = bp_report_create(&engine->report, err);
    if (rc >= 0) {
        bp_report_mismatches(engine->report)->log = log_of(env, config);
        bp_report_mismatches(engine->report)->is_strict = config->strict_shapes;
        rc = fill_and_report(engine, env, config, err);
    }
    if (rc >= 0 && !config->claims_only)
        rc = bp_memory_check_rest(&engine->memory, err);
    if (rc < 0) {
        bp_engine_destroy(engine);
        return rc;
    }
    *out = engine;
    return BP_OK;
}
