#!/bin/bash
# run.sh PROGRAM [CASE...]: runs the command-line cases in this folder, each a file NAME.case:
#
#   # why the case exists
#   $ ssimcu a.png b.png        the command, run by sh; several lines run one after the other
#   exit 0                      its exit code
#   stdout 0.9[0-9]+            its whole standard output, one extended regular expression a line;
#                               no such line: standard output must be empty
#   stderr truncated            an expression that standard error must match; several lines: all of
#                               them; no such line: standard error must be empty
#   file map.png                a file that must exist afterwards, in the scratch folder
#   nofile *.tmp                a pattern that must match no file there
#
# Each case runs in a fresh scratch folder. $T is the testdata folder. DEVICE in the environment adds
# `--device $DEVICE` in front of every command's options.
set -u
program=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
export T=$here/../../testdata
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$program" "${DEVICE:+--device $DEVICE}" >"$scratch/bin/ssimcu"
chmod +x "$scratch/bin/ssimcu"
PATH=$scratch/bin:$PATH
passed=0 failed=0

complain() { # complain NAME TEXT
    echo "FAIL $1: $2"
    sed 's/^/    stdout: /' "$scratch/stdout"
    sed 's/^/    stderr: /' "$scratch/stderr"
}

# Standard output against its expected lines.
stdout_matches() {
    local expected=() line i=0
    mapfile -t expected < <(sed -n 's/^stdout //p' "$1")
    while IFS= read -r line || [ -n "$line" ]; do
        [ $i -lt ${#expected[@]} ] && [[ $line =~ ^(${expected[i]})$ ]] || return 1
        i=$((i + 1))
    done <"$scratch/stdout"
    [ $i -eq ${#expected[@]} ]
}

stderr_matches() {
    local pattern any=0
    while IFS= read -r pattern; do
        any=1
        grep -qE -- "$pattern" "$scratch/stderr" || return 1
    done < <(sed -n 's/^stderr //p' "$1")
    [ $any -eq 1 ] || [ ! -s "$scratch/stderr" ]
}

files_match() {
    local kind name
    while read -r kind name; do
        if [ "$kind" = file ]; then
            [ -s "$name" ] || return 1
        elif compgen -G "$name" >/dev/null; then
            return 1
        fi
    done < <(grep -E '^(file|nofile) ' "$1")
    return 0
}

run_case() {
    local file=$1 name code expected
    name=$(basename "$file" .case)
    expected=$(sed -n 's/^exit //p' "$file")
    rm -rf "$scratch/work" && mkdir "$scratch/work" && cd "$scratch/work" || return 1
    sed -n 's/^\$ //p' "$file" >"$scratch/command"
    sh "$scratch/command" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    if [ "$code" != "$expected" ]; then complain "$name" "exit $code, expected $expected"; return 1; fi
    stdout_matches "$file" || { complain "$name" "standard output"; return 1; }
    stderr_matches "$file" || { complain "$name" "standard error"; return 1; }
    files_match "$file" || { complain "$name" "files"; ls -la; return 1; }
}

[ $# -gt 0 ] || set -- "$here"/*.case
for file; do
    if run_case "$(realpath "$file")"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "cli cases: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
