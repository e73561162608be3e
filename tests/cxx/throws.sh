#!/bin/sh
# SPDX-License-Identifier: MIT
# throws.sh - exceptions that functions of a C++ application throw into the libraries become a status or a line
# of the log (runtime/base/guard.c).

set -u
failed=0
# shellcheck source=tests/cxx/lib.sh
. "$BP_SRCDIR/tests/cxx/lib.sh"

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
