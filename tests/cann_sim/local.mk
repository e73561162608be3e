# SPDX-License-Identifier: MIT
# tests/cann_sim/ - the simulated Ascend driver: what it does, and what it forbids; and the provider
# on it.

cann_test_cppflags = $(unit_cppflags) $(ascend_cppflags) -I$(srcdir)/plugins
cann_test_ldadd = $(unit_ldadd) plugins/cann_sim/driver/libbp-ascend-sim.la $(MATH_LIBS) \
	$(PTHREAD_LIBS)
cann_test_sources = %D%/cann_kit.h $(kit_sources) tests/unit/support/device_kit.c tests/unit/support/device_kit.h

if ENABLE_ASCEND_SIM
ascend_test_cppflags = $(ascend_cppflags) -I$(srcdir)/plugins -I$(srcdir)/tests/unit -D_GNU_SOURCE $(CHECK_CFLAGS)
ascend_test_ldadd = plugins/cann_sim/driver/libbp-ascend-sim.la $(CHECK_LIBS) $(MATH_LIBS) \
	$(PTHREAD_LIBS)

unit_tests += %D%/check_faults
%C%_check_faults_CPPFLAGS = $(ascend_test_cppflags)
%C%_check_faults_LDADD = $(ascend_test_ldadd)
%C%_check_faults_SOURCES = %D%/check_faults.c %D%/sim_kit.h

unit_tests += %D%/check_models
%C%_check_models_CPPFLAGS = -I. $(ascend_test_cppflags)
%C%_check_models_LDADD = $(ascend_test_ldadd)
%C%_check_models_SOURCES = %D%/check_models.c %D%/sim_kit.h

unit_tests += %D%/check_no_memory
%C%_check_no_memory_CPPFLAGS = -I. $(ascend_test_cppflags)
%C%_check_no_memory_LDFLAGS = $(fail_alloc_ldflags)
%C%_check_no_memory_LDADD = plugins/cann_sim/driver/libsim.la $(CHECK_LIBS)
%C%_check_no_memory_SOURCES = %D%/check_no_memory.c %D%/sim_kit.h tests/unit/support/fail_alloc.c \
	tests/unit/support/fail_alloc.h

unit_tests += %D%/check_operators
%C%_check_operators_CPPFLAGS = $(ascend_test_cppflags)
%C%_check_operators_LDADD = $(ascend_test_ldadd)
%C%_check_operators_SOURCES = %D%/check_operators.c %D%/sim_kit.h

unit_tests += %D%/check_rules
%C%_check_rules_CPPFLAGS = $(ascend_test_cppflags)
%C%_check_rules_LDADD = $(ascend_test_ldadd)
%C%_check_rules_SOURCES = %D%/check_rules.c %D%/sim_kit.h

unit_tests += %D%/check_streams
%C%_check_streams_CPPFLAGS = $(ascend_test_cppflags)
%C%_check_streams_LDADD = $(ascend_test_ldadd)
%C%_check_streams_SOURCES = %D%/check_streams.c %D%/sim_kit.h

TESTS += %D%/driver.sh

if ENABLE_CANN_SIM
TESTS += %D%/plan.sh

unit_tests += %D%/check_estimates
%C%_check_estimates_CPPFLAGS = $(cann_test_cppflags)
%C%_check_estimates_LDADD = $(cann_test_ldadd)
%C%_check_estimates_SOURCES = %D%/check_estimates.c $(cann_test_sources)

unit_tests += %D%/check_graph_mode
%C%_check_graph_mode_CPPFLAGS = $(cann_test_cppflags)
%C%_check_graph_mode_LDADD = $(cann_test_ldadd)
%C%_check_graph_mode_SOURCES = %D%/check_graph_mode.c $(cann_test_sources) \
	plugins/cann_sim/digest.c

unit_tests += %D%/check_provider
%C%_check_provider_CPPFLAGS = $(cann_test_cppflags)
%C%_check_provider_LDADD = $(cann_test_ldadd)
%C%_check_provider_SOURCES = %D%/check_provider.c $(cann_test_sources) tests/unit/support/typed.c \
	tests/unit/support/typed.h tests/unit/support/random.h

unit_tests += %D%/check_provider_faults
%C%_check_provider_faults_CPPFLAGS = $(cann_test_cppflags)
%C%_check_provider_faults_LDADD = $(cann_test_ldadd)
%C%_check_provider_faults_SOURCES = %D%/check_provider_faults.c $(cann_test_sources)

unit_tests += %D%/check_provider_options
%C%_check_provider_options_CPPFLAGS = $(cann_test_cppflags)
%C%_check_provider_options_LDADD = $(cann_test_ldadd)
%C%_check_provider_options_SOURCES = %D%/check_provider_options.c $(cann_test_sources) \
	plugins/cann_sim/arena.c plugins/cann_sim/library.c

unit_tests += %D%/check_contexts
%C%_check_contexts_CPPFLAGS = $(cann_test_cppflags)
%C%_check_contexts_LDADD = $(cann_test_ldadd)
%C%_check_contexts_SOURCES = %D%/check_contexts.c $(cann_test_sources) tests/unit/support/random.h

unit_tests += %D%/check_saved
%C%_check_saved_CPPFLAGS = $(cann_test_cppflags)
%C%_check_saved_LDADD = $(cann_test_ldadd)
%C%_check_saved_SOURCES = %D%/check_saved.c $(cann_test_sources) tests/unit/support/random.h

unit_tests += %D%/check_soak
soak_tests = %D%/check_soak
%C%_check_soak_CPPFLAGS = $(cann_test_cppflags)
%C%_check_soak_LDADD = $(cann_test_ldadd)
%C%_check_soak_SOURCES = %D%/check_soak.c %D%/soak_kit.c %D%/soak_kit.h $(cann_test_sources) \
	tests/unit/support/random.h
endif
endif
dist_check_SCRIPTS += %D%/driver.sh %D%/plan.sh

# 100,000 runs of what `make check` has some of; BP_SOAK_RUNS says another number.
soak: all $(check_LTLIBRARIES) $(soak_tests)
	@test -n "$(soak_tests)" || { \
	    echo "make soak: the provider cann or its simulator is left out" >&2; exit 1; }
	@$(AM_TESTS_ENVIRONMENT) CK_FORK=no; export CK_FORK; \
	BP_SOAK_RUNS="$${BP_SOAK_RUNS:-100000}"; export BP_SOAK_RUNS; $(soak_tests)
.PHONY: soak
