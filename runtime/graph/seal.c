/* SPDX-License-Identifier: MIT */
/* seal.c - ends the building of a graph: all is provided once, named, checked and in order. */

#include "config.h"

#include <assert.h>
#include <stdlib.h>

#include "graph/custom.h"
#include "graph/schema_table.h"
#include "graph/seal_parts.h"

/* Values that no node may write. */
#define GIVEN (BP_IR_INPUT | BP_IR_CONSTANT | BP_IR_DEFAULTED | BP_IR_CAPTURED)

typedef uint32_t (*opset_fn)(void *h, const char *domain);

/* Constants of the graph around are constants here as well. */
static void inherit_constants(struct bp_ir *ir)
{
    for (uint32_t i = 0; i < ir->n_values; i++) {
        struct bp_ir_value *value = &ir->values[i];
        const struct bp_ir_value *outer;

        if (!(value->flags & BP_IR_CAPTURED))
            continue;
        outer = &ir->parent->values[value->outer];
        if (outer->flags & BP_IR_CONSTANT) {
            value->data = outer->data;
            value->flags |= BP_IR_CONSTANT;
        }
    }
}

/*
 * Sets the flags of inputs and outputs from the lists that the model gave, as both may name a
 * value that a node or an initializer makes.
 */
static void flag_ends(struct bp_ir *ir)
{
    for (uint32_t i = 0; i < ir->n_inputs; i++)
        ir->values[ir->inputs[i]].flags |= BP_IR_INPUT;
    for (uint32_t i = 0; i < ir->n_outputs; i++)
        ir->values[ir->outputs[i]].flags |= BP_IR_OUTPUT;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct naming {
    struct bp_strmap owners; /* name -> index of the node that has it */
    struct bp_strmap next;   /* base -> number to try next, so that no search starts anew */
};

/* "<base>_<number>" that no node has; `requested` is tried first. NULL: no memory. */
static const char *free_name(struct bp_ir *ir, struct naming *naming, const char *base,
                             uint32_t requested)
{
    size_t n = strlen(base) + 12;
    char *name = bp_region_alloc(ir->region, n);
    uint32_t next;

    if (!name)
        return NULL;
    snprintf(name, n, "%s_%u", base, requested);
    if (bp_strmap_get(&naming->owners, name, BP_NONE) == BP_NONE)
        return name;
    next = bp_strmap_get(&naming->next, base, 1);
    do {
        snprintf(name, n, "%s_%u", base, next++);
    } while (bp_strmap_get(&naming->owners, name, BP_NONE) != BP_NONE);
    return bp_strmap_put(&naming->next, base, next) ? name : NULL;
}

/* Gives each node a name of its own: models leave them out, and repeat them. */
static bp_rc name_nodes(struct bp_ir *ir, bp_err *err)
{
    struct naming naming = {0};
    bool ok = true;

    for (uint32_t i = 0; ok && i < ir->n_nodes; i++) {
        const char *name = ir->nodes[i].name;

        if (name[0] && bp_strmap_get(&naming.owners, name, BP_NONE) == BP_NONE)
            ok = bp_strmap_put(&naming.owners, name, i);
    }
    for (uint32_t i = 0; ok && i < ir->n_nodes; i++) {
        struct bp_ir_node *node = &ir->nodes[i];

        if (node->name[0] && bp_strmap_get(&naming.owners, node->name, BP_NONE) == i)
            continue;
        node->name = node->name[0] ? free_name(ir, &naming, node->name, 1)
                                   : free_name(ir, &naming, node->op, i);
        ok = node->name && bp_strmap_put(&naming.owners, node->name, i);
    }
    bp_strmap_finish(&naming.owners);
    bp_strmap_finish(&naming.next);
    return ok ? BP_OK : bp_fail_nomem(err, "names of nodes");
}

/* ---- producers ------------------------------------------------------------------------------- */

/* A value has one producer (ONNX: static single assignment); the message names both nodes. */
static bp_rc fail_second(const struct bp_ir *ir, const struct bp_ir_node *node,
                         uint32_t value_index, bp_err *err)
{
    const struct bp_ir_value *value = &ir->values[value_index];
    const struct bp_ir_node *other;

    if (value->producer == BP_NONE)
        return bp_fail(err, BP_E_INVALID, "node '%s' (%s) writes '%s', which is %s already",
                       node->name, node->op, value->name,
                       value->flags & BP_IR_INPUT      ? "an input"
                       : value->flags & BP_IR_CAPTURED ? "a value of the graph around it"
                                                       : "an initializer");
    other = &ir->nodes[value->producer];
    if (other == node)
        return bp_fail(err, BP_E_INVALID, "node '%s' (%s) writes '%s' twice", node->name, node->op,
                       value->name);
    return bp_fail(err, BP_E_INVALID, "nodes '%s' (%s) and '%s' (%s) both write '%s'", other->name,
                   other->op, node->name, node->op, value->name);
}

/* Producer of each value, for the order of nodes. Initializers and inputs have none. */
static bp_rc set_producers(struct bp_ir *ir, bp_err *err)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        for (uint32_t j = 0; j < node->n_out; j++) {
            struct bp_ir_value *value;

            if (node->out[j] == BP_NONE)
                continue;
            assert(node->out[j] < ir->n_values);
            value = &ir->values[node->out[j]];
            if (value->flags & GIVEN || value->producer != BP_NONE)
                return fail_second(ir, node, node->out[j], err);
            value->producer = i;
        }
    }
    return BP_OK;
}

static bool is_provided(const struct bp_ir *ir, uint32_t value)
{
    return ir->values[value].producer != BP_NONE || ir->values[value].flags & GIVEN;
}

