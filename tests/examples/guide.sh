#!/bin/sh
# SPDX-License-Identifier: MIT
# guide.sh - the programs in docs/applications.md compile without a warning and do what they say, alone and in a folder
# that was moved, and its providers.conf and commands are understood.
set -eu

library=$BP_BUILDDIR/runtime/.libs
guide=$BP_SRCDIR/docs/applications.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail()
{
    echo "FAILED: $*" >&2
    status=1
}

if nm -D "$library/libbackplane.so" | grep -q '__[at]san_'; then
    echo "skipped: a program without the sanitizers cannot use a library with them"
    exit 77
fi

# ---- each block of C is a program, whose first line names its file -----------------------------------

mkdir "$work/run"
awk -v dir="$work/run" '
    /^```/ { language = inside ? "" : substr($0, 4); inside = !inside; file = ""; next }
    inside && language == "c" && file == "" {
        if ($1 != "/*" || $2 !~ /\.c$/) { print "a block of C does not begin with its name: " $0; exit 1 }
        file = dir "/" $2
    }
    inside && language == "c" { print >file }
    inside && language != "c" { print >(dir "/block." language) }' "$guide" || fail "the blocks of the guide"
cp "$BP_SRCDIR/examples/digits/digits.onnx" "$work/run"

# compile NAME RPATH
compile()
{
    # shellcheck disable=SC2086 # $CC may hold flags
    ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -I"$BP_SRCDIR/sdk" -o "$work/run/$1" "$work/run/$1.c" \
        -L"$library" -lbackplane -pthread -Wl,-rpath,"$2" || fail "$1.c does not compile"
}

# says NAME TEXT: the program ends well and prints this
says()
{
    (cd "$work/run" && "./$1") >"$work/out" 2>"$work/err" || fail "$1: $(cat "$work/err")"
    [ "$(cat "$work/out")" = "$2" ] || fail "$1 prints: $(cat "$work/out" "$work/err")"
    [ ! -s "$work/err" ] || fail "$1 complains: $(cat "$work/err")"
}

for file in "$work"/run/*.c; do
    name=$(basename "$file" .c)
    case $name in
    bundled) continue ;; # below
    threads) text='4 threads, 400 runs' ;;
    fork) text='2 children' ;;
    operator)
        command -v python3 >/dev/null || {
            echo "not tested: operator.c: there is no python3 to write its model" >&2
            continue
        }
        python3 -B - "$BP_SRCDIR/examples/common" "$work/run/twice.onnx" <<'PY' || fail "twice.onnx"
import sys
sys.path.insert(0, sys.argv[1])
from onnx_writer import FLOAT, node, tensor_type, value, write_model
write_model(sys.argv[2], 'twice', [value('x', tensor_type(FLOAT, ['n']))],
            [value('y', tensor_type(FLOAT, ['n']))], [node('Twice', 'x', 'y', domain='com.example')],
            opsets=(('', 20), ('com.example', 1)))
PY
        text='2
4
6'
        ;;
    *)
        fail "no test knows what $name.c does"
        continue
        ;;
    esac
    compile "$name" "$library"
    says "$name" "$text"
done

# ---- a program with its own copy of everything, in a folder that was moved ---------------------------

# shellcheck disable=SC2016 # the linker's word
compile bundled '$ORIGIN/../lib'
mkdir -p "$work/built/bin" "$work/built/lib/providers"
cp "$work/run/bundled" "$work/built/bin"
cp "$library/libbackplane.so.0" "$work/built/lib"
if [ -f "$BP_BUILDDIR/providers/libbp-cpu.so" ]; then
    cp -L "$BP_BUILDDIR/providers/libbp-cpu.so" "$work/built/lib/providers"
    mv "$work/built" "$work/app"
    env -i "$work/app/bin/bundled" >"$work/out" 2>"$work/err" || fail "bundled: $(cat "$work/err")"
    [ "$(cat "$work/out")" = "$work/app/lib/providers/libbp-cpu.so" ] ||
        fail "bundled prints: $(cat "$work/out" "$work/err")"
else
    echo "not tested: bundled.c: this build has no cpu provider" >&2
fi

# ---- providers.conf, and the commands -----------------------------------------------------------------

mkdir -p "$work/config/backplane"
cp "$work/run/block.ini" "$work/config/backplane/providers.conf"
grep -q '^default' "$work/run/block.ini" || fail "the guide has lost its providers.conf"
XDG_CONFIG_HOME=$work/config "$BP_BUILDDIR/tools/backplane" plan "$work/run/digits.onnx" >"$work/out" \
    2>"$work/err" || fail "providers.conf: $(cat "$work/err")"
[ ! -s "$work/err" ] || fail "providers.conf: $(cat "$work/err")"
if [ -f "$BP_BUILDDIR/providers/libbp-dnnl.so" ]; then
    grep -q '^dnnl ' "$work/out" || fail "providers.conf does not choose dnnl: $(cat "$work/out")"
fi

grep '^cc app\.c ' "$work/run/block.sh" >"$work/run/app.sh" || fail "the guide has lost its command"
cp "$work/run/fork.c" "$work/run/app.c"
cat >"$work/pkg-config" <<STUB
#!/bin/sh
# answers as the installed one would of this build
case "\$*" in
'--cflags --libs backplane') echo "-I$BP_SRCDIR/sdk -L$library -lbackplane" ;;
'--variable=libdir backplane') echo "$library" ;;
*) exit 1 ;;
esac
STUB
chmod +x "$work/pkg-config"
(cd "$work/run" && PATH=$work:$PATH sh -e ./app.sh) 2>"$work/err" || fail "its command: $(cat "$work/err")"
says a.out '2 children'
exit $status
