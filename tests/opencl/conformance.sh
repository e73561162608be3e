#!/bin/sh
# SPDX-License-Identifier: MIT
# conformance.sh - what the CPU provider alone gets right is right with opencl before it: ONNX's operator tests, and
# whole networks from $BACKPLANE_MODELS. Every process opens the driver, so that all tests take minutes: one of four
# runs, or with BP_OPENCL_CONFORM=all each.
set -eu
. "$BP_SRCDIR/tests/opencl/lib.sh"
data=/usr/share/libonnx-testdata/data
least=150 # tests in which opencl runs a node
share=4
if [ "${BP_OPENCL_CONFORM:-}" = all ]; then
    least=650
    share=1
fi
needs_device
if [ ! -d "$data/node" ]; then
    echo "not tested: $data is not there; install Debian's libonnx-testdata"
    exit 77
fi
case $("$BP_BUILDDIR/config.status" --config 2>/dev/null) in
*"--enable-sanitizers"*)
    echo "skipped: PoCL and LLVM are not built with a sanitizer"
    exit 77
    ;;
esac

find "$data"/node "$data"/simple "$data"/pytorch-* -name model.onnx | LC_ALL=C sort |
    awk -v share="$share" 'NR % share == 0' | while read -r model; do
        test=${model%/model.onnx}
        group=$work/tests/$(basename "$(dirname "$test")")
        mkdir -p "$group"
        ln -s "$test" "$group"
    done
"$backplane" conform -p opencl,cpu --threads 1 --timeout 300 --report \
    --expect "$BP_SRCDIR/tests/conformance/onnx.expect" "$work"/tests/* >"$work/out" 2>/dev/null || true
taken=$(grep -c 'opencl [1-9]' "$work/out" || true)
tail -n 1 "$work/out"
echo "opencl took part in $taken"
grep '^FAIL' "$work/out" && failed "tests that the CPU provider passes"
[ "$taken" -ge "$least" ] || failed "it took part in $least before"

for model in "${BACKPLANE_MODELS:-/nowhere}"/light/*.onnx; do
    [ -f "$model" ] || continue
    name=$("$backplane" info "$model" --json | tr -d ' \n' |
        sed 's/.*"outputs":\[{"name":"\([^"]*\)".*/\1/')
    "$backplane" run -p opencl,cpu "$model" --expect "$name=${model%.onnx}_output_0.pb" \
        >"$work/run" 2>&1 || failed "$model: $(tail -n 3 "$work/run")"
    groups=$("$backplane" plan -p opencl,cpu "$model" | awk '$2 == "opencl" && $1 ~ /^[0-9]+$/' | wc -l)
    echo "$(basename "$model" .onnx): as expected, $groups groups of opencl"
    case $(basename "$model") in
    light_squeezenet.onnx | light_resnet50.onnx | light_densenet121.onnx)
        [ "$groups" = 1 ] || failed "$model is $groups groups" ;;
    esac
done
exit $status
