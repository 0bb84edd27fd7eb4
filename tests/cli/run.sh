#!/bin/bash
# run.sh PROGRAM [TOPIC|FILE...]: runs command-line cases: those of topics, which are folders beside this
# script, or single files; all topics if none is named. A file TOPIC/NAME.case is one case. It reads like a transcript:
#
#   # why the case exists
#   needs ffmpeg                a name in tests/support/needs.txt; without it the case is skipped
#   $ ssimcu a.png b.png \      a command, whole, run by sh
#   >   --pad zero              its next line
#   exit 0                      the exit code of the last command; without such a line it must be 0
#   stdout 0.9[0-9]+            the whole standard output, one extended regular expression a line;
#   score 0.934113312           or a number near this one: 1e-6 away at most, 1e-7 if the CPU alone
#                               can have computed it; neither line: standard output must be empty
#   stderr .*truncated.*        the whole standard error, in the same way
#   file map.png                a file that must exist then, not empty, in the scratch folder
#   nofile *.tmp                a pattern that must match no file there
#   # a label of what follows
#   $ ssimcu merge r.jsonl      further commands, and what is expected of them
#
# Expectations are those of the commands since the last ones. All commands of a case run in one shell, so functions,
# variables and files stay. A failure names the line of the case, the command that printed the line, and the label.
# At most 1,000 characters of commands may stand before their expectations; tests/system/cases.py checks that.
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
# `value KEY` prints the values of KEY in ssimcu's JSON, except those of tile and level_shift. Python finds pictures.py.
# DEVICE in the environment puts `--device $DEVICE` in front of every command's options. check_scores.py
# recomputes the expected scores without ssimcu.
set -u
export LC_ALL=C
program=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
T=$(realpath "$here/../../testdata")
export T PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1
# shellcheck source=tests/support/need.sh
. "$here/../support/need.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/json"
printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$program" "${DEVICE:+--device $DEVICE}" >"$scratch/bin/ssimcu"
cat >"$scratch/bin/value" <<'EOF'
#!/bin/sh
exec sed -nE "/^  \"(tile|level_shift)\": \{/,/^  \}/d; s/^ *\"$1\": \"?([^\"{]*[^\",{])\"?,?\$/\1/p"
EOF
chmod +x "$scratch/bin/"*
PATH=$scratch/bin:$PATH
# A build without the module for EXR has no such program.
if "$program" "$T/light.exr" "$T/light.exr" >/dev/null 2>&1; then ln -s /bin/true "$scratch/bin/reads-exr"; fi
tolerance=1e-7 # what the CPU keeps at every level
ssimcu --list-devices 2>/dev/null | grep -q '^cuda' && tolerance=1e-6
passed=0 failed=0 skipped=0
json_changed='^[$>] .*(sed -i|printf .*"type"|head -c|tail -c|head -n [^|]*>|sed [^|]*>)'
shopt -s globstar nullglob dotglob

# What a case holds, by its commands from 1 and by its expectations from 1: command[i] begins in line at[i] and belongs
# to group[i]. Of expectation[j], kind[j] is the keyword, from[j] the line, and of[j] the group.
read_case() { # read_case FILE: returns 1, and says why, if it is not a case
    local line number=0 last='' comment=''
    command=('') at=(0) group=(0) kind=('') expectation=('') from=(0) of=(0) label=('') needs='' groups=0 changes_json=''
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        [[ ! $line =~ $json_changed ]] || changes_json=yes
        case $line in
        '> '* | '>')
            [ "$last" = '$' ] || { wrong="line $number continues no command"; return 1; }
            line=${line#>}
            command[-1]+=$'\n'${line# }
            continue ;;
        '$ '*)
            [ "$last" = '$' ] || { groups=$((groups + 1)); label[groups]=$comment; }
            command+=("${line#* }") at+=("$number") group+=("$groups") last='$' ;;
        'needs '*) needs+=" ${line#* }" ;;
        'exit '* | 'stdout '* | 'score '* | 'stderr '* | 'file '* | 'nofile '*)
            [ $groups -gt 0 ] || { wrong="line $number expects something of no command"; return 1; }
            kind+=("${line%% *}") expectation+=("${line#* }") from+=("$number") of+=("$groups") last=expected comment='' ;;
        '# '*) comment=$line ;;
        '') ;;
        *) wrong="line $number is not one of a case, see the head of run.sh"; return 1 ;;
        esac
    done <"$1"
    [ $groups -gt 0 ] || { wrong="there is no command"; return 1; }
}

