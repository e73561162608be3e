# SPDX-License-Identifier: MIT
# page.awk - the page of figures from the table that bench.sh wrote.
#
# Columns: 1 model, 2 provider, 3 threads; 4 create, 5 first run, 6 median, 7 99 %, 8 peak memory,
# 9 share of the f32 peak; 10 to 15 the same of ONNX Runtime; 16 ratio, 17 ratio of CPU time, 18 turns.

BEGIN { FS = "\t" }

$1 ~ /^# / {
    about[substr($1, 3)] = $2
    next
}

{ row[++n] = $0 }

function percent(share) { return share == "-" ? "" : sprintf("%.0f %%", share * 100) }

function shown(figure) { return figure == "-" ? "" : figure }

# Three digits or so.
function ms(t) { return t == "-" ? "" : t >= 100 ? sprintf("%.0f", t) : t >= 10 ? sprintf("%.1f", t) : sprintf("%.2f", t) }

function line(i,    f) {
    split(row[i], f, "\t")
    printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |", f[1], f[2], f[3], ms(f[4]), ms(f[5]),
        ms(f[6]), ms(f[7]), f[8], percent(f[9])
    if ("peer" in about)
        printf " %s | %s | %s | %s | %s | **%s** | %s |", ms(f[10]), ms(f[11]), ms(f[12]), shown(f[14]),
            percent(f[15]), shown(f[16]), shown(f[17])
    printf "\n"
    if (f[16] != "-") {
        group = f[2] "\t" f[3]
        if (!(group in count))
            order[++n_groups] = group
        count[group]++
        sum[group] += log(f[16])
        sum_cpu[group] += log(f[17])
    }
}

function means(    i, f) {
    print ""
    print "Geometric means of the ratios:"
    print ""
    print "| provider | threads | models | wall time | CPU time |"
    print "|---|---|---|---|---|"
    for (i = 1; i <= n_groups; i++) {
        split(order[i], f, "\t")
        printf "| %s | %s | %d | **%.2f** | %.2f |\n", f[1], f[2], count[order[i]],
            exp(sum[order[i]] / count[order[i]]), exp(sum_cpu[order[i]] / count[order[i]])
    }
}

END {
    print "# Performance"
    print ""
    print "<!-- Written by `make bench`; changes here are lost. -->"
    print ""
    printf "Measured on %s with %s processors of the kind \"%s\"", about["date"], about["processors"],
        about["processor"]
    if (about["peak"] > 0)
        printf ", each of which does %s thousand million f32 operations a second at most", about["peak"]
    printf ".\nThe machine's load was %s when it began and %s when it ended", about["load"], about["load after"]
    print " (of one process that measures: 1). Other work makes times longer, ratios"
    print "of one thread hardly, those of more threads much, as the last of them is waited for; ratios of CPU time least."
    print ""
    if ("peer" in about) {
        printf "Beside each provider ONNX Runtime %s ran the same model with as many threads on its CPU provider, in\n",
            about["peer"]
        print "turns of a few runs, each of which began when the other's threads slept. A ratio is our time over its time, the"
        print "median over the turns: below 1 we are faster."
        print ""
        print "![ratios](performance.svg)"
        print ""
    }
    print "Times are milliseconds: create is of the session, from the file; then the first run, the median and the 99th"
    print "percentile of the others. Memory is the process's peak in MiB, peak the share of what the processors can do in"
    print "float32."
    print ""
    printf "| model | provider | threads | create | first | median | 99 %% | memory | peak |"
    if ("peer" in about)
        printf " create of ORT | first | median | memory | peak | ratio | ratio of CPU time |"
    printf "\n|---|---|---|---|---|---|---|---|---|"
    if ("peer" in about)
        printf "---|---|---|---|---|---|---|"
    printf "\n"
    for (i = 1; i <= n; i++)
        line(i)
    if (n_groups > 0)
        means()
}
