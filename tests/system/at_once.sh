#!/bin/bash
# at_once.sh PROGRAM [ROUNDS [NAME]]: two runs that write the same files, started at once, again and again (50 rounds of each). At
# least one ends well. The other ends well, too, because it came later, or with 74 and one line that names the file.
# What is there is the work of one of them, and nothing is left beside it.
set -u
export LC_ALL=C
program=$(realpath "$1") rounds=${2:-50} only=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# shellcheck source=tests/support/need.sh
. "$here/../support/need.sh"
has python3 || exit 77
run() { "$program" "$@" --device cpu --threads 1 -q; }
noisy() { python3 "$here/../cli/calibrate/noisy.py" "$@"; }
noisy 2 ref a1 a2 a3
noisy --noise 30 2 b1 b2 b3
failed=0

learn() { "$program" calibrate -q --device cpu --threads 1 --tile 24 --output "$2/limits.json" ref "${1}1" "${1}2" "${1}3"; }
results() { run ref "${1}1" --output "$2/r.jsonl"; }
junit() { run ref "${1}1" --junit "$2/j.xml"; }
take() { "$program" accept -q "${1}.jsonl" --into "$2"; }
run ref a1 --output a.jsonl
run ref b1 --output b.jsonl
was() { mkdir "$1"; [ "$2" != take ] || cp ref/*.png "$1"; }
content() { # content DIR: all of it, but for names of runs and times
    (cd "$1" && for f in * .[!.]*; do
        [ -e "$f" ] && [ "$f" != accepted.jsonl ] || continue
        echo "$f" && sed -E 's/"(mtime|time)":"[^"]*"//g; s/time(stamp)?="[^"]*"//g; s/"was":[^}]*\}//' "$f" | cksum
    done)
}

try() { # try WHAT: a function that writes into a directory
    local what=$1 wrong=0 both=0 a b
    [ -z "$only" ] || [ "$only" = "$what" ] || return
    for side in a b; do was alone-$side "$what" && "$what" $side alone-$side >/dev/null 2>&1; content alone-$side >$side.expected; done
    for ((i = 0; i < rounds; i++)); do
        was new "$what"
        "$what" a new >/dev/null 2>a.err & local p=$!
        "$what" b new >/dev/null 2>b.err & local q=$!
        wait $p; a=$?
        wait $q; b=$?
        content new >found
        local why=
        [ "$a" = 0 ] || [ "$b" = 0 ] || why="both failed"
        [ "$a$b" != 00 ] || both=$((both + 1))
        for side in a b; do
            [ "${!side}" = 0 ] && continue
            [ "${!side}" = 74 ] || why="exit ${!side}"
            [ "$(wc -l <$side.err)" = 1 ] && grep -q 'new/.* is being written by another run$' $side.err || why="says $(cat $side.err)"
        done
        if [ "$a" != 0 ]; then cmp -s found b.expected || why="the first lost, but its content is there"
        elif [ "$b" != 0 ]; then cmp -s found a.expected || why="the second lost, but its content is there"
        else cmp -s found a.expected || cmp -s found b.expected || why="a mix"
        fi
        [ -z "$why" ] || { wrong=$((wrong + 1)) && [ $wrong -gt 3 ] || echo "$what: round $i, exits $a and $b: $why"; }
        rm -r new
    done
    rm -r alone-?
    echo "[$([ $wrong = 0 ] && echo PASS || echo FAIL)] at_once_$what: $rounds rounds, $wrong wrong; both ended well in $both"
    [ $wrong = 0 ] || failed=1
}
try learn
try results
try junit
try take
exit $failed
