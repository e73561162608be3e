/* SPDX-License-Identifier: MIT */
/* subgraph.c - infers types and shapes, partitions and compiles a graph and the subgraphs in it. */

#include "config.h"

#include "compile/subgraph.h"

#include <stdio.h>
#include <stdlib.h>

#include "compile/make_program.h"
#include "compile/missing.h"
#include "custom/provider.h"
#include "graph/infer_merge.h"
#include "model/onnx.h"
#include "plan/make_partition.h"
#include "report/group_costs.h"
#include "text/text.h"

/* A subgraph while it is made; path names the nodes around it, as in the report. */
struct making {
    struct bp_subgraph_maker *maker;
    struct bp_subgraph *subgraph;
    const char *path;
    uint32_t first_group; /* of the report's rows */
};

/* ---- claims ---------------------------------------------------------------------------------- */

/* Lists the providers in use, one row each; NULL: no memory. */
static struct bp_asked *make_asked(const struct bp_provider_list *providers)
{
    struct bp_asked *asked = calloc(providers->count + 1, sizeof *asked);

    for (uint32_t i = 0; asked && i < providers->count; i++) {
        const struct bp_active *active = providers->active[i];

        asked[i] = (struct bp_asked){
            .provider = active->provider,
            .instance = active->instance,
            .name = active->name,
            .runs_custom = active->provider == &bp_custom_provider,
            .wants_channels_last = (active->provider->flags & BP_PROVIDER_NHWC) != 0,
            .refused = active->refused,
            .devices = active->devices,
            .n_devices = active->n_devices,
        };
    }
    return asked;
}

/*
 * Asks all providers which nodes they take, and makes groups. The first provider that fails to
 * answer ends it: the caller drops that one and begins again.
 */
static bp_rc partition(struct making *m, bp_err *err)
{
    struct bp_provider_list *providers = m->maker->providers;
    struct bp_asked *asked = make_asked(providers);
    struct bp_ask_failure *failed = calloc(providers->count + 1, sizeof *failed);
    struct bp_placement placement = {m->maker->placements, m->maker->has_matched, m->path};
    bp_rc rc;

    if (!asked || !failed) {
        rc = bp_fail_nomem(err, "the partition");
        goto out;
    }
    rc = bp_partition_create_with_placement(m->subgraph->ir, m->subgraph->facts, m->maker->symbols,
                                            asked, providers->count,
                                            m->maker->placements ? &placement : NULL,
                                            &m->subgraph->region, &m->subgraph->part, failed, err);
    for (uint32_t i = 0; rc >= 0 && i < providers->count; i++) {
        if (failed[i].rc >= 0)
            continue;
        m->maker->failed = i;
        m->maker->failed_stage = BP_STAGE_CAPABILITY;
        rc = bp_fail_detail(err, failed[i].rc, failed[i].detail, "%s",
                            failed[i].text ? failed[i].text : "no reason given");
    }
out:
    free(failed);
    free(asked);
    return rc;
}

/* Adds nodes and groups to the report. Plans get cost estimates, too; sessions measure. */
static bp_rc add_to_report(struct making *m, bp_err *err)
{
    struct bp_provider_list *providers = m->maker->providers;
    struct bp_asked *asked = make_asked(providers);
    uint32_t *rows = calloc(providers->count + 1, sizeof *rows);
    bp_rc rc = asked && rows ? BP_OK : bp_fail_nomem(err, "the report");

    m->first_group = bp_report_group_count(m->maker->report);
    for (uint32_t i = 0; rc >= 0 && i < providers->count; i++)
        rows[i] = providers->active[i]->row;
    if (rc >= 0)
        rc = bp_report_add_graph(m->maker->report, &m->subgraph->part, asked, rows, m->path, err);
    if (rc >= 0 && m->maker->claims_only)
        rc = bp_report_estimate_groups(&m->subgraph->part, asked, rows, m->maker->report,
                                       m->first_group, err);
    free(asked);
    free(rows);
    return rc;
}

