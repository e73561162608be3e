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

# Adds row i to the table, and its ratios to the means.
function add(i,    f) {
    split(row[i], f, "\t")
    table = table sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s |", f[1], f[2], f[3], ms(f[4]), ms(f[5]),
        ms(f[6]), ms(f[7]), f[8], percent(f[9]))
    if ("peer" in about)
        table = table sprintf(" %s | %s | %s | %s | %s | **%s** | %s |", ms(f[10]), ms(f[11]), ms(f[12]), shown(f[14]),
            percent(f[15]), shown(f[16]), shown(f[17]))
    table = table "\n"
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
    print "Geometric means of the ratios:"
    print ""
    print "| provider | threads | models | wall time | CPU time |"
    print "|---|---|---|---|---|"
    for (i = 1; i <= n_groups; i++) {
        split(order[i], f, "\t")
        printf "| %s | %s | %d | **%.2f** | %.2f |\n", f[1], f[2], count[order[i]],
            exp(sum[order[i]] / count[order[i]]), exp(sum_cpu[order[i]] / count[order[i]])
    }
    print ""
}

END {
    for (i = 1; i <= n; i++)
        add(i)
    print "# Performance"
    print ""
    print "<!-- Written by `make bench`; changes here are lost. -->"
    print ""
    if ("peer" in about) {
        printf "A ratio is the time of a run here divided by the time of ONNX Runtime %s on its CPU provider with as many\n",
            about["peer"]
        print "threads: below 1, Backplane is faster. The two run a few times each in turns, each after the other's threads"
        print "sleep; the ratio is the median over the turns."
        print ""
    }
    if (n_groups > 0)
        means()
    if ("peer" in about) {
        print "![ratios](performance.svg)"
        print ""
    }
    printf "Measured on %s with %s processors \"%s\"", about["date"], about["processors"], about["processor"]
    if (about["peak"] > 0)
        printf ", with a float32 peak of %s GFLOP/s each", about["peak"]
    printf ".\nThe load average was %s at the start and %s at the end, of which the benchmark itself is 1. Other processes\n",
        about["load"], about["load after"]
    print "make times longer. They hardly change ratios of one thread, change those of several threads much, because a run"
    print "waits for its last thread, and change ratios of CPU time least."
    print ""
    print "| column | meaning, unit |"
    print "|---|---|"
    print "| create | session creation from the file, ms |"
    print "| first, median, 99 % | the first run; median and 99th percentile of the other runs, ms |"
    print "| memory | peak of the process's resident memory, MiB |"
    print "| peak | share of the float32 peak of the threads' processors |"
    if ("peer" in about)
        print "| ORT | the same figures of ONNX Runtime; then the ratios of wall time and of CPU time |"
    print ""
    printf "| model | provider | threads | create | first | median | 99 %% | memory | peak |"
    if ("peer" in about)
        printf " ORT: create | first | median | memory | peak | ratio | ratio of CPU time |"
    printf "\n|---|---|---|---|---|---|---|---|---|"
    if ("peer" in about)
        printf "---|---|---|---|---|---|---|"
    printf "\n%s", table
}
