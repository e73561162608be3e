#!/bin/sh
# SPDX-License-Identifier: MIT
# optimize.sh - backplane optimize: models as they would run, one or a directory of them, as files.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu

# make_pair FILE: y = Relu(Identity(x)), float32[4], and 600 weights that are added.
make_pair()
{
    first=$(string 1 x)$(string 2 a)$(string 3 same)$(string 4 Identity)
    second=$(string 1 a)$(string 1 w)$(string 2 b)$(string 3 sum)$(string 4 Add)
    third=$(string 1 b)$(string 2 y)$(string 3 relu)$(string 4 Relu)
    weights=$(printf '0000803f%.0s' $(seq 600))
    tensor=$(number 1 600)$(number 2 1)$(string 8 w)$(printf '4a%s%s' "$(varint 2400)" "$weights")
    graph=$(message 1 "$first")$(message 1 "$second")$(message 1 "$third")$(string 2 g)
    graph=$graph$(message 5 "$tensor")
    graph=$graph$(message 11 "$(value_info x 1 600)")$(message 12 "$(value_info y 1 600)")
    {
        number 1 8
        message 7 "$graph"
        message 8 "$(number 2 13)"
    } | emit >"$1"
}

# the values that a model gives; its name is not among them
values_of()
{
    "$backplane" run --seed 5 "$1" | grep '^ *y ' || failed "$1 gives no y"
}

make_pair "$work/in.onnx"
values_of "$work/in.onnx" >"$work/want"

gives 0 optimize "$work/in.onnx" -o "$work/out.onnx"
says out "out.onnx: 2 nodes, of 3" 'drop-no-ops' '3 to 2'
values_of "$work/out.onnx" >"$work/got"
cmp -s "$work/want" "$work/got" || failed 'the new model gives other values'
gives 0 info "$work/out.onnx"
says out 'Add' 'Relu'
never_says out 'Identity'
gives 0 optimize --quiet --level none "$work/in.onnx" -o "$work/same.onnx"
[ ! -s "$work/out" ] || failed '--quiet says something'
gives 0 info "$work/same.onnx"
says out 'Identity'
gives 0 optimize --disable-pass drop-no-ops "$work/in.onnx" -o "$work/less.onnx"
says out '3 nodes, of 3'

# what is there stays, but for --force, and the input in any case
refuses 2 'is there already' optimize "$work/in.onnx" -o "$work/out.onnx"
gives 0 optimize -f "$work/in.onnx" -o "$work/out.onnx"
cp "$work/in.onnx" "$work/kept.onnx"
refuses 2 'part of the model that is read' optimize -f "$work/in.onnx" -o "$work/in.onnx"
ln -s in.onnx "$work/link.onnx"
refuses 2 'part of the model that is read' optimize -f "$work/in.onnx" -o "$work/link.onnx"
cmp -s "$work/in.onnx" "$work/kept.onnx" || failed 'the input was changed'
refuses 2 '--output is missing' optimize "$work/in.onnx"
refuses 2 'a model is missing' optimize -o "$work/x.onnx"
refuses 2 'is a directory' optimize "$work/in.onnx" -o "$work"
: >"$work/file"
refuses 2 'cannot write' optimize "$work/in.onnx" -o "$work/file/out.onnx"
refuses 3 'No such file' optimize "$work/none.onnx" -o "$work/x.onnx"

# weights in a file of their own, which is part of the model that is read then
gives 0 optimize --external-data "$work/in.onnx" -o "$work/new/folder/out.onnx"
[ "$(wc -c <"$work/new/folder/out.onnx.data")" = 2400 ] || failed 'not all weights are outside'
[ "$(wc -c <"$work/new/folder/out.onnx")" -lt 1000 ] || failed 'weights are within all the same'
values_of "$work/new/folder/out.onnx" >"$work/got"
cmp -s "$work/want" "$work/got" || failed 'with weights outside it gives other values'
cp "$work/new/folder/out.onnx" "$work/new/folder/x.onnx"
mv "$work/new/folder/out.onnx.data" "$work/new/folder/y.onnx.data"
ln -s y.onnx.data "$work/new/folder/out.onnx.data"
refuses 2 'part of the model that is read' \
    optimize -f --external-data "$work/new/folder/x.onnx" -o "$work/new/folder/y.onnx"
gives 0 optimize "$work/new/folder/x.onnx" -o "$work/within.onnx"
[ "$(wc -c <"$work/within.onnx")" -gt 2400 ] || failed 'weights are outside all the same'

