/* SPDX-License-Identifier: MIT */
/* graph.c - graphs as a plug-in sees them, made from cases. */

#include "config.h"

#include <stdlib.h>

#include "check/coverage.h"
#include "check/graph.h"
#include "check/guard.h"

enum { GAP = 24 /* bytes by which wide rows are longer */, FEW_NODES = 16, NAME = 24 };

static uint32_t next_serial;

/* A value as it is when all sizes are known, and the bytes of a constant. */
struct known {
    int64_t dims[KIT_RANK];
    uint32_t rank;
    void *data, *block; /* block: what is to be freed, or unmapped if `mapped` */
    size_t mapped;
};

struct kit_graph {
    bp_graph table;
    uint32_t n_nodes, n_values, n_attrs, n_inputs, n_outputs, most;
    /* Rows for `most` nodes. */
    bp_node *nodes;
    bp_value *values;
    bp_attr *attrs;
    bp_span *texts;
    bp_dim (*dims)[KIT_RANK];
    uint32_t (*in)[KIT_PORTS], *out, *inputs, *outputs;
    char (*node_names)[NAME], (*value_names)[NAME];
    uint32_t serial; /* part of its names */
    struct known *known;
    void *wide[3]; /* rows with a gap of GAP bytes between them */
};

static void *rows(size_t n, size_t size)
{
    void *p = calloc(n, size);

    if (!p)
        abort();
    return p;
}

struct kit_graph *kit_graph_new_for(uint32_t n_nodes)
{
    struct kit_graph *graph = rows(1, sizeof *graph);
    size_t n_values = (size_t)n_nodes * (KIT_PORTS + 1);

    graph->most = n_nodes;
    graph->serial = next_serial++;
    graph->nodes = rows(n_nodes, sizeof *graph->nodes);
    graph->values = rows(n_values, sizeof *graph->values);
    graph->attrs = rows((size_t)n_nodes * KIT_ATTRS, sizeof *graph->attrs);
    graph->texts = rows((size_t)n_nodes * KIT_ATTRS, sizeof *graph->texts);
    graph->dims = rows(n_values, sizeof *graph->dims);
    graph->in = rows(n_nodes, sizeof *graph->in);
    graph->out = rows(n_nodes, sizeof *graph->out);
    graph->inputs = rows(n_values, sizeof *graph->inputs);
    graph->outputs = rows(n_nodes, sizeof *graph->outputs);
    graph->node_names = rows(n_nodes, sizeof *graph->node_names);
    graph->value_names = rows(n_values, sizeof *graph->value_names);
    graph->known = rows(n_values, sizeof *graph->known);
    return graph;
}

void kit_graph_same_names(void)
{
    next_serial = 0;
}

struct kit_graph *kit_graph_new(void)
{
    return kit_graph_new_for(FEW_NODES);
}

void kit_graph_free(struct kit_graph *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < sizeof graph->wide / sizeof graph->wide[0]; i++)
        free(graph->wide[i]);
    for (uint32_t v = 0; v < graph->n_values; v++) {
        if (graph->known[v].mapped)
            kit_unmap(graph->known[v].block, graph->known[v].mapped);
        else
            free(graph->known[v].block);
    }
    free(graph->nodes);
    free(graph->values);
    free(graph->attrs);
    free(graph->texts);
    free(graph->dims);
    free(graph->in);
    free(graph->out);
    free(graph->inputs);
    free(graph->outputs);
    free(graph->node_names);
    free(graph->value_names);
    free(graph->known);
    free(graph);
}

