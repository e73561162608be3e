# SPDX-License-Identifier: MIT
# plugins/cann_sim/ - a simulated Ascend driver, for any program of ACL, and the provider written
# against that API, which opens the vendor's driver or the simulated one.

EXTRA_DIST += %D%/README.md

ascend_cppflags = -I$(srcdir)/%D%/driver/include

if ENABLE_CANN_SIM
if PLUGIN_FILES
provider_LTLIBRARIES += %D%/libbp-cann.la
else
EXTRA_LTLIBRARIES += %D%/libbp-cann.la
endif
%C%_libbp_cann_la_CPPFLAGS = $(provider_cppflags) $(ascend_cppflags)
%C%_libbp_cann_la_LDFLAGS = $(provider_ldflags)
%C%_libbp_cann_la_LIBADD = $(DL_LIBS) $(PTHREAD_LIBS)
%C%_libbp_cann_la_SOURCES = \
	%D%/arena.c \
	%D%/arena.h \
	%D%/build.c \
	%D%/calls.c \
	%D%/cann.h \
	%D%/capability.c \
	%D%/claim.c \
	%D%/compile.c \
	%D%/device.c \
	%D%/digest.c \
	%D%/estimate.c \
	%D%/frame.c \
	%D%/host.c \
	%D%/library.c \
	%D%/library.h \
	%D%/lower.c \
	%D%/model.c \
	%D%/model.h \
	%D%/model_run.c \
	%D%/onnx.c \
	%D%/options.c \
	%D%/provider.c \
	%D%/save.c \
	%D%/tensor.c \
	%D%/ops/binary.c \
	%D%/ops/conv.c \
	%D%/ops/elementwise.c \
	%D%/ops/list.h \
	%D%/ops/move.c \
	%D%/ops/norm.c \
	%D%/ops/pool.c \
	%D%/ops/product.c \
	%D%/ops/table.c \
	%D%/ops/types.h

plugins/static/libbp-cann.o: $(%C%_libbp_cann_la_OBJECTS) tools/backplane-embed
	@$(MKDIR_P) plugins/static
	$(AM_V_GEN)$(embed) cann -o $@ $(%C%_libbp_cann_la_OBJECTS)
endif

if ENABLE_ASCEND_SIM
# The vendor's names, so a folder of their own: cc -I$(includedir)/backplane-sim
simincludedir = $(includedir)/backplane-sim
siminclude_HEADERS = \
	%D%/driver/include/bp_ascend_graph.h \
	%D%/driver/include/bp_ascend_sim.h
simaclincludedir = $(simincludedir)/acl
simaclinclude_HEADERS = \
	%D%/driver/include/acl/acl.h \
	%D%/driver/include/acl/acl_base.h \
	%D%/driver/include/acl/acl_mdl.h \
	%D%/driver/include/acl/acl_op.h \
	%D%/driver/include/acl/acl_op_compiler.h \
	%D%/driver/include/acl/acl_rt.h

simpkgconfigdir = $(pkgconfigdir)
simpkgconfig_DATA = %D%/backplane-ascend-sim.pc

# All of it is a library that a test can link too, to let allocations fail.
noinst_LTLIBRARIES += %D%/driver/libsim.la
%C%_driver_libsim_la_CPPFLAGS = $(ascend_cppflags) -I$(srcdir)/%D%/driver \
	-I$(srcdir)/plugins -D_GNU_SOURCE
