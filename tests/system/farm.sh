#!/bin/bash
# farm.sh PROGRAM [NAME...]: runs the lines and files of docs/farm.md: on a real Slurm (slurmctld and two
# slurmds on loopback, with munge), by mpirun, GNU parallel and openjd, and the manifests of Kubernetes and
# the job type of Flamenco as these would run them. One frame is damaged, and one task of each is killed. The
# merged shares must equal the file of one run in every byte. Slurm needs root; what is not installed is skipped.
set -u
export LC_ALL=C
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/need.sh
. "$here/../support/need.sh"
T=$here/../../testdata
scratch=$(mktemp -d)
pids=()
clean() {
    for pid in "${pids[@]}"; do kill -9 "$pid" && wait "$pid"; done 2>/dev/null
    rm -rf "$scratch"
}
trap clean EXIT
cd "$scratch" || exit 1
# shellcheck source=tests/system/farm_cluster.sh
. "$here/farm_cluster.sh"
failed=0

result() { # result NAME STATUS [WHY]
    if [ "$2" = 0 ]; then echo "[PASS] farm::$1"; else echo "[FAIL] farm::$1: ${3:-}" && failed=1; fi
}

# Prints the lines of the block of this name in docs/farm.md.
lines_of() { sed -n "/^<!-- $1 -->\$/,/^\$/{/^    /s/^    //p}" "$here/../../docs/farm.md"; }

# Makes 16 pairs, one of them damaged. The second share of four has 4K pictures behind its first pair, so
# that it still runs when it is killed.
make_frames() {
    mkdir ref out bin
    for ((i = 1; i <= 16; i++)); do
        local a=rgb8_a.png b=rgb8_b.png
        if [ $((i % 4)) = 2 ] && [ $i -gt 2 ]; then a=dandelion-ref.png b=dandelion-jpeg-q50.jpg; fi
        ln -s "$T/$a" "ref/$(printf %04d $i).${a##*.}"
        ln -s "$T/$b" "out/$(printf %04d $i).${b##*.}"
    done
    rm out/0007.png && ln -s "$T/truncated.png" out/0007.png
    "$program" --device cpu -q --min-tile 0.9 --output all.jsonl ref out 2>/dev/null
    "$program" --device cpu -q --min-tile 0.9 --output judged.jsonl "$scratch/ref" "$scratch/out" 2>/dev/null
}

# Makes the program as the tasks see it. The first run of share 2 is killed when it has written a pair.
make_program() {
    cat >bin/ssimcu <<END
#!/bin/bash
case " \$* " in *" check "*) exec "$program" "\$@" ;; esac
case " \$* \${OMPI_COMM_WORLD_RANK:-} \${JOB_COMPLETION_INDEX:-} " in
*" --shard 2/4 "* | *" --shard auto "*" 1 "*) [ -e '$scratch/killed' ] || kill=1 ;;
esac
[ "\${kill:-}" ] || exec "$program" --device cpu --threads 1 "\$@"
"$program" --device cpu --threads 1 "\$@" &
until grep -qs '"type":"frame"' '$scratch'/share.2.jsonl.partial '$scratch'/scores/share.2.jsonl.partial || ! kill -0 \$! 2>/dev/null; do :; done
kill -9 \$! && echo killed >'$scratch/killed'
wait \$!
END
    chmod +x bin/ssimcu
    export PATH=$scratch/bin:$PATH
}

# Checks that shares and merge came to the one file, although a task was killed.
judge() { # judge NAME CODE [FILE]: what the merge returned, and the file of one run
    local why=
    [ "$(cat killed 2>&1)" = killed ] || why="no task was killed"
    [ "$2" = 3 ] || why="${why:-the merge returned $2, not 3 for the frame that is damaged}"
    cmp -s "${3:-all.jsonl}" scores.jsonl || why="${why:-the merged file is not that of one run}"
    [ -z "$(find . -name '*.partial' -o -name '*.resume')" ] || why="${why:-something was left over}"
    result "$1" "$([ -z "$why" ]; echo $?)" "$why"
    rm -rf killed share.* scores.jsonl* scores
}

lacks() { # lacks NAME PROGRAM...: says which program is not there
    local name=$1
    shift
    for needed; do
        has "$needed" && continue
        echo "[SKIP] farm::$name there is no program $needed"
        return 0
    done
    return 1
}

test_parallel() {
    lacks parallel parallel && return
    bash -c "$(lines_of parallel)" >log 2>&1
    judge parallel $?
}

# Ranks of mpirun, without the lines around it.
ranks() { env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "$@"; }

