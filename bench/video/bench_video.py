#!/usr/bin/env python3
"""bench_video.py PROGRAM REF OUT [ROUNDS [CORES]]: times two video files on the CPU, three ways in turn.

decode  both files decoded at the same time by ffmpeg, pixels dropped
ssimcu  the two files given to ssimcu
pipes   both decoded by ffmpeg and piped into ssimcu as y4m

For each it prints seconds on the clock and of CPU. It also prints how many threads want a core at a time, sampled
every 4 ms, CORES (2) at most: the cores that it can use. CPU seconds divided by that is the time on cores that no other
program uses. On a busy machine, this is the number to compare. The ratios of the rounds follow."""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def processes(pid):
    found = [pid]
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            for child in file.read().split():
                found += processes(int(child))
    except OSError:
        pass
    return found


def wanted(pid):
    """Returns how many threads of a process and its children run or wait for a core."""
    count = 0
    for process in processes(pid):
        try:
            for thread in os.listdir("/proc/%d/task" % process):
                with open("/proc/%d/task/%s/stat" % (process, thread)) as file:
                    count += file.read().rsplit(")", 1)[1].split()[0] == "R"
        except OSError:
            continue
    return count


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, cores):
    before, start, looks, sum_wanted = cpu(), time.monotonic(), 0, 0
    child = subprocess.Popen(["bash", "-c", command], stdout=subprocess.DEVNULL)
    while child.poll() is None:
        sum_wanted += min(wanted(child.pid), cores)
        looks += 1
        time.sleep(0.004)
    if child.returncode != 0:
        sys.exit("failed: " + command)
    seconds = cpu() - before
    return time.monotonic() - start, seconds, sum_wanted / looks, seconds * looks / sum_wanted


def main():
    program, ref, out = map(os.path.abspath, sys.argv[1:4])
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    cores = int(sys.argv[5]) if len(sys.argv) > 5 else 2
    null = "ffmpeg -nostdin -v error -threads %d -i %%s -f null -" % cores
    y4m = "ffmpeg -nostdin -v error -y -threads %d -i %%s -f yuv4mpegpipe %%s" % cores
    scratch = tempfile.mkdtemp()
    ways = {"decode": (null % ref) + " & " + (null % out) + "; wait",
            "ssimcu": "%s -q --threads %d %s %s" % (program, cores, ref, out),
            "pipes": "cd %s && rm -f r o && mkfifo r o && { %s & %s & } && %s -q --threads %d r o && wait"
                     % (scratch, y4m % (ref, "r"), y4m % (out, "o"), program, cores)}
    seen = {name: [] for name in ways}
    print("| way | clock | CPU | cores it can use | CPU / that |\n|---|---|---|---|---|")
    for _ in range(rounds):
        for name, command in ways.items():
            seen[name].append(run(command, cores))
            print("| %s | %.2f | %.2f | %.2f | %.2f |" % (name, *seen[name][-1]), flush=True)
    for what, column in ("clock", 0), ("CPU", 1), ("CPU / cores it can use", 3):
        for name in "decode", "pipes":
            ratios = [a[column] / b[column] for a, b in zip(seen[name], seen["ssimcu"])]
            print("%s: %s / ssimcu: median %.3f of %s" % (what, name, statistics.median(ratios), ", ".join("%.3f" % r for r in ratios)))


if __name__ == "__main__":
    main()
