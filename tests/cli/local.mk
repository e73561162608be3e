# SPDX-License-Identifier: MIT
# tests/cli/ - does the command-line program do what its man page says?

cli_cppflags = -I$(srcdir) -I$(srcdir)/tools $(unit_cppflags)
cli_ldadd = runtime/libbackplane.la $(CHECK_LIBS) $(MATH_LIBS)

unit_tests += %D%/check_values
%C%_check_values_CPPFLAGS = $(cli_cppflags)
%C%_check_values_LDADD = $(cli_ldadd)
%C%_check_values_SOURCES = %D%/check_values.c \
	tools/lib/args.c \
	tools/lib/cli.c \
	tools/values/compare.c \
	tools/lib/help.c \
	tools/values/random.c \
	tools/lib/text.c $(text_sources) \
	tools/values/value.c

unit_tests += %D%/check_verdict
%C%_check_verdict_CPPFLAGS = $(cli_cppflags)
%C%_check_verdict_LDADD = $(cli_ldadd)
%C%_check_verdict_SOURCES = %D%/check_verdict.c \
	tools/lib/args.c \
	tools/bench/verdict.c \
	tools/lib/cli.c \
	tools/lib/help.c \
	tools/lib/text.c $(text_sources)

unit_tests += %D%/check_words
%C%_check_words_CPPFLAGS = $(cli_cppflags)
%C%_check_words_LDADD = $(cli_ldadd)
%C%_check_words_SOURCES = %D%/check_words.c \
	tools/lib/args.c \
	tools/lib/cli.c \
	tools/values/feed_args.c \
	tools/lib/help.c \
	tools/lib/json.c \
	tools/values/npy.c \
	tools/lib/text.c $(text_sources)

# prints the words that schemas have to list, for tests/cli/schemas.sh and `make update-schemas`
check_PROGRAMS += %D%/print_names
%C%_print_names_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_print_names_LDADD = runtime/libbackplane.la
%C%_print_names_SOURCES = %D%/print_names.c

cli_tests = \
	%D%/bench.sh \
	%D%/bind.sh \
	%D%/cache.sh \
	%D%/compile.sh \
	%D%/conform.sh \
	%D%/doctor.sh \
	%D%/exit_codes.sh \
	%D%/help.sh \
	%D%/install.sh \
	%D%/no_library.sh \
	%D%/npy.sh \
	%D%/writes.sh \
	%D%/operators.sh \
	%D%/optimize.sh \
	%D%/own_operators.sh \
	%D%/passes.sh \
	%D%/plan.sh \
	%D%/providers.sh \
	%D%/remove.sh \
	%D%/run.sh \
	%D%/schemas.sh \
	%D%/static.sh \
	%D%/tune.sh \
	%D%/verify.sh

dist_check_SCRIPTS += $(cli_tests)
EXTRA_DIST += %D%/lib.sh %D%/plugins.sh %D%/schemas.py
TESTS += $(cli_tests)
