# SPDX-License-Identifier: MIT
# plugins.sh - what the tests of `install` and `remove` share: plug-ins to compile, and a user's directory
# that is searched. Sourced after lib.sh.

unset BACKPLANE_ALLOW BACKPLANE_PROVIDERS
# The user's directory is searched only without BACKPLANE_PROVIDER_PATH; cpu comes from its own.
cpu_dir=$BACKPLANE_PROVIDER_PATH
unset BACKPLANE_PROVIDER_PATH

# make FILE MANIFEST [CODE [FLAG...]]: compiles a plug-in with that manifest, \n between lines
make()
{
    made=$1
    printf '#include <bp/sdk.h>\nBP_MANIFEST("%s");\n%s\n' "$2" "${3-}" >"$work/source.c"
    [ $# -lt 3 ] || shift
    shift 2
    # shellcheck disable=SC2086 # a compiler, maybe with options
    $CC -std=gnu11 "-I$BP_SRCDIR/sdk" -shared -fPIC -o "$made" "$work/source.c" "$@"
}

bp() # CODE ARGUMENT...
{
    code_wanted=$1
    shift
    gives "$code_wanted" --provider-dir "$cpu_dir" "$@"
}

# bp_refuses CODE TEXT ARGUMENT...
bp_refuses()
{
    bp_refusal=$2
    bp_code=$1
    shift 2
    bp "$bp_code" "$@"
    says err "$bp_refusal"
}
