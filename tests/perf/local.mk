# SPDX-License-Identifier: MIT
# tests/perf/ - promises in milliseconds and mebibytes.

perf_tests = %D%/startup %D%/load %D%/graphs
check_PROGRAMS += $(perf_tests)
TESTS += $(perf_tests)

%C%_startup_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_startup_SOURCES = %D%/startup.c %D%/perf.h
%C%_startup_LDADD = $(DL_LIBS)

%C%_load_CPPFLAGS = -I. -I$(srcdir)/tests $(AM_CPPFLAGS)
%C%_load_SOURCES = %D%/load.c %D%/perf.h
%C%_load_LDADD = runtime/libbackplane.la

%C%_graphs_CPPFLAGS = -I. -I$(srcdir)/tests $(AM_CPPFLAGS)
%C%_graphs_SOURCES = %D%/graphs.c %D%/perf.h
%C%_graphs_LDADD = runtime/libbackplane.la
