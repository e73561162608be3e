# SPDX-License-Identifier: MIT
# api_anchor.awk - reads headers without comments and writes a C file that reaches every function, struct and
# constant of them from exported names, for abidiff:
#
#     awk -v what=types ...       # variables: pointers to each function and each struct
#     awk -v what=numbers ...     # a program that prints what abidiff does not see
#
# These are the values of constants, and the sizes of structs that do not begin with struct_size: they are
# elements of arrays or members of other structs, so that they may not grow.

BEGIN {
    if (what == "numbers")
        print "#include <stdio.h>\nint main(void)\n{"
}
/^BP_API/ { held = ""; is_open = 1 }
is_open { held = held " " $0 }
is_open && /;/ {
    is_open = 0
    match(held, /bp_[a-z0-9_]+\(/)
    name = substr(held, RSTART, RLENGTH - 1)
    if (what == "types")
        print "__typeof__(" name ") *function_" name ";"
}
/^typedef struct bp_[a-z0-9_]+ \{/ { name = $3; is_first = 1; next }
is_first {
    is_first = 0
    if (what == "types")
        print "struct " name " *struct_" name ";"
    else if ($0 !~ /^ +uint32_t struct_size;/)
        printf "    printf(\"size of %s = %%zu\\n\", sizeof(struct %s));\n", name, name
}
/^ +BP_[A-Z0-9_]+ = / && what == "numbers" {
    printf "    printf(\"%%s = %%lld\\n\", \"%s\", (long long)%s);\n", $1, $1
}
END {
    if (what == "numbers")
        print "    return 0;\n}"
}
