# SPDX-License-Identifier: MIT
# runtime/compile/ - from a graph and names of providers to programs: provider list, subgraphs, stages.

runtime_libbackplane_core_la_SOURCES += \
	%D%/active.c \
	%D%/active.h \
	%D%/after_fork.c \
	%D%/after_fork.h \
	%D%/context.c \
	%D%/context.h \
	%D%/make_program.c \
	%D%/make_program.h \
	%D%/missing.c \
	%D%/missing.h \
	%D%/operator_query.c \
	%D%/operator_query.h \
	%D%/provider_list.c \
	%D%/provider_list.h \
	%D%/provider_list_options.c \
	%D%/stages.c \
	%D%/subgraph.c \
	%D%/subgraph.h \
	%D%/subgraph_memory.c \
	%D%/subgraph_memory.h
