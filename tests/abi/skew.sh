#!/bin/sh
# SPDX-License-Identifier: MIT
# skew.sh - mutants of both sides' tables, against a plug-in of the tests and every provider of the tree.

set -u
. "$BP_SRCDIR/tests/built.sh"
needs_built tests/abi/skew
set -- "$BP_MOCK_DIR/libbp-few.so"
cpu=$BP_BUILDDIR/plugins/cpu/.libs/libbp-cpu.so
[ ! -e "$cpu" ] || set -- "$@" "$cpu"
exec "$BP_BUILDDIR/tests/abi/skew" "$@"
