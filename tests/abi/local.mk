# SPDX-License-Identifier: MIT
# tests/abi/ - headers alone as C and C++, layouts, exports.

check_PROGRAMS += %D%/layout
%C%_layout_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_layout_SOURCES = %D%/layout.c

dist_check_SCRIPTS += %D%/headers.sh %D%/exports.sh
TESTS += %D%/layout %D%/headers.sh %D%/exports.sh
