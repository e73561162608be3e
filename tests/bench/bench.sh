#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh - every model of a list on every provider with one thread and with all, beside ONNX Runtime:
# figures as a table of tabs, a page and a picture. `make bench` says what the variables mean.
set -eu

here=${BP_SRCDIR:-.}/tests/bench
build=${BP_BUILDDIR:-.}
models=${BENCH_MODELS:-}
peer=${BENCH_PEER:-}
seconds=${BENCH_SECONDS:-2}
providers=${BENCH_PROVIDERS:-cpu dnnl}
list=${BENCH_LIST:-$here/models.txt}
out=${BENCH_OUT:-$build/bench}
own=$build/runtime/ort/.libs/libonnxruntime.so.1

if [ -z "$models" ]; then
    echo "make bench: set BENCH_MODELS to a folder with models; tests/bench/models.txt names them" >&2
    exit 2
fi
if [ -n "$peer" ] && [ ! -f "$peer" ]; then
    echo "make bench: BENCH_PEER: there is no $peer" >&2
    exit 2
fi
ORT_DISABLE_TELEMETRY=1
export ORT_DISABLE_TELEMETRY

all=$(nproc)
threads=${BENCH_THREADS:-$([ "$all" = 1 ] && echo 1 || echo "1 $all")}
mkdir -p "$out"
rows=$out/performance.tsv
{
    printf '# date\t%s\n' "$(date -u +%Y-%m-%d)"
    printf '# processor\t%s\n' "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)"
    printf '# processors\t%s\n' "$all"
    printf '# load\t%s\n' "$(cut -d ' ' -f 1 /proc/loadavg)"
    printf '# peak\t%s\n' "$("$build"/tests/bench/compare --peak)"
    [ -z "${BENCH_BASELINE:-}" ] || printf '# baseline\t%s\n' "$BENCH_BASELINE"
    [ -z "$peer" ] || printf '# peer\t%s\n' "$("$build"/tests/bench/compare --version "$peer")"
} >"$rows"

sed '/^#/d; /^$/d' "$list" | while read -r name gflop dims; do
    model=$(find -L "$models" -name "$name.onnx" | head -n 1)
    if [ -z "$model" ]; then
        echo "$name: not in $models" >&2
        continue
    fi
    for n in $threads; do
        for provider in $providers; do
            if ! figures=$("$build"/tests/bench/compare "$own" "$provider" "$peer" "$n" "$seconds" \
                "$gflop" "$dims" "$model"); then
                echo "$name: $provider, $n threads: failed" >&2
                continue
            fi
            printf '%s\t%s\t%s%s\n' "$name" "$provider" "$n" "$figures" | tee -a "$rows"
        done
    done
done

printf '# load after\t%s\n' "$(cut -d ' ' -f 1 /proc/loadavg)" >>"$rows"
sh "$here"/page.sh "$here" "$out"
