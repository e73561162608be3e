# SPDX-License-Identifier: MIT
# plugins/cpu/ - the reference provider, which runs every operator.

if ENABLE_CPU
cpu_cppflags = $(provider_cppflags) -I. -I$(srcdir)/%D% \
	$(OPENBLAS_CFLAGS) -DBP_OPENBLAS_SONAME='"$(OPENBLAS_SONAME)"' \
	$(BP_LAZY_CPPFLAGS)

# All of it is a library that tests can link too.
noinst_LTLIBRARIES += %D%/libcpu.la
%C%_libcpu_la_CPPFLAGS = $(cpu_cppflags)
%C%_libcpu_la_CFLAGS = $(AM_CFLAGS) $(CPU_MATH_CFLAGS) $(CPU_VECTOR_CFLAGS)
%C%_libcpu_la_LIBADD = plugins/common/libbp-common.la $(MATH_LIBS) $(DL_LIBS) $(PTHREAD_LIBS) \
	%D%/libsimd.la %D%/libsimd-avx2.la %D%/libsimd-avx512.la %D%/libint8-vnni.la
%C%_libcpu_la_SOURCES = \
	%D%/blas.c \
	%D%/blas.h \
	%D%/capability.c \
	%D%/claim.c \
	%D%/compile.c \
	%D%/cpu.h \
	%D%/frame.c \
	%D%/layout.c \
	%D%/lazy.c \
	%D%/lazy.h \
	%D%/node.c \
	%D%/operators.c \
	%D%/operators.h \
	%D%/program.h \
	%D%/provider.c \
	%D%/run_memory.c \
	%D%/selected_types.c

# what several families use
%C%_libcpu_la_SOURCES += \
	%D%/kernels/arg_line.inc \
	%D%/kernels/columns.c \
	%D%/kernels/columns.h \
	%D%/kernels/fill.h \
	%D%/kernels/inner_operator.c \
	%D%/kernels/inner_operator.h \
	%D%/kernels/runtime_outputs.c \
	%D%/kernels/runtime_outputs.h \
	%D%/kernels/runtime_shape.c \
	%D%/kernels/runtime_shape.h \
	%D%/kernels/same_operator.c \
	%D%/kernels/same_operator.h \
	%D%/kernels/sampler.c \
	%D%/kernels/sampler.h \
	%D%/kernels/sampler.inc \
	%D%/kernels/sort_keys.c \
	%D%/kernels/sort_keys.h \
	%D%/kernels/sort_keys.inc \
	%D%/kernels/strided.c \
	%D%/kernels/strided.h \
	%D%/kernels/strided.inc \
	%D%/kernels/tensor_data.h \
	%D%/kernels/unary.c \
	%D%/kernels/unary.h \
	%D%/kernels/unary.inc \
	%D%/kernels/vector_math.h \
	%D%/kernels/window.c \
	%D%/kernels/window.h \
	%D%/kernels/cast/cast.c \
	%D%/kernels/cast/cast.h \
	%D%/kernels/cast/cast_entry.inc \
	%D%/kernels/cast/cast_pair.inc \
	%D%/kernels/cast/cast_targets.inc \
	%D%/kernels/cast/low_precision.c \
	%D%/kernels/cast/low_precision.h \
	%D%/kernels/cast/sub_byte.c \
	%D%/kernels/cast/sub_byte.h \
	%D%/kernels/cast/widen.c \
	%D%/kernels/cast/widen.h \
	%D%/kernels/gemm/batch_dims.c \
	%D%/kernels/gemm/batch_dims.h \
	%D%/kernels/gemm/epilogue.c \
	%D%/kernels/gemm/epilogue.h \
	%D%/kernels/gemm/epilogue.inc \
	%D%/kernels/gemm/gemm.c \
	%D%/kernels/gemm/gemm.h \
	%D%/kernels/gemm/gemm_a.c \
	%D%/kernels/gemm/gemm_conv.c \
	%D%/kernels/gemm/gemm_internal.h \
	%D%/kernels/gemm/pack.c \
	%D%/kernels/gemm/pack.h \
	%D%/kernels/gemm/pack.inc \
	%D%/kernels/gemm/padded_strip.c \
	%D%/kernels/gemm/padded_strip.h \
	%D%/kernels/int8/int8.c \
	%D%/kernels/int8/int8.h \
	%D%/kernels/int8/int8_epilogue.c \
	%D%/kernels/int8/int8_epilogue.h \
	%D%/kernels/int8/int8_pack.c \
	%D%/kernels/int8/int8_pack.h \
	%D%/kernels/quantize/byte_map.h \
	%D%/kernels/quantize/quantize.c \
	%D%/kernels/quantize/quantize.h \
	%D%/kernels/quantize/quantize.inc \
	%D%/kernels/types/bool.inc \
	%D%/kernels/types/complex.inc \
	%D%/kernels/types/end.inc \
	%D%/kernels/types/float.inc \
	%D%/kernels/types/float32_float64.inc \
	%D%/kernels/types/int.inc \
	%D%/kernels/types/loop_entry.inc \
	%D%/kernels/types/loops.h \
	%D%/kernels/types/number.inc \
	%D%/kernels/types/signed.inc \
	%D%/kernels/types/strip_entry.inc \
	%D%/kernels/types/uint.inc \
	%D%/kernels/types/width.inc

