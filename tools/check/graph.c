/* SPDX-License-Identifier: MIT */
/* graph.c - graphs as a plug-in sees them, made from cases. */

#include "config.h"

#include "check/graph.h"

#include <stdlib.h>

struct kit_graph {
    bp_graph table;
    bp_node nodes[KIT_NODES];
    bp_value values[KIT_VALUES];
    bp_attr attrs[KIT_NODES * KIT_ATTRS];
    bp_span texts[KIT_NODES * KIT_ATTRS];
    bp_dim dims[KIT_VALUES][KIT_RANK];
    uint32_t in[KIT_NODES][KIT_PORTS], out[KIT_NODES];
    uint32_t inputs[KIT_VALUES], outputs[KIT_VALUES];
    char node_names[KIT_NODES][16], value_names[KIT_VALUES][16];
    uint32_t n_nodes, n_values, n_attrs, n_inputs, n_outputs;
    const void *data[KIT_VALUES]; /* of constants */
    void *wide[3];                /* rows with a gap of GAP bytes between them */
};

enum { GAP = 24 }; /* bytes by which wide rows are longer */

struct kit_graph *kit_graph_new(void)
{
    struct kit_graph *graph = calloc(1, sizeof *graph);

    if (!graph)
        abort();
    return graph;
}

void kit_graph_free(struct kit_graph *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < sizeof graph->wide / sizeof graph->wide[0]; i++)
        free(graph->wide[i]);
    free(graph);
}

static uint32_t add_value(struct kit_graph *graph, const struct kit_port *port, uint32_t flags)
{
    uint32_t v = graph->n_values++;
    bp_value *value = &graph->values[v];

    snprintf(graph->value_names[v], sizeof graph->value_names[v], "v%u", (unsigned)v);
    value->name = graph->value_names[v];
    value->dtype = port->dtype;
    value->rank = flags & KIT_RANKLESS ? BP_RANK_UNKNOWN : port->rank;
    value->dims = value->rank == 0 || flags & KIT_RANKLESS ? NULL : graph->dims[v];
    value->producer = BP_NONE;
    for (uint32_t d = 0; d < port->rank; d++) {
        graph->dims[v][d].value = flags & KIT_DYNAMIC ? -1 : port->dims[d];
        graph->dims[v][d].symbol = 0;
        graph->dims[v][d].flags = port->dims[d] < 0 ? BP_DIM_FROM_DATA : 0;
    }
    return v;
}

static uint32_t add_input(struct kit_graph *graph, const struct kit_port *port, uint32_t flags)
{
    uint32_t v = add_value(graph, port, port->constant ? 0 : flags);
    bp_value *value = &graph->values[v];

    if (port->constant) {
        value->flags = BP_VALUE_CONSTANT;
        value->const_bytes = kit_bytes(port);
        value->const_id = v + 1;
        graph->data[v] = port->constant;
    } else {
        value->flags = BP_VALUE_INPUT;
        graph->inputs[graph->n_inputs++] = v;
    }
    return v;
}

static void add_attr(struct kit_graph *graph, const struct kit_attr *from)
{
    uint32_t a = graph->n_attrs++;
    bp_attr *attr = &graph->attrs[a];

    attr->name = from->name;
    attr->type = from->type;
    attr->count = from->count ? from->count : 1;
    attr->flags = from->count ? BP_ATTR_LIST : 0;
    attr->data = from->ints;
    if (from->type == BP_ATTR_FLOAT)
        attr->data = &from->number;
    if (from->type == BP_ATTR_STRING) {
        graph->texts[a].data = from->text;
        graph->texts[a].size = strlen(from->text);
        attr->data = &graph->texts[a];
    }
}

/* The node itself; its inputs are there. */
static uint32_t add_node(struct kit_graph *graph, const struct kit_case *c, uint32_t flags)
{
    uint32_t n = graph->n_nodes++;
    bp_node *node = &graph->nodes[n];
    uint32_t out = add_value(graph, &c->out, flags & (KIT_DYNAMIC | KIT_RANKLESS));

    snprintf(graph->node_names[n], sizeof graph->node_names[n], "n%u", (unsigned)n);
    node->name = graph->node_names[n];
    node->op = c->op;
    node->domain = "";
    node->in = graph->in[n];
    node->out = &graph->out[n];
    node->n_in = c->n_in;
    node->n_out = 1;
    node->opset = c->opset;
    node->since = c->since;
    node->first_attr = graph->n_attrs;
    while (node->n_attr < KIT_ATTRS && c->attrs[node->n_attr].name)
        add_attr(graph, &c->attrs[node->n_attr++]);
    graph->out[n] = out;
    graph->values[out].producer = n;
    if (!(flags & KIT_INNER)) {
        graph->values[out].flags = BP_VALUE_OUTPUT;
        graph->outputs[graph->n_outputs++] = out;
    }
    return n;
}

