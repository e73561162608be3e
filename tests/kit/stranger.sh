#!/bin/sh
# SPDX-License-Identifier: MIT
# stranger.sh - with nothing but the installed SDK, docs/authors.md leads to a provider that passes the kit.
# The page's commands are run as they are printed; so is the template, in C and C++, with make and CMake.

set -u
for tool in make pkg-config patch; do
    command -v $tool >/dev/null || {
        echo "skipped: no $tool here"
        exit 77
    }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
root=$work/root
prefix=$(sed -n 's/^prefix=//p' "$BP_BUILDDIR/sdk/backplane-sdk.pc")
real_pkg_config=$(command -v pkg-config)

unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
make -C "$BP_BUILDDIR" -s install-sdk DESTDIR="$root" >"$work/install.log" 2>&1 || {
    cat "$work/install.log" >&2
    echo "FAIL: make install-sdk" >&2
    exit 1
}
pc=$(find "$root" -name backplane-sdk.pc)
new=$(find "$root" -name backplane-new)
[ -n "$pc" ] && [ -n "$new" ] || {
    echo "FAIL: the SDK is not all there" >&2
    exit 1
}
if find "$root" -name 'libbackplane*' | grep .; then
    echo "FAIL: the SDK should come without the library" >&2
    failed=1
fi

# A stranger's machine: the SDK where it was installed to, and the system.
mkdir "$work/bin"
cat >"$work/bin/pkg-config" <<END
#!/bin/sh
exec "$real_pkg_config" --define-variable=prefix="$root$prefix" "\$@"
END
chmod +x "$work/bin/pkg-config"
# ... and neither sources nor build folder, where that can be: root may hide them from a process.
hides=
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    hides='mount -t tmpfs none "$2" && mount -t tmpfs none "$1" && shift 2 && exec "$@"'
else
    echo "sources are not hidden here: that needs root"
fi
stranger()
{
    set -- env -i PATH="$work/bin:$(dirname "$new"):$PATH" HOME="$work" PKG_CONFIG_PATH="$(dirname "$pc")" \
        CC="${CC:-cc}" CXX="${CXX:-c++}" "$@"
    [ -z "$hides" ] || set -- unshare -m sh -c "$hides" sh "$BP_SRCDIR" "$BP_BUILDDIR" "$@"
    (cd "$work/here" && "$@")
}
mkdir "$work/here"
if [ -n "$hides" ] && stranger sh -c 'ls "$0"/* "$1"/*' "$BP_SRCDIR" "$BP_BUILDDIR" >/dev/null 2>&1; then
    echo "FAIL: the stranger sees the sources" >&2
    failed=1
fi

# every variable that is promised
for name in providerdir abi_major abi_minor min_host_abi checktool templatedir exportmap \
    cflags_strict ldflags_plugin; do
    [ -n "$(stranger pkg-config --variable=$name backplane-sdk)" ] || {
        echo "FAIL: backplane-sdk.pc has no $name" >&2
        failed=1
    }
done
for name in checktool exportmap templatedir; do
    [ -e "$(stranger pkg-config --variable=$name backplane-sdk)" ] || {
        echo "FAIL: $name of backplane-sdk.pc names nothing" >&2
        failed=1
    }
done

# try NAME COMMAND...: as the stranger.
try()
{
    what=$1
    shift
    if ! stranger "$@" >"$work/log" 2>&1; then
        echo "FAIL: $what:" >&2
        tail -40 "$work/log" >&2
        failed=1
    fi
}

# the guide
mkdir "$work/guide"
{
    echo 'set -eu'
    sed -n '/^```sh$/,/^```$/{/^```/d;p}' "$BP_SRCDIR/docs/authors.md"
} >"$work/guide.sh"
[ "$(grep -c '^make check$' "$work/guide.sh")" -ge 2 ] || {
    echo "FAIL: docs/authors.md has lost its commands" >&2
    failed=1
}
start=$(date +%s)
try "docs/authors.md" sh -c "cd '$work/guide' && sh '$work/guide.sh'"
echo "the guide, from an empty folder to an operator of one's own: $(($(date +%s) - start)) s"
before=$(stranger "$(dirname "$new")/backplane-check" --only BPK-NUMERICS-01 \
    "$work/guide/mine/libbp-mine.so")
case $before in
*"6 of 44 cases"*) ;;
*)
    echo "FAIL: after the guide, the kit sees: $before" >&2
    failed=1
    ;;
esac

