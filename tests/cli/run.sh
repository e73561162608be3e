#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - backplane run: inputs of every kind, outputs, comparisons.
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

# the three formats feed the same values
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
gives 2 run --dim batch=many "$model"
says err '--dim batch=many: is not SYMBOL=N'
gives 6 run --dim batch=4 -i "x=$work/x.npy" "$model"
says err "input 'x' takes 4x3, but 1x3 was given" "the session fixes 'batch'"
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
        python3 -m json.tool <"$work/out" >/dev/null || failed "$command --json is not JSON"
    done
fi

# the report says who ran what
gives 0 run --report -i "x=$work/x.npy" "$model"
says out 'provider' 'cpu' 'memory of runs'

# and for whom memory is held: rows add up to that of all, a device has its own
memory_row()
{
    sed -n "s/^$1  *\([0-9].*\)$/\1/p" "$work/out" | tail -n 1
}
make_model "$work/wide.onnx" Relu "$FLOAT" 1024 1024
gives 0 run --report "$work/wide.onnx"
never_says out 'on device'
never_says out 'host'
mkdir "$work/devices"
cp "$BP_MOCK_DIR/libbp-gizmo.so" "$work/devices/"
gives 0 run --report --provider-dir "$work/devices" -p gizmo "$work/wide.onnx"
says out 'on device: in use'
case $(memory_row gizmo) in
*'0 B  '*'MB  '*'MB') ;;
*) failed "no memory of gizmo's own: $(cat "$work/out")" ;;
esac
gives 0 run --report --json --provider-dir "$work/devices" -p gizmo "$work/wide.onnx"
says out '"memory": {' '"name": "gizmo"' '"name": "cpu"' '"name": "host"'
own=$(sed -n 's/^ *"own_idle_bytes": \([0-9]*\),$/\1/p' "$work/out" | sort -n | tail -n 1)
[ "$own" -ge 4194304 ] || failed "a result of 4 MiB, and gizmo has $own bytes"
gives 0 run --json "$work/wide.onnx"
never_says out '"memory"'

# a profile: who took how long, in the words of ONNX Runtime's profiles
gives 0 run --profile "$work/profile.json" -i "x=$work/x.npy" "$model"
for words in '"name":"model_loading_uri"' '"name":"session_initialization"' \
    '"cat":"Node"' '_kernel_time"' '"op_name":"Relu","provider":"CPUExecutionProvider"' \
    '"node_index":"0"' '"name":"model_run"'; do
    grep -qF -- "$words" "$work/profile.json" || failed "the profile does not have $words"
done
if command -v python3 >/dev/null; then
    python3 -m json.tool <"$work/profile.json" >/dev/null || failed 'the profile is not JSON'
fi
gives 6 run --profile "$work/none/profile.json" "$model"
says err 'none/profile.json'

# directories are another command's
refuses 2 "'backplane conform' runs directories" run "$work"

exit "$status"
