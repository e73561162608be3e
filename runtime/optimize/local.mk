# SPDX-License-Identifier: MIT
# runtime/optimize/ - passes that make a session's graph compute the same with less.

runtime_libbackplane_core_la_SOURCES += \
	%D%/fuse.c \
	%D%/graph_lists.c \
	%D%/make_nodes.c \
	%D%/match_nodes.c \
	%D%/optimize.c \
	%D%/optimize.h \
	%D%/passes.c \
	%D%/passes.h \
	%D%/read_values.c \
	%D%/rewrite.c \
	%D%/rewrite.h \
	%D%/to_channels_last.c \
	%D%/to_channels_last.h \
	%D%/passes/capture_invariants.c \
	%D%/passes/drop_no_ops.c \
	%D%/passes/drop_unused.c \
	%D%/passes/fold_bias.c \
	%D%/passes/fold_constants.c \
	%D%/passes/fold_norm.c \
	%D%/passes/fold_pad.c \
	%D%/passes/fold_scale.c \
	%D%/passes/fuse_attention.c \
	%D%/passes/fuse_bias_gelu.c \
	%D%/passes/fuse_conv.c \
	%D%/passes/fuse_fast_gelu.c \
	%D%/passes/fuse_gelu.c \
	%D%/passes/fuse_gemm.c \
	%D%/passes/fuse_layer_norm.c \
	%D%/passes/fuse_product.c \
	%D%/passes/fuse_quantized.c \
	%D%/passes/fuse_quick_gelu.c \
	%D%/passes/fuse_simple_norm.c \
	%D%/passes/fuse_skip_norm.c \
	%D%/passes/make_gemm.c \
	%D%/passes/merge_moves.c \
	%D%/passes/merge_slices.c \
	%D%/passes/move_quantized.c \
	%D%/passes/share_equal.c \
	%D%/passes/share_shapes.c \
	%D%/passes/write_shapes.c \
	%D%/patterns/activation.c \
	%D%/patterns/activation.h \
	%D%/patterns/conv.c \
	%D%/patterns/conv.h \
	%D%/patterns/fold.c \
	%D%/patterns/fold.h \
	%D%/patterns/gelu.c \
	%D%/patterns/gelu.h \
	%D%/patterns/gemm.c \
	%D%/patterns/gemm.h \
	%D%/patterns/norm.c \
	%D%/patterns/norm.h \
	%D%/patterns/quantized.c \
	%D%/patterns/quantized.h
