/* SPDX-License-Identifier: MIT */
/* declare.c - the operators that an engine's providers declare, for its graph. */

#include "config.h"

#include "session/declare.h"

bp_rc bp_engine_declare(struct bp_engine *engine, bp_err *err)
{
    struct bp_provider_ops *ops = &engine->custom.of_providers;
    struct bp_provider_list *list = &engine->providers;
    uint32_t i = 0;

    *ops = (struct bp_provider_ops){0};
    while (i < list->count) {
        const struct bp_active *active = list->active[i];
        char text[768];
        bp_err own = bp_err_init(text, sizeof text);
        bp_rc rc = bp_provider_ops_add(ops, &engine->region, active->name, active->provider,
                                       list->log, &own);

        if (rc == BP_E_NOMEM)
            return bp_fail(err, rc, "%s", text);
        if (rc >= 0) {
            i++;
            continue;
        }
        rc = bp_provider_list_drop(list, i, engine->report, BP_STAGE_CREATE, rc, text, err);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* Would a lookup of the node's operator give another schema now? */
static bool is_old(const struct bp_provider_ops *ops, const struct bp_ir_node *node)
{
    if (node->schema && !bp_provider_op_of(node->schema))
        return false;
    return bp_provider_ops_find(ops, node->domain, node->op, node->opset) != node->schema;
}

static bool has_old(const struct bp_provider_ops *ops, const struct bp_ir *ir)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        if (is_old(ops, node))
            return true;
        for (uint32_t b = 0; b < node->n_subgraphs; b++) {
            if (has_old(ops, node->subgraphs[b]))
                return true;
        }
    }
    return false;
}

bool bp_engine_graph_is_old(const struct bp_engine *engine)
{
    return has_old(&engine->custom.of_providers, engine->ir);
}
