#!/bin/sh
# SPDX-License-Identifier: MIT
# ort_format.sh - models that ONNX Runtime's tool converts to its own format (.ort) run here with equal
# results, and ONNX Runtime runs those that `backplane optimize` writes in that format.
#
# BACKPLANE_ORT_PYTHON is a Python that has ONNX Runtime's package, onnxruntime (else python3 is asked).
# Further models: BACKPLANE_MODELS, with mnist/model.onnx and silero_vad/silero_vad.onnx, and
# BACKPLANE_ORT_FORMAT_MODELS, a folder of *.onnx files with one shape each.

set -u
python=${BACKPLANE_ORT_PYTHON:-python3}
backplane=${BACKPLANE_BIN:-$BP_BUILDDIR/tools/backplane}
helper=$BP_SRCDIR/tests/ort/ort_format.py
ORT_DISABLE_TELEMETRY=1
export ORT_DISABLE_TELEMETRY
if ! "$python" -c 'import onnxruntime.tools.convert_onnx_models_to_ort' 2>/dev/null; then
    echo "SKIP: $python has no onnxruntime; BACKPLANE_ORT_PYTHON names one that has" >&2
    exit 77
fi
if ! "$backplane" --quiet providers cpu; then
    echo "SKIP: the cpu provider is not usable" >&2
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0
tried=0

fail() # WORDS
{
    echo "FAILED: $*" >&2
    tail -n 5 "$work/log" >&2
    status=1
}

# The arguments that feed a model and tell what it is to give.
run_here() # FILE
{
    set -- "$1"
    i=0
    while read -r name; do
        set -- "$@" -i "$name=$work/data/in_$i.npy"
        i=$((i + 1))
    done <"$work/data/inputs"
    i=0
    while read -r name; do
        set -- "$@" -e "$name=$work/data/out_$i.npy"
        i=$((i + 1))
    done <"$work/data/outputs"
    "$backplane" -q run --atol 1e-4 "$@" >"$work/log" 2>&1
}

try() # MODEL
{
    rm -rf "$work/data" "$work/in"
    mkdir "$work/data" "$work/in"
    cp "$1" "$work/in/model.onnx"
    tried=$((tried + 1))
    if ! "$python" "$helper" prepare "$1" "$work/data" >"$work/log" 2>&1; then
        fail "$1: ONNX Runtime does not run it"
        return
    fi
    for style in Fixed Runtime; do
        rm -f "$work"/in/*.ort
        "$python" -m onnxruntime.tools.convert_onnx_models_to_ort "$work/in" \
            --optimization_style $style >"$work/log" 2>&1
        for file in "$work"/in/*.ort; do
            run_here "$file" || fail "$1: converted by ONNX Runtime ($style), here"
        done
    done
    for level in none basic extended; do
        "$backplane" -q optimize -f --level $level "$1" -o "$work/$level.ort" >"$work/log" 2>&1 ||
            fail "$1: cannot be written (level $level)"
        "$python" "$helper" check "$work/$level.ort" "$work/data" >"$work/log" 2>&1 ||
            fail "$1: written here (level $level), on ONNX Runtime"
        run_here "$work/$level.ort" || fail "$1: written here (level $level), here"
    done
}

digits=$BP_SRCDIR/examples/digits/digits.onnx
try "$digits"
if "$python" "$helper" quantize "$digits" "$work/quantized.onnx" >"$work/log" 2>&1; then
    try "$work/quantized.onnx"
else
    echo "skipped: no quantised model, as $python has no onnx" >&2
fi
for model in ${BACKPLANE_MODELS:+"$BACKPLANE_MODELS/mnist/model.onnx" \
    "$BACKPLANE_MODELS/silero_vad/silero_vad.onnx"} \
    ${BACKPLANE_ORT_FORMAT_MODELS:+"$BACKPLANE_ORT_FORMAT_MODELS"/*.onnx}; do
    if [ -f "$model" ]; then
        try "$model"
    else
        echo "skipped: there is no $model" >&2
    fi
done
echo "$tried models"
exit $status
