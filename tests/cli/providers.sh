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
for name in few needy absent undefined uncreated uncompiled unexecuted; do
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
says out 'DEPENDENCIES' '1 undefined symbol: bp_mock_function_that_nobody_defines (in libbp-undefined.so)'
bp 0 providers few
says out 'org.backplane.few' '1.2.3' 'level' '0 to 9' 'fast, exact' 'effort, 0 to 9'
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

# who runs what
bp 0 run -p few --report "$model"
says out 'few' 'cpu'
bp 0 plan -p few --all-nodes "$model"
says out 'the_node'
bp 0 plan -p few -o few:take=Add --fallback silent "$model"
says out 'refused by' 'OPTION' 'Relu'
bp 0 plan -p few -o few:take=Add --fallback silent --quiet --dot "$work/plan.dot" "$model"
grep -q 'few refused: OPTION' "$work/plan.dot" || failed 'the picture does not say why'

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
bp 5 run -p uncompiled --fallback require "$model"
says err 'the compiler gave up'
bp 6 run -p unexecuted "$model"
says err 'the device fell off the bus'

# a model that nobody can run is that, whoever is required
make_model "$work/strange.onnx" NobodyKnowsThis "$FLOAT" 1 3
bp 3 run -p few --fallback require "$work/strange.onnx"

exit "$status"
