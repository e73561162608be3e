/* SPDX-License-Identifier: MIT */
/*
 * int8_conv.h - The convolution of ConvInteger and QLinearConv: 8-bit integers with zero points, as
 * a matrix product of the weights with the windows of each image. The int32 sums are handed to the
 * operator run by run.
 */
#ifndef BP_CPU_QUANTIZED_INT8_CONV_H
#define BP_CPU_QUANTIZED_INT8_CONV_H

#include "kernels/int8/int8.h"
#include "kernels/window.h"
#include "quantized/per_axis.h"

/* Indices of the node's inputs. */
struct bp_cpu_int8_conv_inputs {
    uint32_t x, w, x_zero, w_zero;
};

/* A plan; read-only after bp_cpu_int8_conv_make(). */
struct bp_cpu_int8_conv {
    struct bp_cpu_int8_conv_inputs inputs;
    struct bp_cpu_window window;
    struct bp_cpu_int8 product; /* of an image and a group */
    struct bp_cpu_per_axis w_zero;
    uint32_t groups;
    bool is_depthwise;                          /* groups with one input channel: no product */
    size_t worker_bytes;                        /* scratch of each worker */
    size_t maps, image_bytes, w_step;           /* of a group */
    const void *packed_w;                       /* packed constant weights, or NULL */
    size_t at_w, at_w_zero, at_workers, own_at; /* in the scratch */
};

/*
 * Receives n sums of image `image` and feature map `map` from position j on, n <= 64. [any thread]
 */
typedef void (*bp_cpu_int8_map)(void *u, size_t image, size_t map, const int32_t *sums, size_t j,
                                size_t n);

/* For op->claim: refuses windows that are not supported; false if it did. */
bool bp_cpu_int8_conv_claim(const struct bp_cpu_query *query);
/* For op->pack: packs W if it is constant; memory is the node's. BP_E_NOMEM. */
bp_rc bp_cpu_int8_conv_pack(struct bp_cpu_node *node, struct bp_cpu_int8_conv_inputs inputs,
                            bp_err *err);
/*
 * For op->prepare: plans the convolution and sets the scratch size, with own_bytes for the operator
 * at own_at. BP_E_SHAPE, BP_E_NOMEM.
 */
bp_rc bp_cpu_int8_conv_make(struct bp_cpu_call *call, struct bp_cpu_int8_conv_inputs inputs,
                            size_t own_bytes, struct bp_cpu_int8_conv *out, bp_err *err);
/* For op->run: calls `map` for all sums, on the pool's threads. */
bp_rc bp_cpu_int8_conv_run(struct bp_cpu_call *call, const struct bp_cpu_int8_conv *conv,
                           bp_cpu_int8_map map, void *u, bp_err *err);

#endif
