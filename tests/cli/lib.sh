# SPDX-License-Identifier: MIT
# lib.sh - what the scripts of this folder share: checks, and makers of models and arrays. Sourced.

backplane=${BACKPLANE_BIN:-$BP_BUILDDIR/tools/backplane}
unset NO_COLOR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

failed()
{
    echo "FAILED: $*" >&2
    status=1
}

# Skips the whole script where there is no CPU provider to run models on.
needs_cpu()
{
    if ! "$backplane" --quiet providers cpu; then
        echo "skipped: the cpu provider is not usable"
        exit 77
    fi
}

# gives CODE ARGUMENT...: the program ends with that code; its output is in $work/out and $work/err.
# An error says so in one line; success says nothing on standard error.
gives()
{
    want=$1
    shift
    code=0
    "$backplane" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    if [ "$code" != "$want" ]; then
        failed "backplane $*: code $code, not $want: $(cat "$work/err")"
    elif [ "$code" = 0 ] && [ -s "$work/err" ]; then
        failed "backplane $*: all is well, but it complains: $(cat "$work/err")"
    elif [ "$code" -ge 128 ]; then
        failed "backplane $*: it crashed"
    fi
}

# says FILE TEXT...: the last output ($work/out or $work/err) has each text in it.
says()
{
    where=$1
    shift
    for text in "$@"; do
        grep -q -F -e "$text" "$work/$where" ||
            failed "no \"$text\" in $where: $(head -c 2000 "$work/$where")"
    done
}

never_says()
{
    if grep -q -F -e "$2" "$work/$1"; then
        failed "\"$2\" in $1: $(head -c 2000 "$work/$1")"
    fi
}

# refuses CODE TEXT ARGUMENT...: ends with the code and an error that has the text in it.
refuses()
{
    refusal=$2
    want=$1
    shift 2
    gives "$want" "$@"
    says err "$refusal"
}

# ---- bytes, written as hexadecimal digits -------------------------------------------------------

# Writes the bytes of the digits that come in.
emit()
{
    fold -w 2 | while read -r pair || [ -n "$pair" ]; do
        # shellcheck disable=SC2059 # an octal escape
        printf "\\$(printf %03o "0x$pair")"
    done
}

hex_of()
{
    printf %s "$1" | od -An -v -tx1 | tr -d ' \n'
}

# ---- protobuf: each prints the digits of a field ------------------------------------------------

varint()
{
    if [ "$1" -lt 128 ]; then
        printf %02x "$1"
    else
        printf '%02x%02x' $(($1 % 128 + 128)) $(($1 / 128))
    fi
}

number() # FIELD VALUE
{
    printf %02x $(($1 * 8))
    varint "$2"
}

message() # FIELD DIGITS
{
    printf %02x $(($1 * 8 + 2))
    varint $((${#2} / 2))
    printf %s "$2"
}

string() # FIELD TEXT
{
    message "$1" "$(hex_of "$2")"
}

# A ValueInfoProto: NAME TYPE DIMENSION..., where a dimension is a number or a symbol.
value_info()
{
    name=$1
    type=$2
    shift 2
    dims=
    for dim in "$@"; do
        case $dim in
        *[!0-9]*) dims=$dims$(message 1 "$(string 2 "$dim")") ;;
        *) dims=$dims$(message 1 "$(number 1 "$dim")") ;;
        esac
    done
    string 1 "$name"
    message 2 "$(message 1 "$(number 1 "$type")$(message 2 "$dims")")"
}

# make_model FILE OP TYPE DIMENSION...: y = OP(x), both of that type and shape, at opset 13.
make_model()
{
    file=$1
    op=$2
    shift 2
    node=$(string 1 x)$(string 2 y)$(string 3 the_node)$(string 4 "$op")
    graph=$(message 1 "$node")$(string 2 the_graph)
    graph=$graph$(message 11 "$(value_info x "$@")")$(message 12 "$(value_info y "$@")")
    {
        number 1 8
        message 7 "$graph"
        message 8 "$(number 2 13)"
    } | emit >"$file"
}

# make_tensor FILE TYPE "DIMENSION..." DIGITS: a TensorProto with those raw bytes.
make_tensor()
{
    {
        for dim in $3; do
            number 1 "$dim"
        done
        number 2 "$2"
        message 9 "$4"
    } | emit >"$1"
}

# ---- .npy files ---------------------------------------------------------------------------------

# make_npy FILE HEADER DIGITS [VERSION]: the header's text as given, whatever it is.
make_npy()
{
    version=${4:-1}
    length=${#2}
    {
        printf '934e554d5059%02x00%02x%02x' "$version" $((length % 256)) $((length / 256))
        [ "$version" = 1 ] || printf 0000
        hex_of "$2"
        printf %s "$3"
    } | emit >"$1"
}

# header DESCR SHAPE: as NumPy writes it.
header()
{
    printf "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" "$1" "$2"
}

# shellcheck disable=SC2034 # for the scripts: -1, 0.5 and 2 as float32
three_floats=000080bf0000003f00000040
FLOAT=1 # of TensorProto.DataType
