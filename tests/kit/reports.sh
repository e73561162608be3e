#!/bin/sh
# SPDX-License-Identifier: MIT
# reports.sh - what --json and --junit of the kit say is well-formed and agrees with its lines and exit status.

set -u
check=$BP_BUILDDIR/tools/backplane-check
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

command -v python3 >/dev/null || {
    echo "skipped: no python3, which reads JSON and XML here"
    exit 77
}

cat >"$dir/agree.py" <<'END'
"""agree.py LINES JSON JUNIT STATUS: the three reports of one run agree."""
import json, re, sys
import xml.etree.ElementTree as tree

lines, status = open(sys.argv[1]).read(), int(sys.argv[4])
report = json.load(open(sys.argv[2]))
suite = tree.parse(sys.argv[3]).getroot()
words = {0: "conformant", 1: "failed", 2: "not loadable", 3: "conformant, with warnings", 5: "nothing was tested"}
assert report["level"] == status and report["result"] == words[status], (status, report["result"])

coverage = report["coverage"]
assert coverage["taken"] == len(coverage["operators"]), coverage
assert coverage["run"] == sum(row["run"] for row in coverage["operators"]), coverage
for row in coverage["operators"]:
    assert row["name"] and (row["run"] or not row["untested"]), row
if coverage["taken"]:
    assert "%d operators taken, %d of them run" % (coverage["taken"], coverage["run"]) in lines, coverage

rows = report["tests"]
printed = re.findall(r"^(pass|skip|warn|fail|died|timeout) +(BPK-\S+) ", lines, re.M)
assert [(r["result"], r["id"]) for r in rows] == printed, (rows, printed)
assert rows[0]["id"] == "BPK-FILE-01", rows[0]
for row in rows:
    assert row["title"] and row["clause"] and row["group"] == row["id"].split("-")[1], row
    assert row["seconds"] >= 0
    assert row["text"] or row["result"] == "pass", row

tags = {"pass": None, "skip": "skipped", "warn": "system-out", "fail": "failure", "died": "error", "timeout": "error"}
cases = suite.findall("testcase")
assert len(cases) == len(rows), (len(cases), len(rows))
for case, row in zip(cases, rows):
    below = [child.tag for child in case]
    assert below == ([tags[row["result"]]] if tags[row["result"]] else []), (below, row)
    assert case.get("classname") == row["group"], case.attrib
    assert case.get("name") == row["id"] + " " + row["title"], case.attrib
    assert abs(float(case.get("time")) - row["seconds"]) < 0.002, case.attrib
    if below and row["result"] != "warn":
        assert case[0].get("message") == row["text"], (case[0].attrib, row["text"])
count = lambda *names: sum(row["result"] in names for row in rows)
assert int(suite.get("tests")) == len(rows), suite.attrib
assert int(suite.get("failures")) == count("fail"), suite.attrib
assert int(suite.get("errors")) == count("died", "timeout"), suite.attrib
assert int(suite.get("skipped")) == count("skip"), suite.attrib
summary = "%d passed, %d skipped, %d with a warning, %d failed" % (
    count("pass"), count("skip"), count("warn"), count("fail", "died", "timeout"))
assert summary in lines, (summary, lines)
END

# agrees STATUS WANTED ARGUMENT...: the run ends with that status, its reports agree, and one of its tests
# has that verdict.
agrees()
{
    level=$1
    wanted=$2
    shift 2
    "$check" --json "$dir/json" --junit "$dir/junit" "$@" >"$dir/lines" 2>"$dir/err" </dev/null
    code=$?
    if [ $code != "$level" ]; then
        echo "FAIL: backplane-check $*: $code, not $level: $(cat "$dir/lines" "$dir/err")" >&2
        failed=1
    elif ! grep -q "^$wanted " "$dir/lines"; then
        echo "FAIL: backplane-check $*: no test of it has the verdict $wanted: $(cat "$dir/lines")" >&2
        failed=1
    elif ! python3 "$dir/agree.py" "$dir/lines" "$dir/json" "$dir/junit" $code; then
        echo "FAIL: backplane-check $*: its reports do not agree" >&2
        failed=1
    fi
}

few=$BP_MOCK_DIR/libbp-few.so
planted=$BP_MOCK_DIR/libbp-planted.so
agrees 0 pass --only 'BPK-ABI-*' "$few"
agrees 0 skip --only DEVICE "$few"
agrees 0 pass --only NUMERICS "$planted"
python3 - "$dir/json" <<'END' || failed=1
import json, sys
rows = {row["name"]: row for row in json.load(open(sys.argv[1]))["coverage"]["operators"]}
assert rows["Conv"]["run"] and rows["Conv"]["untested"] == [], rows["Conv"]
assert "storage_order" in rows["MaxPool"]["untested"], rows["MaxPool"]
END
agrees 1 fail --option gain=3 --only NUMERICS "$few"
agrees 1 died --only RUN "$BP_MOCK_DIR/libbp-crashing.so"
agrees 1 timeout --timeout 2 --only BPK-NUMERICS-01 "$BP_MOCK_DIR/libbp-endless.so"
agrees 2 fail "$BP_MOCK_DIR/libbp-undefined.so"
# mocks are linked without -z now, of which FILE-04 warns
agrees 3 warn --only FILE "$few"
BP_PLANTED=takes-nothing
export BP_PLANTED
agrees 5 skip "$planted"
# The tests after a call that never returns are in no report.
BP_PLANTED=probe-hangs
agrees 1 timeout --timeout 2 "$planted"

# --json - is JSON alone, whatever else is asked for.
unset BP_PLANTED
"$check" --only DOCS --verbose --json - "$few" >"$dir/json" 2>"$dir/err"
python3 -m json.tool "$dir/json" >/dev/null || {
    echo "FAIL: --json - is more than JSON: $(cat "$dir/json")" >&2
    failed=1
}
exit $failed
