# SPDX-License-Identifier: MIT
# tests/abi/ - headers alone as C and C++, layouts, exports.

check_PROGRAMS += %D%/layout
%C%_layout_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_layout_SOURCES = %D%/layout.c

dist_check_SCRIPTS += %D%/called.sh %D%/headers.sh %D%/exports.sh
TESTS += %D%/layout %D%/called.sh %D%/headers.sh %D%/exports.sh

check_PROGRAMS += %D%/skew
%C%_skew_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_skew_LDADD = runtime/libbackplane.la $(DL_LIBS)
%C%_skew_SOURCES = %D%/skew.c

dist_check_SCRIPTS += %D%/abidiff.sh %D%/abidiff_api.sh %D%/skew.sh %D%/slots.sh
EXTRA_DIST += %D%/anchor.c %D%/api.baseline %D%/api_anchor.awk %D%/flatten.awk
TESTS += %D%/abidiff.sh %D%/abidiff_api.sh %D%/skew.sh %D%/slots.sh

# What abidiff_api.sh compares backplane.h with, until there is a release.
update-api-baseline:
	awk -f $(srcdir)/tests/abi/flatten.awk $(srcdir)/sdk/bp/abi.h $(srcdir)/sdk/backplane.h \
	    $(srcdir)/sdk/backplane_operators.h >$(srcdir)/tests/abi/api.baseline
.PHONY: update-api-baseline

# Plug-ins and hosts of earlier drafts; see museum/README.md.
check_PROGRAMS += %D%/museum_host
%C%_museum_host_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_museum_host_LDADD = runtime/libbackplane.la $(DL_LIBS)
%C%_museum_host_SOURCES = %D%/museum.c
dist_check_SCRIPTS += %D%/museum.sh
EXTRA_DIST += \
	%D%/museum/README.md \
	%D%/museum/draft2/bp/abi.h \
	%D%/museum/draft2/bp/note.h \
	%D%/museum/draft2/bp/sdk.h \
	%D%/museum/draft2/provider.c \
	%D%/museum/host.c
TESTS += %D%/museum.sh

# The skew matrix, with its figures.
skew: all $(check_LTLIBRARIES) tests/abi/skew
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/abi/skew.sh
.PHONY: skew
