# SPDX-License-Identifier: MIT
# tests/docs/ - are the man pages what the headers say?

dist_check_SCRIPTS += %D%/manual.sh
TESTS += %D%/manual.sh
EXTRA_DIST += %D%/manual.py
