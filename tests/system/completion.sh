#!/bin/bash
# completion.sh FOLDER PROGRAM: checks what bash, zsh and fish offer for the program's options. FOLDER holds
# their files. bash is always there; a shell that is not installed is named.
set -eu
# shellcheck source=tests/support/need.sh
. "$(dirname "$0")/../support/need.sh"
folder=$1 program=$2 here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
touch picture.png
names=$("$program" --help-all | grep -oE '^  (-., |    )--[a-z-]+' | grep -oE '\--[a-z-]+' | sort)
[ "$(echo "$names" | wc -l)" -ge 40 ] || { echo "too few options: $names" >&2; exit 1; }

# offers SHELL WORDS...: what the shell offers for the last word of a line, sorted, on one line.
compopt() { :; }
offers_bash() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _ssimcu
    printf '%s\n' "${COMPREPLY[@]}"
}
# shellcheck disable=SC2016
offers_fish() { fish -c 'source $argv[1]; complete -C "$argv[2..]"' "$folder/ssimcu.fish" "$@" | cut -f 1; }
offers() { "offers_$1" "${@:2}" | sort | tr '\n' ' ' | sed 's/ *$//'; }
expect() { # EXPECTED SHELL WORDS...
    got=$(offers "${@:2}")
    [ "$got" = "$1" ] || { echo "${*:2}: got '$got', expected '$1'" >&2; exit 1; }
}
check() {
    expect "--min-frame --min-score --min-tile" "$1" ssimcu --min-
    expect "grey heat overlay" "$1" ssimcu --map-style ""
    expect "all auto cpu cuda" "$1" ssimcu a.png --device ""
    expect "" "$1" ssimcu --frames ""
    expect "picture.png" "$1" ssimcu pict
    expect "picture.png" "$1" ssimcu --output pict
    echo "[PASS] completion::$1"
}

# shellcheck source=/dev/null
. "$folder/ssimcu"
check bash
expect "pu21" bash ssimcu --hdr = p
expect "$(echo "$names" | tr '\n' ' ' | sed 's/ $//')" bash ssimcu --
if has fish; then
    check fish
    expect "--hdr=pu21" fish ssimcu --hdr=p
else
    echo "[SKIP] completion::fish: it is not installed"
fi
# zsh completes on a terminal alone. What its _arguments is given must be one specification per option.
if has zsh; then
    # shellcheck disable=SC2016
    got=$(zsh -f -c '_arguments() { print -rl -- "$@" }; . "$1"' zsh "$folder/_ssimcu" |
        sed -nE 's/^(\([^)]*\))?(--[a-z-]+).*/\2/p' | sort)
    [ "$got" = "$names" ] || { echo "zsh: got $got" >&2; exit 1; }
    echo "[PASS] completion::zsh"
else
    echo "[SKIP] completion::zsh: it is not installed"
fi