# The rank with the damaged frame does not end the others.
test_mpirun_bad_frame() {
    lacks mpirun mpirun && return
    ranks mpirun -n 4 "$program" --device cpu -qv --shard auto --resume 'share.{}.jsonl' ref out >log 2>&1
    [ $? = 0 ] && [ "$(grep -c 'auto: share [1-4] of 4, from Open MPI' log)" = 4 ] &&
        [ "$(cat share.[1-4].jsonl | grep -c '"type":"frame"')" = 16 ] && grep -q '"status":"data"' share.3.jsonl
    result mpirun_bad_frame $? "$(tail -n 3 log)"
    rm -f share.*
}

test_mpirun() {
    lacks mpirun mpirun && return
    ranks bash -c "$(lines_of mpirun)" >log 2>&1 # ends with the task that is killed
    ranks bash -c "$(lines_of mpirun)" >log 2>&1
    judge mpirun $?
}

# The others keep everything in the folder scores, and have paths from the root.
judge_scores() { # judge_scores NAME CODE FILE
    cp scores/scores.jsonl . 2>/dev/null
    [ -s scores/scores.xml ] || set -- "$1" "$2, and there is no JUnit XML" "$3"
    judge "$@"
}

# The render copies a frame; the frames are there when the shares begin.
test_openjd() {
    lacks openjd openjd && return
    local template=$here/../../docs/farm/openjd.yaml verdict
    openjd check "$template" >log 2>&1 || { result openjd 1 "openjd check: $(tail -n 1 log)"; return; }
    mv out rendered && mkdir out
    openjd run "$template" --step Verdict --run-dependencies -p Ref="$scratch/ref" -p Out="$scratch/out" \
        -p Results="$scratch/scores" -p Shares=4 -p Frames=1-16 \
        -p Render="cp -P '$scratch/rendered/'\$(printf %04d \$1).* '$scratch/out'" >log 2>&1
    # openjd tries nothing again: the share that was killed ends the job, which is run again.
    openjd run "$template" --step Verdict --run-dependencies -p Ref="$scratch/ref" -p Out="$scratch/out" \
        -p Results="$scratch/scores" -p Shares=4 >log 2>&1
    verdict=$(sed -nE 's/.*exited with code: ([0-9]+) .*/\1/p' log | tail -n 1)
    judge_scores openjd "$verdict" judged.jsonl
    rm -rf out && mv rendered out
}

test_kubernetes() {
    lacks kubernetes kubernetes-validate && return
    mkdir scores
    "$(dirname "$(readlink -f "$(command -v kubernetes-validate)")")/python3" "$here/farm_manifest.py" "$scratch" \
        <(sed 's/completions: 8/completions: 4/; s/value: "8"/value: "4"/' "$here/../../docs/farm/kubernetes.yaml") \
        "$here/../../docs/farm/kubernetes-merge.yaml" >log 2>&1
    judge_scores kubernetes $? judged.jsonl
}

test_flamenco() {
    lacks flamenco node && return
    mkdir scores
    cat >settings.json <<SETTINGS
{"ref": "$scratch/ref", "out": "$scratch/out", "results": "$scratch/scores", "shares": 4}
SETTINGS
    node "$here/farm_flamenco.js" "$here/../../docs/farm/ssimcu.js" settings.json >log 2>&1
    judge_scores flamenco $? judged.jsonl
}

# ---- Slurm -------------------------------------------------------------------------------------------

# 240 pairs, a fifth of them in 4K, one of them damaged. The names have blanks, and the paths are relative.
make_wall() {
    mkdir "$scratch/a wall" && cd "$scratch/a wall" || exit 1
    mkdir ref "it's out" bin
    local a b
    for ((i = 1; i <= 240; i++)); do
        a=rgb8_a.png b=rgb8_b.png
        if [ $((i % 5)) = 1 ]; then a=dandelion-ref.png b=dandelion-jpeg-q50.jpg; fi
        ln -s "$T/$a" "ref/$(printf %04d $i).${a##*.}"
        ln -s "$T/$b" "it's out/$(printf %04d $i).${b##*.}"
    done
    rm "it's out/0127.png" && ln -s "$T/truncated.png" "it's out/0127.png"
    # The program as tasks see it: it notes what runs where.
    cat >bin/ssimcu <<PROGRAM
#!/bin/bash
case " \$* " in *" --shard "*)
    echo "\$SLURM_ARRAY_TASK_ID \$SLURMD_NODENAME \$PPID \$\$" >>'$PWD/runs' ;;
esac
exec "$program" --device cpu --threads 1 "\$@"
PROGRAM
    chmod +x bin/ssimcu
    ln -s "$here/../../cli/ssimcu-slurm" bin/ssimcu-slurm
}

