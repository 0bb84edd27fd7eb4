#!/usr/bin/env python3
"""ladder.py SSIMCU                    makes and checks in one go
ladder.py make SSIMCU DIR [WIDTH]   (needs ffmpeg) makes the files of a ladder there, and what is expected of each
ladder.py check SSIMCU DIR          (needs a GPU) checks them, decoded and scaled there

A ladder of nine files (three sizes; H.264, HEVC, AV1; 8 and 10 bits) against its master of 10 bits in one run with --scale.
Every frame's score is that of ffmpeg decoding the file, zimg (its filter zscale) widening it to 10 bits and then scaling it, and
ssimcu comparing what comes out, of the whole frame and of its worst tile: within 1e-6, on a GPU 1e-5. The bytes of every
frame are those of its packet.
77: ffmpeg lacks an encoder or zscale, or ssimcu zimg."""
import json
import os
import subprocess
import sys
import tempfile

PHOTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../testdata/dandelion-ref.png")
WIDTH = 640  # of the master; rungs have 3/4 and half of it, and 270 rows have an odd number of rows of chroma
CODECS = [("x264", ["-c:v", "libx264", "-preset", "veryfast", "-crf", "24"], "yuv420p", "mp4"),
          ("x265", ["-c:v", "libx265", "-preset", "veryfast", "-crf", "26", "-x265-params", "log-level=error"],
           "yuv420p10le", "mp4"),
          ("av1", ["-c:v", "libsvtav1", "-preset", "10", "-crf", "35"], "yuv420p10le", "mkv")]
FILTERS = {"bicubic": "bicubic:param_a=0:param_b=0.6", "lanczos": "lanczos", "bilinear": "bilinear",
           "spline36": "spline36"}
FRAMES = 12
MASTER = "master.mkv"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          env=dict(os.environ, SVT_LOG="1")).stdout


def ffmpeg(*arguments):
    run("ffmpeg", "-nostdin", "-y", "-v", "error", *arguments)


def can():
    try:
        encoders, filters = run("ffmpeg", "-encoders"), run("ffmpeg", "-filters")
    except (OSError, subprocess.CalledProcessError):
        return False
    return all(name in encoders for name in ("libx264", "libx265", "libsvtav1")) and "zscale" in filters


def size_of(width):
    return width, width * 9 // 16


def make(width):
    """Makes two shots of a photo that the camera pans over, with grain, in 10 bits, and its rungs. Returns their labels."""
    pan, (_, height) = width / 640, size_of(width)
    ffmpeg("-loop", "1", "-framerate", "24", "-t", "1", "-i", PHOTO, "-filter_complex",
           f"[0:v]scale={int(1400 * pan)}:-2,split=2[a][b];"
           f"[a]crop={width}:{height}:x=n*6:y=80+n*3,trim=end_frame={FRAMES // 2},setpts=N/24/TB[c];"
           f"[b]crop={width}:{height}:x=600-n*9:y=300,trim=end_frame={FRAMES // 2},setpts=N/24/TB[d];"
           f"[c][d]concat=n=2,noise=alls=6:allf=t,format=yuv420p10le", "-c:v", "libx265", "-preset", "veryfast", "-crf", "12",
           "-x265-params", "log-level=error", MASTER)
    outs = {}
    for across in width, width * 3 // 4, width // 2:
        for name, codec, pixels, ending in CODECS:
            size = size_of(across)
            out = f"{name}-{size[1]}.{ending}"
            ffmpeg("-i", MASTER, "-vf", f"scale={size[0]}:{size[1]}:flags=bicubic,format={pixels}", *codec, out)
            outs[f"{name} {size[1]}p"] = out, size
    return outs


def frames(path):
    with open(path) as lines:
        return [record for record in map(json.loads, lines) if record["type"] == "frame"]


