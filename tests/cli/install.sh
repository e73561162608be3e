#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh - `backplane install`: what it refuses and why, what it leaves behind (nothing), and what
# programs find afterwards.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
. "$BP_SRCDIR/tests/cli/plugins.sh"

export BACKPLANE_PROBE_TIMEOUT_MS=60000 # a slow machine is no fault
export XDG_DATA_HOME="$work/home/data"
user=$XDG_DATA_HOME/backplane/v1
umask 022

src=$work/src
mkdir "$src"
for name in few absent undefined major noentry garbage; do
    cp "$BP_MOCK_DIR/libbp-$name.so" "$src/"
done
chmod 644 "$src/"*

# manifest VERSION [ID [NAME]]
manifest()
{
    printf 'id=%s\\nname=%s\\nversion=%s' "${2-org.test.gizmoid}" "${3-gizmoid}" "$1"
}

# clean DIR: no part of a copy is left there
clean()
{
    for left in "$1"/*.part; do
        [ ! -e "$left" ] || failed "$left was left behind"
    done
}

# untouched: nothing has made the user's directory
untouched()
{
    [ ! -e "$work/home" ] || failed "something was made: $(find "$work/home")"
}

# ---- refused before anything is written -----------------------------------------------------------

bp_refuses 2 'No such file' install "$src/libbp-none.so"
bp_refuses 2 'not a regular file' install "$src"
bp_refuses 2 'not a regular file' install /dev/full
mkfifo "$work/libbp-pipe.so"
bp_refuses 2 'not a regular file' install "$work/libbp-pipe.so"
ln -s "$work/nowhere" "$work/libbp-lost.so"
bp_refuses 2 'No such file' install "$work/libbp-lost.so"
echo words >"$src/libbp-words.so"
bp_refuses 4 'not an ELF file' install "$src/libbp-words.so"
: >"$src/libbp-empty.so"
bp_refuses 4 'MANIFEST: ' install "$src/libbp-empty.so"
head -c 600 "$src/libbp-few.so" >"$src/libbp-cut.so"
bp 4 install "$src/libbp-cut.so"
make "$src/libbp-plain.so" "$(manifest 1)"
printf 'int nothing;\n' >"$work/source.c"
# shellcheck disable=SC2086 # a compiler, maybe with options
$CC -shared -fPIC -o "$src/libbp-plain.so" "$work/source.c"
bp_refuses 4 'BP_MANIFEST' install "$src/libbp-plain.so"
head -c 18 "$src/libbp-few.so" >"$src/libbp-arch.so"
printf '\377\176' >>"$src/libbp-arch.so"
tail -c +21 "$src/libbp-few.so" >>"$src/libbp-arch.so"
bp_refuses 4 'ARCH: ' install "$src/libbp-arch.so"
bp_refuses 4 'ARCH: ' install --force "$src/libbp-arch.so"
make "$src/libbp-abi.so" "$(manifest 1)\\nabi=9.0"
bp_refuses 4 'speaks ABI 9.0' install --force "$src/libbp-abi.so"
make "$src/libbp-young.so" "$(manifest 1)\\nabi=1.99\\nneeds_host=1.99"
bp_refuses 4 'install a newer Backplane' install --force "$src/libbp-young.so"
cp "$src/libbp-few.so" "$src/libbp-open.so"
chmod 666 "$src/libbp-open.so"
bp_refuses 4 'mode 0666' install --force "$src/libbp-open.so"
make "$src/libbp-stack.so" "$(manifest 1)" '' -Wl,-z,execstack
bp_refuses 4 'executable' install "$src/libbp-stack.so"
make "$work/libnowhere.so" "$(manifest 1)" 'int nowhere(void) { return 1; }'
make "$src/libbp-lib.so" "$(manifest 1)" \
    'int nowhere(void); int use(void) { return nowhere(); }' "$work/libnowhere.so"
rm "$work/libnowhere.so"
bp_refuses 4 'DEPENDENCIES: ' install "$src/libbp-lib.so"
says err 'libnowhere.so' '--force installs it all the same'
bp_refuses 4 'bp_mock_function_without_definition' install "$src/libbp-undefined.so"
bp_refuses 2 'give one' install --system --dir "$work/x" "$src/libbp-few.so"
bp_refuses 2 'FILE' install
untouched
bp 0 install --dry-run "$src/libbp-few.so"
says out "would install $user/libbp-few.so" 'few, org.backplane.few' '1.2.3' 'usable'
bp 0 install --dry-run --no-probe "$src/libbp-few.so"
says out 'not done'
bp_refuses 4 'driver too old' install --dry-run "$src/libbp-absent.so"
untouched

# ---- refused after the copy, which goes again ------------------------------------------------------

bp_refuses 4 'driver too old: 535.54 < 550.0; update the driver; --force' \
    install "$src/libbp-absent.so"
never_says err .part
make "$src/libbp-trap.so" "$(manifest 1 org.test.trap trap)" \
    '__attribute__((constructor)) static void trap(void) { __builtin_trap(); }'
bp_refuses 4 'crashed with signal' install --force "$src/libbp-trap.so"
never_says err .part
BACKPLANE_PROBE_HELPER=$work/none bp_refuses 4 'could not be probed' install "$src/libbp-few.so"
says err 'leave the probe out'
bp_refuses 4 'noentry' install "$src/libbp-noentry.so"
untouched

# ---- installed ------------------------------------------------------------------------------------

bp 0 install "$src/libbp-few.so"
says out "installed $user/libbp-few.so" 'few, org.backplane.few' '1.2.3' 'usable' "yes, as 'few'"
cmp "$src/libbp-few.so" "$user/libbp-few.so" || failed 'the copy is another'
for dir in "$work/home" "$XDG_DATA_HOME" "$user"; do
    [ "$(stat -c %a "$dir")" = 755 ] || failed "$dir has mode $(stat -c %a "$dir")"
done
[ "$(stat -c %a "$user/libbp-few.so")" = 644 ] || failed 'the mode is not 644'
clean "$user"
bp 0 providers few
says out "$user/libbp-few.so"
bp 0 verify few

# a strict umask, and one that takes nothing away
for mask in 077 000; do
    (
        umask "$mask"
        bp 0 install --dir "$work/mask$mask/deep" "$src/libbp-few.so"
        says out "no: $work/mask$mask/deep is not searched" BACKPLANE_PROVIDER_PATH_ADD
        exit "$status"
    ) || status=1
    [ "$(stat -c %a "$work/mask$mask/deep")" = 755 ] || failed "umask $mask: another mode"
    [ "$(stat -c %a "$work/mask$mask/deep/libbp-few.so")" = 644 ] || failed "umask $mask: file"
done

# several at once: one that is refused does not keep the others out
cp "$BP_MOCK_DIR/libbp-gadget.so" "$src/"
chmod 644 "$src/libbp-gadget.so"
bp 4 install "$src/libbp-words.so" "$src/libbp-gadget.so"
[ -e "$user/libbp-gadget.so" ] || failed 'the second was not installed'
bp 0 --quiet install --dir "$work/quiet" "$src/libbp-few.so"
[ ! -s "$work/out" ] || failed '--quiet says something'

# by a relative path, by a link, under the provider's name
(
    cd "$src"
    bp 0 install --dir "$work/relative" libbp-few.so
    cd "$work"
    bp 0 install --dir relative/../relative2 ./src/libbp-few.so
    [ -e "$work/relative2/libbp-few.so" ] || failed 'a relative directory'
    exit "$status"
) || status=1
ln -s "$src/libbp-few.so" "$src/libbp-link.so"
bp 0 install --dir "$work/link" "$src/libbp-link.so"
[ -f "$work/link/libbp-link.so" ] && [ ! -h "$work/link/libbp-link.so" ] ||
    failed 'a link was installed'
odd=$(printf 'libbp-\033[31m;$(touch x)\n.so')
cp "$src/libbp-few.so" "$src/$odd"
bp 0 install --dir "$work/odd" "$src/$odd"
never_says out "$(printf '\033')"
[ -e "$work/odd/libbp-few.so" ] || failed 'a hostile name is not replaced by the provider'\''s'
cp "$src/libbp-few.so" "$src/plugin"
bp 0 install --dir "$work/plain" "$src/plugin"
[ -e "$work/plain/libbp-few.so" ] || failed 'a plain name is not replaced by the provider'\''s'
bp_refuses 4 "its manifest has name=" install --dir "$work/plain" "$(
    make "$src/libbp-path.so" "$(manifest 1 org.test.path ../../path)"
    echo "$src/libbp-path.so"
)"

# ---- over another file ----------------------------------------------------------------------------

make "$work/one.so" "$(manifest 1.9)"
make "$work/ten.so" "$(manifest 1.10)"
make "$work/other.so" "$(manifest 5 org.test.other gizmoid)"
to="--no-probe --dir $work/over"
at=$work/over/libbp-gizmoid.so
# shellcheck disable=SC2086 # $to is several words, here and below
bp 0 install $to "$work/one.so"
bp_refuses 4 'has version 1.9 already; --replace' install $to "$work/one.so"
bp 0 install $to --replace "$work/one.so"
says out 'in place of 1.9'
bp 0 install $to "$work/ten.so"
says out '1.10, in place of 1.9'
cmp "$work/ten.so" "$at" || failed 'the newer is not there'
bp_refuses 4 'has the higher version 1.10; --downgrade' install $to "$work/one.so"
bp_refuses 4 'has the higher version 1.10' install $to --replace "$work/one.so"
bp_refuses 4 'has version 1.10 already' install $to --downgrade "$work/ten.so"
cmp "$work/ten.so" "$at" || failed 'a refusal changed the file'
bp 0 install $to --downgrade "$work/one.so"
bp_refuses 4 "holds another provider, 'org.test.gizmoid'; remove it first" \
    install $to --replace --downgrade --force "$work/other.so"
bp_refuses 4 'is that very file' install $to "$at"
cp "$work/one.so" "$work/libbp-second.so"
bp_refuses 4 "nor would $at, which holds the same version" install $to "$work/libbp-second.so"
[ ! -e "$work/over/libbp-second.so" ] || failed 'a twin was installed'
echo words >"$at"
bp_refuses 4 'what provider it holds cannot be told' install $to --replace "$work/one.so"
[ "$(cat "$at")" = words ] || failed 'a refusal changed the file'
rm "$at"
ln -s "$work/elsewhere.so" "$at"
bp_refuses 4 'is a symbolic link' install $to --replace "$work/one.so"
[ -h "$at" ] && [ ! -e "$work/elsewhere.so" ] || failed 'it wrote through a link'
rm "$at"
mkdir "$at"
bp_refuses 4 'no regular file' install $to --replace "$work/one.so"
rmdir "$at"
clean "$work/over"

# ---- what only this machine cannot use ------------------------------------------------------------

bp 0 install --force "$src/libbp-absent.so"
says out 'driver too old' 'no: AVAILABLE'
bp 0 install --force --no-probe --dir "$work/forced" "$src/libbp-undefined.so"
[ -e "$work/forced/libbp-undefined.so" ] || failed '--force does not install'
bp 0 install --no-probe --dir "$work/forced" "$src/libbp-trap.so"
clean "$work/forced"

# ---- NAME.conf ------------------------------------------------------------------------------------

echo 'priority = 70' >"$src/few.conf"
bp 0 install --conf --dir "$work/conf" "$src/libbp-few.so"
says out "$work/conf/few.conf"
cmp "$src/few.conf" "$work/conf/few.conf" || failed 'the conf file is another'
bp 0 install --conf --replace --dir "$work/conf" "$src/libbp-few.so"
echo 'priority = 10' >"$work/conf/few.conf"
rm "$work/conf/libbp-few.so"
bp_refuses 4 'has other settings; --replace' install --conf --dir "$work/conf" "$src/libbp-few.so"
[ ! -e "$work/conf/libbp-few.so" ] || failed 'it was installed without its settings'
echo 'nonsense' >"$src/few.conf"
bp_refuses 4 "a line is 'key = value'" install --conf --dir "$work/conf2" "$src/libbp-few.so"
bp 0 install --dir "$work/conf2" "$src/libbp-few.so" # without --conf it stays where it is
[ ! -e "$work/conf2/few.conf" ] || failed 'a conf file was copied'
rm "$src/few.conf"
bp_refuses 2 'few.conf: No such file' install --conf --dir "$work/conf3" "$src/libbp-few.so"
[ ! -e "$work/conf3" ] || failed 'a failure left a directory'

# ---- the allow list -------------------------------------------------------------------------------

sum=$(sha256sum "$src/libbp-few.so" | cut -c 1-64)
rm -rf "$work/home"
BACKPLANE_ALLOW=enforce bp 0 install "$src/libbp-few.so"
says out 'enforce; it is not listed' "$sum  org.backplane.few" 'no: POLICY'
BACKPLANE_PROVIDERS='!few' bp 0 install --replace "$src/libbp-few.so"
says out 'no: POLICY' 'vetoed'

# another file holds the same provider in a version that is higher
mkdir "$work/first"
cp "$work/ten.so" "$work/first/libbp-gizmoid.so"
gives 0 --provider-dir "$work/first" install --no-probe "$work/one.so"
says out 'no: POLICY' 'has a higher version'

# ---- where nothing can be written -----------------------------------------------------------------

if [ "$(id -u)" != 0 ]; then
    mkdir "$work/closed"
    chmod 555 "$work/closed"
    bp_refuses 6 'Permission denied; choose another directory' install --dir "$work/closed" \
        "$src/libbp-few.so"
    bp_refuses 6 'Permission denied' install --dir "$work/closed/deep" "$src/libbp-few.so"
    chmod 755 "$work/closed"
else
    echo "left out: directories that cannot be written, as root can write everywhere"
fi
: >"$work/file"
bp_refuses 6 'Not a directory' install --dir "$work/file" "$src/libbp-few.so"
bp_refuses 6 'Not a directory' install --dir "$work/file/deep" "$src/libbp-few.so"
mkdir "$work/public"
chmod 777 "$work/public"
bp_refuses 4 'has mode 0777' install --dir "$work/public" "$src/libbp-few.so"
[ -z "$(ls "$work/public")" ] || failed 'a refusal left something behind'

# a disk without space, as a limit for the size of files: the file that was there stays
mkdir "$work/full"
cp "$work/one.so" "$work/full/libbp-gizmoid.so"
(
    trap '' XFSZ
    ulimit -f 8
    bp_refuses 6 'File too large' install --no-probe --dir "$work/full" "$work/ten.so" \
        2>"$work/limit"
    exit "$status"
) || status=1
cmp "$work/one.so" "$work/full/libbp-gizmoid.so" || failed 'a full disk changed the file'
clean "$work/full"

exit "$status"
