/* SPDX-License-Identifier: MIT */
/*
 * slice.c - Slice (1 to 13) in steps of 1 and Split (2 to 18): boxes of a tensor, in its layout. A
 * box that lies in memory in one piece, as blocks of channels of one batch do, is a view.
 */

#include "base/claim.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"

/* ---- claims ---------------------------------------------------------------------------------- */

/* Boxes are copied, so that bytes are as good as floats. */
static bool claims_moved(const struct bp_dnnl_query *query)
{
    return bp_dnnl_takes_typed(query, 0, BP_DNNL_FLOATS | BP_DNNL_BYTES, 1, BP_DNNL_MAX_RANK);
}

/* All outputs are made, so all have to be wanted. */
static bool claim_split(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                        double *flops)
{
    (void)op;
    (void)flops;
    for (uint32_t i = 0; i < query->node->n_out; i++) {
        if (query->node->out[i] == BP_NONE)
            return bp_dnnl_refuse(query, BP_R_OTHER, NULL, "output %u is not used", i);
    }
    return claims_moved(query);
}

/* A list that is an attribute, or since version 10 a constant input; n 0: absent. */
struct int_list {
    const char *data; /* at any address */
    size_t n, width;  /* bytes of one */
};

/* False: it is there, but computed. */
static bool read_list(const bp_host *host, const bp_graph *graph, const bp_node *node,
                      const char *name, uint32_t input, struct int_list *out)
{
    const bp_value *value = bp_node_in(graph, node, input);
    bp_span bytes;
    uint32_t n;

    *out = (struct int_list){.width = sizeof(int64_t)};
    if (node->since < 10) {
        out->data = (const char *)bp_node_ints(graph, node, name, &n);
        out->n = n;
        return true;
    }
    if (!value)
        return true;
    if (!(value->flags & BP_VALUE_CONSTANT) ||
        (value->dtype != BP_DTYPE_I32 && value->dtype != BP_DTYPE_I64) ||
        host->constant(host->h, graph, node->in[input], &bytes, NULL) < 0)
        return false;
    out->width = bp_dtype_width(value->dtype) / 8;
    out->data = bytes.data;
    out->n = bytes.size / out->width;
    return true;
}

/* int32 or int64, as the input's type is. */
static int64_t int_at(const struct int_list *list, size_t i)
{
    int32_t small;
    int64_t entry;

    if (list->width == sizeof small) {
        memcpy(&small, list->data + i * sizeof small, sizeof small);
        return small;
    }
    memcpy(&entry, list->data + i * sizeof entry, sizeof entry);
    return entry;
}

/* Where a Slice begins, and along which axes; sizes are the shape rule's. */
struct slice {
    struct int_list starts, axes, steps;
};

/* False: some list is computed. */
static bool read_slice(const bp_host *host, const bp_graph *graph, const bp_node *node,
                       struct slice *out)
{
    return read_list(host, graph, node, "starts", 1, &out->starts) &&
           read_list(host, graph, node, "axes", 3, &out->axes) &&
           read_list(host, graph, node, "steps", 4, &out->steps) &&
           (out->axes.n == 0 || out->axes.n == out->starts.n);
}

/* Ends are not read, as the output's shape says where the box ends. */
static bool claim_slice(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                        double *flops)
{
    struct slice slice;

    (void)op;
    (void)flops;
    if (!claims_moved(query))
        return false;
    if (!read_slice(&query->instance->host, query->graph, query->node, &slice))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, "starts",
                              "starts, axes and steps have to be constant");
    for (size_t i = 0; i < slice.steps.n; i++) {
        if (int_at(&slice.steps, i) != 1)
            return bp_dnnl_refuse(query, BP_R_OTHER, "steps", "only steps of 1 are supported");
    }
    return true;
}

/* ---- building it ----------------------------------------------------------------------------- */

/*
 * Is the box one run of bytes, elements in the order of `dense`? Then *offset is where it begins,
 * in bytes.
 */
static bool is_whole(const dnnl_memory_desc_t *box, const dnnl_memory_desc_t *dense, size_t *offset)
{
    const dnnl_blocking_desc_t *a = &box->format_desc.blocking, *b = &dense->format_desc.blocking;

    for (int i = 0; i < box->ndims; i++) {
        bool has_more = dense->padded_dims[i] > dense->dims[i] || dense->dims[i] > 1;

        if (box->padded_dims[i] != dense->padded_dims[i] ||
            (has_more && a->strides[i] != b->strides[i]))
            return false;
    }
    *offset = (size_t)box->offset0 * bp_dnnl_type_bytes(box->data_type);
    return true;
}

