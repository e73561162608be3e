/* SPDX-License-Identifier: MIT */
/* split.c - see split.h. */

#include "build/split.h"

#include "base/instance.h"
#include "base/library.h"
#include "build/frame.h"
#include "build/layout.h"

/* The descriptions of oneDNN 2 that can be cut; each begins with its kind. */
union op_desc {
    dnnl_primitive_kind_t kind;
    dnnl_matmul_desc_t matmul;
    dnnl_convolution_desc_t conv; /* of deconvolutions too */
    dnnl_eltwise_desc_t eltwise;
    dnnl_binary_desc_t binary;
    dnnl_pooling_v2_desc_t pool;
    dnnl_batch_normalization_desc_t batch_norm;
    dnnl_layer_normalization_desc_t layer_norm;
    dnnl_softmax_desc_t softmax;
    dnnl_reduction_desc_t reduction;
};

/* A primitive that is being cut. */
struct cut {
    const_dnnl_primitive_desc_t pd;
    dnnl_primitive_kind_t kind;
    const union op_desc *op; /* NULL: reorder and sum have none */
    const_dnnl_primitive_attr_t attr;
    uint32_t n_args;
    const struct bp_dnnl_arg *args;
    const dnnl_memory_desc_t *src, *weights, *dst; /* weights: NULL where there are none */
    int dim;                                       /* of dst, the one to cut */
    dnnl_dim_t first, n;                           /* what of it the half makes */
};

/* ---- what it is ------------------------------------------------------------------------------ */

static const dnnl_memory_desc_t *md_of(uint32_t n_args, const struct bp_dnnl_arg *args, int id)
{
    for (uint32_t i = 0; i < n_args; i++) {
        if (args[i].id == id)
            return &args[i].tensor->md;
    }
    return NULL;
}

/* The query for the description of a kind; dnnl_query_undef: there is none, or it is not cut. */
static dnnl_query_t query_of(dnnl_primitive_kind_t kind)
{
    switch (kind) {
    case dnnl_matmul:
        return dnnl_query_matmul_d;
    case dnnl_convolution:
        return dnnl_query_convolution_d;
    case dnnl_deconvolution:
        return dnnl_query_deconvolution_d;
    case dnnl_eltwise:
        return dnnl_query_eltwise_d;
    case dnnl_binary:
        return dnnl_query_binary_d;
    case dnnl_pooling_v2:
        return dnnl_query_pooling_v2_d;
    case dnnl_batch_normalization:
        return dnnl_query_batch_normalization_d;
    case dnnl_layer_normalization:
        return dnnl_query_layer_normalization_d;
    case dnnl_softmax:
        return dnnl_query_softmax_d;
    case dnnl_reduction:
        return dnnl_query_reduction_d;
    default:
        return dnnl_query_undef;
    }
}

/* False: it is of a kind that is not cut. */
static bool look_at(const_dnnl_primitive_desc_t pd, uint32_t n_args, const struct bp_dnnl_arg *args,
                    struct cut *out)
{
    dnnl_query_t query;

    *out = (struct cut){.pd = pd, .n_args = n_args, .args = args};
    if (bp_dnnl.primitive_desc_query(pd, dnnl_query_primitive_kind, 0, &out->kind) != dnnl_success)
        return false;
    query = query_of(out->kind);
    if (query != dnnl_query_undef &&
        bp_dnnl.primitive_desc_query(pd, query, 0, (void *)&out->op) != dnnl_success)
        return false;
    out->src = md_of(n_args, args, out->kind == dnnl_sum ? DNNL_ARG_MULTIPLE_SRC : DNNL_ARG_SRC);
    out->weights = md_of(n_args, args, DNNL_ARG_WEIGHTS);
    out->dst = md_of(n_args, args, DNNL_ARG_DST);
    return out->src && out->dst &&
           (query != dnnl_query_undef || out->kind == dnnl_reorder || out->kind == dnnl_sum) &&
           bp_dnnl.primitive_desc_get_attr(pd, &out->attr) == dnnl_success;
}

/* ---- how long it takes ----------------------------------------------------------------------- */

static bool has_name(const_dnnl_primitive_desc_t pd, const char *part)
{
    const char *name = NULL;

    bp_dnnl.primitive_desc_query(pd, dnnl_query_impl_info_str, 0, (void *)&name);
    return name && strstr(name, part);
}

