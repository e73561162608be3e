#!/bin/sh
# SPDX-License-Identifier: MIT
# npy.sh - reads unusual but valid .npy files, and refuses malformed ones.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

make_model "$work/relu.onnx" Relu "$FLOAT" batch 3
data=$three_floats

accepts() # HEADER [VERSION]
{
    make_npy "$work/x.npy" "$1" "$data" "${2:-1}"
    gives 0 run -i "x=$work/x.npy" "$work/relu.onnx"
    says out '0 0.5 2'
}

rejects() # TEXT HEADER [DIGITS [VERSION]]
{
    make_npy "$work/x.npy" "$2" "${3-$data}" "${4:-1}"
    refuses 2 "$1" run -i "x=$work/x.npy" "$work/relu.onnx"
    says err 'x.npy'
}

accepts "$(header '<f4' '1, 3')"
accepts "$(header '<f4' '1, 3')" 2
accepts "$(header '<f4' '1, 3')" 3
accepts "{\"shape\":(1,3),\"fortran_order\":False,\"descr\":\"<f4\"}"
accepts "  { 'shape' : ( 1 , 3 , ) , 'descr' : '<f4' , 'fortran_order' : False }     "

rejects 'Fortran order' "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3), }"
rejects 'big-endian' "$(header '>f4' '1, 3')"
rejects "type '<U4'" "$(header '<U4' '1, 3')"
rejects "type '|O'" "$(header '|O' '1, 3')"
rejects 'structured' "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }"
rejects 'holds float64' "$(header '<f8' '1, 1')" 0000000000000000
rejects 'version 4' "$(header '<f4' '1, 3')" "$data" 4
rejects 'needs 16 bytes' "$(header '<f4' '1, 4')"
rejects 'needs 8 bytes' "$(header '<f4' '1, 2')"
rejects 'too large' "$(header '<f4' '4611686018427387904, 4611686018427387904')"
rejects 'tuple' "$(header '<f4' '99999999999999999999')"
rejects 'tuple' "$(header '<f4' '-1, 3')"
rejects 'tuple' "$(header '<f4' '3')"
rejects 'tuple' "$(header '<f4' '1 3')"
rejects 'tuple' "{'descr': '<f4', 'fortran_order': False, 'shape': 3, }"
rejects 'neither True nor False' "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 3), }"
rejects 'lacks' "{'descr': '<f4', 'shape': (1, 3), }"
rejects 'unknown key' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), 'more': 1}"
rejects 'dictionary' ''
rejects 'dictionary' 'print(1)'
rejects 'dictionary' "{'descr': '<f4'"
rejects 'goes on' "$(header '<f4' '1, 3') x"
dims=$(printf '1, %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22)
rejects '64 dimensions' "$(header '<f4' "$dims$dims$dims")"

# every beginning of a sound file is refused, with a sentence
make_npy "$work/whole.npy" "$(header '<f4' '1, 3')" "$data"
size=$(wc -c <"$work/whole.npy")
at=0
while [ "$at" -lt "$size" ]; do
    head -c "$at" "$work/whole.npy" >"$work/x.npy"
    refuses 2 'x.npy' run -i "x=$work/x.npy" "$work/relu.onnx"
    at=$((at + 7))
done

# a header that claims to be longer than the file
printf '934e554d505903 00 ffffffff7b' | tr -d ' ' | emit >"$work/x.npy"
refuses 2 'ends within its header' run -i "x=$work/x.npy" "$work/relu.onnx"
printf 'x' >"$work/x.npy"
refuses 2 'ends within its first bytes' run -i "x=$work/x.npy" "$work/relu.onnx"

# raw bytes of the wrong size
printf 'abc' >"$work/x.raw"
refuses 2 '3 raw bytes' run -i "x=$work/x.raw" "$work/relu.onnx"
refuses 2 'Is a directory' run -i "x=$work" "$work/relu.onnx"

exit "$status"
