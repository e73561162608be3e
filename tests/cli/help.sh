#!/bin/sh
# SPDX-License-Identifier: MIT
# help.sh - --help is true: each option that it lists is accepted, and the man page has it too.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"

page=$BP_SRCDIR/docs/backplane.1

# A word that an option's value may be, by what --help calls it.
value_for()
{
    case $1 in
    DIR) echo "$work" ;;
    LEVEL) echo error ;;
    FORMAT) echo onnx ;;
    PASS) echo fold-norm ;;
    PASSES) echo basic ;;
    POLICY) echo silent ;;
    PROVIDER:KEY=VALUE) echo cpu:key=value ;;
    PROVIDER=D,D) echo cpu=0 ;;
    PROVIDER=SHARE) echo cpu=0.5 ;;
    RULE) echo op:Relu=cpu ;;
    NAME=1x3x224x224) echo x=1x2 ;;
    SYMBOL=N) echo batch=1 ;;
    NAME=FILE) echo x=file ;;
    TEXT) echo text ;;
    FILE) echo "$work/file" && : >"$work/file" ;;
    A,B) echo cpu ;;
    N | S | SECONDS | X | MIB) echo 1 ;;
    *) echo "unknown-value-name" ;;
    esac
}

# Options are accepted if what is complained of is the missing model, not the option.
try_option() # COMMAND OPTION VALUE-NAME
{
    if [ -n "$3" ]; then
        gives "$missing" "$1" "$2" "$(value_for "$3")" "$work/no/such.onnx"
        gives "$missing" "$1" "$2=$(value_for "$3")" "$work/no/such.onnx"
    elif [ "$2" = --known ]; then
        gives 2 "$1" "$2" "$work/no/such.onnx" # it is about all providers
    else
        gives "$missing" "$1" "$2" "$work/no/such.onnx"
    fi
    never_says err 'there is no option'
    # --name as the page writes it: Fl Fl name
    grep -q -e "Fl Fl ${2#--}" "$page" || failed "$page does not have $2 of $1"
}

for command in providers doctor info plan optimize compile run bench tune conform operators cache install remove verify; do
    case $command in
    providers) missing=4 ;;
    cache | conform | doctor | install | remove) missing=2 ;;
    verify) missing=1 ;;
    *) missing=3 ;;
    esac
    gives 0 "$command" --help
    says out "Usage: backplane $command" '--quiet' '--help'
    # "  -i, --input NAME=FILE   Feed ..." to "--input NAME=FILE"
    sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\)\( [^ ]*\)\{0,1\}\( .*\)\{0,1\}$/\2\3/p' \
        "$work/out" >"$work/options"
    [ "$(wc -l <"$work/options")" -ge 5 ] || failed "$command --help lists too few options"
    while read -r option value; do
        [ "$option" = --help ] || try_option "$command" "$option" "$value"
    done <"$work/options"
    grep -q -e "^.Cm $command" "$page" || failed "$page does not have the command $command"
    gives 0 --help
    says out "  $command "
done

gives 0 --version
says out 'backplane '
gives 0 -V
gives 0 -h
gives 2
says out 'Usage: backplane'

# words that were mistyped
refuses 2 "did you mean 'run'?" rnu
refuses 2 'there is no command' xyzzy
refuses 2 'did you mean --input?' run --inptu x=y model
refuses 2 'did you mean --quiet?' --queit
refuses 2 'did you mean --runs?' bench --run=3 model
refuses 2 'there is no option -z' info -z
refuses 2 'MODEL' info
refuses 2 'one argument too many' info a b
refuses 2 'without its value' run --input
refuses 2 'takes none' info --json=yes model
refuses 2 'is not a valid value for --runs' bench --runs -1 model
refuses 2 'is not a valid value for --runs' bench --runs 0 model
refuses 2 'is not a valid value for --seed' run --seed 1e3 model
refuses 2 'is not a valid value for --rtol' run --rtol nan model
refuses 2 'error, warn, info, debug' run --log loud model
refuses 2 'silent, warn, require' run --fallback never model
refuses 2 'none, basic, extended, layout' run --level most model
refuses 2 "is 'fold-norm' meant" run --disable-pass fold-nrm model
refuses 2 'PROVIDER:KEY=VALUE' run --option cpu model
refuses 2 'is not in --providers' run --option dnnl:a=b model
refuses 2 'empty name' run --providers cpu,,cpu model
refuses 2 'No such file' providers --provider-dir "$work/none"

# no escape sequences where there is no terminal
gives 0 run --help
never_says out "$(printf '\033')"

exit "$status"