static bool is_reference(const_dnnl_primitive_desc_t pd)
{
    return has_name(pd, "ref");
}

/*
 * Operations a nanosecond and thread, at the lower end of what processors do; an Intel Xeon with
 * AVX-512 does twice to three times as many. "ref" are oneDNN's plain loops. Winograd's algorithm
 * spares more than half of the operations: an AMD EPYC with AVX-512 does 160.
 */
static double speed_of(const_dnnl_primitive_desc_t pd)
{
    dnnl_cpu_isa_t isa = bp_dnnl.get_effective_cpu_isa();

    if (is_reference(pd))
        return 0.3;
    if (has_name(pd, "wino"))
        return 120;
    return isa >= dnnl_cpu_isa_avx512_core ? 40 : isa >= dnnl_cpu_isa_avx2 ? 20 : 5;
}

static double count_of(const dnnl_memory_desc_t *md)
{
    double count = 1;

    for (int i = 0; i < md->ndims; i++)
        count *= (double)md->dims[i];
    return count;
}

/* Products for each element of dst, or of src for a transposed convolution. */
static double operations(const struct cut *cut)
{
    if (cut->kind == dnnl_matmul)
        return 2 * count_of(cut->dst) * (double)cut->src->dims[cut->src->ndims - 1];
    if (cut->kind == dnnl_convolution)
        return 2 * count_of(cut->dst) * count_of(cut->weights) / (double)cut->dst->dims[1];
    return 2 * count_of(cut->src) * count_of(cut->weights) / (double)cut->src->dims[1];
}

/* A nanosecond an element where nothing is summed: of a Tanh, or of memory that is read once. */
bool bp_dnnl_is_long(const struct bp_dnnl_builder *b, const_dnnl_primitive_desc_t pd,
                     uint32_t n_args, const struct bp_dnnl_arg *args)
{
    double threads = b->is_single_thread ? 1 : b->frame->threads;
    struct cut cut;
    double ns;

    if (!look_at(pd, n_args, args, &cut))
        return false;
    if (cut.weights &&
        (cut.kind == dnnl_matmul || cut.kind == dnnl_convolution || cut.kind == dnnl_deconvolution))
        ns = operations(&cut) / speed_of(pd);
    else
        ns = count_of(cut.src) > count_of(cut.dst) ? count_of(cut.src) : count_of(cut.dst);
    return ns > (double)b->instance->long_ns * threads;
}

/* ---- which part of an operand a half reads --------------------------------------------------- */

enum { WHOLE = -1, WINDOWS = -2, NEVER = -3 };

/* Along the dimension of the same number, if the operand is not repeated there. */
static int same_dim(const struct cut *cut, const dnnl_memory_desc_t *md)
{
    if (md->ndims != cut->dst->ndims)
        return WHOLE;
    if (md->dims[cut->dim] == cut->dst->dims[cut->dim])
        return cut->dim;
    return md->dims[cut->dim] == 1 ? WHOLE : NEVER;
}

/* Rows of the first matrix, columns of the second, and matrices of both stacks. */
static int matmul_dim(const struct cut *cut, int id, const dnnl_memory_desc_t *md)
{
    int rows = cut->dst->ndims - 2;

    if ((id == DNNL_ARG_SRC && cut->dim == rows + 1) ||
        (id == DNNL_ARG_WEIGHTS && cut->dim == rows))
        return WHOLE;
    return same_dim(cut, md);
}

/* Images of the batch, some channels of the result, or what the windows of some rows cover. */
static int conv_dim(const struct cut *cut, int id, const dnnl_memory_desc_t *md)
{
    if (id == DNNL_ARG_WEIGHTS || id == DNNL_ARG_BIAS)
        return cut->dim == 1 ? 0 : WHOLE;
    if (id == DNNL_ARG_SRC && cut->dim == 1)
        return WHOLE;
    return id == DNNL_ARG_SRC && cut->dim > 1 ? WINDOWS : same_dim(cut, md);
}

/* Which dimension of the operand is cut with the result's; or one of the constants above. */
static int dim_of(const struct cut *cut, int id, const dnnl_memory_desc_t *md)
{
    if (cut->kind == dnnl_matmul)
        return matmul_dim(cut, id, md);
    if (cut->kind == dnnl_convolution || cut->kind == dnnl_deconvolution)
        return conv_dim(cut, id, md);
    return same_dim(cut, md);
}

