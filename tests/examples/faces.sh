#!/bin/sh
# SPDX-License-Identifier: MIT
# faces.sh - the example finds faces in photographs, and draws them; model and photographs are not
# ours to hand on, so they come from $BACKPLANE_MODELS/ultraface/.
set -eu

folder=${BACKPLANE_MODELS:-}/ultraface
if [ -z "${BACKPLANE_MODELS:-}" ] || [ ! -d "$folder" ]; then
    echo "skipped: BACKPLANE_MODELS names no folder with ultraface/*.onnx and ultraface/*.jpg in it"
    exit 77
fi

faces=$BP_BUILDDIR/examples/faces/faces
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
pairs=0

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

for model in "$folder"/*.onnx; do
    for photo in "$folder"/*.jpg; do
        if [ ! -f "$model" ] || [ ! -f "$photo" ]; then
            continue # a pattern that matched nothing
        fi
        pairs=$((pairs + 1))
        out=$work/$pairs.png
        "$faces" "$model" "$photo" "$out" >"$work/text" || fail "$photo: exit code $?"
        cat "$work/text"
        grep -q '^face 1: ' "$work/text" || fail "$photo: no face found"
        # The bytes that every PNG begins with.
        [ "$(head -c 8 "$out" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] ||
            fail "$out: not a PNG"
    done
done
[ "$pairs" -gt 0 ] || fail "$folder: no model or no photograph"

exit $status
