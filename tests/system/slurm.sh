#!/bin/bash
# slurm.sh PROGRAM: what ssimcu-slurm submits, by an sbatch that runs jobs at once. farm.sh has a real Slurm.
set -u
export LC_ALL=C
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
T=$(realpath "$here/../../testdata")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0
export PATH=$scratch/bin:$PATH
mkdir bin ref out
cp "$here/../../cli/ssimcu-slurm" bin
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = --help-all ] || echo "$*" >>"%s/runs"\nexec "%s" --device cpu "$@"\n' "$scratch" "$program" >bin/ssimcu
# It takes the options that the script gives it, and notes the line. The tasks of `cancelled` do not run.
cat >bin/sbatch <<'SBATCH'
#!/bin/bash
echo "$*" >>sbatched
array= log=/dev/stdout errors=/dev/stderr
for word; do
    case $word in
    --array=*) array=${word#*=} ;;
    --output=*) log=${word#*=} ;;
    --error=*) errors=${word#*=} ;;
    esac
done
job=$(wc -l <sbatched)
if [ -n "$array" ]; then
    case $array in *-*) array=$(seq -s ' ' "${array%-*}" "${array#*-}") ;; esac
    for i in ${array//,/ }; do
        case " $(cat cancelled 2>/dev/null) " in *" $i "*) continue ;; esac
        SLURM_ARRAY_JOB_ID=$job SLURM_ARRAY_TASK_ID=$i sh "$word" >>"${log//%a/$i}" 2>&1
    done
else
    sh "$word" >"$log" 2>"$errors"
