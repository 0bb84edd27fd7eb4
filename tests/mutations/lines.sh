#!/bin/bash
# lines.sh: every line of the file `list` still breaks something: its file is there, its expression changes that file,
# and its tests are there. It builds nothing. run.sh sees whether the tests notice.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
changed=$(mktemp) named=$(mktemp)
trap 'rm -f "$changed" "$named"' EXIT
{
    find tests -name 'test_*' | sed -E 's/.*\/test_//; s/\..*//'
    find tests -name CMakeLists.txt -exec grep -ohE '[a-z0-9_]+' {} +
} >"$named"
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
        case $test in
        cli/*) [ -e "tests/$test.case" ] || why="there is no case $test" ;;
        python/*::*) grep -q "^def ${test#*::}(" "tests/${test%%::*}.py" || why="there is no test $test" ;;
        python/*) [ -e "tests/$test.py" ] || why="there is no $test.py" ;;
        *) grep -qx "$test" "$named" || why="there is no test $test" ;;
        esac
    done
    [ -z "$why" ] || { echo "$file: $change: $why" && idle=$((idle + 1)); }
done < <(grep -vE '^(#|$)' "$here/list")
echo "[$([ $idle = 0 ] && echo PASS || echo FAIL)] mutations: $mutants lines, $idle break nothing"
[ $idle = 0 ] && [ $mutants -gt 0 ]
