#!/bin/sh
# SPDX-License-Identifier: MIT
# readme.sh - the C program in README.md compiles without a warning and does what it says.
set -eu

library=$BP_BUILDDIR/runtime/.libs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if nm -D "$library/libbackplane.so" | grep -q '__[at]san_'; then
    echo "skipped: a program without the sanitizers cannot use a library with them"
    exit 77
fi
sed -n '/^```c$/,/^```$/p' "$BP_SRCDIR/README.md" | sed '1d;$d' >"$work/readme.c"
grep -q 'bp_session_run' "$work/readme.c" || {
    echo "FAILED: README.md has no program" >&2
    exit 1
}
# shellcheck disable=SC2086 # $CC may hold flags
${CC:-cc} -Wall -Wextra -Werror -I"$BP_SRCDIR/sdk" -o "$work/readme" "$work/readme.c" \
    -L"$library" -lbackplane -Wl,-rpath,"$library"
cp "$BP_SRCDIR/examples/digits/digits.onnx" "$work"
cd "$work"
./readme >out 2>err
cat out err
grep -Eq '^(0|1|0\.[0-9]+|[0-9.]+e-[0-9]+)$' out || {
    echo "FAILED: that is no probability" >&2
    exit 1
}
