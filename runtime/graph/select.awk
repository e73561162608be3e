# SPDX-License-Identifier: MIT
# select.awk - what a build has of the operators that a file names (./configure --with-operators=FILE):
#
#   awk -v what=schemas -f select.awk runtime/graph/rules/list.inc FILE            rows of the schema table
#   awk -v what=rows -f select.awk runtime/graph/rules/list.inc FILE LIST          rows of a LIST of kernels
#   awk -v what=types -f select.awk runtime/graph/rules/list.inc FILE              element types by operator
#   awk -v what=check -f select.awk runtime/graph/rules/list.inc FILE              nothing but complaints
#
# FILE is written as ONNX Runtime's tools do: lines "domain;version,version;Operator,Operator{types}",
# where {"inputs": {"0": ["float", "int64_t"]}, "outputs": {...}} after a name limits its types, a line
# "!globally_allowed_types;float,int8_t", and "!no_ops_specified_means_all_ops_are_required". A version
# stands for the row that is in force at it. A LIST has lines MACRO(symbol, "domain", Operator).
# What is wrong with FILE goes to standard error, with exit status 1; an operator that no table here
# knows is only a warning, because a plug-in may bring it.

function complain(words)
{
    print FILENAME ":" FNR ": " words | "cat >&2"
    status = 1
}

function trim(text)
{
    gsub(/^[ \t\r]+|[ \t\r]+$/, "", text)
    return text
}

# ---- the tables ---------------------------------------------------------------------------------

# BP_SCHEMA(ml_Binarizer, 1): rows of one operator come in the order of their versions.
function read_schemas(line,    symbol, version, domain)
{
    while (match(line, /BP_SCHEMA\([A-Za-z_0-9]+, [0-9]+\)/)) {
        symbol = substr(line, RSTART + 10, RLENGTH - 11)
        line = substr(line, RSTART + RLENGTH)
        version = symbol
        sub(/^.*, /, "", version)
        sub(/,.*$/, "", symbol)
        n_rows++
        row_symbol[n_rows] = symbol
        row_since[n_rows] = version + 0
        domain = ""
        if (match(symbol, /^[a-z]+_/)) {
            domain = domains[substr(symbol, 1, RLENGTH - 1)]
            symbol = substr(symbol, RLENGTH + 1)
        }
        row_key[n_rows] = domain SUBSEP symbol
        is_known[domain, symbol] = 1
    }
}

# Keeps the row of an operator that is in force at a version.
function keep(domain, op, version,    i, best)
{
    for (i = 1; i <= n_rows; i++) {
        if (row_key[i] == domain SUBSEP op && row_since[i] <= version)
            best = i
    }
    if (!best)
        return 0
    is_kept[best] = 1
    is_wanted[domain, op] = 1
    return 1
}

# ---- element types ------------------------------------------------------------------------------

function type_of(name)
{
    sub(/^std::/, "", name)
    if (name in types)
        return types[name]
    complain("there is no element type '" name "'")
    return "F32"
}

# A C expression of a list of type names.
function mask_of(list,    n, i, names, text)
{
    n = split(list, names, ",")
    for (i = 1; i <= n; i++)
        text = text (text == "" ? "" : " | ") "BP_SELECTED_TYPE(" type_of(trim(names[i])) ")"
    return n ? text : "0"
}

