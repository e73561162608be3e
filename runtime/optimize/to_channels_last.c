/* SPDX-License-Identifier: MIT */
/*
 * to_channels_last.c - rewrites nodes so that their data are channels-last.
 *
 * One walk in running order makes a new list of nodes. A rewritten node reads and writes values in
 * the other layout, and a Transpose after it writes the value that the model has. A later node
 * that takes the other layout reads the value before that Transpose, so that in the end many of
 * them have no reader and go: nothing has to be cancelled.
 */

#include "config.h"

#include "optimize/to_channels_last.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/channels_last.h"
#include "graph/schema_table.h"

enum {
    PLAIN_OPSET = 13, /* of Transpose, in a model without other operators of ONNX */
    MOST_INPUTS = 32  /* of an elementwise node that is rewritten: a bit each */
};

static const uint32_t ALL = UINT32_MAX; /* inputs */

/* The graph while it is rewritten. */
struct work {
    struct bp_ir *ir;
    const struct bp_fact *facts;
    uint32_t n_values; /* that there were before */
    uint32_t *last;    /* one each: the same channels-last, or BP_NONE */
    struct bp_ir_node *nodes;
    uint32_t n_nodes, cap_nodes;
    uint32_t opset; /* of Transpose */
};

/* ---- which nodes ----------------------------------------------------------------------------- */

static bool has_one_output(const struct bp_ir_node *node)
{
    for (uint32_t i = 1; i < node->n_out; i++) {
        if (node->out[i] != BP_NONE)
            return false;
    }
    return node->n_out > 0 && node->out[0] != BP_NONE;
}

bool bp_can_be_channels_last(const struct bp_ir_node *node, const struct bp_fact *facts)
{
    uint32_t inputs = bp_layout_inputs(node), rank = 0;

    for (uint32_t i = 0; i < node->n_in && i < MOST_INPUTS; i++) {
        if (!(inputs >> i & 1) || node->in[i] == BP_NONE)
            continue;
        if (facts[node->in[i]].rank == BP_RANK_UNKNOWN || facts[node->in[i]].rank < 3 ||
            (rank > 0 && facts[node->in[i]].rank != rank))
            return false;
        rank = facts[node->in[i]].rank;
    }
    return rank > 0 && has_one_output(node);
}

static bool is_one_of(const char *op, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(op, names[i]) == 0)
            return true;
    }
    return false;
}

/*
 * Is it an operator that computes each element from those at its place? Before version 7 `axis` of
 * Add and its like said where the second input begins.
 */
static bool is_elementwise(const struct bp_ir_node *node)
{
    static const char *const microsoft[] = {"Gelu", "FastGelu", "QuickGelu"};
    static const char *const others[] = {"SwiGLU",
                                         "BitCast"}; /* of the family, they change shapes */

    if (!node->schema)
        return false;
    if (node->domain[0])
        return strcmp(node->domain, "com.microsoft") == 0 && is_one_of(node->op, microsoft, 3);
    return node->schema->family == BP_FAMILY_ELEMENTWISE && !is_one_of(node->op, others, 2) &&
           !bp_ir_attr(node, "axis");
}

/* One whose attribute `axis` names a dimension of its data, which it reads in any layout? */
static bool has_axis(const struct bp_ir_node *node)
{
    static const char *const names[] = {"Concat", "QuantizeLinear", "DequantizeLinear"};

    return node->domain[0] == '\0' && node->schema && is_one_of(node->op, names, 3);
}

static bool is_single(const struct bp_fact *fact)
{
    for (uint32_t i = 0; fact->rank != BP_RANK_UNKNOWN && i < fact->rank; i++) {
        if (!bp_sym_known(fact->dims[i]) || fact->dims[i].value != 1)
            return false;
    }
    return fact->rank != BP_RANK_UNKNOWN;
}

