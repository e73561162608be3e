#!/bin/sh
# SPDX-License-Identifier: MIT
# cxx.sh - does a program compile and run that was written with ONNX Runtime's own C++ header, on our C
# header and our library?
#
# The header comes from BACKPLANE_ORT_HEADERS, a folder with onnxruntime_cxx_api.h in it, or out of Debian's
# libonnxruntime-dev, of the suites sid or experimental: only the C++ files, the rest is ours.

. "$BP_SRCDIR/tests/clients/lib.sh"
need "${CXX%% *}"

# A package of Debian that this release may not have: with lists of its own, nothing is installed.
get_headers()
{
    uri=$(apt-get indextargets --format '$(REPO_URI)' | sort | grep -m 1 '/debian/$') || return
    mkdir -p lists/partial archives/partial &&
        printf "deb $uri %s main\n" sid experimental >sources.list || return
    set -- -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=/nonexistent \
        -o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD" -o APT::Sandbox::User=root
    apt-get "$@" update && apt-get "$@" download libonnxruntime-dev/experimental &&
        dpkg-deb -x libonnxruntime-dev_*.deb . && rm -rf lists &&
        [ -f usr/include/onnxruntime/onnxruntime_cxx_api.h ]
}

headers=${BACKPLANE_ORT_HEADERS-}
if [ -z "$headers" ]; then
    need apt-get dpkg-deb
    fetch onnxruntime-headers get_headers || skip "$reason"
    headers=$cache/onnxruntime-headers/usr/include/onnxruntime
fi
mkdir "$dir/include"
for part in cxx_api cxx_inline float16 lite_custom_op experimental_cxx_api experimental_c_api; do
    cp "$headers/onnxruntime_$part".* "$dir/include/" 2>/dev/null
done
[ -f "$dir/include/onnxruntime_cxx_api.h" ] || skip "no onnxruntime_cxx_api.h in $headers"

$CXX -std=c++17 -I"$dir/include" -I"$BP_SRCDIR/sdk/onnxruntime" -o "$dir/program" \
    "$BP_SRCDIR/tests/clients/cxx.cc" "$library" -pthread -Wl,-rpath-link,"$BP_BUILDDIR/runtime/.libs" \
    2>"$dir/errors" || {
    head -n 30 "$dir/errors" >&2
    fail "it does not compile"
}
LD_LIBRARY_PATH=$(dirname "$library"):$BP_BUILDDIR/runtime/.libs \
    "$dir/program" "$BP_SRCDIR/examples/digits/digits.onnx" || fail "it does not run"
