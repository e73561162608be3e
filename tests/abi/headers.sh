#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh - every public header compiles alone, without padding or warnings, with each installed compiler
# in each standard that it supports.

set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
count=0

padding=-Wpadded

# compiles HEADER STANDARD COMPILER...
compiles() {
    header=$1 std=$2
    shift 2
    case $std in
    c++*) source=$dir/alone.cc ;;
    *) source=$dir/alone.c ;;
    esac
    # twice, so that its guard is tested too; a struct of our own shows that -Wpadded is awake
    printf '#include <%s>\n#include <%s>\n%s\nint main()\n{\n    return 0;\n}\n' "$header" "$header" \
        "${extra-}" | sed 's/main()/main(void)/' >"$source"
    # shellcheck disable=SC2086 # $padding may be nothing
    "$@" -std="$std" -Wall -Wextra -Wpedantic $padding -Wconversion -Wsign-conversion -Wshadow \
        -Werror -pedantic-errors -I"$BP_SRCDIR/sdk" -fsyntax-only "$source" 2>"$dir/errors"
}

check() {
    count=$((count + 1))
    if ! compiles "$@"; then
        echo "FAIL: <$1> alone as $2 by $3:" >&2
        cat "$dir/errors" >&2
        failed=1
    fi
}

# knows STANDARD COMPILER...: a standard that the compiler does not have is not a failure of a header.
knows() {
    std=$1
    shift
    case $std in c++*) language=c++ ;; *) language=c ;; esac
    "$@" -std="$std" -x "$language" -fsyntax-only /dev/null 2>/dev/null
}

# matrix COMPILER STANDARD...: every header in each.
matrix() {
    compiler=$1
    shift
    for standard in "$@"; do
        # shellcheck disable=SC2086
        knows $standard $compiler || {
            echo "note: $compiler does not know $standard"
            continue
        }
        for header in $headers; do
            # shellcheck disable=SC2086
            check "$header" "$standard" $compiler
        done
    done
}

# compilers WANTED NAME...: what configure found, then those of the names that are here, each once.
compilers() {
    wanted=$1
    shift
    [ -z "$wanted" ] || echo "$wanted"
    for name in "$@"; do
        case " $wanted " in *" $name "*) continue ;; esac
        command -v "$name" >/dev/null && echo "$name"
    done
}

headers=$(cd "$BP_SRCDIR/sdk" && echo bp/*.h backplane*.h)
compilers "$CC" gcc clang >"$dir/c"
compilers "$CXX" g++ clang++ >"$dir/cxx"
while read -r compiler; do
    matrix "$compiler" c99 c11 c17 c2x
done <"$dir/c"
while read -r compiler; do
    matrix "$compiler" c++11 c++14 c++17 c++20 c++2b
done <"$dir/cxx"
[ -s "$dir/cxx" ] || echo "note: no C++ compiler, so headers were tried as C only"

# Flags that a plug-in's author may like do not change a layout.
for flags in -fshort-enums -funsigned-char '-fshort-enums -funsigned-char -O2'; do
    # shellcheck disable=SC2086
    $CC $flags -std=c11 -I"$BP_BUILDDIR" -I"$BP_SRCDIR/sdk" -fsyntax-only \
        "$BP_SRCDIR/tests/abi/layout.c" || {
        echo "FAIL: the layout changes with $flags" >&2
        failed=1
    }
done

extra='struct padded { char a; int b; }; extern char size[sizeof(struct padded)];'
# shellcheck disable=SC2086
if compiles bp/abi.h c99 $CC; then
    echo "FAIL: $CC does not tell of padding, so this test is blind" >&2
    failed=1
fi

# ONNX Runtime's have padding, as the ABI has it.
padding=
extra=
for header in $(cd "$BP_SRCDIR/sdk" && echo onnxruntime/*.h); do
    for std in c99 c11 c17; do
        # shellcheck disable=SC2086
        check "$header" $std $CC
    done
    [ -n "$CXX" ] || continue
    for std in c++11 c++17; do
        # shellcheck disable=SC2086
        check "$header" $std $CXX
    done
done
echo "$count headers compiled alone"
exit $failed
