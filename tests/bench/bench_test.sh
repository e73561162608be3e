#!/bin/sh
# SPDX-License-Identifier: MIT
# bench_test.sh - what `make bench` runs: a small model beside our own library in ONNX Runtime's place.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own=$BP_BUILDDIR/runtime/ort/.libs/libonnxruntime.so.1
if [ ! -e "$own" ]; then
    echo "not tested: libonnxruntime was not built"
    exit 77
fi

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

mkdir "$work/models"
cp "$BP_SRCDIR/examples/digits/digits.onnx" "$work/models/"
printf 'digits 0.001 -\nabsent 1 -\n' >"$work/list"

run()
{
    BENCH_MODELS=$work/models BENCH_LIST=$work/list BENCH_SECONDS=0.02 BENCH_PROVIDERS=cpu \
        BENCH_THREADS=1 BENCH_OUT=$work/out BENCH_PEER=$1 sh "$BP_SRCDIR/tests/bench/bench.sh"
}

run "$own" >"$work/said" 2>"$work/complaints" || fail "$(cat "$work/complaints")"
grep -q '^absent: not in' "$work/complaints" || fail "a model that is not there is not told"
awk -F '\t' '/^digits/ { exit !(NF == 18 && $6 > 0 && $12 > 0 && $16 > 0 && $17 > 0 && $18 >= 5) }' \
    "$work/out/performance.tsv" || fail "$(cat "$work/out/performance.tsv")"
grep -q '^| digits | cpu | 1 |' "$work/out/performance.md" || fail "the page has no row"
grep -q '^| cpu | 1 | 1 |' "$work/out/performance.md" || fail "the page has no mean"
grep -q '>digits</text>' "$work/out/performance.svg" || fail "the picture has no model"
tail -n 1 "$work/out/performance.svg" | grep -q '</svg>' || fail "the picture has no end"

run '' >"$work/said" 2>"$work/complaints" || fail "alone: $(cat "$work/complaints")"
grep -q '^| digits | cpu | 1 |' "$work/out/performance.md" || fail "alone: the page has no row"
grep -q 'ORT' "$work/out/performance.md" && fail "alone: the page speaks of another library"

run "$work/nothing" >"$work/said" 2>"$work/complaints" && fail "a library that is not there is taken"
grep -q 'BENCH_PEER' "$work/complaints" || fail "no word about BENCH_PEER"

"$BP_BUILDDIR/tests/bench/compare" "$own" nonsense '' 1 0.01 0 - "$work/models/digits.onnx" \
    2>"$work/complaints" && fail "a provider of no such name is taken"
grep -q 'nonsense' "$work/complaints" || fail "no word about the provider"
exit 0
