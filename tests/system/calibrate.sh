#!/bin/bash
# calibrate.sh PROGRAM: runs the lines of docs/calibrate.md on crops of real renders (testdata/renders). Eight accepted
# runs teach the limits. A held-out run passes, and the same run with a blur and dead pixels does not.
set -u
export LC_ALL=C
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cp -R "$here/../../testdata/renders/." . && mkdir bin
ln -s "$program" bin/ssimcu
export PATH=$scratch/bin:$PATH
failed=0

# Runs the lines of the block of this name in docs/calibrate.md, with other words for some of theirs.
page() { # page NAME [SED-SCRIPT]
    local lines
    lines=$(sed -n "/^<!-- $1 -->\$/,/^\$/{/^    /s/^    //p}" "$here/../../docs/calibrate.md" | sed "${2:-}")
    [ "$lines" ] && bash -c "$lines" >out 2>err
}

expect() { # expect NAME CODE WANTED [FILE PATTERN]...
    local name=$1 why=
    [ "$2" = "$3" ] || why="exit $2, expected $3"
    shift 3
    while [ $# -gt 0 ]; do
        grep -Eq -- "$2" "$1" || why="$why; no $2 in $1"
        shift 2
    done
    if [ -z "$why" ]; then echo "[PASS] calibrate::$name"; else
        echo "[FAIL] calibrate::$name: $why"
        cat out err
        failed=1
    fi
}

page calibrate
expect calibrate $? 0 out '^\*: 2 frames of 8 runs; max_excess in standard deviations, higher is less strict: score ' out '^black .* 100 %' out '^a quarter more noise .* 100 %' limits.json '"runs": 8, "false_alarms": 0\.001' \
    calibration/index.html '<dt>Accepted runs</dt><dd><b>8</b>'
page gate
expect gate_passes $? 0 scores.jsonl '"passed":true'
cp scores.jsonl accepted.jsonl
page gate s/new/broken/
expect gate_fails $? 1 scores.xml '(score|texture) [0-9.]+ at 32x32\+0\+0 over' scores.xml 'dark [0-9.]+ of [rgb] at 32x32\+32\+0 over' err \
    '2 of 2 frames over their learned limits \(limits\.json\): 1 2'
page shares
expect shares_pass $? 0 merged.jsonl '"passed":true'
page shares s/new/broken/
expect shares_fail $? 1 err '2 of 2 frames over their learned limits'
cp accepted.jsonl scores.jsonl
page accept
expect accept $? 0
cmp -s ref/0001.png new/0001.png
expect accepted_is_reference $? 0
exit $failed
