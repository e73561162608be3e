#!/bin/sh
# SPDX-License-Identifier: MIT
# schemas.sh - every JSON document that the programs write is what its schema in docs/schema/ says, and
# the schemas refuse documents with a fault.
#
#     schemas.sh          runs every command that writes JSON, and checks it
#     schemas.sh --write  writes what the schemas have in common (`make update-schemas`)
set -eu
. "$BP_SRCDIR/tests/built.sh"
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_built tests/cli/print_names
schemas=$BP_SRCDIR/docs/schema
command -v python3 >/dev/null || {
    echo "skipped: no python3, which reads JSON here"
    exit 77
}
"$BP_BUILDDIR/tests/cli/print_names" >"$work/names"
if [ "${1-}" = --write ]; then
    exec python3 "$BP_SRCDIR/tests/cli/schemas.py" --write "$schemas" "$work/names"
fi
python3 -c 'import jsonschema' 2>/dev/null || {
    echo "skipped: no Python module jsonschema: install Debian's python3-jsonschema"
    exit 77
}
needs_cpu

# keep SCHEMA CODE ARGUMENT...: what the program prints is a document of that schema. Warnings are fine.
n_kept=0
keep()
{
    keep_schema=$1
    want=$2
    shift 2
    code=0
    mkdir -p "$work/json/$keep_schema"
    n_kept=$((n_kept + 1))
    case $1 in
    --provider-dir) echo "$3" ;;
    *) echo "$1" ;;
    esac >>"$work/kept"
    kept=$work/json/$keep_schema/$n_kept.json
    "$backplane" "$@" >"$kept" 2>"$work/err" </dev/null || code=$?
    [ "$code" = "$want" ] || failed "backplane $*: code $code, not $want: $(cat "$work/err")"
    [ -s "$kept" ] || failed "backplane $* prints nothing: $(cat "$work/err")"
}

# ---- models ---------------------------------------------------------------------------------------

model() # FILE NODES INPUTS OUTPUTS, digits of the fields of a GraphProto
{
    {
        number 1 8
        string 2 'a "maker"'
        string 3 1.0
        string 4 org.backplane.test
        number 5 7
        string 6 'A model
of two lines'
        message 7 "$2$(string 2 the_graph)$3$4"
        message 8 "$(number 2 13)"
        message 14 "$(string 1 licence)$(string 2 'none "at" all')"
    } | emit >"$1"
}

node() # OP INPUT OUTPUT NAME [MORE]
{
    message 1 "$(string 1 "$2")$(string 2 "$3")$(string 3 "$4")$(string 4 "$1")${5-}"
}

input()
{
    message 11 "$(value_info "$@")"
}

output()
{
    message 12 "$(value_info "$@")"
}

make_model "$work/relu.onnx" Relu "$FLOAT" 1 3
make_model "$work/fixed.onnx" Relu "$FLOAT" 2 3
make_model "$work/rows.onnx" Relu "$FLOAT" rows 3
make_model "$work/deep.onnx" Relu "$FLOAT" 1 1 1 1 1 1 1 1 1
make_model "$work/whole.onnx" Abs 7 2 2
make_model "$work/big.onnx" Abs 11 2 2
make_model "$work/unknown.onnx" NoSuchOperator "$FLOAT" 1
# names that mean something to a terminal or to JSON, and bytes that are no text
odd=$(printf 'Op\033[31m<b>&"\\\n\t\377\303N')
make_model "$work/odd.onnx" "$odd" "$FLOAT" 1
make_model "$work/odd<&>\"\\.onnx" Relu "$FLOAT" 2
# two nodes, the shape of the output declared wrong
model "$work/wrong.onnx" "$(node Relu x m first)$(node Abs m y 'the "second"')" \
    "$(input x "$FLOAT" 2 3)" "$(output y "$FLOAT" 2 4)"
# two nodes that become one
model "$work/fused.onnx" "$(node Sigmoid x m first)$(node Mul x y second "$(string 1 m)")" \
    "$(input x "$FLOAT" 2 3)" "$(output y "$FLOAT" 2 3)"
