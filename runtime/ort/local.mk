# SPDX-License-Identifier: MIT
# runtime/ort/ - libonnxruntime: the host behind ONNX Runtime's C ABI. It sees the public header of
# libbackplane and nothing else of it.

lib_LTLIBRARIES += %D%/libonnxruntime.la
%C%_libonnxruntime_la_CPPFLAGS = -I. -Iruntime -I$(srcdir)/runtime $(AM_CPPFLAGS)
%C%_libonnxruntime_la_LIBADD = runtime/libbackplane.la $(PTHREAD_LIBS)
%C%_libonnxruntime_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -no-undefined $(PROVIDER_LDFLAGS)
EXTRA_DIST += %D%/libonnxruntime.map
if HAVE_VERSION_SCRIPT
%C%_libonnxruntime_la_CPPFLAGS += -DBP_ORT_SYMBOL_VERSIONS
%C%_libonnxruntime_la_LDFLAGS += -Wl,--version-script=$(srcdir)/%D%/libonnxruntime.map
EXTRA_%C%_libonnxruntime_la_DEPENDENCIES = %D%/libonnxruntime.map
endif
%C%_libonnxruntime_la_SOURCES = \
	%D%/absent.h \
	%D%/absent_api.c \
	%D%/absent_compile.c \
	%D%/absent_editor.c \
	%D%/absent_ep.c \
	%D%/absent_interop.c \
	%D%/allocator.c \
	%D%/assignment.c \
	%D%/assignment.h \
	%D%/binding.c \
	%D%/compiled.c \
	%D%/containers.c \
	%D%/devices.c \
	%D%/devices.h \
	%D%/env.c \
	%D%/env.h \
	%D%/keys.c \
	%D%/keys.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/metadata.c \
	%D%/op_attr.c \
	%D%/options.c \
	%D%/options.h \
	%D%/profile.c \
	%D%/profile.h \
	%D%/provider_objects.c \
	%D%/provider_options.c \
	%D%/providers.c \
	%D%/run.c \
	%D%/run_async.c \
	%D%/run_options.c \
	%D%/run_options.h \
	%D%/session.c \
	%D%/session.h \
	%D%/session_info.c \
	%D%/shapes.c \
	%D%/slots.h \
	%D%/slots_api.inc \
	%D%/slots_compile.inc \
	%D%/slots_editor.inc \
	%D%/slots_ep.inc \
	%D%/slots_interop.inc \
	%D%/sparse.c \
	%D%/sparse.h \
	%D%/status.c \
	%D%/status.h \
	%D%/strings.c \
	%D%/tables.c \
	%D%/threading.c \
	%D%/types.c \
	%D%/types.h \
	%D%/value.c \
	%D%/value.h \
	%D%/value_types.c \
	%D%/versions.h

pkgconfig_DATA += %D%/libonnxruntime.pc
cmakedir = $(libdir)/cmake/onnxruntime
cmake_DATA = \
	%D%/onnxruntimeConfig.cmake \
	%D%/onnxruntimeConfigVersion.cmake
