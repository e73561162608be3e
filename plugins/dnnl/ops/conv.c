/* SPDX-License-Identifier: MIT */
/*
 * conv.c - Conv (1, 11, 22) and com.microsoft.FusedConv, over one to three spatial dimensions,
 * grouped or not. A residual is added and an activation applied while the result is in registers.
 *
 * Depthwise, oneDNN's fast kernels are for images: 1-D data are seen as images of height 1. It has
 * none for 3-D data.
 */

#include "base/chain.h"
#include "base/claim.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/attributes.h"
#include "build/builder.h"
#include "build/conv_choice.h"
#include "build/conv_layout.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"
#include "build/split.h"
#include "ops/activation.h"
#include "ops/window.h"

/* The bias B, and the residual Z of FusedConv, which has the output's rank. */
static bool claims_additions(const struct bp_dnnl_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    if (bp_node_in(query->graph, query->node, 2) && !bp_dnnl_takes_input(query, 2, 1, 1))
        return false;
    if (bp_node_in(query->graph, query->node, 3) &&
        !bp_dnnl_takes_input(query, 3, x->rank, x->rank))
        return false;
    return true;
}

/* Has each channel kernels of its own? */
static bool is_depthwise(const bp_graph *graph, const bp_node *node, int64_t of_group)
{
    return of_group == 1 && bp_node_int(graph, node, "group", 1) > 1;
}

/* *flops are two for each weight and output point: one product, one sum. */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *x, *w, *y;
    struct bp_dnnl_attr attr = {0};

    (void)op;
    if (!bp_dnnl_takes_input(query, 0, 3, 2 + BP_DNNL_MAX_SPATIAL))
        return false;
    x = bp_node_in(query->graph, query->node, 0);
    if (!bp_dnnl_takes_input(query, 1, x->rank, x->rank) || !claims_additions(query) ||
        !bp_dnnl_claims_window(query, x->rank - 2))
        return false;
    w = bp_node_in(query->graph, query->node, 1);
    y = bp_node_out(query->graph, query->node, 0);
    if (!bp_dnnl_is_sized(w))
        return bp_dnnl_refuse(query, BP_R_DYNAMIC_SHAPE, w->name, "the sizes of W are not known");
    if (x->rank == 5 && is_depthwise(query->graph, query->node, w->dims[1].value) &&
        !query->instance->takes_all)
        return bp_dnnl_refuse(query, BP_R_NOT_PROFITABLE, w->name,
                              "oneDNN has no fast depthwise kernel for 3-D data");
    if (!bp_dnnl_add_node_activation(query->graph, query->node, &attr))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "activation",
                              "the activation is not implemented");
    *flops = 2 * bp_dnnl_elements(y) * bp_dnnl_elements(w) / (double)w->dims[0].value;
    return true;
}

/* A convolution that is being built. */
struct conv {
    const bp_node *node;
    uint32_t added, made; /* values: what is added, or BP_NONE; what is made in the end */
    bool is_1d;           /* seen as an image of height 1, */
    int rank;             /* and so are these: */
    dnnl_dims_t x_dims, y_dims;
    dnnl_memory_desc_t stored, bias;
    struct bp_dnnl_window window;
    struct bp_dnnl_attr attr;
    struct bp_dnnl_tensor x, w, b, z, y;
    bool has_bias;
};

/* Dims of a value, with a height of 1 inserted if 1-D data are seen as an image. */
static void dims_of(const struct bp_dnnl_value *value, bool is_1d, int *rank, dnnl_dim_t *dims)
{
    int more = is_1d ? 1 : 0;

    *rank = value->rank + more;
    memcpy(dims, value->dims, 2 * sizeof *dims);
    dims[2] = 1;
    memcpy(dims + 2 + more, value->dims + 2, sizeof *dims * (size_t)(value->rank - 2));
}

/*
 * W as it lies, (outputs, inputs / groups, kernel), with groups as a dimension of their own if
 * there are several, as oneDNN wants them.
 */
