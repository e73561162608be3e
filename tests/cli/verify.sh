#!/bin/sh
# SPDX-License-Identifier: MIT
# verify.sh - `backplane verify`: what each check says, and that none of them opens a plug-in here.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

export BACKPLANE_PROBE_TIMEOUT_MS=60000 # a slow machine is no fault
dir=$work/dir
mkdir "$dir"
for name in few absent undefined major; do
    cp "$BP_MOCK_DIR/libbp-$name.so" "$dir/"
done
echo junk >"$dir/libbp-junk.so"
# one that ends its process as soon as anything of it runs
cat >"$work/trap.c" <<END
#include <bp/sdk.h>
BP_MANIFEST("id=org.test.trap\nname=trap\nversion=1");
__attribute__((constructor)) static void trap(void) { __builtin_trap(); }
END
# shellcheck disable=SC2086 # a compiler, maybe with options
$CC -std=gnu11 "-I$BP_SRCDIR/sdk" -shared -fPIC -o "$dir/libbp-trap.so" "$work/trap.c"
chmod 644 "$dir/"*

bp() # CODE ARGUMENT...
{
    code_wanted=$1
    shift
    gives "$code_wanted" --provider-dir "$dir" "$@"
}

# row NAME RESULT TEXT: there is one such row
row()
{
    grep -e "^$1  *$2 " "$work/out" | grep -q -F -e "$3" ||
        failed "no row '$1 $2 ... $3': $(cat "$work/out")"
}

# all that are installed
bp 1 verify
row few ok 1.2.3
row absent unavailable 'AVAILABLE: driver too old: 535.54 < 550.0; update the driver'
row undefined failed 'DEPENDENCIES: '
row undefined failed 'bp_mock_function_without_definition'
row trap failed 'crashed with signal'
row major failed 'ABI'
row junk failed 'not an ELF file'
row cpu ok libbp-cpu.so
says out 'cannot be used'

# those that are named
bp 0 verify few cpu
says out '2 plug-ins, 0 cannot be used'
bp 0 verify org.backplane.few
bp 0 verify "$dir/libbp-few.so"
gives 0 verify "$BP_MOCK_DIR/libbp-few.so"
bp 1 verify few nothing
row nothing failed "there is no provider 'nothing'"
row few ok 1.2.3
bp 1 verify absent
(
    cd "$dir"
    gives 0 verify libbp-few.so
    gives 0 verify ./libbp-few.so
    exit "$status"
) || status=1

# no code runs without a probe
bp 0 verify --no-probe trap few absent
row trap ok 'not probed'
bp 1 verify --no-probe undefined

# files that are none, and hostile names
bp 1 verify "$work/none.so"
row none.so failed 'No such file'
bp 1 verify "$dir/"
says out 'not a regular file'
mkdir "$work/libbp-dir.so"
bp 1 verify "$work/libbp-dir.so"
says out 'not a regular file'
gives 1 verify /dev/null
says out 'not a regular file'
ln -s "$work/nowhere" "$work/libbp-lost.so"
bp 1 verify "$work/libbp-lost.so"
odd=$(printf 'libbp-\033[31m\nx.so')
cp "$dir/libbp-few.so" "$work/$odd"
bp 0 verify "$work/$odd"
never_says out "$(printf '\033')"
cp "$dir/libbp-few.so" "$work/libbp-open.so"
chmod 666 "$work/libbp-open.so"
bp 1 verify "$work/libbp-open.so"
says out 'SECURITY: ' 'mode 0666'
head -c 600 "$dir/libbp-few.so" >"$work/libbp-cut.so"
bp 1 verify "$work/libbp-cut.so"
head -c 18 "$dir/libbp-few.so" >"$work/libbp-arch.so"
printf '\377\176' >>"$work/libbp-arch.so"
tail -c +21 "$dir/libbp-few.so" >>"$work/libbp-arch.so"
bp 1 verify "$work/libbp-arch.so"
says out 'ARCH: ' 'is for '

# what is not used is no failure, unless it is asked for by its file
mkdir "$work/later"
cp "$dir/libbp-few.so" "$work/later/"
gives 0 --provider-dir "$dir" --provider-dir "$work/later" verify few
BACKPLANE_PROVIDERS='!few' gives 0 --provider-dir "$work/later" verify few
row few unused 'vetoed'
echo 'disabled = true' >"$work/later/few.conf"
gives 0 --provider-dir "$work/later" verify few
row few unused 'is disabled by'
rm "$work/later/few.conf"

# the allow list
sum=$(sha256sum "$dir/libbp-few.so" | cut -c 1-64)
BACKPLANE_ALLOW=warn bp 0 --quiet verify few
BACKPLANE_ALLOW=enforce bp 1 verify few
row few failed "its SHA-256 is $sum"
code=0
BACKPLANE_ALLOW=warn "$backplane" --provider-dir "$dir" verify few >"$work/out" 2>"$work/err" || code=$?
[ "$code" = 0 ] || failed "an allow list that warns: $code"
row few ok "in no allow list; the line for it: $sum  org.backplane.few"

# JSON, quiet
bp 1 verify --json few undefined
says out '"schema": "verify/1"' '"result": "ok"' '"result": "failed"' "\"sha256\": \"$sum\"" \
    '"failed": 1' '"mode": "off"'
bp 1 --quiet verify
[ ! -s "$work/out" ] || failed '--quiet says something'

exit "$status"
