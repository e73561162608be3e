#!/bin/sh
# SPDX-License-Identifier: MIT
# onnx.sh - backplane-check --onnx-tests: what is run and what is not, what fails, and coverage.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
check=$BP_BUILDDIR/tools/backplane-check
few=$BP_MOCK_DIR/libbp-few.so
planted=$BP_MOCK_DIR/libbp-planted.so
halves=000000000000003f00000040 # Relu of $three_floats

# kit STATUS ARGUMENT...: the kit's exit status; its output is in $work/out and $work/err.
kit()
{
    want=$1
    shift
    code=0
    "$check" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" = "$want" ] || failed "backplane-check $*: $code, not $want: $(cat "$work/out" "$work/err")"
}

# make_test DIR OP DIGITS: Relu's input, and those digits as the output.
make_test()
{
    mkdir -p "$1/test_data_set_0"
    make_model "$1/model.onnx" "$2" "$FLOAT" 1 3
    make_tensor "$1/test_data_set_0/input_0.pb" "$FLOAT" "1 3" "$three_floats"
    make_tensor "$1/test_data_set_0/output_0.pb" "$FLOAT" "1 3" "$3"
}

# make_graph DIR NODES INPUTS OUTPUT: a test of a model of these parts, without data.
make_graph()
{
    mkdir -p "$1/test_data_set_0"
    {
        number 1 8
        message 7 "$2$(string 2 the_graph)$3$(message 12 "$4")"
        message 8 "$(number 2 13)"
    } | emit >"$1/model.onnx"
}

make_test "$work/all/node/test_good" Relu "$halves"
make_test "$work/all/node/test_other" NobodyKnowsThis "$halves"
make_test "$work/all/node/test_random" Bernoulli "$halves"
x=$(message 11 "$(value_info x "$FLOAT" 1 3)")
make_graph "$work/all/node/test_two" "$(message 1 "$(string 1 x)$(string 2 v)$(string 4 Relu)")$(
    message 1 "$(string 1 v)$(string 2 y)$(string 4 Abs)")" "$x" "$(value_info y "$FLOAT" 1 3)"

# one node is a test of the kit; the others are not
kit 0 --onnx-tests "$work/all" --only ONNX "$few"
says out 'pass    BPK-ONNX-01 ' '1 of 1 tests of one node taken, all right; 3 are not such tests' \
    'pass    BPK-ONNX-03 ' '1 operators taken, 1 of them run'
# a model that has one input has none to make an initializer of
says out 'skip    BPK-ONNX-02 '
# --verbose says of each test why it did not run
kit 0 --onnx-tests "$work/all" --only ONNX --verbose "$few"
says out 'not run  all/node/test_two: a model of several nodes' \
    'not run  all/node/test_other: an operator or a domain that the kit does not know'
kit 0 --onnx-tests "$work/all" --only ONNX --verbose --option take=Abs "$few"
says out 'refused  all/node/test_good: '
# without the option there is no such group
kit 0 --list
never_says out 'BPK-ONNX-'
kit 4 --only 'BPK-ONNX-*' "$few"
kit 4 --onnx-tests "$work/none" "$few"
says err 'No such file'
mkdir "$work/empty"
kit 4 --onnx-tests "$work/empty" "$few"
says err 'there is no test in it'

# every failure has its name, whatever became of its process
make_test "$work/all/node/test_wrong" Relu "$three_floats"
make_test "$work/all/node/test_wrong_too" Relu "$three_floats"
kit 1 --onnx-tests "$work/all" --only BPK-ONNX-01 "$few"
says out 'fail    BPK-ONNX-01 ' '2 of 3 tests that it takes fail: all/node/test_wrong: element 0 is 0, not -1' \
    'also, all/node/test_wrong_too'
kit 1 --onnx-tests "$work/all" --only BPK-ONNX-01 "$BP_MOCK_DIR/libbp-crashing.so"
says out 'died    BPK-ONNX-01 ' '3 tests that it takes fail: all/node/test_good: it ends in signal 6' \
    ', all/node/test_wrong, all/node/test_wrong_too' '1 operators taken, 0 of them run' 'never run: Relu'
kit 1 --onnx-tests "$work/all" --only BPK-ONNX-03 --option gain=3 "$few"
says out 'fail    BPK-ONNX-03 '

# an input as an initializer: 1 2 times a matrix, which is read by columns then
make_graph "$work/product" "$(message 1 "$(string 1 x)$(string 1 w)$(string 2 y)$(string 4 MatMul)")" \
    "$(message 11 "$(value_info x "$FLOAT" 1 2)")$(message 11 "$(value_info w "$FLOAT" 2 2)")" \
    "$(value_info y "$FLOAT" 1 2)"
make_tensor "$work/product/test_data_set_0/input_0.pb" "$FLOAT" "1 2" 0000803f00000040
make_tensor "$work/product/test_data_set_0/input_1.pb" "$FLOAT" "2 2" 0000803f000000400000404000008040
make_tensor "$work/product/test_data_set_0/output_0.pb" "$FLOAT" "1 2" 0000e04000002041
kit 0 --onnx-tests "$work/product" --only ONNX "$planted"
says out 'pass    BPK-ONNX-01 ' 'pass    BPK-ONNX-02 '
BP_PLANTED=weight-order
export BP_PLANTED
kit 1 --onnx-tests "$work/product" --only 'BPK-ONNX-02' "$planted"
says out 'fail    BPK-ONNX-02 ' '1 of 1 tests that it takes fail: product: element 0 is 8, not 7'
unset BP_PLANTED

# data that are broken are no test
head -c 9 "$work/all/node/test_good/test_data_set_0/input_0.pb" >"$work/product/test_data_set_0/input_1.pb"
kit 0 --onnx-tests "$work/product" --only BPK-ONNX-01 "$planted"
says out 'skip    BPK-ONNX-01 ' '1 are not such tests'
head -c 40 "$work/all/node/test_good/model.onnx" >"$work/product/model.onnx"
kit 0 --onnx-tests "$work/product" --only BPK-ONNX-01 "$planted"
says out '1 are not such tests'

# coverage: what was taken, what ran, and which attributes never had another value than their default
kit 0 --only BPK-NUMERICS-07 "$planted"
says out 'operators taken' 'only with the default of MaxPool: storage_order'
never_says out 'only with the default of Conv:'
kit 0 --quiet --only BPK-NUMERICS-07 "$planted"
never_says out 'operators taken'

# ONNX's own data, where they are: each provider that was built gives what they say
data=/usr/share/libonnx-testdata/data
if [ -d "$data/node" ]; then
    for plugin in "$BP_BUILDDIR"/providers/*.so; do
        [ -e "$plugin" ] || continue
        case $plugin in
        */libbp-opencl.so) continue ;; # tests/opencl/conformance.sh runs them
        esac
        kit 0 --onnx-tests "$data" --only ONNX "$plugin"
        grep 'BPK-ONNX-' "$work/out" | sed "s/^/$(basename "$plugin"): /"
    done
    if [ -e "$BP_BUILDDIR/providers/libbp-cpu.so" ]; then
        kit 0 --onnx-tests "$data" --only BPK-ONNX-01 "$BP_BUILDDIR/providers/libbp-cpu.so"
        ran=$(sed -n 's/.*(\([0-9]*\) of [0-9]* tests of one node taken.*/\1/p' "$work/out")
        [ "${ran:-0}" -ge 780 ] || failed "cpu ran $ran of ONNX's tests, 782 before"
    fi
else
    echo "not run: ONNX's own data; install Debian's libonnx-testdata"
fi
exit "$status"
