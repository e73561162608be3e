# SPDX-License-Identifier: MIT
# plugins/cpu/ - the reference provider, which runs every operator.

if ENABLE_CPU
cpu_cppflags = $(provider_cppflags) -I$(srcdir)/%D% \
	$(OPENBLAS_CFLAGS) -DBP_OPENBLAS_SONAME='"$(OPENBLAS_SONAME)"'

# All of it is a library that tests can link too.
noinst_LTLIBRARIES += %D%/libcpu.la
%C%_libcpu_la_CPPFLAGS = $(cpu_cppflags)
%C%_libcpu_la_CFLAGS = $(AM_CFLAGS) $(CPU_MATH_CFLAGS) $(CPU_VECTOR_CFLAGS)
%C%_libcpu_la_LIBADD = plugins/common/libbp-common.la $(MATH_LIBS) $(DL_LIBS) $(PTHREAD_LIBS)
%C%_libcpu_la_SOURCES = \
	%D%/capability.c %D%/compile.c %D%/cpu.h %D%/frame.c %D%/layout.c %D%/memory.c \
	%D%/program.h %D%/provider.c %D%/run_memory.c

# kernels and operators of elements, shapes and moved bytes
%C%_libcpu_la_SOURCES += \
	%D%/kernels/binary.c %D%/kernels/binary.h %D%/kernels/binary.inc %D%/kernels/cast.c \
	%D%/kernels/cast.h %D%/kernels/cast_entry.inc %D%/kernels/cast_pair.inc \
	%D%/kernels/cast_targets.inc %D%/kernels/clip.inc %D%/kernels/fill.h \
	%D%/kernels/late.c %D%/kernels/late.h %D%/kernels/loop_entry.inc \
	%D%/kernels/loops.h %D%/kernels/math.h %D%/kernels/pieces.c %D%/kernels/pieces.h \
	%D%/kernels/pow.inc %D%/kernels/range.inc %D%/kernels/strided.c \
	%D%/kernels/strided.h %D%/kernels/strided.inc %D%/kernels/types_bool.inc \
	%D%/kernels/types_end.inc %D%/kernels/types_float.inc %D%/kernels/types_int.inc \
	%D%/kernels/types_number.inc %D%/kernels/types_signed.inc \
	%D%/kernels/types_uint.inc %D%/kernels/types_width.inc %D%/kernels/unary.c \
	%D%/kernels/unary.h %D%/kernels/unary.inc %D%/kernels/variadic.c \
	%D%/kernels/variadic.h %D%/kernels/where.inc \
	%D%/ops/list.h %D%/ops/abs.c %D%/ops/add.c %D%/ops/and.c %D%/ops/cast.c \
	%D%/ops/ceil.c %D%/ops/clip.c %D%/ops/concat.c %D%/ops/constant_of_shape.c \
	%D%/ops/cos.c %D%/ops/div.c %D%/ops/dropout.c %D%/ops/elu.c %D%/ops/equal.c \
	%D%/ops/erf.c %D%/ops/exp.c %D%/ops/expand.c %D%/ops/floor.c %D%/ops/gather.c \
	%D%/ops/greater.c %D%/ops/greater_or_equal.c %D%/ops/hard_sigmoid.c \
	%D%/ops/leaky_relu.c %D%/ops/less.c %D%/ops/less_or_equal.c %D%/ops/log.c \
	%D%/ops/max.c %D%/ops/mean.c %D%/ops/min.c %D%/ops/mod.c %D%/ops/mul.c \
	%D%/ops/neg.c %D%/ops/not.c %D%/ops/or.c %D%/ops/pad.c %D%/ops/pow.c \
	%D%/ops/prelu.c %D%/ops/range.c %D%/ops/reciprocal.c %D%/ops/relu.c %D%/ops/round.c \
	%D%/ops/selu.c %D%/ops/shape.c %D%/ops/sigmoid.c %D%/ops/sign.c %D%/ops/sin.c \
	%D%/ops/slice.c %D%/ops/softplus.c %D%/ops/softsign.c %D%/ops/split.c \
	%D%/ops/sqrt.c %D%/ops/sub.c %D%/ops/sum.c %D%/ops/tanh.c %D%/ops/tile.c \
	%D%/ops/transpose.c %D%/ops/views.c %D%/ops/where.c %D%/ops/xor.c

provider_LTLIBRARIES += %D%/libbp-cpu.la
%C%_libbp_cpu_la_LDFLAGS = $(provider_ldflags)
%C%_libbp_cpu_la_LIBADD = %D%/libcpu.la
%C%_libbp_cpu_la_SOURCES =

