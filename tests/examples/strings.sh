#!/bin/sh
# SPDX-License-Identifier: MIT
# strings.sh - the example classifies sentences, in any case of letters, heeds its map, and names mistakes.
set -eu

strings=$BP_BUILDDIR/examples/strings/strings
folder=$BP_SRCDIR/examples/strings
model=$folder/strings.onnx
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

# refuses TEXT ARGUMENT...: ends with code 1 and a complaint that has the text in it
refuses()
{
    text=$1
    shift
    code=0
    "$strings" "$@" >"$work/no.txt" 2>"$work/no.err" || code=$?
    [ "$code" = 1 ] || fail "$*: exit code $code, not 1"
    grep -q -e "$text" "$work/no.err" || fail "$*: \"$text\" is not in: $(cat "$work/no.err")"
}

# prints LINE...: what the last run printed
prints()
{
    printf '%s\n' "$@" >"$work/wanted"
    diff "$work/wanted" "$work/out" || fail "it prints something else"
}

# ---- sentences -----------------------------------------------------------------------------------

"$strings" "$model" 'Will the RAIN stop' 'my ticket for the train' '' 'süß soup' >"$work/out" ||
    fail "sentences are not classified"
prints '"Will the RAIN stop" is about weather: food 0.11, travel 0.11, weather 0.79' \
    '"my ticket for the train" is about travel: food 0.02, travel 0.96, weather 0.02' \
    '"" is about food: food 0.33, travel 0.33, weather 0.33' \
    '"süß soup" is about food: food 0.79, travel 0.11, weather 0.11'

# ---- the map: topics that the model does not know do not matter -------------------------------------

"$strings" --prior weather=1.5 --prior music=9 "$model" 'a loaf of bread' 'hello' >"$work/out" ||
    fail "a map is not taken"
prints '"a loaf of bread" is about food: food 0.57, travel 0.08, weather 0.35' \
    '"hello" is about weather: food 0.15, travel 0.15, weather 0.69'

# ---- what README.md says -------------------------------------------------------------------------------

"$strings" "$model" 'Will the rain stop' 'my ticket for the train' >"$work/out" || fail "README.md's command"
while read -r line; do
    grep -qF "    $line" "$folder/README.md" || fail "README.md does not print: $line"
done <"$work/out"

# ---- mistakes ----------------------------------------------------------------------------------------

refuses 'at least one sentence' "$model"
refuses 'TOPIC=X' --prior food "$model" soup
refuses 'not a number' --prior food=much "$model" soup
refuses 'sentences' "$BP_SRCDIR/examples/digits/digits.onnx" soup
refuses 'twice' --prior food=1 --prior food=2 "$model" soup

# ---- the model is what its script writes ---------------------------------------------------------------

if command -v python3 >/dev/null; then
    python3 -B "$folder/model.py" "$work/made.onnx" || fail "model.py fails"
    cmp "$work/made.onnx" "$model" || fail "model.py writes another model"
else
    echo "not tested: model.py: there is no python3" >&2
    [ "$status" != 0 ] || status=77
fi
exit $status
