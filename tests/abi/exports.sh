#!/bin/sh
# SPDX-License-Identifier: MIT
# exports.sh - the library exports what backplane.h declares and nothing else, and each plug-in exports one
# symbol.

set -u
command -v nm >/dev/null || {
    echo "SKIP: no nm here" >&2
    exit 77
}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# Names of defined dynamic symbols.
exports() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | LC_ALL=C sort -u
}

sed -n 's/^BP_API .*[ *]\(bp_[a-z0-9_]*\)(.*/\1/p' "$BP_SRCDIR"/sdk/backplane*.h |
    LC_ALL=C sort -u >"$dir/declared"
[ "$(wc -l <"$dir/declared")" -gt 50 ] || {
    echo "FAIL: backplane.h declares only $(wc -l <"$dir/declared") functions that this test finds" >&2
    failed=1
}
library=$BP_BUILDDIR/runtime/.libs/libbackplane.so
exports "$library" >"$dir/exported"
if ! diff "$dir/declared" "$dir/exported" >"$dir/diff"; then
    echo "FAIL: < is declared in backplane.h, > is exported by libbackplane:" >&2
    cat "$dir/diff" >&2
    failed=1
fi

for plugin in "$BP_BUILDDIR"/providers/*.so "$BP_MOCK_DIR"/libbp-few.so; do
    [ -e "$plugin" ] || continue # no provider was built
    names=$(exports "$plugin")
    if [ "$names" != bp_provider_entry_v1 ]; then
        echo "FAIL: $plugin exports" $names >&2
        failed=1
    fi
    if nm -D --undefined-only "$plugin" | grep -q ' bp_'; then
        echo "FAIL: $plugin needs symbols of the host:" >&2
        nm -D --undefined-only "$plugin" | grep ' bp_' >&2
        failed=1
    fi
done
exit $failed
