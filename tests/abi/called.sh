#!/bin/sh
# SPDX-License-Identifier: MIT
# called.sh - tests that are about every function of backplane.h call every function: a new one is missing
# there until it is added.

set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# Declarations of the headers, one a line, from BP_API to the semicolon, after their rule: "any" where the
# comment before them, up to the next one or an empty line, has "[any thread". A comment may break it.
# shellcheck disable=SC2016 # a program of awk
cat "$BP_SRCDIR"/sdk/backplane.h "$BP_SRCDIR"/sdk/backplane_operators.h | awk '
    function read_rule() { gsub(/\n \*/, "", said); rule = said ~ /\[any thread/ ? "any" : "one" }
    in_comment { said = said "\n" $0; if (/\*\//) { in_comment = 0; read_rule() } next }
    /^\/\*/ { said = $0; if (/\*\//) read_rule(); else in_comment = 1; next }
    /^$/ { rule = "one" }
    /^BP_API/ { held = rule; is_open = 1 }
    is_open { held = held " " $0 }
    is_open && /;/ {
        if (/;.*\/\*/) sub(/^[a-z]*/, /\[any thread/ ? "any" : "one", held) # a rule of its own
        print held
        is_open = 0
    }' >"$dir/all"

# takes PATTERN: names of the functions whose line has it.
takes()
{
    grep -e "$1" "$dir/all" | sed 's/^[^(]*[ *]\(bp_[a-z0-9_]*\)(.*/\1/' | LC_ALL=C sort -u
}

# is_many N WHAT: $dir/want has more than N names; else the headers are read wrongly.
is_many()
{
    [ "$(wc -l <"$dir/want")" -gt "$1" ] && return
    echo "FAIL: this test finds only $(wc -l <"$dir/want") functions $2" >&2
    failed=1
}

# compare WHAT: $dir/want has names of functions, $dir/got those that are called.
compare()
{
    comm -23 "$dir/want" "$dir/got" >"$dir/missing"
    [ -s "$dir/missing" ] || return
    sed "s|^|FAIL: $1: |" "$dir/missing" >&2
    failed=1
}

takes 'bp_err \*err' >"$dir/want"
is_many 80 'with a bp_err'
codes=$BP_SRCDIR/tests/unit/session/check_codes.c
for how in OK BAD; do
    sed -n "s/^ *$how(\(bp_[a-z0-9_]*\),.*/\1/p" "$codes" | LC_ALL=C sort -u >"$dir/got"
    compare "check_codes.c has no $how() of"
done

takes '^any ' >"$dir/want"
is_many 90 'that any thread may call'
# what the threads of these two tests call stands between their lines "in threads"
for test in host/check_env_threads.c session/check_session_threads.c; do
    sed -n '/ in threads ---/,/ outside threads ---/p' "$BP_SRCDIR/tests/unit/$test"
done | grep -o 'bp_[a-z0-9_]*(' | tr -d '(' | LC_ALL=C sort -u >"$dir/got"
compare 'neither check_env_threads.c nor check_session_threads.c calls in threads'
exit $failed
