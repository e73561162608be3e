#!/bin/sh
# SPDX-License-Identifier: MIT
# select.sh - C-19: what a build has of the operators that a file names, and what `backplane operators` lists.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
script=$BP_SRCDIR/runtime/graph/select.awk
schemas=$BP_SRCDIR/runtime/graph/rules/list.inc
kernels=$BP_SRCDIR/plugins/cpu/operators.h
host=$BP_SRCDIR/runtime/exec/control/list.inc

# select_of WHAT FILE [LIST]: to $work/selected; complaints to $work/err. Returns its status.
select_of()
{
    what=$1
    shift
    awk -v what="$what" -f "$script" "$schemas" "$@" >"$work/selected" 2>"$work/err"
}

has()
{
    grep -q -x -F -e "$1" "$work/selected" || failed "no \"$1\" among: $(head -c 1500 "$work/selected")"
}

lacks()
{
    if grep -q -F -e "$1" "$work/selected"; then
        failed "\"$1\" is among: $(grep -F -e "$1" "$work/selected")"
    fi
}

# ---- a file as ONNX Runtime's tools write it --------------------------------------------------------

cat >"$work/ops.config" <<'END'
# a comment, and an empty line

ai.onnx;12;Conv,Relu{"inputs": {"0": ["float", "int8_t"]}},Cast{"inputs": {"0": ["float"]}, "outputs": {"0": ["int64_t", "MLFloat16"]}},If
ai.onnx;13,14;Add
ai.onnx;1;Relu{"inputs": {"0": ["double"]}}
ai.onnx;11;OneHot{"custom": [["int64_t", "float", "int64_t"]]}
com.microsoft;1;FusedConv
ai.onnx.ml;1;ZipMap
END
select_of check "$work/ops.config" || failed "a good file is refused: $(cat "$work/err")"
[ ! -s "$work/err" ] || failed "a good file is complained of: $(cat "$work/err")"

# a version stands for the row in force, and every row of the whole list is kept or left out
select_of schemas "$work/ops.config"
for row in 'Conv, 11' 'Relu, 6' 'Relu, 1' 'Cast, 9' 'Add, 13' 'Add, 14' 'ms_FusedConv, 1' 'ml_ZipMap, 1' 'If, 11'; do
    has "BP_SCHEMA($row)"
done
has 'BP_LEFT_OUT("", "Conv", 22)'
has 'BP_LEFT_OUT("com.microsoft", "FusedGemm", 1)'
lacks 'BP_SCHEMA(Add, 7)'
[ "$(wc -l <"$work/selected")" = "$(grep -o 'BP_SCHEMA(' "$schemas" | wc -l)" ] ||
    failed 'rows of the whole list are neither kept nor left out'
select_of rows "$work/ops.config" "$kernels"
has 'BP_CPU_OP(bp_cpu_op_conv, "", Conv)'
has 'BP_CPU_OP(bp_cpu_op_fused_conv, "com.microsoft", FusedConv)'
lacks ConvTranspose
lacks FusedGemm
select_of rows "$work/ops.config" "$host"
has 'BP_HOST_OP(bp_host_op_zip_map, "ai.onnx.ml", ZipMap)'
[ "$(wc -l <"$work/selected")" = 2 ] || failed "not If and ZipMap alone: $(cat "$work/selected")"

# types: of two lines for one operator the union, of one line without types all
select_of types "$work/ops.config"
has 'BP_SELECTED("", "Cast", 1, 0, BP_SELECTED_TYPE(I64) | BP_SELECTED_TYPE(F16))'
has 'BP_SELECTED("", "Relu", 0, 0, BP_SELECTED_TYPE(F32) | BP_SELECTED_TYPE(I8) | BP_SELECTED_TYPE(F64))'
lacks OneHot
{
    cat "$work/ops.config"
    echo 'ai.onnx;14;Relu'
    echo '!globally_allowed_types;float,bool'
} >"$work/more.config"
select_of types "$work/more.config"
lacks Relu
has 'BP_SELECTED_GLOBAL(BP_SELECTED_TYPE(F32) | BP_SELECTED_TYPE(BOOL))'

# no operators at all, by a line that says so
printf '!no_ops_specified_means_all_ops_are_required\n!globally_allowed_types;float\n' >"$work/all.config"
select_of schemas "$work/all.config"
lacks BP_LEFT_OUT
select_of rows "$work/all.config" "$kernels"
[ "$(wc -l <"$work/selected")" = "$(grep -c '^BP_CPU_OP(' "$kernels")" ] || failed 'not all kernels'

# ---- files that are wrong: line and reason ----------------------------------------------------------