/* The least number of indices of md's dimension that lie apart from others. */
static dnnl_dim_t block_of(const dnnl_memory_desc_t *md, int dim)
{
    dnnl_dim_t block = 1;

    for (int i = 0; i < md->format_desc.blocking.inner_nblks; i++) {
        if (md->format_desc.blocking.inner_idxs[i] == dim)
            block *= md->format_desc.blocking.inner_blks[i];
    }
    return block;
}

/* Only blocks can be addressed; `extra` stands for sums that follow after the weights of bytes. */
static bool can_slice(const dnnl_memory_desc_t *md)
{
    return md->format_kind == dnnl_blocked && md->extra.flags == 0;
}

/*
 * Channels of a convolution's result are cut where they lie in blocks, one after the other, and all
 * read the whole input: with groups each reads its part.
 */
static bool has_channel_blocks(const struct cut *cut)
{
    return cut->weights->ndims == cut->dst->ndims && can_slice(cut->dst) &&
           block_of(cut->dst, 1) > 1;
}

/* Dimensions along which an element of the result depends on its neighbours, or on one of theirs. */
static bool is_bound(const struct cut *cut, int dim)
{
    switch (cut->kind) {
    case dnnl_convolution:
        return dim == 1 && !has_channel_blocks(cut);
    case dnnl_deconvolution:
        return dim > 0;
    case dnnl_pooling_v2:
        return dim > 1;
    case dnnl_batch_normalization:
        return dim == 1; /* the other operands are by channel */
    case dnnl_layer_normalization:
        return dim == cut->dst->ndims - 1;
    case dnnl_softmax:
        return dim == cut->op->softmax.softmax_axis;
    default:
        return false;
    }
}

/* Is there a scale for each index of the dimension? Then the attributes would have to be cut too. */
static bool has_scales(const struct cut *cut, int dim)
{
    dnnl_dim_t count = 0;
    const float *scales;
    int mask = 0;

    return bp_dnnl.primitive_attr_get_output_scales(cut->attr, &count, &mask, &scales) !=
               dnnl_success ||
           mask >> dim & 1;
}

/* Whole vectors of a long dimension. */
enum { LANES = 16, LONG_DIM = 64 };

/* Indices of the dimension that stay together, or 0: the primitive cannot be cut there. */
static dnnl_dim_t unit_of(const struct cut *cut)
{
    dnnl_dim_t unit = cut->dst->dims[cut->dim] >= LONG_DIM ? LANES : 1;

    if (is_bound(cut, cut->dim) || has_scales(cut, cut->dim))
        return 0;
    for (uint32_t i = 0; i < cut->n_args; i++) {
        const dnnl_memory_desc_t *md = &cut->args[i].tensor->md;
        int dim = dim_of(cut, cut->args[i].id, md);

        if (dim == NEVER || (dim != WHOLE && !can_slice(md)))
            return 0;
        if (dim >= 0 && unit % block_of(md, dim) != 0)
            unit *= block_of(md, dim);
    }
    return unit;
}

/*
 * The first one, whose halves lie together; of a single product the longer one, whose halves then
 * read least. Not one of the bits of `tried`. False: there is none.
 */
static bool choose_dim(struct cut *cut, uint32_t tried, dnnl_dim_t *half)
{
    int rows = cut->kind == dnnl_matmul ? cut->dst->ndims - 2 : -1;
    dnnl_dim_t best = 0;

    for (int i = 0; i < cut->dst->ndims && (best == 0 || (rows >= 0 && cut->dim >= rows)); i++) {
        struct cut here = *cut;
        dnnl_dim_t unit, n = cut->dst->dims[i];

        here.dim = i;
        unit = n > best && !(tried >> i & 1) ? unit_of(&here) : 0;
        if (unit == 0 || n < 2 * unit)
            continue;
        best = n;
        cut->dim = i;
        *half = n / 2 / unit * unit;
    }
    return best > 0;
}

/* ---- a half ---------------------------------------------------------------------------------- */

/*
 * The stride of a single image or matrix as if the tensor were dense: kernels compare strides with
 * those of a layout, also where there is nothing to stride over.
 */