# a choice of two graphs
branch()
{
    message 6 "$(message 1 "$(string 1 x)$(string 2 "$2")$(string 3 "$1_node")$(string 4 "$3")")$(string 2 "$1")$(message 12 "$(value_info "$2" "$FLOAT" 2)")"
}
model "$work/if.onnx" "$(node If c y choice "$(
    message 5 "$(string 1 then_branch)$(branch then t Relu)$(printf a001)05"
    message 5 "$(string 1 else_branch)$(branch else e Abs)$(printf a001)05"
)")" "$(input c 9)$(input x "$FLOAT" 2)" "$(output y "$FLOAT" 2)"
for name in nan inf; do
    case $name in
    nan) digits=0000c07f0000c07f0000c07f ;;
    inf) digits=0000807f000080ff0000803f ;;
    esac
    make_npy "$work/$name.npy" "$(header '<f4' '1, 3')" "$digits"
done
make_npy "$work/rows.npy" "$(header '<f4' '4, 3')" \
    "$three_floats$three_floats$three_floats$three_floats"
make_npy "$work/three.npy" "$(header '<f4' '1, 3')" "$three_floats"
make_npy "$work/halves.npy" "$(header '<f4' '1, 3')" 000000000000003f00000040

# ---- what is there on this machine ----------------------------------------------------------------

mkdir "$work/dir"
for name in few absent undefined uncreated uncompiled costly gizmo gadget picky keeper native quoted; do
    cp "$BP_MOCK_DIR/libbp-$name.so" "$work/dir/"
done
mkdir "$work/odd \"dir\"<>"
cp "$BP_MOCK_DIR/libbp-few.so" "$work/odd \"dir\"<>/libbp-a\"<name>.so"
echo junk >"$work/odd \"dir\"<>/libbp-\\.so"
echo junk >"$work/odd \"dir\"<>/libbp-cuda.so"
chmod 666 "$work/odd \"dir\"<>/libbp-cuda.so" # which has a way out
mocks="--provider-dir $work/dir"
has_cann=no
"$backplane" --quiet providers cann 2>/dev/null && has_cann=yes
has_dnnl=no
"$backplane" --quiet providers dnnl 2>/dev/null && has_dnnl=yes
digits=$BP_SRCDIR/examples/digits/digits.onnx

# ---- providers ------------------------------------------------------------------------------------

keep providers 0 providers --json
keep providers 0 --provider-dir "$BP_MOCK_DIR" providers --json --no-open
# shellcheck disable=SC2086 # $mocks is two words, here and below
BACKPLANE_STRCT=1 keep providers 0 $mocks providers --json
keep known-providers 0 providers --known --json
keep known-providers 0 $mocks providers --known --json
keep known-providers 0 --provider-dir "$work/odd \"dir\"<>" providers --known --json
keep providers 0 --provider-dir "$work/odd \"dir\"<>" providers --json
for name in cpu gadget native quoted; do
    keep provider 0 $mocks providers --json "$name"
    keep provider 0 $mocks providers --json info "$name"
done
keep provider 4 $mocks providers --json absent
keep provider 0 $mocks providers --json --no-open few
keep provider 0 --provider-dir "$work/odd \"dir\"<>" providers --json few
for name in cann dnnl; do
    "$backplane" --quiet providers $name 2>/dev/null || continue
    keep provider 0 providers --json info $name
done
keep doctor 0 doctor --json
BACKPLANE_STRCT="$odd" BACKPLANE_ALLOW=warn keep doctor 0 $mocks doctor --json
for name in absent CUDAExecutionProvider undefined; do
    keep explanation 4 $mocks doctor why --json $name
done
keep explanation 0 $mocks doctor why --json few
keep explanation 0 $mocks doctor why --json few "$work/wrong.onnx"
keep explanation 5 $mocks doctor why --json few -o few:take=Add "$work/relu.onnx"
keep explanation 4 $mocks doctor why --json uncreated "$work/relu.onnx"
keep explanation 5 $mocks doctor why --json uncompiled "$work/relu.onnx"
keep explanation 0 $mocks doctor why --json few "$digits"
keep explanation 5 $mocks doctor why --json few "$work/fused.onnx"
keep explanation 5 $mocks doctor why --json few -o few:take=Add "$work/odd<&>\"\\.onnx"

keep verify 1 $mocks verify --json few absent undefined nothing "$work/dir/libbp-none.so"
keep verify 0 $mocks verify --json --no-probe few cpu
BACKPLANE_PROVIDERS='!few' BACKPLANE_ALLOW=warn keep verify 1 $mocks verify --json
BACKPLANE_ALLOW=enforce keep verify 1 $mocks verify --json few

