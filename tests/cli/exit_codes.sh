#!/bin/sh
# SPDX-License-Identifier: MIT
# exit_codes.sh - each exit code of the man page, by a case that leads to it.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

make_model "$work/relu.onnx" Relu "$FLOAT" 1 3
make_model "$work/strange.onnx" NobodyKnowsThis "$FLOAT" 1 3
head -c 20 "$work/relu.onnx" >"$work/cut.onnx"
echo 'These are words, not a model.' >"$work/words.onnx"
: >"$work/empty.onnx"
make_npy "$work/zeros.npy" "$(header '<f4' '1, 3')" 000000000000000000000000

# 0 and 1: as expected or not
gives 0 run "$work/relu.onnx"
gives 0 run -i "x=$work/zeros.npy" -e "y=$work/zeros.npy" "$work/relu.onnx"
gives 1 run -e "y=$work/zeros.npy" "$work/relu.onnx"

# 2: arguments, and files that they name
refuses 2 'zeros.npy' run -i "x=$work/zeros.npy/none" "$work/relu.onnx"
refuses 2 'z' run -i "z=$work/zeros.npy" "$work/relu.onnx"
refuses 2 'z' run -e "z=$work/zeros.npy" "$work/relu.onnx"
refuses 2 'batch' run --dim batch=3 "$work/relu.onnx"
refuses 2 'x=1y3' run --shape x=1y3 "$work/relu.onnx"
refuses 2 'one argument too many' run "$work/relu.onnx" "$work/relu.onnx"

# 3: models
refuses 3 'none.onnx' run "$work/none.onnx"
for name in cut words empty; do
    refuses 3 "$name.onnx" info "$work/$name.onnx"
    refuses 3 "$name.onnx" run "$work/$name.onnx"
    refuses 3 "$name.onnx" plan "$work/$name.onnx"
    refuses 3 "$name.onnx" bench "$work/$name.onnx"
done
refuses 3 'NobodyKnowsThis' run "$work/strange.onnx"
gives 3 plan "$work/strange.onnx"
says out 'NobodyKnowsThis' 'no provider' 'cannot run'
gives 0 info "$work/strange.onnx"
says out 'not known'

# 4: providers
refuses 4 'nosuch' providers nosuch
refuses 4 'nosuch' run --providers nosuch "$work/relu.onnx"
mkdir "$work/dir"
echo 'no shared object' >"$work/dir/libbp-broken.so"
gives 4 --provider-dir "$work/dir" providers broken
says out 'not usable' 'MANIFEST'
refuses 4 'broken' --provider-dir "$work/dir" run -p broken --fallback require "$work/relu.onnx"

# 6: the system
if [ -w /dev/full ]; then
    code=0
    "$backplane" run "$work/relu.onnx" >/dev/full 2>"$work/err" || code=$?
    [ "$code" = 6 ] || failed "a full disk gives code $code"
    says err 'standard output'
fi

# 124: time is up before the run begins
refuses 124 'time limit' run --timeout 0.000000001 "$work/relu.onnx"
gives 0 run --timeout 100 "$work/relu.onnx"

# 5 is in providers.sh: it needs a provider that takes nothing

exit "$status"
