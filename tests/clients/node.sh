#!/bin/sh
# SPDX-License-Identifier: MIT
# node.sh - the npm package onnxruntime-node, with our library in place of its own, and as it is.

. "$BP_SRCDIR/tests/clients/lib.sh"
need node npm
find_peer
[ -n "$peer" ] || skip "$reason"

try() # here|there LIBRARY
{
    cp -r "$cache/onnxruntime-node-$peer_release" "$dir/$1" || exit 1
    # it has to lie where the binding looks
    cp --remove-destination "$2" "$(find "$dir/$1" -path "*linux/$machine/libonnxruntime.so.1")" || exit 1
    mkdir "$dir/$1/models" && "$BP_BUILDDIR/tests/clients/models" "$dir/$1/models" || exit 1
    cp "$BP_SRCDIR/tests/clients/node.js" "$dir/$1/" || exit 1
    (cd "$dir/$1" && timeout 300 node node.js models) >"$dir/$1.tsv" 2>"$dir/$1.log" ||
        printf 'the_program_ends\tfail\n' >>"$dir/$1.tsv"
}

try here "$library"
try there "$peer"
verdict node "npm package onnxruntime-node $peer_release" || {
    cat "$dir/here.log"
    exit 1
}
