#!/usr/bin/env python3
"""bench_ssim_cpu_peers.py BUILD REF OUT: times ssimcu on the CPU beside scikit-image, OpenCV and ffmpeg
on the same pair, in turns. Then it times the whole program beside decoding both files. Prints Markdown tables.

Needs scikit-image, opencv-contrib-python-headless and Pillow. ffmpeg is left out if it is missing. Its
`ssim` filter is another metric: 8x8 box windows every 4 pixels. Its time is that of 21 frames less that
of one, with decoded pixels in the disk cache."""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import cv2
import numpy
import skimage
from PIL import Image
from skimage.metrics import structural_similarity

ROUNDS, WALL_ROUNDS = 5, 21


def timed(work):
    start = time.perf_counter()
    result = work()
    return 1e3 * (time.perf_counter() - start), result


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def ours(build, ref, out):
    table = run(f"{build}/bench/bench_ssim_cpu", ref, out, "5").splitlines()
    score = float(next(line for line in table if "score" in line).split("score ")[1].split(";")[0])
    best = next(line for line in table if line.startswith("| best"))
    return float(best.split("|")[3]), score


def by_skimage(ref, out):
    return timed(lambda: structural_similarity(ref, out, gaussian_weights=True, sigma=1.5,
                                               use_sample_covariance=False, data_range=255,
                                               channel_axis=2))


def by_opencv(ref, out):
    ms, score = timed(lambda: cv2.quality.QualitySSIM_compute(ref, out)[0])
    return ms, sum(score[:3]) / 3


def by_ffmpeg(files, size):
    def score(frames):
        sources = []
        for file in files:
            sources += ["-stream_loop", str(frames - 1), "-f", "rawvideo", "-pix_fmt", "gbrp", "-s", size,
                        "-i", file]
        log = subprocess.run(["ffmpeg", "-hide_banner", *sources, "-lavfi", "ssim", "-f", "null", "-"],
                             check=True, capture_output=True, text=True).stderr
        return float(log.split("All:")[1].split()[0])
    many, value = timed(lambda: score(21))
    one, _ = timed(lambda: score(1))
    return (many - one) / 20, value


def planar(picture, folder, name):
    path = os.path.join(folder, name)
    picture.transpose(2, 0, 1)[[1, 2, 0]].tofile(path)
    return path


def main():
    build, ref_path, out_path = sys.argv[1:]
    ref, out = (numpy.asarray(Image.open(path).convert("RGB")) for path in (ref_path, out_path))
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        raw = [planar(ref, folder, "ref"), planar(out, folder, "out")]
        peers = {
            "ssimcu": lambda: ours(build, ref_path, out_path),
            f"scikit-image {skimage.__version__}": lambda: by_skimage(ref, out),
            f"OpenCV {cv2.__version__} QualitySSIM": lambda: by_opencv(ref, out),
        }
        if shutil.which("ffmpeg"):
            peers["ffmpeg ssim filter (another metric)"] = lambda: by_ffmpeg(
                raw, f"{ref.shape[1]}x{ref.shape[0]}")
        for _ in range(ROUNDS):
            for name, peer in peers.items():
                results.setdefault(name, []).append(peer())
    base = statistics.median(ms for ms, _ in results["ssimcu"])
    print("| SSIM alone | median ms | min | max | times ssimcu | score |\n|---|---|---|---|---|---|")
    for name, rounds in results.items():
        ms = [each[0] for each in rounds]
        print(f"| {name} | {statistics.median(ms):.1f} | {min(ms):.1f} | {max(ms):.1f} | "
              f"{statistics.median(ms) / base:.1f} | {rounds[0][1]:.9f} |")

    wall = {"decode": [], "ssimcu": []}
    for _ in range(WALL_ROUNDS):
        wall["decode"].append(timed(
            lambda: run(f"{build}/bench/bench_ssim_cpu", "decode", ref_path, out_path))[0])
        wall["ssimcu"].append(timed(
            lambda: run(f"{build}/cli/ssimcu", "--device", "cpu", ref_path, out_path))[0])
    ratio = statistics.median(b / a for a, b in zip(wall["decode"], wall["ssimcu"]))
    print("\n| whole program | median ms | min | max |\n|---|---|---|---|")
    for name, label in (("decode", "decode both files on two threads"), ("ssimcu", "ssimcu --device cpu")):
        ms = wall[name]
        print(f"| {label} | {statistics.median(ms):.1f} | {min(ms):.1f} | {max(ms):.1f} |")
    print(f"\nRatio, median of {WALL_ROUNDS} pairs: {ratio:.3f}")


main()