/* Is there a channels-last value like this one, of that rank? */
static bool has_last(const struct work *w, uint32_t value, uint32_t rank)
{
    return w->last[value] != BP_NONE && w->facts[value].rank == rank;
}

/*
 * Is it a constant with more than one element along one dimension at most, as scales of channels
 * are? Then its bytes are the same in both layouts. Of a smaller rank, its last dimension is not the
 * channels' place.
 */
static bool is_vector(const struct work *w, uint32_t value, uint32_t rank)
{
    const struct bp_ir_data *data = w->ir->values[value].data;
    uint32_t n = 0;

    if (!(w->ir->values[value].flags & BP_IR_CONSTANT) ||
        (data->rank != rank && data->rank + 1 != rank))
        return false;
    for (uint32_t i = 0; i < data->rank; i++)
        n += data->dims[i] != 1;
    return n <= 1;
}

/* Of an operator with an axis: Concat's inputs are all data; scales have the axis alone, or none. */
static bool is_beside_axis(const struct work *w, const struct bp_ir_node *node, uint32_t i)
{
    return i > 0 && strcmp(node->op, "Concat") != 0 && w->facts[node->in[i]].rank <= 1;
}

/*
 * Can the node run on what is channels-last already? At least one input is; others are constants that
 * can be, or have one element, of a rank that does not make the output's larger.
 */
static bool can_follow(const struct work *w, const struct bp_ir_node *node)
{
    bool by_axis = has_axis(node), follows = false;
    uint32_t rank;

    if (node->is_pinned || node->n_subgraphs > 0 || !node->schema || !has_one_output(node) ||
        !(by_axis || (is_elementwise(node) && node->n_in <= MOST_INPUTS)))
        return false;
    rank = w->facts[node->out[0]].rank;
    for (uint32_t i = 0; i < node->n_in; i++) {
        uint32_t value = node->in[i];

        if (value == BP_NONE)
            continue;
        if (has_last(w, value, rank))
            follows = true;
        else if (by_axis ? !is_beside_axis(w, node, i)
                         : !(is_single(&w->facts[value]) || is_vector(w, value, rank)))
            return false;
    }
    return follows && rank != BP_RANK_UNKNOWN;
}

/* ---- making nodes and values ----------------------------------------------------------------- */

/* A place at the end of the new list; NULL: no memory. Pointers do not stay. */
static struct bp_ir_node *new_node(struct work *w)
{
    if (w->n_nodes == w->cap_nodes) {
        uint32_t cap = w->cap_nodes * 2 + 16;
        struct bp_ir_node *nodes = bp_region_array(w->ir->region, cap, sizeof *nodes);

        if (!nodes)
            return NULL;
        if (w->n_nodes > 0)
            memcpy(nodes, w->nodes, w->n_nodes * sizeof *nodes);
        w->nodes = nodes;
        w->cap_nodes = cap;
    }
    return &w->nodes[w->n_nodes++];
}

/* Has a node of the model that name? */
static bool is_node_name(const struct bp_ir *ir, const char *name)
{
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        if (strcmp(ir->nodes[n].name, name) == 0)
            return true;
    }
    return false;
}

/* A name that neither a value nor a node has: "conv_out to NHWC". In the region. NULL: no memory. */
static const char *new_name(struct work *w, const char *like, const char *what)
{
    size_t size = strlen(like) + strlen(what) + 16;
    char *name = bp_region_alloc(w->ir->region, size);

    if (!name)
        return NULL;
    snprintf(name, size, "%s %s", like, what);
    for (unsigned i = 2;
         bp_strmap_get(&w->ir->by_name, name, BP_NONE) != BP_NONE || is_node_name(w->ir, name); i++)
        snprintf(name, size, "%s %s %u", like, what, i);
    return name;
}

/* A new value that is `value` channels-last. */
static bp_rc new_value(struct work *w, uint32_t value, uint32_t *out, bp_err *err)
{
    const char *name = new_name(w, w->ir->values[value].name, "NHWC");

    return name ? bp_ir_define(w->ir, name, out, err) : bp_fail_nomem(err, "a value");
}

