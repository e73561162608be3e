#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh - C-19, C-20, C-21: a build with the operators of the models of examples/ runs these models with
# the same results, is small, refuses others with the whole list of what it lacks, and changes no file of the
# source tree. `make check-reduced`; SIZES=all measures what docs/mobile/reduced-builds.md has.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
if [ -f "$BP_SRCDIR/config.status" ]; then
    echo "skipped: the source tree is configured itself, so no other build can be made of it"
    exit 77
fi
make=${MAKE:-make}

# reconfigure FILE|'': configures for the operators of a file, or for all, and builds host, cpu and command.
reconfigure()
{
    tree=$work/${1:+reduced-}tree
    mkdir -p "$tree"
    (
        cd "$tree"
        "$BP_SRCDIR/configure" --quiet --cache-file=config.cache ${1:+--with-operators="$1"} --disable-dnnl \
            --disable-opencl --disable-cann-sim --disable-nnapi-sim CC="${CC:-cc}" \
            CFLAGS="-Os -ffunction-sections -fdata-sections" LDFLAGS=-Wl,--gc-sections
        $make -j "${JOBS:-2}" runtime/libbackplane.la plugins/cpu/libbp-cpu.la tools/backplane \
            runtime/backplane-probe
    ) >"$work/make.log" 2>&1 || {
        tail -n 30 "$work/make.log" >&2
        failed "no build for ${1:-all operators}"
        exit 1
    }
}

# measure NAME: prints the sizes of the stripped files and sets $total.
measure()
{
    total=0
    line=$1
    for file in runtime/.libs/libbackplane.so plugins/cpu/.libs/libbp-cpu.so; do
        strip -o "$work/stripped" "$tree/$file"
        size=$(wc -c <"$work/stripped")
        total=$((total + size))
        line="$line | $size"
    done
    echo "$line | $total"
}

# reduced CODE ARGUMENT...: the command of the reduced build; as gives() of the whole one.
reduced()
{
    whole=$backplane
    backplane=$tree/tools/backplane
    BACKPLANE_PROVIDER_PATH=$tree/plugins/cpu/.libs BACKPLANE_PROBE_HELPER=$tree/runtime/backplane-probe \
        gives "$@"
    backplane=$whole
}

# alike MODEL ARGUMENT...: both builds give the same values of the model, bit by bit.
alike()
{
    gives 0 run --seed 5 --providers cpu --output-dir "$work/whole.out" "$@"
    reduced 0 run --seed 5 --providers cpu --output-dir "$work/reduced.out" "$@"
    diff -r "$work/whole.out" "$work/reduced.out" >/dev/null || failed "$1: other values in the reduced build"
    rm -rf "$work/whole.out" "$work/reduced.out"
    # with as many nodes after the passes, too: nothing that they make is left out
    "$backplane" optimize --list --providers cpu "$1" | sed -n 1p >"$work/whole.nodes"
    BACKPLANE_PROVIDER_PATH=$tree/plugins/cpu/.libs "$tree/tools/backplane" optimize --list --providers cpu "$1" |
        sed -n 1p >"$work/reduced.nodes"
    cmp -s "$work/whole.nodes" "$work/reduced.nodes" ||
        failed "$1: $(cat "$work/reduced.nodes"), in the whole build $(cat "$work/whole.nodes")"
}

touch "$work/before"
sleep 1

if [ "${SIZES-}" = all ]; then
    for name in '' mnist mobilenetv2 bert; do
        reconfigure "${name:+$BP_SRCDIR/tests/reduced/$name.config}"
        measure "${name:-everything}"
    done
fi

# ---- MobileNetV2: the bound that is promised ---------------------------------------------------------

reconfigure "$BP_SRCDIR/tests/reduced/mobilenetv2.config"
measure MobileNetV2
[ "$total" -le 1500000 ] || failed "the host and cpu for MobileNetV2 are $total bytes, more than 1.5 MB"

# ---- the models of examples/ -------------------------------------------------------------------------

"$backplane" operators "$BP_SRCDIR"/examples/*/*.onnx >"$work/ops.config"
reconfigure "$work/ops.config"
measure 'the models of examples/'
[ "$total" -le 2000000 ] || failed "the host and cpu for the examples are $total bytes, more than 2 MB"
alike "$BP_SRCDIR/examples/digits/digits.onnx"
alike "$BP_SRCDIR/examples/streaming/streaming.onnx"
alike "$BP_SRCDIR/examples/decode/decode.onnx"
reduced 0 plan --providers cpu "$BP_SRCDIR/examples/strings/strings.onnx"

# C-21: what the whole build saves for the target, the reduced one runs
gives 0 optimize --quiet --providers cpu "$BP_SRCDIR/examples/digits/digits.onnx" -o "$work/saved.onnx"
gives 0 optimize --quiet --providers cpu "$BP_SRCDIR/examples/digits/digits.onnx" -o "$work/saved.ort"
alike "$work/saved.onnx"
alike "$work/saved.ort"

# C-19: all that a model lacks, in one error: an operator, a version of one that is there, and what to do
node() # OP INPUT OUTPUT
{
    message 1 "$(string 1 "$2")$(string 2 "$3")$(string 4 "$1")"
}
{
    number 1 8
    message 7 "$(node Softplus x a)$(node Relu a b)$(node Elu b c)$(node Elu c y)$(string 2 g)$(
        message 11 "$(value_info x "$FLOAT" 2)"
    )$(message 12 "$(value_info y "$FLOAT" 2)")"
    message 8 "$(number 2 6)"
} | emit >"$work/more.onnx"
gives 0 run --providers cpu "$work/more.onnx"
reduced 3 run --providers cpu "$work/more.onnx"
says err 'Softplus-6' 'version 1 was left out of this build' 'Elu-6 (2 nodes' 'version 6 was left out of this build' \
    'Relu-6' '--with-operators=FILE' "backplane operators"

# ---- element types ------------------------------------------------------------------------------------

printf 'ai.onnx;13;Relu{"inputs": {"0": ["float"]}},Abs\n!globally_allowed_types;double\n' >"$work/types.config"
reconfigure "$work/types.config"
measure 'Relu and Abs, with types'
make_model "$work/relu32.onnx" Relu 1 4
make_model "$work/relu64.onnx" Relu 11 4
make_model "$work/abs64.onnx" Abs 11 4
make_model "$work/abs32.onnx" Abs 1 4
reduced 0 run --providers cpu "$work/relu32.onnx"
reduced 0 run --providers cpu "$work/abs64.onnx"
reduced 3 run --providers cpu "$work/relu64.onnx"
says err 'input 0 has element type float64, which was left out of this build' '--with-operators=FILE'
reduced 3 run --providers cpu "$work/abs32.onnx"
says err 'input 0 has element type float32, which was left out of this build'

# ---- C-20: the source tree is as it was ----------------------------------------------------------------

(
    cd "$BP_SRCDIR"
    find configure configure.ac Makefile.am Makefile.in m4 sdk text runtime plugins tools examples docs \
        -newer "$work/before" -type f
) >"$work/changed"
[ ! -s "$work/changed" ] || failed "the source tree was changed: $(head -n 5 "$work/changed")"

exit "$status"
