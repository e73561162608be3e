# SPDX-License-Identifier: MIT
# summarize.awk - compares the results of a client's tests here and on ONNX Runtime:
#
#    awk -v client= -v package= -v out= -f summarize.awk known.txt here.tsv there.tsv
#
# Writes a line to `out` for each test: its name, the result here, the one on ONNX Runtime, the cause
# where it is a known difference.

FILENAME ~ /known\.txt$/ {
    if ($1 == client) {
        test = $2
        cause = $0
        sub(/^[^ ]+ +[^ ]+ +/, "", cause)
        known[test] = cause
    }
    next
}
FILENAME ~ /\/here\.tsv$/ {
    here[$1] = $2
    all[$1] = 1
    next
}
{
    there[$1] = $2
    all[$1] = 1
    compared = 1
}

function bad(text)
{
    print "FAILED: " client ": " text
    failed = 1
}

END {
    print "# " package >out
    close(out)
    for (test in known)
        if (!(test in all))
            bad("known.txt names " test ", which is not a test")
    for (test in all) {
        n++
        h = test in here ? here[test] : "-"
        t = !compared ? "?" : test in there ? there[test] : "-"
        print test "\t" h "\t" t "\t" (test in known ? known[test] : "") | ("sort >>'" out "'")
        n_here += h == "pass"
        n_there += t == "pass"
        if (test in known && h == "pass")
            bad(test " passes; known.txt says it does not: " known[test])
        else if (test in known)
            print client ": known: " test ": " known[test]
        else if (h == "fail" && t != "fail" || h != "pass" && t == "pass")
            bad(test ": " h ", on ONNX Runtime " t)
        else if (h != "pass")
            print client ": " test ": " h ", on ONNX Runtime " t
        else if (t != "pass" && compared)
            print client ": " test ": passes, on ONNX Runtime " t
    }
    if (n == 0)
        bad("no test ran")
    close("sort >>'" out "'")
    printf "%s: of %d tests %d pass", package, n, n_here
    printf compared ? ", %d on ONNX Runtime\n" : "\n", n_there
    exit failed
}
