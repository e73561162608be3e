#!/bin/sh
# SPDX-License-Identifier: MIT
# streaming.sh - the example hears a tone between silences, from a file and from a pipe, carries its state, and counts
# chunks that are late.
set -eu

streaming=$BP_BUILDDIR/examples/streaming/streaming
folder=$BP_SRCDIR/examples/streaming
model=$folder/streaming.onnx
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

# refuses TEXT ARGUMENT...: ends with code 1 and a complaint that has the text in it
refuses()
{
    text=$1
    shift
    code=0
    "$streaming" "$@" >"$work/no.txt" 2>"$work/no.err" </dev/null || code=$?
    [ "$code" = 1 ] || fail "$*: exit code $code, not 1"
    grep -q -e "$text" "$work/no.err" || fail "$*: \"$text\" is not in: $(cat "$work/no.err")"
}

# write_bytes: its input is lines of numbers, which become bytes
write_bytes()
{
    awk '{ for (i = 1; i <= NF; i++) printf "\\0%o", $i; print "" }' | while read -r line; do
        printf '%b' "$line"
    done
}

# heard FILE BEGIN_FROM BEGIN_TO END_FROM END_TO: one thing begins and ends, within these seconds
heard()
{
    awk -v from="$2" -v to="$3" -v end_from="$4" -v end_to="$5" '
        NR == 1 && /begins$/ && $1 >= from && $1 <= to { good++ }
        NR == 2 && /ends$/ && $1 >= end_from && $1 <= end_to { good++ }
        END { exit good != 2 || NR != 2 }' "$1" || fail "heard in $1: $(cat "$1")"
}

# ---- a second of silence, of a tone, of silence ------------------------------------------------------

awk 'BEGIN {
    for (i = 0; i < 48000; i++) {
        s = i >= 16000 && i < 32000 ? int(8000 * sin(i * 0.1727876)) : 0
        if (s < 0)
            s += 65536
        printf "%d %d%s", s % 256, int(s / 256), i % 64 == 63 ? "\n" : " "
    }
}' | write_bytes >"$work/tone.raw"
[ "$(wc -c <"$work/tone.raw")" = 96000 ] || fail "the tone is not as long as it should be"
{
    printf 'RIFF\044\167\001\000WAVEfmt \020\000\000\000\001\000\001\000'
    printf '\200\076\000\000\000\175\000\000\002\000\020\000data\000\167\001\000'
    cat "$work/tone.raw"
    printf 'LIST and what is after the samples does not sound'
} >"$work/tone.wav"

"$streaming" --deadline 10000 "$model" "$work/tone.wav" >"$work/wav.txt" 2>"$work/wav.err" ||
    fail "a WAV file: $(cat "$work/wav.err")"
# the average falls to the threshold some chunks after the tone has ended: the state is carried
heard "$work/wav.txt" 0.96 1.04 2.1 2.5
grep -q '^94 chunks of 32.0 ms, 0 too late' "$work/wav.err" || fail "its totals: $(cat "$work/wav.err")"

"$streaming" --deadline 10000 "$model" <"$work/tone.raw" >"$work/raw.txt" 2>"$work/raw.err" ||
    fail "bare samples: $(cat "$work/raw.err")"
cmp "$work/wav.txt" "$work/raw.txt" || fail "bare samples are heard otherwise"
"$streaming" --deadline 10000 --chunk 160 --context 32 "$model" <"$work/tone.raw" >"$work/small.txt" \
    2>"$work/small.err" || fail "small chunks: $(cat "$work/small.err")"
heard "$work/small.txt" 0.97 1.02 2.02 2.3

# ---- late chunks are left out, and no failure --------------------------------------------------------

"$streaming" --deadline 0.0001 "$model" "$work/tone.wav" >"$work/late.txt" 2>"$work/late.err" ||
    fail "late chunks are a failure: $(cat "$work/late.err")"
[ ! -s "$work/late.txt" ] || fail "late chunks are heard: $(cat "$work/late.txt")"
grep -q ' 94 too late' "$work/late.err" || fail "late chunks are not counted: $(cat "$work/late.err")"

# ---- a real model, where there is one -----------------------------------------------------------------

silero=${BACKPLANE_MODELS:-/nowhere}/silero_vad/silero_vad.onnx
if [ -f "$silero" ]; then
    "$streaming" --deadline 10000 --context 64 "$silero" "$work/tone.wav" >"$work/vad.txt" \
        2>"$work/vad.err" || fail "Silero VAD: $(cat "$work/vad.err")"
    [ ! -s "$work/vad.txt" ] || fail "Silero VAD takes a tone for speech: $(cat "$work/vad.txt")"
    grep -q '^94 chunks' "$work/vad.err" || fail "Silero VAD: $(cat "$work/vad.err")"
else
    echo "not tested: a voice detector: there is none in BACKPLANE_MODELS" >&2
fi

# ---- mistakes ----------------------------------------------------------------------------------------

refuses 'no input "state..."' "$BP_SRCDIR/examples/digits/digits.onnx"
refuses 'No such file' "$work/nothing.onnx"
refuses 'nothing.wav' "$model" "$work/nothing.wav"
refuses 'one model'
refuses 'longer than a chunk' --chunk 8 --context 9 "$model"
refuses 'not a number' --threshold 2 "$model"
printf 'RIFF\000\000\000\000WAVEfmt \020\000\000\000\001\000\002\000' >"$work/short.wav"
refuses 'whole header' "$model" "$work/short.wav"

# ---- the model is what its script writes ---------------------------------------------------------------

if command -v python3 >/dev/null; then
    python3 -B "$folder/model.py" "$work/made.onnx" || fail "model.py fails"
    cmp "$work/made.onnx" "$model" || fail "model.py writes another model"
else
    echo "not tested: model.py: there is no python3" >&2
    [ "$status" != 0 ] || status=77
fi
exit $status
