#!/bin/sh
# SPDX-License-Identifier: MIT
# planted.sh - is each fault of the mock "planted" found by the test of the kit that planted.txt names, and
# is the mock conformant without one?

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

echo "$count faults, each found by the test that is there for it"
[ "$count" -ge 15 ] || {
    echo "FAIL: only $count faults were tried" >&2
    failed=1
}
exit $failed