# a directory; a model that is none does not keep the others
mkdir -p "$work/zoo/sub"
cp "$work/in.onnx" "$work/zoo/a.onnx"
cp "$work/in.onnx" "$work/zoo/sub/b.onnx"
gives 0 optimize "$work/zoo" -o "$work/done"
says out 'a.onnx: 2 nodes' 'sub/b.onnx: 2 nodes' '2 of 2 models saved, 4 nodes of 6'
[ -s "$work/done/a.onnx" ] && [ -s "$work/done/sub/b.onnx" ] || failed 'a model was not saved'
echo nonsense >"$work/zoo/b.onnx"
refuses 3 'not an ONNX model' optimize -f "$work/zoo" -o "$work/done"
says out '2 of 3 models saved'
[ ! -e "$work/done/b.onnx" ] || failed 'something was saved of nothing'
says out '1 failed:' "$work/zoo/b.onnx: "
# nothing that is there is written over without being asked
cp "$work/done/a.onnx" "$work/kept"
refuses 2 'is there already' optimize "$work/zoo" -o "$work/done"
says out '0 of 3 models saved' '3 failed:'
cmp -s "$work/done/a.onnx" "$work/kept" || failed 'a model was written over without --force'

# C-18: many models at once, at a level, for a provider, in either format, told in the order of their names
mkdir "$work/many"
for i in 11 12 13 14 15 16 17 18 19; do
    cp "$work/in.onnx" "$work/many/$i.onnx"
done
echo nonsense >"$work/many/15.onnx"
for jobs in 1 4; do
    refuses 3 '15.onnx is not an ONNX model' \
        optimize -j $jobs --level basic --providers cpu --format ort "$work/many" -o "$work/ort$jobs"
    says out '8 of 9 models saved, 16 nodes of 24'
    sed -n 's/.*\/\(1[0-9]\)\.ort: 2 nodes, of 3.*/\1/p' "$work/out" | tr '\n' ' ' >"$work/order"
    [ "$(cat "$work/order")" = '11 12 13 14 16 17 18 19 ' ] || failed "-j $jobs: in the order $(cat "$work/order")"
done
diff -r "$work/ort1" "$work/ort4" >/dev/null || failed 'models differ by how many are worked on at once'
values_of "$work/ort4/19.ort" >"$work/got"
cmp -s "$work/want" "$work/got" || failed 'in ONNX Runtime'\''s format it gives other values'
gives 0 optimize -j 2 --level none --format onnx "$work/zoo/sub" -o "$work/plain"
says out 'b.onnx: 3 nodes, of 3'
if command -v python3 >/dev/null; then
    refuses 3 '15.onnx' optimize --json -f --format onnx "$work/many" -o "$work/json"
    python3 - "$work/out" <<'END' || failed 'the report as JSON is wrong'
import json, sys
report = json.load(open(sys.argv[1]))
models = report["models"]
assert report["schema"] == "optimize/1" and report["done"] == 8 and report["failed"] == 1, report
assert [m["result"] for m in models].index("failed") == 4 and "not an ONNX model" in models[4]["error"]
assert models[0]["passes"][0]["name"] == "drop-no-ops" and models[0]["bytes"] > 2400, models[0]
assert report["nodes_before"] == 24 and report["nodes_after"] == 16
END
fi
refuses 2 'has to end in .ort' optimize --format ort "$work/in.onnx" -o "$work/x.onnx"
refuses 2 'must not end in .ort' optimize --format onnx "$work/in.onnx" -o "$work/x.ort"
refuses 2 'all weights within' optimize --format ort --external-data "$work/many" -o "$work/x"
refuses 2 'is not a directory' optimize "$work/zoo" -o "$work/in.onnx"
mkdir "$work/empty"
refuses 2 'no *.onnx' optimize "$work/empty" -o "$work/done"
[ -z "$(find "$work" -name '*.part')" ] || failed 'half a file was left'

# plan diagrams before and after passes
for level in none basic; do
    gives 0 plan -q --level $level --dot "$work/$level.dot" "$work/in.onnx"
done
grep -q -F -e 'Identity' "$work/none.dot" || failed 'the diagram before the passes lacks a node'
grep -q -F -e 'Add' "$work/basic.dot" || failed 'the diagram after the passes lacks a node'
! grep -q -F -e 'Identity' "$work/basic.dot" || failed 'the diagram after the passes still has it'

# and of a real model after each level: separate nodes, then a fused bias, then one node
digits=$BP_SRCDIR/examples/digits/digits.onnx
for level in none basic extended; do
    gives 0 plan -q --level $level --dot "$work/$level.dot" "$digits"
done
grep -q -F -e 'Relu' "$work/basic.dot" || failed 'basic has drawn no Relu'
! grep -q -F -e 'FusedConv' "$work/basic.dot" || failed 'basic has drawn a fused node'
grep -q -F -e 'FusedConv' "$work/extended.dot" || failed 'extended has drawn no fused node'
! grep -q -F -e '>Relu<' "$work/extended.dot" || failed 'extended has drawn a Relu beside'

# lists
gives 0 optimize --list
says out 'fold-norm' 'basic' 'fuse-conv' 'extended'
gives 0 optimize --list "$work/in.onnx"
says out 'in.onnx: 2 nodes, of 3' 'drop-no-ops' 'fuse-conv'

exit "$status"
