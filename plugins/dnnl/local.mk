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
	%D%/build/builder.c \
	%D%/build/concat_in_place.c \
	%D%/build/constants.c \
	%D%/build/float16.c \
	%D%/build/frame.c \
	%D%/build/layout.c \
	%D%/build/primitive.c \
	%D%/capability.c \
	%D%/compile.c \
	%D%/execute.c \
	%D%/fuse/affine.c \
	%D%/fuse/chain.c \
	%D%/kernels/exp.h \
	%D%/kernels/vector.h \
	%D%/library.c \
	%D%/library.h \
	%D%/loop.c \
	%D%/onednn.h \
	%D%/ops/activation.c \
	%D%/ops/activation.h \
	%D%/ops/binary.c \
	%D%/ops/concat.c \
	%D%/ops/conv.c \
	%D%/ops/conv_depth_to_space.c \
	%D%/ops/conv_transpose.c \
	%D%/ops/eltwise.c \
	%D%/ops/instance_norm.c \
	%D%/ops/layer_normalization.c \
	%D%/ops/list.h \
	%D%/ops/matmul.c \
	%D%/ops/norm.c \
	%D%/ops/parts.c \
	%D%/ops/pool.c \
	%D%/ops/prelu.c \
	%D%/ops/qlinear_conv.c \
	%D%/ops/qlinear_loops.c \
	%D%/ops/qlinear_matmul.c \
	%D%/ops/quantization.c \
	%D%/ops/quantization.h \
	%D%/ops/quantize_linear.c \
	%D%/ops/resize.c \
	%D%/ops/rnn.c \
	%D%/ops/rnn.h \
	%D%/ops/rnn_claim.c \
	%D%/ops/rnn_weights.c \
	%D%/ops/slice.c \
	%D%/ops/softmax.c \
	%D%/ops/views.c \
	%D%/ops/window.c \
	%D%/ops/window.h \
	%D%/provider.c \
	%D%/tune/autotune.c \
	%D%/tune/conv_layout.c \
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
