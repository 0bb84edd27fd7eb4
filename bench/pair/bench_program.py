#!/usr/bin/env python3
"""bench_program.py RUNS REF OUT PROGRAM...: times the whole program on one pair, as a user waits for it: by default, on the
CPU, and on each of the first two GPUs. All rounds take every device of every PROGRAM (such as builds before and after) in
turn. Prints a Markdown table: milliseconds that passed, those of CPU time, the peak memory, and what has scored."""
import json
import os
import statistics
import subprocess
import sys
import time


def run(command):
    """Returns milliseconds, those of CPU time and MiB, then the exit code and what was printed."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read() + process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return (elapsed * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024), process.returncode, said


def scored_by(command):
    """Returns the backend, and what the JSON says of the devices; of a run that fails, why."""
    _, code, said = run([command[0], "--json", *command[1:]])
    if code != 0:
        return said.strip().splitlines()[-1] if said.strip() else f"exit {code}"
    pair = json.loads(said)
    return "%s; %s" % (pair["backend"], ", ".join(pair["device"].values()))


def cell(values):
    return "%.0f (%.0f to %.0f)" % (statistics.median(values), min(values), max(values))


def main():
    runs, ref, out, programs = int(sys.argv[1]), *sys.argv[2:4], sys.argv[4:]
    listed = subprocess.run([programs[0], "--list-devices"], stdout=subprocess.PIPE, text=True).stdout
    gpus = listed.count("\ncuda:")
    print(listed)
    devices = [[], ["--device", "cpu"]] + [["--device", f"cuda:{i}"] for i in range(min(gpus, 2))]
    commands = [[program, *device, ref, out] for program in programs for device in devices]
    by = [scored_by(command) for command in commands] # the files are in memory after that
    seen = [[] for _ in commands]
    for _ in range(runs):
        for i, command in enumerate(commands):
            numbers, code, said = run(command)
            if code != 0:
                sys.exit(f"bench_program: {command}: exit {code}: {said}")
            seen[i].append(numbers)
    print("| program | ms | ms of CPU | MiB at most | scored by; devices of the JSON |")
    print("|---|---|---|---|---|")
    for command, numbers, device in zip(commands, seen, by):
        print("| %s | %s | %s |" % (" ".join(command[:-2]), " | ".join(map(cell, zip(*numbers))), device))


if __name__ == "__main__":
    main()
