#!/bin/sh
# SPDX-License-Identifier: MIT
# cann.sh - what the CPU provider alone gets right is right with cann before it, on the simulated driver:
# ONNX's operator tests, with the documented operators and with those of later releases, called one by
# one and as offline models.
set -eu

backplane=$BP_BUILDDIR/tools/backplane
data=/usr/share/libonnx-testdata/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
echo 'breaches = fatal' >"$work/board"
BP_ASCEND_SIM=$work/board # the first breach of ACL's rules ends it
export BP_ASCEND_SIM
if [ ! -e "$BP_BUILDDIR/providers/libbp-cann.so" ] ||
    [ ! -e "$BP_BUILDDIR/providers/libbp-ascend-sim.so.0" ]; then
    echo "not tested: the provider cann or its simulator was not built"
    exit 77
fi
if [ ! -d "$data/node" ]; then
    echo "not tested: $data is not there; install Debian's libonnx-testdata"
    exit 77
fi

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

# PROFILE GRAPH LEAST: tests in which cann runs a node; GRAPH is enable_cann_graph
conform()
{
    "$backplane" conform -p cann,cpu --threads 2 --option cann:driver=sim \
        --option "cann:operators=$1" --option "cann:enable_cann_graph=$2" \
        --option cann:dump_om_model=0 --report \
        --expect "$BP_SRCDIR/tests/conformance/onnx.expect" \
        "$data"/node "$data"/simple "$data"/pytorch-* >"$work/out" 2>"$work/err" || true
    taken=$(grep -c '^ok .*cann [1-9]' "$work/out" || true)
    tail -n 1 "$work/out"
    echo "cann took part in $taken, with operators=$1 and enable_cann_graph=$2"
    grep '^FAIL' "$work/out" && fail "tests that the CPU provider passes"
    [ "$taken" -ge "$3" ] || fail "it took part in $3 before: $(head -n 5 "$work/err")"
}

conform documented 0 157
conform kernels 0 251
conform documented 1 157
conform graph 1 244

exit $status
