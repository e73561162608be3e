#!/bin/sh
# SPDX-License-Identifier: MIT
# broken.sh - each fault of a plug-in is caught by the test of the kit that is there for it. broken.c is
# built once for each test.

set -u
check=$BP_BUILDDIR/tools/backplane-check
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
count=0
case "$(cat "$BP_BUILDDIR/config.log" 2>/dev/null)" in
*"--enable-sanitizers"*)
    echo "skipped: plug-ins here would need the sanitizers' libraries and hide their faults"
    exit 77
    ;;
esac

# build FAULT FLAG...
build()
{
    fault=$1
    shift
    # shellcheck disable=SC2086
    $CC -std=c11 -D_GNU_SOURCE -O1 -fPIC -fvisibility=hidden -w -DBREAK="$fault" \
        -I"$BP_SRCDIR/sdk" "$BP_SRCDIR/tests/kit/broken.c" -o "$dir/$fault.so" -shared \
        -Wl,-z,defs "$@" -lm || {
        echo "FAIL: broken.c does not compile with BREAK=$fault" >&2
        exit 1
    }
}

# As build, for faults of a provider with memory of its own.
build_device()
{
    fault=$1
    shift
    # shellcheck disable=SC2086
    $CC -std=c11 -D_GNU_SOURCE -O1 -fPIC -fvisibility=hidden -w -DBREAK="$fault" \
        -I"$BP_SRCDIR/sdk" "$BP_SRCDIR/tests/kit/broken_device.c" \
        "$BP_SRCDIR/tests/mock/gizmo_group.c" "$BP_BUILDDIR/sdk/libbp-sim.a" \
        -o "$dir/$fault.so" -shared -Wl,-z,defs "$@" -pthread || {
        echo "FAIL: broken_device.c does not compile with BREAK=$fault" >&2
        exit 1
    }
}

# catches ID LEVEL FLAG...: the plug-in that has the fault is found out by BPK-ID, with that exit level. Where a
# test has more than one fault to find, ID has a word behind: DEVICE-02-SIZE.
catches()
{
    fault=$(echo "$1" | tr - _)
    id=$(echo "$1" | sed 's/\([0-9]\)-.*/\1/')
    level=$2
    shift 2
    seconds=60 # for a fault that hangs; few do
    case $fault in
    DEVICE_05_FOREVER | DEVICE_10_LIMIT) seconds=3 ;;
    esac
    case $id in
    DEVICE-* | RUN-10 | LIFE-09 | LIFE-10) build_device "$fault" "$@" ;;
    *) build "$fault" "$@" ;;
    esac
    "$check" --quiet --fuzz 1 --timeout $seconds --only "BPK-$id" "$dir/$fault.so" >"$dir/out" 2>&1
    code=$?
    count=$((count + 1))
    if ! grep -q "^\(fail\|warn\|died\|timeout\) *BPK-$id " "$dir/out"; then
        echo "FAIL: BPK-$id does not catch its fault $fault:" >&2
        cat "$dir/out" >&2
        failed=1
    elif [ "$code" != "$level" ]; then
        echo "FAIL: $id: exit level $code, not $level" >&2
        failed=1
    fi
    rm -f "$dir/$fault.so"
}

map=-Wl,--version-script=$BP_SRCDIR/sdk/provider.map
now="-Wl,-z,now -Wl,-Bsymbolic"

build NOTHING "$map" -Wl,-z,now
if ! "$check" --quiet "$dir/NOTHING.so"; then
    echo "FAIL: broken.c without a fault is not conformant" >&2
    exit 1
fi

build_device NOTHING "$map" -Wl,-z,now
if ! "$check" --quiet "$dir/NOTHING.so"; then
    echo "FAIL: broken_device.c without a fault is not conformant" >&2
    exit 1
fi
"$check" --only DEVICE "$dir/NOTHING.so" >"$dir/out"
if grep '^skip' "$dir/out"; then
    echo "FAIL: a test of devices is skipped for a device with all that they need" >&2
    exit 1
fi
build NOTHING "$map" -Wl,-z,now
if ! "$check" --quiet --fuzz 1 --only FUZZ "$dir/NOTHING.so"; then
    echo "FAIL: unusual inputs find a fault where there is none" >&2
    exit 1
fi

# faults of linking
catches FILE-01 2 "$map" $now
catches FILE-02 1 $now
catches FILE-03 1 "$map" $now -Wl,-rpath,lib
catches FILE-04 3 "$map" -Wl,-z,lazy
catches FILE-05 1 "$map" $now -Wl,-z,execstack
printf '{ global: bp_provider_entry_v1; shared_by_all; local: *; };\n' >"$dir/unique.map"
catches FILE-06 1 -Wl,--version-script="$dir/unique.map" $now -DHAS_UNIQUE
catches FILE-07 1 "$map" $now -DHAS_HOST_CALL
catches FILE-08 1 "$map" $now -DHAS_NO_NOTE
for manifest in 'name=broken\nversion=0.1.0' \
    'id=org.backplane.other\nname=broken\nversion=0.1.0' \
    'id=org.backplane.broken\nname=other\nversion=0.1.0' \
    'id=org.backplane.broken\nname=broken\nversion=0.2' \
    'abi=1.9\nid=org.backplane.broken\nname=broken\nversion=0.1.0' \
    'needs_host=9.9\nid=org.backplane.broken\nname=broken\nversion=0.1.0'; do
    catches FILE-08 1 "$map" $now "-DMANIFEST=\"$manifest\""
done
catches LIFE-08 1 "$map" $now -Wl,-z,nodelete
catches DOCS-02 3 "$map" $now

# all the others, as the kit lists them
"$check" --fuzz 1 --list >"$dir/list"
for id in $(sed -n 's/^BPK-\([A-Z]*-[0-9]*\) .*/\1/p' "$dir/list"); do
    # Faults that need more operators than broken.c has are in tests/mock/planted.c, for planted.sh.
    if ! grep -q "^    $(echo "$id" | tr - _)\(,\|$\)" "$BP_SRCDIR/tests/kit/broken.c" \
        "$BP_SRCDIR/tests/kit/broken_device.c"; then
        grep -q " BPK-$id\$" "$BP_SRCDIR/tests/kit/planted.txt" || {
            echo "FAIL: there is no fault for BPK-$id to find" >&2
            failed=1
        }
        continue
    fi
    case $id in
    FILE-* | LIFE-08 | DOCS-02) continue ;;
    RUN-01 | LIFE-06)
        if "$check" --only "BPK-$id" "$dir/NOTHING.so" | grep -q 'in this build'; then
            echo "BPK-$id: not tested here: allocations cannot be watched"
            continue
        fi
        ;;
    esac
    for fault in $(sed -n "s/^    \($(echo "$id" | tr - _)[A-Z_]*\)\(,.*\|\)\$/\1/p" \
        "$BP_SRCDIR/tests/kit/broken.c" "$BP_SRCDIR/tests/kit/broken_device.c"); do
        catches "$(echo "$fault" | tr _ -)" 1 "$map" $now
    done
done

echo "$count faults, each caught by its own test"
[ "$count" -ge 80 ] || {
    echo "FAIL: only $count faults were tried" >&2
    failed=1
}
exit $failed
