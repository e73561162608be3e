/* SPDX-License-Identifier: MIT */
/*
 * layout.h - oneDNN's memory descriptors: makes and compares layouts. Sizes are in elements, unless
 * a name says bytes; types are float32 where none is named.
 */
#ifndef BP_DNNL_LAYOUT_H
#define BP_DNNL_LAYOUT_H

#include <dnnl.h>
#include <stdbool.h>
#include <stddef.h>

/* Row-major: the last dimension varies fastest; ONNX's tensors and the host's are such. */
void bp_dnnl_row_major(int rank, const dnnl_dim_t *dims, dnnl_memory_desc_t *out);
void bp_dnnl_row_major_as(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                          dnnl_memory_desc_t *out);
/* dnnl_format_tag_any: a primitive that is described with it chooses the layout. */
void bp_dnnl_any_layout(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                        dnnl_memory_desc_t *out);
/* Channels last: nwc, nhwc, ndhwc; of rank 3 to 5. */
void bp_dnnl_channels_last(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                           dnnl_memory_desc_t *out);
/* Blocks of 16 channels, each block a whole image: nChw16c; float32 of rank 4. */
void bp_dnnl_channel_blocks(int rank, const dnnl_dim_t *dims, dnnl_memory_desc_t *out);
/* Other dims in the layout of `like`, which has as many: the same order, blocks and type; dense. */
void bp_dnnl_layout_like(const dnnl_memory_desc_t *like, const dnnl_dim_t *dims,
                         dnnl_memory_desc_t *out);
/* The same memory without the dimension `at`, which has size 1. */
void bp_dnnl_drop_dim(const dnnl_memory_desc_t *md, int at, dnnl_memory_desc_t *out);

bool bp_dnnl_same_layout(const dnnl_memory_desc_t *a, const dnnl_memory_desc_t *b);
/* Is the memory row-major, whatever the strides of dimensions of size 1? */
bool bp_dnnl_is_row_major(const dnnl_memory_desc_t *md);
/* Are elements dense in memory, in whatever order of dimensions, none of them in blocks? */
bool bp_dnnl_is_dense(const dnnl_memory_desc_t *md);
/* Bytes of an element. */
size_t bp_dnnl_type_bytes(dnnl_data_type_t type);

/*
 * A tensor of rank 3 or more as dense planes, one after the other, batch by batch: a plane is
 * row-major over the spatial dimensions, and each point of it holds `inner_channels` channels next
 * to each other: 1 (row-major), a block of them, padding included, or all (channels last).
 */
struct bp_dnnl_planes {
    size_t count, inner_channels;
};
/* False: the layout is none of these. */
bool bp_dnnl_as_planes(const dnnl_memory_desc_t *md, struct bp_dnnl_planes *out);

#endif