static void make_dense(dnnl_memory_desc_t *md)
{
    dnnl_dim_t count = 1;

    if (md->dims[0] != 1)
        return;
    for (int i = 1; i < md->ndims; i++)
        count *= md->padded_dims[i];
    md->format_desc.blocking.strides[0] = count;
}

/* Indices first to first + n of the dimension; the address moves, as md's own offset is 0 then. */
static bool slice(const struct bp_dnnl_tensor *from, int dim, dnnl_dim_t first, dnnl_dim_t n,
                  struct bp_dnnl_tensor *out)
{
    dnnl_dims_t dims, begin = {0};
    size_t bytes;

    memcpy(dims, from->md.dims, sizeof dims);
    dims[dim] = n;
    begin[dim] = first;
    if (bp_dnnl.memory_desc_init_submemory(&out->md, &from->md, dims, begin) != dnnl_success)
        return false;
    bytes = (size_t)out->md.offset0 * bp_dnnl_type_bytes(out->md.data_type);
    out->md.offset0 = 0;
    make_dense(&out->md);
    out->location = from->location;
    if (out->location.kind == BP_DNNL_FIXED)
        out->location.fixed = (const char *)out->location.fixed + bytes;
    else
        out->location.offset += bytes;
    return true;
}

/*
 * What the windows of the half's rows cover, and the padding that is left at both ends. Rows in
 * padding alone have no input, which oneDNN does not take.
 */
static bool slice_windows(const struct cut *cut, const struct bp_dnnl_tensor *from,
                          dnnl_convolution_desc_t *desc, struct bp_dnnl_tensor *out)
{
    int i = cut->dim - 2, kernel_dim = cut->weights->ndims - cut->dst->ndims + cut->dim;
    dnnl_dim_t reach = (cut->weights->dims[kernel_dim] - 1) * (desc->dilates[i] + 1) + 1;
    dnnl_dim_t begin = cut->first * desc->strides[i] - desc->padding[0][i];
    dnnl_dim_t end = begin + (cut->n - 1) * desc->strides[i] + reach,
               size = from->md.dims[cut->dim];

    desc->padding[0][i] = begin < 0 ? -begin : 0;
    desc->padding[1][i] = end > size ? end - size : 0;
    begin = begin < 0 ? 0 : begin;
    end = end > size ? size : end;
    return end > begin && slice(from, cut->dim, begin, end - begin, out);
}

/* The same post-ops with operands of the half. */
static dnnl_status_t append(const struct cut *cut, const struct bp_dnnl_half *half,
                            const_dnnl_post_ops_t from, int i, dnnl_post_ops_t to)
{
    const dnnl_memory_desc_t *other;
    float scale, alpha, beta;
    dnnl_alg_kind_t kind;
    dnnl_status_t status;

    switch (bp_dnnl.post_ops_get_kind(from, i)) {
    case dnnl_eltwise:
        status = bp_dnnl.post_ops_get_params_eltwise(from, i, &scale, &kind, &alpha, &beta);
        return status == dnnl_success
                   ? bp_dnnl.post_ops_append_eltwise(to, scale, kind, alpha, beta)
                   : status;
    case dnnl_sum:
        status = bp_dnnl.post_ops_get_params_sum(from, i, &scale);
        return status == dnnl_success ? bp_dnnl.post_ops_append_sum(to, scale) : status;
    case dnnl_binary:
        status = bp_dnnl.post_ops_get_params_binary(from, i, &kind, &other);
        if (status != dnnl_success)
            return status;
        other = md_of(cut->n_args, half->args, DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1);
        return other ? bp_dnnl.post_ops_append_binary(to, kind, other) : dnnl_unimplemented;
    default:
        return dnnl_unimplemented;
    }
}

/* *out is a copy in any case, for dnnl_primitive_attr_destroy(). */
static dnnl_status_t half_attr(const struct cut *cut, const struct bp_dnnl_half *half,
                               dnnl_primitive_attr_t *out)
{
    const_dnnl_post_ops_t from = NULL;
    dnnl_post_ops_t to = NULL;
    dnnl_status_t status = bp_dnnl.primitive_attr_clone(out, cut->attr);
    int n;

    if (status == dnnl_success)
        status = bp_dnnl.primitive_attr_get_post_ops(cut->attr, &from);
    n = status == dnnl_success ? bp_dnnl.post_ops_len(from) : 0;
    if (n == 0)
        return status;
    status = bp_dnnl.post_ops_create(&to);
    for (int i = 0; i < n && status == dnnl_success; i++)
        status = append(cut, half, from, i, to);
    if (status == dnnl_success)
        status = bp_dnnl.primitive_attr_set_post_ops(*out, to);
    if (to)
        bp_dnnl.post_ops_destroy(to);
    return status;
}

