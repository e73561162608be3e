#!/bin/sh
# SPDX-License-Identifier: MIT
# dnnl_threads.sh - dnnl keeps to the host's budget of threads: with one, two and all, on one processor, and
# under a control group's quota where one can be made. Results are right, there is one team, and an
# idle process uses no time.
set -eu

tool=$BP_BUILDDIR/tests/conformance/dnnl_threads
model=$BP_SRCDIR/examples/digits/digits.onnx
status=0
work=$(mktemp -d)
group=
trap 'rm -rf "$work"; [ -z "$group" ] || rmdir "$group"' EXIT
if [ ! -e "$BP_BUILDDIR/providers/libbp-dnnl.so" ] || [ ! -e "$BP_BUILDDIR/providers/libbp-cpu.so" ]; then
    echo "not tested: the providers dnnl and cpu were not both built"
    exit 77
fi
case $("$BP_BUILDDIR/config.status" --config 2>/dev/null) in
*"--enable-sanitizers"*)
    echo "skipped: LeakSanitizer crashes where libgomp has threads, and has some of its own"
    exit 77
    ;;
esac
. "$BP_SRCDIR/tests/built.sh"
needs_built tests/conformance/dnnl_threads
unset OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_DYNAMIC OMP_WAIT_POLICY GOMP_SPINCOUNT GOMP_CPU_AFFINITY
unset BACKPLANE_THREADS

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

# check WHAT THREADS BUDGET COMMAND...: runs the tool with THREADS through COMMAND, and the host counts
# with BUDGET threads, which is what the process then has: no more, and so no second team.
check()
{
    what=$1
    threads=$2
    budget=$3
    shift 3
    if ! "$@" "$tool" "$model" "$threads" >"$work/out" 2>"$work/err"; then
        fail "$what: $(cat "$work/err" "$work/out")"
        return
    fi
    read -r counted alive idle <"$work/out"
    echo "$what: $counted threads in the budget, $alive alive, $idle ms used while idle"
    [ "$counted" = "$budget" ] || fail "$what: a budget of $counted, not of $budget"
    [ "$alive" = "$budget" ] || fail "$what: $alive threads, not $budget"
    awk "BEGIN { exit !($idle < 5) }" || fail "$what: $idle ms of processor time while idle"
}

check 'one thread' 1 1 env
check 'two threads' 2 2 env

# Who is in the group cannot remove it: a shell of its own goes in.
in_group()
{
    GROUP=$group sh -c 'echo $$ >"$GROUP/cgroup.procs" && exec "$@"' sh "$@"
}

# A group with a quota of one processor, of which nproc knows nothing; false: none can be made here.
make_group()
{
    for tree in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
        group=$tree/backplane-test-$$
        mkdir "$group" || continue
        if [ -e "$group/cpu.max" ]; then
            echo '100000 100000' >"$group/cpu.max" && in_group true && return 0
        elif [ -e "$group/cpu.cfs_quota_us" ]; then
            echo 100000 >"$group/cpu.cfs_period_us" && echo 100000 >"$group/cpu.cfs_quota_us" &&
                in_group true && return 0
        fi
        rmdir "$group"
    done
    group=
    return 1
}

if make_group 2>/dev/null; then
    check 'all, with a quota of one processor' 0 1 in_group
    check 'two asked for, with a quota of one processor' 2 2 in_group
else
    echo "not tested: no control group with a quota can be made here; check_pool reads made-up ones"
fi

if command -v taskset >/dev/null; then
    first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    check 'all, on one processor' 0 1 taskset -c "$first"
    check 'two asked for, on one processor' 2 2 taskset -c "$first"
    check 'one thread, on one processor' 1 1 taskset -c "$first"
else
    echo "not tested: cpusets, as taskset is not there"
fi
exit $status
