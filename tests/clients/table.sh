#!/bin/sh
# SPDX-License-Identifier: MIT
# table.sh - the table of clients' tests here and on ONNX Runtime, from the results of the last run.
#
#     table.sh          prints the table
#     table.sh --check  fails if docs/onnxruntime.md has another one, unless a client did not run; what
#                       passes on ONNX Runtime is only reported: some of its results vary by the run
#     table.sh --write  puts it there

set -u
results=$BP_BUILDDIR/tests/clients
page=$BP_SRCDIR/docs/onnxruntime.md
begin='<!-- made by make update-clients -->'
end='<!-- end -->'

table()
{
    echo '| client | tests | pass here | pass on ONNX Runtime |'
    echo '|---|---|---|---|'
    for client in $clients; do
        awk -F '\t' '
            function cell(pass, skip) { return skip ? pass ", " skip " skip" : pass }
            NR == 1 { sub(/^# /, ""); package = $0; next }
            {
                n++
                here[$2]++
                there[$3]++
            }
            END {
                print "| " package " | " n " | " cell(here["pass"], here["skip"]) " | " \
                    (there["?"] ? "?" : cell(there["pass"], there["skip"])) " |"
            }
            ' "$results/$client.tsv"
    done
    for client in $clients; do
        awk -F '\t' -v client="$client" '
            $4 != "" { print "- " client ", `" $1 "`: " $2 " here, " $3 " there: " $4 }' "$results/$client.tsv"
    done | sed '1i\
'
}

# The table's rows without the column of ONNX Runtime, and without the lines of single tests.
ours()
{
    sed -n 's/^\(| .*\)|[^|]*|$/\1/p' "$1"
}

clients=
complete=yes
for client in rust go node java python cxx; do
    if [ -f "$results/$client.tsv" ]; then
        clients="$clients $client"
    else
        echo "$client did not run: the table has no line of it" >&2
        complete=no
    fi
done
table >"$results/table.md"
case ${1-} in
'') cat "$results/table.md" ;;
--check)
    [ $complete = yes ] || exit 0
    sed -n "/^$begin/,/^$end/p" "$page" | sed '1d;$d' >"$results/documented.md"
    if cmp -s "$results/documented.md" "$results/table.md"; then
        exit 0
    fi
    diff "$results/documented.md" "$results/table.md"
    [ "$(ours "$results/documented.md")" = "$(ours "$results/table.md")" ] || {
        echo "docs/onnxruntime.md has another table: make update-clients" >&2
        exit 1
    }
    echo "ONNX Runtime passed other tests than docs/onnxruntime.md says; ours are as it says"
    ;;
--write)
    [ $complete = yes ] || exit 1
    awk -v begin="$begin" -v end="$end" -v table="$results/table.md" '
        index($0, begin) == 1 { print; while ((getline line <table) > 0) print line; skipping = 1 }
        index($0, end) == 1 { skipping = 0 }
        !skipping' "$page" >"$results/page.md" && cat "$results/page.md" >"$page"
    ;;
esac
