#!/bin/sh
# SPDX-License-Identifier: MIT
# prefixes.sh - D-02: programs that were compiled with the declarations of each version of the API from 17 on
# run. The table of a version is the first slots of ours.

set -u
library=$BP_BUILDDIR/runtime/ort/.libs/libonnxruntime.so.1
header=$BP_SRCDIR/sdk/onnxruntime/onnxruntime_c_api.h
[ -e "$library" ] || {
    echo "SKIP: no $library" >&2
    exit 77
}
if nm -D "$library" 2>/dev/null | grep -q ' U __[at]san_init'; then
    echo "SKIP: a program without the sanitizers cannot use a library with them" >&2
    exit 77
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# cut_header VERSION: our header as it was then: OrtApi ends before the slots of later versions.
cut_header()
{
    mkdir -p "$dir/$1/onnxruntime"
    awk -v version="$1" '
        /^struct OrtApi \{/ {inside = 1}
        inside && /---- since version [0-9]+ ----/ {late = $5 > version}
        inside && /^};/ {inside = late = 0}
        /^#define ORT_API_VERSION/ {$0 = "#define ORT_API_VERSION " version}
        !late' "$header" >"$dir/$1/onnxruntime/onnxruntime_c_api.h"
    for other in ep_c_api error_code macros; do
        cp "$BP_SRCDIR/sdk/onnxruntime/onnxruntime_$other.h" "$dir/$1/onnxruntime/"
    done
}

# Each version, and how many functions its table had.
while read -r version slots; do
    cut_header "$version"
    # shellcheck disable=SC2086
    if ! $CC -std=c11 -Wall -Wextra -Werror -DSLOTS="$slots" -I"$dir/$version" -I"$BP_SRCDIR/tests/ort" \
        -o "$dir/program" "$BP_SRCDIR/tests/ort/abi/prefix.c" "$library" 2>"$dir/errors"; then
        echo "FAIL: version $version does not compile:" >&2
        head -n 20 "$dir/errors" >&2
        failed=1
    elif ! LD_LIBRARY_PATH=$(dirname "$library"):$BP_BUILDDIR/runtime/.libs \
        "$dir/program" "$BP_SRCDIR/examples/digits/digits.onnx"; then
        echo "FAIL: version $version does not run" >&2
        failed=1
    fi
done <<END
17 276
18 280
19 280
20 285
21 285
22 318
23 390
24 415
25 419
26 419
27 422
28 424
29 425
30 426
END
exit $failed
