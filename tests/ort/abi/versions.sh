#!/bin/sh
# SPDX-License-Identifier: MIT
# versions.sh - programs that were linked with a release of ONNX Runtime start on our library.

set -u
library=$BP_BUILDDIR/runtime/ort/.libs/libonnxruntime.so.1
[ -e "$library" ] || {
    echo "SKIP: no $library" >&2
    exit 77
}
nm -D "$library" 2>/dev/null | grep -q 'OrtGetApiBase@@VERS_' || {
    echo "SKIP: the linker here has no version scripts" >&2
    exit 77
}
if nm -D "$library" 2>/dev/null | grep -q ' U __[at]san_init'; then
    echo "SKIP: a program without the sanitizers cannot use a library with them" >&2
    exit 77
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

cat >"$dir/program.c" <<'END'
#include <onnxruntime/onnxruntime_c_api.h>
int main(void)
{
    const OrtApi *api = OrtGetApiBase()->GetApi(17);
    return !api || OrtSessionOptionsAppendExecutionProvider_CPU(0, 1) == 0;
}
END
cat >"$dir/stub.c" <<'END'
void OrtGetApiBase(void)
{
}
void OrtSessionOptionsAppendExecutionProvider_CPU(void)
{
}
END
# shellcheck disable=SC2086
$CC -I"$BP_SRCDIR/sdk" -c -o "$dir/program.o" "$dir/program.c" || exit 1

for release in 1.17.0 1.18.1 1.19.2 1.22.0 1.23.2 1.29.1 1.30.0; do
    echo "VERS_$release { global: *; };" >"$dir/stub.map"
    mkdir -p "$dir/stub"
    # shellcheck disable=SC2086
    $CC -shared -fPIC -o "$dir/stub/libonnxruntime.so.1" -Wl,-soname,libonnxruntime.so.1 \
        -Wl,--version-script="$dir/stub.map" "$dir/stub.c" &&
        $CC -o "$dir/program" "$dir/program.o" "$dir/stub/libonnxruntime.so.1" || exit 1
    if ! LD_LIBRARY_PATH=$(dirname "$library") "$dir/program" 2>"$dir/errors" || [ -s "$dir/errors" ]; then
        echo "FAIL: a program linked with $release:" >&2
        cat "$dir/errors" >&2
        failed=1
    fi
done
exit $failed
