# SPDX-License-Identifier: MIT
# tests/opencl/ - the provider opencl on whatever OpenCL driver is there: PoCL in CI. Skipped without one.

dist_check_SCRIPTS += %D%/compile.sh %D%/conformance.sh %D%/kit.sh %D%/provider.sh
EXTRA_DIST += %D%/lib.sh
TESTS += %D%/compile.sh %D%/conformance.sh %D%/kit.sh %D%/provider.sh

if ENABLE_OPENCL
opencl_graph_sources = %D%/graph_kit.h $(kit_sources)

unit_tests += %D%/check_chains
%C%_check_chains_CPPFLAGS = $(unit_cppflags)
%C%_check_chains_LDADD = $(unit_ldadd) -lm
%C%_check_chains_SOURCES = %D%/check_chains.c $(opencl_graph_sources)

unit_tests += %D%/check_shared
%C%_check_shared_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/plugins/opencl
%C%_check_shared_LDADD = plugins/opencl/libopenclprovider.la $(unit_ldadd) $(PTHREAD_LIBS)
%C%_check_shared_SOURCES = %D%/check_shared.c
endif
