# SPDX-License-Identifier: MIT
# tests/cxx/ - applications in C++. What needs its compiler is compiled by the test, which is skipped without.

dist_check_SCRIPTS += %D%/cmake.sh %D%/throws.sh %D%/wrapper.sh
EXTRA_DIST += \
	%D%/guarded.cc \
	%D%/lib.sh \
	%D%/throws.h \
	%D%/throws_host.cc \
	%D%/throws_ort.cc \
	%D%/wrapper.cc
TESTS += %D%/cmake.sh %D%/throws.sh %D%/wrapper.sh
