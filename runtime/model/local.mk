# SPDX-License-Identifier: MIT
# runtime/model/ - .onnx bytes -> graph; the only folder that sees protobuf-c types.

runtime_libbackplane_core_la_SOURCES += \
	%D%/attribute.c \
	%D%/constant.c \
	%D%/decode.c \
	%D%/edit.c \
	%D%/external.c %D%/external.h \
	%D%/fields.c %D%/fields.h \
	%D%/given.c \
	%D%/model.h \
	%D%/object_io.c \
	%D%/function.c \
	%D%/inline.c %D%/inline.h \
	%D%/inline_attribute.c \
	%D%/onnx.c %D%/onnx.h \
	%D%/save.c %D%/save.h \
	%D%/save_tensor.c \
	%D%/sink.c \
	%D%/sink.h \
	%D%/ort_read.c %D%/ort_read.h \
	%D%/ort_read_value.c \
	%D%/ort_reader.h \
	%D%/ort_schema.h \
	%D%/ort_write.c %D%/ort_write.h \
	%D%/ort_write_node.c \
	%D%/ort_write_value.c \
	%D%/ort_writer.h \
	%D%/rebuild.c \
	%D%/scope.c \
	%D%/sniff.c %D%/sniff.h \
	%D%/sparse.c \
	%D%/survey.c \
	%D%/tensor.c %D%/tensor.h \
	%D%/tensor_io.c \
	%D%/type.c \
	%D%/unpack.c %D%/unpack.h \
	%D%/wire.c %D%/wire.h \
	%D%/write.h \
	%D%/write_graph.c \
	%D%/write_imports.c \
	%D%/write_type.c
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
