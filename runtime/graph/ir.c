/* SPDX-License-Identifier: MIT */
/* ir.c - building a graph value by value and node by node, and reading attributes; see seal.c. */

#include "config.h"

#include "graph/ir.h"

#include "base/bytes.h"

enum { FIRST_CAP = 16 };

/* ---- building -------------------------------------------------------------------------------- */

bp_rc bp_ir_create(struct bp_region *region, struct bp_symbols *symbols, struct bp_ir *parent,
                   const char *name, struct bp_ir **out, bp_err *err)
{
    struct bp_ir *ir;

    *out = NULL;
    if (parent && parent->depth >= BP_MAX_SUBGRAPH_DEPTH)
        return bp_fail(
            err, BP_E_INVALID,
            "graph '%s' has subgraphs nested more than %d deep, which no sound model needs",
            name ? name : "", BP_MAX_SUBGRAPH_DEPTH);
    ir = bp_region_alloc(region, sizeof *ir);
    if (!ir)
        return bp_fail_nomem(err, "a graph");
    ir->name = bp_region_string(region, name ? name : "");
    if (!ir->name)
        return bp_fail_nomem(err, "a graph");
    ir->region = region;
    ir->symbols = symbols;
    ir->parent = parent;
    if (parent) {
        ir->depth = parent->depth + 1;
        ir->custom = parent->custom;
        ir->next_subgraph = parent->first_subgraph;
        parent->first_subgraph = ir;
    }
    *out = ir;
    return BP_OK;
}

/* Grows an array from the region by at least one entry; the old one stays there unused. */
static void *grow(struct bp_region *region, void *array, uint32_t count, uint32_t *cap, size_t size)
{
    uint32_t wanted = *cap ? *cap * 2 : FIRST_CAP;
    void *larger;

    if (count < *cap)
        return array;
    if (*cap > BP_NONE / 4)
        return NULL;
    larger = bp_region_array(region, wanted, size);
    if (!larger)
        return NULL;
    if (count > 0)
        memcpy(larger, array, count * size);
    *cap = wanted;
    return larger;
}

/* The list of values grows by doubling; pointers to values do not stay. */
static bp_rc add_value(struct bp_ir *ir, const char *name, uint32_t *out, bp_err *err)
{
    struct bp_ir_value *values, *value;
    const char *copy;

    values = grow(ir->region, ir->values, ir->n_values, &ir->cap_values, sizeof *values);
    if (!values)
        return bp_fail_nomem(err, "the values of a graph");
    ir->values = values;
    copy = bp_region_string(ir->region, name);
    if (!copy || !bp_strmap_put(&ir->by_name, copy, ir->n_values))
        return bp_fail_nomem(err, "the values of a graph");
    value = &ir->values[ir->n_values];
    memset(value, 0, sizeof *value);
    value->name = copy;
    value->declared.rank = BP_RANK_UNKNOWN;
    value->producer = value->outer = BP_NONE;
    *out = ir->n_values++;
    return BP_OK;
}

/* The name is taken by value index `value`: says by what it is. */
static bp_rc fail_taken(const struct bp_ir *ir, uint32_t value, bp_err *err)
{
    const char *name = ir->values[value].name;
    uint32_t flags = ir->values[value].flags;

    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        for (uint32_t j = 0; j < node->n_out; j++) {
            if (node->out[j] == value)
                return bp_fail_detail(
                    err, BP_E_INVALID, BP_DETAIL_DEFINED_TWICE,
                    "value '%s' is defined twice: it is output of node '%s' (%s) already", name,
                    node->name, node->op);
        }
    }
    return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_DEFINED_TWICE,
                          "value '%s' is defined twice%s", name,
                          flags & BP_IR_INPUT      ? ": it is an input already"
                          : flags & BP_IR_CONSTANT ? ": it is an initializer already"
                          : flags & BP_IR_CAPTURED ? ": it is taken from the graph around already"
                                                   : "");
}

bp_rc bp_ir_define(struct bp_ir *ir, const char *name, uint32_t *out, bp_err *err)
{
    uint32_t taken;

    if (name[0] == '\0')
        return bp_fail(err, BP_E_INVALID, "a value of graph '%s' has no name", ir->name);
    taken = bp_strmap_get(&ir->by_name, name, BP_NONE);
    if (taken != BP_NONE)
        return fail_taken(ir, taken, err);
    return add_value(ir, name, out, err);
}

/*
 * Names of graphs around this one are visible in it (ONNX: outer scope); each graph in between
 * gets the capture, too.
 */
bp_rc bp_ir_resolve(struct bp_ir *ir, const char *name, uint32_t *out, bp_err *err)
{
    uint32_t outer;
    bp_rc rc;

    *out = bp_strmap_get(&ir->by_name, name, BP_NONE);
    if (*out != BP_NONE)
        return BP_OK;
    if (!ir->parent)
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_NO_PRODUCER,
                              "no node, input or initializer provides '%s'", name);
    rc = bp_ir_resolve(ir->parent, name, &outer, err); /* at most BP_MAX_SUBGRAPH_DEPTH deep */
    if (rc == BP_OK)
        rc = add_value(ir, name, out, err);
    if (rc < 0)
        return rc;
    ir->values[*out].flags = BP_IR_CAPTURED;
    ir->values[*out].outer = outer;
    return BP_OK;
}

