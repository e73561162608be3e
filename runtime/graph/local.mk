# SPDX-License-Identifier: MIT
# runtime/graph/ - graph, types, shapes, attributes, operator schemas with their shape rules.

runtime_libbackplane_core_la_SOURCES += \
	%D%/fact.c \
	%D%/gradient.c \
	%D%/gradient.h \
	%D%/gradient_emit.h \
	%D%/gradient_rules.c \
	%D%/infer.c \
	%D%/infer.h \
	%D%/infer_merge.c \
	%D%/infer_merge.h \
	%D%/infer_rule.c \
	%D%/ir.c \
	%D%/ir.h \
	%D%/poly.c \
	%D%/poly.h \
	%D%/rules/attention.c \
	%D%/rules/axes.c \
	%D%/rules/binary.c \
	%D%/rules/choose.c \
	%D%/rules/constant.c \
	%D%/rules/content.c \
	%D%/rules/control.c \
	%D%/rules/conv.c \
	%D%/rules/einsum.c \
	%D%/rules/elements.c \
	%D%/rules/image.c \
	%D%/rules/index.c \
	%D%/rules/integer_products.c \
	%D%/rules/list.inc \
	%D%/rules/loop.c \
	%D%/rules/loop.h \
	%D%/rules/loss.c \
	%D%/rules/map.c \
	%D%/rules/matrix.c \
	%D%/rules/ml.c \
	%D%/rules/ml_models.c \
	%D%/rules/ms.c \
	%D%/rules/ms.h \
	%D%/rules/ms_attention.c \
	%D%/rules/ms_elements.c \
	%D%/rules/ms_matrix.c \
	%D%/rules/ms_misc.c \
	%D%/rules/ms_quant.c \
	%D%/rules/normalization.c \
	%D%/rules/norms.c \
	%D%/rules/pool.c \
	%D%/rules/products.h \
	%D%/rules/quantize.c \
	%D%/rules/random.c \
	%D%/rules/rearrange.c \
	%D%/rules/recall.c \
	%D%/rules/recurrent.c \
	%D%/rules/reduce.c \
	%D%/rules/region.c \
	%D%/rules/reshape.c \
	%D%/rules/rules.c \
	%D%/rules/rules.h \
	%D%/rules/sampling.c \
	%D%/rules/scan.c \
	%D%/rules/select.c \
	%D%/rules/sequence.c \
	%D%/rules/shape.c \
	%D%/rules/signal.c \
	%D%/rules/slice.c \
	%D%/rules/sum_to.c \
	%D%/rules/text.c \
	%D%/rules/training.c \
	%D%/rules/unary.c \
	%D%/rules/variadic.c \
	%D%/rules/window.c \
	%D%/rules/window.h \
	%D%/schema.c \
	%D%/schema.h \
	%D%/seal.c \
	%D%/seal_node.c \
	%D%/seal_order.c \
	%D%/seal_parts.h \
	%D%/symbol.c \
	%D%/symbol.h \
	%D%/symbol_calc.c \
	%D%/symbol_rows.h \
	%D%/symbol_words.c

# casts and quantised operators
runtime_libbackplane_core_la_SOURCES += \
	%D%/rules/integer_products.c \
	%D%/rules/products.h \
	%D%/rules/quantize.c
# more operators on elements
runtime_libbackplane_core_la_SOURCES += \
	%D%/rules/elements.c
# normalisations, attention, losses, random numbers, training
runtime_libbackplane_core_la_SOURCES += \
	%D%/rules/attention.c \
	%D%/rules/loss.c \
	%D%/rules/norms.c \
	%D%/rules/random.c \
	%D%/rules/recall.c \
	%D%/rules/training.c
# operators that are written as other nodes
runtime_libbackplane_core_la_SOURCES += \
	%D%/emit.c \
	%D%/emit.h \
	%D%/flex_attention.c \
	%D%/flex_attention.h