/*
 * Each value of a list, inputs of a node or what its subgraphs capture, must have a producer or
 * be given.
 */
static bp_rc check_reads(const struct bp_ir *ir, const struct bp_ir_node *node,
                         const uint32_t *list, uint32_t n, const char *where, bp_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        assert(list[i] == BP_NONE || list[i] < ir->n_values);
        if (list[i] != BP_NONE && !is_provided(ir, list[i]))
            return bp_fail_detail(
                err, BP_E_INVALID, BP_DETAIL_NO_PRODUCER,
                "node '%s' (%s) reads '%s'%s, which no node, input or initializer provides",
                node->name, node->op, ir->values[list[i]].name, where);
    }
    return BP_OK;
}

/*
 * The same for all nodes and for the outputs of the graph. A graph without a producer for an
 * output could not run.
 */
static bp_rc check_provided(const struct bp_ir *ir, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc == BP_OK && i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        rc = check_reads(ir, node, node->in, node->n_in, "", err);
        if (rc == BP_OK)
            rc = check_reads(ir, node, node->implicit, node->n_implicit, " in a subgraph", err);
    }
    for (uint32_t i = 0; rc == BP_OK && i < ir->n_outputs; i++) {
        if (!is_provided(ir, ir->outputs[i]))
            rc = bp_fail(err, BP_E_INVALID,
                         "output '%s' of graph '%s' is provided by no node, input or initializer",
                         ir->values[ir->outputs[i]].name, ir->name);
    }
    return rc;
}

/* ---- subgraphs ------------------------------------------------------------------------------- */

/* What the subgraphs of node i take from here, each value once. seen: a stamp for each value. */
static bp_rc list_captures(struct bp_ir *ir, uint32_t i, uint32_t *seen, bp_err *err)
{
    struct bp_ir_node *node = &ir->nodes[i];
    size_t most = 0;

    for (uint32_t b = 0; b < node->n_subgraphs; b++)
        most += node->subgraphs[b]->n_values;
    most = most < ir->n_values ? most : ir->n_values;
    node->implicit = bp_region_array(ir->region, most, sizeof *node->implicit);
    if (!node->implicit)
        return bp_fail_nomem(err, "what subgraphs capture");
    for (uint32_t b = 0; b < node->n_subgraphs; b++) {
        const struct bp_ir *subgraph = node->subgraphs[b];

        for (uint32_t v = 0; v < subgraph->n_values; v++) {
            uint32_t outer = subgraph->values[v].outer;

            if (!(subgraph->values[v].flags & BP_IR_CAPTURED) || seen[outer] == i + 1)
                continue;
            seen[outer] = i + 1;
            node->implicit[node->n_implicit++] = outer;
        }
    }
    return BP_OK;
}

/*
 * Subgraphs first: what they capture decides what their node reads, and so the order of nodes
 * here.
 */
static bp_rc seal_subgraphs(struct bp_ir *ir, opset_fn opset, void *h, bp_err *err)
{
    uint32_t *seen = calloc((size_t)ir->n_values + 1, sizeof *seen);
    bp_rc rc = seen ? BP_OK : bp_fail_nomem(err, "what subgraphs capture");

    for (uint32_t i = 0; rc == BP_OK && i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        for (uint32_t b = 0; rc == BP_OK && b < node->n_subgraphs; b++) {
            assert(node->subgraphs[b]->parent == ir);
            rc = bp_ir_seal(node->subgraphs[b], opset, h,
                            err); /* at most BP_MAX_SUBGRAPH_DEPTH deep */
            if (rc < 0)
                bp_fail_in(err, rc, "node '%s' (%s), graph '%s'", node->name, node->op,
                           node->subgraphs[b]->name);
        }
        if (rc == BP_OK && node->n_subgraphs > 0)
            rc = list_captures(ir, i, seen, err);
    }
    free(seen);
    return rc;
}

/* The application's operator of that name comes before the host's, a provider's comes last. */
static const struct bp_schema *find_schema(const struct bp_ir *ir, const struct bp_ir_node *node)
{
    const struct bp_schema *found = bp_custom_find(ir->custom, node->domain, node->op, node->opset);

    if (!found)
        found = bp_schema_find(node->domain, node->op, node->opset);
    return found || !ir->custom ? found
                                : bp_provider_ops_find(&ir->custom->of_providers, node->domain,
                                                       node->op, node->opset);
}

/*
 * Version, schema and attributes of all nodes. One whose operator is not known keeps no schema;
 * the planner reports it.
 */
static bp_rc check_nodes(struct bp_ir *ir, opset_fn opset, void *h, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc == BP_OK && i < ir->n_nodes; i++) {
        struct bp_ir_node *node = &ir->nodes[i];

        if (node->opset == 0)
            node->opset = opset(h, node->domain);
        if (node->opset)
            node->schema = find_schema(ir, node);
        if (node->schema)
            rc = bp_ir_check_node(ir, node, err);
    }
    return rc;
}

bp_rc bp_ir_seal(struct bp_ir *ir, opset_fn opset, void *h, bp_err *err)
{
    bp_rc rc;

    inherit_constants(ir);
    flag_ends(ir);
    rc = name_nodes(ir, err);
    if (rc == BP_OK)
        rc = seal_subgraphs(ir, opset, h, err);
    if (rc == BP_OK)
        rc = check_nodes(ir, opset, h, err);
    if (rc == BP_OK)
        rc = set_producers(ir, err);
    if (rc == BP_OK)
        rc = check_provided(ir, err);
    if (rc == BP_OK)
        rc = bp_ir_order(ir, err);
    return rc;
}
