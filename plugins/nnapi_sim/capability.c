/* SPDX-License-Identifier: MIT */
/*
 * capability.c - which nodes the provider takes, on which device, and why it refuses the others:
 * conditions of the operators first, then the runtime is asked about what is left.
 */

#include "capability.h"

#include "provider.h"

/* ---- nodes that are not asked about ---------------------------------------------------------- */

static bool is_listed(const char *list, const char *op)
{
    size_t n = strlen(op);

    while (*list) {
        const char *comma = strchr(list, ',');
        size_t length = comma ? (size_t)(comma - list) : strlen(list);

        if (length == n && strncmp(list, op, n) == 0)
            return true;
        list += length + (comma ? 1 : 0);
    }
    return false;
}

static bool is_stopped_by(const struct bp_nn_verdicts *v, const bool *stops, const bp_node *node)
{
    const bp_graph *graph = v->facts->graph;

    for (uint32_t i = 0; i < node->n_in; i++) {
        uint32_t producer =
            node->in[i] == BP_NONE ? BP_NONE : BP_VALUE(graph, node->in[i])->producer;

        if (producer != BP_NONE && stops[producer])
            return true;
    }
    return false;
}

/* A stop operator, and all that depends on one, is left to others (partitioning_stop_ops). */
static bool *find_stopped(const struct bp_nn_verdicts *v)
{
    const bp_graph *graph = v->facts->graph;
    bool *stops = bp_blocks_array(v->facts->memory, graph->n_nodes, sizeof *stops);

    for (uint32_t i = 0; stops && i < graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(graph, i);

        if (is_listed(v->instance->stop_ops, node->op)) {
            stops[i] = true;
            bp_refuse(v->claims, i, BP_R_OPTION, NULL, "partitioning_stop_ops has its operator");
        } else if (is_stopped_by(v, stops, node)) {
            stops[i] = true;
            bp_refuse(v->claims, i, BP_R_OPTION, NULL,
                      "it depends on an operator of partitioning_stop_ops");
        }
    }
    return stops;
}

/* Bodies of If, Loop and Scan are left to others, as ONNX Runtime's provider leaves them. */
static bool is_subgraph(const bp_instance *instance, const bp_graph *graph)
{
    const bp_ext_model *ext = instance->host.extension(instance->host.h, BP_EXT_MODEL);
    bp_graph_parent parent = {.struct_size = sizeof parent};

    if (graph->outer)
        return true;
    if (!ext)
        return false;
    ext->parent(instance->host.h, graph, 0, &parent);
    return parent.node != NULL;
}

static void refuse_all(const bp_graph *graph, const bp_claims *claims, uint32_t reason,
                       const char *text)
{
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        bp_refuse(claims, i, reason, NULL, text);
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* The smaller root stays one: a set's root is its first node. */
static void unite(struct bp_nn_verdicts *v, uint32_t a, uint32_t b)
{
    uint32_t x = bp_nn_root(v, a), y = bp_nn_root(v, b);

    v->set[x < y ? y : x] = x < y ? x : y;
}

/* Bytes that a node hands on outside of a unit have the scale that their producer has given them. */
static bool follows_producers(struct bp_nn_verdicts *v, const struct bp_nn_query *query)
{
    const struct bp_nn_unit *unit = query->unit;
    uint32_t producer;

    for (uint32_t i = 0; i < unit->n_in; i++) {
        const bp_value *value;

        if (unit->in[i].value == BP_NONE || !unit->in[i].is_quantized ||
            unit->in[i].scale != BP_NONE)
            continue;
        value = BP_VALUE(query->graph, unit->in[i].value);
        if (value->dtype != BP_DTYPE_U8)
            continue; /* the bias of a QLinearConv */
        producer = value->producer;
        if (producer == BP_NONE || !v->takes[producer])
            return bp_nn_refuse(query, BP_R_OTHER, value->name,
                                "its uint8 input is made outside of the group, so that NNAPI "
                                "would not know its scale");
        unite(v, unit->index, producer);
    }
    return true;
}

/* Asks a node, or the unit around it. */
static bp_rc ask_operator(struct bp_nn_verdicts *v, uint32_t index, bp_err *err)
{
    const bp_graph *graph = v->facts->graph;
    const bp_node *node = BP_NODE(graph, index);
    const struct bp_nn_op *op = bp_nn_find_op(node);
    struct bp_nn_unit unit;
    struct bp_nn_query query = {.instance = v->instance,
                                .facts = v->facts,
                                .graph = graph,
                                .node = node,
                                .unit = &unit,
                                .claims = v->claims};

    if (!bp_nn_facts_unit(v->facts, index, &unit))
        return bp_fail(err, BP_E_NOMEM, "nnapi: no memory for node '%s'", node->name);
    if (!op)
        bp_nn_refuse(&query, BP_R_OP, NULL, "the operator is not in the provider's table");
    else
        v->takes[index] = bp_nn_takes(op, &query) &&
                          (unit.is_qdq || !unit.in[0].is_quantized || follows_producers(v, &query));
    return BP_OK;
}

/* DequantizeLinear and QuantizeLinear of a unit that is taken go with it. */
static void take_unit(struct bp_nn_verdicts *v, uint32_t middle)
{
    const bp_graph *graph = v->facts->graph;
    struct bp_nn_unit unit;

    if (!v->takes[middle] || !bp_nn_facts_unit(v->facts, middle, &unit) || !unit.is_qdq)
        return;
    v->takes[unit.quantize] = true;
    unite(v, middle, unit.quantize);
    for (uint32_t i = 0; i < unit.n_in; i++) {
        if (unit.node->in[i] == BP_NONE)
            continue;
        v->takes[BP_VALUE(graph, unit.node->in[i])->producer] = true;
        unite(v, middle, BP_VALUE(graph, unit.node->in[i])->producer);
    }
}

/*
 * In the graph's order, so that a node's producers are known: a node of a unit that was taken
 * already is not asked; a QuantizeLinear whose unit was refused is a node alone.
 */
static bp_rc ask_operators(struct bp_nn_verdicts *v, const bool *stops, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < v->facts->graph->n_nodes; i++) {
        if (stops[i] || v->takes[i])
            continue;
        rc = ask_operator(v, i, err);
        take_unit(v, i);
    }
    return rc;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Not worth a group of its own: it only renames. */
static bool is_trivial(const bp_node *node)
{
    return strcmp(node->op, "Reshape") == 0 || strcmp(node->op, "Flatten") == 0 ||
           strcmp(node->op, "Identity") == 0;
}

static void answer_set(const struct bp_nn_verdicts *v, uint32_t root, uint32_t device,
                       const char *why)
{
    bool is_alone = v->next[root] == BP_NONE;

    for (uint32_t i = root; i != BP_NONE; i = v->next[i]) {
        bp_claim claim = {.struct_size = sizeof claim, .verdict = BP_YES};

        if (device == BP_NONE) {
            bp_refuse(v->claims, i, BP_R_DEVICE_FEATURE, NULL, why);
            continue;
        }
        if (is_alone && is_trivial(BP_NODE(v->facts->graph, i)))
            claim.verdict = BP_ONLY_IN_GROUP;
        claim.together = is_alone ? 0 : root + 1;
        claim.device = v->instance->n_devices > 0 ? v->instance->claim_device[device] : 0;
        v->claims->node(v->claims->h, i, &claim);
    }
}

/* Sets become lists, each in the graph's order. False: no memory. */
static bool list_sets(struct bp_nn_verdicts *v)
{
    uint32_t n = v->facts->graph->n_nodes;
    uint32_t *last = bp_blocks_array(v->facts->memory, n, sizeof *last);

    if (!last)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t root = bp_nn_root(v, i);

        v->next[i] = BP_NONE;
        if (v->takes[i] && root != i)
            v->next[last[root]] = i;
        last[root] = i;
    }
    return true;
}