# attention
%C%_libcpu_la_SOURCES += \
	%D%/attention/attention.c \
	%D%/attention/blocked_attention.c \
	%D%/attention/blocked_attention.h \
	%D%/attention/blocked_attention.inc \
	%D%/attention/blocked_attention_plan.c \
	%D%/attention/flex_attention.c \
	%D%/attention/group_query_attention.c \
	%D%/attention/head_attention.c \
	%D%/attention/head_attention.h \
	%D%/attention/linear_attention.c \
	%D%/attention/linear_attention.inc \
	%D%/attention/ms_attention.c \
	%D%/attention/ms_rotary_embedding.c \
	%D%/attention/multi_head_attention.c \
	%D%/attention/q_attention.c \
	%D%/attention/quantized_cache.c \
	%D%/attention/quantized_cache.h \
	%D%/attention/rotary.c \
	%D%/attention/rotary.h \
	%D%/attention/rotary.inc \
	%D%/attention/rotary_embedding.c

# conv and pool
%C%_libcpu_la_SOURCES += \
	%D%/conv_pool/add_strided.inc \
	%D%/conv_pool/average_pool.c \
	%D%/conv_pool/causal_conv_with_state.c \
	%D%/conv_pool/col2im.c \
	%D%/conv_pool/col2im.inc \
	%D%/conv_pool/conv.c \
	%D%/conv_pool/conv_transpose.c \
	%D%/conv_pool/conv_transpose_with_dynamic_pads.c \
	%D%/conv_pool/deform_conv.c \
	%D%/conv_pool/depthwise.c \
	%D%/conv_pool/depthwise.h \
	%D%/conv_pool/global_pool.c \
	%D%/conv_pool/lp_pool.c \
	%D%/conv_pool/lp_pool.inc \
	%D%/conv_pool/max_pool.c \
	%D%/conv_pool/max_unpool.c \
	%D%/conv_pool/nhwc.c \
	%D%/conv_pool/pool.c \
	%D%/conv_pool/pool.h \
	%D%/conv_pool/pool.inc \
	%D%/conv_pool/pool_axes.c \
	%D%/conv_pool/pool_axes.h \
	%D%/conv_pool/pool_axes.inc \
	%D%/conv_pool/pool_axes_sum.inc \
	%D%/conv_pool/pool_indices.inc \
	%D%/conv_pool/types_pool.inc

