#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh - a stranger's program with plug-ins in it, as docs/authors.md says it, without libtool: one in
# C and two in C++, which were made from the same template and have all inner names in common.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"

embed=$BP_BUILDDIR/tools/backplane-embed
library=$BP_BUILDDIR/runtime/.libs
if [ ! -e "$library/libbackplane.so" ]; then
    echo 'skipped: no shared library was built'
    exit 77
fi
if nm -D "$library/libbackplane.so" | grep -q '__[at]san_'; then
    echo 'skipped: a program without the sanitizers cannot use a library with them'
    exit 77
fi
CC=${CC:-cc}

# object NAME SOURCE COMPILER...: libbp-NAME.o, of the template's source
object()
{
    name=$1
    source=$2
    shift 2
    file=$work/$name.${source##*.}
    sed -e "s|@NAME@|$name|g" -e "s|@ID@|org.test.$name|g" "$BP_SRCDIR/sdk/template/$source" >"$file"
    "$@" -fPIC -fvisibility=hidden -I"$BP_SRCDIR/sdk" -c "$file" -o "$work/$name.o"
    "$embed" "$name" -o "$work/libbp-$name.o" "$work/$name.o"
    [ "$(nm -g --defined-only "$work/libbp-$name.o" | wc -l)" = 2 ] ||
        failed "$name has other global names: $(nm -g --defined-only "$work/libbp-$name.o")"
    names="$names $name"
    objects="$objects $work/libbp-$name.o"
}

names=
objects=
linker=$CC
# shellcheck disable=SC2086 # compilers with flags
{
    object plain c/provider.c $CC -std=gnu11
    if [ -n "${CXX:-}" ]; then
        object one cpp/provider.cpp $CXX -std=c++17
        object two cpp/provider.cpp $CXX -std=c++17
        linker=$CXX
    fi
    "$embed" --table $names >"$work/table.c"
    $CC -Wall -Wextra -Wpedantic -Werror -c "$work/table.c" -o "$work/table.o"
    $CC -Wall -Wextra -Werror -std=gnu11 -I"$BP_SRCDIR/sdk" \
        -c "$BP_SRCDIR/tests/examples/embed_app.c" -o "$work/app.o"
    $linker -o "$work/app" "$work/app.o" "$work/table.o" $objects -L"$library" -lbackplane \
        -Wl,-rpath,"$library"
}

make_model "$work/relu.onnx" Relu "$FLOAT" 1 3
mkdir "$work/empty"
# shellcheck disable=SC2086
BACKPLANE_PROVIDER_PATH=$work/empty "$work/app" "$work/relu.onnx" $names >"$work/out" 2>"$work/err" ||
    failed "the program with plug-ins in it: $(cat "$work/err")"
cat "$work/out"
for name in $names; do
    says out "$name org.test.$name built in" "$name: 0 0.5 2"
done

# ---- what cannot be done says so ----------------------------------------------------------------

# cannot TEXT ARGUMENT...: backplane-embed ends with 2, says the text, and leaves nothing
cannot()
{
    text=$1
    shift
    code=0
    "$embed" "$@" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = 2 ] || failed "backplane-embed $*: code $code, not 2"
    says err "$text"
    if [ -e "$work/new.o" ] || [ -e "$work/new.o.tmp" ]; then
        failed "backplane-embed $*: leaves a file"
    fi
}

echo 'int alone;' >"$work/alone.c"
# shellcheck disable=SC2086
$CC -c "$work/alone.c" -o "$work/alone.o"
printf '#include <bp/manifest.h>\nBP_MANIFEST("id=a.b\\nname=b\\nversion=1");\n' >"$work/manifest_only.c"
printf 'int bp_provider_entry_v1(void); int bp_provider_entry_v1(void) { return 0; }\n' >"$work/entry.c"
# shellcheck disable=SC2086
for file in manifest_only entry; do
    $CC -I"$BP_SRCDIR/sdk" -c "$work/$file.c" -o "$work/$file.o"
done
cannot 'no function bp_provider_entry_v1' new -o "$work/new.o" "$work/alone.o" "$work/manifest_only.o"
cannot 'there is no manifest' new -o "$work/new.o" "$work/entry.o"
cannot 'more than one manifest' new -o "$work/new.o" "$work/manifest_only.o" "$work/plain.o"
cannot 'cannot read' new -o "$work/new.o" "$work/nowhere.o"
cannot 'cannot read' new -o "$work/new.o" "$work/nowhere.la"
echo "old_library=''" >"$work/shared.la"
cannot 'stands for nothing' new -o "$work/new.o" "$work/shared.la"
cannot 'no files' new -o "$work/new.o"
cannot '-o OUT.o is missing' new "$work/entry.o"
cannot 'NAME of the plug-in is missing' -o "$work/new.o" "$work/entry.o"
cannot 'other characters' New -o "$work/new.o" "$work/entry.o"
cannot 'no option' --nosuch
cannot 'NAMEs' --table
cannot 'other characters' --table good Bad
[ ! -s "$work/out" ] || failed 'half a table'

exit $status
