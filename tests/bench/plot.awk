# SPDX-License-Identifier: MIT
# plot.awk - bars of the ratios to ONNX Runtime, or of the median times where there is none.

BEGIN {
    FS = "\t"
    left = 170
    width = 560
    bar = 14
    split("#4477aa #ee6677 #228833 #ccbb44 #66ccee #aa3377", colour, " ")
}

$1 ~ /^# / {
    about[substr($1, 3)] = $2
    next
}

{
    key = $2 ", " $3 ($3 == 1 ? " thread" : " threads")
    if (!($1 in seen_model)) {
        seen_model[$1] = 1
        model[++n_models] = $1
    }
    if (!(key in place)) {
        place[key] = ++n_keys
        name[n_keys] = key
    }
    value[$1, key] = $16 == "-" ? $6 : $16
    if ($16 != "-")
        is_ratio = 1
    if (value[$1, key] > most)
        most = value[$1, key]
}

function text(x, y, anchor, words) {
    printf "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words
}

function rect(x, y, w, h, fill) {
    printf "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x, y, w, h, fill
}

END {
    if (most < 1.2 && is_ratio)
        most = 1.2
    top = 40 + 18 * n_keys
    step = bar * n_keys + 14
    height = top + step * n_models + 20
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" ", left + width + 60, height
    print "font-family=\"sans-serif\" font-size=\"12\">"
    rect(0, 0, left + width + 60, height, "white")
    text(left, 20, "start", is_ratio ? "time over " ("baseline" in about ? "the time of " about["baseline"] : "ONNX Runtime's time") \
        "; below 1 is faster" : "median, ms")
    for (k = 1; k <= n_keys; k++) {
        rect(left, 20 + 18 * k - 10, 12, 12, colour[(k - 1) % 6 + 1])
        text(left + 18, 20 + 18 * k, "start", name[k])
    }
    for (m = 1; m <= n_models; m++) {
        y = top + step * (m - 1)
        text(left - 8, y + bar * n_keys / 2 + 4, "end", model[m])
        for (k = 1; k <= n_keys; k++) {
            if (!((model[m], name[k]) in value))
                continue
            v = value[model[m], name[k]]
            rect(left, y + bar * (k - 1), v / most * width, bar - 2, colour[(k - 1) % 6 + 1])
            text(left + v / most * width + 4, y + bar * k - 4, "start", v)
        }
    }
    if (is_ratio)
        printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"black\" stroke-dasharray=\"4 3\"/>\n",
            left + width / most, left + width / most, top - 6, height - 16
    print "</svg>"
}
