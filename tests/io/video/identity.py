#!/usr/bin/env python3
"""identity.py SSIMCU: identical samples whose files say different things of them, or nothing. (needs ffmpeg)

Every pair has the best value of every metric, in both directions, or is refused with a reason: 1, inf and 100. It is
refused only if both files name a range, a matrix, a curve or a place of chroma, and not the same. What was assumed is in every
line of the results, and said once.
77: ffmpeg lacks an encoder, or ssimcu the module that reads video."""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import need

METRICS = ["--metric", "ssim,psnr,ms-ssim,ssimulacra2"]
SMALL, LARGE = (352, 330), (1088, 608)  # players take other matrices for them; chroma is large enough for MS-SSIM
RANGES = {"limited": "tv", "full": "pc"}
NO_TAGS = {}
BT709 = {"colorspace": "bt709", "color_trc": "bt709", "color_primaries": "bt709", "color_range": "tv"}
BT601 = {"colorspace": "smpte170m", "color_trc": "smpte170m", "color_primaries": "smpte170m", "color_range": "tv"}
BT2020 = {"colorspace": "bt2020nc", "color_trc": "bt2020-10", "color_primaries": "bt2020", "color_range": "tv"}
PQ = dict(BT2020, color_trc="smpte2084")
FULL, LIMITED = {"color_range": "pc"}, {"color_range": "tv"}
CENTER, LEFT, TOP_LEFT = ({"chroma_sample_location": name} for name in ("center", "left", "topleft"))
ssimcu = os.path.abspath(sys.argv[1])
bad = pairs = 0


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def ffmpeg(*arguments):
    done = run("ffmpeg", "-nostdin", "-y", "-v", "error", *arguments)
    assert done.returncode == 0, (arguments, done.stderr)


def make(kind, size, tags, bits=8):
    """Makes a file of the same samples as all others of that size and depth."""
    width, height = size
    pixels = "yuv420p" if bits == 8 else "yuv420p10le"
    raw, name = f"{width}-{bits}.yuv", f"{kind}-{width}-{bits}-" + "-".join(tags.values())
    if not os.path.exists(raw):
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={width}x{height}:r=25", "-frames:v", "2", "-vf",
               f"noise=alls=12:all_seed=1,format={pixels}", "-f", "rawvideo", raw)
    source = ["-f", "rawvideo", "-s", f"{width}x{height}", "-pix_fmt", pixels, "-i", raw]
    said = [word for tag, value in tags.items() for word in (f"-{tag}", value)]
    # FFmpeg 7 converts frames to the encoder's tags, unless the frames have them. FFmpeg 5 cannot set their siting.
    knows = run("ffmpeg", "-v", "error", "-h", "filter=setparams").stdout
    names = {"color_range": "range", "chroma_sample_location": "chroma_location"}
    frames = ":".join(f"{names.get(tag, tag)}={value}" for tag, value in tags.items() if names.get(tag, tag) in knows)
    if frames:
        source += ["-vf", "setparams=" + frames]
    codec = {"mkv": ["-c:v", "ffv1"], "mp4": ["-c:v", "libx264", "-qp", "0", "-preset", "ultrafast"],
             "y4m": ["-strict", "-1"]}[kind]
    path = f"{name}.{kind}"
    if not os.path.exists(path):
        ffmpeg(*source, *codec, *said, path)
    return path


def report(name, wrong):
    global bad
    if wrong:
        bad += 1
        print(f"[FAIL] identity::{name}: {wrong}")