/*
 * Returns the last provider's answer or, for a compiled program, that of the provider that compiled
 * it; for an operator of the application on values that are no tensors, the application's.
 */
static const struct bp_verdict *deciding(const struct making *m, uint32_t n)
{
    const struct bp_partition *part = &m->subgraph->part;
    const struct bp_ir_node *node = &part->ir->nodes[n];
    bool is_context = bp_node_is_context(node);
    bool is_custom = bp_custom_of(node->schema) && node->schema->is_host_op;

    for (uint32_t p = 0; p < part->n_asked; p++) {
        if ((is_context && part->verdicts[p][n].reason != BP_R_OP) ||
            (is_custom && m->maker->providers->active[p]->provider == &bp_custom_provider))
            return &part->verdicts[p][n];
    }
    return part->n_asked ? &part->verdicts[part->n_asked - 1][n] : NULL;
}

/*
 * Records a node that no provider takes, with the last provider's reason or, for control flow, the
 * host's.
 */
static bp_rc note_missing(struct making *m, uint32_t n, bp_err *err)
{
    static const struct bp_verdict not_host_op = {
        .text = "the host, which runs such nodes itself, has no such operator"};
    const struct bp_partition *part = &m->subgraph->part;
    const struct bp_verdict *last =
        part->provider_of[n] == BP_BY_HOST ? &not_host_op : deciding(m, n);

    return bp_missing_add(m->maker->missing, &m->subgraph->ir->nodes[n], m->subgraph->facts, last,
                          err);
}

/* Finds the nodes that no provider takes; control flow that the host cannot run counts, too. */
static bp_rc find_missing(struct making *m, bp_err *err)
{
    const struct bp_partition *part = &m->subgraph->part;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < m->subgraph->ir->n_nodes; n++) {
        bool is_host_op = part->provider_of[n] == BP_BY_HOST;

        if (part->provider_of[n] == BP_BY_NONE ||
            (is_host_op && !m->maker->find_host_op(&m->subgraph->ir->nodes[n])))
            rc = note_missing(m, n, err);
    }
    return rc;
}

/* ---- compiling ------------------------------------------------------------------------------- */

/*
 * Returns "main/3": path of the subgraph and number of the group, for the logs of providers. NULL:
 * no memory.
 */
static const char *group_name(struct making *m, const struct bp_unit *unit)
{
    return bp_region_printf(&m->subgraph->region, "%s/%u", m->path[0] ? m->path : "main",
                            (unsigned)(unit->group - m->subgraph->part.groups));
}

/*
 * Gives a group that its provider refuses to compile to the next providers. If all its nodes were
 * refused before, compiling would never end: that is a failure of the provider.
 */
static bp_rc refuse(struct making *m, const struct bp_unit *unit, const char *words, bp_err *err)
{
    struct bp_active *active = m->maker->providers->active[unit->group->provider];
    const struct bp_group *group = unit->group;
    char text[640];
    bool is_new = false;
    bp_rc rc = BP_OK;

    snprintf(text, sizeof text, "it refused to compile a group of %u node%s: %s", group->n_nodes,
             group->n_nodes == 1 ? "" : "s", words);
    for (uint32_t i = 0; rc >= 0 && i < group->n_nodes; i++)
        rc = bp_refused_add(active->refused, &m->subgraph->ir->nodes[group->nodes[i]], text,
                            &is_new, err);
    if (rc < 0)
        return rc;
    if (!is_new)
        return bp_fail(err, BP_E_INTERNAL, "it refused to compile what it gave back before: %s",
                       words);
    m->maker->n_refused++;
    bp_log(m->maker->providers->log,
           active->fallback == BP_FALLBACK_SILENT ? BP_LOG_INFO : BP_LOG_WARN, "session",
           "provider '%s' gives back group %s (%u node%s, first '%s'): %s", active->name,
           group_name(m, unit), group->n_nodes, group->n_nodes == 1 ? "" : "s",
           m->subgraph->ir->nodes[group->nodes[0]].name, words);
    return BP_OK;
}

