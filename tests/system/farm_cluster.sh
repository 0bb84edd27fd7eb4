# shellcheck shell=bash disable=SC2034,SC2154
# farm_cluster.sh: a Slurm of this machine alone, for farm.sh: munged, slurmctld and two slurmds on loopback, with
# ports and folders of their own, in $scratch. They end with the script.

start() { # start NAME COMMAND...: a daemon; its process is ${daemon[NAME]}
    "${@:2}" >"$scratch/$1.out" 2>&1 &
    daemon[$1]=$!
    pids+=($!)
}
declare -A daemon

write_slurm_conf() {
    local host
    host=$(hostname -s)
    cat >"$scratch/slurm.conf" <<CONF
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
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=1
JobRequeue=1
ReturnToService=2
SlurmdTimeout=5
MailProg=/bin/true
KillWait=1
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=26818 CPUs=2
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=26819 CPUs=2
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=10 State=UP
CONF
}

start_slurm() {
    head -c 1024 /dev/urandom >"$scratch/munge.key" && chmod 400 "$scratch/munge.key"
    mkdir "$scratch/state"
    write_slurm_conf
    export SLURM_CONF=$scratch/slurm.conf
    start munged munged --foreground --force --socket "$scratch/munge.socket" --key-file "$scratch/munge.key" \
        --pid-file "$scratch/munge.pid" --seed-file "$scratch/munge.seed" --log-file "$scratch/munge.log"
    for ((i = 0; i < 50; i++)); do [ -S "$scratch/munge.socket" ] && break; sleep 0.1; done
    start slurmctld slurmctld -D -i
    start node1 slurmd -D -N node1
    start node2 slurmd -D -N node2
    for ((i = 0; i < 100; i++)); do
        [ "$(sinfo -h -o %t%D 2>/dev/null)" = idle2 ] && return
        sleep 0.1
    done
    return 1
}

# Slurm lets two minutes pass before a task that was queued again.
hurry() {
    while sleep 0.5; do
        for job in $(squeue -h -t PENDING -r -o '%i %r' | sed -n 's/ BeginTime$//p'); do
            scontrol update JobId="$job" StartTime=now
        done
    done >/dev/null 2>&1
}
