/* SPDX-License-Identifier: MIT */
/* steps.c - what tests do again and again: begin, find a case, make it ready, run it. */

#include "config.h"

#include "check/coverage.h"
#include "check/graph.h"
#include "check/group_onnx.h"

const struct kit_case *kit_next_taken(struct kit *kit, bp_instance *instance,
                                      const struct kit_case *from)
{
    for (const struct kit_case *c = from; c < kit_cases + kit_n_cases; c++) {
        if (!c->is_large && kit_takes(kit, instance, c, 0))
            return c;
    }
    return NULL;
}

const struct kit_case *kit_first_taken(struct kit *kit, bp_instance *instance)
{
    return kit_next_taken(kit, instance, kit_cases);
}

const struct kit_case *kit_need_case(struct kit *kit, bp_instance *instance)
{
    const struct kit_case *c = kit_first_taken(kit, instance);

    if (!c)
        kit_skip(kit, "it takes none of the kit's %zu cases", kit_n_cases);
    return c;
}

void kit_list_refusal(struct kit *kit, bp_instance *instance, const struct kit_case *c)
{
    static const char *const verdicts[] = {"refused", "taken", "only in a group"};
    char words[256];
    uint32_t verdict = kit_verdict_of(kit, instance, c, 0, words);

    if (verdict == BP_YES || verdict > BP_ONLY_IN_GROUP)
        return;
    for (char *p = words; *p; p++) /* nothing that steers a terminal */
        *p = (unsigned char)*p < 0x20 || *p == 0x7f ? ' ' : *p;
    printf("%s  %s%s%s\n", verdicts[verdict], c->name, verdict == BP_NO ? ": " : "",
           verdict == BP_NO ? words : "");
}

void kit_list_refused(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);

    for (const struct kit_case *c = kit_cases; c < kit_cases + kit_n_cases; c++)
        kit_list_refusal(kit, instance, c);
    kit_onnx_list(kit, instance);
    kit->p.destroy(instance);
}

void kit_declare_operators(struct kit *kit)
{
    kit_open(kit);
    for (uint32_t i = 0; i < kit->p.n_schemas; i++) {
        const bp_op_schema *row = BP_AT(bp_op_schema, kit->p.schemas, kit->p.schema_stride, i);

        kit_coverage_declared(row->domain, row->name);
    }
}

struct kit_graph *kit_ready(struct kit *kit, struct kit_exec *exec, bp_instance *instance,
                            const struct kit_case *c, uint32_t flags)
{
    struct kit_graph *graph = kit_graph_new();
    const bp_graph *table;
    bp_rc rc;

    kit->doing = c->name;
    if (c->second)
        kit_graph_add_pair(graph, c, flags);
    else
        kit_graph_add(graph, c, flags);
    table = kit_graph_table(graph, false);
    rc = kit_compile(kit, exec, instance, table);
    if (rc < 0)
        kit_fail(kit, "%s: taken, but compile gives %d: %s", c->name, (int)rc, kit->words);
    rc = kit_frame(exec, table, c);
    if (rc < 0)
        kit_fail(kit, "%s: taken, but frame_create gives %d: %s", c->name, (int)rc, kit->words);
    return graph;
}

bp_instance *kit_begin(struct kit *kit)
{
    kit_open_usable(kit);
    return kit_instance(kit);
}

void kit_execute_well(struct kit_exec *exec, const struct kit_case *c)
{
    bp_rc rc = kit_execute(exec);

    if (rc != BP_OK)
        kit_fail(exec->kit, "%s: execute gives %d: %s", c->name, (int)rc, exec->kit->words);
}

/* Runs a case by itself and compares. */
void kit_run_case(struct kit *kit, bp_instance *instance, const struct kit_case *c, uint32_t flags,
                  unsigned skew)
{
    struct kit_exec exec;
    struct kit_graph *graph;

    kit->doing = c->name;
    graph = kit_ready(kit, &exec, instance, c, flags);
    kit_place(&exec, c, 7, skew);
    kit_execute_well(&exec, c);
    kit_check(&exec, c, c->name);
    kit_exec_finish(&exec);
    kit_graph_free(graph);
}