uint32_t kit_graph_add(struct kit_graph *graph, const struct kit_case *c, uint32_t flags)
{
    for (uint32_t i = 0; i < c->n_in; i++)
        graph->in[graph->n_nodes][i] = add_input(graph, &c->in[i], flags);
    return add_node(graph, c, flags);
}

uint32_t kit_graph_chain(struct kit_graph *graph, const struct kit_case *c, uint32_t from,
                         uint32_t flags)
{
    graph->in[graph->n_nodes][0] = graph->out[from];
    return add_node(graph, c, flags);
}

void kit_graph_rename(struct kit_graph *graph, uint32_t node, const char *op, const char *domain)
{
    graph->nodes[node].op = op;
    graph->nodes[node].domain = domain;
}

void kit_graph_permute(struct kit_graph *graph, const uint32_t *order)
{
    bp_node old[KIT_NODES];

    memcpy(old, graph->nodes, sizeof old);
    for (uint32_t n = 0; n < graph->n_nodes; n++) {
        graph->nodes[order[n]] = old[n];
        graph->values[old[n].out[0]].producer = order[n];
    }
}

/* The same rows, GAP bytes farther apart, with junk between them. */
static const void *spread(struct kit_graph *graph, size_t slot, const void *rows, uint32_t n,
                          size_t size)
{
    unsigned char *wide = malloc((size + GAP) * n + 1);

    if (!wide)
        abort();
    memset(wide, 0xa5, (size + GAP) * n + 1);
    for (uint32_t i = 0; i < n; i++)
        memcpy(wide + (size + GAP) * i, (const char *)rows + size * i, size);
    free(graph->wide[slot]);
    graph->wide[slot] = wide;
    return wide;
}

const bp_graph *kit_graph_table(struct kit_graph *graph, bool wide)
{
    bp_graph *t = &graph->table;
    uint32_t gap = wide ? GAP : 0;

    t->struct_size = sizeof *t;
    t->n_nodes = graph->n_nodes;
    t->n_values = graph->n_values;
    t->n_attrs = graph->n_attrs;
    t->node_stride = sizeof(bp_node) + gap;
    t->value_stride = sizeof(bp_value) + gap;
    t->attr_stride = sizeof(bp_attr) + gap;
    t->nodes = graph->nodes;
    t->values = graph->values;
    t->attrs = graph->attrs;
    if (wide) {
        t->nodes = spread(graph, 0, graph->nodes, t->n_nodes, sizeof(bp_node));
        t->values = spread(graph, 1, graph->values, t->n_values, sizeof(bp_value));
        t->attrs = spread(graph, 2, graph->attrs, t->n_attrs, sizeof(bp_attr));
    }
    t->inputs = graph->inputs;
    t->outputs = graph->outputs;
    t->n_inputs = graph->n_inputs;
    t->n_outputs = graph->n_outputs;
    t->host = graph;
    return t;
}

bp_span kit_graph_constant(const bp_graph *table, uint32_t value)
{
    const struct kit_graph *graph = table->host;
    bp_span span = {graph->data[value], graph->values[value].const_bytes};

    return span;
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool is_cost(double v)
{
    return v >= 0 && v < 1e30; /* false for NaN */
}

static void answer(void *h, uint32_t node, const bp_claim *claim)
{
    struct kit_answers *answers = h;
    struct kit_answer *row;

    if (node >= answers->n_nodes) {
        answers->broken = "it answers for a node that is not there";
        return;
    }
    if (claim->verdict > BP_ONLY_IN_GROUP)
        answers->broken = "an answer is none of BP_NO, BP_YES, BP_ONLY_IN_GROUP";
    if (claim->verdict == BP_NO && (claim->reason == BP_R_NONE || claim->reason >= BP_R_END))
        answers->broken = "a refusal has no reason of BP_R_*";
    if (claim->text && strchr(claim->text, '\n'))
        answers->broken = "a newline in a refusal's text";
    if (claim->cost && claim->cost->known &&
        !(is_cost(claim->cost->run_ns) && is_cost(claim->cost->launch_ns)))
        answers->broken = "a cost is negative or not finite";
    row = &answers->node[node];
    row->is_given = true;
    row->verdict = claim->verdict;
    row->reason = claim->reason;
}

void kit_ask(struct kit *kit, bp_instance *instance, const bp_graph *table, struct kit_answers *out)
{
    bp_claims claims = {sizeof claims, 0, out, answer};
    bp_rc rc;

    memset(out, 0, sizeof *out);
    out->n_nodes = table->n_nodes;
    rc = kit->p.capability(instance, table, &claims, kit_err(kit));
    if (rc < 0)
        kit_fail(kit, "capability gives %d: %s", (int)rc, kit->words);
}

bool kit_takes(struct kit *kit, bp_instance *instance, const struct kit_case *c, uint32_t flags)
{
    struct kit_graph *graph = kit_graph_new();
    struct kit_answers answers;

    kit_graph_add(graph, c, flags);
    kit_ask(kit, instance, kit_graph_table(graph, false), &answers);
    kit_graph_free(graph);
    return answers.node[0].verdict == BP_YES;
}
