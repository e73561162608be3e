# SPDX-License-Identifier: MIT
# runtime/model/ - .onnx bytes -> graph; the only folder that sees protobuf-c types.

runtime_libbackplane_core_la_SOURCES += \
	%D%/attribute.c \
	%D%/constant.c \
	%D%/decode.c \
	%D%/edit.c \
	%D%/external.c \
	%D%/external.h \
	%D%/file_kind.c \
	%D%/file_kind.h \
	%D%/given_weights.c \
	%D%/model.h \
	%D%/model_facts.c \
	%D%/object_io.c \
	%D%/onnx.c \
	%D%/onnx.h \
	%D%/opsets.c \
	%D%/save.c \
	%D%/save.h \
	%D%/save_tensor.c \
	%D%/sink.c \
	%D%/sink.h \
	%D%/sparse.c \
	%D%/tensor.c \
	%D%/tensor.h \
	%D%/tensor_io.c \
	%D%/type.c \
	%D%/functions/attribute.c \
	%D%/functions/function.c \
	%D%/functions/inline.c \
	%D%/functions/inline.h \
	%D%/functions/scope.c \
	%D%/ort_format/read.c \
	%D%/ort_format/read.h \
	%D%/ort_format/read_value.c \
	%D%/ort_format/reader.h \
	%D%/ort_format/schema.h \
	%D%/ort_format/write.c \
	%D%/ort_format/write.h \
	%D%/ort_format/write_node.c \
	%D%/ort_format/write_value.c \
	%D%/ort_format/writer.h \
	%D%/wire/fields.c \
	%D%/wire/fields.h \
	%D%/wire/unpack.c \
	%D%/wire/unpack.h \
	%D%/wire/wire.c \
	%D%/wire/wire.h \
	%D%/write/graph.c \
	%D%/write/imports.c \
	%D%/write/rebuild.c \
	%D%/write/type.c \
	%D%/write/write.h
runtime_libbackplane_core_la_LIBADD += %D%/libonnx-pb.la

# What protoc-c makes is compiled apart, without our warnings.
noinst_LTLIBRARIES += %D%/libonnx-pb.la
%C%_libonnx_pb_la_CPPFLAGS = -I%D% $(PROTOBUF_C_CFLAGS)
%C%_libonnx_pb_la_CFLAGS = $(generated_cflags)
nodist_%C%_libonnx_pb_la_SOURCES = %D%/onnx.pb-c.c %D%/onnx.pb-c.h

EXTRA_DIST += %D%/onnx.proto
BUILT_SOURCES += %D%/onnx.pb-c.h
CLEANFILES += %D%/onnx.pb-c.c %D%/onnx.pb-c.h
$(runtime_libbackplane_core_la_OBJECTS): %D%/onnx.pb-c.h

%D%/onnx.pb-c.c: %D%/onnx.proto
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(PROTOC_C) -I$(srcdir)/%D% --c_out=%D% $(srcdir)/%D%/onnx.proto
%D%/onnx.pb-c.h: %D%/onnx.pb-c.c
	@test -f $@ || { rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; }
