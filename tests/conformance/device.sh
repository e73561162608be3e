#!/bin/sh
# SPDX-License-Identifier: MIT
# device.sh - ONNX's own operator tests (Debian's libonnx-testdata) with providers that compute in memory
# of their own: the mocks gizmo and widget take what they can, CPU the rest, and values cross between
# the three. Results have to be those of onnx.sh.
set -eu

data=/usr/share/libonnx-testdata/data
least=90 # tests in which one of the two runs a node, of 94

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -d "$data/node" ]; then
    echo "not tested: $data is not there; install Debian's libonnx-testdata"
    exit 77
fi
mkdir "$work/dir"
cp "$BP_MOCK_DIR/libbp-gizmo.so" "$BP_MOCK_DIR/libbp-widget.so" "$work/dir/"
BACKPLANE_PROVIDER_PATH="$work/dir:$BACKPLANE_PROVIDER_PATH"
export BACKPLANE_PROVIDER_PATH

for providers in gizmo,widget widget,gizmo; do
    "$BP_BUILDDIR/tools/backplane" conform --providers "$providers" --report \
        --expect "$BP_SRCDIR/tests/conformance/onnx.expect" \
        "$data"/node "$data"/simple "$data"/pytorch-* >"$work/out" 2>"$work/err" || true
    tail -n 1 "$work/out"
    took=$(grep -c '^ok .*\(gizmo\|widget\) [1-9]' "$work/out" || true)
    echo "$providers took part in $took"
    if grep '^FAIL' "$work/out" | grep -v ': no provider takes'; then
        exit 1
    fi
    if [ "$took" -lt "$least" ]; then
        echo "FAILED: they took part in $least before"
        head -n 20 "$work/err"
        exit 1
    fi
done
