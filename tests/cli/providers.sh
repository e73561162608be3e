#!/bin/sh
# SPDX-License-Identifier: MIT
# providers.sh - states, options and fallback, with the providers of tests/mock that have one fault
# each.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
[ -e "$BP_MOCK_DIR/libbp-few.so" ] || failed "no mock providers in $BP_MOCK_DIR"

# The mocks that these tests need, and no others.
mkdir "$work/dir"
for name in few gadget needy absent undefined uncreated uncompiled unexecuted; do
    cp "$BP_MOCK_DIR/libbp-$name.so" "$work/dir/"
done
make_model "$work/relu.onnx" Relu "$FLOAT" 1 3
model=$work/relu.onnx

bp() # CODE ARGUMENT...
{
    code_wanted=$1
    shift
    gives "$code_wanted" --provider-dir "$work/dir" "$@"
}

# the list: who is usable, and why the others are not
bp 0 providers
says out "$work/dir" 'few' 'usable' 'not usable' 'AVAILABLE' 'driver too old' 'update the driver' \
    'DEPENDENCIES' 'searched'
bp 0 providers --no-open
says out 'not opened' '1.2.3' 'libbp-undefined.so'
never_says out 'not usable'
bp 0 providers --no-open --json
says out '"state": "not opened"' '"stage": "POLICY"' '"ignored_variables"'
bp 4 providers undefined
says out 'DEPENDENCIES' '1 undefined symbol: bp_mock_function_without_definition (in libbp-undefined.so)'
bp 0 providers few
says out 'org.backplane.few' '1.2.3' 'level' '0 to 9' 'fast, exact' 'effort, 0 to 9'
bp 0 providers gadget
says out 'GPU' '0000:fe:00.0' 'Mock GPU' '4096 MiB' 'NPU' 'Mock NPU' 'may change in a session'
bp 0 providers --json gadget
says out '"kind": "NPU"' '"memory_bytes": 4294967296' '"dynamic": true'
bp 0 providers --json cpu # a processor's memory is the machine's
grep -q '"memory_bytes": [1-9][0-9]\{7,\}' "$work/out" || failed 'the processor has no memory'
bp 0 providers cpu
grep -q '^0 .* CPU .* [1-9][0-9]* MiB' "$work/out" || failed 'no memory in the row of the processor'
bp 0 providers FewExecutionProvider
bp 0 providers org.backplane.few
bp 0 providers "$work/dir/libbp-few.so"
bp 0 providers needy
says out 'must be given'
bp 4 providers absent
says out 'not usable' 'driver too old: 535.54 < 550.0' 'update the driver'
bp 0 --quiet providers few
[ ! -s "$work/out" ] || failed '--quiet says something'
bp 4 --quiet providers absent

# D-01: all that are known, as a matrix for people and for machines; nothing is opened for it
bp 0 providers --known
says out 'supported' 'linkable' 'cpu' 'tensorrt' 'elsewhere' 'needs a browser' 'rocm' 'use migraphx'
[ "$(grep -c '^[a-z0-9]* *\(here\|elsewhere\|gone\) ' "$work/out")" -ge 28 ] ||
    failed "too few rows: $(cat "$work/out")"
never_says out few
bp 0 --quiet providers --known
[ ! -s "$work/out" ] || failed '--quiet says something'
refuses 2 'takes no name: cpu' providers --known cpu
refuses 2 'takes no name: info' providers --known info cpu

# fact NAME KEY: its value in the matrix, as JSON has it
fact()
{
    sed -n "/\"name\": \"$1\"/,/}/s/.*\"$2\": \(.*[^,]\),*\$/\1/p" "$work/out"
}