static void describe_weights(const struct bp_dnnl_value *w, int64_t group, struct conv *c)
{
    dnnl_dims_t dims, own;
    int rank;

    dims_of(w, c->is_1d, &rank, own);
    dims[0] = group;
    dims[1] = own[0] / group;
    for (int i = 1; i < rank; i++)
        dims[i + 1] = own[i];
    if (group == 1)
        bp_dnnl_row_major(rank, own, &c->stored);
    else
        bp_dnnl_row_major(rank + 1, dims, &c->stored);
}

/* The layout of the graph's value whose image has the layout md: without the height. */
static dnnl_memory_desc_t of_value(const struct conv *c, const dnnl_memory_desc_t *md)
{
    dnnl_memory_desc_t out = *md;

    if (c->is_1d)
        bp_dnnl_drop_dim(md, 2, &out);
    return out;
}

/*
 * With tensors in those layouts; dnnl_format_kind_any leaves it to oneDNN. Weights are always left
 * to it.
 */
static bp_rc describe_in(struct bp_dnnl_builder *b, struct conv *c, dnnl_alg_kind_t kind,
                         const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y,
                         dnnl_primitive_desc_t *out, bp_err *err)
{
    dnnl_memory_desc_t w;
    dnnl_convolution_desc_t desc;
    dnnl_status_t status;

    bp_dnnl_any_layout(c->stored.ndims, c->stored.dims, x->data_type, &w);
    status = bp_dnnl.dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_inference, kind, x, &w, c->has_bias ? &c->bias : NULL, y,
        c->window.strides, c->window.dilates, c->window.before, c->window.after);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", c->node->op, c->node->name);
    return bp_dnnl_describe(b, &desc, &c->attr, out, err);
}

/* With operands of that type, in layouts of oneDNN's choice. */
static bp_rc describe_as(struct bp_dnnl_builder *b, struct conv *c, dnnl_data_type_t type,
                         dnnl_primitive_desc_t *out, bp_err *err)
{
    dnnl_memory_desc_t x_any, y_any;

    bp_dnnl_any_layout(c->rank, c->x_dims, type, &x_any);
    bp_dnnl_any_layout(c->rank, c->y_dims, bp_dnnl_result_type(b, c->made, type), &y_any);
    return describe_in(b, c, dnnl_convolution_direct, &x_any, &y_any, out, err);
}

/* Would it run for longer than a run may go on after it was told to stop? */
static bool is_long(const struct bp_dnnl_builder *b, const_dnnl_primitive_desc_t pd)
{
    const struct bp_dnnl_tensor x = {.md = *bp_dnnl_query(pd, dnnl_query_src_md)};
    const struct bp_dnnl_tensor w = {.md = *bp_dnnl_query(pd, dnnl_query_weights_md)};
    const struct bp_dnnl_tensor y = {.md = *bp_dnnl_query(pd, dnnl_query_dst_md)};
    const struct bp_dnnl_arg args[] = {
        {DNNL_ARG_SRC, &x}, {DNNL_ARG_WEIGHTS, &w}, {DNNL_ARG_DST, &y}};

    return bp_dnnl_is_long(b, pd, 3, args);
}

/*
 * By Winograd's algorithm, if oneDNN has it here: else BP_E_SHAPE. It cannot be cut, as the layout of
 * its weights depends on the sizes of the whole result. So what would take long is left to the direct
 * algorithm, which can.
 */
static bp_rc describe_winograd(struct bp_dnnl_builder *b, struct conv *c,
                               const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y,
                               dnnl_primitive_desc_t *out)
{
    bp_rc rc = describe_in(b, c, dnnl_convolution_winograd, x, y, out, NULL);

    if (rc < 0 || !is_long(b, *out))
        return rc;
    bp_dnnl.primitive_desc_destroy(*out);
    *out = NULL;
    return BP_E_SHAPE;
}

/*
 * On blocks of channels; an image with few channels is read row-major. Winograd's algorithm if it
 * was chosen and oneDNN has it here.
 */