/* perm of a Transpose between the layouts. */
static int64_t *new_perm(struct work *w, uint32_t rank, bool to_last)
{
    int64_t *perm = bp_region_array(w->ir->region, rank, sizeof *perm);

    for (uint32_t i = 0; perm && i < rank; i++) {
        uint32_t last = bp_channels_last_dim(i, rank);

        perm[to_last ? last : i] = to_last ? i : last;
    }
    return perm;
}

/* Appends a Transpose from one value to the other. */
static bp_rc transpose(struct work *w, uint32_t from, uint32_t to, uint32_t rank, bool to_last,
                       bp_err *err)
{
    struct bp_region *region = w->ir->region;
    const char *like = w->ir->values[to_last ? from : to].name;
    const char *name = new_name(w, like, to_last ? "to NHWC" : "from NHWC");
    uint32_t *ends = bp_region_array(region, 2, sizeof *ends);
    bp_attr *attr = bp_region_alloc(region, sizeof *attr);
    int64_t *perm = new_perm(w, rank, to_last);
    struct bp_ir_node *node = new_node(w);

    if (!name || !ends || !attr || !perm || !node)
        return bp_fail_nomem(err, "a Transpose");
    ends[0] = from;
    ends[1] = to;
    *attr = (bp_attr){
        .name = "perm", .data = perm, .type = BP_ATTR_INT, .count = rank, .flags = BP_ATTR_LIST};
    *node = (struct bp_ir_node){.name = name,
                                .op = "Transpose",
                                .domain = "",
                                .schema = bp_schema_find("", "Transpose", w->opset),
                                .in = &ends[0],
                                .out = &ends[1],
                                .attrs = attr,
                                .n_in = 1,
                                .n_out = 1,
                                .n_attrs = 1,
                                .opset = w->opset,
                                .is_made = true};
    node->attr_hash = bp_ir_hash_attrs(node);
    return BP_OK;
}

/* The channels-last value of one of the model, made by a Transpose if there is none yet. */
static bp_rc need_last(struct work *w, uint32_t value, uint32_t *out, bp_err *err)
{
    bp_rc rc = BP_OK;

    if (w->last[value] == BP_NONE) {
        rc = new_value(w, value, &w->last[value], err);
        if (rc >= 0)
            rc = transpose(w, value, w->last[value], w->facts[value].rank, true, err);
    }
    *out = w->last[value];
    return rc;
}

/* ---- rewriting ------------------------------------------------------------------------------- */

/*
 * Appends the node with inputs (a bit each, or ALL) and its output channels-last, then the Transpose
 * that gives what the model has.
 */
static bp_rc append_last(struct work *w, struct bp_ir_node node, uint32_t inputs, bp_err *err)
{
    uint32_t *in = bp_region_array(w->ir->region, (size_t)node.n_in + node.n_out, sizeof *in);
    uint32_t value = node.out[0], *out = in ? in + node.n_in : NULL;
    uint32_t rank = BP_RANK_UNKNOWN;
    struct bp_ir_node *row;
    bp_rc rc = BP_OK;

    if (!in)
        return bp_fail_nomem(err, "a node");
    memcpy(in, node.in, node.n_in * sizeof *in);
    memcpy(out, node.out, node.n_out * sizeof *out);
    for (uint32_t i = 0; rc >= 0 && i < node.n_in; i++) {
        if (in[i] == BP_NONE || (inputs != ALL && !(inputs >> i & 1)))
            continue;
        rank = w->facts[in[i]].rank;
        rc = need_last(w, in[i], &in[i], err);
    }
    if (rc >= 0)
        rc = new_value(w, value, &out[0], err);
    if (rc < 0)
        return rc;
    node.in = in;
    node.out = out;
    row = new_node(w);
    if (!row)
        return bp_fail_nomem(err, "a node");
    *row = node;
    w->last[value] = out[0];
    return transpose(w, out[0], value, rank, false, err);
}