static uint32_t add_value(struct kit_graph *graph, const struct kit_port *port, uint32_t flags)
{
    uint32_t v = graph->n_values++;
    bp_value *value = &graph->values[v];

    snprintf(graph->value_names[v], sizeof graph->value_names[v], "g%u_v%u",
             (unsigned)graph->serial, (unsigned)v);
    value->name = graph->value_names[v];
    value->dtype = port->dtype;
    value->rank = flags & KIT_RANKLESS ? BP_RANK_UNKNOWN : port->rank;
    value->dims = value->rank == 0 || flags & KIT_RANKLESS ? NULL : graph->dims[v];
    value->producer = BP_NONE;
    graph->known[v].rank = port->rank;
    memcpy(graph->known[v].dims, port->dims, sizeof graph->known[v].dims);
    for (uint32_t d = 0; d < port->rank; d++) {
        graph->dims[v][d].value = flags & KIT_DYNAMIC ? -1 : port->dims[d];
        graph->dims[v][d].symbol = 0;
        graph->dims[v][d].flags = port->dims[d] < 0 ? BP_DIM_FROM_DATA : 0;
    }
    return v;
}

/* Equal numbers for equal bytes, in all graphs of the process: FNV-1a. */
static uint64_t id_of(const unsigned char *data, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325u ^ n;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ data[i]) * 0x100000001b3u;
    return hash ? hash : 1;
}

static void add_constant(struct kit_graph *graph, uint32_t v, const struct kit_case *c,
                         const struct kit_port *port, uint32_t flags)
{
    struct known *known = &graph->known[v];
    bp_value *value = &graph->values[v];
    size_t n = kit_bytes(port);
    void *data;

    /* malloc's alignment, so that elements are filled in where they may lie */
    data = rows(n + 64, 1);
    kit_fill(c, port, data, port->seed);
    value->flags = BP_VALUE_CONSTANT;
    value->const_bytes = n;
    value->const_id = id_of(data, n);
    known->data = known->block = data;
    if (flags & KIT_TIGHT) {
        known->block = kit_map_tight(n, 1, &known->data, &known->mapped);
        memcpy(known->data, data, n);
        free(data);
        kit_guard_add(known->data, n, "an initializer", (int)v, true);
        kit_protect(known->data, n, true);
    } else if (flags & KIT_ODD) {
        memmove((char *)data + 1, data, n);
        known->data = (char *)data + 1;
    }
}

bool kit_is_fed(const struct kit_port *port)
{
    return !port->is_absent && port->role != KIT_CONSTANT;
}

