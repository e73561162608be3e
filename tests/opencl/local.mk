# SPDX-License-Identifier: MIT
# tests/opencl/ - the provider opencl on whatever OpenCL driver is there: PoCL in CI. Skipped without one.

dist_check_SCRIPTS += %D%/compile.sh %D%/conformance.sh %D%/kit.sh %D%/networks.sh %D%/provider.sh %D%/start.sh
EXTRA_DIST += %D%/lib.sh
TESTS += %D%/compile.sh %D%/conformance.sh %D%/kit.sh %D%/networks.sh %D%/provider.sh %D%/start.sh

if ENABLE_OPENCL
check_PROGRAMS += %D%/check_operators
TESTS += %D%/check_operators
%C%_check_operators_SOURCES = %D%/check_operators.c %D%/operator_case.c %D%/operator_case.h \
	tests/unit/support/check_main.h tests/unit/support/session_kit.c tests/unit/support/session_kit.h \
	tests/unit/support/proto_writer.h
%C%_check_operators_CPPFLAGS = $(unit_cppflags)
%C%_check_operators_LDADD = $(unit_ldadd) -lm

opencl_graph_sources = %D%/graph_kit.h $(kit_sources)

unit_tests += %D%/check_chains
%C%_check_chains_CPPFLAGS = $(unit_cppflags)
%C%_check_chains_LDADD = $(unit_ldadd) -lm
%C%_check_chains_SOURCES = %D%/check_chains.c $(opencl_graph_sources)

unit_tests += %D%/check_shared
%C%_check_shared_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins/opencl
%C%_check_shared_LDADD = plugins/opencl/libopenclprovider.la $(unit_ldadd) $(PTHREAD_LIBS)
%C%_check_shared_SOURCES = %D%/check_shared.c

# Stands before the real loader under its name, and lets calls fail; tests open it, or find it by LD_LIBRARY_PATH.
check_LTLIBRARIES += %D%/faults/libOpenCL.la
%C%_faults_libOpenCL_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -no-undefined $(PLUGIN_SHARED) -rpath /nowhere
%C%_faults_libOpenCL_la_LIBADD = $(DL_LIBS) $(PTHREAD_LIBS)
%C%_faults_libOpenCL_la_SOURCES = %D%/faults/fault_driver.h %D%/faults/loader.c %D%/faults/plan.c %D%/faults/plan.h

opencl_test_cppflags = $(unit_cppflags) -I$(srcdir)/plugins/opencl
opencl_test_sources = %D%/opencl_kit.c %D%/opencl_kit.h %D%/faults/fault_driver.h $(kit_sources)

unit_tests += %D%/check_faults
%C%_check_faults_CPPFLAGS = $(opencl_test_cppflags)
%C%_check_faults_LDADD = $(unit_ldadd)
%C%_check_faults_SOURCES = %D%/check_faults.c plugins/opencl/base/status.c $(opencl_test_sources)

unit_tests += %D%/check_soak
%C%_check_soak_CPPFLAGS = $(opencl_test_cppflags)
%C%_check_soak_LDADD = $(unit_ldadd)
%C%_check_soak_SOURCES = %D%/check_soak.c tests/unit/support/random.h $(opencl_test_sources)
unit_tests += %D%/check_steady
%C%_check_steady_CPPFLAGS = $(opencl_test_cppflags)
%C%_check_steady_LDADD = $(unit_ldadd)
%C%_check_steady_SOURCES = %D%/check_steady.c tests/unit/support/count_alloc.c tests/unit/support/count_alloc.h \
	$(opencl_test_sources)

opencl_soak_tests = %D%/check_soak
endif

# 100,000 runs of what `make check` has some of; BP_SOAK_RUNS says another number.
opencl-soak: all $(check_LTLIBRARIES) $(opencl_soak_tests)
	@test -n "$(opencl_soak_tests)" || { echo "make opencl-soak: the provider opencl is left out" >&2; exit 1; }
	@$(AM_TESTS_ENVIRONMENT) CK_FORK=no; export CK_FORK; \
	BP_SOAK_RUNS="$${BP_SOAK_RUNS:-100000}"; export BP_SOAK_RUNS; $(opencl_soak_tests)
.PHONY: opencl-soak
