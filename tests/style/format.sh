#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh - all C and C++ is as clang-format 14 formats it by .clang-format; `make format` does that.
set -u
cd "${BP_SRCDIR:-.}" || exit 99

tool=${CLANG_FORMAT:-clang-format-14}
if ! version=$("$tool" --version 2>/dev/null); then
    echo "skipped: there is no $tool; Debian's package clang-format-14 has it"
    exit 77
fi
case $version in
*'version 14.'*) ;;
*)
    echo "skipped: $version; other versions than 14 write some lines otherwise"
    exit 77
    ;;
esac
git ls-files -z '*.c' '*.h' '*.inc' '*.cc' '*.hpp' | grep -zvf tests/style/unformatted |
    xargs -0 "$tool" --dry-run -Werror 2>&1 | grep 'error:' | sed 's/^/FAILED: /' >format.out.$$
n=$(cut -d: -f2 format.out.$$ | sort -u | wc -l)
head -n 20 format.out.$$
rm -f format.out.$$
[ "$n" = 0 ] || echo "$n files are not as clang-format writes them: make format"
[ "$n" = 0 ]
