#!/bin/sh
# SPDX-License-Identifier: MIT
# random.sh - random graphs here, on ONNX Runtime and, where those two differ, on ONNX's reference.
#
# SEED is the first seed, COUNT how many. Models that differ stay in tests/differential/found.

. "$BP_SRCDIR/tests/differential/lib.sh"
found=$BP_BUILDDIR/tests/differential/found
rm -rf "$found" && mkdir -p "$found" || exit 1
# descriptor 8 is the terminal, where the rest goes to a log (tests/local.mk)
(: >&8) 2>/dev/null || exec 8>&2
exec python3 "$here/drive.py" "$found" "$here/known.tsv" "${SEED:-1}" "${COUNT:-2000}"