# elementwise
%C%_libcpu_la_SOURCES += \
	%D%/elementwise/binary.c \
	%D%/elementwise/binary.h \
	%D%/elementwise/binary.inc \
	%D%/elementwise/bit_cast.c \
	%D%/elementwise/cast.c \
	%D%/elementwise/number_text.c \
	%D%/elementwise/number_text.h \
	%D%/elementwise/activation/bias.c \
	%D%/elementwise/activation/bias_gelu.c \
	%D%/elementwise/activation/bias_gelu.inc \
	%D%/elementwise/activation/bias_rows.inc \
	%D%/elementwise/activation/celu.c \
	%D%/elementwise/activation/elu.c \
	%D%/elementwise/activation/gates.h \
	%D%/elementwise/activation/gelu.c \
	%D%/elementwise/activation/hard_sigmoid.c \
	%D%/elementwise/activation/hard_swish.c \
	%D%/elementwise/activation/leaky_relu.c \
	%D%/elementwise/activation/mish.c \
	%D%/elementwise/activation/prelu.c \
	%D%/elementwise/activation/relu.c \
	%D%/elementwise/activation/selu.c \
	%D%/elementwise/activation/shrink.c \
	%D%/elementwise/activation/shrink.inc \
	%D%/elementwise/activation/sigmoid.c \
	%D%/elementwise/activation/softplus.c \
	%D%/elementwise/activation/softsign.c \
	%D%/elementwise/activation/swiglu.c \
	%D%/elementwise/activation/swiglu.inc \
	%D%/elementwise/activation/swish.c \
	%D%/elementwise/activation/tanh.c \
	%D%/elementwise/activation/thresholded_relu.c \
	%D%/elementwise/arithmetic/abs.c \
	%D%/elementwise/arithmetic/add.c \
	%D%/elementwise/arithmetic/ceil.c \
	%D%/elementwise/arithmetic/clip.c \
	%D%/elementwise/arithmetic/clip.inc \
	%D%/elementwise/arithmetic/div.c \
	%D%/elementwise/arithmetic/erf.c \
	%D%/elementwise/arithmetic/exp.c \
	%D%/elementwise/arithmetic/floor.c \
	%D%/elementwise/arithmetic/log.c \
	%D%/elementwise/arithmetic/max.c \
	%D%/elementwise/arithmetic/mean.c \
	%D%/elementwise/arithmetic/min.c \
	%D%/elementwise/arithmetic/mod.c \
	%D%/elementwise/arithmetic/mul.c \
	%D%/elementwise/arithmetic/neg.c \
	%D%/elementwise/arithmetic/pow.c \
	%D%/elementwise/arithmetic/pow.inc \
	%D%/elementwise/arithmetic/power.h \
	%D%/elementwise/arithmetic/reciprocal.c \
	%D%/elementwise/arithmetic/round.c \
	%D%/elementwise/arithmetic/sign.c \
	%D%/elementwise/arithmetic/sqrt.c \
	%D%/elementwise/arithmetic/sub.c \
	%D%/elementwise/arithmetic/sum.c \
	%D%/elementwise/arithmetic/variadic.c \
	%D%/elementwise/arithmetic/variadic.h \
	%D%/elementwise/logic/and.c \
	%D%/elementwise/logic/bit_shift.c \
	%D%/elementwise/logic/bitwise_and.c \
	%D%/elementwise/logic/bitwise_not.c \
	%D%/elementwise/logic/bitwise_or.c \
	%D%/elementwise/logic/bitwise_xor.c \
	%D%/elementwise/logic/equal.c \
	%D%/elementwise/logic/greater.c \
	%D%/elementwise/logic/greater_or_equal.c \
	%D%/elementwise/logic/is_inf.c \
	%D%/elementwise/logic/is_nan.c \
	%D%/elementwise/logic/less.c \
	%D%/elementwise/logic/less_or_equal.c \
	%D%/elementwise/logic/not.c \
	%D%/elementwise/logic/or.c \
	%D%/elementwise/logic/where.c \
	%D%/elementwise/logic/where.inc \
	%D%/elementwise/logic/xor.c \
	%D%/elementwise/trigonometry/acos.c \
	%D%/elementwise/trigonometry/acosh.c \
	%D%/elementwise/trigonometry/asin.c \
	%D%/elementwise/trigonometry/asinh.c \
	%D%/elementwise/trigonometry/atan.c \
	%D%/elementwise/trigonometry/atanh.c \
	%D%/elementwise/trigonometry/cos.c \
	%D%/elementwise/trigonometry/cosh.c \
	%D%/elementwise/trigonometry/sin.c \
	%D%/elementwise/trigonometry/sinh.c \
	%D%/elementwise/trigonometry/tan.c \
	%D%/elementwise/trigonometry/trig.h \
	%D%/elementwise/trigonometry/trig.inc