# wants NAME KEY VALUE...
wants()
{
    of=$1
    shift
    while [ $# -gt 0 ]; do
        [ "$(fact "$of" "$1")" = "$2" ] || failed "known $of: $1 is $(fact "$of" "$1"), not $2"
        shift 2
    done
}
: >"$work/dir/libbp-webgpu.so"
bp 0 providers --known
says out 'not an ELF file'
bp 0 providers --known --json
rm "$work/dir/libbp-webgpu.so"
if command -v jq >/dev/null; then
    jq -e '.known_providers | length >= 28' "$work/out" >/dev/null ||
        failed 'jq does not like the matrix'
fi
wants cpu home '"here"' supported true linkable true onnxruntime_name '"CPUExecutionProvider"' \
    needs null replaced_by null
wants tensorrt home '"elsewhere"' supported false binary_available false linkable false \
    linked false needs '"an NVIDIA GPU with CUDA and TensorRT"' state '"not installed"' \
    onnxruntime_name '"TensorrtExecutionProvider"'
wants rocm home '"gone"' supported false binary_available false replaced_by '"migraphx"'
wants webgpu home '"elsewhere"' supported true binary_available true linkable false \
    onnxruntime_name '"WebGpuExecutionProvider"' state '"not usable"' \
    file "\"$work/dir/libbp-webgpu.so\""

# P7: an option's row as text, JSON and manual page; secrets stay secret
bp 0 providers info needy
says out 'token' 'cache' '1M to 64G' '64M' '(may change in a session)' '(deprecated)'
bp 0 providers info needy --json
says out '"key": "cache"' '"dynamic": true' '"secret": true' '"deprecated": true'
bp 0 providers info needy --man
says out '.Nm "needy"' '.It Cm "cache" Pq integer' 'Values: 1M to 64G.' 'Default: 64M.' \
    'It must be given.' 'Its value is never shown.' 'It is deprecated.'
if command -v mandoc >/dev/null; then
    mandoc -T lint -W error "$work/out" || failed 'mandoc does not like the page'
fi
bp 0 run -p needy -o needy:token=hunter2 -o needy:cache=2M "$model"
bp 2 run -p needy -o needy:token=hunter2 -o needy:cache=65G "$model"
says err 'allowed are 1M to 64G'
never_says err hunter2

# who runs what
bp 0 run -p few --report "$model"
says out 'few' 'cpu'
bp 0 plan -p few --all-nodes "$model"
says out 'the_node'
bp 0 plan -p few -o few:take=Add --fallback silent "$model"
says out 'refused by' 'OPTION' 'Relu'
bp 0 plan -p few -o few:take=Add --fallback silent --quiet --dot "$work/plan.dot" "$model"
grep -q 'few refused: OPTION' "$work/plan.dot" || failed 'the plan diagram does not say why'

# which of its devices computes: Relu gives twice as much on the second one
printf %s "$three_floats" | emit >"$work/x.bin"
bp 0 run -p gadget -i "x=$work/x.bin" "$model"
says out 'max 2'
bp 0 run -p gadget --device gadget=1,0 -i "x=$work/x.bin" "$model"
says out 'max 4'
bp 2 run -p gadget --device gadget=2 "$model"
says err "no device is '2'" 'Mock NPU'
bp 2 run -p gadget --device few=0 "$model"
says err 'few' 'not in --providers'
bp 2 run -p gadget --device gadget=one "$model"
says err "no device is 'one'" '0 (gpu' '1 (npu'
bp 2 run -p gadget --device gadget "$model"
says err 'PROVIDER=DEVICE'
bp 0 run -p gadget -o gadget:device=npu -i "x=$work/x.bin" "$model"
says out 'max 4'
bp 0 plan -p gadget --device gadget=npu "$model"
says out 'device' 'npu0'

# options are checked before anything runs
bp 0 run -p few -o few:gain=4 -o few:level=9 -o cpu:blas=false "$model"
bp 2 run -p few -o few:tak=Relu "$model"
says err "did you mean 'take'"
bp 2 run -p few -o few:level=10 "$model"
says err '0 to 9'
bp 2 run -p needy "$model"
says err 'token'
bp 0 run -p needy -o needy:token=me "$model"

# the three policies
bp 0 run -p absent --fallback silent "$model"
says out '[1, 3]'
code=0
"$backplane" --provider-dir "$work/dir" run -p absent "$model" >"$work/out" 2>"$work/err" || code=$?
[ "$code" = 0 ] || failed "fallback with a warning gives code $code"
says err 'warning' 'absent' 'driver too old'
bp 4 run -p absent --fallback require "$model"
says err 'absent' 'driver too old'
bp 4 run -p uncreated --fallback require "$model"
bp 5 run -p few -o few:take=Add --fallback require "$model"
says err 'takes none'
bp 5 plan -p few -o few:take=Add --fallback require "$model"
bp 6 run -p uncompiled --fallback require "$model"
says err 'the compiler gave up'
bp 6 run -p unexecuted "$model"
says err 'the device fell off the bus'

# a model that no provider can run is reported as that, whichever is required
make_model "$work/strange.onnx" NobodyKnowsThis "$FLOAT" 1 3
bp 3 run -p few --fallback require "$work/strange.onnx"

# 5,000 files are listed in time that grows with their number, not with its square or cube (1:05 minutes
# before, a quarter of a second now; the limit is for slow machines and builds).
mkdir "$work/many"
cp "$BP_MOCK_DIR/libbp-few.so" "$work/many/libbp-0.so"
for i in $(seq 99); do
    ln "$work/many/libbp-0.so" "$work/many/libbp-$i.so"
done
set --
for i in $(seq 50); do
    cp -al "$work/many" "$work/many$i"
    set -- "$@" --provider-dir "$work/many$i"
done
timeout 20 "$backplane" "$@" providers --no-open --json >"$work/out" 2>"$work/err" ||
    failed "5,000 files as JSON: code $?"
[ "$(grep -c '"file": .*many' "$work/out")" = 5000 ] ||
    failed "of 5,000 files $(grep -c '"file": .*many' "$work/out") are in the JSON"
timeout 20 "$backplane" "$@" providers --no-open >"$work/out" 2>"$work/err" || failed "5,000 files: code $?"
[ "$(grep -c 'many.*libbp-' "$work/out")" -ge 5000 ] || failed "some of 5,000 files are not in the table"

exit "$status"
