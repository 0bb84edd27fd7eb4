#!/bin/bash
# run.sh PROGRAM [CASE...]: runs the command-line cases in this folder, each a file NAME.case:
#
#   # why the case exists
#   $ ssimcu a.png b.png        the command, run by sh; several lines run one after the other
#   exit 0                      the exit code of the last line
#   stdout 0.9[0-9]+            its whole standard output, one extended regular expression a line;
#   score 0.934113312           or a number near this one: 1e-6 away at most, 1e-7 where only the CPU
#                               can have computed it; neither line: standard output must be empty
#   stderr .*truncated.*        likewise its whole standard error
#   file map.png                a file that must exist afterwards, not empty, in the scratch folder
#   nofile *.tmp                a pattern that must match no file there
#   needs ffmpeg                a program without which the case is skipped, aloud
#
# A case that cannot run here prints why and exits with 77: it counts as skipped.
# Each case runs in a fresh scratch folder. $T is the testdata folder; `value KEY` prints the values
# of KEY in ssimcu's JSON, but for those of the tile. DEVICE in the environment puts `--device $DEVICE` in front of every
# command's options. check_scores.py recomputes the expected scores without ssimcu.
set -u
export LC_ALL=C
program=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
T=$(realpath "$here/../../testdata")
export T
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$program" "${DEVICE:+--device $DEVICE}" >"$scratch/bin/ssimcu"
cat >"$scratch/bin/value" <<'END'
#!/bin/sh
exec sed -nE "/^  \"tile\": \{/,/^  \}/d; s/^ *\"$1\": \"?([^\"{]*[^\",{])\"?,?\$/\1/p"
END
chmod +x "$scratch/bin/"*
PATH=$scratch/bin:$PATH
# A build without the module for EXR has no such program.
if "$program" "$T/light.exr" "$T/light.exr" >/dev/null 2>&1; then ln -s /bin/true "$scratch/bin/reads-exr"; fi
tolerance=1e-7 # what the CPU keeps at every level
ssimcu --list-devices 2>/dev/null | grep -q '^cuda' && tolerance=1e-6
passed=0 failed=0 skipped=0

complain() { # complain NAME TEXT
    echo "FAIL $1: $2"
    sed 's/^/    stdout: /' "$scratch/stdout"
    sed 's/^/    stderr: /' "$scratch/stderr"
    return 1
}

near() {
    [[ $1 =~ ^-?[0-9]\.[0-9]+$ ]] &&
        awk -v d="$1" -v e="$2" -v t="$tolerance" 'BEGIN { d -= e; exit !(d <= t && -d <= t) }'
}

# matches FILE KEYWORDS STREAM: the stream's lines against the case's lines with these keywords.
matches() {
    local expected=() line i=0
    mapfile -t expected < <(grep -E "^($2) " "$1")
    while IFS= read -r line || [ -n "$line" ]; do
        [ $i -lt ${#expected[@]} ] || return 1
        if [[ ${expected[i]} == score\ * ]]; then
            near "$line" "${expected[i]#* }" || return 1
        else
            [[ $line =~ ^(${expected[i]#* })$ ]] || return 1
        fi
        i=$((i + 1))
    done <"$3"
    [ $i -eq ${#expected[@]} ]
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
    local file=$1 name code expected tool
    name=$(basename "$file" .case)
    expected=$(sed -n 's/^exit //p' "$file")
    : >"$scratch/stdout" && : >"$scratch/stderr"
    if ! [ -r "$file" ] || grep -qvE '^((#|\$|exit|stdout|score|stderr|file|nofile|needs) .*)?$' "$file"; then
        complain "$name" "not a case, see the head of run.sh"
        return
    fi
    for tool in $(sed -n 's/^needs //p' "$file"); do
        command -v "$tool" >/dev/null && continue
        echo "SKIP $name: no $tool"
        return
    done
    rm -rf "$scratch/work" && mkdir "$scratch/work" && cd "$scratch/work" || return 1
    sed -n 's/^\$ //p' "$file" >"$scratch/command"
    sh "$scratch/command" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    if [ $code = 77 ]; then
        echo "[SKIP] cli::$name $(tail -n 1 "$scratch/stdout")"
        skipped=$((skipped + 1))
        return
    fi
    if [ "$code" != "$expected" ]; then complain "$name" "exit $code, expected $expected"; return; fi
    matches "$file" 'stdout|score' "$scratch/stdout" || { complain "$name" "standard output"; return; }
    matches "$file" stderr "$scratch/stderr" || { complain "$name" "standard error"; return; }
    files_match "$file" || { complain "$name" "files"; ls -la; return 1; }
}

[ $# -gt 0 ] || set -- "$here"/*.case
mapfile -t cases < <(realpath -m "$@")
for file in "${cases[@]}"; do
    if run_case "$file"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
passed=$((passed - skipped))
echo "cli cases: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
