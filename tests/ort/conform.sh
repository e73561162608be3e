#!/bin/sh
# SPDX-License-Identifier: MIT
# conform.sh - each of ONNX's tests has the same result through the C ABI of ONNX Runtime as through
# backplane.h. Debian's libonnx-testdata, and newer tests from $BACKPLANE_ONNX_TESTS.
set -eu
. "$BP_SRCDIR/tests/built.sh"
needs_built tests/ort/conform/conform

data=/usr/share/libonnx-testdata/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# "ok node/test_abs": one a test, without those that expectations say are drawn at random ("~name").
verdicts()
{
    awk -v expect="$1" '
        BEGIN {
            while ((getline line < expect) > 0) {
                if (sub(/^~/, "", line)) {
                    sub(/ .*/, "", line)
                    gsub(/\*/, ".*", line)
                    random[line] = 1
                }
            }
        }
        /^(ok|FAIL|known|skip) / {
            name = $2
            sub(/:$/, "", name)
            for (pattern in random)
                if (name ~ "(^|/)" pattern "$")
                    next
            print $1, name
        }'
}

# same TITLE EXPECT LEAST DIR...
same()
{
    title=$1 expect=$BP_SRCDIR/tests/conformance/$2 least=$3
    shift 3
    "$BP_BUILDDIR/tools/backplane" conform --expect "$expect" "$@" >"$work/host" || true
    "$BP_BUILDDIR/tests/ort/conform/conform" --expect "$expect" "$@" >"$work/face" || true
    verdicts "$expect" <"$work/host" >"$work/host.verdicts"
    verdicts "$expect" <"$work/face" >"$work/face.verdicts"
    count=$(wc -l <"$work/face.verdicts")
    echo "$title: $count verdicts through OrtApi; in all $(tail -n 1 "$work/face")"
    if [ "$count" -lt "$least" ]; then
        echo "FAILED: there are $least tests at least"
        status=1
    fi
    if ! diff "$work/host.verdicts" "$work/face.verdicts" >"$work/diff"; then
        echo "FAILED: < through backplane.h, > through OrtApi"
        cat "$work/diff"
        grep '^FAIL' "$work/face" || true
        status=1
    fi
}

tests=${BACKPLANE_ONNX_TESTS:-}
if [ ! -d "$data/node" ] && [ -z "$tests" ]; then
    echo "skipped: there is no libonnx-testdata, and BACKPLANE_ONNX_TESTS names no tests"
    exit 77
fi
if [ -d "$data/node" ]; then
    same "Debian's libonnx-testdata" onnx.expect 1060 "$data"/node "$data"/simple "$data"/pytorch-*
fi
case $tests in
*.tar.*)
    mkdir "$work/new"
    tar -xf "$tests" -C "$work/new"
    tests=$work/new
    ;;
esac
# with sanitizers the newer ones take minutes, and have run on the host below this face
case $("$BP_BUILDDIR/config.status" --config 2>/dev/null) in
*"--enable-sanitizers"*) tests= ;;
esac
[ -z "$tests" ] || same "newer tests" onnx_new.expect 770 "$tests"
exit $status
