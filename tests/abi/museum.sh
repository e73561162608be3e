#!/bin/sh
# SPDX-License-Identifier: MIT
# museum.sh - plug-ins of earlier drafts on this host, and hosts of earlier drafts with plug-ins of all.
# Each draft stands in museum/ with the headers that it was published with, which nobody edits.

set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
museum=$BP_SRCDIR/tests/abi/museum

# plug-in NAME HEADERS SOURCE
plugin()
{
    # shellcheck disable=SC2086
    $CC -std=c11 -O1 -fPIC -fvisibility=hidden -w -I"$2" "$3" -o "$dir/libbp-$1.so" -shared \
        -Wl,-Bsymbolic -Wl,-z,now -Wl,-z,defs -Wl,-z,noexecstack || {
        echo "FAIL: the plug-in of $1 does not compile" >&2
        exit 1
    }
}

# expect STATUS WHAT COMMAND...
expect()
{
    want=$1
    what=$2
    shift 2
    "$@" >"$dir/out" 2>&1
    code=$?
    case $code in
    0) became=runs ;;
    2) became="is refused: $(cat "$dir/out")" ;;
    *) became="goes wrong ($code): $(cat "$dir/out")" ;;
    esac
    echo "$what: $became"
    [ "$code" = "$want" ] || {
        echo "FAIL: $what should end with $want, not $code" >&2
        failed=1
    }
}

sed 's/@NAME@/present/g; s/@ID@/org.backplane.museum.present/g' \
    "$BP_SRCDIR/sdk/template/c/provider.c" >"$dir/present.c"
plugin present "$BP_SRCDIR/sdk" "$dir/present.c"
drafts=
for draft in "$museum"/draft*; do
    name=$(basename "$draft")
    drafts="$drafts $name"
    plugin "$name" "$draft" "$draft/provider.c"
    # shellcheck disable=SC2086
    $CC -std=c11 -O1 -w -I"$draft" "$museum/host.c" -o "$dir/host-$name" -ldl || exit 1
done
# shellcheck disable=SC2086
$CC -std=c11 -O1 -Wall -Wextra -Werror -I"$BP_SRCDIR/sdk" "$museum/host.c" -o "$dir/host-present" -ldl ||
    exit 1

present=$BP_BUILDDIR/tests/abi/museum_host
for name in $drafts present; do
    expect 0 "this host, plug-in of $name, linked in" "$present" linked "$dir/libbp-$name.so"
    for host in $drafts present; do
        expect 0 "smallest host of $host, plug-in of $name" "$dir/host-$host" "$dir/libbp-$name.so"
    done
done

# As files: draft 1 is from before the manifest, without which no file is opened.
expect 2 "this host, plug-in of draft1, a file" "$present" file "$dir/libbp-draft1.so"
grep -q 'manifest' "$dir/out" || {
    echo "FAIL: the refusal does not name the manifest" >&2
    failed=1
}
expect 0 "this host, plug-in of draft2, a file" "$present" file "$dir/libbp-draft2.so"
exit $failed
