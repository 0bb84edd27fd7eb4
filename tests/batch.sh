#!/bin/bash
# batch.sh PROGRAM: what a batch promises when it is killed, stopped, starved or driven by another
# program. Prints a line for each test, as the Criterion tests do.
set -u
export LC_ALL=C
program=$(realpath "$1")
T=$(realpath "$(dirname "$0")/../testdata")
scratch=$(mktemp -d)
full=$scratch/full # a small file system, where one can be had
trap 'mountpoint -q "$full" && umount "$full"; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

ssimcu() { "$program" --device cpu "$@"; }
result() { # result NAME STATUS [WHY]
    if [ "$2" = 0 ]; then echo "[PASS] batch::$1"; else echo "[FAIL] batch::$1: ${3:-}" && failed=1; fi
}
random_ms() { printf '0.%03d' $((RANDOM % $1)); }

# 400 pairs that differ, with a missing and two damaged ones among them
make_frames() {
    mkdir ref out
    local i other=(rgb8_b rgb8_a grey8_a rgb8_of_grey8_a rgb16_a)
    for ((i = 1; i <= 400; i++)); do
        ln "$T/rgb8_a.png" "ref/$i.png" 2>/dev/null || cp "$T/rgb8_a.png" "ref/$i.png"
        cp "$T/${other[i % 5]}.png" "out/$i.png"
    done
    rm out/77.png
    cp "$T/truncated.png" out/200.png
    cp "$T/bad_crc.png" out/201.png
    ssimcu -q --output all.jsonl ref out 2>/dev/null
}

# Starts a run and kills it at a random moment of its life.
killed_run() { # killed_run MS OPTIONS...
    local ms=$1 pid
    shift
    "$program" --device cpu -q "$@" ref out 2>/dev/null & # not the function: it would be a shell's child
    pid=$!
    sleep "$(random_ms "$ms")"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
}

# Twenty kills, every other one followed by a resume that is killed as well.
test_killed_and_resumed() {
    local round start end ms why=
    start=$(date +%s%N)
    ssimcu -q ref out 2>/dev/null
    end=$(date +%s%N)
    ms=$(((end - start) / 1000000))
    [ $ms -lt 900 ] || ms=900
    local cut_short=0
    for ((round = 1; round <= 20; round++)); do
        rm -f r.jsonl*
        killed_run $ms --output r.jsonl
        [ ! -e r.jsonl.partial ] || cut_short=$((cut_short + 1))
        [ $((round % 2)) = 0 ] || killed_run $ms --resume r.jsonl
        ssimcu -q --resume r.jsonl ref out 2>/dev/null
        cmp -s r.jsonl all.jsonl || why="round $round: the results differ"
        [ "$(echo r.jsonl*)" = r.jsonl ] || why="round $round: left $(echo r.jsonl*)"
    done
    [ $cut_short -gt 5 ] || why="only $cut_short of 20 runs were cut short"
    result killed_and_resumed "$([ -z "$why" ]; echo $?)" "$why"
}

# A list that goes on for ever is stopped by a signal: exit code, whole lines, nothing lost.
test_signal() { # test_signal NAME CODE
    local pid code why=
    rm -f r.jsonl*
    mkfifo feed
    "$program" --device cpu -q --list feed --output r.jsonl 2>/dev/null &
    pid=$!
    exec 9>feed
    printf '%s\t%s\n' "$T/rgb8_a.png" "$T/rgb8_b.png" "$T/rgb8_a.png" "$T/rgb8_a.png" >&9
    for ((i = 0; i < 100; i++)); do
        [ "$(grep -c '"type":"frame"' r.jsonl.partial 2>/dev/null)" = 2 ] && break
        sleep 0.1
    done
    kill -"$1" $pid
    for ((i = 0; i < 100; i++)); do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    exec 9>&-
    [ $code = "$2" ] || why="exit $code"
    [ ! -e r.jsonl ] || why="a cut short run took the name of a whole one"
    [ "$(tail -n 1 r.jsonl.partial | cut -c 1-36)" = '{"type":"summary","complete":false,"' ] ||
        why="no summary: $(tail -n 1 r.jsonl.partial)"
    [ "$(grep -c '"status":"ok"' r.jsonl.partial)" = 2 ] || why="a result is missing"
    rm -f feed
    result "stopped_by_$1" "$([ -z "$why" ]; echo $?)" "$why"
}

# A program that writes a pair and waits for its result before it writes the next.
test_driven_line_by_line() {
    local i line why=
    coproc driven { exec "$program" --device cpu --list - --json 2>/dev/null; }
    read -r -t 20 line <&"${driven[0]}" || why="no first line"
    for i in 1 2 3; do
        printf '%s\t%s\n' "$T/rgb8_a.png" "$T/rgb8_b.png" >&"${driven[1]}"
        read -r -t 20 line <&"${driven[0]}" || why="no answer to pair $i"
        [[ $line == *'"frame":'$i',"status":"ok"'* ]] || why="answer to pair $i: $line"
    done
    local out=${driven[1]}
    exec {out}>&-
    wait "$driven_PID"
    result driven_line_by_line "$([ -z "$why" ]; echo $?)" "$why"
}

# The disk fills up: exit 74, whole lines stay, and the run can be resumed with room.
test_disk_full() {
    local why= code
    mkdir "$full"
    if ! mount -t tmpfs -o size=40k tmpfs "$full" 2>/dev/null; then
        echo "[SKIP] batch::disk_full no file system can be mounted here"
        return
    fi
    ssimcu -q --output "$full/r.jsonl" ref out 2>err
    code=$?
    [ $code = 74 ] || why="exit $code"
    grep -q 'r.jsonl.partial: No space left on device' err || why="message: $(tail -n 1 err)"
    [ ! -e "$full/r.jsonl" ] || why="a cut short run took the name of a whole one"
    [ "$(grep -c '"type":"frame".*}$' "$full/r.jsonl.partial")" -gt 10 ] || why="results were lost"
    mount -o remount,size=4m "$full"
    ssimcu -q --resume "$full/r.jsonl" ref out 2>/dev/null
    cmp -s all.jsonl "$full/r.jsonl" || why="${why:-the resumed results differ}"
    umount "$full"
    result disk_full "$([ -z "$why" ]; echo $?)" "$why"
}

# A bar on a terminal only, and what it says.
test_bar_on_a_terminal() {
    if ! command -v script >/dev/null; then
        echo "[SKIP] batch::bar_on_a_terminal there is no program script"
        return
    fi
    script -qec "'$program' --device cpu --threads 1 ref out" bar >/dev/null </dev/null
    grep -q 'frames, [0-9.]*/s, [0-9:]* left, worst [01]\.[0-9]* at frame' bar
    result bar_on_a_terminal $? "$(head -c 300 bar)"
}

make_frames
test_killed_and_resumed
test_signal INT 130
test_signal TERM 143
test_driven_line_by_line
test_disk_full
test_bar_on_a_terminal
exit $failed
