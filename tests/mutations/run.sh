#!/bin/bash
# run.sh BUILD [PATTERN]: breaks one line at a time and sees whether the test that should notice does.
# Each line of the file `list` is FILE, a sed expression, and the tests. A test is a Criterion program,
# png_mutations, a script (batch, driver, gate, matrix, exr) or a command-line case (cli/TOPIC/NAME). One that fails is enough.
# PATTERN picks lines. Works in the source tree, which must have no changes: give it a checkout of its own.
# CI does not run it; the test `mutations` (lines.sh) sees that each line still matches. A broken program may rename
# files over devices, so root's tests get their own /dev.
set -u
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
git diff --quiet || { echo "mutations: there are changes in the tree" >&2; exit 2; }
killed=0 survived=0 invalid=0 file=
restore() { [ -z "$file" ] || git checkout -q -- "$file"; }
trap restore EXIT

if [ "$(id -u)" = 0 ]; then
    enclosed=(unshare --mount bash -c 'set -e
        mount -t tmpfs -o mode=755 tmpfs /dev
        mknod -m 666 /dev/null c 1 3; mknod -m 666 /dev/zero c 1 5; mknod -m 666 /dev/full c 1 7
        mknod -m 666 /dev/random c 1 8; mknod -m 666 /dev/urandom c 1 9; mknod -m 666 /dev/tty c 5 0
        ln -s /proc/self/fd /dev/fd; ln -s fd/0 /dev/stdin; ln -s fd/1 /dev/stdout; ln -s fd/2 /dev/stderr
        mkdir -m 1777 /dev/shm
        exec "$@"' enclosed)
    "${enclosed[@]}" true || { echo "mutations: root without a /dev of its own" >&2; exit 2; }
else
    enclosed=()
fi

# fails TEST: builds the test anew and returns whether it fails.
fails() {
    local target=test_$1
    case $1 in cli/*) [ -e "tests/$1.case" ] || { echo "mutations: there is no case $1" >&2; return 2; } ;; esac
    case $1 in
    cli/exr/*) target="ssimcu_cli ssimcu_exr" ;; # modules are not linked
    cli/video/*) target="ssimcu_cli ssimcu_video" ;;
    cli/* | batch | gate | matrix) target=ssimcu_cli ;;
    png_mutations) target=png_mutations ;;
    driver) target=ssimcu_fake_cuda ;;
    exr) target="ssimcu_exr exr_dump exr_make exr_damage" ;;
    esac
    # shellcheck disable=SC2086
    cmake --build "$build" --target $target >"$build/mutation.log" 2>&1 || return 2
    case $1 in
    cli/*) ! "${enclosed[@]}" timeout 120 tests/cli/run.sh "$build/cli/ssimcu" "tests/$1.case" ;;
    batch) ! "${enclosed[@]}" timeout 300 tests/system/batch.sh "$build/cli/ssimcu" ;;
    gate) ! "${enclosed[@]}" timeout 120 tests/system/gate.sh "$build/cli/ssimcu" "$build/tests/gate_frames" ;;
    *) ! "${enclosed[@]}" ctest --test-dir "$build" --timeout 120 -R "^$1\$" ;; # it knows their environment
    esac >>"$build/mutation.log" 2>&1
}

while IFS=$'\t' read -r file change tests; do
    sed -i -E "$change" "$file"
    verdict=survived
    git diff --quiet && verdict="no change"
    for test in $tests; do
        [ "$verdict" = survived ] || break
        fails "$test"
        case $? in
        0) verdict="killed by $test" ;;
        2) verdict="does not build" ;;
        esac
    done
    restore
    case $verdict in
    killed*) killed=$((killed + 1)) ;;
    survived) survived=$((survived + 1)) ;;
    *) invalid=$((invalid + 1)) ;;
    esac
    printf '%s\t%s\t%s\n' "$verdict" "$file" "$change"
done < <(grep -vE '^(#|$)' "$here/list" | grep -E "${2:-}")
file=
echo "mutations: $killed killed, $survived survived, $invalid not made"
[ $survived -eq 0 ] && [ $invalid -eq 0 ]
