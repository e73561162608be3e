#!/bin/sh
# SPDX-License-Identifier: MIT
# decode.sh - the example makes the same tokens with its cache and without, keeps its deadline, and names mistakes.
set -eu

decode=$BP_BUILDDIR/examples/decode/decode
folder=$BP_SRCDIR/examples/decode
model=$folder/decode.onnx
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
    "$decode" "$@" >"$work/no.txt" 2>"$work/no.err" || code=$?
    [ "$code" = 1 ] || fail "$*: exit code $code, not 1"
    grep -q -e "$text" "$work/no.err" || fail "$*: \"$text\" is not in: $(cat "$work/no.err")"
}

# ---- the cache changes no token ------------------------------------------------------------------

for prompt in "7" "1 2 3" "63 0 63 0 5 9 9 9 1 40"; do
    # shellcheck disable=SC2086 # the tokens are arguments
    "$decode" --tokens 60 "$model" $prompt >"$work/cache.txt" 2>"$work/cache.err" ||
        fail "prompt $prompt: $(cat "$work/cache.err")"
    # shellcheck disable=SC2086
    "$decode" --tokens 60 --no-cache "$model" $prompt >"$work/whole.txt" 2>"$work/whole.err" ||
        fail "prompt $prompt without a cache: $(cat "$work/whole.err")"
    cmp "$work/cache.txt" "$work/whole.txt" || fail "prompt $prompt: other tokens without a cache"
    [ "$(wc -w <"$work/cache.txt")" = 60 ] || fail "prompt $prompt: not 60 tokens"
    [ "$(tr ' ' '\n' <"$work/cache.txt" | sort -u | wc -l)" -ge 5 ] ||
        fail "prompt $prompt: hardly any token differs from the others"
    grep -q 'tokens a second' "$work/cache.err" || fail "it says nothing of its speed"
done

# ---- the next token depends on the first one: the cache is read ------------------------------------

"$decode" --tokens 20 "$model" 1 2 3 4 5 >"$work/one.txt" 2>/dev/null || fail "a prompt from 1 on"
"$decode" --tokens 20 "$model" 9 2 3 4 5 >"$work/nine.txt" 2>/dev/null || fail "a prompt from 9 on"
cmp -s "$work/one.txt" "$work/nine.txt" && fail "the first token of the prompt does not matter"

# ---- mistakes ------------------------------------------------------------------------------------

refuses 'no input "past..."' "$BP_SRCDIR/examples/digits/digits.onnx" 1
refuses 'No such file' "$work/nothing.onnx" 1
refuses 'at least one token' "$model"
refuses 'not a number' "$model" one
refuses 'of_tokens' "$model" 64
refuses 'of_positions' --tokens 200 "$model" 1
refuses 'time' --tokens 120 --deadline 1 "$model" 1

# ---- the model is what its script writes ------------------------------------------------------------

if command -v python3 >/dev/null; then
    python3 -B "$folder/model.py" "$work/made.onnx" || fail "model.py fails"
    cmp "$work/made.onnx" "$model" || fail "model.py writes another model"
else
    echo "not tested: model.py: there is no python3" >&2
    [ "$status" != 0 ] || status=77
fi
exit $status
