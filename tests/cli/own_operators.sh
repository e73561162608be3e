#!/bin/sh
# SPDX-License-Identifier: MIT
# own_operators.sh - models with operators that a provider declares: planned, run, compared and listed
# with it, unknown without it.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
mkdir "$work/dir"
cp "$BP_MOCK_DIR/libbp-native.so" "$BP_MOCK_DIR/libbp-rival.so" "$work/dir/"
domain=org.backplane.test

# own_model FILE: y = Scale(x), of three floats, the factor by default
own_model()
{
    scale=$(string 1 x)$(string 2 y)$(string 3 scale)$(string 4 Scale)$(string 7 $domain)
    graph=$(message 1 "$scale")$(string 2 g)
    graph=$graph$(message 11 "$(value_info x 1 1 3)")$(message 12 "$(value_info y 1 1 3)")
    {
        number 1 8
        message 7 "$graph"
        message 8 "$(number 2 13)"
        message 8 "$(string 1 $domain)$(number 2 1)"
    } | emit >"$1"
}
own_model "$work/own.onnx"

bp() # CODE ARGUMENT...
{
    code_wanted=$1
    shift
    gives "$code_wanted" --provider-dir "$work/dir" "$@"
}

bp 0 plan -p native --all-nodes "$work/own.onnx"
says out native Scale scale
make_npy "$work/x.npy" "$(header '<f4' '1, 3')" 0000803f0000004000004040
bp 0 run -p native -i "x=$work/x.npy" "$work/own.onnx"
says out 'float32[1, 3]' '2 4 6'
bp 3 run -i "x=$work/x.npy" "$work/own.onnx"
says err "$domain.Scale-1" 'the host knows no such operator'

# x is 1 2 3, y has to be 2 4 6
mkdir -p "$work/tests/test_scale/test_data_set_0"
own_model "$work/tests/test_scale/model.onnx"
make_tensor "$work/tests/test_scale/test_data_set_0/input_0.pb" 1 '1 3' 0000803f0000004000004040
make_tensor "$work/tests/test_scale/test_data_set_0/output_0.pb" 1 '1 3' 00000040000080400000c040
bp 0 conform -p native "$work/tests"
bp 3 conform "$work/tests"

bp 0 providers --json native
says out own_operators $domain Scale Repeat Positive factor offset
bp 3 plan -p native,rival --fallback require "$work/own.onnx"
says err rival Scale 'declared by provider' 'other inputs'
exit $status
