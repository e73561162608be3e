# SPDX-License-Identifier: MIT
# tools/ - the command-line program; it sees sdk/ only.

# What runs and compares directories of test data; tests/ort/ does so on another interface.
conform_sources = \
	%D%/conform/command.c \
	%D%/conform/conform.h \
	%D%/conform/constants.c \
	%D%/conform/constants.h \
	%D%/conform/find.c \
	%D%/conform/junit.c \
	%D%/conform/print.c \
	%D%/conform/run.c \
	%D%/conform/suite.c \
	%D%/conform/suite.h \
	%D%/conform/suite_set.c \
	%D%/lib/args.c \
	%D%/lib/args.h \
	%D%/lib/cli.c \
	%D%/lib/cli.h \
	%D%/lib/deadline.c \
	%D%/lib/deadline.h \
	%D%/values/file.c \
	%D%/values/file.h \
	%D%/lib/help.c \
	%D%/lib/json.c \
	%D%/lib/json.h \
	%D%/lib/known_failures.c \
	%D%/lib/known_failures.h \
	%D%/lib/load.c \
	%D%/lib/load.h \
	%D%/lib/load_options.c \
	%D%/lib/model_command.c \
	%D%/lib/model_command.h \
	%D%/lib/orphans.c \
	%D%/lib/orphans.h \
	%D%/onnx/tests.c \
	%D%/onnx/tests.h \
	%D%/onnx/wire.c \
	%D%/onnx/wire.h \
	%D%/run/profile.c \
	%D%/run/profile.h \
	%D%/lib/progress.c \
	%D%/lib/progress.h \
	%D%/lib/table.c \
	%D%/lib/table.h \
	%D%/lib/text.c \
	%D%/lib/text.h \
	%D%/plan/plan.h \
	%D%/plan/refusals.c \
	%D%/plan/text.c \
	%D%/plan/text.h \
	%D%/run/run.c \
	%D%/run/run.h \
	%D%/values/compare.c \
	%D%/values/compare.h \
	%D%/values/npy.c \
	%D%/values/npy.h \
	%D%/values/object.c \
	%D%/values/object.h \
	%D%/values/value.c \
	%D%/values/value.h

bin_PROGRAMS += %D%/backplane
%C%_backplane_CPPFLAGS = -I. -I$(srcdir) -I$(srcdir)/tools $(AM_CPPFLAGS)
%C%_backplane_LDADD = runtime/libbackplane.la $(MATH_LIBS) $(PTHREAD_LIBS)
%C%_backplane_SOURCES = $(text_sources) \
	%D%/main.c \
	%D%/bench/bench.h \
	%D%/bench/command.c \
	%D%/bench/compare.c \
	%D%/bench/compare.h \
	%D%/bench/compare_print.c \
	%D%/bench/print.c \
	%D%/bench/side.c \
	%D%/bench/verdict.c \
	%D%/cache/command.c \
	%D%/compile/command.c \
	%D%/conform/suite_session.c \
	%D%/info/command.c \
	%D%/info/info.h \
	%D%/info/json.c \
	%D%/info/text.c \
	%D%/values/feed.c \
	%D%/values/feed.h \
	%D%/values/feed_args.c \
	%D%/lib/memory.c \
	%D%/lib/memory.h \
	%D%/values/random.c \
	%D%/operators/collect.c \
	%D%/operators/command.c \
	%D%/operators/list.c \
	%D%/operators/operators.h \
	%D%/optimize/all.c \
	%D%/optimize/command.c \
	%D%/optimize/find.c \
	%D%/optimize/one.c \
	%D%/optimize/optimize.h \
	%D%/optimize/save.c \
	%D%/optimize/tell.c \
	%D%/plan/command.c \
	%D%/plan/diagram.c \
	%D%/plan/diagram.h \
	%D%/plan/dot.c \
	%D%/plan/dot.h \
	%D%/plan/dot_style.c \
	%D%/plan/svg.c \
	%D%/plugins/directory.c \
	%D%/plugins/directory.h \
	%D%/plugins/install.c \
	%D%/plugins/plugin.c \
	%D%/plugins/plugin.h \
	%D%/plugins/remove.c \
	%D%/plugins/verify.c \
	%D%/providers/command.c \
	%D%/providers/doctor.c \
	%D%/providers/json.c \
	%D%/providers/known.c \
	%D%/providers/man.c \
	%D%/providers/operators.c \
	%D%/providers/operators.h \
	%D%/providers/provider.h \
	%D%/providers/text.c \
	%D%/run/command.c \
	%D%/run/json.c \
	%D%/tune/command.c \
	%D%/tune/measure.c \
	%D%/tune/print.c \
	%D%/tune/tune.h \
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
