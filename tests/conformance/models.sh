#!/bin/sh
# SPDX-License-Identifier: MIT
# models.sh - whole networks from $BACKPLANE_MODELS, which are not ours to hand on: mnist with its test
# data, the network shapes in light/ with the outputs beside them, silero_vad with its control flow.
set -eu

models=${BACKPLANE_MODELS:-}
if [ -z "$models" ] || [ ! -d "$models" ]; then
    echo "skipped: BACKPLANE_MODELS names no folder of models"
    exit 77
fi

backplane=$BP_BUILDDIR/tools/backplane
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

if [ -d "$models/mnist" ]; then
    "$backplane" conform "$models/mnist" || fail "mnist"
    for level in 'basic Conv Relu MaxPool Conv Relu MaxPool Reshape Gemm' \
        'extended FusedConv MaxPool FusedConv MaxPool Reshape Gemm'; do
        got=$("$backplane" plan --json --level "${level%% *}" "$models/mnist/model.onnx" |
            grep -o '"op":"[A-Za-z]*"' | cut -d '"' -f 4 | tr '\n' ' ')
        [ "$got" = "${level#* } " ] || fail "mnist becomes $got at ${level%% *}"
    done
fi

for model in "$models"/light/*.onnx; do
    [ -f "$model" ] || continue
    name=$("$backplane" info "$model" --json | tr -d ' \n' |
        sed 's/.*"outputs":\[{"name":"\([^"]*\)".*/\1/')
    "$backplane" run "$model" --expect "$name=${model%.onnx}_output_0.pb" >"$work/out" 2>&1 ||
        fail "$model: $(tail -n 3 "$work/out")"
    echo "$(basename "$model" .onnx): as expected"
done

# One frame of noise at each rate; 16000 and 8000 as int64 in little-endian bytes.
if [ -f "$models/silero_vad/silero_vad.onnx" ]; then
    printf '\200\076\0\0\0\0\0\0' >"$work/16000.bin"
    printf '\100\037\0\0\0\0\0\0' >"$work/8000.bin"
    for rate in 16000:576 8000:288; do
        "$backplane" run "$models/silero_vad/silero_vad.onnx" --shape "input=1x${rate#*:}" \
            --shape state=2x1x128 --shape sr= --input "sr=$work/${rate%:*}.bin" >"$work/out" 2>&1 ||
            fail "silero_vad at $rate: $(cat "$work/out")"
        sed -n '/^ *output /,/mean/p' "$work/out"
        grep -q 'mean 0\.[0-9]' "$work/out" || fail "silero_vad at $rate gives no probability"
    done
fi

exit $status
