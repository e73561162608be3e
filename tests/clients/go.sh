#!/bin/sh
# SPDX-License-Identifier: MIT
# go.sh - the tests of the Go module onnxruntime_go, on our library and on ONNX Runtime.

. "$BP_SRCDIR/tests/clients/lib.sh"
module=github.com/yalue/onnxruntime_go
release=v1.27.0
sum=h1:c1YSgDNtpf0WGtxj3YeRIb8VC5LmM1J+Ve3uHdteC1U=
need go cc

# Go counts its uses in a folder of the user's, which for tests is one of the source tree.
go_command()
{
    XDG_CONFIG_HOME=$dir/config timeout 600 go "$@"
}

# The module, copied, and its test program, which is the same for each library.
build()
{
    export GOMODCACHE="$cache/go" GOFLAGS=-mod=mod CGO_ENABLED=1
    go_command mod download -json $module@$release >about || {
        grep Error about
        return 1
    }
    grep -q "\"Sum\": \"$sum\"" about || {
        echo "the module's hash is not $sum"
        return 1
    }
    cp -r "$GOMODCACHE/$module@$release" module && chmod -R u+w module && cd module &&
        go_command test -c -o ../tests .
}

try() # here|there LIBRARY
{
    (cd "$package/module" && ONNXRUNTIME_SHARED_LIBRARY_PATH=$2 timeout 300 "$package/tests" -test.v) \
        >"$dir/$1.log" 2>&1
    "$package/tests" -test.list '^Test' | awk '
        NR == FNR { if ($1 == "---") result[$3] = $2; next }
        { print $1 "\t" (result[$1] == "PASS:" ? "pass" : result[$1] == "SKIP:" ? "skip" : "fail") }
        ' "$dir/$1.log" - >"$dir/$1.tsv"
}

need_fetched "go-onnxruntime-$release" build
package=$cache/go-onnxruntime-$release
# ONNX Runtime's StringNormalizer needs this locale, which few machines have.
if command -v localedef >/dev/null && localedef -i en_US -f UTF-8 "$dir/en_US.UTF-8" 2>/dev/null; then
    export LOCPATH="$dir"
fi

try here "$library"
find_peer
[ -z "$peer" ] || try there "$peer"
verdict go "Go module onnxruntime_go $release" || {
    grep -B 20 -e '--- FAIL' "$dir/here.log"
    exit 1
}
