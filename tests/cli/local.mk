# SPDX-License-Identifier: MIT
# tests/cli/ - does the command-line program do what its man page says?

cli_cppflags = $(unit_cppflags) -I$(srcdir)/tools
cli_ldadd = runtime/libbackplane.la $(CHECK_LIBS) $(MATH_LIBS)

unit_tests += %D%/check_values
%C%_check_values_CPPFLAGS = $(cli_cppflags)
%C%_check_values_LDADD = $(cli_ldadd)
%C%_check_values_SOURCES = %D%/check_values.c \
	tools/args.c \
	tools/cli.c \
	tools/compare.c \
	tools/help.c \
	tools/random.c \
	tools/text.c \
	tools/value.c

unit_tests += %D%/check_verdict
%C%_check_verdict_CPPFLAGS = $(cli_cppflags)
%C%_check_verdict_LDADD = $(cli_ldadd)
%C%_check_verdict_SOURCES = %D%/check_verdict.c \
	tools/args.c \
	tools/bench_verdict.c \
	tools/cli.c \
	tools/help.c \
	tools/text.c

unit_tests += %D%/check_words
%C%_check_words_CPPFLAGS = $(cli_cppflags)
%C%_check_words_LDADD = $(cli_ldadd)
%C%_check_words_SOURCES = %D%/check_words.c \
	tools/args.c \
	tools/cli.c \
	tools/feed_args.c \
	tools/help.c \
	tools/json.c \
	tools/npy.c \
	tools/text.c

cli_tests = \
	%D%/bench.sh \
	%D%/bind.sh \
	%D%/conform.sh \
	%D%/doctor.sh \
	%D%/exit_codes.sh \
	%D%/help.sh \
	%D%/no_library.sh \
	%D%/npy.sh \
	%D%/operators.sh \
	%D%/optimize.sh \
	%D%/plan.sh \
	%D%/providers.sh \
	%D%/run.sh \
	%D%/static.sh

dist_check_SCRIPTS += $(cli_tests)
EXTRA_DIST += %D%/lib.sh
TESTS += $(cli_tests)
