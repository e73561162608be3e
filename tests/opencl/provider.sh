#!/bin/sh
# SPDX-License-Identifier: MIT
# provider.sh - opencl says what is missing where it has no device, lists those it has, runs, and keeps kernels
# in its cache.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh" # makes models
. "$BP_SRCDIR/tests/opencl/lib.sh"
needs_opencl

# ---- without a device: a sentence, and no error
mkdir "$work/empty" "$work/vendors"
OCL_ICD_VENDORS=$work/empty "$backplane" providers info opencl >"$work/out" 2>"$work/err" || true
grep -q '^state *not usable' "$work/out" || failed "usable without a driver: $(cat "$work/out")"
grep -q "^reason .*$work/empty has no .icd file" "$work/out" || failed "no reason: $(cat "$work/out")"
grep -q '^fix .*pocl-opencl-icd' "$work/out" || failed "no fix: $(cat "$work/out")"
echo libno-such-driver.so.1 >"$work/vendors/none.icd"
OCL_ICD_VENDORS=$work/vendors "$backplane" providers info opencl >"$work/out" 2>"$work/err" || true
grep -q "^reason .*none.icd names libno-such-driver.so.1" "$work/out" || failed "driver that is not there: $(cat "$work/out")"
[ ! -s "$work/err" ] || failed "something is printed: $(cat "$work/err")"

# ---- with one
needs_device
grep -q '^device *kind *id' "$work/info" || failed "no devices listed: $(cat "$work/info")"
make_model "$work/relu.onnx" Relu 1 2 3
"$backplane" plan "$work/relu.onnx" >"$work/out"
grep -q opencl "$work/out" && failed "it is used without being named"
"$backplane" run -p opencl,cpu --option "opencl:cache_dir=$work/cache" "$work/relu.onnx" >"$work/out" 2>&1 ||
    failed "Relu does not run: $(cat "$work/out")"
[ "$(find "$work/cache" -name 'opencl-*.bin' | wc -l)" = 1 ] || failed "no kernels in the cache: $(ls "$work/cache")"
before=$(cksum "$work"/cache/opencl-*.bin)
"$backplane" run -p opencl,cpu --option "opencl:cache_dir=$work/cache" "$work/relu.onnx" >/dev/null 2>&1 ||
    failed "Relu does not run from the cache"
[ "$(cksum "$work"/cache/opencl-*.bin)" = "$before" ] || failed "the cache was written again"
for file in "$work"/cache/opencl-*.bin; do
    head -c 100 "$file" >"$work/short" && cp "$work/short" "$file"
done
"$backplane" run -p opencl,cpu --option "opencl:cache_dir=$work/cache" "$work/relu.onnx" >"$work/out" 2>&1 ||
    failed "a cache that is cut short is not written anew: $(cat "$work/out")"
[ "$(cksum <"$(echo "$work"/cache/opencl-*.bin)" | cut -d ' ' -f 2)" -gt 100 ] || failed "the cut file stays"

"$backplane" run -p opencl --fallback require --option opencl:device=no-such "$work/relu.onnx" >"$work/out" 2>&1 &&
    failed "a device that is not there is taken"
grep -q 'no-such' "$work/out" || failed "the device is not named: $(cat "$work/out")"
"$backplane" run -p opencl --fallback require --option opencl:memory_limit=16 "$work/relu.onnx" >"$work/out" 2>&1 &&
    failed "24 bytes are within a limit of 16"
grep -q 'memory_limit=16' "$work/out" || failed "the limit is not named: $(cat "$work/out")"
"$backplane" run -p opencl --fallback require --option opencl:build_flags=-no-such-flag "$work/relu.onnx" \
    >"$work/out" 2>&1 && failed "wrong build flags are taken"
grep -q 'build_flags=-no-such-flag' "$work/out" || failed "the flags are not named: $(cat "$work/out")"
exit $status
