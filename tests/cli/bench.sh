#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh - backplane bench: as many runs as were asked for, figures in their order, and a
# verdict on providers (P9).
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

make_model "$work/relu.onnx" Relu "$FLOAT" batch 3
gives 0 bench --runs 20 --warmup 2 --dim batch=64 "$work/relu.onnx"
says out 'minimum' 'median' '99 %' 'throughput' 'peak memory' 'held for runs' '20 in' 'after 2' 'first run' 'cpu 1'
gives 0 bench --seconds 0.05 "$work/relu.onnx"
gives 0 bench --quiet --runs 1 "$work/relu.onnx"
[ ! -s "$work/out" ] || failed '--quiet says something'

gives 0 bench --json --runs 50 --threads 1 "$work/relu.onnx"
says out '"runs": 50' '"threads": 1'
figure()
{
    sed -n "s/^  \"$1\": \([0-9.e+-]*\),\{0,1\}$/\1/p" "$work/out"
}
sorted=$(for name in min_ms median_ms p90_ms p99_ms; do
    figure $name
done)
[ "$(echo "$sorted" | wc -l)" = 4 ] || failed "not four figures: $sorted"
[ "$sorted" = "$(echo "$sorted" | sort -g)" ] || failed "out of order: $sorted"
[ "$(figure peak_memory_bytes)" -gt 100000 ] || failed 'no peak of memory'
says out '"memory": {' '"in_use_bytes": 0' '"name": "cpu"' '"idle_bytes"'

gives 0 bench --runs 5 --warmup 2 --profile "$work/profile.json" "$work/relu.onnx"
[ "$(grep -c '"name":"model_run"' "$work/profile.json")" = 5 ] || failed 'not the five runs'

refuses 3 'none.onnx' bench "$work/none.onnx"

# P9, "the accelerator made it slower": a verdict in one command. A simulated accelerator whose every
# copy and kernel takes 2 ms is slower than six floats on the CPU, however busy the machine is.
mkdir "$work/dir"
cp "$BP_MOCK_DIR/libbp-gizmo.so" "$BP_MOCK_DIR/libbp-few.so" "$work/dir/"
make_model "$work/fixed.onnx" Relu "$FLOAT" 2 3
compare()
{
    gives 0 bench --compare --provider-dir "$work/dir" "$@"
}
compare -p gizmo -o gizmo:launch_ns=2000000 --runs 7 --warmup 1 "$work/fixed.onnx"
says out 'gizmo,cpu' 'median' '48 B' 'gizmo 1' 'cpu 1' 'over 7 pairs of slices' \
    'gizmo,cpu is slower: cpu is ' '; 1 group, 2 copies a run, 48 B; the plan says why:' \
    "backplane plan -p gizmo,cpu $work/fixed.onnx"
compare -p gizmo -o gizmo:launch_ns=2000000 --warmup 0 --runs 6 --json "$work/fixed.onnx"
says out '"verdict": "slower"' '"providers": "gizmo,cpu"' '"copy_bytes": 48' '"copy_bytes": 0' \
    '"sentence": "gizmo,cpu is slower: cpu is '
never_says out took_no_node

# whatever the verdict is, it is that of the figures
compare -p few,gizmo --runs 45 --json "$work/fixed.onnx"
says out '"pairs": 20' '"runs": 45' '"took_no_node": "gizmo"' '"providers": "few,gizmo,cpu"'
low=$(figure ratio_low) high=$(figure ratio_high)
[ "$(printf '%s\n' "$low" "$(figure ratio)" "$high" | sort -g | tr '\n' ' ')" = \
    "$low $(figure ratio) $high " ] || failed "ratios out of order: $low, $high"
want=$(awk -v low="$low" -v high="$high" \
    'BEGIN { print (low > 1.02 ? "faster" : high * 1.02 < 1 ? "slower" : "no difference") }')
says out "\"verdict\": \"$want\""
compare -p few --runs 3 "$work/fixed.onnx"
says out 'no measurable difference' '3 pairs of slices are too few'

compare -p few --seconds 0.05 "$work/fixed.onnx"
says out 'of slices' 'few,cpu'

# who takes nothing is not measured
compare -p few -o few:take=Add --fallback silent --seconds 1000 "$work/fixed.onnx"
says out 'few took no node, so there is nothing to compare' \
    "backplane plan -p few,cpu $work/fixed.onnx"
never_says out ratio
compare -p few -o few:take=Add --fallback silent --json "$work/fixed.onnx"
says out '"verdict": "no nodes"' '"took_no_node": "few"' '"runs": 0'
never_says out median_ms
compare -p few --quiet --runs 1 "$work/fixed.onnx"
[ ! -s "$work/out" ] || failed '--compare --quiet says something'

# options of cpu are for both sides, options of the others for the named side only
compare -p few -o few:level=2 --place op:Relu=few --min-share few=0.5 --runs 1 "$work/fixed.onnx"
refuses 2 'only cpu is to run the model' bench --compare "$work/fixed.onnx"
refuses 2 'only cpu is to run the model' bench --compare -p cpu "$work/fixed.onnx"
refuses 2 'do not go together' bench --compare --profile "$work/no.json" "$work/fixed.onnx"
refuses 2 'no input' bench --compare -p few --provider-dir "$work/dir" -i z=x "$work/fixed.onnx"
export BACKPLANE_PROVIDERS='!cpu' BACKPLANE_STRICT=1
refuses 4 'cpu alone, to compare with' bench --compare -p few --provider-dir "$work/dir" \
    "$work/fixed.onnx"
unset BACKPLANE_PROVIDERS BACKPLANE_STRICT
refuses 3 'none.onnx' bench --compare -p few --provider-dir "$work/dir" "$work/none.onnx"

exit "$status"
