#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh - backplane bench: as many runs as were asked for, and figures in their order.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

make_model "$work/relu.onnx" Relu "$FLOAT" batch 3
gives 0 bench --runs 20 --warmup 2 --dim batch=64 "$work/relu.onnx"
says out 'minimum' 'median' '99 %' 'throughput' 'peak memory' '20 in' 'after 2' 'first run' 'cpu 1'
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

gives 0 bench --runs 5 --warmup 2 --profile "$work/profile.json" "$work/relu.onnx"
[ "$(grep -c '"name":"model_run"' "$work/profile.json")" = 5 ] || failed 'not the five runs'

refuses 3 'none.onnx' bench "$work/none.onnx"

exit "$status"
