#!/bin/sh
# SPDX-License-Identifier: MIT
# planted.sh - the guards of this folder pass a small tree without mistakes, and name each kind of mistake that is
# planted in it.
set -u

source=${BP_SRCDIR:-$PWD}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
failed=0
unset BP_SRCDIR

git init -q -b main . || exit 77
git config user.name test
git config user.email test@example.org
git config commit.gpgsign false

# A tree of few files in which all is right, as one commit; later ones start from it.
mkdir -p runtime/base runtime/graph runtime/plan sdk plugins/cpu tools tests/style
cp "$source"/tests/style/* tests/style/
cp "$source"/.clang-format .
printf 'int bp_a(void);\n' >runtime/base/a.h
printf '#include "base/a.h"\n\nint bp_a(void)\n{\n    return 1;\n}\n' >runtime/base/a.c
printf '#include "base/a.h"\n\nint bp_b(void);\n' >runtime/graph/b.h
git add . && git commit -qm 'tree: everything is right'
SINCE=$(git rev-parse HEAD)
export SINCE

reset()
{
    git reset -q --hard "$SINCE" && git clean -qfdx
    mkdir -p runtime/plan plugins/cpu
}
reset

# see WHAT WORDS COMMAND...: the mistake that was just planted makes the command fail, and it says WORDS.
see()
{
    what=$1 words=$2
    shift 2
    git add -A
    if "$@" >out 2>&1; then
        echo "FAILED: $what passes"
        failed=1
    elif ! grep -q "$words" out; then
        echo "FAILED: $what: nothing says '$words':"
        cat out
        failed=1
    else
        echo "seen: $what"
    fi
    rm -f out
    reset
}

structure="python3 tests/style/structure.py"
for check in layers circles folders words; do
    $structure $check || { echo "FAILED: $check finds mistakes where there are none"; failed=1; }
done
sh tests/style/commits.sh || { echo "FAILED: commits.sh finds mistakes where there are none"; failed=1; }

printf '#include "graph/b.h"\n' >runtime/base/up.c
see 'an include of a folder above' 'runtime/base/up.c:1 includes runtime/graph/b.h' $structure layers

printf '#include "../../runtime/base/a.h"\n' >plugins/cpu/host.c
see 'a plug-in that includes the host' 'plugins/cpu/host.c:1 includes runtime/base/a.h' $structure layers

mkdir -p runtime/new && printf 'int x;\n' >runtime/new/x.c
see 'a folder without a row' 'runtime/new/x.c: its folder is not in' $structure layers

mkdir -p runtime/plan/one runtime/plan/two
printf '#include "plan/two/y.h"\n' >runtime/plan/one/x.h
printf '#include "plan/one/x.h"\n' >runtime/plan/two/y.h
see 'folders that include each other' 'folders that include each other: 2' $structure circles

for i in 1 2 3 4 5; do
    printf '#include "plan/m%s.h"\n' $((i % 5 + 1)) >runtime/plan/m$i.h
done
see 'five files that include each other' 'files that include each other: 5' $structure circles

mkdir -p build/runtime/.libs
for i in 1 2 3 4 5; do
    printf 'int f%s(void);\nint f%s(void);\nint f%s(void)\n{\n    return f%s();\n}\n' \
        $((i % 5 + 1)) $i $i $((i % 5 + 1)) >f.c
    ${CC:-cc} -c -o build/runtime/.libs/lib_la-f$i.o f.c
    cp f.c runtime/f$i.c
    touch build/runtime/lib_la-f$i.o
done
rm f.c
see 'five files that call each other' 'call each other: 5' $structure --objects build circles

for i in $(seq 41); do printf 'int x;\n' >runtime/plan/n$i.c; done
see 'a folder of 41 files' 'runtime/plan has 41 files' $structure folders

printf '/* a lineup of providers */\n' >runtime/plan/w.c
see 'a word that we gave up' "'lineup'" $structure words

printf 'int x = op->name[0];\n' >plugins/cpu/w.c
see 'a kernel that looks at letters of a name' "'op->name\[" $structure words

if clang-format-14 --version 2>/dev/null | grep -q 'version 14\.'; then
    printf 'int  x ;\n' >runtime/plan/w.c
    see 'a file of another format' 'runtime/plan/w.c' sh tests/style/format.sh
fi

commit()
{
    printf '/* %s */\n' "$1" >>runtime/base/a.h
    git add -A && git commit -qm "$1"
}
commit 'plan: a subject that goes on for much longer than the sixty characters'
see 'a subject of 70 characters' 'characters; 60 are the most' sh tests/style/commits.sh
commit 'Fixed it'
see 'a subject without an area' 'is not "area: what it does"' sh tests/style/commits.sh
seq 50 >runtime/plan/many.txt
commit 'plan: many numbers'
see 'a change of 50 lines without a body' 'has no body' sh tests/style/commits.sh
exit $failed
