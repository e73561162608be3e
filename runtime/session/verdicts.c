/* SPDX-License-Identifier: MIT */
/* verdicts.c - compares what each provider of an engine got with what the application asked for. */

#include "config.h"

#include "session/verdicts.h"

#include <stdio.h>

#include "custom/provider.h"
#include "plan/prefused.h"

/* Writes into `text` why a provider gets none of the nodes; returns the stage that decided it. */
static uint32_t describe_unused(const bp_report *report, uint32_t at, const bp_report_provider *row,
                                char *text, size_t cap)
{
    uint32_t n_nodes = bp_report_node_count(report);
    char counts[256];

    if (row->n_claimed > 0) {
        snprintf(text, cap, "it got none of %u nodes: providers before it took them", n_nodes);
    } else if (row->n_costly > 0) {
        snprintf(text, cap, "it gets none of %u nodes: %u of them would be slower there; %s",
                 n_nodes, row->n_costly, bp_report_cost_text(report, at));
        return BP_STAGE_COST;
    } else {
        bp_report_count_refusals(report, at, counts, sizeof counts);
        snprintf(text, cap, "it takes none of %u nodes: %s", n_nodes, counts);
    }
    return BP_STAGE_CAPABILITY;
}

/*
 * Settles a provider that got no node. That is no failure for CPU, which takes what is left over,
 * nor for a provider whose nodes all went to providers before it.
 */
static bp_rc settle_unused(struct bp_engine *engine, const struct bp_active *active,
                           const bp_report_provider *row, bp_err *err)
{
    uint32_t stage;
    char text[384];
    bp_rc rc;

    if (active->provider == &bp_custom_provider) /* its refusals, if any, give the reason */
        return bp_report_end_provider(engine->report, active->row, BP_STAGE_CAPABILITY, BP_OK,
                                      "it got no node", NULL, err);
    if (bp_report_node_count(engine->report) == 0) /* no failure, as there was nothing to get */
        return bp_report_end_provider(engine->report, active->row, BP_STAGE_CAPABILITY, BP_OK,
                                      "not needed: no node is left to run", NULL, err);
    if ((row->n_claimed > 0 || bp_provider_names_equal(active->name, "cpu")) &&
        active->min_share == 0) {
        bp_report_count_refusals(engine->report, active->row, text, sizeof text);
        if (row->n_claimed == 0 && text[0]) /* cpu, of nodes that it does not take either */
            describe_unused(engine->report, active->row, row, text, sizeof text);
        else
            snprintf(text, sizeof text, "not needed: providers before it took every node");
        return bp_report_end_provider(engine->report, active->row, BP_STAGE_CAPABILITY, BP_OK, text,
                                      NULL, err);
    }
    stage = describe_unused(engine->report, active->row, row, text, sizeof text);
    rc = bp_report_end_provider(engine->report, active->row, stage, BP_E_UNSUPPORTED, text, NULL,
                                err);
    if (rc < 0)
        return rc;
    if (active->fallback == BP_FALLBACK_REQUIRE)
        return bp_fail(err, BP_E_UNSUPPORTED, "provider '%s' is required, but %s", active->name,
                       text);
    if (active->fallback == BP_FALLBACK_WARN)
        bp_log(engine->providers.log, BP_LOG_WARN, "session", "provider '%s' is not used: %s",
               active->name, text);
    return BP_OK;
}

/* Counts the nodes that providers run; host operators do not count. */
static bp_rc count_nodes(const bp_report *report, uint32_t *out, bp_err *err)
{
    uint32_t n = bp_report_provider_count(report);
    bp_rc rc = BP_OK;

    *out = 0;
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        rc = bp_report_get_provider(report, i, &row, err);
        *out += row.n_nodes;
    }
    return rc;
}

/*
 * Settles a provider that is in use. If it got less than the share that was asked for, it stays in
 * use where its policy allows.
 */
static bp_rc settle_share(struct bp_engine *engine, const struct bp_active *active,
                          const bp_report_provider *row, uint32_t stage, bp_err *err)
{
    uint32_t n_nodes;
    char text[384];
    bp_rc rc = count_nodes(engine->report, &n_nodes, err);

    if (rc < 0)
        return rc;
    if (row->n_nodes >= active->min_share * n_nodes)
        return bp_report_end_provider(engine->report, active->row, stage, BP_OK, NULL, NULL, err);
    snprintf(text, sizeof text, "it got %u of %u nodes, which is less than the %g %% asked for",
             row->n_nodes, n_nodes, active->min_share * 100);
    rc = bp_report_end_provider(engine->report, active->row, stage, BP_E_UNSUPPORTED, text, NULL,
                                err);
    if (rc < 0)
        return rc;
    if (active->fallback == BP_FALLBACK_REQUIRE)
        return bp_fail(err, BP_E_UNSUPPORTED, "provider '%s' is required, but %s", active->name,
                       text);
    if (active->fallback == BP_FALLBACK_WARN)
        bp_log(engine->providers.log, BP_LOG_WARN, "session", "provider '%s': %s", active->name,
               text);
    return BP_OK;
}

/*
 * Warns of a provider that gets few nodes, because nodes next to them were fused before the model
 * came here.
 */
static bp_rc warn_of_prefused(struct bp_engine *engine, const struct bp_active *active,
                              const bp_report_provider *row, bp_err *err)
{
    struct bp_prefused prefused;
    bp_rc rc = BP_OK;

    if (active->fallback != BP_FALLBACK_WARN)
        return BP_OK;
    rc = bp_report_find_prefused(engine->report, active->row, &prefused, err);
    if (rc >= 0 && prefused.n_nodes > 0)
        bp_log(
            engine->providers.log, BP_LOG_WARN, "session",
            "provider '%s' gets %u of %u nodes, in %u groups: the model was fused before it came "
            "here, and %u node%s beside them (com.microsoft.%s) it does not take. Give it the "
            "model as it was, or one saved by 'backplane optimize --providers %s'",
            active->name, row->n_nodes, bp_report_node_count(engine->report), row->n_groups,
            prefused.n_nodes, prefused.n_nodes == 1 ? "" : "s", prefused.op, active->name);
    return rc;
}

/*
 * After the first failure the other providers are settled, too, for the report; their error texts
 * are dropped.
 */
bp_rc bp_engine_set_verdicts(struct bp_engine *engine, const struct bp_engine_config *config,
                             bp_err *err)
{
    bp_rc first = BP_OK; /* the first failure */

    for (uint32_t i = 0; i < engine->providers.count; i++) {
        const struct bp_active *active = engine->providers.active[i];
        bp_report_provider row = {.struct_size = sizeof row};
        bp_err *words = first < 0 ? NULL : err;
        bp_rc rc = bp_report_get_provider(engine->report, active->row, &row, words);

        if (rc >= 0 && row.n_nodes == 0)
            rc = settle_unused(engine, active, &row, words);
        else if (rc >= 0)
            rc = settle_share(engine, active, &row,
                              config->claims_only ? BP_STAGE_CAPABILITY : BP_STAGE_RUN, words);
        if (rc >= 0 && row.n_nodes > 0)
            rc = warn_of_prefused(engine, active, &row, words);
        first = first < 0 ? first : rc;
    }
    return first;
}