/* The description with the half's operands; windows have changed the padding already. */
static void set_operands(const struct cut *cut, const struct bp_dnnl_half *half, union op_desc *op)
{
    const dnnl_memory_desc_t *src = md_of(cut->n_args, half->args, DNNL_ARG_SRC);
    const dnnl_memory_desc_t *dst = md_of(cut->n_args, half->args, DNNL_ARG_DST);
    const dnnl_memory_desc_t *weights = md_of(cut->n_args, half->args, DNNL_ARG_WEIGHTS);
    const dnnl_memory_desc_t *bias = md_of(cut->n_args, half->args, DNNL_ARG_BIAS);

    switch (cut->kind) {
    case dnnl_matmul:
        op->matmul.src_desc = *src;
        op->matmul.dst_desc = *dst;
        op->matmul.weights_desc = *weights;
        if (bias)
            op->matmul.bias_desc = *bias;
        break;
    case dnnl_convolution:
    case dnnl_deconvolution:
        op->conv.src_desc = *src;
        op->conv.dst_desc = *dst;
        op->conv.weights_desc = *weights;
        if (bias)
            op->conv.bias_desc = *bias;
        break;
    case dnnl_eltwise:
        op->eltwise.data_desc = *src;
        break;
    case dnnl_binary:
        op->binary.src_desc[0] = *src;
        op->binary.src_desc[1] = *md_of(cut->n_args, half->args, DNNL_ARG_SRC_1);
        op->binary.dst_desc = *dst;
        break;
    case dnnl_pooling_v2:
        op->pool.src_desc = *src;
        op->pool.dst_desc = *dst;
        break;
    case dnnl_batch_normalization:
        op->batch_norm.data_desc = *src;
        break;
    case dnnl_layer_normalization:
        op->layer_norm.data_desc = *src;
        break;
    case dnnl_softmax:
        op->softmax.data_desc = *src;
        break;
    default:
        op->reduction.src_desc = *src;
        op->reduction.dst_desc = *dst;
        break;
    }
}

/*
 * Of a norm of rows: a mean and a variance for each, described even where they are not read, in no
 * layout then.
 */
static bool set_statistics(const struct cut *cut, union op_desc *op)
{
    struct bp_dnnl_tensor whole = {.md = op->layer_norm.stat_desc}, part;

    if (cut->kind != dnnl_layer_normalization || whole.md.ndims == 0)
        return true;
    if (whole.md.format_kind == dnnl_format_kind_any) {
        op->layer_norm.stat_desc.dims[cut->dim] = cut->n;
        op->layer_norm.stat_desc.padded_dims[cut->dim] = cut->n;
        return true;
    }
    if (!slice(&whole, cut->dim, cut->first, cut->n, &part))
        return false;
    op->layer_norm.stat_desc = part.md;
    return true;
}

/* Sums in this provider have no scales. */
static dnnl_status_t describe_sum(const struct cut *cut, const struct bp_dnnl_half *half,
                                  dnnl_primitive_attr_t attr, dnnl_primitive_desc_t *out)
{
    const dnnl_memory_desc_t *dst = md_of(cut->n_args, half->args, DNNL_ARG_DST);
    static const float ones[BP_DNNL_SPLIT_ARGS] = {1, 1, 1, 1, 1, 1, 1, 1};
    dnnl_memory_desc_t sources[BP_DNNL_SPLIT_ARGS];
    int n = 0;

    for (uint32_t i = 0; i < cut->n_args; i++) {
        const dnnl_memory_desc_t *md = md_of(cut->n_args, half->args, DNNL_ARG_MULTIPLE_SRC + n);

        if (md)
            sources[n++] = *md;
    }
    return bp_dnnl.sum_primitive_desc_create(out, dst, n, ones, sources, attr, bp_dnnl.engine);
}