# what sessions append to a file, a line each
mkdir -p "$work/json/explanation"
report=$work/json/explanation/report.json
for name in relu wrong odd if unknown; do
    BACKPLANE_REPORT=$report "$backplane" $mocks --quiet run -p few "$work/$name.onnx" \
        >"$work/out" 2>"$work/err" </dev/null || true
done
BACKPLANE_REPORT=$report "$backplane" $mocks --quiet run -p few -o few:take=Add \
    --fallback require "$work/relu.onnx" >"$work/out" 2>"$work/err" </dev/null || true
mv "$report" "$work/json/explanation/report.jsonl"

# ---- plans and runs -------------------------------------------------------------------------------

for name in relu fixed rows deep whole big wrong fused if 'odd<&>"\'; do
    keep info 0 info --json "$work/$name.onnx"
    keep report 0 $mocks plan --json -p few "$work/$name.onnx"
    keep report 0 $mocks plan --json -p gizmo -p cpu --fallback silent "$work/$name.onnx"
    keep run 0 $mocks run --json --report -p gizmo -p cpu "$work/$name.onnx"
    keep run 0 run --json "$work/$name.onnx"
done
for name in odd unknown; do
    keep info 0 info --json "$work/$name.onnx"
    keep report 3 plan --json "$work/$name.onnx"
done
keep info 0 info --json "$digits"
keep report 0 plan --json "$digits"
keep report 0 $mocks plan --json -p costly "$work/relu.onnx"
keep report 0 $mocks plan --json -p few --place 'op:Relu=cpu' --fallback silent "$work/relu.onnx"
keep report 0 $mocks plan --json -p uncreated,absent,few --fallback silent "$work/relu.onnx"
keep run 0 run --json --report "$digits"
keep run 0 $mocks run --json --report -p picky -o picky:frames=3 -o picky:frame_bytes=2M \
    "$work/relu.onnx"
keep run 0 $mocks run --json --report -p picky -o picky:most=8 -i "x=$work/rows.npy" \
    "$work/rows.onnx"
mkdir -m 700 "$work/cache"
for name in relu relu fixed; do
    BACKPLANE_CACHE_DIR=$work/cache keep run 0 $mocks run --json --report -p keeper \
        "$work/$name.onnx"
done
for name in nan inf three; do
    keep run 0 run --json -i "x=$work/$name.npy" "$work/relu.onnx"
done
keep run 0 run --json -i "x=$work/three.npy" --expect "y=$work/halves.npy" "$work/relu.onnx"
keep run 1 run --json -i "x=$work/three.npy" --expect "y=$work/three.npy" "$work/relu.onnx"
if [ $has_dnnl = yes ]; then
    keep report 0 plan --json -p dnnl "$digits"
    keep run 0 run --json --report -p dnnl "$digits"
fi
if [ $has_cann = yes ]; then
    for name in relu rows deep if; do
        keep report 0 plan --json -p cann,cpu -o cann:driver=sim --fallback silent \
            "$work/$name.onnx"
    done
    keep report 0 plan --json -p cann,cpu -o cann:driver=sim --fallback silent "$digits"
    keep run 0 run --json --report -p cann,cpu -o cann:driver=sim --fallback silent "$digits"
fi
for name in light/light_squeezenet.onnx silero_vad/silero_vad.onnx mnist/model.onnx; do
    file=${BACKPLANE_MODELS:-/nonexistent}/$name
    [ -e "$file" ] || continue
    keep info 0 info --json "$file"
    keep report 0 $mocks plan --json -p few -p cpu --fallback silent "$file"
done

# sequences, optionals, texts and loops: ONNX's own tests, where they are installed
data=/usr/share/libonnx-testdata/data/node
for name in sequence_insert_at_back optional_get_element_sequence string_concat loop11 scan9_sum \
    split_to_sequence_1; do
    [ -d "$data/test_$name" ] || continue
    keep info 0 info --json "$data/test_$name/model.onnx"
    keep report 0 plan --json "$data/test_$name/model.onnx"
done

# ---- times, tests, caches, profiles, the kit ------------------------------------------------------

keep bench 0 bench --json --runs 3 --warmup 1 --profile "$work/profile.json" "$work/wrong.onnx"
keep bench 0 $mocks bench --json --runs 2 -p gizmo "$work/fixed.onnx"
keep bench-compare 0 $mocks bench --json --compare --runs 4 -p few "$work/relu.onnx"
keep bench-compare 0 $mocks bench --json --compare --runs 4 -p few,gizmo -o few:take=Add \
    --fallback silent "$work/relu.onnx"
