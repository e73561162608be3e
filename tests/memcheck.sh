#!/bin/sh
# SPDX-License-Identifier: MIT
# memcheck.sh - one unit test under valgrind, for `make memcheck`: prints PASS, SKIP or FAIL.
set -u

log=$(mktemp)
trap 'rm -f "$log"' EXIT
export CK_FORK=no
BP_SOAK_RUNS=${BP_SOAK_RUNS:-300} # of check_soak; a hundred times slower here
export BP_SOAK_RUNS

./libtool --quiet --mode=execute "$VALGRIND" --quiet --error-exitcode=99 \
    --leak-check=full --errors-for-leak-kinds=definite,indirect \
    --suppressions="$BP_SRCDIR/tests/memcheck.supp" "./$1" >"$log" 2>&1
case $? in
0) echo "PASS: $1 (memcheck)" ;;
77) echo "SKIP: $1 (memcheck)" ;;
*)
    cat "$log"
    echo "FAIL: $1 (memcheck)"
    exit 1
    ;;
esac
