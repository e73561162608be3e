#!/bin/sh
# SPDX-License-Identifier: MIT
# operators.sh - the kit's table of ONNX's operators, tools/check/onnx/operators.inc, is that of the host.
#
#     operators.sh          fails if it is another one
#     operators.sh --write  writes it into the source tree (`make update-kit-operators`)
set -eu
. "$BP_SRCDIR/tests/built.sh"
needs_built tests/kit/print_operators
table=$BP_SRCDIR/tools/check/onnx/operators.inc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$BP_BUILDDIR/tests/kit/print_operators" >"$work/table"
[ "$(wc -l <"$work/table")" -gt 500 ] || {
    echo "FAILED: print_operators has lost its operators" >&2
    exit 1
}
case ${1-} in
--write)
    cat "$work/table" >"$table"
    ;;
*)
    diff -u "$table" "$work/table" || {
        echo "FAILED: tools/check/onnx/operators.inc is not up to date: make update-kit-operators" >&2
        exit 1
    }
    ;;
esac
