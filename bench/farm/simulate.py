#!/usr/bin/env python3
"""simulate.py [FOLDER]: what a farm of 1 to 10,000 nodes would do with a million pairs of 4K frames. Prints the
table of bench/results/farm.md and draws the curves of docs/farm.md into FOLDER, as SVG.

It takes what was measured on one node from bench/results: pairs a second of batches and video, and from FARM
below what has no table. Nodes score shares, and read from one storage whose bandwidth they share evenly. A node
fails at random. Its share is queued again, and goes on where it was. The merge is one process at the end.

It is arithmetic about what was measured, not a measurement: network, caches and stragglers are not in it."""
import heapq
import math
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRAMES = 1_000_000
NIGHT = 10 * 3600  # seconds
FARM = {
    "requeue": 120.0,  # seconds until Slurm starts a task again; tests/system/farm.sh
    "start": 1.0,  # seconds from the start of a task to its first pair; 0.9 with NVDEC, less without
    "tasks": 20.0,  # tasks that a scheduler starts in a second; assumed
    "merge": 4.0 / 20_000,  # seconds of a merge for each pair: 4.0 s of CPU for 20,000 in 8 shares
    "failure": 24 * 3600.0,  # mean seconds between the failures of one node; assumed, and bad
    "shares": 2,  # shares for each node, so that a node that fails early does not end last
}


def figure(name, pattern):
    """Returns a number of a table in bench/results."""
    text = (ROOT / "bench/results" / name).read_text(encoding="utf-8")
    found = re.search(pattern, text, re.M | re.S)
    if not found:
        raise SystemExit(f"{name}: nothing like {pattern}")
    return float(found[1])


def nodes():
    """Returns name, pairs a second of one node, and megabytes of a pair."""
    cpu = figure("batch-cpu.md", r"^\| whole \| ([0-9.]+)")  # on two cores
    png = figure("batch-h200.md", r"as PNG.*?^\| whole \| ([0-9.]+)")
    jpeg = figure("batch-h200.md", r"as JPEG.*?^\| whole \| ([0-9.]+)")
    video = figure("video-h200.md", r"^\| 4K H.264, HEVC \| [0-9.]+ \| ([0-9.]+)")
    photo = (ROOT / "testdata/dandelion-ref.png").stat().st_size / 1e6
    small = (ROOT / "testdata/dandelion-jpeg-q50.jpg").stat().st_size / 1e6
    return [("PNG, 2 cores", cpu, 16.0), ("PNG, GPU and 16 cores", png, 2 * photo),
            ("JPEG, GPU and 16 cores", jpeg, 2 * small), ("H.264 against HEVC, GPU", video, (20 + 9) / 8 / 24)]


def simulate(count, speed, pair, storage, failure=FARM["failure"], seed=1):
    """Returns the seconds that `count` nodes take for FRAMES pairs. `speed`: pairs a second of one node, `pair`:
    megabytes of a pair, `storage`: megabytes a second of all. Between two events every node that works has the
    same speed. So `done`, the pairs that a node has scored since the beginning, tells when each share ends."""
    dice = random.Random(seed)
    shares = count * FARM["shares"]
    waiting = [(i / FARM["tasks"], FRAMES / shares) for i in range(shares)]  # when it may start, pairs
    heapq.heapify(waiting)
    starting, working = [], []  # (time, pairs), (pairs done at its end, number)
    idle, now, done, lost = count, 0.0, 0.0, set()
    number, left = 0, {}
    while waiting or starting or working:
        while waiting and idle and waiting[0][0] <= now:
            idle -= 1
            heapq.heappush(starting, (now + FARM["start"], heapq.heappop(waiting)[1]))
        rate = min(speed, storage / pair / max(1, len(left)))
        events = []
        if working:
            events.append((now + (working[0][0] - done) / rate, "end"))
        if starting:
            events.append((starting[0][0], "begin"))
        if waiting and idle:
            events.append((waiting[0][0], "wait"))
        if left and failure:  # of all that work, the next failure
            events.append((now + dice.expovariate(len(left) / failure), "fail"))
        then, event = min(events)
        done += (then - now) * rate if left else 0
        now = then
        if event == "begin":
            number += 1
            left[number] = done + heapq.heappop(starting)[1]
            heapq.heappush(working, (left[number], number))
        elif event == "end":
            del left[heapq.heappop(working)[1]]
            idle += 1
        elif event == "fail":  # the node comes back with the task: what lacks is its pairs in flight and the wait
            victim = dice.choice(list(left))
            lost.add(victim)
            heapq.heappush(waiting, (now + FARM["requeue"], left.pop(victim) - done))
            idle += 1
        while working and working[0][1] in lost:
            lost.discard(heapq.heappop(working)[1])
    return now + FRAMES * FARM["merge"]


