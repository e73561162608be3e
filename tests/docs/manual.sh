#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh - the man pages of section 3 are what the public headers say, have every exported function once, are
# found under each function's name once installed, format without a warning, and their examples compile.
#
#     manual.sh          fails where they are not
#     manual.sh --write  writes what they have from the headers (`make update-manual`)
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
missing=

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

cd "$BP_SRCDIR"
if [ "${1-}" = --write ]; then
    exec python3 tests/docs/manual.py --write sdk/backplane.h sdk/backplane_operators.h -- docs/*.3
fi

# ---- every exported function is in one NAME section and one SYNOPSIS -------------------------------

nm -D --defined-only "$BP_BUILDDIR/runtime/.libs/libbackplane.so" | awk '$2 ~ /[TW]/ { print $3 }' |
    grep '^bp_' | sort >"$work/exported"
[ "$(wc -l <"$work/exported")" -gt 100 ] || fail "libbackplane.so exports hardly anything"
sed -n 's/^\.Nm \(bp_[a-z0-9_]*\).*/\1/p' docs/*.3 | sort >"$work/named"
sed -n 's/^\.Fo \(bp_[a-z0-9_]*\)$/\1/p' docs/*.3 | sort >"$work/declared"
for list in named declared; do
    uniq -d "$work/$list" >"$work/twice"
    [ ! -s "$work/twice" ] || fail "in two pages: $(tr '\n' ' ' <"$work/twice")"
    comm -23 "$work/exported" "$work/$list" >"$work/lost"
    [ ! -s "$work/lost" ] || fail "exported, but in no page: $(tr '\n' ' ' <"$work/lost")"
done

# ---- what pages have from the headers is what the headers say --------------------------------------

if command -v python3 >/dev/null; then
    python3 tests/docs/manual.py sdk/backplane.h sdk/backplane_operators.h -- docs/*.3 || status=1
    # a prototype that changes is seen
    mkdir "$work/planted"
    cp docs/*.3 "$work/planted"
    sed 's/bp_env_threads(const bp_env \*env)/bp_env_threads(bp_env *env)/' sdk/backplane.h >"$work/other.h"
    cmp -s "$work/other.h" sdk/backplane.h && fail "bp_env_threads() is not what this test expects"
    python3 tests/docs/manual.py "$work/other.h" sdk/backplane_operators.h -- "$work"/planted/*.3 \
        >"$work/diff" 2>&1 && fail "another prototype is not noticed"
    grep -q '^+\.Fa "bp_env \*env"$' "$work/diff" || fail "another prototype is not shown"
else
    missing="$missing python3"
fi

# ---- the formatter has no complaint ----------------------------------------------------------------

if command -v groff >/dev/null; then
    for page in docs/*.[0-9]; do
        groff -mandoc -ww -Tutf8 "$page" >"$work/text" 2>"$work/warnings" || fail "groff fails on $page"
        [ ! -s "$work/warnings" ] || fail "$page: $(head -3 "$work/warnings")"
        [ -s "$work/text" ] || fail "$page is empty"
    done
else
    missing="$missing groff"
fi
if command -v mandoc >/dev/null; then
    mandoc -T lint -W error docs/*.[0-9] || fail "mandoc does not like a page"
fi

# ---- installed, a page is found by each of its functions -------------------------------------------

MAKEFLAGS='' make -s -C "$BP_BUILDDIR" install-man-links DESTDIR="$work/root" mandir=/man >"$work/made" 2>&1 ||
    fail "install-man-links: $(cat "$work/made")"
for name in $(cat "$work/exported"); do
    file=$work/root/man/man3/$name.3
    if [ ! -f "$file" ]; then
        [ -f "docs/$name.3" ] || fail "there is no page $name.3"
        continue
    fi
    page=$(sed -n 's/^\.so man3\///p' "$file")
    grep -q "^\.Nm $name\( ,\)*$" "docs/$page" || fail "$name.3 leads to $page, which does not document it"
done

# ---- examples compile ------------------------------------------------------------------------------

for page in docs/*.3; do
    name=$(basename "$page" .3)
    sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' "$page" | sed '1,2d;$d;s/\\e/\\/g;s/^\\&//' >"$work/$name.c"
    grep -q '#include <backplane.h>' "$work/$name.c" || fail "$page has no example"
    # shellcheck disable=SC2086 # $CC may hold flags
    ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I sdk "$work/$name.c" ||
        fail "the example of $page does not compile"
done

[ -z "$missing" ] || echo "not tested, as these are not installed:$missing" >&2
exit $status
