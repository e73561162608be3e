# SPDX-License-Identifier: MIT
# lib.sh - for tests that compile programs in C++. Sourced; sets $dir, a folder that goes with the script, $cxx,
# $flags (standard and sanitizers of this build), $ort and $host (the libraries). Skips without what it needs.

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

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
