#!/bin/sh
# SPDX-License-Identifier: MIT
# kit.sh - the conformance kit passes on the provider opencl, but for what PoCL does within the process: it
# allocates in each call, ends the process when it has no memory, and may hang in its exit handlers.
set -eu
. "$BP_SRCDIR/tests/opencl/lib.sh"
needs_device
case $("$BP_BUILDDIR/config.status" --config 2>/dev/null) in
*"--enable-sanitizers"*)
    echo "skipped: the kit runs without sanitizers; PoCL and LLVM are not built with one"
    exit 77
    ;;
esac

drivers='BPK-RUN-01 \|BPK-LIFE-06 \|BPK-LIFE-07 \|BPK-LIFE-09 '
"$BP_BUILDDIR/tools/backplane-check" --timeout 120 "$BP_BUILDDIR/providers/libbp-opencl.so" >"$work/out" 2>&1 || true
grep -E '^(warn|fail|died|timeout) ' "$work/out" | grep -v "$drivers" >"$work/faults" || true
[ ! -s "$work/faults" ] || failed "$(cat "$work/out")"
grep -q '^pass *BPK-DEVICE-01' "$work/out" || failed "tests of device memory do not run: $(cat "$work/out")"
tail -n 2 "$work/out"
exit $status
