#!/bin/sh
# SPDX-License-Identifier: MIT
# museum.sh - runs plug-ins of earlier drafts on this host, and hosts of earlier drafts with plug-ins of all
# versions. museum/ holds each draft with the headers that it was published with; they are never edited.

set -u
. "$BP_SRCDIR/tests/built.sh"
needs_built tests/abi/museum_host
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
for draft in "$museum"/*/; do
    draft=${draft%/}
    name=$(basename "$draft")
    drafts="$drafts $name"
    plugin "$name" "$draft" "$draft/provider.c"
    # shellcheck disable=SC2086
    $CC -std=c11 -O1 -w -I"$draft" "$museum/host.c" -o "$dir/host-$name" -ldl || exit 1
done
# shellcheck disable=SC2086
$CC -std=c11 -O1 -Wall -Wextra -Werror -I"$BP_SRCDIR/sdk" "$museum/host.c" -o "$dir/host-present" -ldl ||
    exit 1

# Which versions have today's magic: those run here, the others are refused.
magic()
{
    sed -n 's/^#define BP_MAGIC \(0x[0-9a-f]*\).*/\1/p' "$1/bp/abi.h"
}
today=$(magic "$BP_SRCDIR/sdk")

# refused_unless_same MAGIC MAGIC: the status that a pair has to end with.
refused_unless_same()
{
    if [ "$1" = "$2" ]; then echo 0; else echo 2; fi
}

present=$BP_BUILDDIR/tests/abi/museum_host
for name in $drafts present; do
    plugin_magic=$today
    [ "$name" = present ] || plugin_magic=$(magic "$museum/$name")
    want=$(refused_unless_same "$plugin_magic" "$today")
    for way in linked file; do
        expect "$want" "this host, plug-in of $name, $way" "$present" $way "$dir/libbp-$name.so"
        [ "$want" = 0 ] || grep -q "magic.*$today" "$dir/out" || {
            echo "FAIL: the refusal does not name the magic" >&2
            failed=1
        }
    done
    for host in $drafts present; do
        host_magic=$today
        [ "$host" = present ] || host_magic=$(magic "$museum/$host")
        expect "$(refused_unless_same "$plugin_magic" "$host_magic")" \
            "smallest host of $host, plug-in of $name" "$dir/host-$host" "$dir/libbp-$name.so"
    done
done
exit $failed
