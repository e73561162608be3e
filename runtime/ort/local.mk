# SPDX-License-Identifier: MIT
# runtime/ort/ - libonnxruntime: the host behind ONNX Runtime's C ABI. It sees the public header of
# libbackplane and nothing else of it.

lib_LTLIBRARIES += %D%/libonnxruntime.la
%C%_libonnxruntime_la_CPPFLAGS = -I. -I$(srcdir) -Iruntime -I$(srcdir)/runtime $(AM_CPPFLAGS)
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
	runtime/base/fork.c \
	runtime/base/fork.h \
	runtime/base/guard.c \
	runtime/base/guard.h \
	text/whole_file.c \
	text/whole_file.h \
	runtime/base/put.c \
	runtime/base/put.h \
	%D%/absent.h \
	%D%/absent_api.c \
	%D%/absent_ep.c \
	%D%/absent_interop.c \
	%D%/affinity.c \
	%D%/create_session.c \
	%D%/env.c \
	%D%/env.h \
	%D%/env_process.c \
	%D%/error_codes.c \
	%D%/error_codes.h \
	%D%/guarded.c \
	%D%/guarded.h \
	%D%/key_values.c \
	%D%/key_values.h \
	%D%/logger.c \
	%D%/logger.h \
	%D%/slots.h \
	%D%/slots_api.inc \
	%D%/slots_compile.inc \
	%D%/slots_editor.inc \
	%D%/slots_ep.inc \
	%D%/slots_interop.inc \
	%D%/status.c \
	%D%/status.h \
	%D%/tables.c \
	%D%/threading.c \
	%D%/versions.h \
	%D%/workers.c \
	%D%/workers.h \
	%D%/compile/compile.c \
	%D%/compile/compile.h \
	%D%/compile/compiled.c \
	%D%/compile/ep_context.c \
	%D%/compile/ep_context.h \
	%D%/compile/write.c \
	%D%/custom/domain.c \
	%D%/custom/invoke.c \
	%D%/custom/kernel.c \
	%D%/custom/kernel_attributes.c \
	%D%/custom/kernel_context.c \
	%D%/custom/kernel_context.h \
	%D%/custom/kernel_info.c \
	%D%/custom/kernel_info.h \
	%D%/custom/op.c \
	%D%/custom/op.h \
	%D%/custom/op_attr.c \
	%D%/custom/op_attr.h \
	%D%/custom/op_model.c \
	%D%/custom/op_model.h \
	%D%/custom/op_queries.c \
	%D%/custom/op_queries.h \
	%D%/custom/shape_context.c \
	%D%/devices/copy_tensors.c \
	%D%/devices/ep_allocators.c \
	%D%/devices/ep_devices.c \
	%D%/devices/ep_devices.h \
	%D%/devices/gpu_options.c \
	%D%/devices/hardware.c \
	%D%/devices/hardware.h \
	%D%/devices/incompatibility.c \
	%D%/devices/policy.c \
	%D%/devices/policy.h \
	%D%/devices/provider_object.h \
	%D%/devices/provider_objects.c \
	%D%/devices/provider_options.c \
	%D%/devices/providers.c \
	%D%/devices/session_devices.c \
	%D%/editor/graph.c \
	%D%/editor/graph.h \
	%D%/editor/graph_copy.c \
	%D%/editor/graph_encode.c \
	%D%/editor/graph_view.c \
	%D%/editor/model.c \
	%D%/editor/node.c \
	%D%/editor/types.c \
	%D%/session/allocator.c \
	%D%/session/assignment.c \
	%D%/session/assignment.h \
	%D%/session/binding.c \
	%D%/session/custom_domains.c \
	%D%/session/custom_domains.h \
	%D%/session/dynamic_options.c \
	%D%/session/editor_session.c \
	%D%/session/initializers.c \
	%D%/session/initializers.h \
	%D%/session/load.c \
	%D%/session/load.h \
	%D%/session/lora.c \
	%D%/session/lora.h \
	%D%/session/lora_file.c \
	%D%/session/lora_file.h \
	%D%/metadata.c \
	%D%/metadata.h \
	%D%/session/op_library.c \
	%D%/session/op_library.h \
	%D%/session/options.c \
	%D%/session/options.h \
	%D%/session/placement_rules.c \
	%D%/session/profile.c \
	%D%/session/profile.h \
	%D%/session/run.c \
	%D%/session/run_async.c \
	%D%/session/run_options.c \
	%D%/session/run_options.h \
	%D%/session/session.c \
	%D%/session/session.h \
	%D%/session/session_info.c \
	%D%/values/allocator.c \
	%D%/values/arena.c \
	%D%/values/arena.h \
	%D%/values/containers.c \
	%D%/values/memory.c \
	%D%/values/memory.h \
	%D%/values/shapes.c \
	%D%/values/shared_allocators.c \
	%D%/values/shared_allocators.h \
	%D%/values/sparse.c \
	%D%/values/sparse.h \
	%D%/values/sparse_object.c \
	%D%/values/strings.c \
	%D%/values/types.c \
	%D%/values/types.h \
	%D%/values/value.c \
	%D%/values/value.h \
	%D%/values/value_types.c

pkgconfig_DATA += %D%/libonnxruntime.pc
cmakedir = $(libdir)/cmake/onnxruntime
cmake_DATA = \
	%D%/onnxruntimeConfig.cmake \
	%D%/onnxruntimeConfigVersion.cmake
