# SPDX-License-Identifier: MIT
# tests/kit/ - the conformance kit against good and broken plug-ins, and the road of a stranger.

kit_tests = \
	%D%/broken.sh \
	%D%/onnx.sh \
	%D%/operators.sh \
	%D%/planted.sh \
	%D%/plugins.sh \
	%D%/random.sh \
	%D%/reports.sh \
	%D%/sanitizers.sh \
	%D%/stranger.sh \
	%D%/threads.sh

dist_check_SCRIPTS += $(kit_tests)
EXTRA_DIST += %D%/broken.c %D%/broken_device.c %D%/planted.txt
TESTS += $(kit_tests)

# prints tools/check/onnx/operators.inc, for tests/kit/operators.sh and `make update-kit-operators`
check_PROGRAMS += %D%/print_operators
%C%_print_operators_SOURCES = %D%/print_operators.c
%C%_print_operators_CPPFLAGS = $(runtime_cppflags)
%C%_print_operators_LDADD = runtime/libbackplane-core.la $(runtime_libs)

update-kit-operators: %D%/print_operators$(EXEEXT)
	BP_SRCDIR=$(srcdir) BP_BUILDDIR=. $(SHELL) $(srcdir)/%D%/operators.sh --write
.PHONY: update-kit-operators
