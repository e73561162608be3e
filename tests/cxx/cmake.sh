#!/bin/sh
# SPDX-License-Identifier: MIT
# cmake.sh - find_package(backplane) finds an installed tree that was moved, and examples/digits_cpp, built with
# it, reads its digits right; by pkg-config's flags as well.

set -u
failed=0
# shellcheck source=tests/cxx/lib.sh
. "$BP_SRCDIR/tests/cxx/lib.sh"

fail()
{
    echo "FAIL: $1" >&2
    tail -n 20 "$dir/log" >&2
    failed=1
}

# runs PROGRAM: reads the digits right, and complains of what is not there
runs()
{
    "$1" "$BP_SRCDIR/examples/digits" >"$dir/log" 2>&1 || fail "$1 does not read its digits"
    grep -q '^right: 59[0-9] of 599$' "$dir/log" || fail "$1 does not say how many were right"
    grep -q '^conv1: ' "$dir/log" || fail "$1 does not name a node's provider"
    "$1" "$dir" >"$dir/log" 2>&1 && fail "$1 succeeds without its files"
    grep -q 'digits_test.npy: no array' "$dir/log" || fail "$1 does not say what is missing"
}

prefix=$(sed -n 's/^prefix=//p' "$BP_BUILDDIR/sdk/backplane.pc")
libdir=$(sed -n 's/^libdir=//p' "$BP_BUILDDIR/sdk/backplane.pc" | sed "s|\${exec_prefix}|$prefix|")
(
    unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
    make -C "$BP_BUILDDIR" -s install-libLTLIBRARIES install-includeHEADERS install-bpincludeHEADERS \
        install-bpcmakeDATA DESTDIR="$dir/first"
) >"$dir/log" 2>&1 || {
    fail "make install"
    exit 1
}
mv "$dir/first" "$dir/moved"
root=$dir/moved
[ -e "$root$libdir/cmake/backplane/backplaneConfig.cmake" ] || fail "no backplaneConfig.cmake in $libdir"

# as the README has it without CMake: includes, library, rpath
# shellcheck disable=SC2086
$cxx $flags -Wall -Wextra -Werror -I"$root$prefix/include" -o "$dir/plain" \
    "$BP_SRCDIR/examples/digits_cpp/digits.cc" -L"$root$libdir" -lbackplane -Wl,-rpath,"$root$libdir" \
    >"$dir/log" 2>&1 && runs "$dir/plain" || fail "digits.cc does not compile"

if ! command -v cmake >/dev/null; then
    echo "not tested: backplaneConfig.cmake: there is no cmake; install Debian's cmake" >&2
    [ "$failed" != 0 ] || exit 77
    exit 1
fi

# configure SOURCE NAME [ARGUMENT...]: into $dir/NAME
configure()
{
    source=$1 name=$2
    shift 2
    CC=$CC CXX=$cxx cmake -S "$source" -B "$dir/$name" -DCMAKE_CXX_FLAGS="$flags" \
        -DCMAKE_PREFIX_PATH="$root$prefix" "$@" >"$dir/log" 2>&1
}

configure "$BP_SRCDIR/examples/digits_cpp" digits -DCMAKE_INSTALL_PREFIX="$dir/app" &&
    cmake --build "$dir/digits" >"$dir/log" 2>&1 || fail "digits_cpp is not built"
runs "$dir/digits/digits_cpp"
grep -q "backplane_DIR.*=$root" "$dir/digits/CMakeCache.txt" || fail "another Backplane was found"
cmake --install "$dir/digits" >"$dir/log" 2>&1 || fail "digits_cpp is not installed"
runs "$dir/app/bin/digits_cpp" # its rpath

# wants VERSION: does a project that asks for it find the tree?
wants()
{
    mkdir -p "$dir/wants"
    printf 'cmake_minimum_required(VERSION 3.13)\nproject(wants NONE)\nfind_package(backplane %s REQUIRED)\n' \
        "$1" >"$dir/wants/CMakeLists.txt"
    rm -rf "$dir/wants-build"
    configure "$dir/wants" wants-build
}
version=$(sed -n 's/^Version: //p' "$BP_BUILDDIR/sdk/backplane.pc")
for good in "" "$version" "$version EXACT"; do
    wants "$good" || fail "version '$good' is not found"
done
for bad in 99.0 0.0.1 "$version.1 EXACT"; do
    wants "$bad" && fail "version $bad is found"
done

# a tree of which a part is missing says so
mv "$root$prefix/include/backplane.h" "$dir"
wants "" && fail "a tree without its header is found"
grep -q 'backplane.h is not in' "$dir/log" || fail "the missing header is not named"
mv "$dir/backplane.h" "$root$prefix/include"
if [ -e "$root$libdir/libbackplane.a" ]; then
    configure "$BP_SRCDIR/examples/digits_cpp" static -Dbackplane_USE_STATIC=ON &&
        cmake --build "$dir/static" >"$dir/log" 2>&1 || fail "digits_cpp is not built with the archive"
    runs "$dir/static/digits_cpp"
else
    echo "not tested here: the archive; configure --enable-static makes it" >&2
fi
rm -f "$root$libdir"/libbackplane.*
wants "" && fail "a tree without its library is found"
grep -q 'the library is not in' "$dir/log" || fail "the missing library is not named"
exit $failed
