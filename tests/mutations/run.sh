#!/bin/bash
# run.sh BUILD [--tenth SEED | PATTERN]: breaks one line at a time and sees whether the test that should notice does.
# Each line of the file `list` is FILE, a sed expression, and the tests. A test is a Criterion program,
# png_mutations, a script (batch, driver, gate, matrix, exr, python), tests of Python (python/FILE or python/FILE::NAME)
# or a command-line case (cli/TOPIC/NAME). One that fails is enough, if it passes without the mutant.
# PATTERN picks lines; --tenth takes a random tenth, the same for the same SEED.
#   every night:       tests/mutations/run.sh build/cpu --tenth "$(date +%F)"
#   before a release:  tests/mutations/run.sh build/cpu
#   on a GPU:          tests/mutations/run.sh build/cuda '^kernels'
# BUILD is built once. Each mutant sees it and the tree through a layer of its own (one.sh), in which only what depends
# on the changed file is made again: about a second. So the tree stays as it is, and as many mutants run side by side as
# there are processors. Nobody may change the tree meanwhile, or commit, after which every layer would be configured
# again. Device code needs nvcc in BUILD, and a GPU.
set -u
least=95 # percent that must be killed: a random tenth had 98.8. Some lines need what a machine may lack
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1

lines() { grep -vE '^(#|$)' "$here/list"; }
pick() { # pick [--tenth SEED | PATTERN]
    [ "${1:-}" = --tenth ] || { lines | grep -E -e "${1:-}"; return; }
    lines | awk -v seed="$(printf '%s' "$2" | cksum | cut -d' ' -f1)" '{ line[NR] = $0 }
        END { srand(seed % 1000003); want = int((NR + 9) / 10)
              for (i = 1; i <= want; i++) { at = i + int(rand() * (NR - i + 1)); print line[at]; line[at] = line[i] } }'
}

has_gpu=
if grep -q '^CMAKE_CUDA_COMPILER:.*=/' "$build/CMakeCache.txt" && nvidia-smi -L >/dev/null 2>&1; then has_gpu=yes; fi
export has_gpu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/room" "$scratch/passes"
"$here/layer.sh" "$build" "$scratch/room" true || { echo "mutations: no layer can lie over the tree" >&2; exit 2; }
if ! cmake --build "$build" --parallel "$(nproc)" >"$scratch/log" 2>&1; then
    tail "$scratch/log" >&2
    echo "mutations: $build does not build" >&2
    exit 2
fi
pick "${@:2}" | xargs -r -d '\n' -n 1 -P "$(nproc)" "$here/one.sh" "$build" "$scratch" | tee "$scratch/verdicts"
awk -F '\t' -v least=$least '
    { count[$1 ~ /^killed/ ? "killed" : $1 ~ /^(survived|skipped)/ ? $1 : "not made"]++ }
    END { made = count["killed"] + count["survived"] + count["not made"]
          share = made ? 100 * count["killed"] / made : 0
          printf "mutations: %d killed, %d survived, %d not made: %.1f %% of %d, at least %d %%; %d skipped (no GPU)\n",
              count["killed"], count["survived"], count["not made"], share, made, least, count["skipped"]
          exit !(made > 0 && share >= least) }' "$scratch/verdicts"
