#!/bin/sh
# SPDX-License-Identifier: MIT
# digits.sh - the example reads its digits right, on every provider in use here.
set -eu

digits=$BP_BUILDDIR/examples/digits/digits
data=$BP_SRCDIR/examples/digits
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

# run NAME ARGUMENT...: the program with its output in NAME.txt, its complaints in NAME.err
run()
{
    name=$1
    shift
    code=0
    "$digits" --data "$data" "$@" >"$work/$name.txt" 2>"$work/$name.err" || code=$?
}

# refuses NAME TEXT ARGUMENT...: ends with code 1 and a complaint that has the text in it
refuses()
{
    text=$2
    name=$1
    shift 2
    run "$name" "$@"
    [ "$code" = 1 ] || fail "$name: exit code $code, not 1"
    grep -q -e "$text" "$work/$name.err" ||
        fail "$name: \"$text\" is not in: $(cat "$work/$name.err")"
}

# ---- on CPU: the accuracy is what the exit code says --------------------------------------------

run cpu
cat "$work/cpu.txt" "$work/cpu.err"
[ "$code" = 0 ] || fail "exit code $code"
percent=$(sed -n 's/^right: .*, \([0-9]*\)\.[0-9]* %$/\1/p' "$work/cpu.txt")
[ "${percent:-0}" -ge 97 ] || fail "fewer than 97 % right"
grep -q '^cpu: runs [1-9]' "$work/cpu.txt" || fail "no word of the CPU provider"

# Labels that are all zero: the program has to notice.
mkdir "$work/zeroes"
cp "$data/digits.onnx" "$data/digits_test.npy" "$work/zeroes"
{
    head -c 128 "$data/digits_labels.npy"
    head -c 599 /dev/zero
} >"$work/zeroes/digits_labels.npy"
refuses wrong-labels 'less than 97 %' --data "$work/zeroes"

# ---- the plan as a diagram, as `./setup digits` draws it ------------------------------------------

if command -v dot >/dev/null; then
    svg=$work/plan.svg
    "$BP_BUILDDIR/tools/backplane" plan --quiet --svg "$svg" "$data/digits.onnx" >/dev/null ||
        fail "no diagram of the plan"
    for word in conv1 dense2 softmax; do
        grep -q "$word" "$svg" || fail "the diagram lacks $word"
    done
    if command -v xmllint >/dev/null; then
        xmllint --noout "$svg" || fail "the diagram is not well-formed"
    fi
else
    echo "not tested: the diagram of the plan: there is no dot; install Debian's graphviz" >&2
    [ "$status" != 0 ] || status=77
fi

# ---- every provider of this build, and a mock that takes a few operators, gives what CPU gives ---

# compare NAME WORD: the provider that reports itself as NAME, asked for by WORD
compare()
{
    run "$1" --providers "$2"
    [ "$code" = 0 ] || fail "--providers $2: $(cat "$work/$1.err")"
    if ! grep -q "^$1: runs [1-9]" "$work/$1.txt"; then
        grep "^$1: " "$work/$1.txt" || fail "$1: not in the report"
        return
    fi
    run "compare-$1" --compare "$2"
    grep '^largest difference' "$work/compare-$1.txt" || fail "$1: not compared"
    [ "$code" = 0 ] || fail "--compare $2: $(cat "$work/compare-$1.err")"
}

for file in "$BACKPLANE_PROVIDER_PATH"/libbp-*.so; do
    provider=$(basename "$file" .so)
    before=${ASAN_OPTIONS:-}
    # a driver's own leaks are nothing that this program could mend: tests/opencl/lib.sh
    [ "$provider" != libbp-opencl ] || ASAN_OPTIONS="$before:detect_leaks=0"
    compare "${provider#libbp-}" "${provider#libbp-}"
    ASAN_OPTIONS=$before
done

compare few "$BP_MOCK_DIR/libbp-few.so"
grep -q '^few: runs [1-9]' "$work/few.txt" || fail "the mock took nothing"
grep -q '^cpu: runs [1-9]' "$work/few.txt" || fail "nothing was left to CPU beside the mock"

# ---- complaints ---------------------------------------------------------------------------------

refuses no-data 'No such file' --data "$work/nowhere"
refuses no-such-provider 'nosuch' --compare nosuch
refuses two-lists 'only one of them' --providers cpu --compare cpu
refuses empty-name 'empty or too long' --providers cpu,,cpu
refuses an-option 'digits --help' --nosuch
refuses a-word 'not expected' word

mkdir "$work/short"
cp "$data/digits.onnx" "$data/digits_labels.npy" "$work/short"
head -c 5000 "$data/digits_test.npy" >"$work/short/digits_test.npy"
refuses short-file 'bytes of data' --data "$work/short"

exit $status
