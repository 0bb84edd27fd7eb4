#!/bin/bash
# man.sh PROGRAM: checks that the manual page has an entry for each option of --help-all, with the same
# value, and for no other. Exit codes must be those of --help, and groff must have nothing to complain about in
# any page. What pages say of each other must be there.
set -eu
export LC_ALL=C
# shellcheck source=tests/support/need.sh
. "$(dirname "$0")/../support/need.sh"
folder=$(dirname "$0")/../../cli
page=$folder/ssimcu.1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# An option's line of --help-all: two spaces, maybe a short form, the long form, maybe a value.
"$1" --help-all >"$scratch/help"
sed -nE 's/^  (-., |    )(--[a-z-]+)( ([^ ]+))?( .*)?$/\2 \4/p' "$scratch/help" | sort >"$scratch/in_help"
# An entry of the page: the line after .TP, in the section OPTIONS.
sed 's/\\-/-/g' "$page" | awk '/^\.SH/ { on = /OPTIONS/ } on && tag { print } { tag = /^\.TP/ }' |
    sed -E 's/^\.(B|BI|BR) (-. ?,\\? *)?//; s/\\ / /g; s/  +/ /g; s/^(--[a-z-]+)$/\1 /' |
    sort >"$scratch/in_page"
[ "$(wc -l <"$scratch/in_help")" -ge 10 ] || { echo "too few options found in --help-all" >&2; exit 1; }
diff "$scratch/in_help" "$scratch/in_page" >&2 || { echo "left: --help, right: $page" >&2; exit 1; }

codes() { tr -s ' \n' '\n\n' | grep -xE '[0-9]+[,;]?' | tr -d ',;' | sort -nu; }
sed -n '/^Exit codes:/,$p' "$scratch/help" | codes >"$scratch/codes_in_help"
awk '/^\.SH/ { on = /EXIT STATUS/ } on && tag { print } { tag = /^\.TP/ }' "$page" |
    grep -oE '[0-9]+' | sort -nu >"$scratch/codes_in_page"
diff "$scratch/codes_in_help" "$scratch/codes_in_page" >&2 ||
    { echo "exit codes; left: --help, right: $page" >&2; exit 1; }

pages=$(ls "$folder"/*.[15])
for one in $pages; do
    # Another page is named as .BR ssimcu\-limits (5).
    sed -nE 's/^\.[BR]+ \(? ?(ssimcu[a-z\-]*) \(([15])\).*/\1.\2/p; s/^\.RB \( (ssimcu[a-z\-]*) \(([15])\).*/\1.\2/p' "$one" |
        tr -d '\\' | sort -u | while read -r other; do
        [ -e "$folder/$other" ] || { echo "$one names $other, which is not there" >&2; exit 1; }
    done
    [ "$one" = "$page" ] || grep -q '^\.BR ssimcu (1)' "$one" || { echo "$one does not name ssimcu(1)" >&2; exit 1; }
    name=$(basename "$one")
    [ "$one" = "$page" ] || grep -qF "$(echo "${name%.?}" | sed 's/-/\\-/g') (${name##*.})" "$page" ||
        { echo "ssimcu.1 does not name $name" >&2; exit 1; }
done

if ! has groff; then
    echo "[SKIP] man::groff there is no groff"
else
    for one in $pages; do
        groff -man -Tutf8 -ww -b "$one" 2>"$scratch/complaints" >"$scratch/page"
        [ ! -s "$scratch/complaints" ] || { cat "$scratch/complaints" >&2; exit 1; }
        grep -q . "$scratch/page"
    done
fi
