#!/bin/sh
# SPDX-License-Identifier: MIT
# conform.sh - what the CPU provider alone gets right is right with nnapi before it, on the simulated runtime: ONNX's
# operator tests at several feature levels, with each flag. With use_fp16 results are held to float16's tolerance.
# BP_NNAPI_CONFORM=all runs every level with every flag (about 40 s), else some.
set -eu

backplane=$BP_BUILDDIR/tools/backplane
data=/usr/share/libonnx-testdata/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
BP_NNAPI_SIM=$work/phone
export BP_NNAPI_SIM
if [ ! -e "$BP_BUILDDIR/providers/libbp-nnapi.so" ] ||
    [ ! -e "$BP_BUILDDIR/providers/libbp-neuralnetworks-sim.so.0" ]; then
    echo "not tested: the provider nnapi or its simulator was not built"
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

# LEVEL FLAG LEAST DIRECTORY...: FLAG may be none; nnapi runs a node in at least LEAST tests
conform()
{
    level=$1 flag=$2 least=$3
    shift 3
    echo "level = $level" >"$work/phone"
    expect=$BP_SRCDIR/tests/conformance/onnx.expect
    if [ "$flag" = use_fp16 ] && [ "$level" -ge 28 ]; then
        cat "$expect" "$BP_SRCDIR/tests/nnapi_sim/float16.expect" >"$work/expect"
        expect=$work/expect
        set -- --rtol 4e-3 --atol 4e-3 "$@"
    fi
    [ "$flag" = none ] || set -- --option "nnapi:$flag=1" "$@"
    set -- --report --expect "$expect" "$@"
    "$backplane" conform -p nnapi,cpu --threads 2 --option nnapi:driver=sim "$@" >"$work/out" 2>"$work/err" || true
    taken=$(grep -c '^ok .*nnapi [1-9]' "$work/out" || true)
    echo "level $level, $flag: nnapi took part in $taken; $(tail -n 1 "$work/out")"
    grep '^FAIL' "$work/out" && fail "tests that the CPU provider passes, at level $level with $flag"
    [ "$taken" -ge "$least" ] || fail "level $level, $flag: it took part in $least before: $(head -n 5 "$work/err")"
}

conform 31 none 258 "$data"/node "$data"/simple "$data"/pytorch-*
# the others only where nnapi took part: a lower level takes no more
sed -n 's/^ok *\([^ ]*\).*nnapi [1-9].*/\1/p' "$work/out" | sed "s|^|$data/|" >"$work/tests"
set --
while read -r test; do
    [ ! -d "$test" ] || set -- "$@" "$test"
done <"$work/tests"
[ $# -ge 258 ] || fail "only $# tests have a folder"

if [ "${BP_NNAPI_CONFORM:-}" = all ]; then
    for level in 27 28 29 30 31; do
        for flag in none use_fp16 use_nchw cpu_disabled cpu_only; do
            conform $level $flag 80 "$@"
        done
    done
else
    conform 27 none 81 "$@"
    conform 28 use_nchw 171 "$@"
    conform 29 cpu_disabled 250 "$@"
    conform 29 use_nchw 254 "$@"
    conform 31 use_fp16 254 "$@"
    conform 31 cpu_only 258 "$@"
fi
exit $status
