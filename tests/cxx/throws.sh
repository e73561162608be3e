#!/bin/sh
# SPDX-License-Identifier: MIT
# throws.sh - exceptions that functions of a C++ application throw into the libraries become a status or a line
# of the log (runtime/base/guard.c).

set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

ort=$BP_BUILDDIR/runtime/ort/.libs/libonnxruntime.so.1
host=$BP_BUILDDIR/runtime/.libs/libbackplane.so.0
[ -e "$ort" ] && [ -e "$host" ] || {
    echo "SKIP: no $ort or no $host" >&2
    exit 77
}
# the C++ compiler of CC's kind, which has the same sanitizers
case $CC in
*clang*) cxx=clang++ ;;
*) cxx=$CXX ;;
esac
command -v "${cxx%% *}" >/dev/null || {
    echo "SKIP: no C++ compiler" >&2
    exit 77
}
flags='-std=c++17 -g -O1 -pthread'
case $(nm -D "$host") in
*' U __asan_init'*) flags="$flags -fsanitize=address,undefined -fno-sanitize-recover=all" ;;
*' U __tsan_init'*) flags="$flags -fsanitize=thread" ;;
esac

# compile PROGRAM LIBRARY [FLAG...]: "$dir"/PROGRAM
compile()
{
    program=$1 library=$2
    shift 2
    # shellcheck disable=SC2086
    $cxx $flags "$@" -Wall -Wextra -Werror -I"$BP_SRCDIR/sdk" -I"$BP_SRCDIR/runtime" \
        -o "$dir/$program" "$BP_SRCDIR/tests/cxx/$program.cc" "$library" -ldl \
        -Wl,-rpath,"$BP_BUILDDIR/runtime/ort/.libs:$BP_BUILDDIR/runtime/.libs" 2>"$dir/errors" || {
        echo "FAIL: $program does not compile:" >&2
        head -n 20 "$dir/errors" >&2
        exit 1
    }
}

compile throws_ort "$ort" -rdynamic # for RegisterCustomOpsUsingFunction
compile throws_host "$host"
for program in throws_ort throws_host; do
    "$dir/$program" >"$dir/said" 2>&1 || {
        echo "FAIL: $program:" >&2
        grep -v '^\[' "$dir/said" | sort | uniq -c | head -n 40 >&2
        failed=1
    }
done
# what the log function did not take
grep -q 'log function threw' "$dir/said" || {
    echo "FAIL: throws_host: standard error does not tell of the log function" >&2
    failed=1
}

# C programs stay free of C++: neither library, nor what they need, is one of it.
for library in "$ort" "$host"; do
    if readelf -d "$library" | grep -E 'NEEDED.*(stdc\+\+|libc\+\+|libgcc_s|libunwind)' >&2; then
        echo "FAIL: $library needs C++" >&2
        failed=1
    fi
done

# The guard alone: with the C++ library and unwinder linked into the program and hidden there, and of a
# processor that has no frame for it, where C++ has to end the process with its own words.
guard()
{
    # shellcheck disable=SC2086
    $CC ${flags#-std=c++17 } "$@" -fPIC -c -D_GNU_SOURCE -I"$BP_BUILDDIR" -I"$BP_SRCDIR/runtime" \
        -I"$BP_SRCDIR/sdk" -o "$dir/guard.o" "$BP_SRCDIR/runtime/base/guard.c" || exit 1
}
guard -UBP_GUARD_ENDS
compile guarded "$dir/guard.o"
"$dir/guarded" || {
    echo "FAIL: guarded" >&2
    failed=1
}
case $flags in
*sanitize*) ;; # these bring a C++ library of their own
*)
    compile guarded "$dir/guard.o" -static-libstdc++ -static-libgcc
    "$dir/guarded" hidden || {
        echo "FAIL: guarded, C++ linked into it" >&2
        failed=1
    }
    ;;
esac
guard -DBP_GUARD_ENDS
compile guarded "$dir/guard.o"
(
    ulimit -c 0
    "$dir/guarded" ends 2>"$dir/said"
) 2>/dev/null
if [ $? -le 128 ] || ! grep -q 'terminat.*std::runtime_error' "$dir/said"; then
    echo "FAIL: without a frame, a throw does not end the process:" >&2
    cat "$dir/said" >&2
    failed=1
fi
exit $failed
