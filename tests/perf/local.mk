# SPDX-License-Identifier: MIT
# tests/perf/ - promises in milliseconds and mebibytes.

perf_tests = %D%/startup %D%/load %D%/graphs %D%/frozen
check_PROGRAMS += $(perf_tests)
TESTS += $(perf_tests)

%C%_startup_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_startup_SOURCES = %D%/startup.c %D%/perf.h
%C%_startup_LDADD = $(DL_LIBS)

%C%_load_CPPFLAGS = -I. -I$(srcdir)/tests -I$(srcdir)/tests/unit $(AM_CPPFLAGS)
%C%_load_SOURCES = %D%/load.c %D%/perf.h
%C%_load_LDADD = runtime/libbackplane.la

%C%_graphs_CPPFLAGS = -I. -I$(srcdir)/tests -I$(srcdir)/tests/unit $(AM_CPPFLAGS)
%C%_graphs_SOURCES = %D%/graphs.c %D%/perf.h
%C%_graphs_LDADD = runtime/libbackplane.la

%C%_frozen_CPPFLAGS = -I. -I$(srcdir)/tests -I$(srcdir)/tests/unit $(AM_CPPFLAGS)
%C%_frozen_SOURCES = %D%/frozen.c %D%/perf.h
%C%_frozen_LDADD = runtime/libbackplane.la

# make frozen FROZEN_MODEL=FILE [FROZEN_PAIRS=400] [FROZEN_PERCENT=3]: a model whose initializers are
# inputs, as old exports are, against itself with plain constants, in turns on one thread.
frozen: all %D%/frozen$(EXEEXT)
	@test -n "$(FROZEN_MODEL)" || { echo "make frozen: set FROZEN_MODEL to a file" >&2; exit 2; }
	@BACKPLANE_PROVIDER_PATH='$(abs_builddir)/providers'; export BACKPLANE_PROVIDER_PATH; \
	BACKPLANE_PROBE_HELPER='$(abs_builddir)/runtime/backplane-probe'; export BACKPLANE_PROBE_HELPER; \
	%D%/frozen$(EXEEXT) "$(FROZEN_MODEL)" $(or $(FROZEN_PAIRS),400) $(or $(FROZEN_PERCENT),3)
.PHONY: frozen

# make graphs [GRAPHS_ROUNDS=25]: what passes take for a node of 5,000 to 50,000, within 1.2 times; for
# a quiet machine, about a minute.
graphs: all %D%/graphs$(EXEEXT)
	@BACKPLANE_PROVIDER_PATH='$(abs_builddir)/providers'; export BACKPLANE_PROVIDER_PATH; \
	BACKPLANE_PROBE_HELPER='$(abs_builddir)/runtime/backplane-probe'; export BACKPLANE_PROBE_HELPER; \
	%D%/graphs$(EXEEXT) $(or $(GRAPHS_ROUNDS),25)
.PHONY: graphs