# gather and scatter
%C%_libcpu_la_SOURCES += \
	%D%/gather_scatter/compress.c \
	%D%/gather_scatter/gather.c \
	%D%/gather_scatter/gather_elements.c \
	%D%/gather_scatter/gather_nd.c \
	%D%/gather_scatter/index_walk.c \
	%D%/gather_scatter/index_walk.h \
	%D%/gather_scatter/ms_unique.c \
	%D%/gather_scatter/nd_slices.c \
	%D%/gather_scatter/nd_slices.h \
	%D%/gather_scatter/non_zero.c \
	%D%/gather_scatter/non_zero_mask.inc \
	%D%/gather_scatter/one_hot.c \
	%D%/gather_scatter/scatter.c \
	%D%/gather_scatter/scatter.h \
	%D%/gather_scatter/scatter.inc \
	%D%/gather_scatter/scatter_elements.c \
	%D%/gather_scatter/scatter_nd.c \
	%D%/gather_scatter/scatter_reduce.inc \
	%D%/gather_scatter/scatter_reduce_entry.inc \
	%D%/gather_scatter/tensor_scatter.c \
	%D%/gather_scatter/unique.c

# image
%C%_libcpu_la_SOURCES += \
	%D%/image/affine_grid.c \
	%D%/image/affine_grid.inc \
	%D%/image/crop_and_resize.c \
	%D%/image/grid_sample.c \
	%D%/image/image_decoder.c \
	%D%/image/max_roi_pool.c \
	%D%/image/max_roi_pool.inc \
	%D%/image/non_max_suppression.c \
	%D%/image/resample.c \
	%D%/image/resample.h \
	%D%/image/resample.inc \
	%D%/image/resize.c \
	%D%/image/resize_axes.c \
	%D%/image/resize_axes.h \
	%D%/image/roi_align.c \
	%D%/image/roi_align.inc \
	%D%/image/decoders/bmp.c \
	%D%/image/decoders/image_file.c \
	%D%/image/decoders/image_file.h \
	%D%/image/decoders/image_job.c \
	%D%/image/decoders/image_job.h \
	%D%/image/decoders/image_rows.c \
	%D%/image/decoders/jpeg.c \
	%D%/image/decoders/jpeg2000.c \
	%D%/image/decoders/png.c \
	%D%/image/decoders/pnm.c \
	%D%/image/decoders/tiff.c \
	%D%/image/decoders/webp.c

# matmul
%C%_libcpu_la_SOURCES += \
	%D%/matmul/cdist.c \
	%D%/matmul/contract.c \
	%D%/matmul/contract.h \
	%D%/matmul/contract.inc \
	%D%/matmul/det.c \
	%D%/matmul/einsum.c \
	%D%/matmul/einsum_steps.c \
	%D%/matmul/einsum_steps.h \
	%D%/matmul/float_element.h \
	%D%/matmul/gemm.c \
	%D%/matmul/gemm_fill.inc \
	%D%/matmul/int_product.c \
	%D%/matmul/int_product.h \
	%D%/matmul/inverse.c \
	%D%/matmul/matmul.c

# ml
%C%_libcpu_la_SOURCES += \
	%D%/ml/array_feature_extractor.c \
	%D%/ml/binarizer.c \
	%D%/ml/binarizer.inc \
	%D%/ml/dot_products.c \
	%D%/ml/dot_products.h \
	%D%/ml/dot_products.inc \
	%D%/ml/feature.c \
	%D%/ml/feature.h \
	%D%/ml/feature_vectorizer.c \
	%D%/ml/imputer.c \
	%D%/ml/imputer.inc \
	%D%/ml/label_encoder.c \
	%D%/ml/linear_model.c \
	%D%/ml/lookup.c \
	%D%/ml/lookup.h \
	%D%/ml/ml.c \
	%D%/ml/ml.h \
	%D%/ml/ml_rows.c \
	%D%/ml/ml_rows.h \
	%D%/ml/ml_scores.c \
	%D%/ml/normalizer.c \
	%D%/ml/normalizer.inc \
	%D%/ml/one_hot_encoder.c \
	%D%/ml/scaler.c \
	%D%/ml/scaler.inc \
	%D%/ml/scores.inc \
	%D%/ml/svm.c \
	%D%/ml/svm.h \
	%D%/ml/svm.inc \
	%D%/ml/svm_classifier.c \
	%D%/ml/svm_probability.c \
	%D%/ml/svm_probability.h \
	%D%/ml/svm_regressor.c \
	%D%/ml/types_ml.inc \
	%D%/ml/trees/tree_ensemble.c \
	%D%/ml/trees/tree_ensemble_classifier.c \
	%D%/ml/trees/trees.c \
	%D%/ml/trees/trees.h \
	%D%/ml/trees/trees_add.inc \
	%D%/ml/trees/trees_build.c \
	%D%/ml/trees/trees_emit.inc \
	%D%/ml/trees/trees_read.c \
	%D%/ml/trees/trees_read.h \
	%D%/ml/trees/trees_read_5.c \
	%D%/ml/trees/trees_run.c \
	%D%/ml/trees/trees_run.h \
	%D%/ml/trees/trees_walk.h \
	%D%/ml/trees/trees_walk.inc

