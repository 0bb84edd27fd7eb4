#!/bin/bash
# one.sh BUILD SCRATCH LINE: for run.sh, says what becomes of one line of the list.
set -u
seconds=600 # most that a test may take

# Names what a test is made of, besides the modules, which nothing links.
targets_of() {
    case $1 in
    cli/*) echo ssimcu_cli ;;
    driver) echo ssimcu_fake_cuda ;;
    wrong_gpu) echo ssimcu_wrong_cuda ;;
    exr) echo exr_dump exr_make exr_damage ;;
    png_mutations) echo "$1" ;;
    python*) echo ssimcu ssimcu_io ssimcu_qa_shared ;;
    *) if [ -e "$build/tests/test_$1" ]; then echo "test_$1"; else echo ssimcu_cli; fi ;; # a script's
    esac
    [ ! -e "$build/io/libssimcu_exr.so" ] || echo ssimcu_exr ssimcu_decode
    [ ! -e "$build/io/libssimcu_video.so" ] || echo ssimcu_video ssimcu_decode
}

# Builds a test and runs it. Returns 0 if it passes, 1 if it fails, 2 if it does not build, 77 if it is skipped.
try() {
    local code said=$room/said libraries=$build/lib:$build/io:$build/lib/qa
    # shellcheck disable=SC2046
    cmake --build "$build" --target $(targets_of "$1") >"$said" 2>&1 || return 2
    case $1 in
    cli/*) timeout $seconds tests/cli/run.sh "$build/cli/ssimcu" "tests/$1.case" ;;
    python/*) timeout $seconds tests/python/python.sh "${SSIMCU_PYTHON:-python3}" "$PWD" "$libraries" -x "tests/${1%%::*}.py${1#"${1%%::*}"}" ;;
    *) ctest --test-dir "$build" --timeout $seconds -R "^$1\$" --no-tests=error ;; # it knows their environment
    esac >"$said" 2>&1
    code=$?
    [ $code != 77 ] && ! grep -qE '\*\*\*Skipped|\[SKIP\] cli::' "$said" || return 77
    [ $code = 0 ]
}

# Changes the file and tries the tests, in a layer. Without a change it says whether a test passes.
if [ "$1" = --inside ]; then
    build=$2 room=$3 file=$4 change=$5
    if [ -n "$change" ]; then
        cp "$file" "$room/before"
        sed -i -E "$change" "$file"
        ! cmp -s "$file" "$room/before" || { echo "no change"; exit; }
    fi
    verdict=survived
    for test in "${@:6}"; do
        try "$test"
        case $? in
        0) ;;
        1) verdict="killed by $test" ;;
        2) verdict="does not build" ;;
        77) verdict="$test is skipped here" ;;
        esac
        case $verdict in killed* | does*) break ;; esac
    done
    echo "$verdict"
    exit
fi

build=$1 scratch=$2
IFS=$'\t' read -r file change tests <<<"$3"
in_layer() { "${0%/*}/layer.sh" "$build" "$scratch/room" "$0" --inside "$build" "$scratch/room" "$@"; }
start=$(date +%s)
case $file in
*.cu | *.cuh | lib/cuda/*) [ "$has_gpu" ] || { printf 'skipped\t%s\t%s\n' "$file" "$change"; exit 0; } ;;
esac
# shellcheck disable=SC2086
verdict=$(in_layer "$file" "$change" $tests) || verdict="has no layer"
by=${verdict#killed by } known=$scratch/passes/${verdict//[^a-z0-9_]/_}
if [ "$by" != "$verdict" ] && [ ! -e "$known" ]; then # a test that always fails kills nothing
    if [ "$(in_layer "$file" "" "$by")" = survived ]; then
        touch "$known"
    else
        verdict="$by fails without it"
    fi
fi
printf '%s\t%s\t%s\t%s s\n' "$verdict" "$file" "$change" $(($(date +%s) - start))
