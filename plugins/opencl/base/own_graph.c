/* SPDX-License-Identifier: MIT */
/* own_graph.c - see own_graph.h. */

#include "base/own_graph.h"

enum { KEPT = 65536, MOST_RANK = 32 };

/* What bp_graph.host is of a graph of ours. */
static const char own_mark;

struct own_graph {
    bp_graph graph;
    bp_value *values;
    bp_node *nodes;
    bp_attr *attrs;
    bp_span *constants; /* one a value */
};

bool bp_opencl_is_own(const bp_graph *graph)
{
    return graph->host == &own_mark;
}

bp_rc bp_opencl_constant(const bp_host *host, const bp_graph *graph, uint32_t value, bp_span *out,
                         bp_err *err)
{
    const struct own_graph *own = (const void *)graph;

    if (!bp_opencl_is_own(graph))
        return host->constant(host->h, graph, value, out, err);
    *out = own->constants[value];
    if (!(BP_VALUE(graph, value)->flags & BP_VALUE_CONSTANT) ||
        out->size != BP_VALUE(graph, value)->const_bytes)
        return bp_fail(err, BP_E_INVALID, "opencl: '%s' has no bytes that were kept",
                       BP_VALUE(graph, value)->name);
    return BP_OK;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static bp_rc save_value(const bp_host *host, const bp_graph *graph, uint32_t v,
                        struct bp_opencl_writer *w, bp_err *err)
{
    const bp_value *value = BP_VALUE(graph, v);
    uint32_t rank = value->rank == BP_RANK_UNKNOWN ? 0 : value->rank;
    bp_span bytes = {0};
    bp_rc rc = BP_OK;

    bp_opencl_put_text(w, value->name);
    bp_opencl_put_u64(w, value->dtype);
    bp_opencl_put_u64(w, value->flags);
    bp_opencl_put_u64(w, value->rank);
    for (uint32_t i = 0; i < rank; i++) {
        bp_opencl_put_u64(w, (uint64_t)value->dims[i].value);
    }
    if (value->flags & BP_VALUE_CONSTANT)
        rc = bp_opencl_constant(host, graph, v, &bytes, err);
    if (rc >= 0)
        bp_opencl_put_block(w, bytes.data, bytes.size);
    return rc;
}

static bp_rc save_attr(const bp_attr *attr, struct bp_opencl_writer *w, bp_err *err)
{
    const bp_span *texts = attr->data;

    bp_opencl_put_text(w, attr->name);
    bp_opencl_put_u64(w, attr->type);
    bp_opencl_put_u64(w, attr->flags);
    bp_opencl_put_u64(w, attr->count);
    switch (attr->type) {
    case BP_ATTR_FLOAT:
        bp_opencl_put_block(w, attr->data, attr->count * sizeof(float));
        return BP_OK;
    case BP_ATTR_INT:
        bp_opencl_put_block(w, attr->data, attr->count * sizeof(int64_t));
        return BP_OK;
    case BP_ATTR_STRING:
        for (uint32_t i = 0; i < attr->count; i++)
            bp_opencl_put_block(w, texts[i].data, texts[i].size);
        return BP_OK;
    default:
        return bp_fail(err, BP_E_UNSUPPORTED, "opencl: the attribute '%s' is not saved",
                       attr->name);
    }
}

static void save_indices(struct bp_opencl_writer *w, const uint32_t *list, uint32_t n)
{
    bp_opencl_put_u64(w, n);
    for (uint32_t i = 0; i < n; i++)
        bp_opencl_put_u64(w, list[i]);
}

bp_rc bp_opencl_graph_save(const bp_host *host, const bp_graph *graph, struct bp_opencl_writer *w,
                           bp_err *err)
{
    bp_rc rc = BP_OK;

    bp_opencl_put_u64(w, graph->n_values);
    bp_opencl_put_u64(w, graph->n_attrs);
    bp_opencl_put_u64(w, graph->n_nodes);
    for (uint32_t v = 0; v < graph->n_values && rc >= 0; v++)
        rc = save_value(host, graph, v, w, err);
    for (uint32_t i = 0; i < graph->n_attrs && rc >= 0; i++)
        rc = save_attr(BP_ATTR(graph, i), w, err);
    for (uint32_t n = 0; n < graph->n_nodes && rc >= 0; n++) {
        const bp_node *node = BP_NODE(graph, n);

        bp_opencl_put_text(w, node->name);
        bp_opencl_put_text(w, node->op);
        bp_opencl_put_text(w, node->domain);
        bp_opencl_put_u64(w, node->opset);
        bp_opencl_put_u64(w, node->since);
        bp_opencl_put_u64(w, node->first_attr);
        bp_opencl_put_u64(w, node->n_attr);
        save_indices(w, node->in, node->n_in);
        save_indices(w, node->out, node->n_out);
    }
    save_indices(w, graph->inputs, graph->n_inputs);
    save_indices(w, graph->outputs, graph->n_outputs);
    return rc;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Memory for n rows of what is read, each of which takes 8 bytes at least; NULL is a failure. */
static void *get_rows(struct bp_blocks *memory, struct bp_opencl_reader *r, uint32_t n, size_t size)
{
    void *rows = n > r->size / 8 ? NULL : bp_blocks_array(memory, n, size);

    r->has_failed = r->has_failed || !rows;
    return r->has_failed ? NULL : rows;
}

static void load_value(struct bp_blocks *memory, struct bp_opencl_reader *r, struct own_graph *own,
                       uint32_t v)
{
    bp_value *value = &own->values[v];
    uint32_t rank;
    bp_dim *dims;

    *value = (bp_value){.name = bp_opencl_get_text(r), .producer = BP_NONE, .outer = BP_NONE};
    value->dtype = bp_opencl_get_u32(r);
    value->flags = bp_opencl_get_u32(r);
    value->rank = bp_opencl_get_u32(r);
    rank = value->rank == BP_RANK_UNKNOWN ? 0 : value->rank;
    dims = rank > MOST_RANK ? NULL : get_rows(memory, r, rank, sizeof *dims);
    if (!dims) {
        r->has_failed = true;
        return;
    }
    value->dims = dims;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = (bp_dim){.value = (int64_t)bp_opencl_get_u64(r)};
        r->has_failed = r->has_failed || dims[i].value < 0;
    }
    own->constants[v] = bp_opencl_get_block(r);
    value->const_bytes = own->constants[v].size;
}

static void load_texts(struct bp_blocks *memory, struct bp_opencl_reader *r, bp_attr *attr)
{
    bp_span *texts = get_rows(memory, r, attr->count, sizeof *texts);

    for (uint32_t i = 0; texts && i < attr->count; i++)
        texts[i] = bp_opencl_get_block(r);
    attr->data = texts;
}

/* Numbers are copied, as they have to be aligned. */
static void load_attr(struct bp_blocks *memory, struct bp_opencl_reader *r, bp_attr *attr)
{
    size_t width;
    bp_span bytes;
    void *copy;

    *attr = (bp_attr){.name = bp_opencl_get_text(r)};
    attr->type = bp_opencl_get_u32(r);
    attr->flags = bp_opencl_get_u32(r);
    attr->count = bp_opencl_get_u32(r);
    if (attr->type == BP_ATTR_STRING) {
        load_texts(memory, r, attr);
        return;
    }
    width = attr->type == BP_ATTR_FLOAT ? sizeof(float) : sizeof(int64_t);
    bytes = bp_opencl_get_block(r);
    copy = r->has_failed ? NULL : bp_blocks_get(memory, bytes.size);
    if (!copy || (attr->type != BP_ATTR_FLOAT && attr->type != BP_ATTR_INT) ||
        bytes.size / width != attr->count || bytes.size % width != 0) {
        r->has_failed = true;
        return;
    }
    if (bytes.size > 0)
        memcpy(copy, bytes.data, bytes.size);
    attr->data = copy;
}

/* BP_NONE passes where `is_optional`. */
static const uint32_t *load_indices(struct bp_blocks *memory, struct bp_opencl_reader *r,
                                    const bp_graph *graph, bool is_optional, uint32_t *n)
{
    uint32_t count = bp_opencl_get_u32(r);
    uint32_t *list = get_rows(memory, r, count, sizeof *list);

    *n = 0;
    for (uint32_t i = 0; list && i < count; i++) {
        list[i] = bp_opencl_get_u32(r);
        if (list[i] >= graph->n_values && !(is_optional && list[i] == BP_NONE))
            r->has_failed = true;
    }
    if (!r->has_failed)
        *n = count;
    return list;
}

/* Values have one producer, which comes before its readers. */
static void load_node(struct bp_blocks *memory, struct bp_opencl_reader *r, struct own_graph *own,
                      uint32_t n)
{
    const bp_graph *graph = &own->graph;
    bp_node *node = &own->nodes[n];

    *node = (bp_node){.name = bp_opencl_get_text(r), .op = bp_opencl_get_text(r)};
    node->domain = bp_opencl_get_text(r);
    node->opset = bp_opencl_get_u32(r);
    node->since = bp_opencl_get_u32(r);
    node->first_attr = bp_opencl_get_u32(r);
    node->n_attr = bp_opencl_get_u32(r);
    node->in = load_indices(memory, r, graph, true, &node->n_in);
    node->out = load_indices(memory, r, graph, true, &node->n_out);
    if (node->first_attr > graph->n_attrs || node->n_attr > graph->n_attrs - node->first_attr)
        r->has_failed = true;
    for (uint32_t i = 0; i < node->n_in && !r->has_failed; i++) {
        const bp_value *x = node->in[i] == BP_NONE ? NULL : &own->values[node->in[i]];

        if (x && x->producer == BP_NONE && !(x->flags & (BP_VALUE_CONSTANT | BP_VALUE_INPUT)))
            r->has_failed = true;
    }
    for (uint32_t i = 0; i < node->n_out && !r->has_failed; i++) {
        bp_value *y = node->out[i] == BP_NONE ? NULL : &own->values[node->out[i]];

        if (y && (y->producer != BP_NONE || y->flags & (BP_VALUE_CONSTANT | BP_VALUE_INPUT)))
            r->has_failed = true;
        else if (y)
            y->producer = n;
    }
}

static void load_rows(struct bp_blocks *memory, struct bp_opencl_reader *r, struct own_graph *own)
{
    bp_graph *graph = &own->graph;

    for (uint32_t v = 0; v < graph->n_values && !r->has_failed; v++)
        load_value(memory, r, own, v);
    for (uint32_t i = 0; i < graph->n_attrs && !r->has_failed; i++)
        load_attr(memory, r, &own->attrs[i]);
    for (uint32_t n = 0; n < graph->n_nodes && !r->has_failed; n++)
        load_node(memory, r, own, n);
    graph->inputs = load_indices(memory, r, graph, false, &graph->n_inputs);
    graph->outputs = load_indices(memory, r, graph, false, &graph->n_outputs);
}

bp_rc bp_opencl_graph_load(struct bp_blocks *memory, struct bp_opencl_reader *r,
                           const bp_graph **out, bp_err *err)
{
    struct own_graph *own = bp_blocks_get(memory, sizeof *own);
    bp_graph *graph;

    if (!own)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a saved program");
    *own = (struct own_graph){.graph = {.struct_size = sizeof(bp_graph),
                                        .node_stride = sizeof(bp_node),
                                        .value_stride = sizeof(bp_value),
                                        .attr_stride = sizeof(bp_attr),
                                        .host = &own_mark,
                                        .outer_node = BP_NONE}};
    graph = &own->graph;
    graph->n_values = bp_opencl_get_u32(r);
    graph->n_attrs = bp_opencl_get_u32(r);
    graph->n_nodes = bp_opencl_get_u32(r);
    graph->values = own->values = get_rows(memory, r, graph->n_values, sizeof *own->values);
    graph->attrs = own->attrs = get_rows(memory, r, graph->n_attrs, sizeof *own->attrs);
    graph->nodes = own->nodes = get_rows(memory, r, graph->n_nodes, sizeof *own->nodes);
    own->constants = get_rows(memory, r, graph->n_values, sizeof *own->constants);
    if (!r->has_failed)
        load_rows(memory, r, own);
    *out = graph;
    return r->has_failed ? bp_fail(err, BP_E_STALE, "opencl: the saved program's graph is damaged")
                         : BP_OK;
}

/* ---- afterwards ------------------------------------------------------------------------------ */

static bool keep(struct bp_blocks *memory, const void **data, size_t n)
{
    void *copy = bp_blocks_get(memory, n);

    if (copy && n > 0)
        memcpy(copy, *data, n);
    *data = copy;
    return copy != NULL;
}

static bool keep_text(struct bp_blocks *memory, const char **text)
{
    const void *data = *text;
    bool is_kept = keep(memory, &data, strlen(*text) + 1);

    *text = data;
    return is_kept;
}

bp_rc bp_opencl_own_graph_keep(struct bp_blocks *memory, const bp_graph *graph, bp_err *err)
{
    const struct own_graph *own = (const void *)graph;
    bool is_kept = true;

    for (uint32_t v = 0; v < graph->n_values && is_kept; v++) {
        bp_span *bytes = &own->constants[v];

        if (bytes->size > KEPT)
            *bytes = (bp_span){0};
        is_kept =
            keep_text(memory, &own->values[v].name) && keep(memory, &bytes->data, bytes->size);
    }
    for (uint32_t i = 0; i < graph->n_attrs && is_kept; i++) {
        bp_attr *attr = &own->attrs[i];

        is_kept = keep_text(memory, &attr->name);
        for (uint32_t k = 0; attr->type == BP_ATTR_STRING && k < attr->count && is_kept; k++) {
            bp_span *texts = (bp_span *)(uintptr_t)attr->data;

            is_kept = keep(memory, &texts[k].data, texts[k].size);
        }
    }
    for (uint32_t n = 0; n < graph->n_nodes && is_kept; n++)
        is_kept = keep_text(memory, &own->nodes[n].name) && keep_text(memory, &own->nodes[n].op) &&
                  keep_text(memory, &own->nodes[n].domain);
    return is_kept ? BP_OK : bp_fail(err, BP_E_NOMEM, "opencl: no memory for a saved program");
}

bp_shape *bp_opencl_graph_shapes(struct bp_blocks *memory, const bp_graph *graph)
{
    bp_shape *shapes = bp_blocks_array(memory, graph->n_values, sizeof *shapes);

    for (uint32_t v = 0; shapes && v < graph->n_values; v++) {
        const bp_value *value = BP_VALUE(graph, v);
        uint32_t rank = value->rank == BP_RANK_UNKNOWN ? 0 : value->rank;
        int64_t *dims = bp_blocks_array(memory, rank, sizeof *dims);

        if (!dims)
            return NULL;
        for (uint32_t i = 0; i < rank; i++)
            dims[i] = value->dims[i].value;
        shapes[v] = (bp_shape){.dims = dims, .rank = value->rank, .dtype = value->dtype};
    }
    return shapes;
}
