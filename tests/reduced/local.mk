# SPDX-License-Identifier: MIT
# tests/reduced/ - builds that have only some operators (./configure --with-operators).

reduced_tests = %D%/select.sh
TESTS += $(reduced_tests)
dist_check_SCRIPTS += $(reduced_tests) %D%/build.sh

# It configures and builds a tree of its own, so `make check` does not.
check-reduced: all
	@$(MAKE) check TESTS=%D%/build.sh check_PROGRAMS= check_LTLIBRARIES=
.PHONY: check-reduced

EXTRA_DIST += %D%/bert.config %D%/mnist.config %D%/mobilenetv2.config