static bp_rc append_chosen(struct work *w, const struct bp_ir_node *from, bp_err *err)
{
    uint32_t inputs = bp_layout_inputs(from);
    struct bp_ir_node node = *from;

    node.schema = bp_channels_last_schema(from->schema, inputs, w->ir->region);
    if (!node.schema)
        return bp_fail_nomem(err, "a node");
    node.domain = BP_CHANNELS_LAST_DOMAIN;
    return append_last(w, node, inputs, err);
}

/* Names the same dimension as before; without the attribute (QuantizeLinear-10) none is named. */
static bp_rc move_axis(struct work *w, struct bp_ir_node *node, bp_err *err)
{
    int64_t rank = w->facts[node->out[0]].rank, axis = bp_ir_attr_int(node, "axis", rank), *moved;
    bp_attr *attrs;

    if (axis < -rank || axis >= rank)
        return BP_OK; /* it has none, or one that means nothing without scales of an axis */
    attrs = bp_region_array(w->ir->region, node->n_attrs, sizeof *attrs);
    moved = bp_region_alloc(w->ir->region, sizeof *moved);
    if (!attrs || !moved)
        return bp_fail_nomem(err, "an attribute");
    *moved = bp_channels_last_dim((uint32_t)(axis < 0 ? axis + rank : axis), (uint32_t)rank);
    memcpy(attrs, node->attrs, node->n_attrs * sizeof *attrs);
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        if (strcmp(attrs[i].name, "axis") == 0)
            attrs[i].data = moved;
    }
    node->attrs = attrs;
    node->attr_hash = bp_ir_hash_attrs(node);
    return BP_OK;
}

/* The same bytes with their dimensions as channels-last data of `rank` need them; is_vector(). */
static bp_rc move_vector(struct work *w, uint32_t *value, uint32_t rank, bp_err *err)
{
    const struct bp_ir_data *from = w->ir->values[*value].data;
    struct bp_ir_data *data = bp_region_alloc(w->ir->region, sizeof *data);
    int64_t *dims = bp_region_array(w->ir->region, from->rank, sizeof *dims);
    uint32_t missing = rank - from->rank; /* dimensions before its first */
    bp_rc rc;

    if (!data || !dims)
        return bp_fail_nomem(err, "a constant");
    for (uint32_t i = 0; i < from->rank; i++)
        dims[bp_channels_last_dim(i + missing, rank) - missing] = from->dims[i];
    *data = *from;
    data->dims = dims;
    rc = new_value(w, *value, value, err);
    if (rc < 0)
        return rc;
    w->ir->values[*value].data = data;
    w->ir->values[*value].flags = BP_IR_CONSTANT;
    return BP_OK;
}

/* Elementwise nodes and those with an axis; can_follow(). */
static bp_rc append_follower(struct work *w, const struct bp_ir_node *from, bp_err *err)
{
    uint32_t rank = w->facts[from->out[0]].rank, inputs = 0;
    struct bp_ir_node node = *from;
    bp_rc rc = BP_OK;

    if (has_axis(from)) {
        rc = move_axis(w, &node, err);
        inputs = strcmp(from->op, "Concat") == 0 ? ALL : 1; /* there may be many */
        return rc < 0 ? rc : append_last(w, node, inputs, err);
    }
    node.in = bp_region_array(w->ir->region, from->n_in, sizeof *node.in);
    if (!node.in)
        return bp_fail_nomem(err, "a node");
    for (uint32_t i = 0; rc >= 0 && i < from->n_in; i++) {
        node.in[i] = from->in[i];
        if (from->in[i] == BP_NONE)
            continue;
        if (has_last(w, from->in[i], rank))
            inputs |= 1u << i;
        else if (!is_single(&w->facts[from->in[i]]))
            rc = move_vector(w, &node.in[i], rank, err);
    }
    return rc < 0 ? rc : append_last(w, node, inputs, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void count_reads(const struct bp_ir_node *node, uint32_t *reads, uint32_t by)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] != BP_NONE)
            reads[node->in[i]] += by;
    }
    for (uint32_t i = 0; i < node->n_implicit; i++)
        reads[node->implicit[i]] += by;
}

