#!/bin/sh
# SPDX-License-Identifier: MIT
# models.sh - models on which this library and ONNX Runtime once differed do what models.tsv says.
#
# BACKPLANE_DIFFERENCES is their folder: NAME.onnx, and NAME.feeds with the inputs.

[ -d "${BACKPLANE_DIFFERENCES-}" ] || {
    echo "SKIP: BACKPLANE_DIFFERENCES names no folder of models" >&2
    exit 77
}
. "$BP_SRCDIR/tests/differential/lib.sh"
exec python3 "$here/models.py" "$BACKPLANE_DIFFERENCES" "$here/models.tsv"