static uint32_t add_input(struct kit_graph *graph, const struct kit_case *c,
                          const struct kit_port *port, uint32_t flags)
{
    bool is_constant = port->role == KIT_CONSTANT;
    uint32_t v;

    if (port->is_absent)
        return BP_NONE;
    v = add_value(graph, port, is_constant ? 0 : flags);
    if (is_constant) {
        add_constant(graph, v, c, port, flags);
    } else {
        graph->values[v].flags = BP_VALUE_INPUT;
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
    if (from->data) {
        attr->count = from->count;
        attr->flags = from->is_list ? BP_ATTR_LIST : 0;
        attr->data = from->data;
        return;
    }
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

    snprintf(graph->node_names[n], sizeof graph->node_names[n], "g%u_n%u", (unsigned)graph->serial,
             (unsigned)n);
    node->name = graph->node_names[n];
    node->op = c->op;
    node->domain = c->domain ? c->domain : "";
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
    if (graph->n_nodes == graph->most)
        abort();
    for (uint32_t i = 0; i < c->n_in; i++)
        graph->in[graph->n_nodes][i] = add_input(graph, c, &c->in[i], flags);
    return add_node(graph, c, flags);
}

uint32_t kit_graph_chain(struct kit_graph *graph, const struct kit_case *c, uint32_t from,
                         uint32_t flags)
{
    if (graph->n_nodes == graph->most)
        abort();
    graph->in[graph->n_nodes][0] = graph->out[from];
    for (uint32_t i = 1; i < c->n_in; i++)
        graph->in[graph->n_nodes][i] = add_input(graph, c, &c->in[i], flags);
    return add_node(graph, c, flags);
}

/* The nodes of a pair, whose first may be one too; the index of the last. */
static uint32_t add_pair(struct kit_graph *graph, const struct kit_case *pair, uint32_t flags)
{
    uint32_t inner = flags | KIT_INNER;
    uint32_t first = pair->first->second ? add_pair(graph, pair->first, inner)
                                         : kit_graph_add(graph, pair->first, inner);

    return kit_graph_chain(graph, pair->second, first, flags);
}

void kit_graph_add_pair(struct kit_graph *graph, const struct kit_case *pair, uint32_t flags)
{
    add_pair(graph, pair, flags);
}

const int64_t *kit_graph_dims(const bp_graph *table, uint32_t value, uint32_t *rank)
{
    const struct kit_graph *graph = table->host;

    *rank = graph->known[value].rank;
    return graph->known[value].dims;
}

void kit_graph_rename(struct kit_graph *graph, uint32_t node, const char *op, const char *domain)
{
    graph->nodes[node].op = op;
    graph->nodes[node].domain = domain;
}

void kit_graph_permute(struct kit_graph *graph, const uint32_t *order)
{
    bp_node *old = rows(graph->n_nodes + 1, sizeof *old);

    memcpy(old, graph->nodes, graph->n_nodes * sizeof *old);
    for (uint32_t n = 0; n < graph->n_nodes; n++) {
        graph->nodes[order[n]] = old[n];
        graph->values[old[n].out[0]].producer = order[n];
    }
    free(old);
}

/* The same rows, GAP bytes farther apart, with junk between them. */
static const void *spread(struct kit_graph *graph, size_t slot, const void *near, uint32_t n,
                          size_t size)
{
    unsigned char *wide = malloc((size + GAP) * n + 1);

    if (!wide)
        abort();
    memset(wide, 0xa5, (size + GAP) * n + 1);
    for (uint32_t i = 0; i < n; i++)
        memcpy(wide + (size + GAP) * i, (const char *)near + size * i, size);
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
    bp_span span = {graph->known[value].data, graph->values[value].const_bytes};

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
    if (claim->verdict == BP_NO)
        snprintf(answers->words, sizeof answers->words, "%s%s%s",
                 claim->subject ? claim->subject : "", claim->subject && claim->text ? ": " : "",
                 claim->text ? claim->text : "");
    if (claim->text && strchr(claim->text, '\n'))
        answers->broken = "a newline in a refusal's text";
    if (claim->cost && claim->cost->known &&
        !(is_cost(claim->cost->run_ns) && is_cost(claim->cost->launch_ns)))
        answers->broken = "a cost is negative or not finite";
    if (node >= KIT_NODES)
        return; /* of a graph about whose nodes nothing is kept */
    row = &answers->node[node];
    row->is_given = true;
    row->verdict = claim->verdict;
    row->reason = claim->reason;
    row->device = claim->device;
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

uint32_t kit_verdict_of(struct kit *kit, bp_instance *instance, const struct kit_case *c,
                        uint32_t flags, char *words)
{
    struct kit_graph *graph = kit_graph_new();
    struct kit_answers answers;

    if (c->second)
        kit_graph_add_pair(graph, c, flags);
    else
        kit_graph_add(graph, c, flags);
    kit_ask(kit, instance, kit_graph_table(graph, false), &answers);
    kit_graph_free(graph);
    if (words)
        memcpy(words, answers.words, sizeof answers.words);
    if (answers.node[0].verdict == BP_YES)
        kit_coverage_took(c);
    return answers.node[0].verdict;
}

/* A provider that wants its data channels-last is not asked about those in ONNX's layout. */
static bool is_offered(const struct kit *kit, const struct kit_case *c)
{
    return c->plain || c->second || !(kit->p.flags & BP_PROVIDER_NHWC) || !kit_case_has_layout(c);
}

bool kit_takes(struct kit *kit, bp_instance *instance, const struct kit_case *c, uint32_t flags)
{
    return is_offered(kit, c) && kit_verdict_of(kit, instance, c, flags, NULL) == BP_YES;
}
