#!/usr/bin/env python3
"""paired.py RUNS BEFORE AFTER ARGUMENT...: runs two builds of a program in turn with the same arguments.

Prints a Markdown table of the time that passed, the CPU time of all threads and the peak memory: medians,
least and most. Its last column has the medians of AFTER / BEFORE over the pairs of runs. Both must end
with the same exit code and print the same.
"""
import os
import statistics
import subprocess
import sys
import time


def run(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    numbers = (elapsed * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024)
    return numbers, (output, process.returncode)


def cell(values):
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def main():
    runs, programs, arguments = int(sys.argv[1]), sys.argv[2:4], sys.argv[4:]
    seen = [[], []]
    for _ in range(runs):
        results = [run([program, *arguments]) for program in programs]
        if results[0][1] != results[1][1]:
            sys.exit(f"paired: they differ: {results[0][1]} and {results[1][1]}")
        for i in range(2):
            seen[i].append(results[i][0])
    print("| | before | after | after / before |")
    print("|---|---|---|---|")
    for i, name in enumerate(("ms", "ms of CPU", "MiB at most")):
        before, after = ([numbers[i] for numbers in side] for side in seen)
        ratio = statistics.median(a / b for a, b in zip(after, before))
        print(f"| {name} | {cell(before)} | {cell(after)} | {ratio:.3f} |")


main()
