#!/usr/bin/env python3
"""evaluate.py PROGRAM SHOTS [--sketch [--learnt]] [--places N]: what the calibrated gate keeps of its promises, as Markdown.

SHOTS/SHOT/seedNN/FFFF.png are renders of the same frames with other seeds, as render.py makes them. Half of the seeds
calibrates: the first is the reference, the others are accepted. The other half is held out. Its clean frames show
false alarms, and frames damaged by faults.py show what is found. PROGRAM scores them with --limits, and its verdict is
what counts. The rules that people use today judge the same frames.

--sketch: 8 accepted runs, 20 held out, the 17 faults of the sketch, and for each rule of the learned limits one limit for all:
the highest number of a clean held-out frame, so that none of those is a false alarm. --learnt keeps the limits that
the program learns at a rate of 0.01 instead. --places N: every fault at N places."""
import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy as np

import faults

RATES = (0.1, 0.01, 0.001)
RULES = ("score", "level_shift", "difference", "texture", "bright", "dark", "frame_score", "frame_level_shift", "frame_difference",
         "frame_texture")


# ---- The program -------------------------------------------------------------------------------------


def ssimcu(*arguments, expect=(0,)):
    done = subprocess.run([options.program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in expect:
        sys.exit(f"{' '.join(done.args)}: exit {done.returncode}\n{done.stderr}")
    return done


def link(tree, seed, frames):
    """A tree that holds these frames of a seed: TREE/SHOT/FFFF.png."""
    for shot, names in frames.items():
        (tree / shot).mkdir(parents=True)
        for name in names:
            os.symlink(options.shots / shot / f"seed{seed:02}" / name, tree / shot / name)
    return tree


def calibrate(limits, reference, accepted, rate):
    ssimcu("calibrate", "--recursive", "--false-alarms", rate, "--output", limits, reference, *accepted)


def score(limits, reference, out, results):
    """Records by (shot, frame), with what the verdict says of each as "beyond"."""
    results.unlink(missing_ok=True)
    ssimcu("-q", "--recursive", "--limits", limits, "--output", results, reference, out, expect=(0, 1))
    return read(results)


def rejudge(limits, scored, results):
    """The same frames against limits at another rate, which only a merge is needed for."""
    results.unlink(missing_ok=True)
    ssimcu("-q", "--limits", limits, "--output", results, "merge", scored, expect=(0, 1))
    return read(results)


def read(results):
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    records = {(r["shot"], r["frame"]): r for r in lines if r["type"] == "frame"}
    for record in records.values():
        record["beyond"] = False
    for frame in lines[-1]["verdict"]["frames"]:
        records[frame["shot"], frame["frame"]]["beyond"] = True
    assert lines[-1]["verdict"]["passed"] != any(r["beyond"] for r in records.values())
    return records


# ---- The rules ---------------------------------------------------------------------------------------


def beyond_learned(record, shots):
    """How far a frame is over its learned limits, as a multiple of its shot's limits: above 1 the program says no."""
    limits = next(s["max_excess"] for s in shots if s["match"] in (record["shot"] + "/*", "*"))
    return max(record["learned"][rule] / limits[rule] for rule in RULES)


class Peers:
    """Rules that people use. Each gives a number that is higher for a worse frame."""

    NAMES = {"one --min-tile": 0.0, "--min-tile per shot": 0.0, "--min-frame": 0.0, "idiff": 0.01,
             "mean - 4 sigma": 4.0, "z-test": 0.0025}

    def __init__(self, half, records):
        """Learns from the reference and the accepted runs of a half; records are those of the accepted runs."""
        self.half, self.pixels = half, {}
        shots = {r["shot"] for r in records}
        self.tile = {s: min(r["tile"]["score"] for r in records if r["shot"] == s) for s in shots}
        self.frame = min(r["score"] for r in records)
        self.scores = {}
        for shot in shots:
            found = [r["score"] for r in records if r["shot"] == shot]
            self.scores[shot] = statistics.mean(found), statistics.stdev(found)

    def learnt(self, shot, frame):
        """Reference, mean and deviation of each pixel."""
        if (shot, frame) not in self.pixels:
            runs = [faults.load(options.shots / shot / f"seed{s:02}" / frame) for s in self.half]
            mean, variance = np.mean(runs[1:], 0), np.var(runs[1:], 0, ddof=1)
            # A pixel that is the same in all runs may still be another by rounding.
            self.pixels[shot, frame] = runs[0], mean, np.sqrt((variance + 1 / 12) * (1 + 1 / len(runs[1:])))
        return self.pixels[shot, frame]

    def judge(self, record, path):
        """The number of each rule; above that of NAMES a frame is beyond it as people use it."""
        shot = record["shot"]
        picture, (reference, mean, sigma) = faults.load(path), self.learnt(shot, pathlib.Path(path).name)
        each = 1 - (1 - 0.01) ** (1 / picture[..., 0].size)  # Sidak, for a significance of 1 % of a frame
        farthest = statistics.NormalDist().inv_cdf(1 - each / 2)
        average, spread = self.scores[shot]
        return {"one --min-tile": min(self.tile.values()) - record["tile"]["score"],
                "--min-tile per shot": self.tile[shot] - record["tile"]["score"],
                "--min-frame": self.frame - record["score"],
                "idiff": float((np.abs(picture - reference).max(2) > 0.016 * 255).mean()),
                "mean - 4 sigma": (average - record["score"]) / spread,
                "z-test": float((np.abs(picture - mean) > farthest * sigma).mean())}


# ---- Numbers -----------------------------------------------------------------------------------------


def interval(hits, count):
    """The 95 % interval of Clopper and Pearson, by halving."""
    def at_most(k, p):
        return sum(math.exp(math.lgamma(count + 1) - math.lgamma(i + 1) - math.lgamma(count - i + 1) +
                            i * math.log(p) + (count - i) * math.log1p(-p)) for i in range(k + 1))

    def solve(k, wanted):
        low, high = 1e-12, 1 - 1e-12
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if at_most(k, middle) > wanted else (low, middle)
        return low

    return 0 if hits == 0 else solve(hits - 1, 0.975), 1 if hits == count else solve(hits, 0.025)


def rate_of(hits, count):
    low, high = interval(hits, count)
    return f"{hits} of {count}: {100 * hits / count:.2f} % ({100 * low:.2f} to {100 * high:.2f})"


def share(found):
    return f"{100 * statistics.mean(found):.0f}" if found else ""


def table(head, rows):
    print("|", " | ".join(head), "|")
    print("|" + "---|" * len(head))
    for row in rows:
        print("|", " | ".join(row), "|")
    print(flush=True)


# ---- The evaluation ----------------------------------------------------------------------------------


def complete(seeds):
    """The frames of each shot that every seed has."""
    shots = sorted(d.name for d in options.shots.iterdir() if (d / "seed00").is_dir())
    return {s: sorted(set.intersection(*({p.name for p in (options.shots / s / f"seed{n:02}").glob("????.png")}
                                         for n in seeds))) for s in shots}


def path_of(record):
    return record["out"]["path"]


def false_alarms(folder, halves, frames):
    """Clean frames beyond the limits, for each half as the accepted one."""
    counts = {}
    for number, (half, held) in enumerate(halves):
        for runs in (8, len(half) - 1):
            for rate in RATES:
                calibrate(folder / f"{number}-{runs}-{rate}.json", folder / f"s{half[0]}",
                          [folder / f"s{s}" for s in half[1:runs + 1]], rate)
            for seed in held:
                scored = folder / f"clean-{number}-{runs}-{seed}.jsonl"
                score(folder / f"{number}-{runs}-{RATES[0]}.json", folder / f"s{half[0]}", folder / f"s{seed}", scored)
                for rate in RATES:
                    for (shot, _), record in rejudge(folder / f"{number}-{runs}-{rate}.json", scored,
                                                     folder / "again.jsonl").items():
                        for name in (shot, "all"):
                            counts.setdefault((runs, rate, name), []).append(record["beyond"])
    print("### False alarms on the half that is held out\n")
    table(["accepted runs", "--false-alarms", *frames, "all"],
          [[str(runs), str(rate)] + [rate_of(sum(counts[runs, rate, name]), len(counts[runs, rate, name]))
                                     for name in (*frames, "all")]
           for runs in sorted({key[0] for key in counts}) for rate in RATES])


def found_by(folder, limits, reference, held, frames, peers):
    """Every fault in frames of the seeds that are held out: (fault, record, numbers of the peers)."""
    for kind, size in faults.kinds(options.sketch):
        for place in range(options.places):
            for seed in held:
                tree = folder / "damaged"
                for shot, names in frames.items():
                    (tree / shot).mkdir(parents=True)
                    for name in names:
                        rng = np.random.default_rng([2026, place, seed, int(name[:-4]), *f"{shot}{kind}{size}".encode()])
                        picture = faults.load(options.shots / shot / f"seed{seed:02}" / name)
                        faults.save(faults.damage(picture, kind, size, rng), tree / shot / name)
                for number, file in enumerate(limits):
                    for record in score(file, reference, tree, folder / "damaged.jsonl").values():
                        yield number, (kind, size), record, peers.judge(record, path_of(record)) if number == 0 else None
                shutil.rmtree(tree)


def by_size(found):
    """Detection in percent: a row for each fault, a column for each size."""
    rows = [[kind] + [share([hit for fault, hit in found if fault == (kind, size)]) for size in faults.SIZES]
            for kind in faults.SQUARES]
    table(["fault, % found", *map(str, faults.SIZES)], rows)
    table(["fault", "% found"], [[kind, share([hit for fault, hit in found if fault[0] == kind])]
                                 for kind in faults.OTHERS if any(fault[0] == kind for fault, _ in found)])


def by_shot(damaged):
    """Detection in percent: a row for each kind of fault, all its sizes together, a column for each shot."""
    shots = sorted({shot for _, shot, _ in damaged})
    rows = [[kind] + [share([n["calibrated"] > 1 for (name, _), s, n in damaged if (name, s) == (kind, shot)])
                      for shot in shots] for kind in dict.fromkeys(kind for (kind, _), _, _ in damaged)]
    mean = [mean_of([(fault, n["calibrated"] > 1) for fault, s, n in damaged if s == shot]) for shot in shots]
    table(["fault, % found, all sizes", *shots], rows + [["mean over kinds and sizes", *mean]])


def mean_of(found):
    """Every fault counts the same."""
    every = {}
    for fault, hit in found:
        every.setdefault(fault, []).append(hit)
    return f"{100 * statistics.mean(map(statistics.mean, every.values())):.1f}"


def compare(clean, damaged, names):
    """All rules as people use them, and then each at no false alarm: the highest number of a clean frame is its limit."""
    highest = {name: max(numbers[name] for numbers in clean) for name in names}
    rows = []
    for name, used in names.items():
        rows.append([name, rate_of(sum(numbers[name] > used for numbers in clean), len(clean)),
                     mean_of([(fault, numbers[name] > used) for fault, numbers in damaged]),
                     mean_of([(fault, numbers[name] > highest[name]) for fault, numbers in damaged])])
    table(["rule", "as people use it: false alarms", "found, %", "with no false alarm: found, %"], rows)
    print("Found in %, by fault, with no false alarm:\n")
    every = dict.fromkeys(fault for fault, _ in damaged)
    table(["fault", *names], [[f"{kind} {size or ''}".strip()] +
                              [share([numbers[name] > highest[name] for fault, numbers in damaged if fault == (kind, size)])
                               for name in names] for kind, size in every])


def tile_per_shot(clean):
    """--min-tile per shot at no false alarm has a limit for each shot: numbers are made relative to its worst clean frame."""
    worst = {}
    for shot, numbers in clean:
        worst[shot] = max(worst.get(shot, -9.0), numbers["--min-tile per shot"])
    return worst


def evaluate(folder):
    seeds = range(30) if options.sketch else range(24)
    frames = complete(seeds)
    print(f"{len(frames)} shots, frames complete in {len(seeds)} seeds: " +
          ", ".join(f"{shot} {len(names)}" for shot, names in frames.items()) + "\n")
    for seed in seeds:
        link(folder / f"s{seed}", seed, frames)
    half, held = (list(range(9)), list(range(9, 29))) if options.sketch else (list(range(12)), list(range(12, 24)))
    if not options.sketch:
        false_alarms(folder, [(half, held), (held, half)], frames)
    reference = folder / f"s{half[0]}"
    counts = [len(half) - 1] if options.sketch else [len(half) - 1, 8]
    limits = [folder / f"limits-{runs}.json" for runs in counts]
    for runs, file in zip(counts, limits):
        calibrate(file, reference, [folder / f"s{s}" for s in half[1:runs + 1]], 0.01)
    clean = [r for s in held for r in score(limits[0], reference, folder / f"s{s}", folder / "r.jsonl").values()]
    accepted = [r for s in half[1:] for r in score(limits[0], reference, folder / f"s{s}", folder / "r.jsonl").values()]
    peers = Peers(half, accepted)
    if options.sketch and not options.learnt:
        highest = {rule: math.ceil(1000 * max(r["learned"][rule] for r in clean)) / 1000 for rule in RULES}
        whole = json.loads(limits[0].read_text())
        whole["learned"]["shots"] = [{"match": "*", "max_excess": highest}]
        limits[0].write_text(json.dumps(whole))
        print("Limits:", ", ".join(f"{rule} {value}" for rule, value in highest.items()) + "\n")
        for seed in held:
            again = score(limits[0], reference, folder / f"s{seed}", folder / "r.jsonl").values()
            assert not any(r["beyond"] for r in again)
    shots = json.loads(limits[0].read_text())["learned"]["shots"]
    learnt = [{"calibrated": beyond_learned(r, shots), **peers.judge(r, path_of(r))} for r in clean]
    # Every fourth frame of a shot is damaged, which is enough to tell.
    some = {shot: names[::4] for shot, names in frames.items()}
    reference = link(folder / "reference", half[0], some)
    first, damaged, others = [], [], []
    for number, fault, record, numbers in found_by(folder, limits, reference, held, some, peers):
        if number:
            others.append((fault, record["beyond"]))
            continue
        excess = beyond_learned(record, shots)
        assert (excess > 1) == record["beyond"], record
        first.append((fault, record["beyond"]))
        damaged.append((fault, record["shot"], {"calibrated": excess, **numbers}))
    print(f"### What the program finds, {counts[0]} accepted runs, {len(damaged)} damaged frames\n")
    sketched = options.sketch and not options.learnt
    print("Limits of no false alarm among the clean frames above.\n" if sketched else "`--false-alarms 0.01`.\n")
    by_size(first)
    by_shot(damaged)
    print(f"The mean over the faults is {mean_of(first)} %" + (f", with 8 accepted runs {mean_of(others)} %.\n" if others else ".\n"))
    print("### Beside the rules that people use\n")
    worst = tile_per_shot([(r["shot"], n) for r, n in zip(clean, learnt)])
    names = {"calibrated": 1.0, **Peers.NAMES}
    compare(learnt, [(fault, n) for fault, _, n in damaged], names)
    hits = [(fault, n["--min-tile per shot"] > worst[shot]) for fault, shot, n in damaged]
    print(f"With a `--min-tile` for each shot that lets its clean frames just pass: {mean_of(hits)} %.\n")


options = None
if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("shots", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--sketch", action="store_true")
    parser.add_argument("--learnt", action="store_true")
    parser.add_argument("--places", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        evaluate(pathlib.Path(scratch))
