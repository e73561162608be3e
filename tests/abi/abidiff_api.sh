#!/bin/sh
# SPDX-License-Identifier: MIT
# abidiff_api.sh - libabigail compares the ABI of backplane.h, for programs, with api.baseline; with each version
# in the museum that has one and today's magic; and with BP_ABI_BASE, a folder that has the headers of a release.
# docs/compatibility.md says what may change: functions and constants may be added, structs with struct_size
# may grow at their ends; nothing may move, go, or have another type or value. Copies of the header with one
# such fault each show that the comparison sees it.
#
# `make update-api-baseline` writes api.baseline anew: until 1.0, when a change that is not allowed afterwards
# is meant.

set -u
command -v abidiff >/dev/null || {
    echo "skipped: no abidiff here: install Debian's abigail-tools"
    exit 77
}
here=$BP_SRCDIR/tests/abi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

fault()
{
    echo "FAIL: $*" >&2
    failed=1
}

# flatten FOLDER: its headers as one, as api.baseline is.
flatten()
{
    awk -f "$here/flatten.awk" "$1/bp/abi.h" "$1/backplane.h" "$1/backplane_operators.h"
}

# c_file NAME WHAT: $dir/NAME.flat with what api_anchor.awk adds to it, in $dir/NAME.WHAT.c.
c_file()
{
    {
        printf '#include <stddef.h>\n#include <stdint.h>\n'
        cat "$dir/$1.flat"
        awk -v what="$2" -f "$here/api_anchor.awk" "$dir/$1.flat"
    } >"$dir/$1.$2.c"
}

# anchor NAME: from $dir/NAME.flat, $dir/NAME.so for abidiff and $dir/NAME.numbers.
anchor()
{
    c_file "$1" types && c_file "$1" numbers || exit 1
    # shellcheck disable=SC2086 # a command with options
    $CC -std=gnu11 -w -g -O0 -fPIC -shared "$dir/$1.types.c" -o "$dir/$1.so" || exit 1
    # shellcheck disable=SC2086
    $CC -std=gnu11 -w "$dir/$1.numbers.c" -o "$dir/$1.print" || exit 1
    "$dir/$1.print" | LC_ALL=C sort >"$dir/$1.numbers"
}

# is_kept NAME: programs that were compiled with that header run with today's library. $dir/out has all
# differences but additions.
is_kept()
{
    abidiff --harmless --no-added-syms "$dir/$1.so" "$dir/now.so" >"$dir/out"
    status=$?
    # a constant BP_X_END is the number of the others
    grep -v '_END = ' "$dir/$1.numbers" | LC_ALL=C comm -23 - "$dir/now.numbers" | sed 's/^/not any more: /' >"$dir/gone"
    cat "$dir/gone" >>"$dir/out"
    [ ! -s "$dir/gone" ] && [ $((status & 11)) = 0 ] && ! grep -qE \
        "offset changed|deletion|[1-9][0-9]* Removed|changed from '?[a-z]|was (added|removed)|name of '" "$dir/out"
}

# sees WHAT EDIT WORDS: a program of the header that EDIT, a script of sed, makes from today's would not run with
# today's, and the words say so.
sees()
{
    sed "$2" "$dir/now.flat" >"$dir/other.flat"
    cmp -s "$dir/now.flat" "$dir/other.flat" && fault "the edit for '$1' changes nothing"
    anchor other
    is_kept other && fault "abidiff does not see $1, so it is blind here"
    grep -q "$3" "$dir/out" && return
    cat "$dir/out" >&2
    fault "the words about $1 have no '$3'"
}

flatten "$BP_SRCDIR/sdk" >"$dir/now.flat" || exit 1
anchor now
[ "$(grep -c '^__typeof__' "$dir/now.types.c")" -gt 150 ] || fault "this test finds few functions in backplane.h"
[ "$(wc -l <"$dir/now.numbers")" -gt 200 ] || fault "this test finds few constants in the headers"
cp "$dir/now.flat" "$dir/same.flat"
anchor same
is_kept same || fault "abidiff tells a header from itself"
sees 'a function that went' 's/^BP_API uint32_t bp_env_threads/BP_API void bp_gone(void);\n&/' bp_gone
sees 'another type of a parameter' 's/bp_profile_create(uint32_t capacity/bp_profile_create(uint64_t capacity/' \
    bp_profile_create
sees 'a parameter less' 's/bp_profile_create(uint32_t capacity/bp_profile_create(int more, uint32_t capacity/' \
    bp_profile_create
sees 'another type of a result' 's/^BP_API uint32_t bp_env_threads/BP_API int64_t bp_env_threads/' bp_env_threads
sees 'a member that moved' 's/^    bp_profile \*profile;/    uint64_t odd;\n&/' odd
sees 'a member that went' 's/^} bp_session_stats;/    uint64_t odd;\n&/' odd
sees 'another name of a member' 's/^    uint64_t create_ns;/    uint64_t odd;/' odd
sees 'a struct without struct_size that grew' 's/^    bp_object \*object;/    int64_t object;\n    int64_t odd;/' \
    'size of bp_binding'
sees 'a constant with another value' 's/^    BP_KIND_MAP = 3/    BP_KIND_MAP = 33/' 'BP_KIND_MAP = 33'
sees 'a constant that went' 's/^    BP_KIND_MAP = 3,/&\n    BP_KIND_ODD = 33,/' BP_KIND_ODD
# what may change: functions, constants and members at the end that were not there
sed '/^BP_API bp_rc bp_session_trim/d; /^    uint64_t host_waits;/d; /^    BP_KIND_SPARSE = /d; s/BP_KIND_END = 5/BP_KIND_END = 4/' \
    "$dir/now.flat" >"$dir/older.flat"
cmp -s "$dir/now.flat" "$dir/older.flat" && fault "the edit for what may change changes nothing"
anchor older
is_kept older || {
    cat "$dir/out" >&2
    fault "what may change is refused"
}

# check NAME: $dir/NAME.flat is of a version whose programs must run.
check()
{
    anchor "$1"
    if is_kept "$1"; then
        echo "since $1: nothing of backplane.h moved, went or changed"
    else
        cat "$dir/out" >&2
        fault "backplane.h is not what programs of $1 were compiled with"
    fi
}

cp "$here/api.baseline" "$dir/api.baseline.flat" && check api.baseline
today=$(grep '^#define BP_MAGIC ' "$BP_SRCDIR/sdk/bp/abi.h")
for base in "$here"/museum/*/ ${BP_ABI_BASE:+"$BP_ABI_BASE"}; do
    [ -f "$base/backplane.h" ] && grep -qF "${today%%/\**}" "$base/bp/abi.h" || continue
    name=$(basename "$base")
    flatten "$base" >"$dir/$name.flat" && check "$name"
done
[ $failed = 0 ] || echo 'before 1.0, a change that is meant: make update-api-baseline' >&2
exit $failed