static bp_rc ask_runtime(struct bp_nn_verdicts *v, bp_err *err)
{
    if (!list_sets(v))
        return bp_fail(err, BP_E_NOMEM, "nnapi: no memory for sets of nodes");
    for (uint32_t i = 0; i < v->facts->graph->n_nodes; i++) {
        char why[256] = "no device takes it";
        uint32_t device;
        bp_rc rc;

        if (!v->takes[i] || bp_nn_root(v, i) != i)
            continue;
        rc = bp_nn_try_set(v, i, &device, why, sizeof why, err);
        if (rc < 0)
            return rc;
        answer_set(v, i, device, why);
    }
    return BP_OK;
}

static bp_rc answer_graph(struct bp_nn_verdicts *v, bp_err *err)
{
    const bp_graph *graph = v->facts->graph;
    bool *stops = find_stopped(v);
    bp_rc rc;

    v->takes = bp_blocks_array(v->facts->memory, graph->n_nodes, sizeof *v->takes);
    v->set = bp_blocks_array(v->facts->memory, graph->n_nodes, sizeof *v->set);
    v->next = bp_blocks_array(v->facts->memory, graph->n_nodes, sizeof *v->next);
    if (!stops || !v->takes || !v->set || !v->next ||
        !bp_nn_new_places(graph, v->facts->memory, &v->places, &v->is_done))
        return bp_fail(err, BP_E_NOMEM, "nnapi: no memory for %u nodes", graph->n_nodes);
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        v->set[i] = i;
    rc = ask_operators(v, stops, err);
    return rc < 0 ? rc : ask_runtime(v, err);
}

bp_rc bp_nn_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                       bp_err *err)
{
    struct bp_blocks memory = {.host = &instance->host};
    struct bp_nn_facts facts;
    struct bp_nn_verdicts verdicts = {.instance = instance, .facts = &facts, .claims = claims};
    bp_rc rc;

    if (is_subgraph(instance, graph)) {
        refuse_all(graph, claims, BP_R_CONTROL_FLOW, "bodies of control flow are not taken");
        return BP_OK;
    }
    if (bp_nn_lacks_devices(instance)) {
        refuse_all(graph, claims, BP_R_OPTION,
                   instance->options.flags & BP_NN_CPU_ONLY
                       ? "cpu_only is set, and NNAPI has no CPU device here"
                       : "cpu_disabled is set, and NNAPI has no other device than its CPU here");
        return BP_OK;
    }
    rc = bp_nn_facts_init(&facts, instance, graph, &memory)
             ? answer_graph(&verdicts, err)
             : bp_fail(err, BP_E_NOMEM, "nnapi: no memory for a graph of %u nodes", graph->n_nodes);
    bp_blocks_free(&memory);
    return rc;
}
