#!/bin/sh
# SPDX-License-Identifier: MIT
# threads.sh - the groups of the kit in which threads are, in a build with ThreadSanitizer: no provider of the
# tree, no simulated device and nothing of the kit has a race. Of `make threadcheck`.

set -u
case "$(cat "$BP_BUILDDIR/config.log" 2>/dev/null)" in
*"--enable-sanitizers=thread"*) ;;
*)
    echo "skipped: this build has no ThreadSanitizer; ../configure --enable-sanitizers=thread CC=clang has it"
    exit 77
    ;;
esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
count=0
# a race ends the process of its test, which the kit then calls dead
TSAN_OPTIONS="halt_on_error=1:suppressions=$BP_SRCDIR/tests/tsan.supp:${TSAN_OPTIONS:-}"
export TSAN_OPTIONS

# races GROUP FILE: 0 if ThreadSanitizer reports something. Other failures do not count here, as it makes a run
# slow, and a test may be about time.
races()
{
    case $2 in
    */libbp-dnnl.so) option=claim=all ;;
    *) option= ;;
    esac
    "$BP_BUILDDIR/tools/backplane-check" ${option:+--option "$option"} --timeout 120 --only "$1" "$2" \
        >"$dir/out" 2>&1 </dev/null
    grep -q 'ThreadSanitizer' "$dir/out"
}

BP_PLANTED=races
export BP_PLANTED
races BPK-STATE-06 "$BP_MOCK_DIR/libbp-planted.so" || {
    echo "FAIL: the race that is planted is not found: $(cat "$dir/out")" >&2
    failed=1
}
unset BP_PLANTED
for plugin in "$BP_BUILDDIR"/providers/libbp-*.so "$BP_MOCK_DIR"/libbp-gizmo.so "$BP_MOCK_DIR"/libbp-sprocket.so; do
    [ -e "$plugin" ] || continue # else none was built
    case $plugin in
    */libbp-opencl.so) continue ;; # PoCL and LLVM are not built with the sanitizer
    esac
    for group in PROBE RUN BPK-CANCEL-01 STATE DEVICE; do
        if races $group "$plugin"; then
            echo "FAIL: $plugin, $group: $(cat "$dir/out")" >&2
            failed=1
        fi
        grep -q '^pass' "$dir/out" || {
            echo "FAIL: $plugin, $group: no test passes: $(cat "$dir/out")" >&2
            failed=1
        }
        count=$((count + 1))
    done
done
echo "$count groups of tests without a race"
exit $failed
