#!/usr/bin/env python3
"""bench_many.py PROGRAM REF OUT...: times one run of REF against all OUTs, which decodes REF once, and one
run for each OUT. Prints the ratio of their CPU times. Five rounds alternate. All is done on the CPU."""
import resource
import statistics
import subprocess
import sys


def cpu_seconds(program, *files):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "-q", "--device", "cpu", *files], check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program, ref, *outs = sys.argv[1:]
    ratios = []
    for _ in range(5):
        together = cpu_seconds(program, ref, *outs)
        apart = sum(cpu_seconds(program, ref, out) for out in outs)
        ratios.append(together / apart)
        print("together %.2f s, apart %.2f s: %.3f" % (together, apart, ratios[-1]), flush=True)
    print("median %.3f" % statistics.median(ratios))


if __name__ == "__main__":
    sys.exit(main())