# Prints the runs of shares that are in the middle of their frames: number, node, and processes.
at_work() {
    [ -e runs ] || return
    while read -r share node script run; do
        kill -0 "$run" 2>/dev/null && grep -qs '"type":"frame"' "scores.jsonl.shares/share.$share.jsonl.partial" &&
            echo "$share $node $script $run"
    done <runs
}

# Waits until a share is at work on a node. Sets `it` to number, node and processes.
find_at_work() { # find_at_work NODE
    for ((i = 0; i < 200; i++)); do
        it=$(at_work | grep " $1 " | head -n 1)
        [ -z "$it" ] || return 0
        sleep 0.1
    done
    return 1
}

run_wall() {
    timeout 100 bin/ssimcu-slurm -n 8 --comment "a wall" -- --min-tile 0.9 --output scores.jsonl --report=page \
        --report-frames 2 --junit 'the verdict.xml' ref "it's out"
}

# Kills a node, which is slurmd, slurmstepd and a task, and cancels a task of the other.
break_wall() {
    local share script run job
    find_at_work node2 || return
    read -r share _ script run <<<"$it"
    kill -9 "${daemon[node2]}" "$(ps -o ppid= "$script" | tr -d ' ')" "$script" "$run"
    wait "${daemon[node2]}" 2>/dev/null
    echo "share $share died with its node" >broken
    find_at_work node1 || return
    read -r cancelled _ <<<"$it"
    read -r job _ <scores.jsonl.shares/jobs
    scancel "${job}_$cancelled" && echo "share $cancelled was cancelled" >>broken
}

# What a run says and writes, but for names and times of its own.
verdict_of() { sed -E '/^ssimcu-slurm: /d' "$1" | sort; }
junit_of() { sed -E 's/ (time|timestamp|hostname)="[^"]*"//g; s/one\.(page|jsonl)/\1/g' "$1"; }

judge_wall() {
    local why=
    [ "$(wc -l <broken)" = 2 ] || why="nothing was killed: $(cat broken)"
    [ "$first" = 3 ] || why="${why:-the first call returned $first}"
    [ "$beside" = 3 ] || why="${why:-a call beside it returned $beside}"
    grep -q "share $cancelled of 8 is not complete" first || why="${why:-the share that lacks is not named}"
    [ "$second" = "$one" ] || why="${why:-the verdict is $second, of one run $one}"
    [ "$again" = "$second" ] || why="${why:-called again it returned $again}"
    grep -q "shares $cancelled of 8" second || why="${why:-not just share $cancelled was submitted again}"
    ! grep -q "shares .* of 8" again || why="${why:-called again it submitted shares}"
    [ "$runs" = "$(wc -l <runs)" ] || why="${why:-called again it ran shares}"
    cmp one.jsonl scores.jsonl || why="${why:-the merged file is not that of one run}"
    diff <(verdict_of one) <(verdict_of second) || why="${why:-the verdict is said otherwise}"
    diff <(junit_of one.xml) <(junit_of 'the verdict.xml') || why="${why:-JUnit differs}"
    # A merge cannot say how long the scoring took.
    sed -i -E 's/<dt>Made<.*//' one.page/index.html page/index.html
    diff -r one.page page || why="${why:-the report is not that of one run}"
    result slurm "$([ -z "$why" ]; echo $?)" "$why"
}

test_slurm() {
    lacks slurm munged slurmctld slurmd sbatch && return
    if [ "$(id -u)" != 0 ]; then
        echo "[SKIP] farm::slurm needs root"
        return
    fi
    if ! start_slurm; then
        result slurm 1 "the cluster did not come up: $(tail -n 2 ./*.out | tr '\n' ' ')"
        return
    fi
    hurry &
    pids+=($!)
    make_wall
    run_wall >first 2>&1 &
    local call=$! other
    break_wall
    run_wall >beside 2>&1 &
    other=$!
    "$program" --device cpu --min-tile 0.9 --output one.jsonl --report one.page --report-frames 2 \
        --junit one.xml ref "it's out" >one 2>&1
    one=$?
    wait "$call"; first=$?
    wait "$other"; beside=$?
    run_wall >second 2>&1; second=$?
    runs=$(wc -l <runs)
    run_wall >again 2>&1; again=$?
    judge_wall
}

make_frames
make_program
[ $# -gt 1 ] || set -- "$1" parallel mpirun_bad_frame mpirun openjd kubernetes flamenco slurm
for name in "${@:2}"; do "test_$name"; done
exit $failed