%C%_driver_libsim_la_CFLAGS = $(AM_CFLAGS) $(CPU_VECTOR_CFLAGS)
%C%_driver_libsim_la_LIBADD = $(PTHREAD_LIBS) $(MATH_LIBS)
%C%_driver_libsim_la_SOURCES = \
	%D%/driver/core/clock.c \
	%D%/driver/core/clock.h \
	%D%/driver/core/interrupt.c \
	%D%/driver/core/interrupt.h \
	%D%/driver/core/context.c \
	%D%/driver/core/context.h \
	%D%/driver/core/cost.c \
	%D%/driver/core/cost.h \
	%D%/driver/core/error.c \
	%D%/driver/core/error.h \
	%D%/driver/core/fault.c \
	%D%/driver/core/fault.h \
	%D%/driver/core/handle.c \
	%D%/driver/core/handle.h \
	%D%/driver/core/json.c \
	%D%/driver/core/json.h \
	%D%/driver/core/settings.c \
	%D%/driver/core/settings.h \
	%D%/driver/core/state.c \
	%D%/driver/core/state.h \
	%D%/driver/core/workspace.c \
	%D%/driver/core/workspace.h \
	%D%/driver/stream/callback.c \
	%D%/driver/stream/event.c \
	%D%/driver/stream/stream.c \
	%D%/driver/stream/stream.h \
	%D%/driver/stream/stream_api.c \
	%D%/driver/stream/task_pool.c \
	%D%/driver/stream/task_pool.h \
	%D%/driver/memory/copy.c \
	%D%/driver/memory/memory.c \
	%D%/driver/memory/memory.h \
	%D%/driver/memory/memory_api.c \
	%D%/driver/tensor/attr.c \
	%D%/driver/tensor/tensor.c \
	%D%/driver/tensor/tensor.h \
	%D%/driver/ops/binary.c \
	%D%/driver/ops/binary.inc \
	%D%/driver/ops/conv.c \
	%D%/driver/ops/conv.inc \
	%D%/driver/ops/convert.c \
	%D%/driver/ops/convert.h \
	%D%/driver/ops/list.c \
	%D%/driver/ops/matrix.c \
	%D%/driver/ops/matrix.inc \
	%D%/driver/ops/move.c \
	%D%/driver/ops/norm.c \
	%D%/driver/ops/norm.inc \
	%D%/driver/ops/op.h \
	%D%/driver/ops/pool.c \
	%D%/driver/ops/pool.inc \
	%D%/driver/ops/run.c \
	%D%/driver/ops/shape.c \
	%D%/driver/ops/unary.c \
	%D%/driver/ops/unary.inc \
	%D%/driver/ops/window.c \
	%D%/driver/ops/window.h \
	%D%/driver/single_op/cache.c \
	%D%/driver/single_op/cache.h \
	%D%/driver/single_op/launch.c \
	%D%/driver/single_op/launch.h \
	%D%/driver/single_op/op_api.c \
	%D%/driver/single_op/prepare.c \
	%D%/driver/model/bytes.c \
	%D%/driver/model/dataset.c \
	%D%/driver/model/desc.c \
	%D%/driver/model/graph.c \
	%D%/driver/model/load.c \
	%D%/driver/model/model.h \
	%D%/driver/model/plan.c \
	%D%/driver/model/read.c \
	%D%/driver/model/run.c \
	%D%/driver/device/control.c \
	%D%/driver/device/device.c \
	%D%/driver/device/device.h \
	%D%/driver/device/init.c

lib_LTLIBRARIES += %D%/driver/libbp-ascend-sim.la
if PLUGIN_FILES
provider_companions += %D%/driver/libbp-ascend-sim.la
endif
%C%_driver_libbp_ascend_sim_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-export-symbols-regex '^(acl|bp_ascend_)' $(PROVIDER_LDFLAGS)
%C%_driver_libbp_ascend_sim_la_LIBADD = %D%/driver/libsim.la
%C%_driver_libbp_ascend_sim_la_SOURCES =

# The simulator alone, for programs of ACL.
install-ascend-sim: install-simincludeHEADERS install-simaclincludeHEADERS \
	install-simpkgconfigDATA %D%/driver/libbp-ascend-sim.la
	@$(MKDIR_P) "$(DESTDIR)$(libdir)"
	$(AM_V_at)$(LIBTOOL) $(AM_LIBTOOLFLAGS) $(LIBTOOLFLAGS) --mode=install $(INSTALL) \
		%D%/driver/libbp-ascend-sim.la "$(DESTDIR)$(libdir)"
endif
