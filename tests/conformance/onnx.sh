#!/bin/sh
# SPDX-License-Identifier: MIT
# onnx.sh - ONNX's own operator tests (Debian's libonnx-testdata), at their own tolerances, on the
# providers of this build. A node that no provider takes is "not yet"; anything else that fails and is
# not in onnx.expect is wrong, and so are fewer passes than there were before.
set -eu

data=/usr/share/libonnx-testdata/data
least=1060 # of 1072

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -d "$data/node" ]; then
    echo "not tested: $data is not there; install Debian's libonnx-testdata"
    exit 77
fi

# holds ARGUMENT...: the tests give what they gave before. The real networks carry no weights there.
holds()
{
    "$BP_BUILDDIR/tools/backplane" conform "$@" \
        "$data"/node "$data"/simple "$data"/pytorch-* >"$work/out" 2>"$work/err" || true
    passed=$(grep -c '^ok ' "$work/out" || true)
    absent=$(grep -c '^FAIL .*: no provider takes' "$work/out" || true)
    grep '^FAIL' "$work/out" | grep -v ': no provider takes' >"$work/wrong" || true
    wrong=$(wc -l <"$work/wrong")

    grep '^known' "$work/out" || true
    tail -n 1 "$work/out"
    echo "ONNX's tests: $passed as expected, $absent without a provider yet, $wrong wrong"
    cat "$work/wrong"
    if [ "$passed" -lt "$least" ]; then
        echo "FAILED: $least were as expected before"
        head -n 20 "$work/err"
        exit 1
    fi
    [ "$wrong" = 0 ]
}

holds --expect "$BP_SRCDIR/tests/conformance/onnx.expect"

# With all inputs but the first as initializers. A model that declares another shape than its data has gets
# the data's then.
echo "with constant inputs:"
sed 's/^node\/.*declares another shape than its data/~&/' "$BP_SRCDIR/tests/conformance/onnx.expect" \
    >"$work/expect"
holds --constant-inputs --expect "$work/expect"
