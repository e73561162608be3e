#!/bin/sh
# SPDX-License-Identifier: MIT
# wrapper.sh - backplane.hpp does what it says, in C++17 and C++20, and compiles without a warning under each
# compiler that is here.

set -u
failed=0
# shellcheck source=tests/cxx/lib.sh
. "$BP_SRCDIR/tests/cxx/lib.sh"

warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor -Werror'
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || {
        echo "not tested: $compiler is not here" >&2
        continue
    }
    for standard in 17 20; do
        # shellcheck disable=SC2086
        $compiler -std=c++$standard $warnings -pthread -fsyntax-only -I"$BP_SRCDIR/sdk" \
            "$BP_SRCDIR/tests/cxx/wrapper.cc" \
            >"$dir/errors" 2>&1 || {
            echo "FAIL: $compiler -std=c++$standard:" >&2
            head -n 20 "$dir/errors" >&2
            failed=1
        }
    done
done

for standard in 17 20; do
    compile wrapper "$host" -std=c++$standard
    "$dir/wrapper" >"$dir/said" 2>&1 || {
        echo "FAIL: wrapper, C++$standard:" >&2
        head -n 40 "$dir/said" >&2
        failed=1
    }
done
exit $failed
