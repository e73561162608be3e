#!/bin/sh
# SPDX-License-Identifier: MIT
# python.sh - OrtApi by ctypes, as Python programs use the module onnxruntime, which runs beside it.

. "$BP_SRCDIR/tests/clients/lib.sh"
need python3

pip_install()
{
    timeout 300 python3 -m pip install --disable-pip-version-check --only-binary=:all: --retries 1 \
        --target . "onnxruntime==$peer_release" numpy==2.4.6
}

try() # RESULT MODULE LIBRARY
{
    mkdir "$dir/models.$1" && "$BP_BUILDDIR/tests/clients/models" "$dir/models.$1" || exit 1
    ORT_LIBRARY=$3 timeout 300 python3 "$BP_SRCDIR/tests/clients/python.py" "$2" "$dir/models.$1" \
        "$dir/$1.tsv" >"$dir/$1.log" 2>&1 || printf 'the_program_ends\tfail\n' >>"$dir/$1.tsv"
}

packages=python-onnxruntime-$peer_release
need_fetched $packages pip_install
export PYTHONPATH="$cache/$packages:$BP_SRCDIR/tests/clients" PYTHONDONTWRITEBYTECODE=1
export ORT_SLOTS="$BP_SRCDIR/runtime/ort/slots_api.inc"

try here ctypes_module "$library"
try there onnxruntime ''
# what stands in for the module has to do the same on the same library
find_peer
if [ -n "$peer" ]; then
    try standing_in ctypes_module "$peer"
    diff "$dir/there.tsv" "$dir/standing_in.tsv" || {
        cat "$dir/there.log" "$dir/standing_in.log"
        fail "ctypes_module.py is not like the module"
    }
fi
verdict python "Python, as module onnxruntime $peer_release" || {
    cat "$dir/here.log"
    exit 1
}
