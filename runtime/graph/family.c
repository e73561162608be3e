/* SPDX-License-Identifier: MIT */
/* family.c - what the families of operators are called, and what is in them. */

#include "config.h"

#include "graph/family.h"

#include <backplane.h>
#include <stdbool.h>

static const struct {
    const char *name, *about;
} families[BP_FAMILY_END] = {
    [BP_FAMILY_ELEMENTWISE] = {"elementwise",
                               "An element of the output comes from the elements at its position: "
                               "arithmetic, comparisons, activations, casts."},
    [BP_FAMILY_REDUCTION] = {"reduction",
                             "One value comes from many along an axis: sums, extremes and where "
                             "they are, running sums, the k largest."},
    [BP_FAMILY_TENSOR] = {"tensor",
                          "Tensors are created, reshaped, cut, joined and rearranged; shapes "
                          "become tensors."},
    [BP_FAMILY_GATHER_SCATTER] = {"gather_scatter",
                                  "Elements and slices are read from, or written to, positions "
                                  "that a tensor gives, or are found by their values."},
    [BP_FAMILY_CONV_POOL] = {"conv_pool", "Convolutions and pooling over spatial dimensions."},
    [BP_FAMILY_MATMUL] = {"matmul", "Matrix products, Einsum, and what else matrices have."},
    [BP_FAMILY_NORMALIZATION] = {"normalization",
                                 "Elements are scaled by statistics of their channel, group or "
                                 "axis; softmax."},
    [BP_FAMILY_ATTENTION] = {"attention",
                             "Attention with its caches and positions, and text generation."},
    [BP_FAMILY_QUANTIZED] = {"quantized",
                             "Tensors are quantised with scales and zero points, and operators "
                             "compute on such tensors."},
    [BP_FAMILY_RECURRENT] = {"recurrent", "LSTM, GRU and RNN."},
    [BP_FAMILY_IMAGE] = {"image", "Images are decoded, resized and sampled; boxes are chosen."},
    [BP_FAMILY_TEXT] = {"text", "Operators on strings."},
    [BP_FAMILY_ML] = {"ml", "Classical machine learning, the domain ai.onnx.ml."},
    [BP_FAMILY_RANDOM] = {"random", "Random tensors, samples and Dropout."},
    [BP_FAMILY_SEQUENCE] = {"sequence", "Sequences and optionals."},
    [BP_FAMILY_SIGNAL] = {"signal", "Fourier transforms and window functions."},
    [BP_FAMILY_TRAINING] = {"training", "Losses and steps of optimizers."},
    [BP_FAMILY_CONTROL_FLOW] = {"control_flow",
                                "Subgraphs run on a condition, or once an iteration, or were "
                                "compiled by a provider before."},
};

const char *bp_operator_family(uint32_t family, const char **out_about)
{
    bool is_known = family > BP_FAMILY_NONE && family < BP_FAMILY_END;

    if (out_about)
        *out_about = is_known ? families[family].about : NULL;
    return is_known ? families[family].name : NULL;
}