def check(name, done, refused):
    if refused:
        reason = done.returncode in (3, 4) and ("differ" in done.stderr or "defined for sRGB" in done.stderr)
        return report(name, "" if reason else f"not refused, exit {done.returncode}: {done.stderr}")
    if done.returncode:
        return report(name, done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    frames = [line for line in lines if line["type"] == "frame"]
    said = [line.split(": ", 3)[-1] for line in done.stderr.splitlines() if "assumed, because a file" in line]
    for frame in frames:
        metrics = {name: value["score"] for name, value in frame["metrics"].items()}
        values = (frame["score"], metrics.get("psnr"), metrics.get("ms_ssim"), metrics.get("ssimulacra2"))
        if values[:3] != (1, None, 1) or values[3] not in (None, 100):  # null is infinite
            report(name, f"{values}")
        noted = [frame["assumed"]] if "assumed" in frame else []
        report(name, "" if noted == said else f"said {said}, results have {noted}")
    report(name, "" if len(frames) == 2 else "frames are missing")
    return said


def compare(a, b, refused=False, options=METRICS):
    """Compares two files both ways, and the second one also as a pipe of y4m, as ffmpeg writes it."""
    global pairs
    pairs += 1
    said = [check(f"{x} {y} {options[-1]}", run(ssimcu, "--json", "--worst", "0", *options, x, y), refused)
            for x, y in ((a, b), (b, a))]
    pipe = subprocess.Popen(["ffmpeg", "-v", "error", "-i", b, "-f", "yuv4mpegpipe", "-strict", "-1", "-"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    done = run(ssimcu, "--json", "--worst", "0", *options, a, "-", stdin=pipe.stdout)
    pipe.stdout.close()
    pipe.wait()
    if not refused:
        check(f"{a} pipe of {b}", done, False)
    return said[0]


def expect(said, *wanted):
    report(f"said of {wanted}", "" if said and all(word in said[0] for word in wanted) else f"{said}")


def silent_sides():
    """One side names everything, the other nothing, or less."""
    for size, tags in itertools.product((SMALL, LARGE), (BT709, BT601, BT2020)):
        matrix = tags["colorspace"].replace("smpte170m", "bt601").replace("nc", "")
        named = make("mkv", size, tags)
        expect(compare(named, make("y4m", size, NO_TAGS)), f"matrix {matrix} in OUT")
        expect(compare(named, make("mkv", size, NO_TAGS)), f"matrix {matrix} in OUT")
        compare(make("mp4", size, tags), make("y4m", size, tags))
        compare(make("mp4", size, tags), make("mp4", size, NO_TAGS))
        compare(make("mp4", size, NO_TAGS), named)


def ranges_and_sitings(size):
    for tags in FULL, LIMITED:
        compare(make("mkv", size, tags), make("mp4", size, NO_TAGS))
        compare(make("mp4", size, NO_TAGS), make("mp4", size, tags))  # FFmpeg 7 gives all FFV1 a range
    compare(make("mkv", size, FULL), make("mkv", size, LIMITED), refused=True)
    compare(make("mkv", size, BT709), make("mp4", size, BT601), refused=True)
    for tags in CENTER, LEFT, TOP_LEFT:
        compare(make("mp4", size, tags), make("y4m", size, NO_TAGS))
        compare(make("mp4", size, tags), make("mkv", size, NO_TAGS))
        compare(make("y4m", size, tags), make("mp4", size, NO_TAGS))
    compare(make("mp4", size, CENTER), make("mp4", size, LEFT))
    compare(make("mp4", size, CENTER), make("mp4", size, TOP_LEFT), refused=True)


def scaled_and_light():
    scaled = ["--scale", "ref", *METRICS]
    compare(make("mkv", SMALL, BT709), make("y4m", SMALL, NO_TAGS), options=scaled)
    for out in make("y4m", SMALL, NO_TAGS, 10), make("mp4", SMALL, NO_TAGS, 10), make("mkv", SMALL, PQ, 10):
        light = ["--hdr", "srgb", "--metric", "ssim,psnr,ms-ssim,ssimulacra2"]
        compare(make("mkv", SMALL, PQ, 10), out, options=light)
        compare(make("mkv", SMALL, BT2020, 10), out, refused="PQ" in out or "2084" in out)


def main():
    if not need.there("ffmpeg"):
        print("[SKIP] identity: needs ffmpeg")
        sys.exit(77)
    encoders = run("ffmpeg", "-v", "error", "-encoders").stdout
    if "libx264" not in encoders or "ffv1" not in encoders:
        print("[SKIP] identity: ffmpeg has no libx264 or ffv1")
        sys.exit(77)
    probe = run(ssimcu, *(make("mkv", SMALL, NO_TAGS),) * 2)
    if "not installed" in probe.stderr:
        print("[SKIP] identity: needs libssimcu_video.so")
        sys.exit(77)
    silent_sides()
    ranges_and_sitings(SMALL)
    scaled_and_light()
    report("too few pairs", "" if pairs >= 40 else pairs)
    if not bad:
        print(f"[PASS] identity: {pairs} pairs, both ways and as pipes")
    sys.exit(bad > 0)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
