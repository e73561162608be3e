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
endif
