#!/bin/sh
# SPDX-License-Identifier: MIT
# passes.sh - the table in docs/passes.md is that of runtime/optimize/passes.c.
#
#     passes.sh          fails if it is another one
#     passes.sh --write  writes it into the source tree (`make update-passes`)
set -eu
. "$BP_SRCDIR/tests/built.sh"
needs_built tests/unit/optimize/print_passes
page=$BP_SRCDIR/docs/passes.md
begin='<!-- made by make update-passes -->'
end='<!-- end -->'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$BP_BUILDDIR/tests/unit/optimize/print_passes" >"$work/table"
[ "$(wc -l <"$work/table")" -gt 20 ] || {
    echo "FAILED: print_passes has lost its passes" >&2
    exit 1
}
awk -v begin="$begin" -v end="$end" -v table="$work/table" '
    $0 == begin { print; while ((getline line <table) > 0) print line; skipping = 1 }
    $0 == end { skipping = 0; n++ }
    !skipping
    END { exit n != 1 }' "$page" >"$work/page" || {
    echo "FAILED: $page has no place for the table" >&2
    exit 1
}
case ${1-} in
--write)
    cat "$work/page" >"$page"
    ;;
*)
    diff "$page" "$work/page" || {
        echo "FAILED: docs/passes.md is not what passes.c says; run 'make update-passes'" >&2
        exit 1
    }
    ;;
esac