/* Returns the report's row of a group; groups without a provider have none. */
static uint32_t row_of(const struct making *m, const struct bp_group *group)
{
    const struct bp_partition *part = &m->subgraph->part;
    uint32_t row = m->first_group;

    for (const struct bp_group *before = part->groups; before != group; before++)
        row += before->provider != BP_BY_NONE;
    return row;
}

/* Asks the provider about its program. Without CONCURRENT_FRAMES a second frame is of no use. */
static bp_rc ask_info(struct bp_unit *unit, bp_err *err)
{
    bp_program_info info = {.struct_size = sizeof info};
    bp_rc rc = BP_OK;

    bp_err_clear(err);
    if (unit->by->provider->program_info)
        rc = bp_err_complete(err, unit->by->provider->program_info(unit->program, &info, err));
    if (rc < 0)
        return bp_fail_in(err, rc, "what the program is like");
    unit->max_frames = info.max_frames || !unit->is_exclusive ? info.max_frames : 1;
    unit->frame_bytes = info.frame_bytes;
    return BP_OK;
}

/* Counts a program and reports it. */
static bp_rc add_program(struct making *m, const struct bp_unit *unit,
                         const struct bp_program_origin *origin, bp_err *err)
{
    uint32_t row = row_of(m, unit->group);

    m->subgraph->n_programs++;
    bp_report_set_group_frames(m->maker->report, row, unit->max_frames, unit->frame_bytes);
    return bp_report_set_group_program(m->maker->report, row, origin->how, origin->ns, origin->text,
                                       err);
}

/*
 * Loads the program that the model has for a node EPContext. A failure is an error and no reason to
 * drop the provider, because no other one could run the node.
 */
static bp_rc load_context(struct making *m, struct bp_unit *unit, bp_compile *what, bp_err *err)
{
    const struct bp_ir_node *node = &m->subgraph->ir->nodes[unit->group->nodes[0]];
    struct bp_program_origin origin;
    bp_rc rc = bp_context_load(m->maker->onnx, node, unit->by, &unit->group->view->graph, what,
                               &unit->program, &origin, err);

    if (rc >= 0)
        rc = ask_info(unit, err);
    if (rc < 0)
        return rc;
    return add_program(m, unit, &origin, err);
}

/*
 * Saves a program for a model. A group whose program cannot be saved stays in the model as nodes.
 */
static bp_rc save(struct making *m, struct bp_unit *unit, const bp_compile *what,
                  struct bp_program_origin *origin, bp_err *err)
{
    char words[384];
    bp_err own = bp_err_init(words, sizeof words);
    bp_rc rc;

    if (!bp_context_can_save(unit->by->provider)) {
        snprintf(origin->text, sizeof origin->text,
                 "not saved: programs of this provider cannot be parts of a model");
        return BP_OK;
    }
    rc = bp_context_save(unit->by, unit->program, what, bp_onnx_name(m->maker->onnx), &unit->saved,
                         &own);
    if (rc == BP_E_NOMEM)
        return bp_fail(err, rc, "%s", words);
    snprintf(origin->text, sizeof origin->text, "%s%s", rc < 0 ? "not saved: " : "saved",
             rc < 0 ? words : "");
    return BP_OK;
}

