#!/bin/sh
# SPDX-License-Identifier: MIT
# planted.sh - each fault of the mock "planted" is found by the test of the kit that planted.txt names, and the
# mock is conformant without one.

set -u
check=$BP_BUILDDIR/tools/backplane-check
mock=$BP_MOCK_DIR/libbp-planted.so
table=$BP_SRCDIR/tests/kit/planted.txt
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
count=0
case "$(cat "$BP_BUILDDIR/config.log" 2>/dev/null)" in
*"--enable-sanitizers"*)
    echo "skipped: sanitizers stop at some faults before the kit can find them"
    exit 77
    ;;
esac

unset BP_PLANTED
if ! "$check" "$mock" >"$dir/out" 2>&1; then
    echo "FAIL: the mock without a fault is not conformant: $(cat "$dir/out")" >&2
    failed=1
fi

grep -v '^#' "$table" >"$dir/table"
while read -r fault id; do
    BP_PLANTED=$fault "$check" --quiet --timeout 20 --only "$id" "$mock" >"$dir/out" 2>&1
    code=$?
    count=$((count + 1))
    if ! grep -q "^\(fail\|warn\|died\|timeout\) *$id " "$dir/out" || [ $code = 0 ]; then
        echo "FAIL: $id does not find '$fault' (status $code):" >&2
        cat "$dir/out" >&2
        failed=1
    fi
    # The same test may not be failed by all: without the fault it passed, above.
    if ! grep -q "has(\"$fault\")\|IS(\"${fault#*-}\")" "$BP_SRCDIR/tests/mock/planted.c"; then
        echo "FAIL: planted.c knows no fault '$fault'" >&2
        failed=1
    fi
done <"$dir/table"

# A provider of which nothing can be tested is not conformant; nor is one that is only worth taking beside others.
for fault in takes-nothing only-in-group; do
    BP_PLANTED=$fault "$check" --quiet "$mock" >"$dir/out" 2>&1
    code=$?
    [ $code = 5 ] && grep -q ': 0 of [0-9]* cases ran' "$dir/out" && grep -q ': nothing was tested: ' "$dir/out" || {
        echo "FAIL: '$fault': status $code, not 5: $(cat "$dir/out")" >&2
        failed=1
    }
done

# A provider that wants its data channels-last gets them so, and is found out if it computes as ONNX has them.
last=$BP_MOCK_DIR/libbp-channelslast.so
"$check" --verbose "$last" >"$dir/out" 2>&1 && grep -q ': [1-9][0-9]* of [0-9]* cases ran' "$dir/out" || {
    echo "FAIL: the channels-last mock without a fault is not conformant: $(cat "$dir/out")" >&2
    failed=1
}
if [ -e "$BP_BUILDDIR/providers/libbp-cpu.so" ]; then
    "$check" --reference "$BP_BUILDDIR/providers/libbp-cpu.so" --only 'BPK-RANDOM-*' "$last" >"$dir/out" 2>&1 || {
        echo "FAIL: random graphs for the channels-last mock: $(cat "$dir/out")" >&2
        failed=1
    }
fi
BP_PLANTED=model-layout "$check" --only BPK-NUMERICS-07 "$last" >"$dir/out" 2>&1
grep -q 'Conv-11 .*, channels-last: ' "$dir/out" || {
    echo "FAIL: the model's layout is not found: $(cat "$dir/out")" >&2
    failed=1
}

# Nodes that are taken only beside others are run beside others.
BP_PLANTED=in-group "$check" --only BPK-NUMERICS-14 "$mock" >"$dir/out" 2>&1
grep -q '^pass *BPK-NUMERICS-14 .*[1-9][0-9]* cases' "$dir/out" || {
    echo "FAIL: no node of BP_ONLY_IN_GROUP is run: $(cat "$dir/out")" >&2
    failed=1
}

# A plug-in that hangs in is_available is shown by one test; the others would each take as long.
BP_PLANTED=probe-hangs "$check" --timeout 2 "$mock" >"$dir/out" 2>&1
code=$?
if [ $code != 1 ] || [ "$(grep -c '^timeout ' "$dir/out")" != 1 ] ||
    ! grep -q 'not done after 2 seconds, in is_available' "$dir/out" ||
    ! grep -q 'the tests after this one were not run' "$dir/out"; then
    echo "FAIL: a hanging is_available: status $code: $(cat "$dir/out")" >&2
    failed=1
fi

# --verbose lists what is refused, in the provider's words.
"$check" --verbose --only FILE "$mock" >"$dir/out" 2>&1
grep -q '^refused  Abs-13 .*: not one of its operators' "$dir/out" || {
    echo "FAIL: --verbose does not list refusals: $(cat "$dir/out")" >&2
    failed=1
}

# --fuzz --quiet says how far it is.
"$check" --quiet --fuzz 1 --rounds 3 --only BPK-FUZZ-01 "$mock" >"$dir/out" 2>"$dir/err"
grep -q 'BPK-FUZZ-01: 0 of 3 seeds' "$dir/err" || {
    echo "FAIL: --fuzz --quiet shows no progress: $(cat "$dir/err")" >&2
    failed=1
}

echo "$count faults, each found by the test that is there for it"
[ "$count" -ge 15 ] || {
    echo "FAIL: only $count faults were tried" >&2
    failed=1
}
exit $failed