# Products, convolutions and their relatives.
%C%_libcpu_la_SOURCES += \
	%D%/blas.c %D%/blas.h %D%/kernels/activation.c %D%/kernels/activation.h \
	%D%/kernels/activation.inc %D%/kernels/arg_reduce.inc %D%/kernels/col2im.inc \
	%D%/kernels/data.h %D%/kernels/depthwise.c %D%/kernels/depthwise.h %D%/kernels/gemm.c \
	%D%/kernels/gemm.h %D%/kernels/gemm_fill.inc %D%/kernels/gru.inc %D%/kernels/int_product.c \
	%D%/kernels/int_product.h %D%/kernels/lrn.inc %D%/kernels/lstm.inc %D%/kernels/pack.c \
	%D%/kernels/pack.h %D%/kernels/pack.inc %D%/kernels/pool.c %D%/kernels/pool.h \
	%D%/kernels/pool.inc %D%/kernels/pool_indices.inc %D%/kernels/recurrent.c \
	%D%/kernels/recurrent.h %D%/kernels/reduce.c %D%/kernels/reduce.h \
	%D%/kernels/reduce_entry.inc %D%/kernels/reduce_float.inc %D%/kernels/reduce_int.inc \
	%D%/kernels/reduce_loops.c %D%/kernels/rnn.inc %D%/kernels/softmax.inc \
	%D%/kernels/widen.c %D%/kernels/widen.h %D%/kernels/window.c %D%/kernels/window.h \
	%D%/ops/arg_reduce.c %D%/ops/average_pool.c %D%/ops/batch_normalization.c \
	%D%/ops/conv.c %D%/ops/conv_transpose.c %D%/ops/gemm.c %D%/ops/global_pool.c \
	%D%/ops/gru.c %D%/ops/instance_normalization.c %D%/ops/lrn.c %D%/ops/lstm.c \
	%D%/ops/matmul.c %D%/ops/max_pool.c %D%/ops/reduce.c %D%/ops/rnn.c %D%/ops/softmax.c

# ai.onnx.ml
%C%_libcpu_la_SOURCES += \
	%D%/kernels/binarizer.inc %D%/kernels/dots.c %D%/kernels/dots.h %D%/kernels/dots.inc \
	%D%/kernels/feature.c %D%/kernels/feature.h %D%/kernels/imputer.inc \
	%D%/kernels/lookup.c %D%/kernels/lookup.h %D%/kernels/ml.c %D%/kernels/ml.h \
	%D%/kernels/ml_rows.c %D%/kernels/ml_rows.h %D%/kernels/ml_scores.c \
	%D%/kernels/normalizer.inc %D%/kernels/scaler.inc %D%/kernels/scores.inc \
	%D%/kernels/svm.c %D%/kernels/svm.h %D%/kernels/svm.inc \
	%D%/kernels/svm_probability.c %D%/kernels/svm_probability.h %D%/kernels/trees.c \
	%D%/kernels/trees.h %D%/kernels/trees_add.inc %D%/kernels/trees_build.c \
	%D%/kernels/trees_emit.inc %D%/kernels/trees_read.c %D%/kernels/trees_read.h \
	%D%/kernels/trees_read_5.c %D%/kernels/trees_run.c %D%/kernels/trees_run.h \
	%D%/kernels/trees_walk.h %D%/kernels/trees_walk.inc %D%/kernels/types_ml.inc \
	%D%/ops/array_feature_extractor.c %D%/ops/binarizer.c %D%/ops/feature_vectorizer.c \
	%D%/ops/imputer.c %D%/ops/label_encoder.c %D%/ops/linear_model.c %D%/ops/normalizer.c \
	%D%/ops/one_hot_encoder.c %D%/ops/scaler.c %D%/ops/svm_classifier.c \
	%D%/ops/svm_regressor.c %D%/ops/tree_ensemble.c %D%/ops/tree_ensemble_classifier.c

# The loops of kernels/simd.inc, once for each instruction set, each with its own flags.
noinst_LTLIBRARIES += %D%/libsimd.la %D%/libsimd-avx2.la %D%/libsimd-avx512.la
%C%_libsimd_la_CPPFLAGS = $(cpu_cppflags)
%C%_libsimd_la_SOURCES = %D%/kernels/simd.c %D%/kernels/simd.h %D%/kernels/simd.inc \
	%D%/kernels/simd_level.inc %D%/kernels/simd_math.inc
%C%_libsimd_avx2_la_CPPFLAGS = $(cpu_cppflags)
%C%_libsimd_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_CFLAGS)
%C%_libsimd_avx2_la_SOURCES = %D%/kernels/simd_avx2.c
%C%_libsimd_avx512_la_CPPFLAGS = $(cpu_cppflags)
%C%_libsimd_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_CFLAGS)
%C%_libsimd_avx512_la_SOURCES = %D%/kernels/simd_avx512.c
%C%_libcpu_la_LIBADD += %D%/libsimd.la %D%/libsimd-avx2.la %D%/libsimd-avx512.la
endif

EXTRA_DIST += %D%/README.md
