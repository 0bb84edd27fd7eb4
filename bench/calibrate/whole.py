#!/usr/bin/env python3
"""whole.py PROGRAM SHOTS [OTHER...]: what the rules of the whole frame find beside those of its tiles, as Markdown.

SHOTS/SHOT/seedNN/FFFF.png are renders as evaluate.py has them, of 16 seeds. Each of eight seeds is once the reference, the
eight seeds behind it are accepted, and the seven behind those are held out: their clean frames show false alarms. Three
held-out seeds of every other reference are damaged, a little and all over. OTHER are directories of the same form, such as
renders with half of the samples (SHOT/seedNN/FFFF.png, any seeds), which are judged by the same limits. --denoised
smooths all renders first, as a denoiser does."""
import argparse
import json
import pathlib
import tempfile

import numpy as np

import evaluate
import faults

SEEDS, ACCEPTED, RATES = 16, 8, (0.01, 0.003, 0.001)


def moved(picture, by):
    """Along the rows, by the Fourier transform, which keeps the noise as strong as it was."""
    width = picture.shape[1]
    there = np.fft.rfft(np.concatenate([picture, picture[:, ::-1]], 1), axis=1)
    turn = np.exp(-2j * np.pi * np.fft.rfftfreq(2 * width) * by)
    return np.fft.irfft(there * turn[None, :, None], 2 * width, axis=1)[:, :width]


def around(picture, reach):
    padded = np.pad(picture, [(reach, reach)] * 2 + [(0, 0)], mode="reflect")
    height, width = picture.shape[:2]
    size = 2 * reach + 1
    return [padded[y:y + height, x:x + width] for y in range(size) for x in range(size)]


def median(picture):
    return np.median(around(picture, 1), axis=0)


