#!/bin/sh
# SPDX-License-Identifier: MIT
# cxx.sh - compiles a program that uses ONNX Runtime's own C++ header on our C headers, and runs it on our
# library. The program (cxx/) uses every class of the header.
#
# The header comes from BACKPLANE_ORT_HEADERS, a folder with onnxruntime_cxx_api.h in it, or out of Debian's
# libonnxruntime-dev, of the suites sid or experimental: only the C++ files, the rest is ours.

. "$BP_SRCDIR/tests/clients/lib.sh"
need "${CXX%% *}"
program=$BP_SRCDIR/tests/clients/cxx

# Classes that a program which uses ONNX Runtime does not, and why.
# For the authors of plug-in EPs, on OrtEpApi, which this library has no implementation of:
exceptions='ConstKernelDef KernelDef KernelDefBuilder KernelRegistry
    ConstOpSchemaTypeConstraint OpSchema ConstProfilingEvent ProfilingEvent
    UnownedProfilingEventsContainer UnownedSharedPrePackedWeightCache'
# Bases, and what CreateLiteCustomOp() and Variadic are made of:
exceptions="$exceptions Base Unowned ArgBase TensorBase TensorArray OrtLiteCustomFunc Kernel"

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

# The classes that the headers define, and the names that they give to templates of classes. A class
# ...Impl is used through the classes and names made of it.
classes()
{
    cat "$dir/include/onnxruntime_cxx_api.h" "$dir/include/onnxruntime_lite_custom_op.h" |
        sed -n -E '
            /;[[:space:]]*$/!s/^[[:space:]]*(template <[^;]*> *)?(struct|class) ([A-Za-z_0-9]+)( .*)?$/\3/p
            s/^using ([A-Za-z_0-9]+) =( *detail::.*)?$/\1/p' |
        grep -v 'Impl$' | sort -u
}

# Fails if the program has no class of this kind.
check_classes()
{
    unused=
    for class in $(classes); do
        case " $(echo $exceptions) " in
        *" $class "*) continue ;;
        esac
        grep -q "::$class\>" "$program"/*.cc "$program"/cxx.h || unused="$unused $class"
    done
    [ -z "$unused" ] || fail "tests/clients/cxx/ does not use$unused"
    [ "$(classes | wc -l)" -gt 80 ] || fail "the classes of the header are not found"
}

headers=${BACKPLANE_ORT_HEADERS-}
if [ -z "$headers" ]; then
    need apt-get dpkg-deb
    fetch onnxruntime-headers get_headers || skip "$reason"
    headers=$cache/onnxruntime-headers/usr/include/onnxruntime
fi
mkdir "$dir/include" "$dir/models"
for part in cxx_api cxx_inline float16 lite_custom_op experimental_cxx_api experimental_c_api; do
    cp "$headers/onnxruntime_$part".* "$dir/include/" 2>/dev/null
done
[ -f "$dir/include/onnxruntime_cxx_api.h" ] || skip "no onnxruntime_cxx_api.h in $headers"
check_classes

$CXX -std=c++17 -I"$dir/include" -I"$BP_SRCDIR/sdk/onnxruntime" -o "$dir/program" "$program"/*.cc \
    "$library" -pthread -Wl,-rpath-link,"$BP_BUILDDIR/runtime/.libs" 2>"$dir/errors" || {
    head -n 30 "$dir/errors" >&2
    fail "it does not compile"
}
"$BP_BUILDDIR/tests/clients/models" "$dir/models" || fail "models: no models"

try() # here|there LIBRARY
{
    LD_LIBRARY_PATH=$(dirname "$2"):$BP_BUILDDIR/runtime/.libs timeout 300 \
        "$dir/program" "$dir/models" >"$dir/$1.tsv" 2>"$dir/$1.log" ||
        printf 'the_program_ends\tfail\n' >>"$dir/$1.tsv"
}

try here "$library"
find_peer
[ -z "$peer" ] || try there "$peer"
verdict cxx "C++ program of ours on onnxruntime_cxx_api.h" || {
    cat "$dir/here.log"
    exit 1
}
