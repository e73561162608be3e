#!/bin/sh
# SPDX-License-Identifier: MIT
# compile.sh - programs of opencl in a model of `backplane compile`: they run without the nodes they are made of, and
# are refused on another device, with other flags and for other sizes.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh" # makes models
. "$BP_SRCDIR/tests/opencl/lib.sh"
needs_device
case $("$BP_BUILDDIR/config.status" --config 2>/dev/null) in
*"--enable-sanitizers"*)
    echo "skipped: PoCL and LLVM are not built with a sanitizer"
    exit 77
    ;;
esac
compile()
{
    "$backplane" compile -p opencl --report "$@" >"$work/out" 2>"$work/err"
}

make_model "$work/relu.onnx" Relu 1 2 3
for how in "" --embed; do
    compile $how -o "$work/saved$how.onnx" "$work/relu.onnx" || failed "compile $how: $(cat "$work/err")"
    grep -q ' saved$' "$work/out" || failed "the program is not saved: $(cat "$work/out")"
    grep -q EPContext "$work/saved$how.onnx" || failed "no node EPContext"
    for model in relu "saved$how"; do
        "$backplane" run -p opencl --fallback require --seed 5 --output-dir "$work/$model.out" \
            "$work/$model.onnx" >"$work/out" 2>&1 ||
            failed "$model does not run: $(cat "$work/out")"
    done
    cmp "$work/relu.out/y.npy" "$work/saved$how.out/y.npy" || failed "the saved program gives something else"
done

refuses() # WORDS COMMAND...
{
    words=$1
    shift
    "$@" >"$work/out" 2>&1 && failed "it is not refused: $words"
    grep -q "$words" "$work/out" || failed "it is not said: $words: $(cat "$work/out")"
}
run="$backplane run -p opencl --fallback require --quiet"
refuses "saved with build_flags=''" $run --option opencl:build_flags=-cl-mad-enable "$work/saved.onnx"
if POCL_DEVICES=basic "$backplane" providers info opencl 2>/dev/null | grep -q 'basic'; then
    refuses 'was saved for the device and driver' env POCL_DEVICES=basic $run "$work/saved.onnx"
else
    echo "not tested: another device; PoCL has no device 'basic'"
fi

# sizes that are not known
make_model "$work/any.onnx" Relu 1 N 3
compile -o "$work/none.onnx" "$work/any.onnx" && grep -q ' saved$' "$work/out" && failed "a program of unknown sizes is saved"
cat "$work/out" "$work/err" | grep -q 'a program is saved for certain sizes' ||
    failed "no reason: $(cat "$work/out" "$work/err")"

# the cache of programs, and a network
mkdir -m 700 "$work/cache"
for how in saved 'loaded from the cache'; do
    BACKPLANE_CACHE_DIR=$work/cache "$backplane" run --report -p opencl "$work/relu.onnx" >"$work/out" 2>&1 ||
        failed "it does not run with a cache: $(cat "$work/out")"
    grep -q "$how" "$work/out" || failed "with a cache it is not $how: $(cat "$work/out")"
done
model=${BACKPLANE_MODELS:-/nowhere}/light/light_squeezenet.onnx
if [ -f "$model" ]; then
    compile -o "$work/network.onnx" "$model" || failed "compile $model: $(cat "$work/err")"
    $run "$work/network.onnx" --expect "softmaxout_1=${model%.onnx}_output_0.pb" >"$work/out" 2>&1 ||
        failed "the network: $(tail -n 3 "$work/out")"
else
    echo "not tested: a network; \$BACKPLANE_MODELS has no light/light_squeezenet.onnx"
fi
exit $status
