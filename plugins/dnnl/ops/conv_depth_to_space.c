/* SPDX-License-Identifier: MIT */
/*
 * conv_depth_to_space.c - ConvTranspose whose windows do not overlap (kernel equal to strides), as
 * image decoders have it: a convolution of 1 x 1 makes all elements of a window as channels, a
 * reorder moves them to their places, as DepthToSpace does. oneDNN's own deconvolution takes three
 * times as long.
 */

#include "ops/conv_depth_to_space.h"

#include "base/library.h"
#include "build/builder.h"
#include "build/constants.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"
#include "ops/window.h"

/* `taps` are elements of a window, `maps` output channels. */
struct depth_to_space {
    const bp_node *node;
    int n; /* dimensions of the window */
    dnnl_dim_t maps, channels, taps;
    dnnl_memory_desc_t x, w, bias, made; /* as the convolution sees them */
    struct bp_dnnl_tensor x_tensor, w_tensor, bias_tensor, made_tensor, y_tensor;
    bool has_bias;
};

/* Padding by output_shape or auto_pad counts too, so that sizes have to be known. */
bool bp_dnnl_is_depth_to_space(const struct bp_dnnl_builder *b, const bp_node *node)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0), *w = bp_dnnl_in(b, node, 1);
    const struct bp_dnnl_value *y = &b->values[node->out[0]];
    struct bp_dnnl_window window = {0};

    if (!(BP_VALUE(b->graph, node->in[1])->flags & BP_VALUE_CONSTANT) ||
        bp_node_int(b->graph, node, "group", 1) != 1)
        return false;
    if (bp_dnnl_in(b, node, 2) && !(BP_VALUE(b->graph, node->in[2])->flags & BP_VALUE_CONSTANT))
        return false;
    memcpy(window.kernel, w->dims + 2, sizeof *w->dims * (size_t)(w->rank - 2));
    bp_dnnl_window_make(b, node, (uint32_t)x->rank - 2, y->dims + 2, x->dims + 2, &window);
    for (int i = 0; i < x->rank - 2; i++) {
        if (window.kernel[i] != window.strides[i] || window.dilates[i] != 0 ||
            window.before[i] != 0 || window.after[i] != 0)
            return false;
    }
    return true;
}

/* ---- constants ------------------------------------------------------------------------------- */

/*
 * (channels, maps, taps) to (taps, maps, channels): taps become the outer part of output channels.
 */
static void fill_weights(const struct bp_dnnl_rearrangement *how, const char *in, float *out)
{
    const struct depth_to_space *k = how->u;

    for (dnnl_dim_t tap = 0; tap < k->taps; tap++) {
        for (dnnl_dim_t map = 0; map < k->maps; map++) {
            for (dnnl_dim_t i = 0; i < k->channels; i++, out++) {
                dnnl_dim_t at = (i * k->maps + map) * k->taps + tap;

                memcpy(out, in + (size_t)at * sizeof *out, sizeof *out);
            }
        }
    }
}

/* The bias of each output channel, once for each tap. */
static void fill_bias(const struct bp_dnnl_rearrangement *how, const char *in, float *out)
{
    const struct depth_to_space *k = how->u;

    for (dnnl_dim_t tap = 0; tap < k->taps; tap++, out += k->maps)
        memcpy(out, in, (size_t)k->maps * sizeof *out);
}

/*
 * Constants that are rearranged; the number of taps is in the name of the copy, as equal bytes of
 * other taps look alike in `stored`.
 */
static bp_rc get_constant(struct bp_dnnl_builder *b, const struct depth_to_space *k, uint32_t input,
                          const dnnl_memory_desc_t *stored, const dnnl_memory_desc_t *want,
                          struct bp_dnnl_tensor *out, bp_err *err)
{
    bool is_matrix = input == 1;
    char name[48];
    const struct bp_dnnl_rearrangement how = {
        .name = name,
        .from_bytes =
            (size_t)(is_matrix ? k->channels * k->maps * k->taps : k->maps) * sizeof(float),
        .fill = is_matrix ? fill_weights : fill_bias,
        .u = k};

    /* the same bytes of other taps look alike in `seen` */
    snprintf(name, sizeof name, "%s of %lld", is_matrix ? "tiles" : "bias", (long long)k->taps);
    out->md = *want;
    out->location = (struct bp_dnnl_location){.kind = BP_DNNL_FIXED};
    return bp_dnnl_rearranged_constant(b, k->node->in[input], &how, stored, want,
                                       &out->location.fixed, err);
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* Of any rank, unlike layout.h's, as 1-D data come here too. */
static void channels_last(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                          dnnl_memory_desc_t *out)
{
    dnnl_dims_t strides = {0};
    dnnl_dim_t stride = dims[1];

    for (int i = rank - 1; i >= 2; i--) {
        strides[i] = stride;
        stride *= dims[i];
    }
    strides[0] = stride;
    strides[1] = 1;
    memset(out, 0, sizeof *out);
    bp_dnnl.memory_desc_init_by_strides(out, rank, dims, type, strides);
}

/*
 * DepthToSpace as one reorder, both sides seen as (batch, maps, size, taps, size, taps...): the
 * convolution's output has all taps after all sizes, y has each tap beside its size.
 */
static bp_rc shuffle(struct bp_dnnl_builder *b, struct depth_to_space *k, bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, k->node, 0), *w = bp_dnnl_in(b, k->node, 1);
    struct bp_dnnl_tensor from = k->made_tensor, to = k->y_tensor;
    const dnnl_dim_t *own = k->y_tensor.md.format_desc.blocking.strides;
    dnnl_dims_t dims = {x->dims[0], k->maps}, in = {0}, out = {own[0], own[1]};
    dnnl_dim_t tap = k->maps;
    int rank = 2 + 2 * k->n;

