#!/bin/sh
# SPDX-License-Identifier: MIT
# dnnl.sh - P12: what the CPU provider alone gets right is right with dnnl before it: ONNX's operator tests,
# with all nodes that dnnl can run, and whole networks from $BACKPLANE_MODELS, each as one group.
set -eu

backplane=$BP_BUILDDIR/tools/backplane
data=/usr/share/libonnx-testdata/data
least=330 # tests in which dnnl runs a node
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
if [ ! -e "$BP_BUILDDIR/providers/libbp-dnnl.so" ]; then
    echo "not tested: the provider dnnl was not built"
    exit 77
fi
if [ ! -d "$data/node" ]; then
    echo "not tested: $data is not there; install Debian's libonnx-testdata"
    exit 77
fi

case $("$BP_BUILDDIR/config.status" --config 2>/dev/null) in
*"--enable-sanitizers"*)
    echo "skipped: LeakSanitizer crashes where libgomp has threads; tests/unit/dnnl/ run with one"
    exit 77
    ;;
esac

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

"$backplane" conform -p dnnl,cpu --threads 2 --option dnnl:claim=all --report \
    --expect "$BP_SRCDIR/tests/conformance/onnx.expect" \
    "$data"/node "$data"/simple "$data"/pytorch-* >"$work/out" 2>/dev/null || true
taken=$(grep -c 'dnnl [1-9]' "$work/out" || true)
tail -n 1 "$work/out"
echo "dnnl took part in $taken"
grep '^FAIL' "$work/out" && fail "tests that the CPU provider passes"
[ "$taken" -ge "$least" ] || fail "it took part in $least before"

for model in "${BACKPLANE_MODELS:-/nowhere}"/light/*.onnx; do
    [ -f "$model" ] || continue
    name=$("$backplane" info "$model" --json | tr -d ' \n' |
        sed 's/.*"outputs":\[{"name":"\([^"]*\)".*/\1/')
    "$backplane" run -p dnnl,cpu --threads 2 "$model" --expect "$name=${model%.onnx}_output_0.pb" \
        >"$work/run" 2>&1 || fail "$model: $(tail -n 3 "$work/run")"
    groups=$("$backplane" plan -p dnnl,cpu "$model" | awk '$1 == "dnnl" && NF == 5 {print $5}')
    echo "$(basename "$model" .onnx): as expected, $groups groups of dnnl"
    case $(basename "$model") in
    light_squeezenet.onnx | light_resnet50.onnx)
        [ "$groups" = 1 ] || fail "$model is $groups groups" ;;
    esac
done

exit $status