/* Lets a provider compile one group, or load a program that it saved. */
static bp_rc compile(struct making *m, struct bp_unit *unit, bp_err *err)
{
    struct bp_active *active = m->maker->providers->active[unit->group->provider];
    bp_compile what = {
        .struct_size = sizeof what,
        .device = unit->group->device,
        .name = group_name(m, unit),
    };
    bool is_context = bp_node_is_context(&m->subgraph->ir->nodes[unit->group->nodes[0]]);
    struct bp_program_origin origin;
    char words[512];
    bp_err own = bp_err_init(words, sizeof words);
    bp_rc rc;

    if (!what.name)
        return bp_fail_nomem(err, "a group's name");
    unit->by = active;
    unit->is_exclusive = !(active->provider->flags & BP_PROVIDER_CONCURRENT_FRAMES);
    if (is_context)
        return load_context(m, unit, &what, err);
    rc = bp_make_program(m->maker->cache, active, &unit->group->view->graph, &what, m->maker->saves,
                         &unit->program, &origin, &own);
    if (rc >= 0)
        rc = ask_info(unit, &own);
    if (rc >= 0 && m->maker->saves)
        rc = save(m, unit, &what, &origin, &own);
    if (rc == BP_E_UNSUPPORTED && active->refused && !unit->program) {
        rc = refuse(m, unit, words, err);
        if (rc >= 0 || rc == BP_E_NOMEM)
            return rc;
    } else if (rc < 0) {
        bp_fail(err, rc, "%s", words);
        if (err)
            err->native_code = own.native_code;
    }
    if (rc < 0) {
        m->maker->failed = unit->group->provider;
        m->maker->failed_stage = BP_STAGE_COMPILE;
        return rc;
    }
    return add_program(m, unit, &origin, err);
}

/*
 * Makes one subgraph of a control-flow node. A branch whose shapes contradict each other becomes an
 * error only when a run enters it: exporters guard a Split with a test of the rank, so the branch
 * may never run.
 */
static bp_rc make_inner(struct making *m, struct bp_unit *unit, uint32_t i, const char *path,
                        bp_err *err)
{
    const struct bp_ir_node *node = &m->subgraph->ir->nodes[unit->group->nodes[0]];
    const struct bp_fact *inputs;
    char text[512];
    bp_err own = bp_err_init(text, sizeof text);
    bp_rc rc;

    rc = bp_infer_subgraph_inputs(node, node->subgraphs[i], m->subgraph->facts, m->maker->symbols,
                                  &m->subgraph->region, &inputs, &own);
    if (rc >= 0)
        rc = bp_subgraph_create(m->maker, node->subgraphs[i], m->subgraph->facts, inputs, path,
                                &unit->subgraphs[i], &own);
    if (rc >= 0) {
        m->subgraph->n_programs += unit->subgraphs[i]->n_programs;
        return rc;
    }
    if (m->maker->failed != BP_NONE || (rc != BP_E_SHAPE && rc != BP_E_INVALID))
        return bp_err_copy_codes(err, bp_fail(err, rc, "%s", text), &own);
    unit->broken[i] = bp_region_string(&m->subgraph->region, text);
    return unit->broken[i] ? BP_OK : bp_fail_nomem(err, "the subgraphs of a node");
}

/* Finds how the host runs a node, and makes the subgraphs of its attributes. */
static bp_rc make_subgraphs(struct making *m, struct bp_unit *unit, bp_err *err)
{
    struct bp_ir_node *node = &m->subgraph->ir->nodes[unit->group->nodes[0]];
    struct bp_region *region = &m->subgraph->region;
    char *path = bp_region_printf(region, "%s%s%s", m->path, m->path[0] ? "/" : "", node->name);
    bp_rc rc = BP_OK;

    unit->host_op = m->maker->find_host_op(node);
    unit->subgraphs = bp_region_array(region, node->n_subgraphs, sizeof(struct bp_subgraph *));
    unit->broken = bp_region_array(region, node->n_subgraphs, sizeof(char *));
    if (!unit->subgraphs || !unit->broken || !path)
        return bp_fail_nomem(err, "the subgraphs of a node");
    for (uint32_t i = 0; rc >= 0 && i < node->n_subgraphs; i++)
        rc = make_inner(m, unit, i, path, err);
    return rc;
}

