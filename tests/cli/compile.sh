#!/bin/sh
# SPDX-License-Identifier: MIT
# compile.sh - backplane compile: models with programs of cann, in them and beside them.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
if ! "$backplane" --quiet providers cann; then
    echo "skipped: the cann provider is not usable"
    exit 77
fi

on_cann='--providers cann,cpu --option cann:driver=sim --option cann:enable_cann_graph=1 --option cann:dump_om_model=0'
make_model "$work/relu.onnx" Relu 1 4
mkdir "$work/dir"

# $on_cann is several words
# shellcheck disable=SC2086
compile()
{
    compile_code=$1
    shift
    gives "$compile_code" compile $on_cann "$@"
}

# what goes where
refuses 2 '--output is missing' compile "$work/relu.onnx"
refuses 3 'No such file' compile -o "$work/dir/a.onnx" "$work/none.onnx"
refuses 2 'is the model itself' compile -o "$work/relu.onnx" "$work/relu.onnx"
refuses 2 'is a directory' compile -o "$work/dir" "$work/relu.onnx"
compile 2 -o "$work/no/such/a.onnx" "$work/relu.onnx"
says err 'cannot write the compiled program' "$work/no/such/a_"

# nothing to save: who did not, and why
gives 5 compile --providers cpu -o "$work/dir/a.onnx" "$work/relu.onnx"
says err 'no group of nodes became a program' 'cpu: not saved' '--providers'
[ -z "$(ls "$work/dir")" ] || failed "files after a failure: $(ls "$work/dir")"

# beside the model, whose directory may be moved
compile 0 --report -o "$work/dir/a.onnx" "$work/relu.onnx"
says out '1 of them compiled programs in files beside it' 'group  program' 'saved'
set -- "$work/dir"/a_*.bin
[ $# = 1 ] && [ -f "$1" ] || failed "not one file of programs: $*"
[ "$(ls "$work/dir" | wc -l)" = 2 ] || failed "other files: $(ls "$work/dir")"
mv "$work/dir" "$work/moved"
# shellcheck disable=SC2086
gives 0 run $on_cann --report --seed 1 "$work/moved/a.onnx"
says out 'loaded out of the model' 'cann'
gives 0 info "$work/moved/a.onnx"
says out 'EPContext'
# shellcheck disable=SC2086
gives 0 plan $on_cann "$work/moved/a.onnx"
says out 'cann'

# the values are those of the model
"$backplane" run --seed 5 --providers cpu "$work/relu.onnx" | grep '^ *y ' >"$work/want"
# shellcheck disable=SC2086
"$backplane" run --seed 5 $on_cann "$work/moved/a.onnx" | grep '^ *y ' >"$work/got"
cmp -s "$work/want" "$work/got" || failed 'the compiled model gives other values'

# embedded; a file is written over with --force only
compile 2 --embed -o "$work/moved/a.onnx" "$work/relu.onnx"
says err 'is there already: --force'
compile 0 --embed --force --node-prefix my_ -o "$work/moved/b.onnx" "$work/relu.onnx"
says out '1 of them compiled programs, '
[ ! -e "$work/moved/b_"* ] || failed 'a file of programs that are embedded'
grep -q my_cann "$work/moved/b.onnx" || failed 'no node has the prefix'
# shellcheck disable=SC2086
gives 0 run $on_cann "$work/moved/b.onnx"

# without the provider, and with a damaged or missing program
refuses 3 "compiled by 'org.backplane.cann'" run --providers cpu "$work/moved/b.onnx"
program=$(ls "$work"/moved/a_*.bin)
printf X | dd of="$program" bs=1 seek=$(($(wc -c <"$program") - 1)) conv=notrunc 2>"$work/dd"
# shellcheck disable=SC2086
gives 3 run $on_cann "$work/moved/a.onnx"
says err 'its checksum is wrong' "provider 'cann'" 'compile the model again'
rm "$program"
# shellcheck disable=SC2086
gives 3 run $on_cann "$work/moved/a.onnx"
says err 'No such file' 'use the model that it was compiled from'

exit "$status"
