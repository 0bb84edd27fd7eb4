#!/usr/bin/env python3
"""Recomputes the scores that the cases of all topics expect, without ssimcu.

    check_scores.py            every case with one plain command and a score line
    check_scores.py OPTION...  prints the score of one pair, written as in a case: --pad zero a.png b.png

scikit-image scores windows inside the frame; windows with zeros around the frame are summed here in
float64. pypng decodes PNG, djpeg decodes JPEG, Pillow reads EXIF's orientation.
Needs: scikit-image, pypng, Pillow, numpy, scipy, and djpeg of libjpeg-turbo.
"""

import argparse
import io
import pathlib
import re
import subprocess
import sys

import numpy as np
import png
from PIL import Image, ImageOps
from scipy.ndimage import correlate1d
from skimage.metrics import structural_similarity

HERE = pathlib.Path(__file__).resolve().parent
TESTDATA = HERE.parent.parent / "testdata"
PLAIN = re.compile(r"ssimcu( --(pad|color|alpha) \w+)*( \$T/[\w.-]+){2}")
LUMA = {"y709": (2126, 7152, 722), "y601": (2990, 5870, 1140)}


def decode(path):
    """(height, width, channels) integers, and their peak."""
    if path.read_bytes()[:4] == b"\x89PNG":
        width, height, rows, info = png.Reader(filename=str(path)).asDirect()
        peak = 2 ** info["bitdepth"] - 1
        pixels = np.array([list(row) for row in rows]).reshape(height, width, info["planes"])
        return (pixels, peak) if peak >= 255 else (pixels * (255 // peak), 255)
    pnm = subprocess.run(["djpeg", "-pnm", path], stdout=subprocess.PIPE, check=True).stdout
    picture = Image.open(io.BytesIO(pnm))
    orientation = Image.open(path).getexif().get(0x0112, 1)
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture.info["exif"] = exif.tobytes()
    pixels = np.asarray(ImageOps.exif_transpose(picture)).astype(int)
    return pixels.reshape(*pixels.shape[:2], -1), 255


def plane_score(x, y, peak, pad):
    if pad == "valid":
        return structural_similarity(x, y, gaussian_weights=True, sigma=1.5, data_range=peak,
                                     use_sample_covariance=False)
    tap = np.exp(-np.arange(-5, 6) ** 2 / (2 * 1.5 ** 2))
    tap /= tap.sum()

    def blur(v):
        return correlate1d(correlate1d(v, tap, axis=0, mode="constant"), tap, axis=1,
                           mode="constant")

    mx, my = blur(x), blur(y)
    vx, vy, cov = blur(x * x) - mx * mx, blur(y * y) - my * my, blur(x * y) - mx * my
    c1, c2 = (0.01 * peak) ** 2, (0.03 * peak) ** 2
    return (((2 * mx * my + c1) * (2 * cov + c2)) /
            ((mx * mx + my * my + c1) * (vx + vy + c2))).mean()


def planes(pixels, peak, background, color):
    """One float64 plane for each channel that is scored."""
    values = pixels.astype(np.float64)
    if values.shape[2] % 2 == 0:
        alpha, values = values[..., -1:] / peak, values[..., :-1]
        if background is not None:
            values = values * alpha + background * (1 - alpha)
    if color != "rgb" and values.shape[2] == 3:
        values = ((values * LUMA[color]).sum(axis=2, keepdims=True) + 5000) / 10000
        values = np.floor(np.round(values, 9))  # an exact half rounds up
    return [values[..., c] for c in range(values.shape[2])]


def channel_scores(options):
    (ref, ref_peak), (out, out_peak) = (decode(TESTDATA / name) for name in options.files)
    peak = max(ref_peak, out_peak)
    ref, out = ref * (peak // ref_peak), out * (peak // out_peak)
    clear = any(p.shape[2] % 2 == 0 and (p[..., -1] < peak).any() for p in (ref, out))
    over = {"worst": [0, peak], "black": [0], "white": [peak], "ignore": [None]}[options.alpha]
    results = []
    for background in over if clear else [None]:
        x, y = (planes(p, peak, background, options.color) for p in (ref, out))
        count = max(len(x), len(y))
        results.append([plane_score(a, b, peak, options.pad)
                        for a, b in zip(x * (count // len(x)), y * (count // len(y)))])
    return min(results, key=np.mean)


def parse(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--pad", default="valid")
    parser.add_argument("--color", default="rgb")
    parser.add_argument("--alpha", default="worst")
    parser.add_argument("files", nargs=2)
    return parser.parse_args(words)


def check_case(path):
    text = path.read_text()
    commands = re.findall(r"^\$ (.*)", text, re.M)
    scores = re.findall(r"^score (\S+)", text, re.M)
    if len(scores) != 1 or len(commands) != 1 or not PLAIN.fullmatch(commands[0]):
        return True
    options = parse(commands[0].replace("$T/", "").split()[1:])
    score = np.mean(channel_scores(options))
    good = abs(score - float(scores[0])) < 6e-10
    print(f"{'ok  ' if good else 'FAIL'} {score:.12f} {scores[0]} {path.parent.name}/{path.stem}")
    return good


if __name__ == "__main__":
    if len(sys.argv) > 1:
        found = channel_scores(parse(sys.argv[1:]))
        print(f"{np.mean(found):.12f}", *(f"{v:.12f}" for v in found))
    else:
        sys.exit(not all([check_case(path) for path in sorted(HERE.glob("*/*.case"))]))
