/* SPDX-License-Identifier: MIT */
/*
 * assignment.c - which provider runs which nodes (OrtEpAssignedSubgraph): a copy of the session's
 * report.
 *
 * All objects are the session's, and valid as long as it is.
 */

#include "config.h"

#include "ort/session/assignment.h"

#include <stdlib.h>
#include <string.h>

#include "ort/session/session.h"
#include "ort/status.h"

struct OrtEpAssignedNode {
    const char *name, *domain, *op; /* the report's */
};

struct OrtEpAssignedSubgraph {
    char ep_name[128];
    const OrtEpAssignedNode **nodes;
    size_t n_nodes;
};

struct ort_assignment {
    OrtEpAssignedNode *nodes;
    const OrtEpAssignedNode **node_list; /* by group */
    OrtEpAssignedSubgraph *groups;
    const OrtEpAssignedSubgraph **list;
    size_t n;
};

void ort_assignment_destroy(struct ort_assignment *assignment)
{
    if (!assignment)
        return;
    free(assignment->nodes);
    free(assignment->node_list);
    free(assignment->groups);
    free(assignment->list);
    free(assignment);
}

/* Appends the nodes of group g to the list at *at. */
static void fill(struct ort_assignment *to, const bp_report *report, uint32_t g, size_t *at)
{
    OrtEpAssignedSubgraph *group = &to->groups[g];
    uint32_t n = bp_report_node_count(report);

    group->nodes = to->node_list + *at;
    for (uint32_t i = 0; i < n; i++) {
        bp_report_node node = {.struct_size = sizeof node};

        if (bp_report_get_node(report, i, &node, NULL) < 0 || node.group != g)
            continue;
        to->nodes[i] = (OrtEpAssignedNode){node.name, node.domain, node.op};
        to->node_list[(*at)++] = &to->nodes[i];
        group->n_nodes++;
    }
}

/* One subgraph for each group of the report. */
static struct ort_assignment *build(const bp_report *report)
{
    struct ort_assignment *made = calloc(1, sizeof *made);
    uint32_t n_groups = bp_report_group_count(report);
    uint32_t n_nodes = bp_report_node_count(report);
    size_t at = 0;

    if (!made)
        return NULL;
    made->nodes = calloc(n_nodes + 1, sizeof *made->nodes);
    made->node_list = calloc(n_nodes + 1, sizeof *made->node_list);
    made->groups = calloc(n_groups + 1, sizeof *made->groups);
    made->list = calloc(n_groups + 1, sizeof *made->list);
    if (!made->nodes || !made->node_list || !made->groups || !made->list) {
        ort_assignment_destroy(made);
        return NULL;
    }
    made->n = n_groups;
    for (uint32_t g = 0; g < n_groups; g++) {
        bp_report_group row = {.struct_size = sizeof row};
        bp_report_provider provider = {.struct_size = sizeof provider};

        if (bp_report_get_group(report, g, &row, NULL) >= 0 &&
            bp_report_get_provider(report, row.provider, &provider, NULL) >= 0)
            bp_provider_long_name(provider.name, made->groups[g].ep_name,
                                  sizeof made->groups[g].ep_name);
        fill(made, report, g, &at);
        made->list[g] = &made->groups[g];
    }
    return made;
}

/* Once, when the session is created, so that the slots only read. */
OrtStatus *ort_assignment_record(OrtSession *session)
{
    session->assignment = build(bp_session_report(session->host));
    return session->assignment ? NULL : ort_no_memory();
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 24: ORT_FAIL unless session.record_ep_graph_assignment_info was 1. */
OrtStatus *ort_Session_GetEpGraphAssignmentInfo(const OrtSession *session,
                                                const OrtEpAssignedSubgraph *const **ep_subgraphs,
                                                size_t *num_ep_subgraphs)
{
    ORT_NEED(session);
    ORT_NEED(ep_subgraphs);
    ORT_NEED(num_ep_subgraphs);
    if (!session->assignment)
        return ort_fail(ORT_FAIL, "the session was made without the entry "
                                  "session.record_ep_graph_assignment_info=1");
    *ep_subgraphs = session->assignment->list;
    *num_ep_subgraphs = session->assignment->n;
    return NULL;
}

/* OrtApi since version 24. */
OrtStatus *ort_EpAssignedSubgraph_GetEpName(const OrtEpAssignedSubgraph *ep_subgraph,
                                            const char **out)
{
    ORT_NEED(ep_subgraph);
    ORT_NEED(out);
    *out = ep_subgraph->ep_name;
    return NULL;
}

/* OrtApi since version 24. */
OrtStatus *ort_EpAssignedSubgraph_GetNodes(const OrtEpAssignedSubgraph *ep_subgraph,
                                           const OrtEpAssignedNode *const **ep_nodes,
                                           size_t *num_ep_nodes)
{
    ORT_NEED(ep_subgraph);
    ORT_NEED(ep_nodes);
    ORT_NEED(num_ep_nodes);
    *ep_nodes = ep_subgraph->nodes;
    *num_ep_nodes = ep_subgraph->n_nodes;
    return NULL;
}

/* OrtApi since version 24. */
OrtStatus *ort_EpAssignedNode_GetName(const OrtEpAssignedNode *ep_node, const char **out)
{
    ORT_NEED(ep_node);
    ORT_NEED(out);
    *out = ep_node->name;
    return NULL;
}

/* OrtApi since version 24. */
OrtStatus *ort_EpAssignedNode_GetDomain(const OrtEpAssignedNode *ep_node, const char **out)
{
    ORT_NEED(ep_node);
    ORT_NEED(out);
    *out = ep_node->domain;
    return NULL;
}

/* OrtApi since version 24. */
OrtStatus *ort_EpAssignedNode_GetOperatorType(const OrtEpAssignedNode *ep_node, const char **out)
{
    ORT_NEED(ep_node);
    ORT_NEED(out);
    *out = ep_node->op;
    return NULL;
}
