#!/usr/bin/env python3
"""check.py COMPAT_SCORE [--vmaf FFMPEG] [--ssimulacra2 PROGRAM]: compares the modes of lib/compat with the tools.

It makes twelve pairs, generated and of a photo, and prints a table: the tool's number, ours, the difference, and whether
the digits that the tool prints are ours. It exits with 1 if some are not, and needs numpy, Pillow, scipy and ffmpeg.
FFMPEG is one with libvmaf, PROGRAM is the C++ program. A tool that is missing is left out. fused-ssim needs a GPU, so its
place takes its definition, by scipy's filters."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image
from scipy.ndimage import correlate1d

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"


def hashed(v):
    v = v.astype(np.uint32)
    v = (v ^ v >> np.uint32(16)) * np.uint32(0x7FEB352D)
    v = (v ^ v >> np.uint32(15)) * np.uint32(0x846CA68B)
    return (v ^ v >> np.uint32(16)).astype(np.uint32)


def generated(width, height):
    """The documented pair, as uint8 [height, width, 3]."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(3), indexing="ij")
    t = (x * (c + 2) >> 3) + (y * (5 - c) >> 4)
    ramp = np.where(t & 256, 255 - (t & 255), t & 255)
    key = ((x * 73856093) ^ (y * 19349663) ^ (c * 83492791)) & 0xFFFFFFFF
    squares = ((x >> 4 ^ y >> 4) & 1) * 40 - 20
    ref = np.clip(ramp * 3 // 4 + 32 + squares + (hashed(key) >> 28).astype(int), 0, 255)
    patch = (x >= width // 4) & (x < width // 2) & (y >= height // 4) & (y < height // 2)
    out = ref + (hashed(key ^ 0x9E3779B9) >> 28).astype(int) - 8 + 24 * patch
    return ref.astype(np.uint8), np.clip(out, 0, 255).astype(np.uint8)


def photo(x, y, width, height):
    files = [TESTDATA / "dandelion-ref.png", TESTDATA / "dandelion-jpeg-q50.jpg"]
    return [np.asarray(Image.open(f).convert("RGB"))[y : y + height, x : x + width] for f in files]


class Pair:
    def __init__(self, name, pixels, form, bits):
        self.name, self.form, self.bits = f"{name} {form} {bits} bits", form, bits
        self.height, self.width = pixels[0].shape[:2]
        self.type = np.uint8 if bits == 8 else np.dtype("<u2")
        self.sides = [self.planes_of(side) for side in pixels]

    def planes_of(self, pixels):
        deep = pixels.astype(np.uint32)
        if self.bits > 8: # the low bits differ from the high ones
            deep = (deep << (self.bits - 8)) + (deep * 7 + np.arange(pixels.shape[1])[None, :, None]) % (1 << (self.bits - 8))
        step = 2 if self.form == 420 else 1
        planes = [deep[..., 0], deep[::step, ::step, 1], deep[::step, ::step, 2]]
        return [np.ascontiguousarray(p.astype(self.type)) for p in planes]

    def write(self, folder):
        self.paths = [folder / "ref.raw", folder / "out.raw"]
        for path, side in zip(self.paths, self.sides):
            path.write_bytes(b"".join(plane.tobytes() for plane in side))

    def ours(self, program, mode, metric):
        command = [program, mode, metric, self.form, self.bits, self.width, self.height, *self.paths]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        return [float(v) for v in done.stdout.split()] if done.returncode == 0 else done.stderr.split(": ", 1)[1].strip()

    @property
    def peak(self):
        return 2**self.bits - 1


def run_ffmpeg(command, pair, graph):
    form = f"yuv{pair.form}p" + ("" if pair.bits == 8 else f"{pair.bits}le")
    command = [*command, "-hide_banner"]
    for path in pair.paths[::-1]: # libvmaf takes the distorted side first
        command += ["-f", "rawvideo", "-pix_fmt", form, "-s", f"{pair.width}x{pair.height}", "-i", str(path)]
    return subprocess.run(command + ["-lavfi", graph, "-f", "null", "-"], capture_output=True, text=True).stderr


def ffmpeg(pair, name, pattern):
    # The assembler of FFmpeg 5.1 counts a window too many in widths of 8 to 11 above a multiple of 16.
    line = re.search(pattern, run_ffmpeg(["ffmpeg", "-cpuflags", "0"], pair, name))
    numbers = [float(v) for v in line.groups()]
    return [(numbers[3], 6)] + [(v, 6) for v in numbers[:3]]


def vmaf(program, pair, name):
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log.json"
        run_ffmpeg([program], pair, f"libvmaf=feature=name={name}:log_fmt=json:log_path={log}")
        if not log.exists():
            return [(None, 6)]
        return [(json.loads(log.read_text())["frames"][0]["metrics"].get(name), 6)]


def fused_ssim(pair):
    x = np.arange(11) - 5.0
    taps = np.exp(-x * x / 4.5)
    taps /= taps.sum()

    def blur(a):
        return correlate1d(correlate1d(a, taps, 0, mode="constant"), taps, 1, mode="constant")

    each = []
    for a, b in zip(*pair.sides):
        a, b = a / pair.peak, b / pair.peak
        ma, mb = blur(a), blur(b)
        top = (2 * ma * mb + 0.0001) * (2 * (blur(a * b) - ma * mb) + 0.0009)
        each.append((top / ((ma**2 + mb**2 + 0.0001) * (blur(a * a) - ma**2 + blur(b * b) - mb**2 + 0.0009))).mean())
    return [(np.mean(each), 12)] + [(v, 12) for v in each]


def ssimulacra2(program, pair, folder):
    if pair.form != 444:
        return []
    paths = [folder / "ref.ppm", folder / "out.ppm"]
    for path, side in zip(paths, pair.sides):
        samples = np.stack(side, -1).astype(np.uint8 if pair.bits == 8 else ">u2")
        path.write_bytes(b"P6 %d %d %d\n" % (pair.width, pair.height, pair.peak) + samples.tobytes())
    printed = subprocess.run([program, *map(str, paths)], capture_output=True, text=True).stdout
    return [(float(printed), 8)]


def tools_of(options, pair, folder):
    """MODE, METRIC and the tool's numbers with the digits that it prints: the score, then those of the channels."""
    number = r"(\d+\.\d+|inf)"
    yield "ffmpeg", "ssim", ffmpeg(pair, "ssim", rf"SSIM Y:{number} \S+ U:{number} \S+ V:{number} \S+ All:{number}")
    yield "ffmpeg", "psnr", ffmpeg(pair, "psnr", rf"PSNR y:{number} u:{number} v:{number} average:{number}")
    if options.vmaf:
        yield "vmaf", "ssim", vmaf(options.vmaf, pair, "float_ssim")
        yield "vmaf", "ms-ssim", vmaf(options.vmaf, pair, "float_ms_ssim")
    yield "fused-ssim", "ssim", fused_ssim(pair)
    if options.ssimulacra2:
        yield "ssimulacra2", "ssimulacra2", ssimulacra2(options.ssimulacra2, pair, folder)


def check(options, pair, folder):
    bad = 0
    for mode, metric, numbers in tools_of(options, pair, folder):
        ours = pair.ours(options.compat_score, mode, metric)
        for what, (theirs, digits) in zip(["", "1", "2", "3"], numbers):
            if isinstance(ours, str) or theirs is None: # a tool that refuses prints nothing
                same, shown = isinstance(ours, str) == (theirs is None), f"{theirs} | {ours} |"
            else:
                value = ours[int(what or 0)] if not what else ours[int(what)]
                same = f"{value:.{digits}f}" == f"{theirs:.{digits}f}" or abs(value - theirs) < 1e-13
                shown = f"{theirs:.{digits}f} | {value:.{digits + 2}f} | {value - theirs:+.1e}"
            bad += not same
            if not what or not same:
                print(f"{pair.name} | {mode} {metric} {what} | {shown} | {'same' if same else 'NOT THE SAME'}", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compat_score")
    for name in ("--vmaf", "--ssimulacra2"):
        parser.add_argument(name)
    options = parser.parse_args()
    sizes = [(64, 48, 444, 8), (640, 360, 444, 8), (641, 363, 420, 8), (641, 363, 444, 10), (176, 177, 444, 8), (175, 300, 444, 12),
             (1080, 607, 420, 8), (771, 775, 444, 10), (1919, 1081, 420, 16)]
    pairs = [Pair(f"generated {w}x{h}", generated(w, h), form, bits) for w, h, form, bits in sizes]
    pairs.append(Pair("photo 3840x2160", photo(0, 0, 3840, 2160), 444, 8))
    pairs.append(Pair("photo 1280x720", photo(900, 500, 1280, 720), 420, 8))
    pairs.append(Pair("photo 501x477", photo(1500, 700, 501, 477), 444, 10))
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        for pair in pairs:
            pair.write(pathlib.Path(name))
            bad += check(options, pair, pathlib.Path(name))
    print(f"{bad} numbers differ")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
