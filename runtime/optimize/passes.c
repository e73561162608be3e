/* SPDX-License-Identifier: MIT */
/*
 * passes.c - the table of passes.
 *
 * The order matters: folding shows no-ops, dropping those shows pairs that merge, and weights are
 * folded (norm, scale, bias) before Conv and Gemm are fused with what follows.
 */

#include "config.h"

#include "optimize/passes.h"

#include "text/text.h"

/* Passes of the extended level run after all basic ones, wherever they stand. */
static const struct bp_pass passes[] = {
    {"drop-unused", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS, "removes nodes whose outputs nothing reads",
     bp_pass_drop_unused},
    {"fold-constants", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "computes nodes with constant inputs once, on the CPU provider; makes known sizes constants",
     bp_pass_fold_constants},
    {"drop-no-ops", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "removes Identity, Dropout, Cast, Reshape, Slice, Pad... that change nothing",
     bp_pass_drop_no_ops},
    {"capture-invariants", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "replaces a Loop's state that its subgraph returns unchanged by a captured value",
     bp_pass_capture_invariants},
    {"merge-moves", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "merges Transpose after Transpose, Reshape after Reshape", bp_pass_merge_moves},
    {"merge-slices", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "merges Slice after Slice; Slice and Split of a Concat read its input where one input is "
     "enough",
     bp_pass_merge_slices},
    {"share-equal", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS, "computes equal nodes once",
     bp_pass_share_equal},
    {"write-shapes", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "replaces a computed shape of Reshape by a constant where its sizes are the input's",
     bp_pass_write_shapes},
    {"share-shapes", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS,
     "computes equal shapes once, also where different nodes compute them", bp_pass_share_shapes},
    {"fold-pad", BP_OPTIMIZE_BASIC, BP_KEEPS_BITS, "folds Pad into Conv, AveragePool and MaxPool",
     bp_pass_fold_pad},
    {"fold-norm", BP_OPTIMIZE_BASIC, BP_KEEPS_VALUE,
     "folds BatchNormalization into the weights of Conv, ConvTranspose, Gemm and MatMul of "
     "matrices",
     bp_pass_fold_norm},
    {"fold-scale", BP_OPTIMIZE_BASIC, BP_KEEPS_VALUE, "folds Mul into the weights of Conv",
     bp_pass_fold_scale},
    {"fold-bias", BP_OPTIMIZE_BASIC, BP_KEEPS_VALUE, "folds Add into the bias of Conv",
     bp_pass_fold_bias},
    {"make-gemm", BP_OPTIMIZE_BASIC, BP_KEEPS_VALUE, "fuses MatMul and Add of matrices into Gemm",
     bp_pass_make_gemm},
    {"move-quantized", BP_OPTIMIZE_EXTENDED, BP_KEEPS_BITS,
     "runs Reshape, Transpose, MaxPool... on quantized values instead of dequantized ones",
     bp_pass_move_quantized},
    {"fuse-quantized", BP_OPTIMIZE_EXTENDED, BP_KEEPS_STEP,
     "fuses operators between DequantizeLinear and QuantizeLinear into QLinearConv, "
     "QLinearMatMul...",
     bp_pass_fuse_quantized},
    {"fuse-conv", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses Conv, a residual Add and an activation into com.microsoft.FusedConv",
     bp_pass_fuse_conv},
    {"fuse-gemm", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses Gemm and an activation into com.microsoft.FusedGemm", bp_pass_fuse_gemm},
    {"fuse-gelu", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses the nodes of Gelu by Erf into com.microsoft.Gelu", bp_pass_fuse_gelu},
    {"fuse-fast-gelu", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses the nodes of Gelu by Tanh into com.microsoft.FastGelu", bp_pass_fuse_fast_gelu},
    {"fuse-quick-gelu", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses x * Sigmoid(a * x), SiLU too, into com.microsoft.QuickGelu", bp_pass_fuse_quick_gelu},
    {"fuse-layer-norm", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses the nodes of LayerNormalization into one", bp_pass_fuse_layer_norm},
    {"fuse-simple-norm", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses the nodes of RMSNorm into SimplifiedLayerNormalization", bp_pass_fuse_simple_norm},
    {"fuse-bias-gelu", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses Add and Gelu into com.microsoft.BiasGelu", bp_pass_fuse_bias_gelu},
    {"fuse-skip-norm", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses Add and LayerNormalization into com.microsoft.SkipLayerNormalization",
     bp_pass_fuse_skip_norm},
    {"fuse-attention", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses the nodes of attention, as in BERT, into com.microsoft.MultiHeadAttention",
     bp_pass_fuse_attention},
    {"fuse-product", BP_OPTIMIZE_EXTENDED, BP_KEEPS_VALUE,
     "fuses MatMul with a scale, or a Transpose of rows, into com.microsoft.FusedMatMul",
     bp_pass_fuse_product},
};

enum { N_PASSES = sizeof passes / sizeof passes[0] };

_Static_assert(sizeof passes / sizeof passes[0] <= (size_t)BP_MAX_PASSES,
               "bp_optimizer.disabled has a bit for each");

/* BP_MAX_PASSES is the limit, so callers loop until NULL. */
const struct bp_pass *bp_pass_at(uint32_t i)
{
    return i < N_PASSES ? &passes[i] : NULL;
}

/*
 * The message lists all names and suggests the nearest, because a typing error is the usual cause.
 */
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
