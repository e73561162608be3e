#!/bin/sh
# SPDX-License-Identifier: MIT
# abidiff.sh - does libabigail see a change of the ABI that tests/abi/layout.c holds still? Compares the
# header with a copy whose provider table had two slots swapped, and with itself: the first must be
# told, the second not. With BP_ABI_BASE, a folder that has bp/abi.h of a release, compares with that too.

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
if abidiff "$dir/now.so" "$dir/swapped.so" >"$dir/out"; then
    echo "FAIL: abidiff does not see that slots moved, so it is blind here" >&2
    failed=1
fi
if [ -n "${BP_ABI_BASE:-}" ]; then
    anchor base "$BP_ABI_BASE"
    abidiff "$dir/base.so" "$dir/now.so" || failed=1
fi
exit $failed
