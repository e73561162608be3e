/* SPDX-License-Identifier: MIT */
/*
 * layout.c - makes and compares oneDNN's memory descriptors. Those that are filled by hand follow
 * dnnl_blocking_desc_t of oneDNN 2: strides are in elements, between blocks, and inner blocks are
 * innermost and dense.
 */

#include "build/layout.h"

#include "base/library.h"

/*
 * By strides, as there is a tag for each rank only. A size of 0 counts as 1, so that strides stay
 * different from 0.
 */
void bp_dnnl_row_major_as(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                          dnnl_memory_desc_t *out)
{
    dnnl_dims_t strides = {0};
    dnnl_dim_t stride = 1;

    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= dims[i] > 0 ? dims[i] : 1;
    }
    memset(out, 0, sizeof *out);
    bp_dnnl.memory_desc_init_by_strides(out, rank, dims, type, strides);
}

void bp_dnnl_row_major(int rank, const dnnl_dim_t *dims, dnnl_memory_desc_t *out)
{
    bp_dnnl_row_major_as(rank, dims, dnnl_f32, out);
}

void bp_dnnl_any_layout(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                        dnnl_memory_desc_t *out)
{
    memset(out, 0, sizeof *out);
    bp_dnnl.memory_desc_init_by_tag(out, rank, dims, type, dnnl_format_tag_any);
}

/* oneDNN writes the tag with letters for dimensions: aBcd16b is nChw16c. */
void bp_dnnl_channel_blocks(int rank, const dnnl_dim_t *dims, dnnl_memory_desc_t *out)
{
    memset(out, 0, sizeof *out);
    bp_dnnl.memory_desc_init_by_tag(out, rank, dims, dnnl_f32, dnnl_aBcd16b);
}

/* tags[rank - 3]: nwc, nhwc, ndhwc. */
void bp_dnnl_channels_last(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                           dnnl_memory_desc_t *out)
{
    static const dnnl_format_tag_t tags[] = {dnnl_acb, dnnl_acdb, dnnl_acdeb};

    memset(out, 0, sizeof *out);
    bp_dnnl.memory_desc_init_by_tag(out, rank, dims, type, tags[rank - 3]);
}

/* One stride a dimension and nothing else: no inner blocks, padding, offset or compensation? */
static bool is_strided(const dnnl_memory_desc_t *md)
{
    if (md->format_kind != dnnl_blocked || md->format_desc.blocking.inner_nblks != 0 ||
        md->offset0 != 0 || md->extra.flags != 0)
        return false;
    for (int i = 0; i < md->ndims; i++) {
        if (md->padded_dims[i] != md->dims[i])
            return false;
    }
    return true;
}

/* Strides of dimensions of size 1 say nothing of where elements lie. */
bool bp_dnnl_is_row_major(const dnnl_memory_desc_t *md)
{
    dnnl_dim_t stride = 1;

    if (!is_strided(md))
        return false;
    for (int i = md->ndims - 1; i >= 0; i--) {
        if (md->dims[i] != 1 && md->format_desc.blocking.strides[i] != stride)
            return false;
        stride *= md->dims[i];
    }
    return true;
}

/* Dimensions from the outermost to the innermost, by strides; equal ones keep their order. */
static void order_of(const dnnl_memory_desc_t *md, int *order)
{
    const dnnl_dim_t *strides = md->format_desc.blocking.strides;

    for (int i = 0; i < md->ndims; i++) {
        int at = i;

        for (; at > 0; at--) {
            int other = order[at - 1];

            if (strides[other] >= strides[i])
                break;
            order[at] = other;
        }
        order[at] = i;
    }
}

/*
 * Strides are made anew from the innermost dimension, so that the result is dense even if `like` is
 * a part of a larger tensor. What is not a blocked layout becomes row-major.
 */
