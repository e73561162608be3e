# SPDX-License-Identifier: MIT
# tools/check/ - the conformance kit for plug-ins. It is a host of its own: it links no library of
# ours, so that the SDK can be installed alone.

bin_PROGRAMS += tools/backplane-check
tools_backplane_check_CPPFLAGS = -I. $(AM_CPPFLAGS) -I$(srcdir)/tools \
	-DBP_PROVIDER_DIR='"$(providerdir)"'
# __cxa_atexit() of surroundings.c is to be found by plug-ins.
tools_backplane_check_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tools_backplane_check_LDADD = $(DL_LIBS) $(PTHREAD_LIBS) $(MATH_LIBS)
tools_backplane_check_SOURCES = \
	%D%/alloc.c \
	%D%/apart.c %D%/apart.h \
	%D%/build_id.c \
	%D%/cases/case.h \
	%D%/cases/cases.c \
	%D%/cases/channels_last.c \
	%D%/cases/convolution.c \
	%D%/cases/elements.c \
	%D%/cases/elementwise.c \
	%D%/cases/layout.c \
	%D%/cases/parse.c \
	%D%/cases/quantized.c \
	%D%/cases/reference.c %D%/cases/reference.h \
	%D%/cases/resize.c \
	%D%/coverage.c %D%/coverage.h \
	%D%/device/device.h \
	%D%/device/faults.c \
	%D%/device/group_device.c \
	%D%/device/streams.c \
	%D%/exec.c \
	%D%/graph.c %D%/graph.h \
	%D%/guard.c %D%/guard.h \
	%D%/group_abi.c \
	%D%/group_cancel.c \
	%D%/group_capability.c \
	%D%/group_file.c \
	%D%/group_fuzz.c \
	%D%/group_life.c \
	%D%/group_numerics.c \
	%D%/group_onnx.c %D%/group_onnx.h \
	%D%/group_options.c \
	%D%/group_probe.c \
	%D%/group_run.c \
	%D%/group_shapes.c \
	%D%/group_state.c \
	%D%/group_weights.c \
	%D%/host.c \
	%D%/kit.h \
	%D%/main.c \
	%D%/memory.c \
	%D%/onnx/model.c %D%/onnx/model.h \
	%D%/onnx/operators.c %D%/onnx/operators.h %D%/onnx/operators.inc \
	%D%/onnx/tensor.c %D%/onnx/tensor.h \
	%D%/open.c \
	%D%/process/group_process.c \
	%D%/process/sanitizer.c %D%/process/sanitizer.h \
	%D%/process/surroundings.c %D%/process/surroundings.h \
	%D%/random/find.c %D%/random/find.h \
	%D%/random/group_random.c \
	%D%/random/others.c \
	%D%/random/random.c %D%/random/random.h \
	%D%/report.c %D%/report.h \
	%D%/results.c \
	%D%/starved.c %D%/starved.h \
	%D%/steps.c \
	%D%/verdict.c \
	tools/onnx/tests.c tools/onnx/tests.h tools/onnx/wire.c tools/onnx/wire.h