keep bench-compare 0 $mocks bench --json --compare --runs 4 -p few -o few:take=Add \
    --fallback silent "$work/relu.onnx"
keep tune 0 $mocks tune --json --rounds 2 --seconds 0.01 -p few "$work/relu.onnx"
keep tune 0 $mocks tune --json --rounds 2 --seconds 0.01 -p few -o few:take=Add --fallback silent \
    "$work/relu.onnx"
keep optimize 0 optimize --json --list "$work/fused.onnx"
mkdir "$work/zoo"
cp "$work/fused.onnx" "$work/relu.onnx" "$work/zoo/"
echo junk >"$work/zoo/junk.onnx"
keep optimize 3 optimize --json "$work/zoo" -o "$work/optimized"
mkdir -p "$work/json/profile"
mv "$work/profile.json" "$work/json/profile/bench.json"
"$backplane" $mocks --quiet run -p few --profile "$work/json/profile/run.json" "$work/if.onnx" ||
    failed 'run --profile'
"$backplane" --quiet run --profile "$work/json/profile/digits.json" "$digits" ||
    failed 'run --profile'

test=$work/tests/test_good
mkdir -p "$test/test_data_set_0" "$work/tests/test_bad/test_data_set_0" "$work/tests/test_strange"
cp "$work/relu.onnx" "$test/model.onnx"
make_tensor "$test/test_data_set_0/input_0.pb" "$FLOAT" '1 3' "$three_floats"
make_tensor "$test/test_data_set_0/output_0.pb" "$FLOAT" '1 3' 000000000000003f00000040
cp -r "$test"/* "$work/tests/test_bad/"
cp "$test/test_data_set_0/input_0.pb" "$work/tests/test_bad/test_data_set_0/output_0.pb"
cp "$work/odd.onnx" "$work/tests/test_strange/model.onnx"
keep conform 1 conform --json "$work/tests"
keep conform 0 conform --json "$test"
"$backplane" conform --list-failures "$work/tests" >"$work/expect" 2>/dev/null || true
keep conform 0 conform --json --expect "$work/expect" "$work/tests"

key=$(ls "$work/cache" | head -n 1)
: >"$work/cache/$(printf %064d 0).bpc"
chmod 600 "$work/cache/"*.bpc
keep cache 0 cache --json --dir "$work/cache" list
keep cache 1 cache --json --dir "$work/cache" verify
keep cache-clear 0 cache --json --dir "$work/cache" clear
keep cache 0 cache --json --dir "$work/cache"
[ -n "$key" ] || failed 'keeper saved no program'

mkdir -p "$work/json/check"
for name in few native quoted garbage; do
    "$BP_BUILDDIR/tools/backplane-check" --only 'BPK-FILE-*' \
        --json "$work/json/check/$name.json" "$BP_MOCK_DIR/libbp-$name.so" >"$work/out" 2>&1 || true
done
"$BP_BUILDDIR/tools/backplane-check" --json "$work/json/check/whole.json" \
    "$BP_MOCK_DIR/libbp-few.so" >"$work/out" 2>&1 || true

# each command that has --json was run with it
"$backplane" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' >"$work/commands"
[ "$(wc -l <"$work/commands")" -gt 9 ] || failed "--help lists too few commands: $(cat "$work/commands")"
while read -r name; do
    "$backplane" "$name" --help | grep -q -e '--json' || continue
    grep -q "^$name\$" "$work/kept" ||
        failed "backplane $name --json is not tested here: it needs a schema and a case"
done <"$work/commands"

# Only a simulated device estimates what a plan takes.
unseen=
if [ $has_cann = no ]; then
    for name in providers[].weight_bytes providers[].peak_bytes providers[].run_ns \
        providers[].copy_ns groups[].weight_bytes groups[].run_bytes groups[].run_ns \
        groups[].copy_ns; do
        unseen="$unseen report:$name"
    done
fi
# shellcheck disable=SC2086 # a list
python3 "$BP_SRCDIR/tests/cli/schemas.py" "$schemas" "$BP_SRCDIR" "$work/names" "$work/json" \
    $unseen || status=1
exit "$status"