    in[0] = k->made.format_desc.blocking.strides[0];
    in[1] = 1;
    for (int i = k->n - 1; i >= 0; i--) {
        dims[2 + 2 * i] = x->dims[2 + i];
        dims[3 + 2 * i] = w->dims[2 + i];
        in[2 + 2 * i] = k->made.format_desc.blocking.strides[2 + i];
        in[3 + 2 * i] = tap;
        tap *= w->dims[2 + i];
        out[2 + 2 * i] = own[2 + i] * w->dims[2 + i];
        out[3 + 2 * i] = own[2 + i];
    }
    bp_dnnl.memory_desc_init_by_strides(&from.md, rank, dims, from.md.data_type, in);
    bp_dnnl.memory_desc_init_by_strides(&to.md, rank, dims, to.md.data_type, out);
    return bp_dnnl_reorder(b, &from, &to, err);
}

/*
 * What leaves the group is made row-major by a second reorder later, which is faster than both in
 * one.
 */
static bp_rc make_y(struct bp_dnnl_builder *b, struct depth_to_space *k, dnnl_data_type_t type,
                    bp_err *err)
{
    uint32_t value = k->node->out[0];
    const struct bp_dnnl_value *y = &b->values[value];
    dnnl_memory_desc_t md;

    channels_last(y->rank, y->dims, bp_dnnl_result_type(b, value, type), &md);
    return bp_dnnl_make_output(b, value, &md, &k->y_tensor, err);
}

/* ---- the primitive --------------------------------------------------------------------------- */

/* The 1 x 1 convolution, its output channels last by force, as shuffle() reads it so. */
static bp_rc describe(struct bp_dnnl_builder *b, struct depth_to_space *k, dnnl_data_type_t type,
                      dnnl_primitive_desc_t *out, bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, k->node, 0);
    dnnl_dims_t made, ones, zeros = {0};
    dnnl_memory_desc_t x_any, w_any;
    dnnl_convolution_desc_t desc;
    dnnl_status_t status;

    memcpy(made, x->dims, sizeof made);
    made[1] = k->taps * k->maps;
    for (int i = 0; i < k->n; i++)
        ones[i] = 1;
    bp_dnnl_any_layout(x->rank, x->dims, type, &x_any);
    bp_dnnl_any_layout(x->rank, k->w.dims, type, &w_any);
    channels_last(x->rank, made, type, &k->made);
    status = bp_dnnl.dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_convolution_direct, &x_any, &w_any,
        k->has_bias ? &k->bias : NULL, &k->made, ones, zeros, zeros, zeros);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", k->node->op, k->node->name);
    return bp_dnnl_describe(b, &desc, NULL, out, err);
}

/* The convolution's output is scratch memory that only the reorder reads. */
static bp_rc emit(struct bp_dnnl_builder *b, struct depth_to_space *k, dnnl_primitive_desc_t pd,
                  bp_err *err)
{
    struct bp_dnnl_arg args[4] = {{DNNL_ARG_SRC, &k->x_tensor},
                                  {DNNL_ARG_WEIGHTS, &k->w_tensor},
                                  {DNNL_ARG_DST, &k->made_tensor},
                                  {DNNL_ARG_BIAS, &k->bias_tensor}};
    bp_rc rc = bp_dnnl_tensor_of(b, k->node->in[0], bp_dnnl_query(pd, dnnl_query_src_md),
                                 &k->x_tensor, err);

    if (rc >= 0)
        rc = get_constant(b, k, 1, &k->w, bp_dnnl_query(pd, dnnl_query_weights_md), &k->w_tensor,
                          err);
    if (rc >= 0 && k->has_bias)
        rc = get_constant(b, k, 2, &k->bias, &k->bias, &k->bias_tensor, err);
    if (rc >= 0)
        rc = bp_dnnl_temporary(b, &k->made, &k->made_tensor, err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    return bp_dnnl_emit(b, pd, k->has_bias ? 4 : 3, args, err);
}

/* The weights' dims are those of the 1 x 1 convolution. */
bp_rc bp_dnnl_build_depth_to_space(struct bp_dnnl_builder *b, const bp_node *node, bp_err *err)
{
    const struct bp_dnnl_value *w = bp_dnnl_in(b, node, 1);
    struct depth_to_space k = {.node = node,
                               .n = w->rank - 2,
                               .maps = w->dims[1],
                               .channels = w->dims[0],
                               .taps = 1,
                               .has_bias = bp_dnnl_in(b, node, 2) != NULL};
    dnnl_data_type_t type = bp_dnnl_compute_type(b);
    dnnl_primitive_desc_t pd;
    dnnl_dims_t dims;
    bp_rc rc;

    for (int i = 0; i < k.n; i++) {
        k.taps *= w->dims[2 + i];
        dims[2 + i] = 1;
    }
    dims[0] = k.taps * k.maps;
    dims[1] = k.channels;
    bp_dnnl_row_major(w->rank, dims, &k.w);
    bp_dnnl_row_major(1, dims, &k.bias);
    rc = describe(b, &k, type, &pd, err);
    if (rc == BP_E_SHAPE && type != dnnl_f32) {
        type = dnnl_f32;
        rc = describe(b, &k, type, &pd, err);
    }
    if (rc >= 0)
        rc = emit(b, &k, pd, err);
    if (rc >= 0)
        rc = make_y(b, &k, type, err);
    return rc < 0 ? rc : shuffle(b, &k, err);
}
