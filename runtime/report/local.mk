# SPDX-License-Identifier: MIT
# runtime/report/ - what became of each provider and node, and why: collected, read, written as text and JSON.

runtime_libbackplane_core_la_SOURCES += \
	%D%/explain.c \
	%D%/explain.h \
	%D%/explain_provider.c \
	%D%/group_costs.c \
	%D%/group_costs.h \
	%D%/json.c \
	%D%/read.c \
	%D%/refused_sizes.c \
	%D%/report.c \
	%D%/report.h \
	%D%/rows.h
