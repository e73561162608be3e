# SPDX-License-Identifier: MIT
# tests/docs/ - are the man pages what the headers say, and is everything installed?

dist_check_SCRIPTS += %D%/installed.sh %D%/manual.sh
TESTS += %D%/installed.sh %D%/manual.sh
EXTRA_DIST += %D%/manual.py
