#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh - does every public header compile alone, as C and as C++, without padding or warnings?

set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

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
    "$@" -std="$std" -Wall -Wextra $padding -Werror -pedantic-errors -I"$BP_SRCDIR/sdk" \
        -fsyntax-only "$source" 2>"$dir/errors"
}

check() {
    if ! compiles "$@"; then
        echo "FAIL: <$1> alone as $2:" >&2
        cat "$dir/errors" >&2
        failed=1
    fi
}

headers=$(cd "$BP_SRCDIR/sdk" && echo bp/*.h backplane*.h)
for header in $headers; do
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

extra='struct padded { char a; int b; }; extern char size[sizeof(struct padded)];'
# shellcheck disable=SC2086
if compiles bp/abi.h c99 $CC; then
    echo "FAIL: $CC does not tell of padding, so this test is blind" >&2
    failed=1
fi
# ONNX Runtime's have padding, as the ABI has it.
padding=
extra=
for header in onnxruntime/onnxruntime_c_api.h onnxruntime/onnxruntime_ep_c_api.h; do
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

[ -n "$CXX" ] || echo "note: no C++ compiler, so headers were tried as C only"
exit $failed