wrong() # TEXT LINE
{
    printf 'ai.onnx;13;Add\n%s\n' "$2" >"$work/wrong.config"
    if select_of check "$work/wrong.config"; then
        failed "taken: $2"
    fi
    grep -q -F -e "wrong.config:2: $1" "$work/err" || failed "\"$2\": $(cat "$work/err")"
    # the command refuses the same lines, but for types, which it hands on
    case $2 in
    *no_such_type*) ;;
    *) refuses 2 'wrong.config:2: ' operators "$work/wrong.config" ;;
    esac
}

wrong "not a line 'domain;version;Operator,Operator'" 'Add'
wrong "not a line 'domain;version;Operator,Operator'" '!something else'
wrong "'x' is not a version of an operator set" 'ai.onnx;x;Add'
wrong "'0' is not a version of an operator set" 'ai.onnx;0;Add'
wrong 'braces do not match' 'ai.onnx;13;Add{"inputs": {"0": ["float"]}'
wrong "there is no element type 'no_such_type'" 'ai.onnx;13;Add{"inputs": {"0": ["no_such_type"]}}'
printf '# nothing\n' >"$work/none.config"
if select_of check "$work/none.config"; then
    failed 'a file without operators is taken'
fi
# an operator of a plug-in is a warning, as is a version that is older than the operator
printf 'com.example;1;Own\nai.onnx;5;Gelu\n' >"$work/own.config"
select_of check "$work/own.config" || failed 'an operator of a plug-in is refused'
grep -q 'own.config:1: warning: no com.example.Own' "$work/err" || failed "no warning: $(cat "$work/err")"
grep -q 'own.config:2: warning: no Gelu of version 5' "$work/err" || failed "no warning: $(cat "$work/err")"

# ---- backplane operators ----------------------------------------------------------------------------

digits=$BP_SRCDIR/examples/digits/digits.onnx
gives 0 operators "$digits"
# the model has neither fused operator: passes make them
says out 'ai.onnx;11;Conv' 'ai.onnx;12;MaxPool' 'ai.onnx;13;Flatten,Gemm,Relu,Softmax' \
    'com.microsoft;1;FusedConv,FusedGemm' '# Operators of 1 model'
cp "$work/out" "$work/digits.config"
select_of check "$work/digits.config" || failed "its own list is refused: $(cat "$work/err")"
# a list is a list of itself, and lists add up
gives 0 operators "$work/digits.config"
grep -v '^#' "$work/out" >"$work/again"
grep -v '^#' "$work/digits.config" | cmp -s - "$work/again" || failed 'a list of a list differs'
gives 0 operators "$BP_SRCDIR/examples" "$work/ops.config"
says out 'LayerNormalization' 'FusedMatMul,SkipLayerNormalization' 'DictVectorizer,LinearClassifier,ZipMap' \
    'ai.onnx;12;Cast{"inputs": {"0": ["float"]}' '# Operators of 4 models'
# what is made and then replaced is there, too: LayerNormalization of parts, before it becomes Skip...
gives 0 operators --disable-pass fuse-gemm "$digits"
never_says out FusedGemm
# types that a file allows to all operators cannot be promised for models
gives 0 operators "$work/all.config"
says out '!globally_allowed_types;float'
gives 0 operators "$work/all.config" "$digits"
never_says out '!globally'
says out '# The element types that a file allowed to all are left out'
# .ort counts, an operator of nobody is a comment
gives 0 optimize --quiet --level none "$digits" -o "$work/models/digits.ort"
gives 0 operators "$work/models"
says out 'FusedConv,FusedGemm'
make_model "$work/unknown.onnx" NoSuchOperator "$FLOAT" 1
gives 0 operators "$work/unknown.onnx"
says out '# known to no table here'
# an error names all operators that a model lacks, however many
graph=
for i in $(seq 10 79); do
    graph=$graph$(message 1 "$(string 1 x$((i == 10 ? 0 : i - 1)))$(string 2 x$i)$(string 4 Lacking$i)")
done
{
    number 1 8
    message 7 "$graph$(string 2 g)$(message 11 "$(value_info x0 "$FLOAT" 2)")$(message 12 "$(value_info x79 "$FLOAT" 2)")"
    message 8 "$(number 2 13)"
} | emit >"$work/lacking.onnx"
refuses 3 'Lacking10-13' run "$work/lacking.onnx"
[ "$(grep -o 'Lacking[0-9]*-13' "$work/err" | sort -u | wc -l)" = 70 ] || failed 'not all of 70 operators are named'
# all or nothing
echo junk >"$work/models/junk.onnx"
refuses 3 'junk.onnx' operators "$work/models"
[ ! -s "$work/out" ] || failed 'a list is printed although a model could not be read'
refuses 3 'No such file' operators "$work/none.onnx"

exit "$status"
