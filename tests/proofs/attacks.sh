#!/bin/sh
# SPDX-License-Identifier: MIT
# attacks.sh - tries to make a program run code that is neither its user's nor the system's. Each attack has a
# plug-in that writes a file as soon as it is mapped; no such file may appear. Proof 9 of docs/proofs.md: P5.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
. "$BP_SRCDIR/tests/built.sh"
needs_built tests/proofs/raised
umask 022
chmod 755 "$work"
trace=$work/trace
tried=0

# compile OUT MANIFEST FLAG...: a shared object whose constructor leaves the trace; a manifest NAME or none.
compile()
{
    out=$1
    name=$2
    shift 2
    {
        echo '#include <bp/manifest.h>'
        echo '#include <stdio.h>'
        [ -z "$name" ] ||
            printf 'BP_MANIFEST("id=org.test.%s\\nname=%s\\nversion=1");\n' "$name" "$name"
        echo '__attribute__((constructor)) static void leave(void)'
        echo "{ FILE *f = fopen(\"$trace\", \"w\"); if (f) fclose(f); }"
        echo 'int here(void); int here(void) { return 1; }'
    } >"$work/spy.c"
    $CC -std=gnu11 -I"$BP_SRCDIR/sdk" -shared -fPIC -o "$out" "$work/spy.c" "$@"
}

# look COMMAND...: what it gives does not matter, as long as it ends by itself.
look()
{
    code=0
    "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" -lt 124 ] || failed "$*: code $code"
}

# holds WORDS: nothing foreign has run.
holds()
{
    tried=$((tried + 1))
    if [ -e "$trace" ]; then
        failed "foreign code has run: $1"
        rm -f "$trace"
    fi
}

mkdir "$work/good" "$work/evil" "$work/empty"
compile "$work/evil/libbp-spy.so" spy

# the spy is awake
look "$backplane" --provider-dir "$work/evil" providers
[ -e "$trace" ] || failed 'the spy does not even leave a trace where it may'
rm -f "$trace"

# places that are none
cd "$work/evil"
look "$backplane" providers
look "$backplane" providers spy
look "$backplane" providers libbp-spy.so
look "$backplane" providers ./libbp-spy.so
holds 'the current directory'
cd "$work"
look env LD_LIBRARY_PATH="$work/evil" LTDL_LIBRARY_PATH="$work/evil" "$backplane" providers spy
look env LD_LIBRARY_PATH="$work/evil" LTDL_LIBRARY_PATH="$work/evil" "$backplane" providers
holds "the linker's and libltdl's search paths"
for path in evil . ./evil ../evil 'evil:' ':' "$BP_BUILDDIR/providers:evil"; do
    look env BACKPLANE_PROVIDER_PATH="$path" "$backplane" providers
    look env BACKPLANE_PROVIDER_PATH_ADD="$path" "$backplane" providers
done
holds 'relative directories'

# files that are none
mkdir "$work/la"
cat >"$work/la/libbp-spy.la" <<END
# libbp-spy.la - a libtool library file
dlname='libbp-spy.so'
library_names='libbp-spy.so libbp-spy.so libbp-spy.so'
old_library=''
dependency_libs=''
installed=yes
shouldnotlink=yes
libdir='$work/evil'
END
look "$backplane" --provider-dir "$work/la" providers
look "$backplane" --provider-dir "$work/la" providers spy
look "$backplane" providers "$work/la/libbp-spy.la"
holds 'a .la file'
printf 'path = %s\nfile = %s\n' "$work/evil/libbp-spy.so" "$work/evil/libbp-spy.so" \
    >"$work/empty/spy.conf"
look "$backplane" --provider-dir "$work/empty" providers
look "$backplane" --provider-dir "$work/empty" providers spy
holds 'a conf file that names another file'

# what others could have written
for mode in 0777 1777 0757; do
    mkdir "$work/open"
    cp "$work/evil/libbp-spy.so" "$work/open/"
    chmod "$mode" "$work/open"
    look "$backplane" --provider-dir "$work/open" providers
    look "$backplane" providers "$work/open/libbp-spy.so"
    ln -s "$work/open/libbp-spy.so" "$work/empty/libbp-spy.so"
    look "$backplane" --provider-dir "$work/empty" providers
    rm -rf "$work/open" "$work/empty/libbp-spy.so"
done
holds 'directories that others may write to, and links into them'
cp "$work/evil/libbp-spy.so" "$work/good/"
chmod 0666 "$work/good/libbp-spy.so"
look "$backplane" --provider-dir "$work/good" providers
holds 'a file that others may write to'
rm "$work/good/libbp-spy.so"

# a link that another user turns to and fro, where every user may make links
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups true 2>"$work/log"; then
    mkdir "$work/sticky"
    chmod 1777 "$work/sticky"
    while :; do
        setpriv --reuid 65534 --clear-groups ln -sfn "$work/good" "$work/sticky/turn"
        setpriv --reuid 65534 --clear-groups ln -sfn "$work/evil" "$work/sticky/turn"
    done 2>"$work/log" &
    turner=$!
    i=0
    while [ "$i" -lt 20 ]; do
        look env BACKPLANE_PROVIDER_PATH="$work/sticky/turn" "$backplane" providers
        look "$backplane" --provider-dir "$work/sticky/turn" providers
        i=$((i + 1))
    done
    kill "$turner"
    wait "$turner" 2>"$work/log" || :
    holds 'a link that another user turns to and fro'
