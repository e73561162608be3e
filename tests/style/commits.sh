#!/bin/sh
# SPDX-License-Identifier: MIT
# commits.sh - subjects of commits are "area: what it does", 60 characters or fewer, with a body where more than
# 40 lines change. Merges are skipped; commits up to $SINCE are not checked.
set -u
cd "${BP_SRCDIR:-.}" || exit 99

since=${SINCE:-$(sed -n 1p tests/style/commits_since)}
failed=0
# a folder or part, or a file at the root whose name is in capitals
area='([a-z0-9_/.+-]+|README|CHANGELOG|CONTRIBUTING)'

if ! git rev-parse --quiet --verify "$since^{commit}" >/dev/null; then
    echo "skipped: commit $since is not in this clone; a whole clone has it: git fetch --unshallow"
    exit 77
fi

wrong()
{
    echo "FAILED: $(git log -1 --format='%h "%s"' "$commit"): $*"
    failed=1
}

for commit in $(git rev-list --no-merges "$since..HEAD"); do
    subject=$(git log -1 --format=%s "$commit")
    body=$(git log -1 --format=%b "$commit" | grep -c .)
    changed=$(git show --format= --numstat -M "$commit" | awk '{n += $1 > $2 ? $1 : $2} END {print n + 0}')
    [ "${#subject}" -le 60 ] || wrong "the subject has ${#subject} characters; 60 are the most"
    echo "$subject" | grep -qE "^$area(, $area)*: [^ ].*[^.]\$" ||
        wrong 'the subject is not "area: what it does", without a full stop'
    [ "$changed" -le 40 ] || [ "$body" -gt 0 ] ||
        wrong "it changes $changed lines and has no body: say why"
done
exit $failed
