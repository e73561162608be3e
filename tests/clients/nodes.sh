#!/bin/sh
# SPDX-License-Identifier: MIT
# nodes.sh - passes leave at most as many nodes of real exports as ONNX Runtime leaves at the same level.
#
# The exports are looked for by name in BACKPLANE_MODELS and below: those of docs/passes.md.

. "$BP_SRCDIR/tests/clients/lib.sh"
backplane=${BACKPLANE_BIN:-$BP_BUILDDIR/tools/backplane}
need node npm
[ -d "${BACKPLANE_MODELS-}" ] || skip "BACKPLANE_MODELS names no folder of models"
"$backplane" --quiet providers cpu || skip "the cpu provider is not usable"
find_peer
[ -n "$peer" ] || skip "$reason"
ln -s "$cache/onnxruntime-node-$peer_release/node_modules" "$dir/node_modules"

cat >"$dir/save.js" <<'END'
// node save.js MODEL LEVEL OUTPUT: the model as ONNX Runtime would run it.
const ort = require('onnxruntime-node');
const [, , model, level, output] = process.argv;

ort.InferenceSession.create(model, { graphOptimizationLevel: level, optimizedModelFilePath: output, logSeverityLevel: 3 })
    .catch((error) => { console.error(error); process.exit(1); });
END

count()
{
    "$backplane" info --json "$1" | sed -n 's/^ *"nodes": \([0-9]*\),*$/\1/p'
}

status=0 n_models=0
try() # MODEL LEVEL
{
    rm -f "$dir"/*.onnx*
    if ! "$backplane" -q optimize --external-data --level "$2" "$1" -o "$dir/own.onnx" ||
        ! (cd "$dir" && node save.js "$1" "$2" "$dir/peer.onnx"); then
        echo "FAILED: $1 at $2 was not saved" >&2
        status=1
        return
    fi
    own=$(count "$dir/own.onnx") peer=$(count "$dir/peer.onnx")
    echo "$(basename "$1" .onnx) $2: $own nodes, ONNX Runtime's $peer"
    if [ -z "$own" ] || [ -z "$peer" ] || [ "$own" -gt "$peer" ]; then
        echo "FAILED: $1 at $2: '$own' nodes, not within '$peer'" >&2
        status=1
    fi
}

for name in bert_base_128 bert_base_dyn gpt2_decode mobilenetv2 mobilenetv2_bn; do
    model=$(find -L "$BACKPLANE_MODELS" -name "$name.onnx" | head -n 1)
    [ -n "$model" ] || continue
    n_models=$((n_models + 1))
    try "$model" basic
    try "$model" extended
done
[ $n_models != 0 ] || skip "$BACKPLANE_MODELS has none of the exports"
exit $status