# normalization
%C%_libcpu_la_SOURCES += \
	%D%/normalization/batch_normalization.c \
	%D%/normalization/embed_layer_normalization.c \
	%D%/normalization/group_normalization.c \
	%D%/normalization/hardmax.c \
	%D%/normalization/hardmax.inc \
	%D%/normalization/instance_normalization.c \
	%D%/normalization/layer_normalization.c \
	%D%/normalization/lp_norm.inc \
	%D%/normalization/lp_normalization.c \
	%D%/normalization/lrn.c \
	%D%/normalization/lrn.inc \
	%D%/normalization/mean_variance.inc \
	%D%/normalization/mean_variance_normalization.c \
	%D%/normalization/norm.c \
	%D%/normalization/norm.h \
	%D%/normalization/norm.inc \
	%D%/normalization/norm_rows.c \
	%D%/normalization/norm_rows.h \
	%D%/normalization/norm_rows.inc \
	%D%/normalization/skip_layer_normalization.c \
	%D%/normalization/softmax.c \
	%D%/normalization/softmax.inc

# quantized
%C%_libcpu_la_SOURCES += \
	%D%/quantized/conv_integer.c \
	%D%/quantized/dequantize_linear.c \
	%D%/quantized/dynamic_quantize_linear.c \
	%D%/quantized/float8_matmul.c \
	%D%/quantized/float8_matmul.h \
	%D%/quantized/granularity.c \
	%D%/quantized/granularity.h \
	%D%/quantized/int8_conv.c \
	%D%/quantized/int8_conv.h \
	%D%/quantized/int8_depthwise.c \
	%D%/quantized/int8_depthwise.h \
	%D%/quantized/int8_matmul.c \
	%D%/quantized/int8_matmul.h \
	%D%/quantized/matmul_integer.c \
	%D%/quantized/matmul_integer_to_float.c \
	%D%/quantized/matmul_nbits.c \
	%D%/quantized/per_axis.c \
	%D%/quantized/per_axis.h \
	%D%/quantized/q_gemm.c \
	%D%/quantized/qlinear_conv.c \
	%D%/quantized/qlinear_elementwise.c \
	%D%/quantized/qlinear_in_float.c \
	%D%/quantized/qlinear_matmul.c \
	%D%/quantized/quantize_linear.c

# random
%C%_libcpu_la_SOURCES += \
	%D%/random/dropout.c \
	%D%/random/mersenne_twister.c \
	%D%/random/mersenne_twister.h \
	%D%/random/multinomial.c \
	%D%/random/random.c

# recurrent
%C%_libcpu_la_SOURCES += \
	%D%/recurrent/activation.c \
	%D%/recurrent/activation.h \
	%D%/recurrent/activation.inc \
	%D%/recurrent/gru.c \
	%D%/recurrent/gru.inc \
	%D%/recurrent/lstm.c \
	%D%/recurrent/lstm.inc \
	%D%/recurrent/recurrent.c \
	%D%/recurrent/recurrent.h \
	%D%/recurrent/recurrent_int8.c \
	%D%/recurrent/recurrent_int8.h \
	%D%/recurrent/rnn.c \
	%D%/recurrent/rnn.inc

# reduction
%C%_libcpu_la_SOURCES += \
	%D%/reduction/arg_reduce.c \
	%D%/reduction/arg_reduce.inc \
	%D%/reduction/cumulative.c \
	%D%/reduction/cumulative.inc \
	%D%/reduction/reduce.c \
	%D%/reduction/reduce_driver.c \
	%D%/reduction/reduce_driver.h \
	%D%/reduction/reduce_entry.inc \
	%D%/reduction/reduce_float.inc \
	%D%/reduction/reduce_int.inc \
	%D%/reduction/reduce_loops.c \
	%D%/reduction/sum_to.c \
	%D%/reduction/topk.c

# signal
%C%_libcpu_la_SOURCES += \
	%D%/signal/dft.c \
	%D%/signal/fft.c \
	%D%/signal/fft.h \
	%D%/signal/mel_weight_matrix.c \
	%D%/signal/signal.c \
	%D%/signal/signal.h \
	%D%/signal/signal.inc \
	%D%/signal/signal_windows.c \
	%D%/signal/stft.c

