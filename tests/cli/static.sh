#!/bin/sh
# SPDX-License-Identifier: MIT
# static.sh - the program with its providers in it opens no file to have them, and gives what the program
# with files gives. P1, P5.
set -eu
. "$BP_SRCDIR/tests/built.sh"
needs_built tools/backplane-static
static=$BP_BUILDDIR/tools/backplane-static
BACKPLANE_BIN=$static
. "$BP_SRCDIR/tests/cli/lib.sh"
files=$BACKPLANE_PROVIDER_PATH
mkdir "$work/empty"
needs_cpu
digits=$BP_SRCDIR/examples/digits/digits.onnx

# ---- no plug-in file in reach: everything is as with files --------------------------------------

export BACKPLANE_PROVIDER_PATH="$work/empty"
names=
for name in cpu dnnl cann; do
    if "$static" --quiet providers "$name" 2>/dev/null; then
        names="$names $name"
    fi
done
gives 0 providers
says out 'built in' 'cpu'
never_says out 'libbp-cpu'
gives 0 providers --no-open
says out 'built in' 'not opened'
gives 0 providers info cpu
says out 'org.backplane.cpu' 'built in'

# its options, known and unknown, and vetoes
refuses 2 'nosuch' run -o cpu:nosuch=1 "$digits"
export BACKPLANE_PROVIDERS='!dnnl'
gives 0 providers --no-open
case $names in *dnnl*) says out 'dnnl is vetoed' ;; esac
unset BACKPLANE_PROVIDERS

# ---- the same values ----------------------------------------------------------------------------

# results DIR PROGRAM PROVIDER: what the digits' model makes of random images
results()
{
    "$2" run -p "$3" --seed 7 --dim N=16 --threads 1 --output-dir "$work/$1" "$digits" \
        >"$work/out" 2>"$work/err" || failed "$2 run -p $3: $(cat "$work/err")"
}

for name in $names; do
    results "static-$name" "$static" "$name"
    [ -e "$files/libbp-$name.so" ] || continue # a build without plug-in files
    export BACKPLANE_PROVIDER_PATH="$files"
    results "files-$name" "$BP_BUILDDIR/tools/backplane" "$name"
    export BACKPLANE_PROVIDER_PATH="$work/empty"
    cmp "$work/static-$name/probability.npy" "$work/files-$name/probability.npy" ||
        failed "$name: the file gives other values"
done

# ---- no file of a plug-in is opened, and nothing is mapped after the start ----------------------

# traced PROGRAM ARGUMENT...: it runs under strace; its calls go to $work/trace, descriptors with paths.
# Leaks cannot be looked for under it.
traced()
{
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace -f -y -e trace=openat,open,mmap \
        -o "$work/trace" "$@" >"$work/out" 2>"$work/err" </dev/null || failed "$*: $(cat "$work/err")"
}

run_digits()
{
    traced "$1" run -p cpu --seed 7 --dim N=16 "$digits"
}

if ! strace -o "$work/trace" true 2>/dev/null; then
    echo 'not tested: which files are opened; there is no strace here, or it may not trace' >&2
    [ "$status" != 0 ] || status=77
    exit $status
fi

# what the dynamic linker opens before main() does not count: it is what ldd says
linked=$(LD_TRACE_LOADED_OBJECTS=1 "$static" | sed -n 's/^[[:space:]]*\([^ ]*\) .*/\1/p')
run_digits "$static"
grep -q 'digits.onnx' "$work/trace" || failed 'strace has not seen the model'
opened=$(sed -n 's/.*open[a-z]*(.*"\([^"]*\.so[^"]*\)".* = [0-9].*/\1/p' "$work/trace" | sort -u)
for file in $opened; do
    case " $(echo "$linked" | tr '\n' ' ') ld.so.cache " in
    *" $(basename "$file") "*) ;;
    *) failed "the static program opens $file" ;;
    esac
done
echo "static.sh: $(echo "$linked" | wc -l) libraries at the start, no other and no plug-in later"

if [ ! -e "$files/libbp-cpu.so" ]; then
    exit $status
fi

# with files in reach they are looked at, since others may be there, and left alone
export BACKPLANE_PROVIDER_PATH="$files"
run_digits "$static"
if grep -q 'PROT_EXEC.*libbp-' "$work/trace"; then
    failed "the static program maps a plug-in: $(grep 'PROT_EXEC.*libbp-' "$work/trace")"
fi
gives 0 providers --no-open
says out 'is not used: cpu is linked in'

# the same trace of the program with files shows what it is about
run_digits "$BP_BUILDDIR/tools/backplane"
grep -q 'PROT_EXEC.*libbp-cpu' "$work/trace" || failed 'strace does not show plug-ins'

exit $status
