#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - backplane run: inputs of every kind, outputs, comparisons, directories of test data.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

make_model "$work/relu.onnx" Relu "$FLOAT" batch 3
model=$work/relu.onnx
printf %s "$three_floats" | emit >"$work/x.bin"
make_npy "$work/x.npy" "$(header '<f4' '1, 3')" "$three_floats"
make_npy "$work/y.npy" "$(header '<f4' '1, 3')" 000000000000003f00000040
make_tensor "$work/x.pb" "$FLOAT" "1 3" "$three_floats"
make_tensor "$work/y.pb" "$FLOAT" "1 3" 000000000000003f00000040

# the three formats feed the same numbers
for file in x.npy x.pb x.bin; do
    gives 0 run -i "x=$work/$file" "$model"
    says out 'y' 'float32[1, 3]' 'min 0' 'max 2' '0 0.5 2' "$file"
done
gives 0 run -i "x=$work/x.npy" -e "y=$work/y.npy" "$model"
says out 'same y'
gives 0 run -i "x=$work/x.npy" -e "y=$work/y.pb" "$model"

# what is written can be read
gives 0 run -i "x=$work/x.npy" --output-dir "$work/made" "$model"
cmp "$work/made/y.npy" "$work/made/y.npy" || failed 'nothing was written'
gives 0 run -i "x=$work/x.npy" -e "y=$work/made/y.npy" "$model"

# random inputs: the same for a seed, in the shape that is wanted
gives 0 run --dim batch=4 --seed 7 --output-dir "$work/seven" "$model"
says out 'float32[4, 3]' 'seed 7'
gives 0 run --dim batch=4 --seed 7 -e "y=$work/seven/y.npy" --rtol 0 --atol 0 "$model"
gives 1 run --dim batch=4 --seed 8 -e "y=$work/seven/y.npy" "$model"
gives 0 run --shape x=2x3 "$model"
says out 'float32[2, 3]'
gives 1 run --shape x=2x3 -e "y=$work/seven/y.npy" "$model"
says out 'DIFFERS' 'float32[2, 3]' 'float32[4, 3]'

# a difference: how many, where, what
make_npy "$work/off.npy" "$(header '<f4' '1, 3')" 000000000000003f00004040
gives 1 run -i "x=$work/x.npy" -e "y=$work/off.npy" "$model"
says out 'DIFFERS y' '1 of 3 elements' '[0, 2]' 'got 2' 'expected 3'
gives 0 run -i "x=$work/x.npy" -e "y=$work/off.npy" --rtol 0.5 "$model"
gives 0 run -i "x=$work/x.npy" -e "y=$work/off.npy" --atol 1 "$model"
gives 1 run --quiet -i "x=$work/x.npy" -e "y=$work/off.npy" "$model"
[ ! -s "$work/out" ] || failed '--quiet says something'

# JSON that a reader takes
if command -v python3 >/dev/null; then
    for command in "run --report" info plan providers "bench --runs 3"; do
        target=$model
        [ "$command" = providers ] && target=cpu
        # shellcheck disable=SC2086 # a command and its option
        gives 0 $command --json "$target"
        python3 -m json.tool <"$work/out" >/dev/null || failed "$command --json is no JSON"
    done
fi

# the report says who ran what
gives 0 run --report -i "x=$work/x.npy" "$model"
says out 'provider' 'cpu'

# ---- directories of test data -------------------------------------------------------------------

for name in test_good test_bad; do
    mkdir -p "$work/$name/test_data_set_0"
    cp "$model" "$work/$name/model.onnx"
    cp "$work/x.pb" "$work/$name/test_data_set_0/input_0.pb"
    cp "$work/y.pb" "$work/$name/test_data_set_0/output_0.pb"
done
mkdir "$work/test_bad/test_data_set_1"
cp "$work/x.pb" "$work/test_bad/test_data_set_1/input_0.pb"
cp "$work/x.pb" "$work/test_bad/test_data_set_1/output_0.pb"

gives 0 run "$work/test_good"
says out 'ok   test_good' '1 passed, 0 failed'
gives 1 run "$work/test_good" "$work/test_bad/"
says out 'ok   test_good' 'FAIL test_bad: test_data_set_1: output 0' '1 of 3' '1 passed, 1 failed'
gives 1 run --quiet "$work/test_good" "$work/test_bad"
never_says out 'test_good'
says out 'FAIL test_bad'
gives 0 run --report "$work/test_good"
says out 'cpu 1'

# what can be wrong with a directory
mkdir -p "$work/test_nothing" "$work/test_no_data" "$work/test_no_output/test_data_set_0"
cp "$model" "$work/test_no_data/model.onnx"
cp "$model" "$work/test_no_output/model.onnx"
cp "$work/x.pb" "$work/test_no_output/test_data_set_0/input_0.pb"
gives 3 run "$work/test_nothing"
says out 'FAIL test_nothing' 'model.onnx'
gives 2 run "$work/test_no_data"
says out 'no test_data_set_'
gives 2 run "$work/test_no_output"
says out 'output_0.pb'
head -c 9 "$work/x.pb" >"$work/test_no_output/test_data_set_0/output_0.pb"
gives 2 run "$work/test_no_output"
says out 'output_0.pb'
gives 1 run "$work/test_nothing" "$work/test_no_data"
refuses 2 'do not go together' run "$work/test_good" "$model"
refuses 2 'own inputs' run --seed 1 --dim batch=1 "$work/test_good"

exit "$status"