/* A list of n absent values; NULL: no memory. */
static uint32_t *absent_list(struct bp_region *region, uint32_t n)
{
    uint32_t *list = bp_region_array(region, n, sizeof *list);

    if (list)
        memset(list, 0xff, n * sizeof *list); /* BP_NONE */
    return list;
}

bp_rc bp_ir_add_node(struct bp_ir *ir, const char *name, const char *op, const char *domain,
                     uint32_t n_in, uint32_t n_out, uint32_t *out, bp_err *err)
{
    struct bp_ir_node *nodes, *node;

    nodes = grow(ir->region, ir->nodes, ir->n_nodes, &ir->cap_nodes, sizeof *nodes);
    if (!nodes)
        return bp_fail_nomem(err, "the nodes of a graph");
    ir->nodes = nodes;
    node = &nodes[ir->n_nodes];
    memset(node, 0, sizeof *node);
    if (strcmp(domain, "ai.onnx") == 0) /* another spelling of the same */
        domain = "";
    node->name = bp_region_string(ir->region, name);
    node->op = bp_region_string(ir->region, op);
    node->domain = bp_region_string(ir->region, domain);
    node->in = absent_list(ir->region, n_in);
    node->out = absent_list(ir->region, n_out);
    if (!node->name || !node->op || !node->domain || !node->in || !node->out)
        return bp_fail_nomem(err, "the nodes of a graph");
    node->n_in = n_in;
    node->n_out = n_out;
    *out = ir->n_nodes++;
    return BP_OK;
}

void bp_ir_finish(struct bp_ir *ir)
{
    if (!ir)
        return;
    for (struct bp_ir *subgraph = ir->first_subgraph; subgraph; subgraph = subgraph->next_subgraph)
        bp_ir_finish(subgraph);
    bp_strmap_finish(&ir->by_name);
}

/* ---- reading --------------------------------------------------------------------------------- */

const bp_attr *bp_ir_attr(const struct bp_ir_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        if (strcmp(node->attrs[i].name, name) == 0)
            return &node->attrs[i];
    }
    return NULL;
}

int64_t bp_ir_attr_int(const struct bp_ir_node *node, const char *name, int64_t def)
{
    const bp_attr *attr = bp_ir_attr(node, name);

    if (!attr || attr->type != BP_ATTR_INT || attr->count < 1)
        return def;
    return *(const int64_t *)attr->data;
}

const int64_t *bp_ir_attr_ints(const struct bp_ir_node *node, const char *name, uint32_t *count)
{
    const bp_attr *attr = bp_ir_attr(node, name);

    *count = 0;
    if (!attr || attr->type != BP_ATTR_INT)
        return NULL;
    *count = attr->count;
    return attr->data;
}

bool bp_ir_attr_is(const struct bp_ir_node *node, const char *name, const char *def,
                   const char *text)
{
    const bp_attr *attr = bp_ir_attr(node, name);
    const bp_span *span;

    if (!attr || attr->type != BP_ATTR_STRING || attr->count < 1)
        return strcmp(def, text) == 0;
    span = attr->data;
    return span->size == strlen(text) && memcmp(span->data, text, span->size) == 0;
}

/* A step of a 64-bit hash; no cryptography. */
static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/*
 * Of the number of elements, and of the elements where they are integers or floats; others are
 * compared in full by who asks.
 */
static uint64_t hash_elements(const bp_attr *attr)
{
    uint64_t hash = attr->count;

    for (uint32_t i = 0; i < attr->count; i++) {
        uint32_t bits;

        if (attr->type == BP_ATTR_INT) {
            hash = mix(hash, (uint64_t)((const int64_t *)attr->data)[i]);
        } else if (attr->type == BP_ATTR_FLOAT) {
            memcpy(&bits, (const float *)attr->data + i, sizeof bits);
            hash = mix(hash, bits);
        }
    }
    return hash;
}

uint32_t bp_ir_hash_attrs(const struct bp_ir_node *node)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < node->n_attrs; i++)
        sum += hash_elements(&node->attrs[i]); /* a sum, as their order is nothing */
    return (uint32_t)(sum >> 16);
}

bp_rc bp_ir_data_load(struct bp_ir_data *data, bp_err *err)
{
    /* another thread may be loading it: load() stores the pointer last, with release order */
    if (data->size == 0 || __atomic_load_n(&data->bytes, __ATOMIC_ACQUIRE))
        return BP_OK;
    if (!data->load)
        return bp_fail(err, BP_E_INTERNAL,
                       "a constant has neither bytes nor a function that loads them");
    return data->load(data, err);
}

void bp_ir_data_forget(const struct bp_ir_data *data)
{
    const uint8_t *bytes = __atomic_load_n(&data->bytes, __ATOMIC_ACQUIRE);

    if (bytes && bytes == data->mapped)
        bp_bytes_forget(bytes, data->size);
}

struct bp_ir *bp_ir_subgraph(const struct bp_ir_node *node, const char *name)
{
    const bp_attr *attr = bp_ir_attr(node, name);
    uint32_t subgraph;

    if (!attr || attr->type != BP_ATTR_GRAPH || attr->count < 1)
        return NULL;
    subgraph = *(const uint32_t *)attr->data;
    return subgraph < node->n_subgraphs ? node->subgraphs[subgraph] : NULL;
}