static dnnl_status_t describe(const struct cut *cut, const struct bp_dnnl_half *half,
                              const union op_desc *op, dnnl_primitive_attr_t attr,
                              dnnl_primitive_desc_t *out)
{
    if (cut->kind == dnnl_sum)
        return describe_sum(cut, half, attr, out);
    if (cut->kind == dnnl_reorder)
        return bp_dnnl.reorder_primitive_desc_create(
            out, md_of(cut->n_args, half->args, DNNL_ARG_FROM), bp_dnnl.engine,
            md_of(cut->n_args, half->args, DNNL_ARG_TO), bp_dnnl.engine, attr);
    return bp_dnnl.primitive_desc_create(out, op, attr, bp_dnnl.engine, NULL);
}

/* Bytes of a description, of which no more may be read. */
static size_t desc_bytes(dnnl_primitive_kind_t kind)
{
    switch (kind) {
    case dnnl_matmul:
        return sizeof(dnnl_matmul_desc_t);
    case dnnl_convolution:
    case dnnl_deconvolution:
        return sizeof(dnnl_convolution_desc_t);
    case dnnl_eltwise:
        return sizeof(dnnl_eltwise_desc_t);
    case dnnl_binary:
        return sizeof(dnnl_binary_desc_t);
    case dnnl_pooling_v2:
        return sizeof(dnnl_pooling_v2_desc_t);
    case dnnl_batch_normalization:
        return sizeof(dnnl_batch_normalization_desc_t);
    case dnnl_layer_normalization:
        return sizeof(dnnl_layer_normalization_desc_t);
    case dnnl_softmax:
        return sizeof(dnnl_softmax_desc_t);
    default:
        return sizeof(dnnl_reduction_desc_t);
    }
}

/* Operands first, as the description and its attributes are made of them. */
static bool make_half(struct cut *cut, struct bp_dnnl_half *half)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t status;
    union op_desc op;

    half->pd = NULL;
    if (cut->op)
        memcpy(&op, cut->op, desc_bytes(cut->kind));
    for (uint32_t i = 0; i < cut->n_args; i++) {
        const struct bp_dnnl_tensor *tensor = cut->args[i].tensor;
        int dim = dim_of(cut, cut->args[i].id, &tensor->md);

        half->args[i] = (struct bp_dnnl_arg){cut->args[i].id, &half->tensors[i]};
        if (dim == WHOLE)
            half->tensors[i] = *tensor;
        else if (dim == WINDOWS ? !slice_windows(cut, tensor, &op.conv, &half->tensors[i])
                                : !slice(tensor, dim, cut->first, cut->n, &half->tensors[i]))
            return false;
    }
    if (cut->op) {
        set_operands(cut, half, &op);
        if (!set_statistics(cut, &op))
            return false;
    }
    status = half_attr(cut, half, &attr);
    if (status == dnnl_success)
        status = describe(cut, half, &op, attr, &half->pd);
    if (attr)
        bp_dnnl.primitive_attr_destroy(attr);
    if (status != dnnl_success)
        return false;
    if (is_reference(cut->pd) || !is_reference(half->pd))
        return true;
    bp_dnnl.primitive_desc_destroy(half->pd); /* it would take longer than the whole does */
    return false;
}

/* At index `half` of the dimension. */
static bool make_halves(struct cut *cut, dnnl_dim_t half, struct bp_dnnl_half halves[2])
{
    cut->first = 0;
    cut->n = half;
    if (!make_half(cut, &halves[0]))
        return false;
    cut->first = half;
    cut->n = cut->dst->dims[cut->dim] - half;
    if (make_half(cut, &halves[1]))
        return true;
    bp_dnnl.primitive_desc_destroy(halves[0].pd);
    return false;
}

/* Some kernels want whole rows of the result, so that another dimension may do. */
bool bp_dnnl_halve(const_dnnl_primitive_desc_t pd, uint32_t n_args, const struct bp_dnnl_arg *args,
                   struct bp_dnnl_half halves[2])
{
    uint32_t tried = 0;
    dnnl_dim_t half;
    struct cut cut;

    if (n_args > BP_DNNL_SPLIT_ARGS || !look_at(pd, n_args, args, &cut))
        return false;
    for (; choose_dim(&cut, tried, &half); tried |= UINT32_C(1) << cut.dim) {
        if (make_halves(&cut, half, halves))
            return true;
    }
    return false;
}
