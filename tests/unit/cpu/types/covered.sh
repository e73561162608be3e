#!/bin/bash
# SPDX-License-Identifier: MIT
# covered.sh - after all tests of cpu/: they have run each operator with each type that it takes.
exec "$BP_BUILDDIR/tests/unit/cpu/types/uncovered"
