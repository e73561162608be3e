# SPDX-License-Identifier: MIT
# tests/style/ - does the tree keep its structure, its words, its format, its commits? For checkouts of git, so
# `make check` leaves it to `make check-style`, which CI runs.

style_tests = \
	%D%/commits.sh \
	%D%/format.sh \
	%D%/links.sh \
	%D%/planted.sh \
	%D%/structure.sh
dist_check_SCRIPTS += $(style_tests)

EXTRA_DIST += \
	%D%/commits_since \
	%D%/layers.txt \
	%D%/structure.py \
	%D%/unformatted \
	%D%/words.txt

check-style: all
	@$(MAKE) check TESTS='$(style_tests)' check_PROGRAMS= check_LTLIBRARIES=
.PHONY: check-style

# Writes all C as clang-format does.
format:
	@cd $(srcdir) && git ls-files -z '*.c' '*.h' '*.inc' '*.cc' '*.hpp' | grep -zvf tests/style/unformatted | \
	    xargs -0 $${CLANG_FORMAT:-clang-format-14} -i
.PHONY: format
