#!/bin/sh
# SPDX-License-Identifier: MIT
# slots.sh - every slot and flag of sdk/bp/abi.h is in the table of docs/abi-slots.md, is filled by the
# file that its row names, and is called in the test that it names.

set -u
header=${BP_SLOTS_HEADER:-$BP_SRCDIR/sdk/bp/abi.h}
table=${BP_SLOTS_TABLE:-$BP_SRCDIR/docs/abi-slots.md}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

fault()
{
    echo "FAIL: $*" >&2
    failed=1
}

# Function pointers as "bp_table.slot", and flags (BP_X = 1u << n), one a line. Comments are left out.
# A function pointer that is an argument of a slot begins in the middle of a line.
list_slots()
{
    awk '
    /^\/\*/ { comment = 1 }
    comment { if (/\*\//) comment = 0; next }
    /^    \/\*/ { if (!/\*\//) comment = 1; next }
    /^typedef struct bp_[a-z_]* \{/ { n = 0; table = $3 }
    /^} bp_/ { table = "" }
    table != "" && match($0, /^    [a-z].*\(\*[a-z_0-9]+\)\(/) {
        slot = $0
        sub(/^[^(]*\(\*/, "", slot)
        sub(/\).*/, "", slot)
        print table "." slot
    }
    /^    BP_[A-Z0-9_]+ = 1u << / { print $1 }
    ' "$header"
}

list_slots | sort >"$dir/slots"
sed -n 's/^| `\([^`]*\)` | \(.*\) |$/\1 | \2/p' "$table" >"$dir/rows"
cut -d' ' -f1 "$dir/rows" | sort >"$dir/named"
[ "$(wc -l <"$dir/slots")" -ge 60 ] || fault "only $(wc -l <"$dir/slots") slots and flags were found in $header"

{
    uniq -d "$dir/named" | sed 's/$/ has two rows/'
    comm -23 "$dir/slots" "$dir/named" | sed 's/$/ of abi.h is in no row/'
} >"$dir/wrong"
while read -r line; do
    fault "$line"
done <"$dir/wrong"

# mentions FILE WORD WHAT: the file is there and has the word.
mentions()
{
    if [ ! -f "$BP_SRCDIR/$1" ]; then
        fault "$3: there is no file $1"
    elif ! grep -qw -- "$2" "$BP_SRCDIR/$1"; then
        fault "$3: $1 does not mention $2"
    fi
}

while IFS='|' read -r name who test; do
    name=${name% }
    member=${name#*.}
    # A row beyond slots and flags is about a member of a table.
    grep -qw -- "$member" "$header" || fault "$name is not in abi.h"
    who=$(echo "$who" | tr -d ' `')
    test=$(echo "$test" | sed 's/^ *//;s/ *$//' | tr -d '`')
    mentions "$who" "$member" "$name"
    mentions "${test%%:*}" "${test#*:}" "$name"
done <"$dir/rows"

echo "$(wc -l <"$dir/slots") slots and flags, $(wc -l <"$dir/rows") rows"

# What this script is for: a flag, a slot, a row's file or test that is not there, is found.
planted() # WHAT SED-EXPRESSION FILE VARIABLE
{
    sed "$2" "$3" >"$dir/planted"
    cmp -s "$3" "$dir/planted" && fault "nothing was planted: $1"
    if env BP_SLOTS_PLANTED=1 "$4=$dir/planted" sh "$0" >/dev/null 2>&1; then
        fault "not found: $1"
    fi
}
if [ -z "${BP_SLOTS_PLANTED:-}" ]; then
    planted 'a new flag' 's/^    BP_PROVIDER_NHWC = /    BP_PROVIDER_NEW = 1u << 30,\n&/' "$header" BP_SLOTS_HEADER
    planted 'a new slot' 's/^    void (\*trim)(/    void (*newer)(bp_instance *);\n&/' "$header" BP_SLOTS_HEADER
    planted 'a test that is not there' 's/:cpu_comes_last_wherever_it_is_named/:cpu_never_comes/' "$table" BP_SLOTS_TABLE
    planted 'a provider that does not fill it' '/bp_provider.set_option/s/few.c/undefined.c/' "$table" BP_SLOTS_TABLE
    planted 'a row twice' '/bp_provider.set_option/p' "$table" BP_SLOTS_TABLE
fi
exit $failed
