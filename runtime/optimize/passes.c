/* SPDX-License-Identifier: MIT */
/* passes.c - the table of passes. */

#include "config.h"

#include "optimize/passes.h"

#include "base/text.h"

/* In the order in which they run; those of the extended level run after all basic ones. */
static const struct bp_pass passes[] = {
    {"drop-unused", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS, "nodes whose results nobody needs",
     bp_pass_drop_unused},
    {"fold-constants", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS, "nodes that compute the same each run",
     bp_pass_fold_constants},
    {"drop-no-ops", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS, "nodes that change nothing",
     bp_pass_drop_no_ops},
    {"capture-invariants", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "states that a Loop hands on unchanged as values that its body captures",
     bp_pass_capture_invariants},
    {"merge-moves", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "Transpose after Transpose, Reshape after Reshape", bp_pass_merge_moves},
    {"merge-slices", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "Slice and Split of what Concat joined, Slice after Slice", bp_pass_merge_slices},
    {"share-equal", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS, "nodes that do what another does",
     bp_pass_share_equal},
    {"write-shapes", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "computed shapes of Reshape as numbers, where it takes sizes over", bp_pass_write_shapes},
    {"share-shapes", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS, "nodes that compute the same sizes",
     bp_pass_share_shapes},
    {"fold-pad", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS, "Pad into Conv, AveragePool and MaxPool",
     bp_pass_fold_pad},
    {"fold-norm", BP_OPTIMIZE_BASIC, BP_KEEPS_VALUE, "BatchNormalization into Conv and Gemm",
     bp_pass_fold_norm},
    {"fold-scale", BP_OPTIMIZE_BASIC, BP_KEEPS_VALUE, "Mul into Conv", bp_pass_fold_scale},
    {"fold-bias", BP_OPTIMIZE_BASIC, BP_KEEPS_VALUE, "Add into Conv", bp_pass_fold_bias},
    {"make-gemm", BP_OPTIMIZE_BASIC, BP_KEEPS_VALUE, "MatMul and Add into Gemm", bp_pass_make_gemm},
    {"move-quantized", BP_OPTIMIZE_EXTENDED, BP_KEEPS_BITS,
     "Reshape, Transpose, MaxPool... of dequantised bytes as of the bytes", bp_pass_move_quantized},
    {"fuse-quantized", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "operators between DequantizeLinear and QuantizeLinear into QLinearConv, QLinearMatMul...",
     bp_pass_fuse_quantized},
    {"fuse-conv", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "Conv, Add and an activation into com.microsoft.FusedConv", bp_pass_fuse_conv},
    {"fuse-gemm", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "Gemm and an activation into com.microsoft.FusedGemm", bp_pass_fuse_gemm},
    {"fuse-gelu", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE, "the parts of Gelu into com.microsoft.Gelu",
     bp_pass_fuse_gelu},
    {"fuse-fast-gelu", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "the parts of Gelu by tanh into com.microsoft.FastGelu", bp_pass_fuse_fast_gelu},
    {"fuse-quick-gelu", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "x times a sigmoid of it into com.microsoft.QuickGelu", bp_pass_fuse_quick_gelu},
    {"fuse-layer-norm", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "the parts of LayerNormalization into one node", bp_pass_fuse_layer_norm},
    {"fuse-simple-norm", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "the parts of RMSNorm into SimplifiedLayerNormalization", bp_pass_fuse_simple_norm},
    {"fuse-bias-gelu", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "Add and Gelu into com.microsoft.BiasGelu", bp_pass_fuse_bias_gelu},
    {"fuse-skip-norm", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "Add and LayerNormalization into com.microsoft.SkipLayerNormalization",
     bp_pass_fuse_skip_norm},
    {"fuse-attention", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "the parts of attention into com.microsoft.MultiHeadAttention", bp_pass_fuse_attention},
    {"fuse-product", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "MatMul, Transpose and a scale into com.microsoft.FusedMatMul", bp_pass_fuse_product},
};

enum { N_PASSES = sizeof passes / sizeof passes[0] };

_Static_assert(sizeof passes / sizeof passes[0] <= (size_t)BP_MAX_PASSES,
               "bp_optimizer.disabled has a bit for each");

const struct bp_pass *bp_pass_at(uint32_t i)
{
    return i < N_PASSES ? &passes[i] : NULL;
}

/* The error has all names, and the nearest. */
static bp_rc fail_unknown(const char *name, bp_err *err)
{
    const char *names[N_PASSES], *nearest;
    struct bp_text all = {0};
    bp_rc rc;

    for (uint32_t i = 0; i < N_PASSES; i++) {
        names[i] = passes[i].name;
        bp_text_printf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    nearest = bp_nearest(name, names, N_PASSES);
    rc = bp_fail(err, BP_E_INVALID, "no pass has the name '%s'%s%s%s; there are %s", name,
                 nearest ? ", is '" : "", nearest ? nearest : "", nearest ? "' meant?" : "",
                 all.data ? all.data : "");
    bp_text_finish(&all);
    return rc;
}

bp_rc bp_pass_find(const char *name, uint32_t *out, bp_err *err)
{
    for (uint32_t i = 0; i < N_PASSES; i++) {
        if (strcmp(passes[i].name, name) == 0) {
            *out = i;
            return BP_OK;
        }
    }
    return fail_unknown(name, err);
}
