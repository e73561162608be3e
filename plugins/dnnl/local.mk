# SPDX-License-Identifier: MIT
# plugins/dnnl/ - groups of nodes on oneDNN.

EXTRA_DIST += %D%/README.md

if ENABLE_DNNL
# All of it is a library that tests can link too.
noinst_LTLIBRARIES += %D%/libdnnlprovider.la
%C%_libdnnlprovider_la_CPPFLAGS = $(provider_cppflags) -I$(srcdir)/%D% \
	-DBP_DNNL_SONAME='"$(DNNL_SONAME)"'
%C%_libdnnlprovider_la_CFLAGS = $(AM_CFLAGS) $(CPU_MATH_CFLAGS) $(CPU_VECTOR_CFLAGS)
%C%_libdnnlprovider_la_LIBADD = plugins/common/libbp-common.la $(DL_LIBS) $(PTHREAD_LIBS) -lm
%C%_libdnnlprovider_la_SOURCES = \
	%D%/base/chain.c \
	%D%/base/chain.h \
	%D%/base/claim.c \
	%D%/base/claim.h \
	%D%/base/hash.h \
	%D%/base/instance.h \
	%D%/base/library.c \
	%D%/base/library.h \
	%D%/base/operator.h \
	%D%/base/program.h \
	%D%/base/threads.c \
	%D%/base/threads.h \
	%D%/build/attributes.c \
	%D%/build/attributes.h \
	%D%/build/build_frame.c \
	%D%/build/build_frame.h \
	%D%/build/builder.c \
	%D%/build/builder.h \
	%D%/build/concat_in_place.c \
	%D%/build/concat_in_place.h \
	%D%/build/constants.c \
	%D%/build/constants.h \
	%D%/build/conv_choice.h \
	%D%/build/conv_layout.c \
	%D%/build/conv_layout.h \
	%D%/build/element_type.c \
	%D%/build/element_type.h \
	%D%/build/float16.c \
	%D%/build/float16.h \
	%D%/build/frame.h \
	%D%/build/input.c \
	%D%/build/input.h \
	%D%/build/layout.c \
	%D%/build/layout.h \
	%D%/build/output.c \
	%D%/build/output.h \
	%D%/build/primitive.c \
	%D%/build/primitive.h \
	%D%/build/split.c \
	%D%/build/split.h \
	%D%/build/step.c \
	%D%/build/step.h \
	%D%/build/thread_count.c \
	%D%/build/thread_count.h \
	%D%/capability.c \
	%D%/capability.h \
	%D%/compile.c \
	%D%/compile.h \
	%D%/frame_create.c \
	%D%/frame_create.h \
	%D%/fuse/affine.c \
	%D%/fuse/affine.h \
	%D%/fuse/post_op_chains.c \
	%D%/fuse/post_op_chains.h \
	%D%/kernels/exp.h \
	%D%/kernels/quantize.c \
	%D%/kernels/quantize.h \
	%D%/kernels/vector.h \
	%D%/operators.c \
	%D%/operators.h \
	%D%/ops/activation.c \
	%D%/ops/activation.h \
	%D%/ops/binary.c \
	%D%/ops/concat.c \
	%D%/ops/conv.c \
	%D%/ops/conv_depth_to_space.c \
	%D%/ops/conv_depth_to_space.h \
	%D%/ops/conv_transpose.c \
	%D%/ops/eltwise.c \
	%D%/ops/erf.c \
	%D%/ops/instance_norm.c \
	%D%/ops/layer_normalization.c \
	%D%/ops/list.h \
	%D%/ops/matmul.c \
	%D%/ops/norm.c \
	%D%/ops/pool.c \
	%D%/ops/pow.c \
	%D%/ops/prelu.c \
	%D%/ops/qlinear_conv.c \
	%D%/ops/qlinear_loops.c \
	%D%/ops/qlinear_matmul.c \
	%D%/ops/quantization.c \
	%D%/ops/quantization.h \
	%D%/ops/quantize_linear.c \
	%D%/ops/reduce_mean.c \
	%D%/ops/resize.c \
	%D%/ops/rnn.c \
	%D%/ops/rnn_claim.c \
	%D%/ops/rnn_claim.h \
	%D%/ops/rnn_node.h \
	%D%/ops/rnn_weights.c \
	%D%/ops/rnn_weights.h \
	%D%/ops/slice.c \
	%D%/ops/softmax.c \
	%D%/ops/views.c \
	%D%/ops/window.c \
	%D%/ops/window.h \
	%D%/provider.c \
	%D%/run/execute.c \
	%D%/run/execute.h \
	%D%/run/loop.c \
	%D%/run/loop.h \
	%D%/tune/autotune.c \
	%D%/tune/autotune.h \
	%D%/tune/tune_file.c \
	%D%/tune/tune_file.h

if PLUGIN_FILES
provider_LTLIBRARIES += %D%/libbp-dnnl.la
else
EXTRA_LTLIBRARIES += %D%/libbp-dnnl.la
endif
%C%_libbp_dnnl_la_LDFLAGS = $(provider_ldflags)
%C%_libbp_dnnl_la_SOURCES =
%C%_libbp_dnnl_la_LIBADD = %D%/libdnnlprovider.la

plugins/static/libbp-dnnl.o: %D%/libdnnlprovider.la tools/backplane-embed
	@$(MKDIR_P) plugins/static
	$(AM_V_GEN)$(embed) dnnl -o $@ %D%/libdnnlprovider.la
endif