# {"inputs": {"0": ["float"]}}: adds the types of each list to those of that input or output.
function read_types(domain, op, text,    section, index_, depth, list, c, word, key)
{
    depth = 0
    while (text != "") {
        c = substr(text, 1, 1)
        if (c == "\"") {
            text = substr(text, 2)
            word = text
            sub(/".*$/, "", word)
            text = substr(text, length(word) + 2)
            if (in_list)
                list = list (list == "" ? "" : ",") word
            else if (depth == 1)
                section = word
            else
                index_ = word
            continue
        }
        if (c == "{")
            depth++
        else if (c == "}")
            depth--
        else if (c == "[") {
            in_list = 1
            list = ""
        } else if (c == "]") {
            in_list = 0
            key = domain SUBSEP op SUBSEP section SUBSEP index_
            if ((section == "inputs" || section == "outputs") && index_ ~ /^[0-9]+$/)
                limit[key] = limit[key] (limit[key] == "" ? "" : ",") list
        }
        text = substr(text, 2)
    }
    in_list = 0
}

# ---- the file of operators ----------------------------------------------------------------------

function add_operator(domain, versions, text,    op, n, i, list, found)
{
    op = text
    sub(/\{.*$/, "", op)
    op = trim(op)
    if (op !~ /^[A-Za-z_0-9.]+$/) {
        complain("'" text "' is not an operator's name")
        return
    }
    n_named++
    n = split(versions, list, ",")
    for (i = 1; i <= n; i++) {
        if (trim(list[i]) !~ /^[0-9]+$/ || trim(list[i]) + 0 == 0)
            complain("'" list[i] "' is not a version of an operator set")
        else
            found += keep(domain, op, trim(list[i]) + 0)
    }
    if (!found && what == "check")
        print FILENAME ":" FNR ": warning: no " (domain == "" ? "" : domain ".") op " of version " \
            versions " is known here" | "cat >&2"
    if (text ~ /\{/)
        read_types(domain, op, substr(text, index(text, "{")))
    else
        has_all_types[domain, op] = 1
}

# Operators are separated by commas outside of braces.
function add_operators(domain, versions, text,    i, c, depth, one)
{
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "{") - (c == "}")
        if (c == "," && depth == 0) {
            add_operator(domain, versions, trim(one))
            one = ""
        } else {
            one = one c
        }
    }
    if (depth != 0)
        complain("braces do not match")
    else if (trim(one) != "")
        add_operator(domain, versions, trim(one))
}

function read_line(line,    parts, rest, at)
{
    line = trim(line)
    if (line == "" || line ~ /^#/)
        return
    if (line ~ /^!no_ops_specified_means_all_ops_are_required/) {
        wants_all = 1
        return
    }
    if (line ~ /^!globally_allowed_types;/) {
        global = substr(line, index(line, ";") + 1)
        has_global = 1
        return
    }
    split(line, parts, ";")
    at = length(parts[1]) + length(parts[2]) + 3
    if (line ~ /^!/ || at > length(line) + 1 || gsub(/;/, ";", line) < 2) {
        complain("not a line 'domain;version;Operator,Operator'")
        return
    }
    rest = substr(line, at)
    parts[1] = trim(parts[1])
    add_operators(parts[1] == "ai.onnx" ? "" : parts[1], parts[2], rest)
}

# ---- results ------------------------------------------------------------------------------------

function print_schemas(    i, key)
{
    for (i = 1; i <= n_rows; i++) {
        if (is_kept[i]) {
            print "BP_SCHEMA(" row_symbol[i] ", " row_since[i] ")"
        } else {
            split(row_key[i], key, SUBSEP)
            print "BP_LEFT_OUT(\"" key[1] "\", \"" key[2] "\", " row_since[i] ")"
        }
    }
}

# An operator that stands without types somewhere has all of them.
function print_types(    key, part)
{
    if (has_global)
        print "BP_SELECTED_GLOBAL(" mask_of(global) ")"
    for (key in limit) {
        split(key, part, SUBSEP)
        if (!((part[1], part[2]) in has_all_types))
            print "BP_SELECTED(\"" part[1] "\", \"" part[2] "\", " \
                (part[3] == "outputs" ? 1 : 0) ", " part[4] ", " mask_of(limit[key]) ")"
    }
}

BEGIN {
    split("ml ai.onnx.ml ms com.microsoft own org.backplane preview ai.onnx.preview training " \
        "ai.onnx.preview.training", pair, " ")
    for (i = 1; i in pair; i += 2)
        domains[pair[i]] = pair[i + 1]
    n = split("float F32 float32 F32 double F64 float64 F64 MLFloat16 F16 float16 F16 BFloat16 BF16 " \
        "bfloat16 BF16 int8_t I8 int8 I8 int16_t I16 int16 I16 int32_t I32 int32 I32 int64_t I64 " \
        "int64 I64 uint8_t U8 uint8 U8 uint16_t U16 uint16 U16 uint32_t U32 uint32 U32 uint64_t U64 " \
        "uint64 U64 bool BOOL string STRING complex64 C64 complex128 C128 Float8E4M3FN F8E4M3FN " \
        "Float8E4M3FNUZ F8E4M3FNUZ Float8E5M2 F8E5M2 Float8E5M2FNUZ F8E5M2FNUZ Int4x2 I4 int4 I4 " \
        "UInt4x2 U4 uint4 U4 float8e4m3fn F8E4M3FN float8e4m3fnuz F8E4M3FNUZ float8e5m2 F8E5M2 " \
        "float8e5m2fnuz F8E5M2FNUZ float4e2m1 F4E2M1 float8e8m0 F8E8M0 int2 I2 uint2 U2", pair, " ")
    for (i = 1; i < n; i += 2)
        types[pair[i]] = pair[i + 1]
}

FNR == 1 {
    phase++
}

phase == 1 {
    read_schemas($0)
}

phase == 2 {
    read_line($0)
}

phase == 3 && match($0, /\(.*, "[a-z.]*", [A-Za-z0-9_]+\)/) {
    split(substr($0, RSTART + 1, RLENGTH - 2), part, ", ")
    gsub(/"/, "", part[2])
    if (is_wanted[part[2], part[3]] || (wants_all && !n_named))
        print
}

END {
    if (wants_all && !n_named) {
        for (i = 1; i <= n_rows; i++)
            is_kept[i] = 1
    } else if (!n_named && what == "check") {
        complain("names no operator")
    }
    keep("com.microsoft", "EPContext", 1) # the host makes such nodes itself
    if (what == "schemas")
        print_schemas()
    else if (what == "types")
        print_types()
    else if (what == "check" && has_global)
        mask_of(global)
    if (what == "check") {
        for (key in limit)
            mask_of(limit[key])
    }
    close("cat >&2")
    exit status
}
