#!/bin/sh
# SPDX-License-Identifier: MIT
# page.sh - the page and the picture of the tables in a folder: page.sh SCRIPTS FOLDER
set -eu
page=$2/performance.md

: >"$page"
if [ -f "$2/performance.tsv" ]; then
    awk -f "$1"/page.awk "$2/performance.tsv" >"$page"
    awk -f "$1"/plot.awk "$2/performance.tsv" >"$2/performance.svg"
fi
if [ -f "$2/memory.tsv" ]; then
    [ ! -s "$page" ] || echo >>"$page"
    awk -f "$1"/memory.awk "$2/memory.tsv" >>"$page"
fi
echo "wrote $page of the tables beside it"
