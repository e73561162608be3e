/* SPDX-License-Identifier: MIT */
/*
 * int8_conv.h - the convolution of ConvInteger and QLinearConv: 8-bit integers with zero points, as
 * a product of the weights with the windows of each image, row by row of int32 sums.
 */
#ifndef BP_CPU_QUANTIZED_INT8_CONV_H
#define BP_CPU_QUANTIZED_INT8_CONV_H

#include "kernels/int8/int8.h"
#include "kernels/window.h"
#include "quantized/per_axis.h"

/* Which inputs of the node are which. */
struct bp_cpu_int8_conv_inputs {
    uint32_t x, w, x_zero, w_zero;
};

struct bp_cpu_int8_conv {
    struct bp_cpu_int8_conv_inputs inputs;
    struct bp_cpu_window window;
    struct bp_cpu_int8 product; /* of an image and a group */
    struct bp_cpu_per_axis w_zero;
    uint32_t groups;
    bool is_depthwise;                          /* one input channel a group: no product */
    size_t worker_bytes;                        /* scratch of each worker */
    size_t maps, image_bytes, w_step;           /* of a group */
    const void *packed_w;                       /* of a constant */
    size_t at_w, at_w_zero, at_workers, own_at; /* in the scratch */
};

/* n sums of image `image`, feature map `map`, from position j on. [any thread] */
typedef void (*bp_cpu_int8_map)(void *u, size_t image, size_t map, const int32_t *sums, size_t j,
                                size_t n);

/* For op->claim: false when it refused. */
bool bp_cpu_int8_conv_claim(const struct bp_cpu_query *query);
/* For op->pack: packs W where it is constant. */
bp_rc bp_cpu_int8_conv_pack(struct bp_cpu_node *node, struct bp_cpu_int8_conv_inputs inputs,
                            bp_err *err);
/* For op->prepare, which may ask for `own_bytes` of scratch. */
bp_rc bp_cpu_int8_conv_make(struct bp_cpu_call *call, struct bp_cpu_int8_conv_inputs inputs,
                            size_t own_bytes, struct bp_cpu_int8_conv *out, bp_err *err);
bp_rc bp_cpu_int8_conv_run(struct bp_cpu_call *call, const struct bp_cpu_int8_conv *conv,
                           bp_cpu_int8_map map, void *u, bp_err *err);

#endif
