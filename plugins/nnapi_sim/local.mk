# SPDX-License-Identifier: MIT
# plugins/nnapi_sim/ - a simulated Neural Networks runtime, for any program of Android's API, and the
# provider written against that API, which opens Android's library or the simulated one.

EXTRA_DIST += %D%/README.md

nnapi_cppflags = -I$(srcdir)/%D%/driver/include

include %D%/provider.mk

if ENABLE_NEURALNETWORKS_SIM
# Android's names, so in the folder of the simulators: cc -I$(includedir)/backplane-sim
nnapiincludedir = $(includedir)/backplane-sim
nnapiinclude_HEADERS = %D%/driver/include/bp_nnapi_sim.h
nnapiandroidincludedir = $(nnapiincludedir)/android
nnapiandroidinclude_HEADERS = \
	%D%/driver/include/android/NeuralNetworks.h \
	%D%/driver/include/android/NeuralNetworksTypes.h

nnapipkgconfigdir = $(pkgconfigdir)
nnapipkgconfig_DATA = %D%/backplane-neuralnetworks-sim.pc

# All of it is a library that a test can link too, to let allocations fail.
noinst_LTLIBRARIES += %D%/driver/libnnsim.la
%C%_driver_libnnsim_la_CPPFLAGS = $(nnapi_cppflags) -I$(srcdir)/%D%/driver \
	-I$(srcdir)/plugins -D_GNU_SOURCE
%C%_driver_libnnsim_la_CFLAGS = $(AM_CFLAGS) $(CPU_VECTOR_CFLAGS)
%C%_driver_libnnsim_la_LIBADD = $(PTHREAD_LIBS) $(MATH_LIBS)
%C%_driver_libnnsim_la_SOURCES = \
	%D%/driver/compile/cache.c \
	%D%/driver/compile/compilation.c \
	%D%/driver/compile/compilation.h \
	%D%/driver/compile/memory_desc.c \
	%D%/driver/compile/plan.c \
	%D%/driver/compile/preferred.c \
	%D%/driver/core/error.c \
	%D%/driver/core/error.h \
	%D%/driver/core/fault.c \
	%D%/driver/core/fault.h \
	%D%/driver/core/names.c \
	%D%/driver/core/names.h \
	%D%/driver/core/profiles.c \
	%D%/driver/core/profiles.h \
	%D%/driver/core/settings.c \
	%D%/driver/core/settings.h \
	%D%/driver/core/state.c \
	%D%/driver/core/state.h \
	%D%/driver/memory/memory.c \
	%D%/driver/memory/memory.h \
	%D%/driver/model/check_graph.c \
	%D%/driver/model/finish.c \
	%D%/driver/model/model.c \
	%D%/driver/model/model.h \
	%D%/driver/model/support.c \
	%D%/driver/model/type.c \
	%D%/driver/ops/binary.c \
	%D%/driver/ops/check.c \
	%D%/driver/ops/control.c \
	%D%/driver/ops/conv.c \
	%D%/driver/ops/conv.h \
	%D%/driver/ops/convert.c \
	%D%/driver/ops/join.c \
	%D%/driver/ops/list.inc \
	%D%/driver/ops/matrix.c \
	%D%/driver/ops/move.h \
	%D%/driver/ops/norm.c \
	%D%/driver/ops/op.h \
	%D%/driver/ops/pad.c \
	%D%/driver/ops/pool.c \
	%D%/driver/ops/reduce.c \
	%D%/driver/ops/reshape.c \
	%D%/driver/ops/resize.c \
	%D%/driver/ops/shapes.c \
	%D%/driver/ops/slice.c \
	%D%/driver/ops/space.c \
	%D%/driver/ops/table.c \
	%D%/driver/ops/transpose.c \
	%D%/driver/ops/unary.c \
	%D%/driver/ops/unary.h \
	%D%/driver/ops/values.c \
	%D%/driver/ops/window.c \
	%D%/driver/ops/window.h \
	%D%/driver/run/attempt.c \
	%D%/driver/run/bind.c \
	%D%/driver/run/control.c \
	%D%/driver/run/control.h \
	%D%/driver/run/device.c \
	%D%/driver/run/engine.c \
	%D%/driver/run/engine.h \
	%D%/driver/run/event.c \
	%D%/driver/run/event.h \
	%D%/driver/run/execution.c \
	%D%/driver/run/execution.h \
	%D%/driver/run/faults.c \
	%D%/driver/run/spend.c \
	%D%/driver/run/spend.h \
	%D%/driver/run/start.c \
	%D%/driver/run/symbols.c

lib_LTLIBRARIES += %D%/driver/libbp-neuralnetworks-sim.la
if PLUGIN_FILES
provider_companions += %D%/driver/libbp-neuralnetworks-sim.la
endif
%C%_driver_libbp_neuralnetworks_sim_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-export-symbols-regex '^(ANeuralNetworks|bp_nnapi_)' $(PROVIDER_LDFLAGS)
%C%_driver_libbp_neuralnetworks_sim_la_LIBADD = %D%/driver/libnnsim.la
%C%_driver_libbp_neuralnetworks_sim_la_SOURCES =

# The simulator alone, for programs of Android's API.
install-neuralnetworks-sim: install-nnapiincludeHEADERS install-nnapiandroidincludeHEADERS \
	install-nnapipkgconfigDATA %D%/driver/libbp-neuralnetworks-sim.la
	@$(MKDIR_P) "$(DESTDIR)$(libdir)"
	$(AM_V_at)$(LIBTOOL) $(AM_LIBTOOLFLAGS) $(LIBTOOLFLAGS) --mode=install $(INSTALL) \
		%D%/driver/libbp-neuralnetworks-sim.la "$(DESTDIR)$(libdir)"
endif
