#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh - C-17: backplane tune compares a provider on and off at the levels basic and extended, and says what
# to use.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

mkdir "$work/dir"
cp "$BP_MOCK_DIR/libbp-few.so" "$work/dir/"
make_model "$work/relu.onnx" Relu "$FLOAT" 64 64
digits=$BP_SRCDIR/examples/digits/digits.onnx

tune() # CODE ARGUMENT...
{
    want=$1
    shift
    gives "$want" tune --rounds 6 --seconds 0.2 --provider-dir "$work/dir" "$@"
}

# four settings, a row each, the verdict last; the first is compared with itself
tune 0 -p few "$work/relu.onnx"
says out 'providers' 'speed' 'interval' 'few,cpu'
[ "$(grep -c -E '^(few,)?cpu  *(basic|extended) ' "$work/out")" = 4 ] || failed "not four settings: $(cat "$work/out")"
grep -q -E '^cpu  *extended .* 1\.00  *1\.00 to 1\.00  *0 ' "$work/out" || failed "cpu differs from itself: $(cat "$work/out")"
tail -n 1 "$work/out" | grep -q -E '^(use|keep) --providers (few,)?cpu --level (basic|extended): ' ||
    failed "no verdict: $(tail -n 1 "$work/out")"
tune 0 --quiet -p few "$work/relu.onnx"
[ ! -s "$work/out" ] || failed '--quiet says something'

# a provider that takes no node is not measured, and that is said
tune 0 -p few -o few:take=Add --fallback silent "$work/relu.onnx"
says out 'no provider but cpu took a node' 'backplane plan'
[ "$(grep -c -E '^few,cpu  *(basic|extended)  *[0-9]' "$work/out")" = 2 ] || failed "not two rows: $(cat "$work/out")"

# JSON: basic and extended have the nodes of these levels, rounds are paired, the verdict fits the figures
tune 0 --json -p cpu --threads 1 "$digits"
if command -v python3 >/dev/null; then
    python3 - "$work/out" <<'END' || failed 'the figures do not fit together'
import json, sys
t = json.load(open(sys.argv[1]))
s = t["settings"]
assert t["schema"] == "tune/1" and t["rounds"] == 6 and t["threads"] == 1, t
assert [x["level"] for x in s] == ["extended", "basic", "extended", "basic"]
assert s[0]["nodes"]["cpu"] < s[1]["nodes"]["cpu"], "extended has fused nothing"
assert s[0]["speed"] == 1 and s[0]["difference"] == 0 and s[0]["verdict"] == "no difference"
assert s[2]["verdict"] == "no nodes" and "speed" not in s[2]
for x in s[:2]:
    assert x["runs"] >= 6 and x["min_ms"] <= x["median_ms"]
    assert x["speed_low"] <= x["speed"] <= x["speed_high"]
assert s[1]["difference"] < 1e-5
best = s[t["best"]]
assert t["best"] == 0 or (best["verdict"] == "faster" and best["speed_low"] > 1)
assert "--level " + best["level"] in t["sentence"]
END
fi

# a provider that is slower is not the verdict
if "$backplane" --provider-dir "$BP_MOCK_DIR" --quiet providers gizmo 2>/dev/null; then
    cp "$BP_MOCK_DIR/libbp-gizmo.so" "$work/dir/"
    tune 0 -p gizmo "$work/relu.onnx"
    says out 'gizmo,cpu'
fi

refuses 3 'none.onnx' tune "$work/none.onnx"
refuses 4 'nosuch' tune -p nosuch "$work/relu.onnx"
refuses 2 'is not a valid value for --rounds' tune --rounds 0 "$work/relu.onnx"
refuses 2 'no input' tune -i z=x "$work/relu.onnx"

exit "$status"
