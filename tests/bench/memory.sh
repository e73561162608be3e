#!/bin/sh
# SPDX-License-Identifier: MIT
# memory.sh - peak resident memory of every model of a list on every provider with one thread and with
# all, beside ONNX Runtime: a table of tabs, and the page with it. `make bench-memory` says what the
# variables mean.
set -eu

here=${BP_SRCDIR:-.}/tests/bench
build=${BP_BUILDDIR:-.}
models=${BENCH_MODELS:-}
peer=${BENCH_PEER:-}
providers=${BENCH_PROVIDERS:-cpu dnnl}
list=${BENCH_LIST:-$here/memory.txt}
out=${BENCH_OUT:-$build/bench}
own=$build/runtime/ort/.libs/libonnxruntime.so.1

if [ -z "$models" ]; then
    echo "make bench-memory: set BENCH_MODELS to a folder with models; tests/bench/memory.txt names them" >&2
    exit 2
fi
if [ -n "$peer" ] && [ ! -f "$peer" ]; then
    echo "make bench-memory: BENCH_PEER: there is no $peer" >&2
    exit 2
fi
ORT_DISABLE_TELEMETRY=1
export ORT_DISABLE_TELEMETRY

all=$(nproc)
threads=${BENCH_THREADS:-$([ "$all" = 1 ] && echo 1 || echo "1 $all")}
mkdir -p "$out"
rows=$out/memory.tsv
{
    printf '# date\t%s\n' "$(date -u +%Y-%m-%d)"
    [ -z "$peer" ] || printf '# peer\t%s\n' "$("$build"/tests/bench/compare --version "$peer")"
} >"$rows"

sed '/^#/d; /^$/d' "$list" | while read -r name dims; do
    model=$(find -L "$models" -path "*/$name.onnx" | head -n 1)
    if [ -z "$model" ]; then
        echo "$name: not in $models" >&2
        continue
    fi
    for n in $threads; do
        for provider in $providers; do
            if ! figures=$("$build"/tests/bench/compare --memory "$own" "$provider" "$peer" "$n" "$dims" \
                "$model"); then
                echo "$name: $provider, $n threads: failed" >&2
                continue
            fi
            printf '%s\t%s\t%s%s\n' "$name" "$provider" "$n" "$figures" | tee -a "$rows"
        done
    done
done

sh "$here"/page.sh "$here" "$out"
