# SPDX-License-Identifier: MIT
# tests/opencl/ - the provider opencl on whatever OpenCL driver is there: PoCL in CI. Skipped without one.

dist_check_SCRIPTS += %D%/conformance.sh %D%/kit.sh %D%/provider.sh
EXTRA_DIST += %D%/lib.sh
TESTS += %D%/conformance.sh %D%/kit.sh %D%/provider.sh

if ENABLE_OPENCL
check_PROGRAMS += %D%/check_operators
TESTS += %D%/check_operators
%C%_check_operators_SOURCES = %D%/check_operators.c %D%/operator_case.c %D%/operator_case.h \
	tests/unit/support/check_main.h tests/unit/support/session_kit.c tests/unit/support/session_kit.h \
	tests/unit/support/proto_writer.h
%C%_check_operators_CPPFLAGS = $(unit_cppflags)
%C%_check_operators_LDADD = $(unit_ldadd) -lm
endif
