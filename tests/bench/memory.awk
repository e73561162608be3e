# SPDX-License-Identifier: MIT
# memory.awk - the page's section about memory from the table that memory.sh wrote.
#
# Columns: 1 model, 2 provider, 3 threads, 4 peak of resident memory in MiB, 5 that of ONNX Runtime.

BEGIN { FS = "\t" }

$1 ~ /^# / {
    about[substr($1, 3)] = $2
    next
}

{ row[++n] = $0 }

END {
    has_peer = "peer" in about
    print "## Memory"
    print ""
    print "<!-- Written by `make bench-memory`; changes here are lost. -->"
    print ""
    printf "Peak of resident memory, in MiB, of a process that loads a model and runs it for about 60 ms, at least five\n"
    printf "times, measured on %s", about["date"]
    if (has_peer)
        printf ". ORT is ONNX Runtime %s on its CPU provider with as many threads", about["peer"]
    printf ".\n\n| model | provider | threads | memory |%s\n|---|---|---|---|%s\n",
        has_peer ? " ORT | ratio |" : "", has_peer ? "---|---|" : ""
    for (i = 1; i <= n; i++) {
        split(row[i], f, "\t")
        printf "| %s | %s | %s | %s |", f[1], f[2], f[3], f[4]
        if (has_peer) {
            printf " %s | **%.2f** |", f[5], f[4] / f[5]
            if (f[4] >= f[5])
                above = above sprintf("%s%s on %s with %s", above == "" ? "" : ", ", f[1], f[2], f[3])
        }
        printf "\n"
    }
    if (!has_peer)
        exit
    print ""
    if (above == "")
        printf "Less than ONNX Runtime in all %d rows.\n", n
    else
        printf "Not less than ONNX Runtime: %s.\n", above
}
