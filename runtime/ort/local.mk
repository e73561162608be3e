# SPDX-License-Identifier: MIT
# runtime/ort/ - libonnxruntime: the host behind ONNX Runtime's C ABI. It sees the public header of
# libbackplane and nothing else of it.

lib_LTLIBRARIES += %D%/libonnxruntime.la
%C%_libonnxruntime_la_CPPFLAGS = -I. -Iruntime -I$(srcdir)/runtime $(AM_CPPFLAGS)
%C%_libonnxruntime_la_LIBADD = runtime/libbackplane.la $(DL_LIBS) $(PTHREAD_LIBS)
%C%_libonnxruntime_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -no-undefined $(PROVIDER_LDFLAGS)
EXTRA_DIST += %D%/libonnxruntime.map
if HAVE_VERSION_SCRIPT
%C%_libonnxruntime_la_CPPFLAGS += -DBP_ORT_SYMBOL_VERSIONS
%C%_libonnxruntime_la_LDFLAGS += -Wl,--version-script=$(srcdir)/%D%/libonnxruntime.map
EXTRA_%C%_libonnxruntime_la_DEPENDENCIES = %D%/libonnxruntime.map
endif
%C%_libonnxruntime_la_SOURCES = \
	runtime/base/flat.c \
	runtime/base/flat.h \
	runtime/base/guard.c \
	runtime/base/guard.h \
	runtime/base/put.c \
	runtime/base/put.h \
	%D%/absent.h \
	%D%/absent_api.c \
	%D%/absent_ep.c \
	%D%/absent_interop.c \
	%D%/affinity.c \
	%D%/allocator.c \
	%D%/arena.c \
	%D%/arena.h \
	%D%/assignment.c \
	%D%/assignment.h \
	%D%/binding.c \
	%D%/compile.c \
	%D%/compile.h \
	%D%/compile_write.c \
	%D%/compiled.c \
	%D%/containers.c \
	%D%/contexts.c \
	%D%/contexts.h \
	%D%/copy.c \
	%D%/custom.h \
	%D%/custom_ask.c \
	%D%/custom_ask.h \
	%D%/custom_domain.c \
	%D%/custom_kernel.c \
	%D%/custom_library.c \
	%D%/custom_library.h \
	%D%/custom_op.c \
	%D%/custom_op.h \
	%D%/devices.c \
	%D%/devices.h \
	%D%/dynamic.c \
	%D%/editor_session.c \
	%D%/editor_types.c \
	%D%/env.c \
	%D%/env.h \
	%D%/fit.c \
	%D%/gpu_options.c \
	%D%/graph.c \
	%D%/graph.h \
	%D%/graph_copy.c \
	%D%/graph_encode.c \
	%D%/graph_view.c \
	%D%/guarded.c \
	%D%/guarded.h \
	%D%/hardware.c \
	%D%/hardware.h \
	%D%/invoke.c \
	%D%/kernel_attributes.c \
	%D%/kernel_context.c \
	%D%/kernel_context.h \
	%D%/kernel_info.c \
	%D%/kernel_info.h \
	%D%/keys.c \
	%D%/keys.h \
	%D%/load.c \
	%D%/load.h \
	%D%/logger.c \
	%D%/logger.h \
	%D%/lora.c \
	%D%/lora.h \
	%D%/lora_file.c \
	%D%/lora_file.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/metadata.c \
	%D%/model.c \
	%D%/node.c \
	%D%/object.h \
	%D%/op_attr.c \
	%D%/op_attr.h \
	%D%/op_model.c \
	%D%/op_model.h \
	%D%/options.c \
	%D%/options.h \
	%D%/policy.c \
	%D%/policy.h \
	%D%/profile.c \
	%D%/profile.h \
	%D%/provider_objects.c \
	%D%/provider_options.c \
	%D%/providers.c \
	%D%/refusals.c \
	%D%/refusals.h \
	%D%/rules.c \
	%D%/run.c \
	%D%/run_async.c \
	%D%/run_options.c \
	%D%/run_options.h \
	%D%/session.c \
	%D%/session.h \
	%D%/session_devices.c \
	%D%/session_info.c \
	%D%/shape_context.c \
	%D%/shapes.c \
	%D%/shared.c \
	%D%/shared.h \
	%D%/slots.h \
	%D%/slots_api.inc \
	%D%/slots_compile.inc \
	%D%/slots_editor.inc \
	%D%/slots_ep.inc \
	%D%/slots_interop.inc \
	%D%/sparse.c \
	%D%/sparse.h \
	%D%/sparse_object.c \
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
	%D%/versions.h \
	%D%/weights.c \
	%D%/weights.h \
	%D%/workers.c \
	%D%/workers.h

pkgconfig_DATA += %D%/libonnxruntime.pc
cmakedir = $(libdir)/cmake/onnxruntime
cmake_DATA = \
	%D%/onnxruntimeConfig.cmake \
	%D%/onnxruntimeConfigVersion.cmake
