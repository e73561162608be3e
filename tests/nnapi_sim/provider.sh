#!/bin/sh
# SPDX-License-Identifier: MIT
# provider.sh - what the command line says of nnapi: groups, devices and simulated time in a plan (C-15: nothing runs),
# refusals with their reasons, and that README.md and operators.md are what the code says.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
if ! "$backplane" --quiet providers nnapi; then
    echo "skipped: the provider nnapi is not usable"
    exit 77
fi
nnapi=$BP_SRCDIR/plugins/nnapi_sim
BP_NNAPI_SIM=$work/phone
export BP_NNAPI_SIM

# ---- a plan, for three phones -------------------------------------------------------------------

: >"$work/phone"
make_model "$work/relu.onnx" Relu "$FLOAT" 2 3
make_model "$work/rows.onnx" Relu "$FLOAT" rows 3
make_model "$work/neg.onnx" Neg "$FLOAT" 2 3
gives 0 plan "$work/relu.onnx" --providers nnapi,cpu
says out 'sim-gpu' 'us a run in simulated time'
gives 0 plan "$work/relu.onnx" --providers nnapi,cpu --json
says out '"simulated":true' '"groups":1'
gives 0 plan "$work/relu.onnx" --providers nnapi,cpu --option nnapi:cpu_only=1
says out 'nnapi-reference'
echo 'level = 28' >"$work/phone"
gives 0 plan "$work/neg.onnx" --fallback silent --providers nnapi,cpu
says out 'needs NNAPI feature level 29, this is 28'
echo 'level = 26' >"$work/phone"
gives 4 doctor why nnapi
says out 'has API level 26, and NNAPI needs 27 (Android 8.1)' 'AVAILABLE'
: >"$work/phone"
gives 0 plan "$work/rows.onnx" --fallback silent --providers nnapi,cpu
says out 'size 0 is not known: NNAPI models have fixed shapes'
gives 0 plan "$work/relu.onnx"
never_says out 'nnapi'

# ---- tables from the code -----------------------------------------------------------------------

gives 0 providers info nnapi
cp "$work/out" "$work/info"
"$backplane" providers info nnapi --markdown >"$work/operators"
diff "$nnapi/operators.md" "$work/operators" >"$work/diff" ||
    failed "operators.md is not what the provider says; run 'make update-operators': $(head -n 5 "$work/diff")"
sed -n '/^| Key | Values/,/^$/p' "$nnapi/README.md" | sed 1,2d | cut -d '|' -f 2 | grep -o '`[a-z_0-9]*`' | tr -d '`' |
    sort -u >"$work/keys"
awk '/^option /{ on = 1; next } !NF{ on = 0 } on{ print $1 }' "$work/info" | sort -u >"$work/options"
diff "$work/keys" "$work/options" >"$work/diff" ||
    failed "README.md < and the code > differ in options: $(cat "$work/diff")"

exit "$status"