void bp_dnnl_layout_like(const dnnl_memory_desc_t *like, const dnnl_dim_t *dims,
                         dnnl_memory_desc_t *out)
{
    const dnnl_blocking_desc_t *blocking = &like->format_desc.blocking;
    int order[DNNL_MAX_NDIMS];
    dnnl_dims_t block, counts;
    dnnl_dim_t stride = 1;

    bp_dnnl_row_major_as(like->ndims, dims, like->data_type, out);
    if (like->format_kind != dnnl_blocked || like->extra.flags != 0)
        return;
    order_of(like, order);
    for (int i = 0; i < like->ndims; i++)
        block[i] = 1;
    out->format_desc.blocking.inner_nblks = blocking->inner_nblks;
    for (int i = 0; i < blocking->inner_nblks; i++) {
        out->format_desc.blocking.inner_blks[i] = blocking->inner_blks[i];
        out->format_desc.blocking.inner_idxs[i] = blocking->inner_idxs[i];
        block[blocking->inner_idxs[i]] *= blocking->inner_blks[i];
        stride *= blocking->inner_blks[i];
    }
    for (int i = 0; i < like->ndims; i++) {
        counts[i] = (dims[i] + block[i] - 1) / block[i];
        out->padded_dims[i] = counts[i] * block[i];
    }
    for (int k = like->ndims - 1; k >= 0; k--) {
        out->format_desc.blocking.strides[order[k]] = stride;
        stride *= counts[order[k]] > 0 ? counts[order[k]] : 1;
    }
}

/* Later dimensions move up; indices of inner blocks follow them. */
void bp_dnnl_drop_dim(const dnnl_memory_desc_t *md, int at, dnnl_memory_desc_t *out)
{
    dnnl_blocking_desc_t *blocking = &out->format_desc.blocking;

    *out = *md;
    out->ndims = md->ndims - 1;
    for (int i = at; i < out->ndims; i++) {
        out->dims[i] = md->dims[i + 1];
        out->padded_dims[i] = md->padded_dims[i + 1];
        out->padded_offsets[i] = md->padded_offsets[i + 1];
        blocking->strides[i] = md->format_desc.blocking.strides[i + 1];
    }
    out->dims[out->ndims] = out->padded_dims[out->ndims] = out->padded_offsets[out->ndims] = 0;
    blocking->strides[out->ndims] = 0;
    for (int i = 0; i < blocking->inner_nblks; i++)
        blocking->inner_idxs[i] -= blocking->inner_idxs[i] > at;
}

/* A layout is dense if it is what its own dims would have in that order. */
bool bp_dnnl_is_dense(const dnnl_memory_desc_t *md)
{
    dnnl_memory_desc_t dense;

    if (!is_strided(md))
        return false;
    bp_dnnl_layout_like(md, md->dims, &dense);
    return bp_dnnl_same_layout(md, &dense);
}

/* oneDNN's own comparison, which also sees padding, offsets and compensation. */
bool bp_dnnl_same_layout(const dnnl_memory_desc_t *a, const dnnl_memory_desc_t *b)
{
    return bp_dnnl.memory_desc_equal(a, b) != 0;
}

/* Of the types in element_type.c. */
size_t bp_dnnl_type_bytes(dnnl_data_type_t type)
{
    switch (type) {
    case dnnl_f16:
    case dnnl_bf16:
        return 2;
    case dnnl_s8:
    case dnnl_u8:
        return 1;
    default:
        return 4;
    }
}

/* All but channels last and blocks is refused, so that a loop needs to know three cases. */
bool bp_dnnl_as_planes(const dnnl_memory_desc_t *md, struct bp_dnnl_planes *out)
{
    const dnnl_blocking_desc_t *blocking = &md->format_desc.blocking;
    size_t channels = (size_t)md->padded_dims[1];
    dnnl_memory_desc_t dense;

    if (md->format_kind != dnnl_blocked)
        return false;
    bp_dnnl_layout_like(md, md->dims, &dense);
    if (!bp_dnnl_same_layout(md, &dense))
        return false;
    if (bp_dnnl_is_row_major(md)) {
        out->inner_channels = 1;
    } else if (blocking->inner_nblks == 0) {
        out->inner_channels = channels;
        bp_dnnl_channels_last(md->ndims, md->dims, md->data_type, &dense);
        if (!bp_dnnl_same_layout(md, &dense))
            return false;
    } else {
        if (blocking->inner_nblks != 1 || blocking->inner_idxs[0] != 1)
            return false;
        out->inner_channels = (size_t)blocking->inner_blks[0];
        for (int i = 2; i < md->ndims; i++) { /* blocks outside of planes */
            if (blocking->strides[i] > blocking->strides[1] && md->dims[i] > 1)
                return false;
        }
    }
    out->count = (size_t)md->dims[0] * channels / out->inner_channels;
    return true;
}
