#!/bin/sh
# SPDX-License-Identifier: MIT
# called.sh - tests that are about every function of backplane.h call every function: a new one is missing
# there until it is added.

set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# Declarations of the headers, one a line: comments left out, from BP_API to the semicolon.
# shellcheck disable=SC2016 # a program of awk
cat "$BP_SRCDIR"/sdk/backplane.h "$BP_SRCDIR"/sdk/backplane_operators.h | awk '
    { gsub(/\/\*[^*]*\*\//, "") }
    /\/\*/ { in_comment = 1 }
    in_comment { if (/\*\//) in_comment = 0; next }
    /^BP_API/ { held = "" ; is_open = 1 }
    is_open { held = held " " $0 }
    is_open && /;/ { print held; is_open = 0 }' >"$dir/all"

# takes WORD: names of the functions whose declaration has it.
takes()
{
    grep -F -- "$1" "$dir/all" | sed 's/^[^(]*[ *]\(bp_[a-z0-9_]*\)(.*/\1/' | LC_ALL=C sort -u
}

# compare WHAT: $dir/want has names of functions, $dir/got those that are called.
compare()
{
    comm -23 "$dir/want" "$dir/got" >"$dir/missing"
    [ -s "$dir/missing" ] || return
    sed "s|^|FAIL: $1: |" "$dir/missing" >&2
    failed=1
}

takes 'bp_err *err' >"$dir/want"
[ "$(wc -l <"$dir/want")" -gt 80 ] || {
    echo "FAIL: this test finds only $(wc -l <"$dir/want") functions with a bp_err" >&2
    failed=1
}
codes=$BP_SRCDIR/tests/unit/session/check_codes.c
for how in OK BAD; do
    sed -n "s/^ *$how(\(bp_[a-z0-9_]*\),.*/\1/p" "$codes" | LC_ALL=C sort -u >"$dir/got"
    compare "check_codes.c has no $how() of"
done
exit $failed
