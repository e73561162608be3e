#!/bin/sh
# SPDX-License-Identifier: MIT
# service.sh - the example serves while its model is replaced, keeps its memory limit, and ends in order.
set -eu

service=$BP_BUILDDIR/examples/service/service
model=$BP_SRCDIR/examples/digits/digits.onnx
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail()
{
    echo "FAILED: $*" >&2
    cat "$work"/*.txt "$work"/*.err >&2 2>/dev/null || true
    status=1
}

# wait_for FILE TEXT COUNT: until the text stands so often in the file; gives up after a minute
wait_for()
{
    tries=0
    until [ "$(grep -c -e "$2" "$1" 2>/dev/null)" -ge "$3" ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || return 1
        sleep 0.1
    done
}

# ---- three new models under load, then SIGTERM ---------------------------------------------------

cp "$model" "$work/m.onnx"
"$service" --workers 3 --deadline 30000 "$work/m.onnx" >"$work/out.txt" 2>"$work/out.err" &
pid=$!
wait_for "$work/out.txt" '^serving' 1 || fail "it does not begin to serve"
for i in 1 2 3; do
    cp "$model" "$work/m.part"
    mv "$work/m.part" "$work/m.onnx"
    wait_for "$work/out.txt" 'new model' "$i" || fail "new model $i is not served"
done
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 0 ] || fail "exit code $code after SIGTERM"
grep -q ': 0 too late, 0 failed$' "$work/out.txt" || fail "requests were late or failed"
grep -q '^0 requests' "$work/out.txt" && fail "there was no request"
grep -q '^memory of sessions: ' "$work/out.txt" || fail "it says nothing of memory"

# ---- a new file that is no model: the old one goes on, and the exit code says so -------------------

"$service" "$work/m.onnx" >"$work/bad.txt" 2>"$work/bad.err" &
pid=$!
wait_for "$work/bad.txt" '^serving' 1 || fail "it does not begin to serve"
echo garbage >"$work/m.part"
mv "$work/m.part" "$work/m.onnx"
wait_for "$work/bad.err" 'not an ONNX model' 1 || fail "a bad model is not complained of"
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 1 ] || fail "exit code $code with a bad model"
grep -q ', 0 failed$' "$work/bad.txt" || fail "requests failed because of a bad model"

# ---- mistakes ------------------------------------------------------------------------------------

"$service" --workers 0 "$model" >/dev/null 2>"$work/no.err" && fail "no workers are accepted"
grep -q 'at least one worker' "$work/no.err" || fail "no workers: $(cat "$work/no.err")"
"$service" "$work/nothing.onnx" >/dev/null 2>"$work/none.err" && fail "a missing model is accepted"
grep -q 'no such file' "$work/none.err" || fail "a missing model: $(cat "$work/none.err")"
exit $status
