#!/bin/bash
# batch.sh PROGRAM: checks what a batch promises when it is killed, stopped, starved or driven by another
# program. Prints a line for each test, as the Criterion tests do.
set -u
export LC_ALL=C
# shellcheck source=tests/support/need.sh
. "$(dirname "$0")/../support/need.sh"
program=$(realpath "$1")
T=$(realpath "$(dirname "$0")/../../testdata")
scratch=$(mktemp -d)
full=$scratch/full # a small file system, if one can be had
trap 'mountpoint -q "$full" && umount "$full"; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

ssimcu() { "$program" --device cpu "$@"; }
result() { # result NAME STATUS [WHY]
    if [ "$2" = 0 ]; then echo "[PASS] batch::$1"; else echo "[FAIL] batch::$1: ${3:-}" && failed=1; fi
}
random_ms() { printf '0.%03d' $((RANDOM % $1)); }

# Makes 400 pairs that differ, with a missing and two damaged ones among them.
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
    ssimcu -q --output all.jsonl ref out 2>/dev/null # 3: pairs are missing or damaged
    [ $? = 3 ] && [ "$(grep -c '"status":"ok"' all.jsonl)" = 397 ] && return
    echo "[FAIL] batch::make_frames: not 397 of 400 scored" && exit 1
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

# Kills until twelve runs were cut short in the middle. A resume that is killed as well follows every
# other one. The test counts such runs because the machine decides which moment is the middle.
test_killed_and_resumed() {
    local round start ms why='' cut_short=0
    start=$(date +%s%N)
    ssimcu -q ref out 2>/dev/null
    ms=$((($(date +%s%N) - start) / 1000000))
    [ $ms -lt 900 ] || ms=900
    for ((round = 1; cut_short < 12 && round <= 120; round++)); do
        rm -f r.jsonl*
        killed_run $ms --output r.jsonl
        ! grep -qs '"type":"frame"' r.jsonl.partial || cut_short=$((cut_short + 1))
        [ $((round % 2)) = 0 ] || killed_run $ms --resume r.jsonl
        ssimcu -q --resume r.jsonl ref out 2>/dev/null
        [ $? = 3 ] || why="round $round: not exit 3"
        cmp -s r.jsonl all.jsonl || why="round $round: the results differ"
        [ "$(echo r.jsonl*)" = r.jsonl ] || why="round $round: left $(echo r.jsonl*)"
    done
    [ $cut_short = 12 ] || why="only $cut_short of 120 runs were cut short"
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

# Ends a run that hangs, and checks its exit code and that it ends within two seconds of the signal.
stop_and_time() { # stop_and_time SIGNAL PID CODE: sets why
    local start code
    start=$(date +%s%N)
    kill -"$1" "$2"
    timeout 10 tail -s 0.02 --pid="$2" -f /dev/null || kill -9 "$2"
    wait "$2" 2>/dev/null
    code=$?
    took=$((($(date +%s%N) - start) / 1000000))
    [ $code = "$3" ] || why="exit $code"
    [ $took -lt 2500 ] || why="it took $took ms"
}

# A pipe without a writer holds a thread up; what is behind it is scored and kept.
test_stopped_in_a_pipe() {
    local i pid took why=
    rm -rf r.jsonl* six && mkdir six
    for i in 1 2 4 5 6; do cp "$T/rgb8_b.png" six/$i.png; done
    mkfifo six/3.png
    for i in 1 2 3 4 5 6; do printf '%s\tsix/%s.png\n' "$T/rgb8_a.png" $i; done >list
    "$program" --device cpu -q --threads 2 --list list --output r.jsonl 2>err &
    pid=$!
    sleep 1
    stop_and_time TERM $pid 143
    [ "$(grep -c '"status":"ok"' r.jsonl.partial)" = 5 ] || why="results were lost: $(wc -l <r.jsonl.partial) lines"
    [ "$(tail -n 1 r.jsonl.partial | cut -c 1-35)" = '{"type":"summary","complete":false,' ] || why="no summary"
    rm six/3.png && cp "$T/rgb8_a.png" six/3.png
    ssimcu -q --list list --resume r.jsonl 2>/dev/null || why="the resumed run failed"
    [ "$(grep -c '"status":"ok"' r.jsonl)" = 6 ] || why="the resumed run lacks a frame"
    result stopped_in_a_pipe "$([ -z "$why" ]; echo $?)" "$why"
}

# The second Ctrl-C ends the program at once, although the first waits for a thread that hangs.
test_second_signal() {
    local pid took why=
    rm -rf r.jsonl* pipe && mkfifo pipe
    printf '%s\t%s\n' "$T/rgb8_a.png" "$T/rgb8_b.png" "$T/rgb8_a.png" pipe >list
    "$program" --device cpu -q --list list --output r.jsonl 2>err &
    pid=$!
    sleep 1
    kill -INT $pid
    sleep 0.2
    kill -0 $pid 2>/dev/null || why="the first ended it"
    stop_and_time INT $pid 130
    [ $took -lt 1200 ] || why="it took $took ms"
    [ ! -s err ] || why="it ended by itself: $(cat err)" # which takes less than a second
    rm pipe
    result second_signal "$([ -z "$why" ]; echo $?)" "$why"
}

# Two pictures with --output: the signal comes while one is read from a pipe, and nothing is left behind.
test_stopped_pair() {
    local pid why=
    rm -rf r.jsonl* pipe && mkfifo pipe
    "$program" --device cpu -q "$T/rgb8_a.png" pipe --output r.jsonl 2>err &
    pid=$!
    exec {writer}>pipe
    sleep 0.5
    kill -TERM $pid
    cat "$T/rgb8_b.png" >&"$writer"
    exec {writer}>&-
    wait $pid
    [ $? = 143 ] || why="not 143"
    [ -z "$(ls r.jsonl* 2>/dev/null)" ] || why="left behind: $(ls r.jsonl*)"
    grep -q 'stopped by a signal' err || why="$(cat err)"
    rm pipe
    result stopped_pair "$([ -z "$why" ]; echo $?)" "$why"
}

# Standard output is a pipe without a reader.
test_stopped_before_a_reader() {
    local i pid holder took why=
    for ((i = 0; i < 3000; i++)); do printf '%s\t%s\n' "$T/rgb8_a.png" "$T/rgb8_b.png"; done >list
    rm -f pipe && mkfifo pipe
    # shellcheck disable=SC2217 # it holds the pipe open
    sleep 60 <pipe &
    holder=$!
    "$program" --device cpu --list list --json >pipe 2>/dev/null &
    pid=$!
    sleep 2
    stop_and_time INT $pid 130
    kill $holder
    wait $holder 2>/dev/null
    result stopped_before_a_reader "$([ -z "$why" ]; echo $?)" "$why"
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
    # shellcheck disable=SC2154 # coproc sets it
    local pid=$driven_PID
    exec {out}>&-
    wait "$pid" || why="exit $?"
    result driven_line_by_line "$([ -z "$why" ]; echo $?)" "$why"
}

# The disk fills up: exit 74, whole lines stay, and the run can be resumed with room.
test_disk_full() {
    local why='' code
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
    [ $? = 3 ] || why="${why:-the resumed run: not exit 3}"
    cmp -s all.jsonl "$full/r.jsonl" || why="${why:-the resumed results differ}"
    umount "$full"
    result disk_full "$([ -z "$why" ]; echo $?)" "$why"
}

# The bar appears on a terminal only; checks what it says.
test_bar_on_a_terminal() {
    if ! has script; then
        echo "[SKIP] batch::bar_on_a_terminal there is no program script"
        return
    fi
    script -qec "'$program' --device cpu --threads 1 ref out" bar >/dev/null </dev/null
    local code=$?
    [ $code = 3 ] || { result bar_on_a_terminal 1 "exit $code"; return; }
    grep -q 'frames, [0-9.]*/s, [0-9:]* left, worst [01]\.[0-9]* at frame' bar
    result bar_on_a_terminal $? "$(head -c 300 bar)"
}

make_frames
test_killed_and_resumed
test_signal INT 130
test_signal TERM 143
test_stopped_in_a_pipe
test_second_signal
test_stopped_pair
test_stopped_before_a_reader
test_driven_line_by_line
test_disk_full
test_bar_on_a_terminal
exit $failed
