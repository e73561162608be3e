#!/bin/sh
# SPDX-License-Identifier: MIT
# plugins.sh - every provider of the tree is conformant, and the kit prints what its man page says.

set -u
check=$BP_BUILDDIR/tools/backplane-check
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

fails()
{
    echo "FAIL: $*" >&2
    failed=1
}

# gives LEVEL ARGUMENT...: the kit's exit level.
gives()
{
    want=$1
    shift
    "$check" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    code=$?
    [ "$code" = "$want" ] || fails "backplane-check $*: $code, not $want: $(cat "$dir/out" "$dir/err")"
}

# A breach of ACL's rules by the provider cann is a crash.
echo 'breaches = fatal' >"$dir/board"
BP_ASCEND_SIM=$dir/board
export BP_ASCEND_SIM

# conforms FILE ARGUMENT...: no test fails or warns, but for what the provider cannot help: oneDNN allocates in
# each call, and NNAPI has an execution for each.
conforms()
{
    plugin=$1
    shift
    case $plugin in
    */libbp-dnnl.so | */libbp-nnapi.so) cannot='BPK-RUN-01 ' ;;
    *) cannot='no such test' ;;
    esac
    "$check" "$@" "$plugin" >"$dir/out" 2>&1 </dev/null
    code=$?
    grep -E '^(warn|fail|died|timeout) ' "$dir/out" | grep -v "$cannot" >"$dir/faults"
    [ $code -le 1 ] && [ ! -s "$dir/faults" ] || fails "backplane-check $* $plugin: $code: $(cat "$dir/out")"
    [ $code = 0 ] || grep -q "^fail *\($cannot\)" "$dir/out" || fails "backplane-check $* $plugin: $code"
    tail -2 "$dir/out"
}

# opencl has a test of its own, tests/opencl/kit.sh: what its driver does in the process is not the provider's.
for plugin in "$BP_BUILDDIR"/providers/*.so; do
    case $plugin in
    */libbp-opencl.so) continue ;;
    esac
    [ ! -e "$plugin" ] || conforms "$plugin" # else none was built
done

# dnnl when it takes all it can, as the kit's cases are too small for it else.
dnnl=$BP_BUILDDIR/providers/libbp-dnnl.so
if [ -e "$dnnl" ]; then
    conforms "$dnnl" --option claim=all
    grep -q '^pass *BPK-NUMERICS-05 ' "$dir/out" || fails "dnnl with claim=all: $(cat "$dir/out")"
fi

# A device that fails: cann on its simulator, where tasks fail, or copies, or launches.
if [ -e "$BP_BUILDDIR/providers/libbp-cann.so" ] && [ -e "$BP_BUILDDIR/providers/libbp-ascend-sim.so.0" ]; then
    for fault in task copy launch; do
        printf 'breaches = fatal\nfault = %s\n' $fault >"$dir/failing"
        gives 0 --device-fault BP_ASCEND_SIM="$dir/failing" --only BPK-DEVICE-08 "$BP_BUILDDIR/providers/libbp-cann.so"
        grep '^pass *BPK-DEVICE-08 .*each reported' "$dir/out" || fails "cann, fault = $fault: $(cat "$dir/out")"
    done
fi

# Providers with memory of their own, on the simulated accelerator: with streams, and without.
for mock in gizmo sprocket trinket widget; do
    gives 0 "$BP_MOCK_DIR/libbp-$mock.so"
    grep '^pass *BPK-DEVICE-08 .*each reported' "$dir/out" || fails "the device of $mock does not fail"
    tail -2 "$dir/out"
done

