#!/bin/sh
# SPDX-License-Identifier: MIT
# abidiff.sh - libabigail compares the ABI of bp/abi.h: with itself (no difference), with a copy whose provider
# table has two slots swapped (a difference), with each version in the museum that has today's magic, and with
# BP_ABI_BASE, a folder that has bp/abi.h of a release. Tables may have grown at their ends; nothing may have
# moved or gone.

set -u
command -v abidiff >/dev/null || {
    echo "skipped: no abidiff here: install Debian's abigail-tools"
    exit 77
}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# anchor NAME INCLUDE-FOLDER: the anchor object over that header.
anchor()
{
    # shellcheck disable=SC2086
    $CC -std=c11 -g -O0 -fPIC -shared -I"$2" "$BP_SRCDIR/tests/abi/anchor.c" -o "$dir/$1.so" || exit 1
}

# is_grown NAME: no member that was in that header has moved, changed its size, or gone since.
is_grown()
{
    abidiff "$dir/$1.so" "$dir/now.so" >"$dir/out"
    [ $(($? & 11)) = 0 ] && ! grep -qE 'offset changed|deletion|[1-9][0-9]* Removed|(name|entity) changed from' "$dir/out"
}

anchor now "$BP_SRCDIR/sdk"
anchor same "$BP_SRCDIR/sdk"
abidiff "$dir/now.so" "$dir/same.so" >"$dir/out" || {
    cat "$dir/out" >&2
    echo "FAIL: abidiff tells a header from itself" >&2
    failed=1
}
mkdir -p "$dir/swapped/bp"
awk '/void \(\*program_free\)/ { held = $0; next } { print } held != "" && /frame_free/ { print held; held = "" }' \
    "$BP_SRCDIR/sdk/bp/abi.h" >"$dir/swapped/bp/abi.h"
anchor swapped "$dir/swapped"
if is_grown swapped; then
    echo "FAIL: abidiff does not see that slots moved, so it is blind here" >&2
    failed=1
fi
today=$(grep '^#define BP_MAGIC ' "$BP_SRCDIR/sdk/bp/abi.h")
for base in "$BP_SRCDIR"/tests/abi/museum/*/ ${BP_ABI_BASE:+"$BP_ABI_BASE"}; do
    name=$(basename "$base")
    grep -qF "${today%%/\**}" "$base/bp/abi.h" || continue
    anchor "$name" "$base"
    if is_grown "$name"; then
        echo "since $name: $(grep -c 'data member insertion' "$dir/out") tables grew, nothing moved"
    else
        cat "$dir/out" >&2
        echo "FAIL: the ABI is not what plug-ins of $name were compiled for" >&2
        failed=1
    fi
done
exit $failed