/* Does the node make `last` of a value, or the reverse? */
static bool is_between(const struct work *w, uint32_t value, uint32_t last)
{
    return value < w->n_values && last != BP_NONE && w->last[value] == last;
}

/* Takes out Transposes made here that nothing reads, and gives the graph its new list. */
static bp_rc use_nodes(struct work *w, uint32_t *n_left, bp_err *err)
{
    struct bp_ir *ir = w->ir;
    uint32_t *reads = calloc((size_t)ir->n_values + 1, sizeof *reads);
    uint32_t n = 0;

    if (!reads)
        return bp_fail_nomem(err, "the nodes of a graph");
    for (uint32_t i = 0; i < w->n_nodes; i++)
        count_reads(&w->nodes[i], reads, 1);
    for (uint32_t v = 0; v < ir->n_values; v++)
        ir->values[v].producer = BP_NONE;
    *n_left = 0;
    for (uint32_t i = 0; i < w->n_nodes; i++) {
        const struct bp_ir_node *node = &w->nodes[i];
        bool is_transpose = node->n_in == 1 && node->n_out == 1;
        bool is_back = is_transpose && is_between(w, node->out[0], node->in[0]);

        if (is_back && reads[node->out[0]] == 0 && !(ir->values[node->out[0]].flags & BP_IR_OUTPUT))
            continue;
        *n_left += is_back || (is_transpose && is_between(w, node->in[0], node->out[0]));
        w->nodes[n++] = *node;
    }
    free(reads);
    ir->nodes = w->nodes;
    ir->n_nodes = n;
    ir->cap_nodes = w->cap_nodes;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t o = 0; o < ir->nodes[i].n_out; o++) {
            if (ir->nodes[i].out[o] != BP_NONE)
                ir->values[ir->nodes[i].out[o]].producer = i;
        }
    }
    return BP_OK;
}

/* The version of ONNX's operators in this graph. */
static uint32_t opset_of(const struct bp_ir *ir)
{
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        if (ir->nodes[n].domain[0] == '\0' && ir->nodes[n].opset > 0)
            return ir->nodes[n].opset;
    }
    return PLAIN_OPSET;
}

bp_rc bp_to_channels_last(struct bp_ir *ir, const struct bp_fact *facts, const bool *chosen,
                          uint32_t *n_left, bp_err *err)
{
    struct work w = {.ir = ir, .facts = facts, .n_values = ir->n_values, .opset = opset_of(ir)};
    bp_rc rc = BP_OK;

    *n_left = 0;
    if (!bp_schema_find("", "Transpose", w.opset))
        return BP_OK; /* a build without it; see --with-operators */
    w.last = bp_region_array(ir->region, ir->n_values, sizeof *w.last);
    if (!w.last)
        return bp_fail_nomem(err, "the values of a graph");
    memset(w.last, 0xff, ir->n_values * sizeof *w.last);
    for (uint32_t n = 0; rc >= 0 && n < ir->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];
        struct bp_ir_node *row;

        if (chosen[n]) {
            rc = append_chosen(&w, node, err);
        } else if (can_follow(&w, node)) {
            rc = append_follower(&w, node, err);
        } else {
            row = new_node(&w);
            if (row)
                *row = *node;
            else
                rc = bp_fail_nomem(err, "the nodes of a graph");
        }
    }
    return rc < 0 ? rc : use_nodes(&w, n_left, err);
}
