#!/bin/bash
# SPDX-License-Identifier: MIT
# covered.sh - behind all check_cpu_*: have they run each operator with each type that it takes?
exec "$BP_BUILDDIR/tests/unit/uncovered"