/* Describes the box of x in its layout or, where the box begins within a block, row-major. */
static bp_rc describe_box(struct bp_dnnl_builder *b, const bp_node *node, const dnnl_dim_t *dims,
                          const dnnl_dim_t *begin, struct bp_dnnl_tensor *x,
                          dnnl_memory_desc_t *box, bp_err *err)
{
    const struct bp_dnnl_value *v = bp_dnnl_in(b, node, 0);
    dnnl_memory_desc_t row_major;
    dnnl_status_t status;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, x, err);

    if (rc < 0 || bp_dnnl.memory_desc_init_submemory(box, &x->md, dims, begin) == dnnl_success)
        return rc;
    bp_dnnl_row_major_as(v->rank, v->dims, x->md.data_type, &row_major);
    rc = bp_dnnl_tensor_of(b, node->in[0], &row_major, x, err);
    if (rc < 0)
        return rc;
    status = bp_dnnl.memory_desc_init_submemory(box, &x->md, dims, begin);
    return status == dnnl_success ? BP_OK
                                  : bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
}

/* Makes the value of the box of x that begins there: a view if it is whole, else by a reorder. */
static bp_rc build_box(struct bp_dnnl_builder *b, const bp_node *node, uint32_t value,
                       const dnnl_dim_t *begin, bp_err *err)
{
    const struct bp_dnnl_value *y = &b->values[value];
    struct bp_dnnl_tensor x, made;
    dnnl_memory_desc_t box, dense;
    size_t offset;
    bp_rc rc;

    if (bp_dims_count(y->dims, (uint32_t)y->rank) == 0) {
        bp_dnnl_row_major_as(y->rank, y->dims, bp_dnnl_host_type(b->graph, value), &dense);
        return bp_dnnl_make_output(b, value, &dense, &made, err);
    }
    rc = describe_box(b, node, y->dims, begin, &x, &box, err);
    if (rc < 0)
        return rc;
    bp_dnnl_layout_like(&x.md, y->dims, &dense);
    if (is_whole(&box, &dense, &offset)) {
        x.location.offset += offset;
        if (x.location.kind == BP_DNNL_FIXED) /* it has its address */
            x.location.fixed = (const char *)x.location.fixed + offset;
        bp_dnnl_view(b, value, &dense, x.location);
        return BP_OK;
    }
    rc = bp_dnnl_make_output(b, value, &dense, &made, err);
    if (rc < 0)
        return rc;
    x.md = box;
    return bp_dnnl_reorder(b, &x, &made, err);
}

/* Boxes one after the other along the axis; their sizes are the outputs' shapes. */
static bp_rc build_split(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                         const bp_node *node, bp_err *err)
{
    int axis = bp_dnnl_axis(b->graph, node, 0, (uint32_t)bp_dnnl_in(b, node, 0)->rank);
    dnnl_dims_t begin = {0};
    bp_rc rc = BP_OK;

    (void)op;
    for (uint32_t i = 0; i < node->n_out && rc >= 0; i++) {
        rc = build_box(b, node, node->out[i], begin, err);
        begin[axis] += b->values[node->out[i]].dims[axis];
    }
    return rc;
}

/* Negative starts count from the end; starts beyond it make an empty box. */
static bp_rc build_slice(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                         const bp_node *node, bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0);
    dnnl_dims_t begin = {0};
    struct slice slice;

    (void)op;
    if (!read_slice(b->host, b->graph, node, &slice))
        return bp_fail(err, BP_E_INVALID, "dnnl: starts of node '%s' cannot be read", node->name);
    for (size_t i = 0; i < slice.starts.n; i++) {
        int64_t axis = slice.axes.n > 0 ? int_at(&slice.axes, i) : (int64_t)i, start, size;

        axis = axis < 0 ? axis + x->rank : axis;
        if (axis < 0 || axis >= x->rank)
            return bp_fail(err, BP_E_INVALID, "node '%s': there is no axis %lld", node->name,
                           (long long)axis);
        start = int_at(&slice.starts, i);
        size = x->dims[axis];
        start = start < -size ? 0 : start < 0 ? start + size : start;
        begin[axis] = start < size ? start : size;
    }
    return build_box(b, node, node->out[0], begin, err);
}

const struct bp_dnnl_op bp_dnnl_op_slice = {
    .name = "Slice",
    .domain = "",
    .since = 1,
    .until = 13,
    .claim = claim_slice,
    .build = build_slice,
};

const struct bp_dnnl_op bp_dnnl_op_split = {
    .name = "Split",
    .domain = "",
    .since = 2,
    .until = 18,
    .claim = claim_split,
    .build = build_split,
    .n_out = UINT32_MAX,
};
