# SPDX-License-Identifier: MIT
# lib.sh - what tests of the provider opencl share; sourced. Skips where there is no such provider, or no device.
# PoCL and LLVM keep what they allocate until the process ends, from code that is unloaded by then: no
# suppression names it. What the provider leaves behind the kit counts (LIFE), and valgrind tells.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export ASAN_OPTIONS

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
backplane=$BP_BUILDDIR/tools/backplane
# the driver's own cache of kernels, so that a home folder is not needed, and stays as it is
POCL_CACHE_DIR=${POCL_CACHE_DIR:-$BP_BUILDDIR/tests/opencl/pocl-cache}
mkdir -p "$POCL_CACHE_DIR"
export POCL_CACHE_DIR

failed()
{
    echo "FAILED: $*" >&2
    status=1
}

needs_opencl()
{
    if [ ! -e "$BP_BUILDDIR/providers/libbp-opencl.so" ]; then
        echo "not tested: the provider opencl was not built"
        exit 77
    fi
}

needs_device()
{
    needs_opencl
    "$backplane" providers info opencl >"$work/info" 2>&1 || true
    if ! grep -q '^state *usable' "$work/info"; then
        echo "not tested: $(sed -n 's/^reason *//p' "$work/info"); install Debian's pocl-opencl-icd"
        exit 77
    fi
}