fi
echo "$job;cluster"
SBATCH
printf '#!/bin/sh\n' >bin/squeue
printf '#!/bin/sh\necho "$*" >>requeued\nexit 1\n' >bin/scontrol
chmod +x bin/*

result() { # result NAME STATUS
    if [ "$2" = 0 ]; then echo "[PASS] slurm::$1"; else echo "[FAIL] slurm::$1" && failed=1; fi
}
arrays() { grep -o -- '--array=[^ ]*' sbatched | tail -n 1; }
refuses() { # refuses TEXT WORDS...
    local said
    said=$(ssimcu-slurm "${@:2}" 2>&1)
    [ $? = 2 ] && [[ $said == *"$1"* ]] || { echo "$said"; return 1; }
}

for i in 1 2 3 4 5 6; do cp "$T/rgb8_a.png" ref/$i.png && cp "$T/rgb8_b.png" out/$i.png; done

refuses "expected -- before" ref out && refuses "-n 0:" -n 0 -- --output x ref out && refuses "-n x:" -nx -- --output x ref out &&
    refuses "expected --output" -- ref out && refuses "expected REF and OUT" -- --output x ref &&
    refuses "--array=1-3" --array=1-3 -- --output x ref out && refuses "no such option" -- --outpt x ref out &&
    refuses "--map does not go" -- --map m --output x ref out && refuses "standard input" -- --output x - out &&
    refuses "merge does not run" -- --output x merge a b && refuses "expected a value" -- ref out --output && [ ! -e x.shares ]
result mistakes_are_refused $?

# Options of sbatch go to the array, and those that a cluster may ask for to the merge as well.
"$program" --device cpu -q --min-tile 0.5 --output one.jsonl ref out
ssimcu-slurm -n 3 -p fast --account=us --gpus-per-task=1 -- --min-t 0.5 --output=all.jsonl --junit v.xml -q ref out >said 2>&1
[ $? = 0 ] && cmp one.jsonl all.jsonl && [ "$(arrays)" = --array=1-3 ] && [ -s v.xml ] &&
    sed -n 1p sbatched | grep -q -- '--requeue.*-p fast --account=us --gpus-per-task=1' &&
    sed -n 2p sbatched | grep -q -- '--dependency=afterany:1 .*-p fast --account=us' && ! sed -n 2p sbatched | grep -q gpus &&
    [ "$(grep -c -- '--min-t 0.5 --decode cpu -q --shard' runs)" = 3 ] && grep -q -- '--junit v.xml --quiet.* merge' runs
result options_go_where_they_belong $?

# Nothing is done twice, unless a file has changed.
call() { ssimcu-slurm -n 3 -p fast --account=us --gpus-per-task=1 -- --min-t 0.5 --output=all.jsonl --junit v.xml -q ref out >said 2>&1; }
: >runs
call && [ "$(wc -l <runs)" = 1 ] && sleep 1 && cp "$T/rgb8_a.png" out/4.png && call && [ "$(arrays)" = --array=1-3 ] &&
    "$program" --device cpu -q --min-tile 0.5 --output one.jsonl ref out && cmp one.jsonl all.jsonl
result changed_frames_are_scored_again $?

refuses "shares of another line" -n 4 -- --min-t 0.5 --output=all.jsonl ref out || failed=1
rm -r all.jsonl*

# A share that is cancelled, or whose file lies there from another day, is no part of the merge.
echo 2 >cancelled
call
[ $? = 3 ] && [ ! -e all.jsonl ] && grep -q 'share 2 of 3 is not complete' said &&
    "$program" --device cpu -q --shard 2/3 --output all.jsonl.shares/share.2.jsonl ref out &&
    { call; [ $? = 3 ]; } && [ "$(arrays)" = --array=2 ] && rm cancelled all.jsonl.shares/share.2.jsonl && call &&
    [ "$(arrays)" = --array=2 ] && cmp one.jsonl all.jsonl
result cancelled_share_is_submitted_again $?

# A disk that is full: the task is queued again.
rm -r all.jsonl*
mv bin/ssimcu bin/good
printf '#!/bin/sh\ncase "$*" in *--shard\\ 3/3*) exit 74 ;; esac\nexec good "$@"\n' >bin/ssimcu && chmod +x bin/ssimcu
call
[ $? = 3 ] && grep -q '_3$' requeued && mv bin/good bin/ssimcu && call && cmp one.jsonl all.jsonl
result full_disk_is_tried_again $?

# Several OUTs: each has the files that a run gives it.
y4m() { printf 'YUV4MPEG2 W64 H48 F25:1 C420jpeg\n'; for i in 1 2 3 4 5; do printf 'FRAME\n'; tail -c +$((1000 * i + $1)) "$T/dandelion-ref.png" | head -c 4608; done; }
y4m 1 >a.y4m && y4m 1 >"b b.y4m" && y4m 9 >c.y4m
"$program" --device cpu -q --output one --junit one.j a.y4m "b b.y4m" c.y4m
ssimcu-slurm -n 2 -- -q --output all --junit all.j --report all.r a.y4m "b b.y4m" c.y4m >said 2>&1
[ $? = 0 ] && diff -r one all && [ "$(ls all.j)" = "$(ls one.j)" ] && [ -e "all.r/b b.y4m/index.html" ]
result several_outs $?

# Labels name the files, and what they stand for is looked at as well.
"$program" --device cpu -q --output two a.y4m low=a.y4m "high q=c.y4m"
labels() { ssimcu-slurm -n 2 -- -q --output labelled a.y4m low=a.y4m "high q=c.y4m" >said 2>&1; }
labels && diff -r two labelled && : >runs && labels && [ "$(grep -c -- --shard runs)" = 0 ] && sleep 1 && touch c.y4m && labels &&
    [ "$(grep -c -- --shard runs)" = 2 ]
result labels $?

# New limits, or new learned limits beside them, begin the shares anew: results of other learned limits cannot be kept.
for i in 1 2 3 4; do y4m $((17 * i)) >run$i.y4m; done
learn() { "$program" --device cpu -q calibrate --false-alarms 0.01 --output l.json a.y4m "$@" 2>/dev/null; }
judged() { ssimcu-slurm -n 2 -- -q --limits l.json --output judged.jsonl a.y4m c.y4m >said 2>&1; }
fresh() { "$program" --device cpu -q --limits l.json --output fresh.jsonl a.y4m c.y4m >/dev/null 2>&1; }
learn run1.y4m run2.y4m run3.y4m && fresh
code=$?
judged
[ $? = $code ] && cmp fresh.jsonl judged.jsonl && : >runs && { judged; [ "$(grep -c -- --shard runs)" = 0 ]; } && sleep 1 &&
    learn run2.y4m run3.y4m run4.y4m && { fresh; judged; [ $? = $code ]; } && [ "$(grep -c -- --shard runs)" = 2 ] && cmp fresh.jsonl judged.jsonl
result new_limits_begin_the_shares_anew $?
: >runs
sleep 1 && touch l.learned && judged
[ $? = $code ] && [ "$(grep -c -- --shard runs)" = 2 ] && cmp fresh.jsonl judged.jsonl
result new_learned_limits_alone_do_so_too $?
exit $failed
