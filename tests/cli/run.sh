#!/bin/bash
# run.sh PROGRAM [TOPIC|FILE...]: runs command-line cases: those of topics, which are folders beside this
# script, or single files; all topics if none is named. A file TOPIC/NAME.case is one case:
#
#   # why the case exists
#   $ ssimcu a.png b.png        the command, run by sh; several lines run one after the other
#   exit 0                      the exit code of the last line
#   stdout 0.9[0-9]+            its whole standard output, one extended regular expression a line;
#   score 0.934113312           or a number near this one: 1e-6 away at most, 1e-7 if the CPU alone
#                               can have computed it; neither line: standard output must be empty
#   stderr .*truncated.*        its whole standard error, in the same way
#   file map.png                a file that must exist afterwards, not empty, in the scratch folder
#   nofile *.tmp                a pattern that must match no file there
#   needs ffmpeg                a program without which the case is skipped
#
# A file TOPIC/NAME.table holds a case in each row: an option, a value that it refuses, the exit code, and
# what the one line on standard error says after "ssimcu: OPTION VALUE: ". '' is the empty value.
#
#   # what the rows show
#   $ ssimcu $option "$value" a b
#   --threads  0  2  expected a whole number from 1 to 4294967295
#
# A case that cannot run here prints why and exits with 77: it counts as skipped.
# Each case runs in a fresh scratch folder, so that topics may run side by side. $T is the testdata folder;
# `value KEY` prints the values of KEY in ssimcu's JSON, except those of tile and shift. DEVICE in the environment
# puts `--device $DEVICE` in front of every command's options. check_scores.py recomputes the expected
# scores without ssimcu.
set -u
export LC_ALL=C
program=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
T=$(realpath "$here/../../testdata")
export T
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/json"
printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$program" "${DEVICE:+--device $DEVICE}" >"$scratch/bin/ssimcu"
cat >"$scratch/bin/value" <<'EOF'
#!/bin/sh
exec sed -nE "/^  \"(tile|shift)\": \{/,/^  \}/d; s/^ *\"$1\": \"?([^\"{]*[^\",{])\"?,?\$/\1/p"
EOF
chmod +x "$scratch/bin/"*
PATH=$scratch/bin:$PATH
# A build without the module for EXR has no such program.
if "$program" "$T/light.exr" "$T/light.exr" >/dev/null 2>&1; then ln -s /bin/true "$scratch/bin/reads-exr"; fi
tolerance=1e-7 # what the CPU keeps at every level
ssimcu --list-devices 2>/dev/null | grep -q '^cuda' && tolerance=1e-6
passed=0 failed=0 skipped=0

complain() { # complain NAME TEXT
    echo "[FAIL] cli::$1: $2"
    sed 's/^/    stdout: /' "$scratch/stdout"
    sed 's/^/    stderr: /' "$scratch/stderr"
    return 1
}

skip() { # skip NAME WHY
    echo "[SKIP] cli::$1 $2"
    return 77
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

# Runs the commands of a file in a fresh folder. Returns their exit code.
run_commands() {
    rm -rf "$scratch/work" && mkdir "$scratch/work" && cd "$scratch/work" || exit 1
    sed -n 's/^\$ //p' "$1" >"$scratch/command"
    sh "$scratch/command" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
}

# Keeps what the program has written as JSON, to hold it against the published schema at the end. A case that
# changes such files itself is left out.
keep_json() { # keep_json FILE
    local file
    grep -qE '^\$ .*(sed -i|printf .*"type"|head -c|tail -c|head -n [^|]*>|sed [^|]*>)' "$1" && return
    find "$scratch/work" "$scratch/stdout" -type f -size -2000k -print0 | while IFS= read -r -d '' file; do
        case $(head -c 21 "$file" | tr -d '\0') in '{"type":"batch","schem' | '{"type":"batch","sche' | '{"type":"accepted","s' | '{"type":"check","sche' | *'"type": "pair"'*)
            cp "$file" "$(mktemp "$scratch/json/XXXXXX")" ;; esac
    done
}

# Returns 0 if the case passed, 77 if it was skipped.
run_case() { # run_case FILE NAME
    local file=$1 name=$2 code expected tool
    expected=$(sed -n 's/^exit //p' "$file")
    if grep -qvE '^((#|\$|exit|stdout|score|stderr|file|nofile|needs) .*)?$' "$file"; then
        complain "$name" "not a case, see the head of run.sh"
        return
    fi
    for tool in $(sed -n 's/^needs //p' "$file"); do
        command -v "$tool" >/dev/null || { skip "$name" "there is no $tool"; return; }
    done
    run_commands "$file"
    code=$?
    if [ $code = 77 ]; then skip "$name" "$(tail -n 1 "$scratch/stdout")"; return; fi
    if [ "$code" != "$expected" ]; then complain "$name" "exit $code, expected $expected"; return; fi
    matches "$file" 'stdout|score' "$scratch/stdout" || { complain "$name" "standard output"; return; }
    matches "$file" stderr "$scratch/stderr" || { complain "$name" "standard error"; return; }
    files_match "$file" || { complain "$name" "files"; ls -la; return 1; }
    keep_json "$file"
}

run_row() { # run_row FILE NAME OPTION VALUE EXIT MESSAGE
    local code
    option=$3 value=$4 run_commands "$1"
    code=$?
    if [ $code != "$5" ]; then complain "$2" "exit $code, expected $5"; return; fi
    [ ! -s "$scratch/stdout" ] || { complain "$2" "standard output"; return; }
    [ "$(cat "$scratch/stderr")" = "ssimcu: $3 $4: $6" ] || complain "$2" "standard error, expected: $6"
}

count() { # count STATUS
    case $1 in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
}

run_table() { # run_table FILE NAME
    local option value code message rows=0
    while read -r option value code message; do
        case $option in '' | '#' | '$') continue ;; esac
        [ "$value" != "''" ] || value=
        rows=$((rows + 1))
        [[ $option == --* && -n $message ]] || { complain "$2" "not a row: $option $value"; count 1; continue; }
        run_row "$1" "$2 $option $value" "$option" "$value" "$code" "$message"
        count $?
    done <"$1"
    [ $rows -gt 0 ] || { complain "$2" "a table without rows"; count 1; }
}

run_file() {
    local name
    name=$(basename "$(dirname "$1")")/$(basename "${1%.*}")
    : >"$scratch/stdout" && : >"$scratch/stderr"
    if ! [ -r "$1" ]; then
        complain "$name" "there is no file $1"
    elif [[ $1 == *.table ]]; then
        run_table "$1" "$name"
        return
    else
        run_case "$1" "$name"
    fi
    count $?
}

# Prints the files that an argument stands for.
files_of() {
    if [ -d "$here/$1" ]; then
        find "$here/$1" -name '*.case' -o -name '*.table' | sort
    elif [ -d "$1" ]; then
        find "$(realpath "$1")" -name '*.case' -o -name '*.table' | sort
    else
        realpath -m "$1"
    fi
}

[ $# -gt 0 ] || set -- .
mapfile -t files < <(for argument; do files_of "$argument"; done)
for file in "${files[@]}"; do run_file "$file"; done
if [ -n "$(ls "$scratch/json")" ]; then
    (cd "$scratch/json" && exec python3 "$here/../system/schema.py" *)
    count $?
fi
echo "cli cases: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
