#!/bin/sh
# SPDX-License-Identifier: MIT
# plan.sh - what the command line says of cann: groups, copies, memory and time of a model that never
# runs, and the table of operators and options (B-13, B-14), which README.md must not contradict.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
if ! "$backplane" --quiet providers cann; then
    echo "skipped: the provider cann is not usable"
    exit 77
fi
cann=$BP_SRCDIR/plugins/cann_sim

# ---- a plan -------------------------------------------------------------------------------------

# x and y, of 24 bytes, go and come; a device holds each at a multiple of nothing smaller
make_model "$work/relu.onnx" Relu "$FLOAT" 2 3
printf 'launch_ns = 7000\nvector_rate = 1T\nmemory_rate = 1T\ncopy_rate = 24M\n' >"$work/board"
BP_ASCEND_SIM=$work/board
export BP_ASCEND_SIM
gives 0 plan "$work/relu.onnx" --providers cann,cpu --option cann:driver=sim
says out 'cann' '2 copies between memories a run, 48 B' '48 B of device memory at peak' \
    '7.0 us a run in simulated time, and 16.0 us of copies' 'on device'
gives 0 plan "$work/relu.onnx" --providers cann,cpu --option cann:driver=sim --json
says out '"peak_bytes":48' '"run_ns":7000' '"copy_ns":16000' '"simulated":true' '"copy_bytes":48' \
    '"run_bytes":48'

# what only a run knows is said not to be known
make_model "$work/rows.onnx" Relu "$FLOAT" rows 3
gives 0 plan "$work/rows.onnx" --providers cann,cpu --option cann:driver=sim
says out 'the rest depends on sizes that only a run knows'
never_says out 'simulated time'
gives 0 plan "$work/rows.onnx" --providers cann,cpu --option cann:driver=sim --json
says out '"peak_bytes":null' '"run_ns":null'

# who computes in host memory says nothing, and needs no columns for it
gives 0 plan "$work/relu.onnx" --providers cpu
never_says out 'on device'
never_says out 'device memory'

# B-13: the reason is the condition
make_model "$work/deep.onnx" Relu "$FLOAT" 1 1 1 1 1 1 1 1 1
gives 0 plan "$work/deep.onnx" --fallback silent --providers cann,cpu --option cann:driver=sim
says out 'rank 9, provider takes 0..8'

# ---- B-14: tables from the code -----------------------------------------------------------------

gives 0 providers info cann
cp "$work/out" "$work/info"
# operators that it takes in its default profile, by the table in README.md
sed -n '/^`operators=documented`/,/^`operators=kernels`/p' "$cann/README.md" | grep '^| ' |
    sed 1d | cut -d '|' -f 2 | tr -d ' ' | tr ',' '\n' | grep . | sort -u >"$work/documented"
[ "$(wc -l <"$work/documented")" = 16 ] || failed "README.md has another number of operators than 16"
awk '$1 ~ /^[A-Z]/' "$work/info" >"$work/rows"
"$backplane" providers info cann --json >"$work/json"
python=$(command -v python3 || true)
if [ -n "$python" ]; then
    "$python" - "$work/json" <<'PYTHON' | sort -u >"$work/taken" || failed 'the JSON cannot be read'
import json, sys

def rows(value):
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from rows(item)
    elif isinstance(value, list):
        for item in value:
            yield from rows(item)

for row in rows(json.load(open(sys.argv[1]))):
    if row.get("domain") == "" and (row.get("takes") or row.get("conditional")):
        print(row["operator"])
PYTHON
    diff "$work/documented" "$work/taken" >"$work/diff" ||
        failed "README.md < and the code > differ in operators: $(cat "$work/diff")"
fi
# options: each that the code has stands in README.md, and the reverse
sed -n '/^| Key | Values/,/^$/p' "$cann/README.md" | sed 1,2d | cut -d '|' -f 2 |
    grep -o '`[a-z_]*`' | tr -d '`' | sort -u >"$work/keys"
awk '/^option /{ on = 1; next } !NF{ on = 0 } on{ print $1 }' "$work/info" | sort -u >"$work/options"
diff "$work/keys" "$work/options" >"$work/diff" ||
    failed "README.md < and the code > differ in options: $(cat "$work/diff")"

exit "$status"