# Prints what checks the files that group $1 has left. It writes the lines of what is not so to `files`.
check_files() {
    local j
    for j in "${!of[@]}"; do
        [ "${of[j]}" = "$1" ] || continue
        case ${kind[j]} in
        file) printf '[ -s "%s" ] || echo %d >>"%s"\n' "$scratch/work/${expectation[j]}" "${from[j]}" "$scratch/files" ;;
        nofile)
            # shellcheck disable=SC2016
            printf 'for ssimcu_file in "%s/"%s; do [ ! -e "$ssimcu_file" ] || echo %d >>"%s"; done\n' \
                "$scratch/work" "${expectation[j]}" "${from[j]}" "$scratch/files" ;;
        esac
    done
}

# Writes the case as one script of sh. Each command prints into files of its own. Each group but the last, whose exit
# code is that of the shell, leaves its exit code. ssimcu_last gives each command the $? of the one before; without a
# second command in the braces, dash would also take their redirection for that of a subshell in them.
write_script() {
    local i
    # shellcheck disable=SC2016
    printf 'ssimcu_code=0\nssimcu_last() { return $ssimcu_code; }\n'
    for ((i = 1; i < ${#command[@]}; i++)); do
        # shellcheck disable=SC2016
        printf '{ ssimcu_last\n%s\n} >"%s" 2>"%s"\nssimcu_code=$?\n' "${command[i]}" "$scratch/out.$i" "$scratch/err.$i"
        [ "${group[i]}" != "${group[i + 1]:-}" ] || continue
        # shellcheck disable=SC2016
        [ "${group[i]}" = $groups ] || printf 'echo $ssimcu_code >"%s"\n' "$scratch/code.${group[i]}"
        check_files "${group[i]}"
    done
    # shellcheck disable=SC2016
    printf 'exit $ssimcu_code\n'
}

# Runs the script in a fresh folder. Returns the exit code of its last group.
run_script() {
    rm -rf "$scratch/work" "$scratch"/{out,err,code}.* "$scratch/files" && mkdir "$scratch/work" && cd "$scratch/work" || exit 1
    sh "$scratch/script" >"$scratch/shell" 2>&1 </dev/null
}

# Says which expectation of a case was not met: complain NAME LINE TEXT, and what it printed. Returns 1.
complain() {
    echo "[FAIL] cli::$1: ${2:+line $2: }$3"
    return 1
}

show() { # show GROUP: its commands with what they printed
    local i
    [ -z "${label[$1]}" ] || echo "    ${label[$1]}"
    for ((i = 1; i < ${#command[@]}; i++)); do
        [ "${group[i]}" = "$1" ] || continue
        echo "    line ${at[i]}: \$ ${command[i]//$'\n'/$'\n    > '}"
        [ ! -s "$scratch/out.$i" ] || sed 's/^/    stdout /; $a\' "$scratch/out.$i"
        [ ! -s "$scratch/err.$i" ] || sed 's/^/    stderr /; $a\' "$scratch/err.$i"
    done
}

skip() { # skip NAME WHY
    echo "[SKIP] cli::$1 $2"
    return 77
}

near() {
    [[ $1 =~ ^-?[0-9]\.[0-9]+$ ]] &&
        awk -v d="$1" -v e="$2" -v t="$tolerance" 'BEGIN { d -= e; exit !(d <= t && -d <= t) }'
}

meets() { # meets LINE J: whether a line is as expectation J wants it
    if [ "${kind[$2]}" = score ]; then near "$1" "${expectation[$2]}"; else [[ $1 =~ ^(${expectation[$2]})$ ]]; fi
}

# Holds what the commands of a group printed against its lines: hold NAME GROUP out|err STREAM KINDS
hold() {
    local i j line number=0 wanted=()
    for j in "${!of[@]}"; do
        if [[ ${of[j]} = "$2" && ${kind[j]} =~ ^($5)$ ]]; then wanted+=("$j"); fi
    done
    for ((i = 1; i < ${#command[@]}; i++)); do
        [[ ${group[i]} = "$2" && -s $scratch/$3.$i ]] || continue
        while IFS= read -r line || [ -n "$line" ]; do
            j=${wanted[number]:-}
            number=$((number + 1))
            if [ -z "$j" ]; then
                complain "$1" "${at[i]}" "$4 has $number lines or more, expected ${#wanted[@]}; too many: $line"
                return
            fi
            meets "$line" "$j" && continue
            complain "$1" "${from[j]}" "line $number of $4, printed by the command in line ${at[i]}"
            printf '    expected %s\n    found    %s\n' "${expectation[j]}" "$line"
            return 1
        done <"$scratch/$3.$i"
    done
    [ $number -eq ${#wanted[@]} ] && return
    complain "$1" "${from[${wanted[number]}]}" "$4 ends after $number lines, expected ${expectation[${wanted[number]}]}"
}

# Holds a group against what is expected of it: hold_group NAME GROUP CODE
hold_group() {
    local j expected=0 number
    for j in "${!of[@]}"; do
        if [[ ${of[j]} = "$2" && ${kind[j]} = exit ]]; then expected=${expectation[j]} number=${from[j]}; fi
    done
    for ((j = ${#at[@]} - 1; j > 0; j--)); do [ "${group[j]}" != "$2" ] || number=${number:-${at[j]}}; done
    if [ "$3" != "$expected" ]; then
        complain "$1" "$number" "exit ${3:-missing, because the shell had ended}, expected $expected"
        return
    fi
    hold "$1" "$2" out "standard output" 'stdout|score' && hold "$1" "$2" err "standard error" stderr || return
    [ -e "$scratch/files" ] || return 0
    for j in "${!of[@]}"; do
        [[ ${of[j]} = "$2" && ${kind[j]} = *file ]] && grep -qx "${from[j]}" "$scratch/files" || continue
        complain "$1" "${from[j]}" "files, expected ${kind[j]} ${expectation[j]}"
        ls -la "$scratch/work"
        return 1
    done
}

# Keeps what the program has written as JSON, to hold it against the published schema at the end. A case that
# changes such files itself is left out.
keep_json() {
    local file head
    [ -z "$changes_json" ] || return 0
    for file in "$scratch/work"/** "$scratch"/out.*; do
        [[ -f $file && -s $file ]] || continue
        IFS= read -r -N 21 head <"$file"
        case $head in '{"type":"batch","schem' | '{"type":"batch","sche' | '{"type":"accepted","s' | '{"type":"check","sche' | *'"type": "pair"'*)
            find "$file" -size -2000k -exec cp {} "$(mktemp "$scratch/json/XXXXXX")" \; ;; esac
    done
}

# Returns 0 if the case passed, 77 if it was skipped.
run_case() { # run_case FILE NAME
    local file=$1 name=$2 code last tool i wrong
    read_case "$file" || { complain "$name" "" "$wrong"; return; }
    for tool in $needs; do
        knows_need "$tool" || { complain "$name" "" "tests/support/needs.txt does not name $tool"; return; }
        is_there "$tool" && continue
        if is_required "$tool"; then complain "$name" "" "$(required_line "$tool")"; else skip "$name" "there is no $tool"; fi
        return
    done
    write_script >"$scratch/script"
    run_script
    last=$?
    if [ $last = 77 ]; then skip "$name" "$(cat "$scratch"/out.* | tail -n 1)"; return; fi
    [ ! -s "$scratch/shell" ] || { complain "$name" "" "$(cat "$scratch/shell")"; return; }
    for ((i = 1; i <= groups; i++)); do
        code=$last
        [ $i = $groups ] || { code=; [ ! -e "$scratch/code.$i" ] || read -r code <"$scratch/code.$i"; }
        hold_group "$name" $i "$code" || { show $i; return 1; }
    done
    keep_json
}

run_row() { # run_row NAME OPTION VALUE EXIT MESSAGE
    local code file found='' part
    option=$2 value=$3 run_script
    code=$?
    for file in "$scratch"/err.*; do
        IFS= read -r -d '' part <"$file"
        found+=$part
    done
    if [ $code != "$4" ]; then complain "$1" "" "exit $code, expected $4"; show 1; return 1; fi
    for file in "$scratch"/out.*; do
        [ ! -s "$file" ] || { complain "$1" "" "standard output"; show 1; return 1; }
    done
    [ "$found" = "ssimcu: $2 $3: $5"$'\n' ] || { complain "$1" "" "standard error, expected: $5"; show 1; return 1; }
}

count() { # count STATUS
    case $1 in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
}

run_table() { # run_table FILE NAME
    local option value code message wrong rows=0
    read_case <(grep -E '^(\$|>|#) ' "$1") || { complain "$2" "" "$wrong"; count 1; return; }
    write_script >"$scratch/script"
    while read -r option value code message; do
        case $option in '' | '#' | '$' | '>') continue ;; esac
        [ "$value" != "''" ] || value=
        rows=$((rows + 1))
        [[ $option == --* && -n $message ]] || { complain "$2" "" "not a row: $option $value"; count 1; continue; }
        run_row "$2 $option $value" "$option" "$value" "$code" "$message"
        count $?
    done <"$1"
    [ $rows -gt 0 ] || { complain "$2" "" "a table without rows"; count 1; }
}

run_file() {
    local name
    name=$(basename "$(dirname "$1")")/$(basename "${1%.*}")
    if ! [ -r "$1" ]; then
        complain "$name" "" "there is no file $1"
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