# The mocks that tests use: each ends where it should.
few=$BP_MOCK_DIR/libbp-few.so
gives 1 "$BP_MOCK_DIR/libbp-unexecuted.so"
gives 1 --timeout 2 --only BPK-NUMERICS-01 "$BP_MOCK_DIR/libbp-endless.so"
grep -q '^timeout BPK-NUMERICS-01' "$dir/out" || fails "an endless run is not called that"
gives 1 --only RUN "$BP_MOCK_DIR/libbp-crashing.so"
grep -q '^died .*' "$dir/out" || fails "a crash is not called that"
gives 2 "$BP_MOCK_DIR/libbp-magic.so"
gives 2 "$BP_MOCK_DIR/libbp-noentry.so"
gives 2 "$BP_MOCK_DIR/libbp-undefined.so"
grep -q 'bp_mock_function_without_definition' "$dir/out" || fails "the missing function has no name"
gives 2 "$dir/no-such-file.so"
echo "not a library" >"$dir/text.so"
gives 2 "$dir/text.so"

# options of the provider
gives 0 --option gain=1 --option level=2 --only NUMERICS "$few"
gives 1 --option gain=3 --only NUMERICS "$few" # it computes what is asked, which is wrong then
gives 4 --option gian=3 --only LIFE "$few"
grep -q "has no option 'gian'" "$dir/err" || fails 'an option that is not there is not named'
gives 4 --option gain=much "$few"
grep -q "option 'gain': 'much' is not a valid value" "$dir/err" || fails 'a wrong value is not named'
gives 4 --option gain "$few"
gives 4 --option =3 "$few"
gives 4 --device-fault NAME "$few"
gives 4 --device-fault =3 "$few"

# formats
gives 0 --only 'BPK-ABI-*' --json - --junit "$dir/junit.xml" "$few"
cp "$dir/out" "$dir/json"
# tests/kit/reports.sh reads them whole
grep -q '"level": 0,' "$dir/json" && grep -q '"result": "conformant"' "$dir/json" ||
    fails "the JSON of a conformant plug-in: $(cat "$dir/json")"
grep -q '<testsuite name="backplane-check" tests="12" failures="0" ' "$dir/junit.xml" ||
    fails "the JUnit file of 12 tests: $(head -2 "$dir/junit.xml")"
gives 0 --in-process --only OPTIONS "$few"
grep -q 'BPK-OPTIONS-04' "$dir/out" || fails "--only OPTIONS does not run them"
gives 0 --provider few --only ABI "$few"
gives 2 --provider nobody "$few"

# Odd inputs: every provider of the tree stands them, and the same seed gives the same words.
for plugin in "$BP_BUILDDIR"/providers/*.so "$BP_MOCK_DIR/libbp-gizmo.so" "$few"; do
    [ -e "$plugin" ] || continue
    case $plugin in
    */libbp-opencl.so) continue ;; # compiling its kernels takes minutes
    esac
    gives 0 --fuzz 7 --rounds 20 --only FUZZ "$plugin"
    cp "$dir/out" "$dir/first"
    gives 0 --fuzz 7 --rounds 20 --only FUZZ "$plugin"
    sed 's/[0-9.]* s$//' "$dir/out" >"$dir/again"
    sed 's/[0-9.]* s$//' "$dir/first" | cmp -s - "$dir/again" ||
        fails "$plugin: seed 7 gives other results the second time"
done
gives 0 --list
grep -q FUZZ "$dir/out" && fails "--list has the group FUZZ without --fuzz"
for group in FILE ABI PROBE OPTIONS CAPABILITY NUMERICS WEIGHTS RUN CANCEL STATE PROCESS DEVICE SHAPES CACHE LIFE DOCS; do
    grep -q "^BPK-$group-01 " "$dir/out" || fails "--list lacks group $group"
done

# usage
gives 0 --help
for option in $(grep -o '^  --[a-z-]*' "$dir/out"); do
    grep -q -e "Fl Fl ${option#--}" "$BP_SRCDIR/docs/backplane-check.1" ||
        fails "backplane-check(1) lacks $option"
done
gives 0 --version
gives 4
gives 4 "$few" "$few"
gives 4 --only 'BPK-NOTHING-*' "$few"
gives 4 --timeout soon "$few"
gives 4 --fuzz some "$few"
gives 4 --fuzz -1 "$few"
gives 4 --rounds 0 "$few"
gives 4 --no-such-option "$few"
gives 4 --json "$dir/no/such/dir" --only DOCS "$few"
exit $failed