static bp_rc describe_blocked(struct bp_dnnl_builder *b, struct conv *c, dnnl_primitive_desc_t *out,
                              bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, c->node, 0);
    const struct bp_dnnl_value *w = bp_dnnl_in(b, c->node, 1);
    const struct bp_dnnl_value *y = &b->values[c->made];
    dnnl_memory_desc_t from, to;
    bp_rc rc = BP_E_SHAPE;

    if (x->dims[1] < 4)
        bp_dnnl_row_major(x->rank, x->dims, &from);
    else
        bp_dnnl_channel_blocks(x->rank, x->dims, &from);
    bp_dnnl_channel_blocks(y->rank, y->dims, &to);
    if (b->choice ? b->choice->is_winograd[b->node]
                  : bp_dnnl_prefers_winograd(c->node, b->graph, w, y))
        rc = describe_winograd(b, c, &from, &to, out);
    if (rc == BP_E_SHAPE)
        rc = describe_in(b, c, dnnl_convolution_direct, &from, &to, out, err);
    return rc;
}

/* Plain loops ("ref") and im2col with a product ("gemm") are slower than channels last. */
static bool is_reference(const_dnnl_primitive_desc_t pd)
{
    const char *name = NULL;

    bp_dnnl.primitive_desc_query(pd, dnnl_query_impl_info_str, 0, (void *)&name);
    return !name || strstr(name, "ref") || strstr(name, "gemm");
}

/* Blocks if the frame prefers them, else what oneDNN chooses in bfloat16, else in float32. */
static bp_rc describe(struct bp_dnnl_builder *b, struct conv *c, dnnl_primitive_desc_t *out,
                      bp_err *err)
{
    dnnl_data_type_t type = bp_dnnl_compute_type(b);
    bp_rc rc = BP_E_SHAPE;

    if (b->is_blocked && bp_dnnl_in(b, c->node, 0)->rank == 4)
        rc = describe_blocked(b, c, out, NULL);
    if (rc >= 0 && is_reference(*out)) {
        bp_dnnl.primitive_desc_destroy(*out);
        rc = BP_E_SHAPE;
    }
    if (rc < 0)
        rc = describe_as(b, c, type, out, err);
    return rc == BP_E_SHAPE && type != dnnl_f32 ? describe_as(b, c, dnnl_f32, out, err) : rc;
}

/*
 * A residual is in the output before the primitive runs, which adds to it: in its own memory if
 * it is not read later, else in a copy.
 */
static bp_rc make_output(struct bp_dnnl_builder *b, struct conv *c, const_dnnl_primitive_desc_t pd,
                         bp_err *err)
{
    const dnnl_memory_desc_t md = of_value(c, bp_dnnl_query(pd, dnnl_query_dst_md));
    bp_rc rc;

    if (c->added == BP_NONE)
        return bp_dnnl_make_output(b, c->made, &md, &c->y, err);
    rc = bp_dnnl_tensor_of(b, c->added, &md, &c->z, err);
    if (rc >= 0)
        rc = bp_dnnl_make_in_place(b, c->made, c->added, &c->z, &c->y, err);
    if (rc < 0 || bp_dnnl_same_location(&c->y.location, &c->z.location))
        return rc;
    return bp_dnnl_reorder(b, &c->z, &c->y, err);
}

/* Values have the graph's dims; the primitive's may have one more. */
static bp_rc get_operands(struct bp_dnnl_builder *b, struct conv *c, const_dnnl_primitive_desc_t pd,
                          bp_err *err)
{
    const dnnl_memory_desc_t md = of_value(c, bp_dnnl_query(pd, dnnl_query_src_md));
    bp_rc rc = bp_dnnl_tensor_of(b, c->node->in[0], &md, &c->x, err);

    if (rc >= 0)
        rc = bp_dnnl_weights(b, c->node->in[1], &c->stored,
                             bp_dnnl_query(pd, dnnl_query_weights_md), &c->w, err);
    if (rc >= 0 && c->has_bias)
        rc = bp_dnnl_tensor_of(b, c->node->in[2], &c->bias, &c->b, err);
    if (rc >= 0)
        rc = make_output(b, c, pd, err);
    c->x.md = *bp_dnnl_query(pd, dnnl_query_src_md);
    c->y.md = *bp_dnnl_query(pd, dnnl_query_dst_md);
    return rc;
}

