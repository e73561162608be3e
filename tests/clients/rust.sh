#!/bin/sh
# SPDX-License-Identifier: MIT
# rust.sh - the tests of the Rust crate ort, on our library and on ONNX Runtime.
#
# They load the library that ORT_DYLIB_PATH names. The models that they open are not in the package:
# models.c makes them. A model that they would download is where they keep such.

. "$BP_SRCDIR/tests/clients/lib.sh"
release=2.0.0-rc.15
sum=37c87aa7a90b7ff3e0fe36cccd475df8d67f15f07f4d6c370c4b38464232813c
features=std,load-dynamic,ndarray,tracing,fetch-models,api-30
need cargo cc

# The crate's own folder, built: its test program is the same for each library.
build()
{
    # an own place for packages, which keeps what the user has set for downloads
    export CARGO_HOME="$cache/cargo"
    mkdir -p "$CARGO_HOME"
    for config in "$home"/config.toml "$home"/config; do
        [ -f "$config" ] && cp "$config" "$CARGO_HOME/"
    done
    mkdir want want/src && : >want/src/lib.rs || return
    cat >want/Cargo.toml <<WANT || return
[package]
name = "want"
edition = "2021"
[dependencies]
ort = { version = "=$release", default-features = false }
WANT
    timeout 300 cargo fetch --manifest-path want/Cargo.toml || return
    has_sum "$sum" "$CARGO_HOME"/registry/cache/*/ort-$release.crate || return
    cp -r "$CARGO_HOME"/registry/src/*/ort-$release ort && cd ort || return
    CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=$PWD/../target timeout 600 \
        cargo test --locked --lib --no-run --no-default-features --features $features || return
    cd .. && cp "$(find target/debug/deps -name 'ort-*' -type f -perm -u+x | head -n 1)" tests && rm -r target
}

try() # here|there LIBRARY
{
    (cd "$dir/crate" && ORT_DYLIB_PATH=$2 ORT_CACHE_DIR=$dir/downloads timeout 300 "$crate/tests") \
        >"$dir/$1.log" 2>&1
    "$crate/tests" --list --format terse | sed 's/: test$//' | awk '
        NR == FNR { if ($1 == "test" && $(NF - 1) == "...") result[$2] = $NF; next }
        { print $1 "\t" (result[$1] == "ok" ? "pass" : result[$1] == "ignored" ? "skip" : "fail") }
        ' "$dir/$1.log" - >"$dir/$1.tsv"
}

home=${CARGO_HOME:-$HOME/.cargo}
need_fetched "rust-ort-$release" build
crate=$cache/rust-ort-$release
data=$dir/crate/tests/data
mkdir -p "$data" "$dir/downloads/models"
"$BP_BUILDDIR/tests/clients/models" "$data" || fail "models: no models"
cp "$BP_SRCDIR/tests/clients/mnist_5.jpg" "$data"
url=https://cdn.pyke.io/0/pyke:ort-rs/example-models@0.0.0/mnist.onnx
mv "$data/digits.onnx" "$dir/downloads/models/$(printf %s $url | sha256sum | cut -d ' ' -f 1)"
"$BP_BUILDDIR/tools/backplane" -q optimize "$data/upsample.onnx" -o "$data/upsample.ort" ||
    fail "no model in ONNX Runtime's format"

try here "$library"
find_peer
[ -z "$peer" ] || try there "$peer"
verdict rust "Rust crate ort $release" || {
    sed -n '/^failures:/,$p' "$dir/here.log"
    exit 1
}
