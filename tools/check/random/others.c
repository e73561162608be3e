/* SPDX-License-Identifier: MIT */
/*
 * others.c - operators for which the kit has no results of its own: they are held to another provider's. As in
 * cases/cases.c, each line is read by parse.c, and attributes with a default are all there.
 */

#include "config.h"

#include "check/random/random.h"

/* clang-format off */
const struct kit_row kit_other_rows[] = {
    {"Asin-7 f32[2,3,5] -> f32[2,3,5]", NULL, 1e-5, -0.9, 0.9},
    {"Acos-7 f32[2,3,5] -> f32[2,3,5]", NULL, 1e-5, -0.9, 0.9},
    {"Tan-7 f32[2,3,5] -> f32[2,3,5]", NULL, 1e-5, -1, 1},
    {"Sinh-9 f32[2,3,5] -> f32[2,3,5]", NULL, 1e-5, -2, 2},
    {"Cosh-9 f32[2,3,5] -> f32[2,3,5]", NULL, 1e-5, -2, 2},
    {"Asinh-9 f32[2,3,5] -> f32[2,3,5]", NULL, 1e-5, -2, 2},
    {"Acosh-9 f32[2,3,5] -> f32[2,3,5]", NULL, 1e-5, 1.1, 3},
    {"Atanh-9 f32[2,3,5] -> f32[2,3,5]", NULL, 1e-5, -0.9, 0.9},
    {"IsNaN-13 f32[2,3,5] -> bool[2,3,5]", NULL, 0, -2, 2},
    {"IsInf-10 f32[2,3,5] -> bool[2,3,5] | detect_negative=1 detect_positive=1", NULL, 0, -2, 2},
    {"Shrink-9 f32[2,3,5] -> f32[2,3,5] | lambd=0.5 bias=0.25", NULL, 1e-5, -2, 2},
    {"Xor-7 bool[2,3,4] bool[3,1] -> bool[2,3,4]", NULL, 0, 0, 1},
    {"LessOrEqual-16 f32[2,3,4] f32[3,1] -> bool[2,3,4]", NULL, 0, -2, 2},
    {"GreaterOrEqual-16 f32[2,3,4] f32[3,1] -> bool[2,3,4]", NULL, 0, -2, 2},
    {"Mod-13 i64[2,3,4] i64[3,1](1,7) -> i64[2,3,4] | fmod=0", NULL, 0, -20, 20},
    {"Mod-13 f32[2,3,4] f32[3,1](1,7) -> f32[2,3,4] | fmod=1", NULL, 1e-4, -20, 20},
    {"Mean-13 f32[2,3,4] f32[4] f32[3,1] -> f32[2,3,4]", NULL, 1e-5, -2, 2},
    {"BitwiseAnd-18 i32[2,3,4] i32[3,1] -> i32[2,3,4]", NULL, 0, 0, 1000},
    {"BitwiseOr-18 i32[2,3,4] i32[3,1] -> i32[2,3,4]", NULL, 0, 0, 1000},
    {"BitwiseXor-18 i32[2,3,4] i32[3,1] -> i32[2,3,4]", NULL, 0, 0, 1000},
    {"BitwiseNot-18 i32[2,3,4] -> i32[2,3,4]", NULL, 0, 0, 1000},
    {"ReduceLogSum-18 f32[2,3,5] c:i64[1]={1} -> f32[2,5] | keepdims=0 noop_with_empty_axes=0", NULL, 1e-5, 0.1, 2},
    {"ReduceLogSumExp-18 f32[2,3,5] c:i64[1]={1} -> f32[2,1,5] | keepdims=1 noop_with_empty_axes=0", NULL, 1e-5, -2, 2},
    {"Hardmax-13 f32[2,3,5] -> f32[2,3,5] | axis=-1", NULL, 0, -2, 2},
    {"LpNormalization-1 f32[2,3,5] -> f32[2,3,5] | axis=1 p=2", NULL, 1e-5, -2, 2},
    {"MeanVarianceNormalization-13 f32[2,3,4,5] -> f32[2,3,4,5] | axes=[0,2,3]", NULL, 1e-4, -2, 2},
    {"GroupNormalization-21 f32[2,4,3,5] w:f32[4] w:f32[4] -> f32[2,4,3,5] | epsilon=0.01 num_groups=2 stash_type=1", NULL, 1e-4, -2, 2},
    {"RMSNormalization-23 f32[2,3,5] w:f32[5] -> f32[2,3,5] | axis=-1 epsilon=0.01 stash_type=1", NULL, 1e-4, -2, 2},
    {"GlobalLpPool-2 f32[2,3,4,5] -> f32[2,3,1,1] | p=2", NULL, 1e-5, -2, 2},
    {"LpPool-11 f32[2,3,6,6] -> f32[2,3,5,3] | kernel_shape=[2,3] strides=[1,2] pads=[0,0,0,1] p=2 auto_pad='NOTSET'", NULL, 1e-5, -2, 2},
    {"CumSum-14 f32[2,3,5] c:i64[]={1} -> f32[2,3,5] | exclusive=1 reverse=1", NULL, 1e-5, -2, 2},
    {"Einsum-12 f32[2,3,4] f32[2,4,5] -> f32[2,3,5] | equation='bij,bjk->bik'", NULL, 1e-5, -2, 2},
    {"Einsum-12 f32[3,4] -> f32[4] | equation='ij->j'", NULL, 1e-5, -2, 2},
    {"GatherElements-13 f32[3,5] i64[2,5](0,2) -> f32[2,5] | axis=0", NULL, 0, -2, 2},
    {"GatherND-13 f32[3,5] i64[4,1](0,2) -> f32[4,5] | batch_dims=0", NULL, 0, -2, 2},
    {"ScatterElements-18 f32[3,5] c:i64[1,2]={1,3} f32[1,2] -> f32[3,5] | axis=1 reduction='none'", NULL, 0, -2, 2},
    {"ScatterElements-18 f32[3,5] c:i64[1,2]={3,3} f32[1,2] -> f32[3,5] | axis=1 reduction='add'", NULL, 1e-5, -2, 2},
    {"ScatterND-18 f32[4,5] c:i64[2,1]={2,0} f32[2,5] -> f32[4,5] | reduction='none'", NULL, 0, -2, 2},
    {"OneHot-11 i64[3](0,4) c:i64[]={5} c:f32[2]={0.25,1} -> f32[3,5] | axis=-1", NULL, 0, 0, 4},
    {"Trilu-14 f32[2,4,5] c:i64[]={1} -> f32[2,4,5] | upper=0", NULL, 0, -2, 2},
    {"EyeLike-9 f32[3,5] -> f32[3,5] | k=1", NULL, 0, -2, 2},
    {"ReverseSequence-10 f32[4,3] c:i64[3]={1,4,2} -> f32[4,3] | batch_axis=1 time_axis=0", NULL, 0, -2, 2},
    {"Shape-15 f32[2,3,5] -> i64[3] | start=0", NULL, 0, -2, 2},
    {"Size-13 f32[2,3,5] -> i64[]", NULL, 0, -2, 2},
    {"CastLike-15 f32[2,3,5] i32[1] -> i32[2,3,5]", NULL, 0, -9, 9},
    {"Det-11 f32[2,3,3] -> f32[2]", NULL, 1e-4, -2, 2},
    {"GridSample-16 f32[1,2,4,5] f32[1,3,2,2](-0.9,0.9) -> f32[1,2,3,2] | align_corners=1 mode='bilinear' padding_mode='zeros'", NULL, 1e-4, -2, 2},
    {"Col2Im-18 f32[1,4,9] c:i64[2]={4,4} c:i64[2]={2,2} -> f32[1,1,4,4] | dilations=[1,1] pads=[0,0,0,0] strides=[1,1]", NULL, 1e-5, -2, 2},
    {"Upsample-9 f32[1,2,3,4] c:f32[4]={1,1,2,2} -> f32[1,2,6,8] | mode='nearest'", NULL, 0, -2, 2},
    {"NegativeLogLikelihoodLoss-13 f32[3,5] i64[3](0,4) -> f32[3] | reduction='none'", NULL, 1e-5, -2, 0},
};
/* clang-format on */

const size_t kit_n_other_rows = sizeof kit_other_rows / sizeof kit_other_rows[0];
