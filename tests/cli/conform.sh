#!/bin/sh
# SPDX-License-Identifier: MIT
# conform.sh - backplane conform: directories of test data, processes, known failures, JUnit.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

# Only the mocks that are needed, so that nothing else is found.
mkdir "$work/dir"
for name in few absent uncompiled crashing endless; do
    cp "$BP_MOCK_DIR/libbp-$name.so" "$work/dir/"
done
halves=000000000000003f00000040 # Relu of $three_floats

# make_test DIR OP DIGITS...: a set for each; its output is expected to be those digits.
make_test()
{
    test_dir=$1
    mkdir -p "$test_dir"
    make_model "$test_dir/model.onnx" "$2" "$FLOAT" 1 3
    shift 2
    set_number=0
    for digits in "$@"; do
        set_dir=$test_dir/test_data_set_$set_number
        mkdir -p "$set_dir"
        make_tensor "$set_dir/input_0.pb" "$FLOAT" "1 3" "$three_floats"
        make_tensor "$set_dir/output_0.pb" "$FLOAT" "1 3" "$digits"
        set_number=$((set_number + 1))
    done
}

make_test "$work/all/node/test_good" Relu "$halves" "$halves"
make_test "$work/all/node/test_bad" Relu "$halves" "$three_floats"
make_test "$work/all/more/deep/test_strange" NobodyKnowsThis "$halves"
good=$work/all/node/test_good

# ---- what is a test, and what comes of it -------------------------------------------------------

gives 0 conform "$good"
says out 'ok   test_good' '1 passed, 0 failed, 0 known, 0 skipped'
gives 1 conform "$good/" "$work/all/node/test_bad/"
says out 'ok   test_good' 'FAIL test_bad: test_data_set_1: output 0' '1 of 3' '1 passed, 1 failed'
gives 1 conform --quiet "$good" "$work/all/node/test_bad"
never_says out 'test_good'
says out 'FAIL test_bad'
gives 0 conform --report "$good"
says out 'cpu 1'

# at any depth, in the order of their names, however many run at a time
for jobs in 1 3; do
    gives 1 conform --jobs "$jobs" "$work/all"
    sed -n 's/^\(ok\|FAIL\) *\([^: ]*\).*/\2/p' "$work/out" | tr '\n' ' ' >"$work/names"
    [ "$(cat "$work/names")" = 'all/more/deep/test_strange all/node/test_bad all/node/test_good ' ] ||
        failed "tests in the wrong order: $(cat "$work/names")"
    says out 'NobodyKnowsThis' '1 passed, 2 failed'
done
gives 3 conform "$work/all/more"

# tolerances are the caller's to choose
gives 0 conform --atol 1 "$work/all/node"

# what can be wrong with a directory
mkdir -p "$work/nothing"
make_test "$work/no_data" Relu
make_test "$work/no_output" Relu "$halves"
rm "$work/no_output/test_data_set_0/output_0.pb"
refuses 2 'there is no test in it' conform "$work/nothing"
refuses 2 'No such file' conform "$work/none"
refuses 2 'is not a directory' conform "$good/model.onnx"
gives 2 conform "$work/no_data"
says out 'FAIL no_data: ' 'no test_data_set_'
gives 2 conform "$work/no_output"
says out 'output_0.pb'
make_test "$work/broken" Relu "$halves"
head -c 9 "$good/test_data_set_0/output_0.pb" >"$work/broken/test_data_set_0/output_0.pb"
gives 2 conform "$work/broken"
says out 'output_0.pb'
make_test "$work/many" Relu "$halves"
cp "$good/test_data_set_0/output_0.pb" "$work/many/test_data_set_0/output_1.pb"
gives 2 conform "$work/many"
says out 'more outputs than the model'

# ---- all inputs but the first as initializers ----------------------------------------------------

# make_weighted DIR: y = x + -w, with two sets that have other weights.
make_weighted()
{
    mkdir -p "$1/test_data_set_0" "$1/test_data_set_1"
    nodes=$(message 1 "$(string 1 w)$(string 2 v)$(string 4 Neg)")
    nodes=$nodes$(message 1 "$(string 1 x)$(string 1 v)$(string 2 y)$(string 4 Add)")
    ends=$(message 11 "$(value_info x "$FLOAT" 1 3)")$(message 11 "$(value_info w "$FLOAT" 1 3)")
    ends=$ends$(message 12 "$(value_info y "$FLOAT" 1 3)")
    {
        number 1 3 # an IR version in which each initializer had to be an input too
        message 7 "$nodes$(string 2 the_graph)$ends"
        message 8 "$(number 2 13)"
    } | emit >"$1/model.onnx"
    for set_number in 0 1; do
        make_tensor "$1/test_data_set_$set_number/input_0.pb" "$FLOAT" "1 3" "$three_floats"
    done
    make_tensor "$1/test_data_set_0/input_1.pb" "$FLOAT" "1 3" "$three_floats"
    make_tensor "$1/test_data_set_0/output_0.pb" "$FLOAT" "1 3" 000000000000000000000000
    make_tensor "$1/test_data_set_1/input_1.pb" "$FLOAT" "1 3" 000000000000000000000000
    make_tensor "$1/test_data_set_1/output_0.pb" "$FLOAT" "1 3" "$three_floats"
}