/*
 * The kernel of an operator of the application on values that are no tensors. Its provider is among
 * those of the session, as the operator is known by it.
 */
static bp_rc make_kernel(struct making *m, struct bp_unit *unit, bp_err *err)
{
    const struct bp_provider_list *providers = m->maker->providers;
    bp_compile what = {.struct_size = sizeof what, .name = group_name(m, unit)};
    uint32_t p = 0;

    if (!what.name)
        return bp_fail_nomem(err, "a group's name");
    while (p < providers->count && providers->active[p]->provider != &bp_custom_provider)
        p++;
    if (p == providers->count)
        return bp_fail(err, BP_E_INTERNAL, "an operator of the application has no provider");
    return bp_custom_provider.compile(providers->active[p]->instance, &unit->group->view->graph,
                                      &what, &unit->kernel, err);
}

/* Compiles a group by its provider, or makes what the host needs to run its node. */
static bp_rc make_runnable(struct making *m, struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = &m->subgraph->ir->nodes[unit->group->nodes[0]];

    if (unit->group->provider < BP_BY_NONE)
        return compile(m, unit, err);
    return unit->host_op && bp_custom_of(node->schema) ? make_kernel(m, unit, err) : BP_OK;
}

/* In the child of a fork(): who held it is gone. */
static void open_mutex(void *u)
{
    struct bp_unit *unit = u;

    pthread_mutex_init(&unit->mutex, NULL);
}

/*
 * Makes units for all groups. Subgraphs come first, so that operators missing in them are known
 * before any group is compiled.
 */
static bp_rc make_units(struct making *m, bp_err *err)
{
    struct bp_subgraph *subgraph = m->subgraph;
    bp_rc rc = BP_OK;

    subgraph->units =
        bp_region_array(&subgraph->region, subgraph->part.n_groups, sizeof *subgraph->units);
    if (!subgraph->units)
        return bp_fail_nomem(err, "the programs");
    for (uint32_t g = 0; rc >= 0 && g < subgraph->part.n_groups; g++) {
        struct bp_unit *unit = &subgraph->units[subgraph->n_units++];

        unit->group = &subgraph->part.groups[g];
        pthread_mutex_init(&unit->mutex, NULL);
        bp_fork_watch(&unit->fork, open_mutex, unit);
        if (unit->group->provider == BP_BY_HOST)
            rc = make_subgraphs(m, unit, err);
    }
    if (m->maker->claims_only)
        return rc;
    for (uint32_t g = 0; rc >= 0 && g < subgraph->n_units && m->maker->missing->n_nodes == 0; g++)
        rc = make_runnable(m, &subgraph->units[g], err);
    return rc;
}

/*
 * Lists values of the graph around this one, which are lent to it before each run. Constants were
 * shared when the graph was decoded.
 */
static bp_rc list_captures(struct bp_subgraph *subgraph, bp_err *err)
{
    subgraph->captures =
        bp_region_array(&subgraph->region, subgraph->ir->n_values, sizeof *subgraph->captures);
    if (!subgraph->captures)
        return bp_fail_nomem(err, "a subgraph's captures");
    for (uint32_t v = 0; v < subgraph->ir->n_values; v++) {
        uint32_t flags = subgraph->ir->values[v].flags;

        if ((flags & BP_IR_CAPTURED) && !(flags & BP_IR_CONSTANT))
            subgraph->captures[subgraph->n_captures++] = v;
    }
    return BP_OK;
}

/* Sets the facts of inputs from what the node around the subgraph passes in. */
static bp_rc set_inputs(struct making *m, const struct bp_fact *inputs, bp_err *err)
{
    const struct bp_ir *ir = m->subgraph->ir;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && inputs && i < ir->n_inputs; i++) {
        uint32_t value = ir->inputs[i];

        m->subgraph->facts[value] = inputs[i];
        rc = bp_infer_merge(ir, value, m->maker->symbols, &m->subgraph->region,
                            &m->subgraph->facts[value], err);
    }
    return rc;
}

