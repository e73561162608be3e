# SPDX-License-Identifier: MIT
# lib.sh - what the scripts of this folder share: downloads, ONNX Runtime beside us, the verdict.
#
# What is downloaded stays in the folder BACKPLANE_CACHE (tests/cache in the build folder, unless set)
# and is not fetched again, so that without a network the tests still run.

set -u
# shellcheck disable=SC2034 # the scripts use them
library=$BP_BUILDDIR/runtime/ort/.libs/libonnxruntime.so.1
cache=${BACKPLANE_CACHE:-$BP_BUILDDIR/tests/cache}
peer_release=1.30.0
export ORT_DISABLE_TELEMETRY=1

skip()
{
    echo "SKIP: $*" >&2
    exit 77
}

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

need() # TOOL...
{
    for tool in "$@"; do
        command -v "$tool" >/dev/null || skip "no $tool here"
    done
}

dir=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
mkdir -p "$cache" || exit 1
cache=$(cd "$cache" && pwd)
if nm -D "$library" 2>/dev/null | grep -q ' U __[at]san_init'; then
    skip "a program without the sanitizers cannot use a library with them"
fi
[ -f "$library" ] || fail "no $library"

# fetch FOLDER COMMAND...: makes $cache/FOLDER by the command, which runs in it, unless that was done
# before. Fails with the reason in $reason.
fetch()
{
    folder=$1
    shift
    [ -f "$cache/$folder/.complete" ] && return
    (
        flock 9
        [ -f "$cache/$folder/.complete" ] && exit
        chmod -R u+w "$cache/$folder" 2>/dev/null
        rm -rf "${cache:?}/$folder"
        mkdir -p "$cache/$folder" && cd "$cache/$folder" || exit
        "$@" </dev/null >"$cache/$folder.log" 2>&1 && touch .complete
    ) 9>"$cache/$folder.lock" && return
    reason="$folder cannot be had: $(grep -v '^ *$' "$cache/$folder.log" | tail -n 1)"
    return 1
}

need_fetched() # FOLDER COMMAND...
{
    fetch "$@" || skip "$reason"
}

has_sum() # SHA256 FILE
{
    [ "$(sha256sum <"$2")" = "$1  -" ] || {
        echo "$2 has another hash than $1"
        return 1
    }
}

# ONNX Runtime itself is what the npm package brings; npm checks its hash.
npm_install()
{
    timeout 300 npm install --ignore-scripts --no-audit --no-fund --fetch-retries=1 \
        "onnxruntime-node@$peer_release"
}

# Sets peer to ONNX Runtime's library; where that cannot be had, to nothing, and says why.
find_peer()
{
    peer=
    if ! command -v npm >/dev/null; then
        reason="no npm here"
    elif fetch "onnxruntime-node-$peer_release" npm_install; then
        case $(uname -m) in
        x86_64) machine=x64 ;;
        aarch64) machine=arm64 ;;
        *) machine=unknown ;;
        esac
        peer=$(find "$cache/onnxruntime-node-$peer_release" -path "*linux/$machine/libonnxruntime.so.1")
        reason="the package has no library for this machine"
    fi
    [ -n "$peer" ] || echo "ONNX Runtime is not compared: $reason"
}

# verdict CLIENT PACKAGE: compares $dir/here.tsv and, if there is one, $dir/there.tsv: a test and its
# result, pass, skip or fail, a line. What passes there has to pass here, unless known.txt names it;
# without ONNX Runtime, all has to. The result stays for table.sh.
verdict()
{
    mkdir -p "$BP_BUILDDIR/tests/clients"
    touch "$dir/there.tsv"
    awk -v client="$1" -v package="$2" -v out="$BP_BUILDDIR/tests/clients/$1.tsv" \
        -f "$BP_SRCDIR/tests/clients/summarize.awk" \
        "$BP_SRCDIR/tests/clients/known.txt" "$dir/here.tsv" "$dir/there.tsv"
}
