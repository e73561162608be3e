#!/bin/sh
# SPDX-License-Identifier: MIT
# sanitizers.sh - the kit loads plug-ins that were built with a sanitizer, by starting itself again with the
# sanitizer's library, and fails if such a plug-in reports something.

set -u
check=$BP_BUILDDIR/tools/backplane-check
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
count=0
threads=
case "$(cat "$BP_BUILDDIR/config.log" 2>/dev/null)" in
*"--enable-sanitizers"*)
    echo "skipped: the kit itself has a sanitizer here"
    exit 77
    ;;
esac
unset LD_PRELOAD BACKPLANE_CHECK_RESTARTED
sed 's/@NAME@/checked/g; s/@ID@/org.example.checked/g' "$BP_SRCDIR/sdk/template/c/provider.c" >"$dir/good.c"
# One element too many, on the heap of the plug-in itself.
sed 's/^static bp_rc capability(/static void overrun(void)\n{\n    volatile char *p = malloc(8);\n\n    p[8] = 1;\n}\n\n&/
    s/^    (void)err;$/    overrun();/' "$dir/good.c" | sed '1i #include <stdlib.h>' >"$dir/bad.c"

# Two threads that write to one variable.
sed 's/^static bp_rc capability(/static void *write_one(void *u)\n{\n    ++*(volatile int *)u;\n    return NULL;\n}\n\n&/
    s/^    (void)err;$/    static int shared;\n    pthread_t a, b;\n\n    if (!pthread_create(\&a, NULL, write_one, \&shared) \&\& !pthread_create(\&b, NULL, write_one, \&shared)) {\n        pthread_join(a, NULL);\n        pthread_join(b, NULL);\n    }/' \
    "$dir/good.c" | sed '1i #include <pthread.h>' >"$dir/racing.c"

# build SANITIZER FILE: 1 when the compiler has no such library.
build()
{
    # shellcheck disable=SC2086
    $CC -std=c11 -g -O1 -fPIC -fvisibility=hidden -w -fsanitize="$1" -I"$BP_SRCDIR/sdk" "$dir/$2.c" \
        -o "$dir/$2-$1.so" -shared -Wl,-z,now -Wl,--version-script="$BP_SRCDIR/sdk/provider.map" 2>"$dir/log"
}

for sanitizer in address thread undefined; do
    build $sanitizer good || continue
    "$check" --quiet "$dir/good-$sanitizer.so" >"$dir/out" 2>&1
    code=$?
    if [ $code = 2 ] && grep -q 'LD_PRELOAD=' "$dir/out"; then
        echo "$sanitizer: not loadable here, and the kit says how: $(cat "$dir/out")"
        continue
    fi
    [ $code = 0 ] || {
        echo "FAIL: a plug-in with the $sanitizer sanitizer: status $code: $(cat "$dir/out")" >&2
        failed=1
    }
    count=$((count + 1))
    [ $sanitizer != thread ] || threads=usable
done

if build address bad && [ $count -gt 0 ]; then
    "$check" --quiet --only BPK-CAPABILITY-01 "$dir/bad-address.so" >"$dir/out" 2>&1
    code=$?
    if [ $code != 1 ] || ! grep -q '^died *BPK-CAPABILITY-01' "$dir/out" || ! grep -q 'heap-buffer-overflow' "$dir/out"; then
        echo "FAIL: what the sanitizer finds is not a failure: status $code: $(cat "$dir/out")" >&2
        failed=1
    fi
fi
if [ "$threads" = usable ]; then
    build thread racing || {
        echo "FAIL: the plug-in with a race does not compile: $(cat "$dir/log")" >&2
        exit 1
    }
    "$check" --quiet --only BPK-CAPABILITY-01 "$dir/racing-thread.so" >"$dir/out" 2>&1
    code=$?
    if [ $code != 1 ] || ! grep -q '^died *BPK-CAPABILITY-01' "$dir/out" || ! grep -q 'ThreadSanitizer: data race' "$dir/out"; then
        echo "FAIL: a race of a plug-in is not a failure: status $code: $(cat "$dir/out")" >&2
        failed=1
    fi
fi
[ $count -gt 0 ] || {
    echo "skipped: the compiler has no library of a sanitizer"
    exit 77
}
echo "$count sanitizers"
exit $failed
