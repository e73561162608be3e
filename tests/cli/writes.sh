#!/bin/sh
# SPDX-License-Identifier: MIT
# writes.sh - what a command writes replaces a file as a whole, keeps its mode and its links, and
# leaves pipes and devices what they are, also where writing fails.
set -u

backplane=$BP_BUILDDIR/tools/backplane
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
model=$BP_SRCDIR/examples/digits/digits.onnx
failed=0

fails()
{
    echo "FAIL: $*" >&2
    failed=1
}

# writes FILE: the dot text of a model goes there.
writes()
{
    "$backplane" plan --dot "$1" "$model" >"$work/out" 2>"$work/err"
}

writes "$work/new.dot" || fails "a new file: $(cat "$work/err")"
[ -s "$work/new.dot" ] || fails "a new file is empty"

# a file with a mode of its own, through a link
echo old >"$work/old.dot"
chmod 640 "$work/old.dot"
ln -s old.dot "$work/link.dot"
writes "$work/link.dot" || fails "through a link: $(cat "$work/err")"
[ -L "$work/link.dot" ] || fails "the link was replaced"
cmp -s "$work/old.dot" "$work/new.dot" || fails "a link's file has other bytes than a new one"
[ "$(stat -c %a "$work/old.dot")" = 640 ] || fails "its mode became $(stat -c %a "$work/old.dot")"

# a pipe has the bytes, and stays a pipe
mkfifo "$work/pipe"
cat "$work/pipe" >"$work/read" &
writes "$work/pipe" || fails "into a pipe: $(cat "$work/err")"
wait $!
[ -p "$work/pipe" ] || fails "the pipe was replaced"
cmp -s "$work/read" "$work/new.dot" || fails "a pipe got other bytes than a file"

# a directory that cannot be written to, and a device that is full: an error, and nothing is removed
writes "$work/no/such.dot" && fails "a folder that is not there is no error"
grep -q 'such.dot: No such file or directory' "$work/err" || fails "no reason: $(cat "$work/err")"
if mknod "$work/full" c 1 7 2>/dev/null && ! echo x 2>/dev/null >"$work/full"; then
    writes "$work/full" && fails "a full device is no error"
    grep -q 'full: No space left on device' "$work/err" || fails "no reason: $(cat "$work/err")"
    "$backplane" run --profile "$work/full" "$model" >"$work/out" 2>"$work/err" &&
        fails "a profile on a full device is no error"
    "$backplane" optimize --force "$model" -o "$work/full" >"$work/out" 2>"$work/err" &&
        fails "a model on a full device is no error"
    "$backplane" plan --svg "$work/full" "$model" >"$work/out" 2>"$work/err" # dot may not notice
    [ -c "$work/full" ] || fails "the device was removed or replaced"
else
    echo "SKIPPED TEST: writes.sh: full device: needs root, to make a device"
fi
leftover=$(find "$work" -name '*.part')
[ -z "$leftover" ] || fails "left behind: $leftover"
exit $failed
