#!/bin/sh
# SPDX-License-Identifier: MIT
# kit.sh - the conformance kit passes on the provider opencl, but for what PoCL does within the process: it
# allocates in each call, ends the process when it has no memory, may hang in its exit handlers, and fills caches
# in the first of many programs.
set -eu
. "$BP_SRCDIR/tests/opencl/lib.sh"
needs_device
case $("$BP_BUILDDIR/config.status" --config 2>/dev/null) in
*"--enable-sanitizers"*)
    echo "skipped: the kit runs without sanitizers; PoCL and LLVM are not built with one"
    exit 77
    ;;
esac

drivers='BPK-RUN-01 \|BPK-LIFE-06 \|BPK-LIFE-07 \|BPK-LIFE-09 \|BPK-LIFE-11 '
# check GROUP SECONDS: one group of tests; a test may compile a hundred programs
check()
{
    "$BP_BUILDDIR/tools/backplane-check" --only "$1" --timeout "$2" \
        "$BP_BUILDDIR/providers/libbp-opencl.so" >"$work/out.$1" 2>&1 || true
}

check LIFE 60 & # mostly waits for what PoCL does not do, while the others compute
for group in FILE ABI PROBE OPTIONS CAPABILITY NUMERICS WEIGHTS RUN CANCEL STATE PROCESS DEVICE SHAPES CACHE DOCS; do
    check "$group" 1200
done
wait
cat "$work"/out.* >"$work/out"
grep -E '^(warn|fail|died|timeout) ' "$work/out" | grep -v "$drivers" >"$work/faults" || true
[ ! -s "$work/faults" ] || failed "$(cat "$work/out")"
grep -q '^pass *BPK-DEVICE-01' "$work/out" || failed "tests of device memory do not run: $(cat "$work/out")"
grep -c '^pass' "$work/out"
exit $status