product=$(stranger "$(dirname "$new")/backplane-check" --only BPK-NUMERICS-12 "$work/guide/mine/libbp-mine.so")
case $product in
*"pass    BPK-NUMERICS-12 "*) ;;
*)
    echo "FAIL: after the guide, constant weights: $product" >&2
    failed=1
    ;;
esac

# the guide's table has each node that passes make
for op in $(sed -n 's/.*\.op = "\([A-Z][A-Za-z]*\)".*/\1/p; s/.*{"[A-Za-z]*", "\([A-Za-z]*\)", "com.microsoft".*/\1/p' \
    "$BP_SRCDIR"/runtime/optimize/passes/fuse_*.c); do
    case $op in
    Expand | LayerNormalization) continue ;; # as ONNX has them
    esac
    grep -qw "$op" "$BP_SRCDIR/docs/authors.md" || {
        echo "FAIL: docs/authors.md lacks the fused node $op" >&2
        failed=1
    }
done

# each kind, untouched, by make and by CMake
for language in c cpp device; do
    [ $language != cpp ] || [ -n "${CXX:-}" ] || continue
    project=$work/fresh_$language
    try "backplane-new --$language" backplane-new "fresh_$language" --$language --dir "$project"
    for file in Makefile CMakeLists.txt provider.map README.md .github/workflows/kit.yml; do
        [ -s "$project/$file" ] || {
            echo "FAIL: the $language project has no $file" >&2
            failed=1
        }
    done
    if grep -rn '@[A-Z]*@' "$project"; then
        echo "FAIL: a name was not filled in" >&2
        failed=1
    fi
    try "make of the $language project" make -C "$project" \
        CFLAGS=-Werror CXXFLAGS=-Werror
    try "make check of the $language project" make -C "$project" check
    try "make install of the $language project" make -C "$project" install DESTDIR="$work/other"
    find "$work/other" -name "libbp-fresh_$language.so" | grep -q . || {
        echo "FAIL: make install put nothing there" >&2
        failed=1
    }
    command -v cmake >/dev/null || continue
    try "cmake of the $language project" cmake -S "$project" -B "$project/build"
    try "cmake --build of the $language project" cmake --build "$project/build"
    try "ctest of the $language project" ctest --test-dir "$project/build"
done

# what backplane-new refuses
refuses()
{
    if stranger backplane-new "$@" >"$work/log" 2>&1 || ! grep -q '^backplane-new: error: ' "$work/log"; then
        echo "FAIL: backplane-new $* is not refused" >&2
        failed=1
    fi
}
refuses
refuses Upper
refuses '../x'
refuses ok --id nodots
refuses ok --id org.example.Upper
refuses ok --dir "$work/fresh_c"
refuses ok --rust
[ ! -e "$work/here/ok" ] || {
    echo "FAIL: a refused project is there" >&2
    failed=1
}
for option in $(stranger backplane-new --help | grep -o '^  --[a-z-]*'); do
    grep -q -e "Fl Fl ${option#--}" "$BP_SRCDIR/docs/backplane-new.1" || {
        echo "FAIL: backplane-new(1) lacks $option" >&2
        failed=1
    }
done

# P11: and the host runs what came out, a file more
backplane=$BP_BUILDDIR/tools/backplane
if [ $failed = 0 ] && "$backplane" --quiet providers cpu; then
    (
        OLDWORK=$work
        . "$BP_SRCDIR/tests/cli/lib.sh" # has a work of its own
        model=$work/neg.onnx
        make_model "$model" Neg "$FLOAT" 3
        gives 0 run --providers "$OLDWORK/guide/mine/libbp-mine.so" --fallback require "$model"
        device=$OLDWORK/fresh_device/libbp-fresh_device.so
        make_model "$model" Relu "$FLOAT" 3
        [ ! -e "$device" ] || gives 0 run --providers "$device" --fallback require "$model"
        # words of a provider do not begin with its name, which the host says
        make_model "$model" Abs "$FLOAT" 3
        for plugin in "$OLDWORK/guide/mine/libbp-mine.so" "$device"; do
            [ -e "$plugin" ] || continue
            name=$(basename "$plugin" .so | sed 's/^libbp-//')
            "$backplane" plan --providers "$plugin" "$model" >"$work/out" 2>&1
            grep "^$name  *Abs .*  only Relu" "$work/out" | grep -v "$name.*$name" >/dev/null ||
                failed "how $name refuses Abs: $(cat "$work/out")"
        done
        exit "$status"
    ) || failed=1
fi
exit $failed