def smoothed(picture, spread=1.5, levels=14.0):
    """A bilateral filter of 7 x 7, guided by a blur of the picture."""
    guide, total, weights = faults.gaussian(picture, 1.0), 0, 0
    for at, (near, there) in enumerate(zip(around(picture, 3), around(guide, 3))):
        far = (at // 7 - 3) ** 2 + (at % 7 - 3) ** 2
        weight = np.exp(-far / (2 * spread**2) - ((there - guide) ** 2).sum(2) / (2 * levels**2))[..., None]
        total, weights = total + weight * near, weights + weight
    return total / weights


# Each gets the picture, the mean of all seeds, and the next seed.
FAULTS = {"1 % brighter": lambda p, m, o: p * 1.01,
          "2 % brighter": lambda p, m, o: p * 1.02,
          "2 % brighter at one edge": lambda p, m, o: p * (1 + 0.02 * np.linspace(0, 1, p.shape[1])[None, :, None]),
          "cast of 1 %": lambda p, m, o: p * np.array([1.01, 1, 0.99]),
          "gamma 1.02": lambda p, m, o: 255 * (p / 255) ** (1 / 1.02),
          "10 % more noise": lambda p, m, o: m + 1.1 * (p - m),
          "10 % less noise": lambda p, m, o: m + 0.9 * (p - m),
          "noise of half the samples": lambda p, m, o: m + 2**0.5 * (p - m),
          "mean of two seeds": lambda p, m, o: (p + o) / 2,
          "20 % of a blur": lambda p, m, o: 0.8 * p + 0.2 * faults.gaussian(p, 1),
          "20 % of a median": lambda p, m, o: 0.8 * p + 0.2 * median(p),
          "20 % of a denoiser": lambda p, m, o: 0.8 * p + 0.2 * smoothed(p),
          "moved by a quarter of a pixel": lambda p, m, o: moved(p, 0.25),
          "moved by half a pixel": lambda p, m, o: moved(p, 0.5)}
DENOISED = {"1 % brighter": lambda p, m, o: smoothed(p * 1.01),
            "half the samples, denoised": lambda p, m, o: smoothed(m + 2**0.5 * (p - m)),
            "denoised more lightly": lambda p, m, o: smoothed(p, 1.2, 11.0),
            "10 % not denoised": lambda p, m, o: 0.9 * smoothed(p) + 0.1 * p,
            "moved by a quarter of a pixel": lambda p, m, o: moved(smoothed(p), 0.25)}


def make_trees(folder, frames):
    """FOLDER/clean/sN and FOLDER/FAULT/sN, each SHOT/FFFF.png."""
    kinds = DENOISED if options.denoised else FAULTS
    for shot, names in frames.items():
        for name in names:
            seeds = [faults.load(options.shots / shot / f"seed{s:02}" / name) for s in range(SEEDS)]
            mean = np.mean(seeds, 0)
            for s, picture in enumerate(seeds):
                made = {"clean": smoothed(picture) if options.denoised else picture}
                made |= {kind: fault(picture, mean, seeds[(s + 1) % SEEDS]) for kind, fault in kinds.items()}
                for kind, damaged in made.items():
                    path = folder / kind / f"s{s}" / shot / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    faults.save(damaged, path)
    return list(kinds)


def link_others(folder, frames):
    """FOLDER/NAME/sN of each directory that was rendered; the seeds that all shots have."""
    kinds = {}
    for other in options.others:
        seeds = set.intersection(*({d.name for d in (other / shot).iterdir()} for shot in frames))
        for seed in sorted(seeds):
            for shot in frames:
                for path in (other / shot / seed).glob("????.png"):
                    to = folder / other.name / seed / shot / path.name
                    to.parent.mkdir(parents=True, exist_ok=True)
                    to.symlink_to(path.resolve())
        kinds[other.name] = sorted(seeds)
    return kinds


def score(limits, reference, out, results):
    results.unlink(missing_ok=True)
    evaluate.ssimcu("-q", "--recursive", "--limits", limits, "--output", results, reference, out, expect=(0, 1, 3))
    lines = map(json.loads, results.read_text().splitlines())
    return [(r["shot"], r["learned"]) for r in lines if r["type"] == "frame" and "learned" in r]


def beyond(shot, learned, limits, whole):
    """By a rule of tiles, or (whole) by any."""
    own = next(s["max_excess"] for s in limits if s["match"] in (shot + "/*", "*"))
    return any(learned[rule] > limit for rule, limit in own.items() if whole or not rule.startswith("frame_"))


def main(folder):
    evaluate.options = options
    frames = evaluate.complete(range(SEEDS))
    kinds, others = make_trees(folder, frames), link_others(folder, frames)
    limits, clean, found = {}, [], {}
    for reference in range(0, SEEDS, 2):
        tree = [folder / "clean" / f"s{(reference + i) % SEEDS}" for i in range(SEEDS)]
        for rate in RATES:
            file = folder / f"l{reference}-{rate}.json"
            evaluate.calibrate(file, tree[0], tree[1:ACCEPTED + 1], rate)
            limits[reference, rate] = json.loads(file.read_text())["learned"]["shots"]
        for held in tree[ACCEPTED + 1:]:
            clean += [(reference, *r) for r in score(file, tree[0], held, folder / "r.jsonl")]
        if reference % 4:
            continue
        runs = [(kind, folder / kind / tree[i].name) for kind in kinds for i in (9, 11, 13)]
        runs += [(kind, folder / kind / seed) for kind, seeds in others.items() for seed in seeds]
        for kind, run in runs:
            found.setdefault(kind, []).extend((reference, *r) for r in score(file, tree[0], run, folder / "r.jsonl"))

    def hits(records, rate, whole):
        return [beyond(shot, learned, limits[reference, rate], whole) for reference, shot, learned in records]

    evaluate.table(["clean frames beyond a limit, --false-alarms", "rules of tiles", "and of the frame"],
                   [[str(rate)] + [evaluate.rate_of(sum(h), len(h)) for h in (hits(clean, rate, w) for w in (False, True))]
                    for rate in RATES])
    evaluate.table(["fault of the whole frame, % found: rules of tiles -> and of the frame", "frames", *map(str, RATES)],
                   [[kind, str(len(records))] + [" -> ".join(evaluate.share(hits(records, rate, w)) for w in (False, True))
                                                 for rate in RATES] for kind, records in found.items()])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shots", type=pathlib.Path)
    parser.add_argument("others", type=pathlib.Path, nargs="*")
    parser.add_argument("--denoised", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        main(pathlib.Path(name))
