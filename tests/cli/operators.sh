#!/bin/sh
# SPDX-License-Identifier: MIT
# operators.sh - backplane providers info: operators, versions and types, as the provider answers; and
# docs/operators.md is what it prints.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
mkdir "$work/dir"
for name in few absent unexecuted speechless; do
    cp "$BP_MOCK_DIR/libbp-$name.so" "$work/dir/"
done

bp() # CODE ARGUMENT...
{
    code_wanted=$1
    shift
    gives "$code_wanted" --provider-dir "$work/dir" "$@"
}

# row OPERATOR VERSIONS: the rest of that row of the table in $work/out.
row()
{
    sed -n "s/^$1  *$2  *//p" "$work/out" | tr -s ' '
}

# a provider that takes three operators, for float32 alone
bp 0 providers info few
says out 'org.backplane.few' 'effort, 0 to 9' 'inputs and outputs'
[ "$(row Relu '14 on' | cut -c 1-13)" = 'X, Y float32 ' ] || failed "few, Relu: $(row Relu '14 on')"
[ "$(row Abs '13 on' | cut -c 1-7)" = 'X, Y - ' ] || failed "few, Abs: $(row Abs '13 on')"
row Relu '14 on' | grep -q 'float64' || failed 'few lacks nothing of Relu'
row Constant '25 on' | grep -q 'run by the host' || row Constant '.* on' | grep -q 'run by the host' ||
    failed 'Constant is not the host'\''s'

# one that takes everything lacks nothing
bp 0 providers info unexecuted --markdown
says out '# Operators of the `unexecuted` provider' '| Abs | 13 on | X, Y | '
if grep '^| [A-Z]' "$work/out" | grep -v 'run by the host' | grep -v '|  |$' | grep -q .; then
    failed "a provider that takes everything lacks: $(grep '^| [A-Z]' "$work/out" | grep -v '|  |$' | head -n 3)"
fi

# one that fails says so
bp 6 providers info speechless
bp 4 providers info absent
says out 'driver too old'
refuses 2 'providers info cpu' providers cpu info
refuses 4 'nosuch' providers info nosuch

gives 0 providers info cpu --json
says out '"operator": "Relu"' '"takes": ["float32"' '"options"'
if command -v python3 >/dev/null; then
    python3 -m json.tool <"$work/out" >/dev/null || failed 'providers info --json is not JSON'
fi

gives 0 providers info cpu --markdown
if ! diff "$BP_SRCDIR/docs/operators.md" "$work/out" >"$work/diff"; then
    failed "docs/operators.md is not what the provider says; run 'make update-operators':"
    head -n 20 "$work/diff" >&2
fi

exit "$status"
