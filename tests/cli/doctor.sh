#!/bin/sh
# SPDX-License-Identifier: MIT
# doctor.sh - a check-up of providers, why one was not used, placement from the command line, strict
# mode and reports, and that a hundred starts explain a plan alike.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
[ -e "$BP_MOCK_DIR/libbp-few.so" ] || failed "no mock providers in $BP_MOCK_DIR"

mkdir "$work/dir"
for name in few absent undefined uncreated uncompiled; do
    cp "$BP_MOCK_DIR/libbp-$name.so" "$work/dir/"
done
make_model "$work/relu.onnx" Relu "$FLOAT" 1 3
model=$work/relu.onnx

bp() # CODE ARGUMENT...
{
    code_wanted=$1
    shift
    gives "$code_wanted" --provider-dir "$work/dir" "$@"
}

# the check-up: P2, P5
BACKPLANE_STRCT=1 bp 0 doctor
says out "$work/dir" 'the application' 'BACKPLANE_PROVIDER_PATH' 'did you mean BACKPLANE_STRICT?' \
    'driver too old' 'update the driver' 'known, installed, loadable, not usable' \
    'known, installed, not loadable' 'cpu '
bp 0 doctor --json
says out '"searched"' '"variables"' '"explained"' '"usable":false'
bp 0 --quiet doctor
[ ! -s "$work/out" ] || failed '--quiet says something'

# why not: P1, P4, P7, P8, D-14
bp 4 doctor why absent
says out 'AVAILABLE' 'driver too old: 535.54 < 550.0' 'fix' 'update the driver'
bp 4 doctor why CUDAExecutionProvider
says out 'cuda' 'FOUND' 'known, not installed' 'has no plug-in for it' \
    "'backplane install'"
never_says out 'libbp-cuda'
bp 4 doctor why undefined
says out 'DEPENDENCIES' 'bp_mock_function_without_definition'
bp 4 doctor why cudaa
says err "did you mean 'cuda'"
bp 0 doctor why few
bp 0 doctor why few "$model"
says out 'RUN' 'used: 1 of 1 nodes'
bp 5 doctor why few -o few:take=Add "$model"
says out 'CAPABILITY' 'takes none of 1 nodes' "1 OPTION (take): the option 'take' leaves it out" \
    'e.g. the_node (Relu)'
bp 5 doctor why few -o few:take=Add --json "$model"
says out '"stage":"CAPABILITY"' '"reason":"OPTION"' '"count":1' '"op":"Relu"'
bp 4 doctor why uncreated "$model"
says out 'CREATE' 'libmock.so.1 is not installed'
bp 5 doctor why uncompiled "$model"
says out 'COMPILE' 'the compiler gave up'
bp 4 doctor why absent "$model"
bp 2 doctor few
says err "is 'doctor why few' meant?"
bp 2 doctor why
bp 0 doctor retry few
says out 'known, installed, loadable, usable'
bp 2 doctor retry
bp 4 doctor retry fewx
says err "did you mean 'few'"
bp 3 doctor why few "$work/none.onnx"

# placement: P10
bp 0 plan -p few --place 'op:Relu=cpu' --fallback silent --json "$model"
says out '"rule":"op:Relu=cpu"' '"provider":1'
echo 'the_*=!few # not there' >"$work/rules"
bp 0 plan -p few --place-file "$work/rules" --fallback silent --json "$model"
says out '"rule":"the_*=!few"' '"subject":"the_*=!few"'
bp 2 plan --place 'nonsense' "$model"
says err 'PATTERN=[!]PROVIDER'
bp 2 plan --place-file "$work/none" "$model"
code=0
"$backplane" --provider-dir "$work/dir" run -p few --place 'op:Conv=cpu' "$model" >"$work/out" \
    2>"$work/err" || code=$?
[ "$code" = 0 ] || failed "a rule without effect gives code $code"
says err 'matches no node'
bp 2 run -p few --place 'op:Relu=cudaa' "$model"
says err "did you mean 'cuda'"

# strict, shares and the report: P1, P13
bp 4 run -p absent --strict "$model"
says err "'absent' is required"
BACKPLANE_STRICT=1 bp 4 run -p absent --fallback silent "$model"
BACKPLANE_STRICT=1 bp 5 run -p few -o few:take=Add "$model"
BACKPLANE_REPORT=$work/report bp 5 run -p few -o few:take=Add --fallback require "$model"
grep -q "session failed: provider 'few' is required" "$work/report" || failed 'no report'
grep -q "1 OPTION (take)" "$work/report" || failed 'the report has no reasons'
# a full device is a warning, and the run succeeds
code=0
BACKPLANE_REPORT=/dev/full "$backplane" --provider-dir "$work/dir" run -p few "$model" \
    >"$work/out" 2>"$work/err" || code=$?
[ "$code" = 0 ] || failed "a report on a full device gives code $code"
says err 'warning: session: BACKPLANE_REPORT: /dev/full: No space left on device'
# names of models mean nothing to a terminal, and cannot forge a line of the report
make_model "$work/odd.onnx" "$(printf 'Op\033[31m\nusable  forged')" "$FLOAT" 1
for report in "$work/odd.report" stderr; do
    BACKPLANE_REPORT=$report "$backplane" --provider-dir "$work/dir" run -p few "$work/odd.onnx" \
        >"$work/out" 2>"$work/err" || true
    [ "$report" != stderr ] || cp "$work/err" "$work/odd.report"
    if grep -q "$(printf '[\033]')" "$work/odd.report"; then failed "an escape in $report"; fi
    if grep -q '^usable  forged' "$work/odd.report"; then failed "a forged line in $report"; fi
    grep -q 'usable  forged' "$work/odd.report" || failed "$report does not name the operator"
done
"$backplane" --provider-dir "$work/dir" doctor why few "$work/odd.onnx" >"$work/out" 2>&1 || true
if grep -q "$(printf '[\033]')" "$work/out"; then failed "an escape in doctor why"; fi
if grep -q '^usable  forged' "$work/out"; then failed "a forged line in doctor why"; fi

bp 0 run -p few --min-share few=1 --fallback require "$model"
bp 2 run -p few --min-share few=2 "$model"
bp 2 run -p few --min-share few "$model"

# The same plan, byte for byte, however the files came into their directory.
starts=0
while [ "$starts" -lt 100 ]; do
    if [ $((starts % 10)) = 0 ]; then
        rm -r "$work/dir"
        mkdir "$work/dir"
        # ten orders: forwards and backwards, from another start each
        names=$(printf '%s\n' few absent undefined uncreated uncompiled |
            sort $([ $((starts % 20)) = 0 ] && echo -r))
        for turn in $(seq $((starts / 20))); do
            names="$(echo "$names" | tail -n +2)
$(echo "$names" | head -n 1)"
        done
        for name in $names; do
            cp "$BP_MOCK_DIR/libbp-$name.so" "$work/dir/"
        done
    fi
    bp 0 plan -p uncreated,absent,few --fallback silent --json "$model"
    if [ "$starts" = 0 ]; then
        mv "$work/out" "$work/first"
    else
        cmp -s "$work/out" "$work/first" || failed "start $starts plans otherwise"
    fi
    starts=$((starts + 1))
done

# the allow list
gives 0 doctor
says out 'allow list' '  off; ' '/backplane/allow.d'
BACKPLANE_ALLOW=enforce
export BACKPLANE_ALLOW
gives 0 doctor
says out '  enforce; ' 'is in no allow list: its SHA-256 is ' 'POLICY'
gives 0 doctor --json
says out '"mode": "enforce"'
gives 4 providers cpu
unset BACKPLANE_ALLOW

exit "$status"
