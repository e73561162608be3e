#!/bin/sh
# SPDX-License-Identifier: MIT
# driver.sh - the simulated Neural Networks runtime as a program of Android meets it: its headers alone,
# its symbols, an example on several phones, the page's configuration, and the runtime installed alone.
set -eu

source=$BP_SRCDIR/plugins/nnapi_sim/driver
library=$BP_BUILDDIR/plugins/nnapi_sim/driver/.libs/libbp-neuralnetworks-sim.so
lines=$BP_BUILDDIR/examples/android/lines
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset BP_NNAPI_SIM
status=0

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

# ---- headers alone, in C and in C++ -------------------------------------------------------------

for header in $(cd "$source/include" && echo android/*.h ./*.h); do
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
    nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort -u >"$work/exported"
    cat "$source"/include/android/*.h "$source"/include/*.h | grep -v '^#' | tr '\n' ' ' |
        grep -o 'ANN_API [^;]*;' | sed 's/^\([^(]*\)(.*/\1/; s/.*[ *]//' |
        LC_ALL=C sort -u >"$work/declared"
    diff "$work/declared" "$work/exported" >"$work/diff" ||
        fail "< is declared, > is exported: $(cat "$work/diff")"
    [ "$(wc -l <"$work/declared")" -gt 80 ] || fail "this test finds too few declarations"
    # bp_nnapi_symbol() has Android's functions by name, all of them
    sed -n 's/.*AT([0-9]*, \(ANeuralNetworks[A-Za-z0-9_]*\)).*/\1/p' "$source/run/symbols.c" |
        LC_ALL=C sort -u >"$work/named"
    grep '^ANeural' "$work/declared" | diff - "$work/named" >"$work/diff" ||
        fail "< is declared, > is in symbols.c: $(cat "$work/diff")"
fi

# ---- the example --------------------------------------------------------------------------------

# on PHONE ARGUMENT...: runs the example with this configuration
on()
{
    printf '%b' "$1" >"$work/phone"
    shift
    code=0
    BP_NNAPI_SIM=$work/phone "$lines" "$@" >"$work/out" 2>"$work/err" || code=$?
}

# says TEXT: the example ended well and printed this line
says()
{
    [ "$code" = 0 ] || fail "the example: $(cat "$work/err")"
    grep -qxF -e "$1" "$work/out" || fail "\"$1\" is not in: $(cat "$work/out")"
}

"$lines" >"$work/out" 2>"$work/err" || fail "the example: $(cat "$work/err")"
sed -n '/^prints$/,/^`/s/^    //p' "$BP_SRCDIR/examples/android/README.md" | diff - "$work/out" ||
    fail "the example does not print what its page says"
on 'devices = none\nlevel = 29\n'
says 'device nnapi-reference: CPU, feature level 29'
says 'a pole: vertical 0.95, horizontal 0.05'
on '' sim-gpu
says 'a pole: vertical 0.95, horizontal 0.05 (0.182 ms)'
says 'the sea: vertical 0.05, horizontal 0.95 (0.070 ms)'
on 'device = sim-gpu\nstate = dead\n' # the reference CPU steps in
says 'a slope: vertical 0.50, horizontal 0.50'

# refuses NAME TEXT PHONE ARGUMENT...: with this phone the example ends with 1 and says so
refuses()
{
    name=$1
    text=$2
    shift 2
    on "$@"
    [ "$code" = 1 ] || fail "$name: exit code $code, not 1"
    grep -q -e "$text" "$work/err" || fail "$name: \"$text\" is not in: $(cat "$work/err")"
}

refuses old 'getDeviceCount: BAD_STATE (6)' 'level = 28\n'
refuses nobody 'there is no device "sim-tpu"' '' sim-tpu
refuses types 'does not take CONV_2D' 'devices = npu\n' sim-npu
refuses memory 'Model_finish: OUT_OF_MEMORY (1)' 'fault = model\n'
refuses compiler 'Compilation_finish: OP_FAILED (5)' 'fault = compile\n' sim-gpu
refuses full 'RESOURCE_EXHAUSTED_PERSISTENT (13)' 'device = sim-gpu\nmemory = 16\n' sim-gpu
refuses dead 'burstCompute: DEAD_OBJECT (14)' 'fault = execute after 1 code DEAD_OBJECT\n' sim-gpu
refuses nonsense 'BAD_STATE (6)' 'nonsense = 1\n'

# the page's configuration is one
sed -n '/^    level = 29/,/^    nchw/s/^    //p' "$source/README.md" >"$work/page"
[ "$(wc -l <"$work/page")" -gt 7 ] || fail "this test finds no configuration on the page"
on "$(sed 's/^fault = .*//' "$work/page")" sim-gpu
[ "$code" = 1 ] && grep -q 'does not take SOFTMAX' "$work/err" ||
    fail "the page's GPU: $(cat "$work/out" "$work/err")"
grep -q '^device tiny: accelerator, feature level 29$' "$work/out" || fail "the page's NPU"

# the page names all operations that are not computed
sed -n 's/^NN_OP(\(.*\))$/\1/p' "$source/ops/list.inc" | LC_ALL=C sort >"$work/computed"
sed -n 's/^ *ANEURALNETWORKS_\([A-Z0-9_]*\) = [0-9]*,*.*/\1/p' \
    "$source/include/android/NeuralNetworksTypes.h" | sed -n '/^ADD$/,/^REVERSE$/p' |
    LC_ALL=C sort | LC_ALL=C comm -23 - "$work/computed" >"$work/missing"
sed -n '/^### Operations that are not/,/^`bp_nnapi/p' "$source/README.md" | sed '$d' |
    grep -o '[A-Z][A-Z0-9]*_*[A-Z0-9_]*' | grep -v 'BAD_DATA\|^A$\|^M$\|^O$' | LC_ALL=C sort >"$work/page"
diff "$work/missing" "$work/page" || fail "< is not computed, > is on the page"

# ---- installed alone ----------------------------------------------------------------------------

# A program that has nothing of Backplane but the installed runtime. A library with sanitizers wants a
# program with them.
root=$work/root
prefix=$(sed -n 's/^prefix=//p' "$BP_BUILDDIR/plugins/nnapi_sim/backplane-neuralnetworks-sim.pc")
if grep -Eq '^#define WITH_(ASAN|TSAN) 1' "$BP_BUILDDIR/config.h"; then
    echo "not tested with sanitizers: the installed runtime"
elif ! command -v pkg-config >/dev/null; then
    echo "not tested: no pkg-config here"
elif ! (unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
    make -C "$BP_BUILDDIR" -s install-neuralnetworks-sim DESTDIR="$root") >"$work/log" 2>&1; then
    fail "make install-neuralnetworks-sim: $(cat "$work/log")"
else
    PKG_CONFIG_PATH=$(dirname "$(find "$root" -name backplane-neuralnetworks-sim.pc)")
    export PKG_CONFIG_PATH
    flags=$(pkg-config --define-variable=prefix="$root$prefix" --cflags --libs \
        backplane-neuralnetworks-sim)
    # shellcheck disable=SC2086 # flags
    ${CC:-cc} -o "$work/lines" "$BP_SRCDIR/examples/android/lines.c" $flags >"$work/log" 2>&1 ||
        fail "the example does not build with $flags: $(cat "$work/log")"
    LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libbp-neuralnetworks-sim.so.0)") \
        "$work/lines" >"$work/out" 2>&1 || fail "the example, installed: $(cat "$work/out")"
    grep -qx 'a pole: vertical 0.95, horizontal 0.05' "$work/out" ||
        fail "the installed runtime: $(cat "$work/out")"
    if find "$root" -name 'libbackplane*' | grep .; then
        fail "install-neuralnetworks-sim installs more than the runtime"
    fi
fi

exit $status
