# SPDX-License-Identifier: MIT
# tools/ - the command-line program; it sees sdk/ only.

# What runs and compares directories of test data; tests/ort/ does so on another interface.
conform_sources = \
	%D%/args.c %D%/args.h \
	%D%/cli.c %D%/cli.h \
	%D%/cmd_conform.c \
	%D%/compare.c %D%/compare.h \
	%D%/conform.h \
	%D%/conform_find.c \
	%D%/conform_junit.c \
	%D%/conform_print.c \
	%D%/conform_run.c \
	%D%/deadline.c %D%/deadline.h \
	%D%/file.c %D%/file.h \
	%D%/help.c \
	%D%/json.c %D%/json.h \
	%D%/known.c %D%/known.h \
	%D%/load.c %D%/load.h \
	%D%/load_options.c \
	%D%/npy.c %D%/npy.h \
	%D%/object.c %D%/object.h \
	%D%/plan.h \
	%D%/plan_refusals.c \
	%D%/plan_text.c %D%/plan_text.h \
	%D%/profile.c %D%/profile.h \
	%D%/progress.c %D%/progress.h \
	%D%/run.c %D%/run.h \
	%D%/suite.c %D%/suite.h \
	%D%/suite_set.c \
	%D%/table.c %D%/table.h \
	%D%/text.c %D%/text.h \
	%D%/value.c %D%/value.h

bin_PROGRAMS += %D%/backplane
%C%_backplane_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_backplane_LDADD = runtime/libbackplane.la $(MATH_LIBS)
%C%_backplane_SOURCES = \
	%D%/bench.h \
	%D%/bench_compare.c %D%/bench_compare.h \
	%D%/bench_compare_print.c \
	%D%/bench_print.c \
	%D%/bench_verdict.c \
	%D%/cmd_bench.c \
	%D%/cmd_doctor.c \
	%D%/cmd_info.c \
	%D%/cmd_optimize.c \
	%D%/cmd_plan.c \
	%D%/cmd_providers.c \
	%D%/cmd_run.c \
	%D%/dot.c %D%/dot.h \
	%D%/dot_style.c \
	%D%/feed.c %D%/feed.h \
	%D%/feed_args.c \
	%D%/info.h \
	%D%/info_json.c \
	%D%/info_text.c \
	%D%/main.c \
	%D%/memory.c %D%/memory.h \
	%D%/operators.c %D%/operators.h \
	%D%/optimize.h \
	%D%/optimize_find.c \
	%D%/optimize_save.c \
	%D%/picture.c %D%/picture.h \
	%D%/provider.h \
	%D%/provider_json.c \
	%D%/provider_known.c \
	%D%/provider_man.c \
	%D%/provider_text.c \
	%D%/random.c \
	%D%/run_json.c \
	%D%/suite_session.c \
	%D%/svg.c \
	$(conform_sources)

# The same program with the host and providers in it; it opens no file to have them. Its objects are the
# program's and the plug-ins' own; a source is named only so that automake knows the language.
if STATIC_PROVIDERS
bin_PROGRAMS += %D%/backplane-static
staticdir = $(libdir)/backplane/static
static_DATA = $(STATIC_OBJECTS)
else
check_PROGRAMS += %D%/backplane-static
endif
%C%_backplane_static_SOURCES =
nodist_EXTRA_%C%_backplane_static_SOURCES = %D%/main.c
EXTRA_%C%_backplane_static_DEPENDENCIES = $(STATIC_OBJECTS)
%C%_backplane_static_LDFLAGS = $(AM_LDFLAGS) $(STATIC_PRELOADS)
%C%_backplane_static_LDADD = $(tools_backplane_OBJECTS) runtime/libbackplane-core.la \
	$(runtime_libs)

include %D%/check/local.mk

# @NAME@ and the like in it are its own business, so config.status is not used.
bin_SCRIPTS = %D%/backplane-embed %D%/backplane-new
EXTRA_DIST += %D%/backplane-embed.in %D%/backplane-new.in
CLEANFILES += %D%/backplane-embed %D%/backplane-new
tools/backplane-embed: $(srcdir)/tools/backplane-embed.in Makefile
	@$(MKDIR_P) tools
	$(AM_V_GEN)sed -e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|g' \
	    $(srcdir)/tools/backplane-embed.in >$@.tmp
	@chmod +x $@.tmp && mv $@.tmp $@
tools/backplane-new: $(srcdir)/tools/backplane-new.in Makefile
	@$(MKDIR_P) tools
	$(AM_V_GEN)sed -e 's|@templatedir[@]|$(datadir)/backplane/template|g' \
	    -e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|g' $(srcdir)/tools/backplane-new.in >$@.tmp
	@chmod +x $@.tmp && mv $@.tmp $@
