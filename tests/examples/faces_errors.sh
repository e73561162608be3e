#!/bin/sh
# SPDX-License-Identifier: MIT
# faces_errors.sh - the example prints one error message for invalid input, and writes no file.
set -eu

faces=$BP_BUILDDIR/examples/faces/faces
model=$BP_SRCDIR/examples/digits/digits.onnx # a good one, but not of faces
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# refuses TEXT ARGUMENT...: ends with code 1, a complaint that has the text in it, and no image
refuses()
{
    text=$1
    shift
    code=0
    "$faces" "$@" "$work/out.png" >/dev/null 2>"$work/err" || code=$?
    if [ "$code" = 1 ] && grep -q -e "$text" "$work/err" && [ ! -e "$work/out.png" ]; then
        echo "ok: $(cat "$work/err")"
    else
        echo "FAILED: $*: code $code, \"$text\" expected in: $(cat "$work/err")" >&2
        status=1
    fi
}

# A JPEG of 8 x 8 grey pixels, made with libjpeg for this test.
base64 -d >"$work/grey.jpg" <<'END'
/9j/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19i
Z2hnPk1xeXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAA
AAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AEv/Z
END
echo 'These are words, not an image.' >"$work/words.jpg"
: >"$work/empty.jpg"
head -c 80 "$work/grey.jpg" >"$work/cut.jpg"

refuses 'cannot be read as JPEG: Not a JPEG file' "$model" "$work/words.jpg"
refuses 'cannot be read as JPEG' "$model" "$work/empty.jpg"
refuses 'cannot be read as JPEG' "$model" "$work/cut.jpg"
refuses 'No such file' "$model" "$work/nothing.jpg"
refuses 'not a model of the Ultraface family' "$model" "$work/grey.jpg"
refuses 'words.jpg' "$work/words.jpg" "$work/grey.jpg"
refuses 'nothing.onnx' "$work/nothing.onnx" "$work/grey.jpg"
refuses 'not a number from 0 to 1' --threshold 1.5 "$model" "$work/grey.jpg"
refuses 'faces --help' --threshold nan "$model" "$work/grey.jpg"
refuses 'faces --help' --nosuch "$model" "$work/grey.jpg"
refuses 'are needed' "$model"

exit $status
