# SPDX-License-Identifier: MIT
# tests/nnapi_sim/ - the simulated Neural Networks runtime: what it computes, and what it refuses.

if ENABLE_NEURALNETWORKS_SIM
nnapi_test_cppflags = $(nnapi_cppflags) -I$(srcdir)/plugins -I$(srcdir)/tests/unit -D_GNU_SOURCE \
	$(CHECK_CFLAGS)
nnapi_test_ldadd = plugins/nnapi_sim/driver/libbp-neuralnetworks-sim.la $(CHECK_LIBS) $(MATH_LIBS) \
	$(PTHREAD_LIBS)

unit_tests += %D%/check_compilations
%C%_check_compilations_CPPFLAGS = $(nnapi_test_cppflags)
%C%_check_compilations_LDADD = $(nnapi_test_ldadd)
%C%_check_compilations_SOURCES = %D%/check_compilations.c %D%/nn_kit.h

unit_tests += %D%/check_control
%C%_check_control_CPPFLAGS = $(nnapi_test_cppflags)
%C%_check_control_LDADD = $(nnapi_test_ldadd)
%C%_check_control_SOURCES = %D%/check_control.c %D%/nn_kit.h

unit_tests += %D%/check_memory
%C%_check_memory_CPPFLAGS = $(nnapi_test_cppflags)
%C%_check_memory_LDADD = $(nnapi_test_ldadd)
%C%_check_memory_SOURCES = %D%/check_memory.c %D%/nn_kit.h

unit_tests += %D%/check_nnapi_no_memory
%C%_check_nnapi_no_memory_CPPFLAGS = -I. $(nnapi_test_cppflags)
%C%_check_nnapi_no_memory_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_nnapi_no_memory_LDADD = plugins/nnapi_sim/driver/libnnsim.la $(CHECK_LIBS)
%C%_check_nnapi_no_memory_SOURCES = %D%/check_nnapi_no_memory.c %D%/nn_kit.h tests/unit/support/fail_alloc.c \
	tests/unit/support/fail_alloc.h

unit_tests += %D%/check_operators
%C%_check_operators_CPPFLAGS = $(nnapi_test_cppflags)
%C%_check_operators_LDADD = $(nnapi_test_ldadd)
%C%_check_operators_SOURCES = %D%/check_operators.c %D%/nn_kit.h

unit_tests += %D%/check_results
%C%_check_results_CPPFLAGS = $(nnapi_test_cppflags)
%C%_check_results_LDADD = $(nnapi_test_ldadd)
%C%_check_results_SOURCES = %D%/check_results.c %D%/nn_kit.h

unit_tests += %D%/check_rules
%C%_check_rules_CPPFLAGS = $(nnapi_test_cppflags)
%C%_check_rules_LDADD = $(nnapi_test_ldadd)
%C%_check_rules_SOURCES = %D%/check_rules.c %D%/nn_kit.h

unit_tests += %D%/check_runs
%C%_check_runs_CPPFLAGS = $(nnapi_test_cppflags)
%C%_check_runs_LDADD = $(nnapi_test_ldadd)
%C%_check_runs_SOURCES = %D%/check_runs.c %D%/nn_kit.h

TESTS += %D%/driver.sh
endif
dist_check_SCRIPTS += %D%/driver.sh