/*
 * Makes facts, partition, report, units and stages. Missing operators are counted, and the caller
 * names them all.
 */
static bp_rc make(struct making *m, const struct bp_fact *outer, const struct bp_fact *inputs,
                  bp_err *err)
{
    struct bp_subgraph *subgraph = m->subgraph;
    bp_rc rc;

    rc = bp_infer_start(subgraph->ir, outer, m->maker->symbols, &subgraph->region, &subgraph->facts,
                        err);
    if (rc >= 0)
        rc = set_inputs(m, inputs, err);
    if (rc >= 0)
        rc = bp_infer_run(subgraph->ir, NULL, subgraph->ir->n_nodes, subgraph->facts,
                          m->maker->symbols, &subgraph->region, err);
    if (rc >= 0)
        rc = partition(m, err);
    if (rc >= 0)
        rc = add_to_report(m, err);
    if (rc >= 0)
        rc = find_missing(m, err);
    if (rc >= 0)
        rc = make_units(m, err);
    if (rc >= 0)
        rc = list_captures(subgraph, err);
    if (rc >= 0)
        rc = bp_subgraph_make_stages(subgraph, err);
    return rc;
}

/* calloc() zeroes all members, so a subgraph that failed halfway can be destroyed. */
bp_rc bp_subgraph_create(struct bp_subgraph_maker *maker, struct bp_ir *ir,
                         const struct bp_fact *outer, const struct bp_fact *inputs,
                         const char *path, struct bp_subgraph **out, bp_err *err)
{
    struct making m = {.maker = maker, .path = path};
    bp_rc rc;

    *out = NULL;
    m.subgraph = calloc(1, sizeof *m.subgraph);
    if (!m.subgraph)
        return bp_fail_nomem(err, "a graph's programs");
    m.subgraph->ir = ir;
    m.subgraph->memory = maker->memory;
    m.subgraph->max_plans = maker->max_plans ? maker->max_plans : BP_MOST_PLANS;
    if (outer)
        m.subgraph->max_plans = BP_FEW_PLANS;
    rc = make(&m, outer, inputs, err);
    if (rc < 0) {
        bp_subgraph_destroy(m.subgraph);
        return rc;
    }
    *out = m.subgraph;
    return BP_OK;
}

/* Returns the lesser of two limits, where 0 means no limit. */
static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

uint32_t bp_subgraph_max_frames(const struct bp_subgraph *subgraph)
{
    uint32_t least = 0;

    for (uint32_t u = 0; u < subgraph->n_units; u++) {
        const struct bp_unit *unit = &subgraph->units[u];

        least = lesser(least, unit->max_frames);
        for (uint32_t i = 0;
             unit->subgraphs && i < subgraph->ir->nodes[unit->group->nodes[0]].n_subgraphs; i++) {
            if (unit->subgraphs[i])
                least = lesser(least, bp_subgraph_max_frames(unit->subgraphs[i]));
        }
    }
    return least;
}

/* Destroys programs before the subgraphs in them; a partly made subgraph is allowed. */
void bp_subgraph_destroy(struct bp_subgraph *subgraph)
{
    if (!subgraph)
        return;
    for (uint32_t u = 0; u < subgraph->n_units; u++) {
        struct bp_unit *unit = &subgraph->units[u];

        if (unit->program)
            unit->by->provider->program_free(unit->program);
        bp_custom_provider.program_free(unit->kernel);
        free(unit->saved.bytes);
        for (uint32_t i = 0;
             unit->subgraphs && i < subgraph->ir->nodes[unit->group->nodes[0]].n_subgraphs; i++)
            bp_subgraph_destroy(unit->subgraphs[i]);
        bp_fork_unwatch(&unit->fork);
        pthread_mutex_destroy(&unit->mutex);
    }
    bp_region_finish(&subgraph->region);
    free(subgraph);
}
