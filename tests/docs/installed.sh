#!/bin/sh
# SPDX-License-Identifier: MIT
# installed.sh - `make install` installs every page of docs/ and every file of examples/, so that links between them
# work, and what it installs of an example is enough to compile it.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

MAKEFLAGS='' make -s -C "$BP_BUILDDIR" install-nobase_dist_docDATA install-man install-dist_schemaDATA \
    DESTDIR="$work/root" docdir=/doc mandir=/man pkgdatadir=/data >"$work/made" 2>&1 ||
    fail "make install: $(cat "$work/made")"
doc=$work/root/doc

# ---- everything is there -------------------------------------------------------------------------

cd "$BP_SRCDIR"
find docs examples -type f ! -name local.mk ! -name '*.pyc' ! -name '*.o' ! -name '*.dot' | sort >"$work/files"
[ "$(wc -l <"$work/files")" -gt 100 ] || fail "hardly a file is in docs/ and examples/"
while read -r file; do
    case $file in
    docs/schema/*) target=$work/root/data/schema/${file##*/} ;;
    docs/*.[1-8]) target=$work/root/man/man${file##*.}/${file##*/} ;;
    *) target=$doc/$file ;;
    esac
    cmp -s "$file" "$target" || fail "$file is not installed: add it to the lists of its local.mk"
done <"$work/files"

# ---- links between pages and examples work; others lead to what only the source tree has --------------

(cd "$doc" && find . -name '*.md') >"$work/pages"
[ "$(wc -l <"$work/pages")" -gt 20 ] || fail "hardly a page is installed"
while read -r page; do
    awk '/^```/ { code = !code } !code' "$doc/$page" | grep -o '](\([^)]*\))' |
        sed 's/^](//; s/)$//; s/#.*//' | grep '\.\(md\|svg\)$' | grep -v '^[a-z]*:\|^\.\./tests/' >"$work/links" || continue
    while read -r link; do
        [ -f "$doc/$(dirname "$page")/$link" ] || fail "$page, installed, leads nowhere: $link"
    done <"$work/links"
done <"$work/pages"

# ---- examples compile as the guide says it --------------------------------------------------------------

command=$(sed -n 's/^cc \(\*\.c .*\) \$(pkg-config.*/\1/p' "$doc/docs/applications.md")
[ -n "$command" ] || fail "the guide does not say how an example is compiled"
for example in decode service streaming strings; do
    # shellcheck disable=SC2086 # $CC may hold flags, and the command has patterns
    (cd "$doc/examples/$example" &&
        ${CC:-cc} -fsyntax-only -Wall -Wextra -Werror -I"$BP_SRCDIR/sdk" $command) ||
        fail "examples/$example, installed, does not compile"
done
exit $status
