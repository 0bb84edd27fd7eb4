#!/usr/bin/env python3
"""ladder.py SSIMCU: a ladder of nine files (three sizes; H.264, HEVC, AV1; 8 and 10 bits) against its master of 10 bits in one
run with --scale. Every frame's score is that of ffmpeg decoding the file, zimg (its filter zscale) scaling it, and ssimcu
comparing what comes out: within 1e-6, of the whole frame and of its worst tile. The bytes of every frame are those of its
packet. 77: ffmpeg lacks an encoder or zscale, or ssimcu zimg."""
import json
import os
import subprocess
import sys
import tempfile

SSIMCU = os.path.abspath(sys.argv[1])
PHOTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../testdata/dandelion-ref.png")
SIZES = [(640, 360), (480, 270), (320, 180)]  # 480x270 has an odd number of rows of chroma
CODECS = [("x264", ["-c:v", "libx264", "-preset", "veryfast", "-crf", "24"], "yuv420p", "mp4"),
          ("x265", ["-c:v", "libx265", "-preset", "veryfast", "-crf", "26", "-x265-params", "log-level=error"],
           "yuv420p10le", "mp4"),
          ("av1", ["-c:v", "libsvtav1", "-preset", "10", "-crf", "35"], "yuv420p10le", "mkv")]
FILTERS = {"bicubic": "bicubic:param_a=0:param_b=0.6", "lanczos": "lanczos", "bilinear": "bilinear",
           "spline36": "spline36"}
FRAMES = 12


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


def make():
    """Two shots of a photo that the camera pans over, with grain, in 10 bits."""
    width, height = SIZES[0]
    ffmpeg("-loop", "1", "-framerate", "24", "-t", "1", "-i", PHOTO, "-filter_complex",
           f"[0:v]scale=1400:-2,split=2[a][b];"
           f"[a]crop={width}:{height}:x=n*6:y=80+n*3,trim=end_frame={FRAMES // 2},setpts=N/24/TB[c];"
           f"[b]crop={width}:{height}:x=600-n*9:y=300,trim=end_frame={FRAMES // 2},setpts=N/24/TB[d];"
           f"[c][d]concat=n=2,noise=alls=6:allf=t,format=yuv420p10le", "-c:v", "ffv1", "master.mkv")
    outs = []
    for width, height in SIZES:
        for name, codec, pixels, ending in CODECS:
            out = f"{name}-{height}.{ending}"
            ffmpeg("-i", "master.mkv", "-vf", f"scale={width}:{height}:flags=bicubic,format={pixels}", *codec, out)
            outs.append((f"{name} {height}p", out))
    return outs


def frames(path):
    with open(path) as lines:
        return [record for record in map(json.loads, lines) if record["type"] == "frame"]


def packets(path):
    """The sizes of the packets, in the order in which their pictures are shown."""
    text = run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts,size", "-of", "csv=p=0", path)
    pairs = [line.strip(",").split(",")[:2] for line in text.split()]
    return [int(size) for _, size in sorted((int(pts), int(size)) for pts, size in pairs)]


def expect(master, out, scale, scaler):
    """The records of master against out, both scaled by ffmpeg's filter zscale to that size."""
    sides = []
    for side in (master, out):
        ffmpeg("-i", side, "-vf", f"zscale=w={scale[0]}:h={scale[1]}:filter={FILTERS[scaler]}", "-f", "yuv4mpegpipe",
               "-strict", "-1", f"{side}.y4m")
        sides.append(f"{side}.y4m")
    run(SSIMCU, "-q", "--device", "cpu", "--output", "expected.jsonl", *sides)
    return frames("expected.jsonl")


def check(outs, scale, scaler, size_of):
    """Compares all OUTs in one run, and each with what ffmpeg and zimg make of it."""
    worst = 0
    run(SSIMCU, "-q", "--device", "cpu", "--scale", scale, "--scaler", scaler, "--output", f"scores-{scale}-{scaler}",
        "master.mkv", *(f"{label}={out}" for label, out in outs))
    for label, out in outs:
        got = frames(f"scores-{scale}-{scaler}/{label}.jsonl")
        want = expect("master.mkv", out, size_of(out), scaler)
        assert len(got) == len(want) == FRAMES, (label, len(got), len(want))
        assert [record["coded"]["out"]["bytes"] for record in got] == packets(out), label
        for a, b in zip(got, want):
            worst = max(worst, abs(a["score"] - b["score"]), abs(a["tile"]["score"] - b["tile"]["score"]))
    print(f"--scale {scale} --scaler {scaler}: {len(outs)} files of {FRAMES} frames, furthest {worst:.3g}")
    assert worst <= 1e-6


def main():
    if not can():
        sys.exit(77)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        outs = make()
        first = subprocess.run([SSIMCU, "-q", "--scale", "ref", "master.mkv", outs[-1][1]], capture_output=True, text=True)
        if "without which this was built" in first.stderr or "not installed" in first.stderr:
            sys.exit(77)
        sizes = {out: size for (_, out), size in zip(outs, [size for size in SIZES for _ in CODECS])}
        check(outs, "ref", "bicubic", lambda out: SIZES[0])
        check(outs, "out", "bicubic", lambda out: sizes[out])
        for scaler in ("lanczos", "bilinear", "spline36"):
            check(outs[3:5], "512x288", scaler, lambda out: (512, 288))


main()