fi

# what a file asks the linker to do
mkdir "$work/needy"
compile "$work/evil/libspied.so" '' -Wl,-soname,libspied.so
cat >"$work/needy.c" <<'END'
#include <bp/manifest.h>
BP_MANIFEST("id=org.test.needy\nname=needy\nversion=1");
int here(void);
int f(void);
int f(void) { return here(); }
END
for entry in . '' evil '$ORIGIN/../good:.' '/usr/lib::'; do
    for tag in enable disable; do
        $CC -std=gnu11 -I"$BP_SRCDIR/sdk" -shared -fPIC -o "$work/needy/libbp-needy.so" \
            "$work/needy.c" -L"$work/evil" -lspied -Wl,--$tag-new-dtags -Wl,-rpath,"$entry"
        (
            cd "$work/evil"
            [ -z "$entry" ] || look "$backplane" --provider-dir "$work/needy" providers
        )
    done
done
holds 'RPATH and RUNPATH with directories of whoever starts the program'

# what is remembered: neither file is believed about who could change the plug-in
mkdir "$work/open"
cp "$work/evil/libbp-spy.so" "$work/good/"
look "$backplane" --provider-dir "$work/good" providers --no-open
look env BACKPLANE_REGISTRY="$work/registry" "$backplane" --provider-dir "$work/good" providers
rm -f "$trace" # there it was allowed
chmod 0777 "$work/good"
look env BACKPLANE_REGISTRY="$work/registry" "$backplane" --provider-dir "$work/good" providers
holds 'a registry that knows the plug-in as a good one'
chmod 0755 "$work/good"

# raised privileges: an attacker's directory, in every variable there is
elevated='not tried: it needs root, setpriv, and a file system that lets programs be set-user-id'
variables='ALLOW DEPS FALLBACK PROBE PROBE_HELPER PROBE_TIMEOUT_MS PROVIDERS PROVIDER_OPTIONS
    PROVIDER_PATH PROVIDER_PATH_ADD REGISTRY REPORT STRICT'
# raised COMMAND ARGUMENT...: our program, started by another user, with its owner's rights
raised()
{
    how=$1
    shift
    "$how" setpriv --reuid 65534 --clear-groups env HOME="$work/his" XDG_DATA_HOME="$work/his" \
        XDG_CACHE_HOME="$work/his" BACKPLANE_ALLOW=off BACKPLANE_DEPS=any \
        BACKPLANE_FALLBACK=silent BACKPLANE_PROBE=always BACKPLANE_PROBE_HELPER="$work/his/helper" \
        BACKPLANE_PROBE_TIMEOUT_MS=1 BACKPLANE_PROVIDERS=spy \
        BACKPLANE_PROVIDER_OPTIONS=spy:a=b BACKPLANE_PROVIDER_PATH="$work/his" \
        BACKPLANE_PROVIDER_PATH_ADD="$work/his" BACKPLANE_REGISTRY="$work/his/registry" \
        BACKPLANE_REPORT="$work/his/report" BACKPLANE_STRICT=1 LD_LIBRARY_PATH="$work/his" \
        LTDL_LIBRARY_PATH="$work/his" "$work/raised" "$@"
}
program=$BP_BUILDDIR/tests/proofs/raised
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null &&
    cp "$program" "$work/raised" && chmod 4755 "$work/raised"; then
    mkdir -p "$work/his/backplane/v1" "$work/his/.local/share/backplane/v1"
    for dir in backplane/v1 .local/share/backplane/v1 .; do
        cp "$work/evil/libbp-spy.so" "$work/his/$dir/"
    done
    {
        echo '#!/bin/sh'
        echo "touch $trace"
    } >"$work/his/helper"
    chmod 755 "$work/his/helper"
    chown -R 65534 "$work/his"
    (cd "$work/his" && raised env) >"$work/out" 2>"$work/err" || :
    if grep -q ': the program runs with raised privileges' "$work/out"; then
        for variable in $variables; do
            grep -q "^BACKPLANE_$variable: the program runs with raised privileges" "$work/out" ||
                failed "a setuid program does not say that it ignores BACKPLANE_$variable"
        done
        raised look "$work/empty" spy
        raised look "$work/his" spy # it asks for that itself, and the file is his
        grep -q 'SECURITY: .*belongs to user 65534' "$work/out" ||
            failed "a setuid program does not say whose file it refuses: $(cat "$work/out")"
        holds 'a setuid program with every variable set'
        raised look "$work/evil" spy # but root's own file it opens, with libraries that are root's
        grep -q '^spy [A-Z]*: .*' "$work/out" && [ -e "$trace" ] ||
            failed "a setuid program does not open what is root's: $(cat "$work/out" "$work/err")"
        rm -f "$trace"
        for file in registry report; do
            [ ! -e "$work/his/$file" ] || failed "a setuid program writes a $file for its user"
        done
        elevated='a setuid program heeds no variable'
    fi
fi

[ "$status" != 0 ] ||
    echo "attacks: $tried ways tried, no foreign code has run; raised privileges: $elevated"
exit "$status"
