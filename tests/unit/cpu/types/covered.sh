#!/bin/bash
# SPDX-License-Identifier: MIT
# covered.sh - after all tests of cpu/: they have run each operator with each type that it takes.
. "$BP_SRCDIR/tests/built.sh"
needs_built tests/unit/cpu/types/uncovered
exec "$BP_BUILDDIR/tests/unit/cpu/types/uncovered"
