#!/bin/sh
# SPDX-License-Identifier: MIT
# structure.sh - structure.py on this checkout and what was built of it.
set -u
cd "$BP_SRCDIR" || exit 99
git rev-parse --git-dir >/dev/null 2>&1 || {
    echo "skipped: no checkout of git: which files are the tree's is not known"
    exit 77
}
exec python3 tests/style/structure.py --objects "$BP_BUILDDIR" layers circles folders words
