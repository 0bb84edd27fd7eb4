#!/bin/bash
# lines.sh: every line of the file `list` still breaks something: its file is there, its expression changes that file,
# and its command-line cases are there. It builds nothing. run.sh sees whether the tests notice.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
changed=$(mktemp)
trap 'rm -f "$changed"' EXIT
mutants=0 idle=0
while IFS=$'\t' read -r file change tests; do
    mutants=$((mutants + 1)) why=
    if ! [ -f "$file" ]; then
        why="there is no such file"
    elif [ -z "$tests" ]; then
        why="no test is named"
    elif ! sed -E "$change" "$file" >"$changed"; then
        why="not an expression of sed"
    elif cmp -s "$changed" "$file"; then
        why="matches nothing"
    fi
    for test in $tests; do
        case $test in cli/*) [ -e "tests/$test.case" ] || why="there is no case $test" ;; esac
    done
    [ -z "$why" ] || { echo "$file: $change: $why" && idle=$((idle + 1)); }
done < <(grep -vE '^(#|$)' "$here/list")
echo "[$([ $idle = 0 ] && echo PASS || echo FAIL)] mutations: $mutants lines, $idle break nothing"
[ $idle = 0 ] && [ $mutants -gt 0 ]
