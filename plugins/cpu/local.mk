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
	%D%/ops/sqrt.c %D%/ops/sub.c %D%/ops/sum.c %D%/ops/sum_to.c %D%/ops/tanh.c %D%/ops/tile.c \
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

# casts and quantised operators
%C%_libcpu_la_SOURCES += \
	%D%/kernels/batches.c \
	%D%/kernels/batches.h \
	%D%/kernels/each.c \
	%D%/kernels/each.h \
	%D%/kernels/float_matmul.c \
	%D%/kernels/float_matmul.h \
	%D%/kernels/granularity.c \
	%D%/kernels/granularity.h \
	%D%/kernels/int8.c \
	%D%/kernels/int8.h \
	%D%/kernels/int8_conv.c \
	%D%/kernels/int8_conv.h \
	%D%/kernels/int8_matmul.c \
	%D%/kernels/int8_matmul.h \
	%D%/kernels/int8_pack.c \
	%D%/kernels/int8_pack.h \
	%D%/kernels/narrow.c \
	%D%/kernels/narrow.h \
	%D%/kernels/number_text.c \
	%D%/kernels/number_text.h \
	%D%/kernels/packed.c \
	%D%/kernels/packed.h \
	%D%/kernels/quantize.c \
	%D%/kernels/quantize.h \
	%D%/kernels/quantize.inc \
	%D%/ops/bit_cast.c \
	%D%/ops/conv_integer.c \
	%D%/ops/dequantize_linear.c \
	%D%/ops/dynamic_quantize_linear.c \
	%D%/ops/matmul_integer.c \
	%D%/ops/qlinear_conv.c \
	%D%/ops/qlinear_matmul.c \
	%D%/ops/quantize_linear.c
# more operators on elements: trigonometry, activations, bits, running sums
%C%_libcpu_la_SOURCES += \
	%D%/kernels/arg_line.inc %D%/kernels/cumulate.inc %D%/kernels/gates.h \
	%D%/kernels/hardmax.inc %D%/kernels/power.h %D%/kernels/shrink.inc \
	%D%/kernels/strip_entry.inc \
	%D%/kernels/swiglu.inc %D%/kernels/trig.h \
	%D%/kernels/trig.inc %D%/ops/acos.c %D%/ops/acosh.c %D%/ops/asin.c %D%/ops/asinh.c \
	%D%/ops/atan.c %D%/ops/atanh.c %D%/ops/bit_shift.c %D%/ops/bitwise_and.c \
	%D%/ops/bitwise_not.c %D%/ops/bitwise_or.c %D%/ops/bitwise_xor.c %D%/ops/celu.c \
	%D%/ops/cosh.c %D%/ops/eye_like.c %D%/ops/gelu.c %D%/ops/hard_swish.c %D%/ops/hardmax.c \
	%D%/ops/is_inf.c %D%/ops/is_nan.c %D%/ops/mish.c %D%/ops/shrink.c %D%/ops/sinh.c \
	%D%/ops/swiglu.c %D%/ops/swish.c %D%/ops/tan.c %D%/ops/thresholded_relu.c %D%/ops/trilu.c \
	%D%/ops/cumulate.c
# Normalisations, attention, losses, random numbers, training.
%C%_libcpu_la_SOURCES += \
	%D%/kernels/attention.c %D%/kernels/attention.h %D%/kernels/attention.inc \
	%D%/kernels/attention_plan.c \
	%D%/kernels/linear_attention.inc %D%/kernels/log_sums.inc %D%/kernels/lp_norm.inc \
	%D%/kernels/mean_variance.inc %D%/kernels/norm.c %D%/kernels/norm.h \
	%D%/kernels/norm.inc %D%/kernels/optimizers.inc %D%/kernels/random.c \
	%D%/kernels/random.h %D%/kernels/rotary.inc %D%/ops/attention.c \
	%D%/ops/causal_conv_with_state.c %D%/ops/group_normalization.c \
	%D%/ops/layer_normalization.c %D%/ops/linear_attention.c %D%/ops/loss.c \
	%D%/ops/lp_normalization.c %D%/ops/mean_variance_normalization.c \
	%D%/ops/multinomial.c %D%/ops/optimizers.c %D%/ops/random.c %D%/ops/rotary_embedding.c
# What the host makes of FlexAttention with bodies.
%C%_libcpu_la_SOURCES += \
	%D%/ops/flex_parts.c

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

# The tiles of kernels/int8.inc alike.
noinst_LTLIBRARIES += %D%/libint8-vnni.la
%C%_libsimd_la_SOURCES += %D%/kernels/int8.inc
%C%_libsimd_avx2_la_SOURCES += %D%/kernels/int8_avx2.c
%C%_libsimd_avx512_la_SOURCES += %D%/kernels/int8_avx512.c
%C%_libint8_vnni_la_CPPFLAGS = $(cpu_cppflags)
%C%_libint8_vnni_la_CFLAGS = $(AM_CFLAGS) $(VNNI_CFLAGS)
%C%_libint8_vnni_la_SOURCES = %D%/kernels/int8_vnni.c
%C%_libcpu_la_LIBADD += %D%/libint8-vnni.la
endif

EXTRA_DIST += %D%/README.md