def packets(path):
    """The sizes of the packets, in the order in which their pictures are shown."""
    text = run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts,size", "-of", "csv=p=0", path)
    pairs = [line.strip(",").split(",")[:2] for line in text.split()]
    return [int(size) for _, size in sorted((int(pts), int(size)) for pts, size in pairs)]


def expect(ssimcu, out, size, scaler):
    """Returns what is expected of the master's frames and OUT's: scaled by ffmpeg's filter zscale to that size, then scored."""
    sides = []
    for side in (MASTER, out):
        ffmpeg("-i", side, "-vf", f"zscale,format=yuv420p10le,zscale=w={size[0]}:h={size[1]}:filter={FILTERS[scaler]}",
               "-f", "yuv4mpegpipe", "-strict", "-1", f"{side}.y4m")
        sides.append(f"{side}.y4m")
    run(ssimcu, "-q", "--device", "cpu", "--output", "expected.jsonl", *sides)
    numbers = [(record["score"], record["tile"]["score"]) for record in frames("expected.jsonl")]
    for side in sides:
        os.remove(side)
    assert len(numbers) == FRAMES, (out, len(numbers))
    return {"out": out, "bytes": packets(out), "frames": numbers}


def make_all(ssimcu, width):
    """Makes the files, and what is expected of them with each way to scale."""
    outs = make(width)
    first = subprocess.run([ssimcu, "-q", "--scale", "ref", MASTER, next(reversed(outs.values()))[0]],
                           capture_output=True, text=True)
    if "needs a build with zimg" in first.stderr or "not installed" in first.stderr:
        sys.exit(77)
    middle = size_of(width * 4 // 5)
    ways = [("ref", "bicubic", outs, lambda size: size_of(width)), ("out", "bicubic", outs, lambda size: size)]
    ways += [(f"{middle[0]}x{middle[1]}", scaler, list(outs)[3:5], lambda size: middle)
             for scaler in ("lanczos", "bilinear", "spline36")]
    expected = [{"scale": scale, "scaler": scaler,
                 "outs": {label: expect(ssimcu, outs[label][0], to(outs[label][1]), scaler) for label in labels}}
                for scale, scaler, labels, to in ways]
    with open("expected.json", "w") as file:
        json.dump(expected, file)


def check(ssimcu, where, most):
    """Compares all OUTs in one run, each with what ffmpeg and zimg make of it. `where` are options that say where frames
    are decoded and scored."""
    with open("expected.json") as file:
        runs = json.load(file)
    for number, expected in enumerate(runs):
        worst, scale, scaler, outs = 0, expected["scale"], expected["scaler"], expected["outs"]
        run(ssimcu, "-q", *where, "--scale", scale, "--scaler", scaler, "--output", f"scores-{number}", MASTER,
            *(f"{label}={want['out']}" for label, want in outs.items()))
        for label, want in outs.items():
            got = frames(f"scores-{number}/{label}.jsonl")
            assert len(got) == FRAMES, (label, len(got))
            assert [record["coded"]["out"]["bytes"] for record in got] == want["bytes"], label
            for record, numbers in zip(got, want["frames"]):
                worst = max(worst, abs(record["score"] - numbers[0]), abs(record["tile"]["score"] - numbers[1]))
        print(f"--scale {scale} --scaler {scaler}: {len(outs)} files of {FRAMES} frames, furthest {worst:.3g}", flush=True)
        assert worst <= most


def main():
    words = sys.argv[1:]
    if words[0] == "check":
        ssimcu = os.path.abspath(words[1])
        os.chdir(words[2])
        check(ssimcu, ["--device", "cuda", "--decode", "cuda"], 1e-5)
        return
    if not can():
        sys.exit(77)
    if words[0] == "make":
        ssimcu = os.path.abspath(words[1])
        os.chdir(words[2])
        make_all(ssimcu, int(words[3]) if len(words) > 3 else WIDTH)
        return
    ssimcu = os.path.abspath(words[0])
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        make_all(ssimcu, WIDTH)
        check(ssimcu, ["--device", "cpu"], 1e-6)


main()
