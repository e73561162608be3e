#!/bin/sh
# SPDX-License-Identifier: MIT
# onnx_new.sh - ONNX operator tests that are newer than Debian's, from $BACKPLANE_ONNX_TESTS: a folder
# of them, or an archive of one.
set -eu

tests=${BACKPLANE_ONNX_TESTS:-}
least=777

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $tests in
'')
    echo "skipped: BACKPLANE_ONNX_TESTS names no folder or archive of tests"
    exit 77
    ;;
*.tar.*)
    tar -xf "$tests" -C "$work"
    tests=$work
    ;;
esac

status=0
"$BP_BUILDDIR/tools/backplane" conform --expect "$BP_SRCDIR/tests/conformance/onnx_new.expect" \
    "$tests" >"$work/out" 2>"$work/err" || status=1
grep -E '^(FAIL|known)' "$work/out" || true
tail -n 1 "$work/out"
passed=$(grep -c '^ok ' "$work/out" || true)
if [ "$passed" -lt "$least" ]; then
    echo "FAILED: $least were as expected before"
    head -n 20 "$work/err"
    status=1
fi
exit "$status"