# tensor
%C%_libcpu_la_SOURCES += \
	%D%/tensor/center_crop_pad.c \
	%D%/tensor/concat.c \
	%D%/tensor/concat_split.c \
	%D%/tensor/concat_split.h \
	%D%/tensor/constant_of_shape.c \
	%D%/tensor/depth_to_space.c \
	%D%/tensor/expand.c \
	%D%/tensor/expand_dims.c \
	%D%/tensor/eye_like.c \
	%D%/tensor/pad.c \
	%D%/tensor/range.c \
	%D%/tensor/range.inc \
	%D%/tensor/reshape.c \
	%D%/tensor/reverse_sequence.c \
	%D%/tensor/shape.c \
	%D%/tensor/slice.c \
	%D%/tensor/split.c \
	%D%/tensor/tile.c \
	%D%/tensor/transpose.c \
	%D%/tensor/trilu.c

# text
%C%_libcpu_la_SOURCES += \
	%D%/text/ngram_trie.c \
	%D%/text/ngram_trie.h \
	%D%/text/re2_syntax.c \
	%D%/text/re2_syntax.h \
	%D%/text/regex_full_match.c \
	%D%/text/regex_match.c \
	%D%/text/regex_match.h \
	%D%/text/string_concat.c \
	%D%/text/string_normalizer.c \
	%D%/text/string_split.c \
	%D%/text/tf_idf_vectorizer.c \
	%D%/text/tokenizer.c

# training
%C%_libcpu_la_SOURCES += \
	%D%/training/log_sums.inc \
	%D%/training/loss.c \
	%D%/training/optimizers.c \
	%D%/training/optimizers.inc

if PLUGIN_FILES
provider_LTLIBRARIES += %D%/libbp-cpu.la
else
EXTRA_LTLIBRARIES += %D%/libbp-cpu.la
endif
%C%_libbp_cpu_la_LDFLAGS = $(provider_ldflags)
%C%_libbp_cpu_la_LIBADD = %D%/libcpu.la
%C%_libbp_cpu_la_SOURCES =

plugins/static/libbp-cpu.o: %D%/libcpu.la tools/backplane-embed
	@$(MKDIR_P) plugins/static
	$(AM_V_GEN)$(embed) cpu -o $@ %D%/libcpu.la

# Loops that are compiled once for each instruction set, each time with its own flags.
noinst_LTLIBRARIES += %D%/libsimd.la %D%/libsimd-avx2.la %D%/libsimd-avx512.la %D%/libint8-vnni.la
%C%_libsimd_la_CPPFLAGS = $(cpu_cppflags)
%C%_libsimd_la_SOURCES = \
	%D%/kernels/int8/int8.inc \
	%D%/kernels/int8/int8_epilogue.inc \
	%D%/quantized/nbits.c \
	%D%/quantized/nbits.h \
	%D%/quantized/nbits.inc \
	%D%/quantized/nbits_dot.inc \
	%D%/kernels/simd/simd.c \
	%D%/kernels/simd/simd.h \
	%D%/kernels/simd/simd.inc \
	%D%/kernels/simd/simd_level.inc \
	%D%/kernels/simd/simd_math.inc
%C%_libsimd_avx2_la_CPPFLAGS = $(cpu_cppflags)
%C%_libsimd_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_CFLAGS)
%C%_libsimd_avx2_la_SOURCES = \
	%D%/kernels/int8/int8_avx2.c \
	%D%/quantized/nbits_avx2.c \
	%D%/kernels/simd/simd_avx2.c
%C%_libsimd_avx512_la_CPPFLAGS = $(cpu_cppflags)
%C%_libsimd_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_CFLAGS)
%C%_libsimd_avx512_la_SOURCES = \
	%D%/kernels/int8/int8_avx512.c \
	%D%/quantized/nbits_avx512.c \
	%D%/kernels/simd/simd_avx512.c
%C%_libint8_vnni_la_CPPFLAGS = $(cpu_cppflags)
%C%_libint8_vnni_la_CFLAGS = $(AM_CFLAGS) $(VNNI_CFLAGS)
%C%_libint8_vnni_la_SOURCES = \
	%D%/kernels/int8/int8_vnni.c
endif

EXTRA_DIST += %D%/README.md
