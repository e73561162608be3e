#!/bin/sh
# SPDX-License-Identifier: MIT
# readme.sh - the programs in README.md, two in C and one in C++, compile without a warning and do what they say, and the
# commands of `backplane` in it succeed on the digits model, those of providers that are usable here.
set -eu

library=$BP_BUILDDIR/runtime/.libs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if nm -D "$library/libbackplane.so" | grep -q '__[at]san_'; then
    echo "skipped: a program without the sanitizers cannot use a library with them"
    exit 77
fi
awk -v dir="$work" '/^```c$/ { inside = 1; n++; next } /^```/ { inside = 0 }
    inside { print >(dir "/readme" n ".c") }' "$BP_SRCDIR/README.md"
for n in 1 2; do
    # shellcheck disable=SC2086 # $CC may hold flags
    ${CC:-cc} -Wall -Wextra -Werror -I"$BP_SRCDIR/sdk" -o "$work/readme$n" "$work/readme$n.c" \
        -L"$library" -lbackplane -Wl,-rpath,"$library"
done
mkdir "$work/models"
cp "$BP_SRCDIR/examples/digits/digits.onnx" "$work"
cp "$BP_SRCDIR/examples/digits/digits.onnx" "$work/models"
cd "$work"
# says_a_probability PROGRAM
says_a_probability()
{
    "$1" >out 2>err
    cat out err
    grep -Eq '^(0|1|0\.[0-9]+|[0-9.]+e-[0-9]+)$' out || {
        echo "FAILED: that is not a probability" >&2
        exit 1
    }
}
says_a_probability ./readme1

# the program that names a provider uses it where it is usable, and goes on without a word elsewhere
./readme2 >out 2>err
{
    ! "$BP_BUILDDIR/tools/backplane" -q providers dnnl >/dev/null 2>&1 || echo dnnl
    echo cpu
} >wanted
diff wanted out && [ ! -s err ] || {
    echo "FAILED: README.md's program that names a provider: $(cat out err)" >&2
    exit 1
}

sed -n '/^```cpp$/,/^```$/p' "$BP_SRCDIR/README.md" | sed '1d;$d' >readme.cc
grep -q 'session.run' readme.cc || {
    echo "FAILED: README.md has no program in C++" >&2
    exit 1
}
if command -v "${CXX%% *}" >/dev/null; then
    # shellcheck disable=SC2086 # $CXX may hold flags
    $CXX -std=c++17 -Wall -Wextra -Werror -I"$BP_SRCDIR/sdk" -o readme_cpp readme.cc \
        -L"$library" -lbackplane -Wl,-rpath,"$library"
    says_a_probability ./readme_cpp
else
    echo "not tested: README.md's program in C++: there is no C++ compiler" >&2
fi

# ---- commands: lines of README.md such as "    ./run-in-tree tools/backplane plan MODEL    # ..." -------

sed -n 's/^    \.\/run-in-tree tools\/backplane \([^#]*\).*/\1/p' "$BP_SRCDIR/README.md" |
    grep -v '^conform' >commands # ONNX's test data has tests of its own
[ "$(wc -l <commands)" -ge 10 ] || {
    echo "FAILED: README.md has lost its commands" >&2
    exit 1
}
while read -r command; do
    for provider in dnnl cann; do
        case $command in
        *"-p $provider"* | *",$provider"*)
            "$BP_BUILDDIR/tools/backplane" -q providers "$provider" >/dev/null 2>&1 || continue 2
            ;;
        esac
    done
    command=$(echo "$command" | sed 's/MODEL/digits.onnx/; s/ DIR / models /; s/OUTDIR/models-out/')
    eval "\"$BP_BUILDDIR/tools/backplane\" $command" >out 2>err </dev/null || {
        echo "FAILED: backplane $command" >&2
        cat err >&2
        exit 1
    }
done <commands
