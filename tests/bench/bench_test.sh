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
. "$BP_SRCDIR/tests/built.sh"
needs_built tests/bench/compare

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

# memory: the same list of models, but for the counts
printf 'digits -\nabsent -\n' >"$work/list"
measure()
{
    BENCH_MODELS=$work/models BENCH_LIST=$work/list BENCH_PROVIDERS=cpu BENCH_THREADS=1 \
        BENCH_OUT=$1 BENCH_PEER=$2 sh "$BP_SRCDIR/tests/bench/memory.sh"
}

measure "$work/out" "$own" >"$work/said" 2>"$work/complaints" || fail "$(cat "$work/complaints")"
grep -q '^absent: not in' "$work/complaints" || fail "memory: a model that is not there is not told"
awk -F '\t' '/^digits/ { exit !(NF == 5 && $4 > 1 && $5 > 1) }' "$work/out/memory.tsv" ||
    fail "$(cat "$work/out/memory.tsv")"
grep -q '^| digits | cpu | 1 | [0-9.]* | [0-9.]* | \*\*[01]\.[0-9]*\*\* |$' "$work/out/performance.md" ||
    fail "the page has no row of memory"
grep -q '^## Memory' "$work/out/performance.md" || fail "the page has no section of memory"
grep -q '^| create | session creation' "$work/out/performance.md" || fail "the page has lost its times"
measure "$work/alone" '' >"$work/said" 2>"$work/complaints" || fail "$(cat "$work/complaints")"
grep -q '^| digits | cpu | 1 | [0-9.]* |$' "$work/alone/performance.md" || fail "alone: no row of memory"
grep -q 'ORT' "$work/alone/performance.md" && fail "alone: memory speaks of another library"

# the verdict is that of the figures
printf '# peer\t1\na\tcpu\t1\t2.0\t3.0\n' >"$work/alone/memory.tsv"
sh "$BP_SRCDIR/tests/bench/page.sh" "$BP_SRCDIR/tests/bench" "$work/alone" >/dev/null
grep -q '^Less than ONNX Runtime in all 1 rows' "$work/alone/performance.md" || fail "less is not said"
printf 'b\tdnnl\t2\t4.0\t3.0\n' >>"$work/alone/memory.tsv"
sh "$BP_SRCDIR/tests/bench/page.sh" "$BP_SRCDIR/tests/bench" "$work/alone" >/dev/null
grep -q '^Not less than ONNX Runtime: b on dnnl with 2\.' "$work/alone/performance.md" ||
    fail "more is not said"

"$BP_BUILDDIR/tests/bench/compare" "$own" nonsense '' 1 0.01 0 - "$work/models/digits.onnx" \
    2>"$work/complaints" && fail "a provider of no such name is taken"
grep -q 'nonsense' "$work/complaints" || fail "no word about the provider"
exit 0
