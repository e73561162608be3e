#!/bin/sh
# SPDX-License-Identifier: MIT
# remove.sh - `backplane remove`: deletes what is meant, in the directory that is meant, and nothing
# else.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
. "$BP_SRCDIR/tests/cli/plugins.sh"

export XDG_DATA_HOME="$work/data"
user=$XDG_DATA_HOME/backplane/v1
other=$work/other
mkdir -p "$user" "$other"

# put FILE: the mock "few" under that name
put()
{
    cp "$BP_MOCK_DIR/libbp-few.so" "$1"
    chmod 644 "$1"
}

gone()
{
    for file in "$@"; do
        [ ! -e "$file" ] && [ ! -h "$file" ] || failed "$file is there"
    done
}

there()
{
    for file in "$@"; do
        [ -e "$file" ] || [ -h "$file" ] || failed "$file is gone"
    done
}

# by name, id and path
for name in few org.backplane.few "$user/libbp-few.so"; do
    put "$user/libbp-few.so"
    put "$other/libbp-few.so"
    bp 0 remove --dry-run "$name"
    says out "would remove $user/libbp-few.so"
    there "$user/libbp-few.so"
    bp 0 remove "$name"
    says out "removed $user/libbp-few.so" "no other plug-in that programs find holds 'few'"
    gone "$user/libbp-few.so"
    there "$other/libbp-few.so"
done
put "$user/libbp-few.so"
(
    cd "$user"
    bp 0 remove libbp-few.so
    exit "$status"
) || status=1
gone "$user/libbp-few.so"
put "$user/libbp-few.so"
bp 0 --quiet remove few
[ ! -s "$work/out" ] || failed '--quiet says something'

# another file takes its place
put "$user/libbp-few.so"
gives 0 --provider-dir "$other" remove few
says out "'few' is now $other/libbp-few.so, version 1.2.3"

# files elsewhere stay
bp_refuses 2 "$user has no plug-in 'few'" remove few
gives 2 --provider-dir "$other" remove few
says err "it is $other/libbp-few.so, see --system and --dir"
bp_refuses 2 "only files there are removed" remove "$other/libbp-few.so"
bp_refuses 2 "has no plug-in 'cpu'; it is" remove cpu
bp_refuses 2 "there is no provider 'nothing'" remove nothing
bp_refuses 2 'only files there are removed' remove "$user/../v1/libbp-few.so"
bp_refuses 2 'only files there are removed' remove /etc/passwd
bp_refuses 2 'give one' remove --system --dir "$other" few
bp_refuses 2 'NAME' remove
there "$other/libbp-few.so"
bp 0 remove --dir "$other" few
gone "$other/libbp-few.so"
bp_refuses 2 'has no plug-in' remove --dir "$work/none" few

# builds for newer processors belong to it, and so do their settings
put "$user/libbp-few.so"
put "$user/libbp-few.x86-64-v2.so"
echo 'priority = 70' >"$user/few.conf"
bp 0 remove --conf "$user/libbp-few.x86-64-v2.so"
there "$user/libbp-few.so" "$user/few.conf"
put "$user/libbp-few.x86-64-v2.so"
bp 0 remove --dry-run --conf few
[ "$(grep -c few.conf "$work/out")" = 1 ] || failed "not once: $(cat "$work/out")"
says out "would remove $user/few.conf"
there "$user/libbp-few.so" "$user/libbp-few.x86-64-v2.so" "$user/few.conf"
bp 0 remove few
says out 'its settings stay' "$user/few.conf"
gone "$user/libbp-few.so" "$user/libbp-few.x86-64-v2.so"
put "$user/libbp-few.so"
put "$user/libbp-few.x86-64-v2.so"
bp 0 remove --conf few
gone "$user/libbp-few.so" "$user/libbp-few.x86-64-v2.so" "$user/few.conf"

# what cannot be read, links, and names that are hostile
echo words >"$user/libbp-words.so"
bp 0 remove words
says out "no other plug-in that programs find holds 'words'"
gone "$user/libbp-words.so"
ln -s "$other/libbp-target.so" "$user/libbp-target.so"
put "$other/libbp-target.so"
bp 0 remove "$user/libbp-target.so"
gone "$user/libbp-target.so"
there "$other/libbp-target.so"
ln -s "$work/nowhere" "$user/libbp-lost.so"
bp 0 remove lost
gone "$user/libbp-lost.so"
odd=$(printf 'libbp-\033[31m\nx.so')
echo words >"$user/$odd"
bp 0 remove "$user/$odd"
never_says out "$(printf '\033')"
gone "$user/$odd"
mkdir "$user/libbp-dir.so"
bp_refuses 2 'is no regular file' remove dir
there "$user/libbp-dir.so"
rmdir "$user/libbp-dir.so"
echo words >"$user/notes.txt"
bp_refuses 2 'is no plug-in in' remove "$user/notes.txt"
there "$user/notes.txt"

# one name, two providers
make "$user/libbp-a.so" 'id=org.test.a\nname=twin\nversion=1'
make "$user/libbp-b.so" 'id=org.test.b\nname=twin\nversion=1'
bp_refuses 2 'means several plug-ins' remove twin
says err 'org.test.a, org.test.b; name one of them'
there "$user/libbp-a.so" "$user/libbp-b.so"
bp 0 remove org.test.b
gone "$user/libbp-b.so"
there "$user/libbp-a.so"

# where nothing can be removed
if [ "$(id -u)" != 0 ]; then
    chmod 555 "$user"
    bp_refuses 6 'Permission denied; who may write there removes it' remove org.test.a
    there "$user/libbp-a.so"
    chmod 755 "$user"
else
    echo "left out: directories that cannot be written, as root can write everywhere"
fi

# what was installed goes without a trace
put "$work/libbp-few.so"
bp 0 install --no-probe --dir "$work/whole" "$work/libbp-few.so"
bp 0 remove --dir "$work/whole" few
[ -z "$(ls -A "$work/whole")" ] || failed "left behind: $(ls -A "$work/whole")"

exit "$status"
