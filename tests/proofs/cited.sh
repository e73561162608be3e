#!/bin/sh
# SPDX-License-Identifier: MIT
# cited.sh - each test that docs/proofs.md names for a promise exists and its file cites the promise; each
# promise is in the table once.
set -u
table=$BP_SRCDIR/docs/proofs.md
failed=0
n=0

wrong()
{
    echo "FAILED: docs/proofs.md: $*" >&2
    failed=1
}

# check ID FILE[:NAME]
check()
{
    file=$BP_SRCDIR/tests/${2%%:*}
    name=${2#*:}
    n=$((n + 1))
    if [ ! -f "$file" ]; then
        wrong "$1: there is no tests/${2%%:*}"
    elif ! grep -qE "(^|[^A-Za-z0-9-])$1([^0-9]|\$)" "$file"; then
        wrong "$1: tests/${2%%:*} does not cite it"
    elif [ "$name" != "$2" ] && ! grep -q "^START_TEST($name)" "$file"; then
        wrong "$1: tests/${2%%:*} has no test '$name'"
    elif [ "$name" != "$2" ] && ! grep -q "tcase_add.*, $name[,)]" "$file"; then
        wrong "$1: tests/${2%%:*} does not run '$name'"
    fi
}

for id in P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 D-01 D-02 D-03 D-04 D-05 D-06 D-07 D-08 D-09 D-10 \
    D-11 D-12 D-13 D-14 D-15 D-16; do
    row=$(grep "^| $id |" "$table")
    [ "$(printf '%s\n' "$row" | grep -c .)" = 1 ] || {
        wrong "$id has no row of its own"
        continue
    }
    tests=$(printf '%s\n' "$row" | cut -d'|' -f4)
    case $tests in
    *'not tested: '*) continue ;;
    esac
    [ -n "$(printf %s "$tests" | tr -d ' ')" ] || wrong "$id has no test"
    for test in $(printf %s "$tests" | tr -d '`'); do
        check "$id" "$test"
    done
done
[ "$failed" = 0 ] && echo "$n citations are right"
exit $failed
