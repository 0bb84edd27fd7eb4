"""bench_permute_numpy.py TABLE [RUNS]: times NumPy on the cases of bench_permute_cpu, whose output is
in the file TABLE. Prints how many times as fast ours is with one thread and with all, in the best tenth of
the runs of both.

`ascontiguousarray(a.transpose(order))` allocates its result anew each time, as its users do.
`copyto` writes to an array that exists. Both must give the same array. Each run takes the next of
several copies of the array, 256 MB or more, so that none finds its data in a cache."""

import re
import sys
import time

import numpy as np

SPREAD_BYTES = 256 << 20
DTYPE = {1: np.uint8, 2: np.uint16, 4: np.float32, 8: np.float64}

# Name, element bytes, source shape, order; as in bench_permute_cpu.c.
CASES = [
    ("HWC3 -> CHW u8, 3840x2160", 1, (2160, 3840, 3), (2, 0, 1)),
    ("HWC3 -> CHW u16, 3840x2160", 2, (2160, 3840, 3), (2, 0, 1)),
    ("HWC3 -> CHW f32, 3840x2160", 4, (2160, 3840, 3), (2, 0, 1)),
    ("HWC4 -> CHW u8, 3840x2160", 1, (2160, 3840, 4), (2, 0, 1)),
    ("CHW -> HWC3 u8, 3840x2160", 1, (3, 2160, 3840), (1, 2, 0)),
    ("CHW -> HWC3 f32, 3840x2160", 4, (3, 2160, 3840), (1, 2, 0)),
    ("(0,2,1) f16 16x5792x724", 2, (16, 5792, 724), (0, 2, 1)),
    ("(0,2,1) f32 16x5792x724", 4, (16, 5792, 724), (0, 2, 1)),
    ("(1,0,2) f32 16x5792x724", 4, (16, 5792, 724), (1, 0, 2)),
    ("(1,0) f32 8192x8192", 4, (8192, 8192), (1, 0)),
]


def read_ours(path):
    """Returns milliseconds of the best tenth of the runs, by name and threads."""
    ours = {}
    for line in open(path, encoding="utf-8"):
        row = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(row) > 2 and re.fullmatch(r"\d+", row[1]):
            ours.setdefault(row[0], {})[int(row[1])] = float(row[3].split()[0])
    return ours


def times_of(work, arrays, runs):
    times = []
    for i in range(-1, runs):  # one to warm up
        view = arrays[i % len(arrays)]
        start = time.perf_counter()
        work(view)
        if i >= 0:
            times.append(1e3 * (time.perf_counter() - start))
    return sorted(times)


def measure(name, element, shape, order, runs, ours):
    size = int(np.prod(shape))
    random = np.random.default_rng(1).integers(0, 256, size * element, np.uint8)
    first = random.view(DTYPE[element]).reshape(shape)
    arrays = [first.copy().transpose(order) for _ in range(SPREAD_BYTES // first.nbytes + 1)]
    out = np.empty(arrays[0].shape, arrays[0].dtype)
    np.copyto(out, arrays[0])
    assert np.ascontiguousarray(arrays[0]).tobytes() == out.tobytes()
    for how, work in (
        ("ascontiguousarray", np.ascontiguousarray),
        ("copyto", lambda view: np.copyto(out, view)),
    ):
        times = times_of(work, arrays, runs)
        median, low, high = (times[int(q * (runs - 1))] for q in (0.5, 0.1, 0.9))
        one, most = ours[name][1], ours[name][max(ours[name])]
        print(
            f"| {name} | {how} | {median:.2f} | {low:.2f} to {high:.2f} | "
            f"{2e-6 * first.nbytes / median:.1f} | {low / one:.1f} | {low / most:.1f} |",
            flush=True,
        )


def main():
    ours = read_ours(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    threads = max(max(row) for row in ours.values())
    print(f"| permute | NumPy {np.__version__} | median ms | 10 to 90 % of runs | GB/s |"
          f" ours, 1 thread | ours, {threads} threads |\n|---|---|---|---|---|---|---|")
    for case in CASES:
        measure(*case, runs, ours)


main()