def saturation(speed, pair, storage):
    """Returns how many nodes read as fast as the storage can."""
    return storage / (speed * pair)


def enough(speed, pair, storage):
    """Returns the fewest nodes that finish in a night; None if none do."""
    low, high = 0, 1
    while simulate(high, speed, pair, storage) > NIGHT:
        low, high = high, high * 2
        if high > 20_000:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if simulate(middle, speed, pair, storage) <= NIGHT else (middle, high)
    return high


# ---- Curves ---------------------------------------------------------------------------------------------------

COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e"]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 430, 70, 40, 30, 50


def curves(path, title, labels, span, rows, line=None):
    """Draws curves with logarithmic axes. `labels`: of x and y; `span`: least and most y; rows: (name, points)."""
    def x_of(value):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(value) / 4

    def y_of(value):
        return TOP + (HEIGHT - TOP - BOTTOM) * math.log10(span[1] / value) / math.log10(span[1] / span[0])

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           f'font-size="13">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="22" font-size="15">{title}</text>']
    for power in range(5):
        x = x_of(10 ** power)
        out.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10 ** power:,}</text>')
    for power in range(math.ceil(math.log10(span[0])), math.floor(math.log10(span[1])) + 1):
        y = y_of(10 ** power)
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{LEFT - 6}" y="{y + 4:.1f}" '
                   f'text-anchor="end">{10.0 ** power:,g}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{labels[0]}</text>'
               f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{labels[1]}</text>')
    if line:
        y = y_of(line[0])
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#444" stroke-dasharray="6 4"/>'
                   f'<text x="{LEFT + 6}" y="{y - 5:.1f}">{line[1]}</text>')
    for i, (name, points) in enumerate(rows):
        inside = [(x_of(n), y_of(min(max(v, span[0]), span[1]))) for n, v in points]
        path_text = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in inside)
        out.append(f'<path d="{path_text}" fill="none" stroke="{COLOURS[i]}" stroke-width="2"/>')
        y = TOP + 16 + 18 * i
        out.append(f'<path d="M{WIDTH - 250} {y - 4}h24" stroke="{COLOURS[i]}" stroke-width="2"/>'
                   f'<text x="{WIDTH - 220}" y="{y}">{name}</text>')
    path.write_text("\n".join(out + ["</svg>"]) + "\n", encoding="utf-8")


def main():
    counts = sorted({round(10 ** (i / 8)) for i in range(33)})
    kinds, big = nodes(), 100_000.0
    print("| node | pairs/s | MB of a pair | nodes for a night, at 10 GB/s | at 1 GB/s | storage of 10 GB/s is full at "
          "| the least time with it |\n|---|---|---|---|---|---|---|")
    for name, speed, pair in kinds:
        few = [enough(speed, pair, storage) or "none suffice" for storage in (10_000.0, 1_000.0)]
        least = min(simulate(count, speed, pair, 10_000.0) for count in counts)
        print(f"| {name} | {speed:g} | {pair:.2f} | {few[0]} | {few[1]} | {saturation(speed, pair, 10_000.0):,.0f} "
              f"nodes | {least / 3600:.2f} h |")
    name, speed, pair = kinds[0]
    calm, rough = (simulate(4, speed, pair, big, failure) for failure in (0, 3600.0))
    print(f"\n4 nodes of {name}, without failures and with one of each node in 1 h: "
          f"{calm / 3600:.2f} h and {rough / 3600:.2f} h")
    if len(sys.argv) < 2:
        return
    folder = pathlib.Path(sys.argv[1])
    curves(folder / "night.svg", "A million pairs of 4K frames, from storage of 10 GB/s", ("nodes", "hours"), (0.05, 300),
           [(name, [(n, simulate(n, speed, pair, 10_000.0) / 3600) for n in counts]) for name, speed, pair in kinds],
           (NIGHT / 3600, "a night of 10 hours"))
    name, speed, pair = kinds[1]
    curves(folder / "storage.svg", f"Where shared storage is full: {name}", ("nodes", "pairs a second"), (10, 400_000),
           [(f"storage of {storage / 1000:g} GB/s", [(n, FRAMES / simulate(n, speed, pair, storage)) for n in counts])
            for storage in (1_000.0, 10_000.0, 100_000.0, 1_000_000.0)])


main()