/* A 1-D window is one in the second dimension of an image; the height has a kernel of 1. */
static void make_window(struct bp_dnnl_builder *b, struct conv *c)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, c->node, 0), *w = bp_dnnl_in(b, c->node, 1);
    struct bp_dnnl_window *window = &c->window;

    memcpy(window->kernel, w->dims + 2, sizeof *w->dims * (size_t)(w->rank - 2));
    bp_dnnl_window_make(b, c->node, (uint32_t)x->rank - 2, x->dims + 2, b->values[c->made].dims + 2,
                        window);
    if (!c->is_1d)
        return;
    window->strides[1] = window->strides[0];
    window->dilates[1] = window->dilates[0];
    window->before[1] = window->before[0];
    window->after[1] = window->after[0];
    window->strides[0] = 1;
    window->dilates[0] = window->before[0] = window->after[0] = 0;
}

/* Everything but the primitive itself, from the chain's nodes. */
static void prepare(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain, struct conv *c)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, c->node, 0), *w = bp_dnnl_in(b, c->node, 1);
    const struct bp_dnnl_value *bias = bp_dnnl_in(b, c->node, 2);
    int rank;

    c->added = chain->other;
    if (bp_dnnl_in(b, c->node, 3))
        c->added = c->node->in[3];
    c->made = BP_NODE(b->graph, chain->last)->out[0];
    c->has_bias = bias != NULL;
    if (bias)
        bp_dnnl_row_major(1, bias->dims, &c->bias);
    c->is_1d = x->rank == 3 && is_depthwise(b->graph, c->node, w->dims[1]);
    dims_of(x, c->is_1d, &c->rank, c->x_dims);
    dims_of(&b->values[c->made], c->is_1d, &rank, c->y_dims);
    describe_weights(w, bp_node_int(b->graph, c->node, "group", 1), c);
    make_window(b, c);
    if (c->added != BP_NONE)
        bp_dnnl_add_post_op(&c->attr, dnnl_alg_kind_undef, NULL);
    bp_dnnl_add_node_activation(b->graph, c->node, &c->attr);
    bp_dnnl_add_chain_activation(&c->attr, chain);
}

/* The chain's sum and activation become post-ops, after those of FusedConv's attributes. */
static bp_rc build_chain(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain, bp_err *err)
{
    struct conv c = {.node = BP_NODE(b->graph, chain->head)};
    struct bp_dnnl_arg args[4] = {{DNNL_ARG_SRC, &c.x},
                                  {DNNL_ARG_WEIGHTS, &c.w},
                                  {DNNL_ARG_DST, &c.y},
                                  {DNNL_ARG_BIAS, &c.b}};
    dnnl_primitive_desc_t pd;
    bp_rc rc;

    prepare(b, chain, &c);
    rc = describe(b, &c, &pd, err);
    if (rc < 0)
        return rc;
    rc = get_operands(b, &c, pd, err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    return bp_dnnl_emit(b, pd, c.has_bias ? 4 : 3, args, err);
}

/* A chain of the node alone. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    struct bp_dnnl_chain single = {.head = b->node, .last = b->node, .other = BP_NONE};

    (void)op;
    (void)node;
    return build_chain(b, &single, err);
}

const struct bp_dnnl_op bp_dnnl_op_conv = {
    .name = "Conv",
    .domain = "",
    .since = 1,
    .until = 22,
    .claim = claim,
    .build = build,
    .work = BP_DNNL_CONVOLUTION,
    .weights = 1,
    .build_chain = build_chain,
};

const struct bp_dnnl_op bp_dnnl_op_fused_conv = {
    .name = "FusedConv",
    .domain = "com.microsoft",
    .since = 1,
    .until = 1,
    .claim = claim,
    .build = build,
    .work = BP_DNNL_CONVOLUTION,
    .weights = 1,
    .is_fused = true,
};
