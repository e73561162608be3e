# SPDX-License-Identifier: MIT
# tests/nnapi_sim/provider.mk - the provider nnapi on the simulated runtime.

nnapi_provider_test_cppflags = $(unit_cppflags) $(nnapi_cppflags) -I$(srcdir)/plugins
nnapi_provider_test_ldadd = $(unit_ldadd) plugins/nnapi_sim/driver/libbp-neuralnetworks-sim.la $(MATH_LIBS) \
	$(PTHREAD_LIBS)
nnapi_provider_test_sources = %D%/nnapi_kit.h $(kit_sources)

if ENABLE_NEURALNETWORKS_SIM
if ENABLE_NNAPI_SIM
unit_tests += %D%/check_gates
%C%_check_gates_CPPFLAGS = $(nnapi_provider_test_cppflags)
%C%_check_gates_LDADD = $(nnapi_provider_test_ldadd)
%C%_check_gates_SOURCES = %D%/check_gates.c $(nnapi_provider_test_sources)

unit_tests += %D%/check_mobile
%C%_check_mobile_CPPFLAGS = $(nnapi_provider_test_cppflags)
%C%_check_mobile_LDADD = $(nnapi_provider_test_ldadd)
%C%_check_mobile_SOURCES = %D%/check_mobile.c $(nnapi_provider_test_sources)

unit_tests += %D%/check_nnapi_faults
%C%_check_nnapi_faults_CPPFLAGS = $(nnapi_provider_test_cppflags)
%C%_check_nnapi_faults_LDADD = $(nnapi_provider_test_ldadd)
%C%_check_nnapi_faults_SOURCES = %D%/check_nnapi_faults.c $(nnapi_provider_test_sources) \
	tests/unit/support/random.h

unit_tests += %D%/check_nnapi_options
%C%_check_nnapi_options_CPPFLAGS = $(nnapi_provider_test_cppflags)
%C%_check_nnapi_options_LDADD = $(nnapi_provider_test_ldadd)
%C%_check_nnapi_options_SOURCES = %D%/check_nnapi_options.c $(nnapi_provider_test_sources)

unit_tests += %D%/check_quantized
%C%_check_quantized_CPPFLAGS = $(nnapi_provider_test_cppflags)
%C%_check_quantized_LDADD = $(nnapi_provider_test_ldadd)
%C%_check_quantized_SOURCES = %D%/check_quantized.c $(nnapi_provider_test_sources)

TESTS += %D%/conform.sh %D%/provider.sh
endif
endif
dist_check_SCRIPTS += %D%/conform.sh %D%/provider.sh
EXTRA_DIST += %D%/float16.expect