make_weighted "$work/weighted"
gives 0 conform --report "$work/weighted"
says out 'ok   weighted  (cpu 2)'
# Neg of an initializer is computed before the provider sees the graph.
gives 0 conform --report --constant-inputs "$work/weighted"
says out 'ok   weighted  (cpu 1)' '1 passed'
gives 0 conform --constant-inputs "$good"
cp "$work/weighted/test_data_set_0/output_0.pb" "$work/weighted/test_data_set_1/"
gives 1 conform --constant-inputs "$work/weighted"
says out 'FAIL weighted: test_data_set_1: output 0' '3 of 3'
head -c 9 "$good/test_data_set_0/input_0.pb" >"$work/weighted/test_data_set_0/input_1.pb"
gives 3 conform --constant-inputs "$work/weighted"
head -c 50 "$good/model.onnx" >"$work/weighted/model.onnx"
gives 2 conform --constant-inputs "$work/weighted"
says out 'model.onnx: it is cut off'
gives 2 conform --constant-inputs "$work/no_data"
says out 'no test_data_set_'

# ---- providers, and what they do to their process -----------------------------------------------

bp() # CODE ARGUMENT...
{
    code_wanted=$1
    shift
    gives "$code_wanted" --provider-dir "$work/dir" "$@"
}

bp 0 conform -p few --report "$good"
says out 'few 1'
bp 4 conform -p absent "$good"
says err 'driver too old'
bp 4 conform -p nosuch "$good"
says err 'nosuch'
bp 2 conform -p few -o few:tak=Relu "$good"
says out "did you mean 'take'"

# a required provider that takes nothing has nothing to show; one that takes it and fails has
bp 0 conform -p few -o few:take=Add --fallback require "$good"
says out 'skip test_good: ' 'takes none' '0 passed, 0 failed, 0 known, 1 skipped'
bp 6 conform -p uncompiled --fallback require "$good"
says out 'FAIL test_good: ' 'the compiler gave up'

bp 1 conform -p crashing "$good" "$work/all/more/deep/test_strange"
says out 'FAIL test_good: crashed (signal 6)' '0 passed, 2 failed'
bp 124 conform -p endless --timeout 0.2 "$good"
says out 'FAIL test_good: did not end within 0.2 s'

# ---- known failures -----------------------------------------------------------------------------

cat >"$work/expect" <<END
# what is known

node/test_bad	the second set is wrong
all/*/test_str*  no runtime has it
END
sed -i 's|^node/|all/node/|' "$work/expect"
gives 0 conform --expect "$work/expect" "$work/all"
says out 'known all/node/test_bad: the second set is wrong (test_data_set_1' \
    '1 passed, 0 failed, 2 known, 0 skipped'
echo 'test_good it was thought to fail' >>"$work/expect"
gives 1 conform --expect "$work/expect" "$work/all"
says out 'FAIL all/node/test_good: passes, but ' 'expect:5 says that it fails: it was thought to fail'
echo 'test_bad' >"$work/reasonless"
refuses 2 'reasonless:1' conform --expect "$work/reasonless" "$good"
refuses 2 'No such file' conform --expect "$work/none" "$good"

# the list of failures can be handed back
gives 1 conform --quiet --list-failures "$work/all"
grep '^all/' "$work/out" >"$work/listed"
gives 0 conform --expect "$work/listed" "$work/all"
says out '1 passed, 0 failed, 2 known'

# ---- for machines -------------------------------------------------------------------------------

gives 1 conform --junit "$work/junit.xml" --expect "$work/expect" "$work/all"
grep -q '<testsuite name="backplane conform" tests="3" failures="1" errors="0" skipped="2"' \
    "$work/junit.xml" || failed "JUnit: $(head -n 2 "$work/junit.xml")"
grep -q '<testcase classname="all/node" name="test_bad"' "$work/junit.xml" || failed 'JUnit: no test_bad'
bp 6 conform -p crashing --junit "$work/crash.xml" "$good"
grep -q '<error message="crashed (signal 6)"' "$work/crash.xml" || failed 'JUnit: no crash'
if command -v xmllint >/dev/null; then
    xmllint --noout "$work/junit.xml" "$work/crash.xml" || failed 'JUnit: no XML'
fi
refuses 2 'none/x.xml' conform --junit "$work/none/x.xml" "$good"

gives 1 conform --json "$work/all"
says out '"passed": 1' '"failed": 2' '"result": "failed"'
if command -v python3 >/dev/null; then
    python3 -m json.tool <"$work/out" >/dev/null || failed 'conform --json is not JSON'
fi

exit "$status"
