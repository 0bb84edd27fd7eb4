#!/bin/bash
# sanitize_gpu.sh DIR [TOOL...]: runs the test programs in DIR (build/cuda/tests) on a GPU under
# compute-sanitizer. TOOL is memcheck, racecheck or synccheck (all three if none is named), or initcheck,
# which also reports what kernels read beside a picture's rows and drop.
#
# Prints a line for each program and tool. PASS: it ended, its tests passed, nothing was reported. Exits
# with 1 if a line says FAIL. These variables change a run:
#
#   LIMIT     seconds that a program may take (300)
#   JOBS      how many run at a time (4)
#   PROGRAMS  replaces the list below
#   LOGS      folder for what they print (a new one in /tmp)
set -u
[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \?//p}' "$0"; exit 2; }
directory=$(realpath "$1")
shift
export LIMIT=${LIMIT:-300} LOGS=${LOGS:-$(mktemp -d /tmp/sanitize-XXXXXX)} SSIMCU_REQUIRE=cuda
export PATH=$PATH:/usr/local/cuda/bin
command -v compute-sanitizer >/dev/null || { echo "sanitize_gpu: there is no compute-sanitizer" >&2; exit 2; }
mkdir -p "$LOGS"

# Memcheck runs everything. The slow tools run only programs whose threads share memory, but not the
# loss: racecheck takes bar.arrive for nothing, and reports the example of PTX's own manual as a race.
most="test_request test_request_streams test_tiles test_ssim_u8 test_ssim test_ssim_ends test_planes test_permute"
all="$most test_engine test_views test_corners test_ssim_planes test_ssim_runs test_ssim_flat test_ssim_oracle
     test_permute_api test_api test_wrapper test_loss test_loss_rules stress"

# Criterion runs each test in a process of its own; one test breaks the device on purpose. The tests make
# calls that must fail: their errors are no findings.
check() { # check TOOL PROGRAM
    local log=$LOGS/$1-${2##*/}.log start=$SECONDS code
    local arguments=(--verbose --jobs 4 '--filter=!(request/sticky_errors)')
    case $2 in */stress) arguments=(cuda) ;; esac
    timeout -k 10 "$LIMIT" compute-sanitizer --tool "$1" --target-processes all --require-cuda-init no \
        --report-api-errors no --error-exitcode 9 --print-limit 20 "$2" "${arguments[@]}" >"$log" 2>&1
    code=$?
    local why="exit $code: $log"
    if [ $code = 124 ] || [ $code = 137 ]; then why="not at its end after $LIMIT s: $log"; fi
    if grep -qE 'ERROR SUMMARY: [1-9]|SUMMARY: [1-9][0-9]* hazard' "$log"; then code=9 why="findings: $log"; fi
    if [ $code = 0 ]; then
        echo "[PASS] $1 ${2##*/} ($((SECONDS - start)) s)"
    else
        echo "[FAIL] $1 ${2##*/} ($((SECONDS - start)) s) $why"
        return 1
    fi
}
export -f check

[ $# -gt 0 ] || set -- memcheck racecheck synccheck
work=$(for tool; do
    programs=${PROGRAMS:-$most}
    [ "$tool" != memcheck ] || programs=${PROGRAMS:-$all}
    for program in $programs; do [ ! -x "$directory/$program" ] || echo "$tool $directory/$program"; done
done)
[ -n "$work" ] || { echo "sanitize_gpu: there are no test programs in $directory" >&2; exit 2; }
xargs -n 2 -P "${JOBS:-4}" bash -c 'check "$@" || exit 1' check <<<"$work" || exit 1
