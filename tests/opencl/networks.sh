#!/bin/sh
# SPDX-License-Identifier: MIT
# networks.sh - whole networks are one group of opencl, with no copies but those of inputs and outputs. Models are looked
# for in $BACKPLANE_MODELS; those that are not there are named.
set -eu
. "$BP_SRCDIR/tests/opencl/lib.sh"
needs_device
case $("$BP_BUILDDIR/config.status" --config 2>/dev/null) in
*"--enable-sanitizers"*)
    echo "skipped: PoCL and LLVM are not built with a sanitizer"
    exit 77
    ;;
esac
tested=0

one_group() # NETWORK, and patterns of its file's name
{
    network=$1
    shift
    for pattern in "$@"; do
        model=$(find -L "${BACKPLANE_MODELS:-/nowhere}" -name "$pattern" 2>/dev/null | sort | head -n 1)
        [ -z "$model" ] || break
    done
    if [ -z "$model" ]; then
        echo "not tested: $network; \$BACKPLANE_MODELS has no $*"
        return
    fi
    tested=$((tested + 1))
    "$backplane" plan -p opencl,cpu "$model" >"$work/plan" 2>&1 || failed "$network: $(tail -n 3 "$work/plan")"
    row=$(awk '$1 ~ /^[0-9]+$/ && $3 ~ /[0-9]$/ && NF >= 7 { print $2, $5 + $6, $7 }' "$work/plan")
    case $row in
    "opencl "*) ;;
    *) failed "$network is not one group of opencl: $row" ;;
    esac
    [ "$(printf '%s\n' "$row" | wc -l)" = 1 ] || failed "$network is several groups: $row"
    # shellcheck disable=SC2086 # words of the row
    set -- $row
    [ "${3:-0}" -le "${2:-0}" ] || failed "$network copies ${3:-} values, of ${2:-} inputs and outputs"
    echo "$network: one group"
}

one_group MobileNetV2 'mobilenetv2*.onnx' 'light_mobilenetv2*.onnx'
one_group ResNet-50 'resnet50*.onnx' 'light_resnet50.onnx'
one_group SqueezeNet 'squeezenet*.onnx' 'light_squeezenet.onnx'
one_group DenseNet-121 'densenet121*.onnx' 'light_densenet121.onnx'
one_group BERT-base 'bert_base*.onnx' 'bert-base*.onnx'
one_group 'GPT-2 decode' 'gpt2*.onnx'
one_group Ultraface 'ultraface*.onnx' 'version-RFB-320.onnx'
if [ "$tested" = 0 ]; then
    echo "skipped: \$BACKPLANE_MODELS has none of the networks"
    exit 77
fi
exit $status
