#!/bin/sh
# SPDX-License-Identifier: MIT
# plan.sh - backplane plan: text and plan diagrams, also of models with hostile names.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

make_model "$work/relu.onnx" Relu "$FLOAT" batch 3
gives 0 plan "$work/relu.onnx"
says out 'cpu' 'group' '0 copies'
gives 0 plan --all-nodes "$work/relu.onnx"
says out 'the_node' 'Relu'
gives 0 plan --quiet --dot "$work/plan.dot" "$work/relu.onnx"
[ ! -s "$work/out" ] || failed '--quiet says something'
for text in 'digraph' 'relu.onnx' 'cluster_g0' '<b>Relu</b>' 'the_node' 'label=<x>' 'label=<y>'; do
    grep -q -F -e "$text" "$work/plan.dot" || failed "no $text in the plan diagram"
done
refuses 2 'No such file' plan --dot "$work/no/plan.dot" "$work/relu.onnx"

# a provider with memory of its own: x goes there, y comes back
mkdir "$work/dir"
cp "$BP_MOCK_DIR/libbp-gizmo.so" "$work/dir/"
make_model "$work/fixed.onnx" Relu "$FLOAT" 2 3
gives 0 plan --provider-dir "$work/dir" --providers gizmo --dot "$work/plan.dot" "$work/fixed.onnx"
says out 'gizmo' '2 copies between memories a run, 48 B'
grep -q -F -e '2 copies, 48 B' "$work/plan.dot" || failed 'no copies in the plan diagram'
gives 0 plan --provider-dir "$work/dir" -p gizmo -p cpu "$work/fixed.onnx"
says out 'gizmo' 'cpu' '2 copies between memories a run, 48 B'
gives 0 plan --provider-dir "$work/dir" --providers gizmo --json "$work/fixed.onnx"
says out '"copies":2,"copy_bytes":48,"unsized_copies":0'

# a size that only a run knows is no 0 B
make_model "$work/batch.onnx" Relu "$FLOAT" batch 3
gives 0 plan --provider-dir "$work/dir" --providers gizmo --dot "$work/plan.dot" "$work/batch.onnx"
says out '2 copies between memories a run, size known at run time'
never_says out ' 0 B'
grep -q -F -e '2 copies, size known at run time' "$work/plan.dot" ||
    failed 'sizes in the plan diagram are not of a run'
gives 0 plan --provider-dir "$work/dir" --providers gizmo --json "$work/batch.onnx"
says out '"copies":2,"copy_bytes":0,"unsized_copies":2'
# an empty tensor has a size
make_model "$work/empty.onnx" Relu "$FLOAT" 0 3
gives 0 plan --provider-dir "$work/dir" --providers gizmo --json "$work/empty.onnx"
says out '"copy_bytes":0,"unsized_copies":0'

# names that mean something to a terminal, to HTML or to Graphviz are shown, not obeyed
make_model "$work/odd<&>\"\\.onnx" "$(printf 'Op\033[31m<b>&"\\N')" "$FLOAT" 1
gives 3 plan --all-nodes --dot "$work/odd.dot" "$work/odd<&>\"\\.onnx"
never_says out "$(printf '\033')"
grep -q -F -e '&lt;b&gt;&amp;' "$work/odd.dot" || failed 'the odd name is not escaped'
gives 0 info "$work/odd<&>\"\\.onnx"
never_says out "$(printf '\033')"

# without Graphviz there is a sentence, and no file
code=0
PATH=/nonexistent "$backplane" plan --svg "$work/none.svg" "$work/relu.onnx" >/dev/null \
    2>"$work/err" || code=$?
[ "$code" = 6 ] || failed "no Graphviz gives code $code"
says err 'graphviz'
[ ! -e "$work/none.svg" ] || failed 'an empty SVG file is left'

if command -v dot >/dev/null; then
    for model in "$work/relu.onnx" "$work/odd<&>\"\\.onnx"; do
        "$backplane" plan --quiet --svg "$work/plan.svg" "$model" || [ $? = 3 ]
        head -c 400 "$work/plan.svg" | grep -q '<svg' || failed "no plan diagram of $model"
        tail -c 10 "$work/plan.svg" | grep -q '</svg>' || failed "half a plan diagram of $model"
    done
    # a shorter SVG file replaces a longer one whole
    head -c 100000 /dev/zero | tr '\0' x >"$work/plan.svg"
    gives 0 plan --quiet --svg "$work/plan.svg" "$work/relu.onnx"
    tail -c 10 "$work/plan.svg" | grep -q '</svg>' || failed 'the old file shows through'
fi

exit "$status"
