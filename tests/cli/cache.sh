#!/bin/sh
# SPDX-License-Identifier: MIT
# cache.sh - backplane cache: lists, verifies and clears compiled programs.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"

# Programs are saved by the mock provider "keeper", which takes Relu.
BACKPLANE_PROVIDER_PATH=$BP_BUILDDIR/tests/mock/.libs
export BACKPLANE_PROVIDER_PATH
unset BACKPLANE_CACHE_DIR
cache=$work/cache

# no cache, or none that is there
refuses 2 'set BACKPLANE_CACHE_DIR' cache
refuses 2 "$work/none" cache --dir "$work/none"
refuses 2 "did you mean 'clear'?" cache --dir "$work" clera
refuses 2 '--keep goes with clear' cache --dir "$work" --keep 1 list

mkdir -m 700 "$cache"
gives 0 cache --dir "$cache"
says out '0 files'

make_model "$work/relu.onnx" Relu 1 4
make_model "$work/wide.onnx" Relu 1 8
for model in relu wide; do
    BACKPLANE_CACHE_DIR=$cache "$backplane" --quiet run --providers keeper "$work/$model.onnx" \
        >"$work/out" 2>"$work/err" || failed "run on keeper: $(cat "$work/err")"
done

# The text report of a run says what the cache had to do with each group.
# What it warns of goes to standard error.
reports()
{
    BACKPLANE_CACHE_DIR=${2-$cache} "$backplane" run --report --providers keeper "$work/$1.onnx" \
        >"$work/out" 2>"$work/err" || failed "run --report: $(cat "$work/err")"
}
reports relu
says out 'group  program' 'loaded' 'loaded from the cache'
never_says out 'a frame'

# So it does of frames, where a provider limits them or says what one holds.
gives 0 --quiet run -p picky -o picky:frames=3 -o picky:frame_bytes=2M --report "$work/relu.onnx"
says out 'frames  a frame' 'compiled'
grep -Eq 'compiled .* 3 +2\.1 MB' "$work/out" || failed "no frames: $(cat "$work/out")"

# a line for each, by the variable too
gives 0 cache --dir "$cache" list
says out 'org.backplane.keeper' "$work/relu.onnx" "$work/wide.onnx" 'main/0' ' s ' ': 2 files, '
BACKPLANE_CACHE_DIR=$cache gives 0 cache
says out ': 2 files, '
gives 0 cache --dir "$cache" verify
never_says out 'unusable'

gives 0 cache --dir "$cache" --json
says out '"provider": "org.backplane.keeper"' "\"model\": \"$work/relu.onnx\"" '"usable": true' \
    '"verified": false' '"unusable": 0' '"age_seconds": '
key=$(sed -n 's/^ *"key": "\([0-9a-f]*\)",$/\1/p' "$work/out" | head -n 1)
[ "${#key}" = 64 ] || failed "a key of ${#key} digits"
[ -f "$cache/$key.bpc" ] || failed "no file is named after the key"

# A damaged byte shows when all of the file is read, and is a reason for exit code 1.
printf X | dd of="$cache/$key.bpc" bs=1 seek=$(($(wc -c <"$cache/$key.bpc") - 1)) conv=notrunc \
    2>"$work/dd"
gives 0 cache --dir "$cache" list
gives 1 cache --dir "$cache" verify
says out 'its checksum is wrong' '1 of them unusable'
gives 1 cache --dir "$cache" --json verify
says out '"usable": false' 'its checksum is wrong' '"unusable": 1'

# The damaged file is not used, which the report says too; without a cache there is no such table.
reports relu
cp "$work/out" "$work/both"
reports wide
cat "$work/both" >>"$work/out"
says out 'compiled' 'its checksum is wrong; saved' 'loaded from the cache'
reports relu ""
never_says out 'cache'

# Files of others stay; with --keep so do those that fit.
: >"$cache/mine.txt"
gives 0 cache --dir "$cache" --keep 1 clear
says out '0 files deleted'
gives 0 cache --dir "$cache" --json clear
says out '"deleted": 2'
[ -f "$cache/mine.txt" ] || failed 'clear deleted a file that is not the cache'\''s'
gives 0 cache --dir "$cache"
says out '0 files'
gives 0 cache --dir "$cache" --quiet clear
[ ! -s "$work/out" ] || failed '--quiet prints'

exit "$status"
