# SPDX-License-Identifier: MIT
# runtime/graph/ - graph, types, shapes, attributes, operator schemas with their shape rules.

runtime_libbackplane_core_la_SOURCES += \
	%D%/fact.c \
	%D%/infer.c \
	%D%/infer.h \
	%D%/infer_merge.c \
	%D%/infer_merge.h \
	%D%/infer_rule.c \
	%D%/ir.c \
	%D%/ir.h \
	%D%/poly.c \
	%D%/poly.h \
	%D%/rules/axes.c \
	%D%/rules/binary.c \
	%D%/rules/constant.c \
	%D%/rules/content.c \
	%D%/rules/control.c \
	%D%/rules/conv.c \
	%D%/rules/list.inc \
	%D%/rules/matrix.c \
	%D%/rules/normalization.c \
	%D%/rules/pool.c \
	%D%/rules/recurrent.c \
	%D%/rules/reduce.c \
	%D%/rules/reshape.c \
	%D%/rules/rules.c \
	%D%/rules/rules.h \
	%D%/rules/select.c \
	%D%/rules/shape.c \
	%D%/rules/slice.c \
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

# ai.onnx.ml
runtime_libbackplane_core_la_SOURCES += \
	%D%/rules/ml.c \
	%D%/rules/ml_models.c
