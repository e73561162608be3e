# SPDX-License-Identifier: MIT
# tests/abi/ - headers alone as C and C++, layouts, exports.

check_PROGRAMS += %D%/layout
%C%_layout_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_layout_SOURCES = %D%/layout.c

dist_check_SCRIPTS += %D%/headers.sh %D%/exports.sh
TESTS += %D%/layout %D%/headers.sh %D%/exports.sh

check_PROGRAMS += %D%/skew
%C%_skew_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_skew_LDADD = runtime/libbackplane.la $(DL_LIBS)
%C%_skew_SOURCES = %D%/skew.c

dist_check_SCRIPTS += %D%/abidiff.sh %D%/skew.sh
EXTRA_DIST += %D%/anchor.c
TESTS += %D%/abidiff.sh %D%/skew.sh

# The skew matrix, with its figures.
skew: all $(check_LTLIBRARIES) tests/abi/skew
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/abi/skew.sh
.PHONY: skew
