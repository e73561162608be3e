#!/bin/sh
# SPDX-License-Identifier: MIT
# random.sh - backplane-check --seed and --reference: random graphs find faults, alone and beside another
# provider, and every provider of the tree stands them.
set -u
check=$BP_BUILDDIR/tools/backplane-check
few=$BP_MOCK_DIR/libbp-few.so
planted=$BP_MOCK_DIR/libbp-planted.so
cpu=$BP_BUILDDIR/providers/libbp-cpu.so
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
unset BP_PLANTED

fails()
{
    echo "FAIL: $*" >&2
    failed=1
}

# kit STATUS TEXT ARGUMENT...: the kit's exit status; it says the text.
kit()
{
    want=$1
    text=$2
    shift 2
    code=0
    "$check" "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
    [ "$code" = "$want" ] || fails "backplane-check $*: $code, not $want: $(cat "$dir/out" "$dir/err")"
    grep -q -e "$text" "$dir/out" "$dir/err" || fails "backplane-check $*: no '$text': $(cat "$dir/out" "$dir/err")"
}

# results are held to the kit's own, and a seed is a graph
kit 0 '^pass *BPK-RANDOM-01 .*(seeds 1 to 20, of which ' --seed 1 --rounds 20 --only RANDOM "$few"
grep -q '^skip *BPK-RANDOM-02 .*--reference names no provider' "$dir/out" || fails "$(cat "$dir/out")"
kit 1 '^ *seed [0-9]*: .*: element ' --seed 5 --rounds 20 --option gain=3 --only BPK-RANDOM-01 "$few"
cp "$dir/out" "$dir/first"
kit 1 '^ *seed [0-9]*: .*: element ' --seed 5 --rounds 20 --option gain=3 --only BPK-RANDOM-01 "$few"
cmp -s "$dir/first" "$dir/out" || fails "seed 5 gives another graph the second time"
seed=$(sed -n 's/^ *seed \([0-9]*\): .*/\1/p' "$dir/out")
kit 1 "^ *seed $seed: " --seed "$seed" --rounds 1 --option gain=3 --only BPK-RANDOM-01 "$few"
kit 0 'BPK-FILE-01' --list
grep -q 'BPK-RANDOM' "$dir/out" && fails "--list has the group RANDOM without --seed"
kit 4 'is not a number' --seed some "$few"

# faults of operators with many attributes
for fault in no-dilation swapped-pads no-count-pads batch no-epsilon wrong-axis wrong-perm no-slope weight-order; do
    BP_PLANTED=$fault "$check" --quiet --seed 1 --rounds 200 --only BPK-RANDOM-01 "$planted" >"$dir/out" 2>&1 &&
        fails "200 seeds do not find '$fault'"
done

# beside another provider: by path, or by name where BACKPLANE_PROVIDER_PATH says
kit 0 '^pass *BPK-RANDOM-02 .*(seeds 1 to 20, ' --seed 1 --rounds 20 --reference "$planted" --only RANDOM "$few"
kit 1 '^ *seed [0-9]*: .*, the reference gives ' --seed 1 --rounds 20 --reference "$planted" \
    --option gain=3 --only BPK-RANDOM-02 "$few"
kit 0 '^pass *BPK-RANDOM-02 .*(seeds [0-9]* to [0-9]*, ' --rounds 5 --reference planted --only RANDOM "$planted"
kit 4 'there is no such provider' --reference nobody "$few"
kit 0 '^skip *BPK-RANDOM-02 .*the reference: ' --seed 1 --rounds 2 --only BPK-RANDOM-02 \
    --reference "$BP_MOCK_DIR/libbp-absent.so" "$few"

# operators that the kit cannot compute: "costly" takes all of them, and computes zeroes
if [ -e "$cpu" ]; then
    kit 1 '^fail *BPK-RANDOM-03 ' --seed 1 --rounds 10 --reference "$cpu" --only BPK-RANDOM-03 \
        "$BP_MOCK_DIR/libbp-costly.so"
    kit 0 '^pass *BPK-RANDOM-03 .*of which 10 apply' --seed 1 --rounds 10 --reference cpu --only RANDOM "$cpu"
    for plugin in "$BP_BUILDDIR"/providers/*.so; do
        case $plugin in
        */libbp-dnnl.so) option='--option claim=all' ;; # else the graphs are too small for it
        */libbp-opencl.so) continue ;;                   # compiling its kernels takes minutes
        *) option= ;;
        esac
        # shellcheck disable=SC2086
        kit 0 '^pass *BPK-RANDOM-02 ' --seed 1 --reference cpu --only RANDOM $option "$plugin"
        grep 'BPK-RANDOM-' "$dir/out" | sed "s/^/$(basename "$plugin"): /"
    done
else
    echo "not compared with cpu, which was not built"
fi
exit $failed
