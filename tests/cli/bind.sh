#!/bin/sh
# SPDX-License-Identifier: MIT
# bind.sh - backplane run --bind: the example of the man page, and files that are wrong.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

if ! grep -q '^#define HAVE_LIBFFI 1' "$BP_BUILDDIR/config.h"; then
    echo "skipped: built without libffi"
    exit 77
fi

# the first example after BIND FILES, as it stands in the man page
sed -n '/^\.Sh BIND FILES/,/^\.Ed/p' "$BP_SRCDIR/docs/backplane.1" |
    sed -n '/^\.Bd/,/^\.Ed/p' | sed '/^\./d' >"$work/example.bind"
grep -q '^Hypot: ' "$work/example.bind" || failed "the man page has lost its example"

# y = Hypot(Scale(x), x)
node()
{
    printf %s "$(string 4 "$1")$(string 7 com.example)"
    shift
    for input in "$@"; do
        string 1 "$input"
    done
}
first=$(node Scale x)$(string 2 a)$(string 3 scale)
second=$(node Hypot a x)$(string 2 y)$(string 3 hypot)
graph=$(message 1 "$first")$(message 1 "$second")$(string 2 g)
graph=$graph$(message 11 "$(value_info x 1 n)")$(message 12 "$(value_info y 1 n)")
{
    number 1 8
    message 7 "$graph"
    message 8 "$(number 2 13)"
    message 8 "$(string 1 com.example)$(number 2 1)"
} | emit >"$work/model.onnx"
model=$work/model.onnx

# sqrt((2 * 3)^2 + 3^2) = 6.7082
make_npy "$work/x.npy" "$(header '<f4' '1,')" 00004040
gives 0 run --bind "$work/example.bind" -i "x=$work/x.npy" "$model"
says out 'float32[1]' 6.708
gives 0 plan --bind "$work/example.bind" --all-nodes "$model"
says out custom Hypot Scale hypot scale

# without it the operators are unknown
refuses 3 'com.example.Scale-1' run -i "x=$work/x.npy" "$model"

# files that are wrong
refuses 2 "$work/none.bind" run --bind "$work/none.bind" "$model"
printf 'library libm.so.6\ndomain com.example\nScale: float no_such(float x)\n' >"$work/wrong.bind"
refuses 2 "wrong.bind:3:14: operator 'Scale': libm.so.6 has no function 'no_such'" \
    run --bind "$work/wrong.bind" "$model"
printf 'library libm.so.6\ndomain com.example\nScale: long floorf(float x)\n' >"$work/wrong.bind"
refuses 2 "wrong.bind:3:8: 'long' is not a type" run --bind "$work/wrong.bind" "$model"
printf 'library /nowhere/lib.so\ndomain com.example\nA: float f(float x)\n' >"$work/wrong.bind"
refuses 2 /nowhere/lib.so run --bind "$work/wrong.bind" "$model"
exit $status
