#!/bin/sh
# SPDX-License-Identifier: MIT
# links.sh - links of the tree's pages lead to files, and their #anchors to headings.
set -u
cd "${BP_SRCDIR:-.}" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Headings as anchors: small letters, blanks as hyphens, no other punctuation.
anchors()
{
    awk '/^```/ { code = !code } !code' "$1" | sed -n 's/^##* //p' | tr '[:upper:]' '[:lower:]' |
        sed "s/[^a-z0-9 _-]//g; s/ /-/g"
}

failed=0
n=0
for page in README.md CHANGELOG.md CONTRIBUTING.md docs/*.md plugins/*/README.md examples/*/README.md; do
    [ -f "$page" ] || continue
    awk '/^```/ { code = !code } !code' "$page" |
        grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:' >"$work/links"
    while read -r link; do
        n=$((n + 1))
        file=${link%%#*}
        if [ -n "$file" ]; then
            target=$(dirname "$page")/$file
        else
            target=$page
        fi
        if [ ! -e "$target" ]; then
            echo "FAILED: $page: there is no $file"
            failed=1
        elif [ "$link" != "$file" ] && ! anchors "$target" | grep -qx -e "${link#*#}"; then
            echo "FAILED: $page: no heading of $target is #${link#*#}"
            failed=1
        fi
    done <"$work/links"
done
[ "$n" -gt 20 ] || {
    echo "FAILED: only $n links were found"
    failed=1
}
[ $failed = 0 ] && echo "$n links are right"
exit $failed
