#!/bin/sh
# SPDX-License-Identifier: MIT
# driver.sh - the simulated driver as a program of ACL meets it: its headers alone, its symbols, an
# example, and the example with devices that are not as they should be.
set -eu

source=$BP_SRCDIR/plugins/cann_sim/driver
library=$BP_BUILDDIR/plugins/cann_sim/driver/.libs
layer=$BP_BUILDDIR/examples/ascend/layer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

# ---- headers alone, in C and in C++ -------------------------------------------------------------

for header in $(cd "$source/include" && echo acl/*.h ./*.h); do
    {
        printf '#include <%s>\n#include <%s>\n' "$header" "$header"
        echo 'int main(void) { return 0; }'
    } >"$work/alone.c"
    cp "$work/alone.c" "$work/alone.cc"
    for standard in c99 c11; do
        # shellcheck disable=SC2086 # a command with flags
        ${CC:-cc} -std=$standard -Wall -Wextra -pedantic-errors -Werror -I"$source/include" \
            -fsyntax-only "$work/alone.c" || fail "<$header> alone as $standard"
    done
    [ -z "${CXX:-}" ] || $CXX -std=c++11 -Wall -Wextra -pedantic-errors -Werror \
        -I"$source/include" -fsyntax-only "$work/alone.cc" || fail "<$header> alone as C++"
done

# ---- what is declared is exported, and nothing else ---------------------------------------------

if command -v nm >/dev/null; then
    nm -D --defined-only "$library/libbp-ascend-sim.so" | awk '{ print $3 }' |
        LC_ALL=C sort -u >"$work/exported"
    cat "$source"/include/acl/*.h "$source"/include/*.h | grep -v '^#' | tr '\n' ' ' |
        grep -o 'ACL_FUNC_VISIBILITY [^;]*;' | sed 's/^\([^(]*\)(.*/\1/; s/.*[ *]//' |
        LC_ALL=C sort -u >"$work/declared"
    diff "$work/declared" "$work/exported" >"$work/diff" ||
        fail "< is declared, > is exported: $(cat "$work/diff")"
    [ "$(wc -l <"$work/declared")" -gt 100 ] || fail "this test finds too few declarations"
fi

# ---- the example --------------------------------------------------------------------------------

"$layer" >"$work/out" 2>"$work/err" || fail "the example: $(cat "$work/err")"
cat "$work/out"
grep -qx 'on Ascend910B3: 4.5 12 0 2' "$work/out" || fail "the example's result is wrong"
grep -qx "breaches of ACL's rules: 0" "$work/out" || fail "the example breaks rules"

# refuses NAME TEXT CONFIGURATION: with this board the example ends with 1 and says so
refuses()
{
    printf '%b' "$3" >"$work/board"
    code=0
    BP_ASCEND_SIM=$work/board "$layer" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = 1 ] || fail "$1: exit code $code, not 1"
    grep -q -e "$2" "$work/err" || fail "$1: \"$2\" is not in: $(cat "$work/err")"
}

refuses no-device 'error 207004' 'devices = 0\n'
refuses busy 'error 507033' 'state = busy\n'
refuses memory 'aclrtMalloc: error 207001' 'fault = malloc after 3\n'
refuses compiler 'MatMulV2: error 500002' 'fault = compile\n'
refuses exception 'aclrtSynchronizeStream: error 507015' 'fault = task after 1\n'
refuses nonsense 'there is no key' 'nonsense = 1\n'

# ---- the example of a model ---------------------------------------------------------------------

"$BP_BUILDDIR/examples/ascend/model" "$work/layer.om" >"$work/out" 2>"$work/err" ||
    fail "the example of a model: $(cat "$work/err")"
[ "$(cat "$work/out")" = "$work/layer.om: 4 5 0 0" ] || fail "the model's result: $(cat "$work/out")"
layer=$BP_BUILDDIR/examples/ascend/model
if "$layer" "$work" >"$work/out" 2>"$work/err"; then
    fail "a folder was written as a model"
fi
grep -q 'bp_ascend_model_save: error 100004' "$work/err" || fail "no word of it: $(cat "$work/err")"
# ---- installed alone ----------------------------------------------------------------------------

# A program that has nothing of Backplane but the installed simulator. A library with sanitizers wants a
# program with them.
root=$work/root
prefix=$(sed -n 's/^prefix=//p' "$BP_BUILDDIR/plugins/cann_sim/backplane-ascend-sim.pc")
if grep -Eq '^#define WITH_(ASAN|TSAN) 1' "$BP_BUILDDIR/config.h"; then
    echo "not tested with sanitizers: the installed simulator"
elif ! command -v pkg-config >/dev/null; then
    echo "not tested: no pkg-config here"
elif ! (unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
    make -C "$BP_BUILDDIR" -s install-ascend-sim DESTDIR="$root") >"$work/log" 2>&1; then
    fail "make install-ascend-sim: $(cat "$work/log")"
else
    pc=$(find "$root" -name backplane-ascend-sim.pc)
    PKG_CONFIG_PATH=$(dirname "$pc")
    export PKG_CONFIG_PATH
    flags=$(pkg-config --define-variable=prefix="$root$prefix" --cflags --libs backplane-ascend-sim)
    # shellcheck disable=SC2086 # flags
    ${CC:-cc} -o "$work/layer" "$BP_SRCDIR/examples/ascend/layer.c" $flags >"$work/log" 2>&1 ||
        fail "the example does not build with $flags: $(cat "$work/log")"
    LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libbp-ascend-sim.so.0)") "$work/layer" \
        >"$work/out" 2>&1 || fail "the example, installed: $(cat "$work/out")"
    grep -qx 'on Ascend910B3: 4.5 12 0 2' "$work/out" || fail "the installed simulator: $(cat "$work/out")"
    cat >"$work/breach.c" <<'END'
#include <acl/acl.h>
int main(void)
{
    int on_the_host = 0;

    return aclInit(NULL) || aclrtSetDevice(0) || !aclrtFree(&on_the_host);
}
END
    # shellcheck disable=SC2086 # flags
    ${CC:-cc} -o "$work/breach" "$work/breach.c" $flags >"$work/log" 2>&1 || fail "$(cat "$work/log")"
    LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libbp-ascend-sim.so.0)")
    export LD_LIBRARY_PATH
    "$work/breach" || fail "a breach that is counted ends the program"
    echo 'breaches = fatal' >"$work/board"
    if (ulimit -c 0 && BP_ASCEND_SIM=$work/board "$work/breach") 2>"$work/err"; then
        fail "a breach that is fatal does not"
    fi
    grep -q "a violation of ACL's rules: host" "$work/err" || fail "no word of it: $(cat "$work/err")"
    if find "$root" -name 'libbackplane*' | grep .; then
        fail "install-ascend-sim installs more than the simulator"
    fi
fi

exit $status
