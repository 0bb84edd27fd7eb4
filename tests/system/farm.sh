#!/bin/bash
# farm.sh PROGRAM: runs the lines of docs/farm.md on a real Slurm (slurmctld and two slurmds on loopback,
# with munge), mpirun and GNU parallel. One frame is damaged, and one task of each is killed. The merged
# shares must equal the file of one run in every byte. Slurm needs root; what is not installed is skipped.
set -u
export LC_ALL=C
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
T=$here/../../testdata
scratch=$(mktemp -d)
pids=()
clean() {
    for pid in "${pids[@]}"; do kill -9 "$pid" && wait "$pid"; done 2>/dev/null
    rm -rf "$scratch"
}
trap clean EXIT
cd "$scratch" || exit 1
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
}

# Makes the program as the tasks see it. The first run of share 2 is killed when it has written a pair.
make_program() {
    cat >bin/ssimcu <<END
#!/bin/bash
case " \$* " in *" --shard 2/4 "*) [ -e killed ] || kill=1 ;; esac
[ "\${kill:-}" ] || exec "$program" --device cpu --threads 1 "\$@"
"$program" --device cpu --threads 1 "\$@" &
until grep -q '"type":"frame"' share.2.jsonl.partial 2>/dev/null || ! kill -0 \$! 2>/dev/null; do :; done
kill -9 \$! && echo killed >killed
wait \$!
END
    chmod +x bin/ssimcu
    export PATH=$scratch/bin:$PATH
}

# Checks that shares and merge came to the one file, although a task was killed.
judge() { # judge NAME CODE: what the merge returned
    local why=
    [ "$(cat killed 2>&1)" = killed ] || why="no task was killed"
    [ "$2" = 3 ] || why="${why:-the merge returned $2, not 3 for the frame that is damaged}"
    cmp -s all.jsonl scores.jsonl || why="${why:-the merged file is not that of one run}"
    [ -z "$(find . -name '*.partial' -o -name '*.resume')" ] || why="${why:-something was left over}"
    result "$1" "$([ -z "$why" ]; echo $?)" "$why"
    rm -f killed share.* scores.jsonl*
}

lacks() { # lacks NAME PROGRAM...: says which program is not there
    local name=$1
    shift
    for needed; do
        command -v "$needed" >/dev/null && continue
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

test_mpirun() {
    lacks mpirun mpirun && return
    local run=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        OMPI_MCA_rmaps_base_oversubscribe=1 bash -c "$(lines_of mpirun)")
    "${run[@]}" >log 2>&1 # ends with the task that is killed
    "${run[@]}" >log 2>&1
    judge mpirun $?
}

# ---- Slurm -------------------------------------------------------------------------------------------

start() { # start NAME COMMAND...: a daemon, ended with this script
    "${@:2}" >"$1.out" 2>&1 &
    pids+=($!)
}

start_slurm() {
    local host
    host=$(hostname -s)
    head -c 1024 /dev/urandom >munge.key && chmod 400 munge.key
    cat >slurm.conf <<END
ClusterName=farm
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket
CredType=cred/munge
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/%n
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/%n.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=1
JobRequeue=1
ReturnToService=2
MailProg=/bin/true
KillWait=1
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=26818 CPUs=2
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=26819 CPUs=2
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=10 State=UP
END
    mkdir state
    export SLURM_CONF=$scratch/slurm.conf
    start munged munged --foreground --force --socket "$scratch/munge.socket" --key-file "$scratch/munge.key" \
        --pid-file "$scratch/munge.pid" --seed-file "$scratch/munge.seed" --log-file "$scratch/munge.log"
    for ((i = 0; i < 50; i++)); do [ -S munge.socket ] && break; sleep 0.1; done
    start slurmctld slurmctld -D -i
    start node1 slurmd -D -N node1
    start node2 slurmd -D -N node2
    for ((i = 0; i < 100; i++)); do
        [ "$(sinfo -h -o %t%D 2>/dev/null)" = idle2 ] && return
        sleep 0.1
    done
    return 1
}

hurry() {
    while sleep 0.5; do
        for job in $(squeue -h -t PENDING -r -o %i); do scontrol update JobId="$job" StartTime=now; done
    done >/dev/null 2>&1
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
    lines_of share.sh >share.sh
    local line
    line=$(lines_of slurm)
    hurry & # Slurm lets two minutes pass before a task that was queued again
    pids+=($!)
    timeout 40 bash -c "${line/--dependency/--wait --dependency}" >log 2>&1
    judge slurm $?
}

make_frames
make_program
test_parallel
test_mpirun
test_slurm
exit $failed
