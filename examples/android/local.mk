# SPDX-License-Identifier: MIT
# examples/android/ - a program of Android's Neural Networks API alone, on the simulated runtime.

if ENABLE_NEURALNETWORKS_SIM
noinst_PROGRAMS += %D%/lines
%C%_lines_CPPFLAGS = $(nnapi_cppflags)
%C%_lines_LDADD = plugins/nnapi_sim/driver/libbp-neuralnetworks-sim.la
%C%_lines_SOURCES = %D%/lines.c
endif

nobase_dist_doc_DATA += \
	%D%/README.md \
	%D%/lines.c
