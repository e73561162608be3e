# SPDX-License-Identifier: MIT
# built.sh - for scripts that run a program of check_PROGRAMS. Sourced.

# needs_built PROGRAM...: fails the script, with the command that helps, unless the programs are there.
# `make check` builds them before any script runs, so a missing one is a fault, which a skip would hide.
needs_built()
{
    for program in "$@"; do
        [ -x "$BP_BUILDDIR/$program" ] || {
            echo "FAILED: $program is not built: make -C $BP_BUILDDIR $*" >&2
            exit 1
        }
    done
}
