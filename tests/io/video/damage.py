#!/usr/bin/env python3
"""damage.py PROGRAM [RUNS]: prints what share of random damage each codec lets one notice.

Every file is damaged RUNS times (12) in each of three ways, at random places of its second half: one bit turned,
64 random bytes, 4096 zeros. The damaged file is compared with the whole one. Damage that changes no picture does
not count; damage that changes pictures and ends with exit 0 was not noticed. A frame is torn if its pixels are not
those of the whole file, in itself or by prediction; ffmpeg decodes both files and says so. A torn one that has a
score was not noticed, whatever the exit code; intact ones that have none are counted beside them. Files are cut as
well, at random places, and compared up to the end of the shorter: none may pass, and no picture of a cut file that
gets a score may be another. If a codec's checksums cover everything, nothing may pass unseen. Nothing tells
that a stream of HEVC alone is cut."""
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import need

CPU = ["--device", "cpu"]  # a GPU's video engines do not tell of damage, and decode other sizes

SOURCE = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=2", "-f", "lavfi", "-i", "nullsrc=s=320x180:r=25:d=2,geq=random(1)*255:128:128",
          "-f", "lavfi", "-i", "sine=d=2",
          "-filter_complex", "[0][1]blend=all_opacity=0.9[v]", "-map", "[v]"]
SOUND = ["-map", "2", "-c:a"]
# name, encoder, ending, whether the codec's own checks find everything
FILES = [
    ("H.264 in mp4", ["-c:v", "libx264", "-crf", "23", "-pix_fmt", "yuv420p", "-movflags", "faststart"], "mp4", False),
    ("H.264 in ts", ["-c:v", "libx264", "-crf", "23", "-pix_fmt", "yuv420p"], "ts", False),
    ("HEVC", ["-c:v", "libx265", "-x265-params", "log-level=error", "-pix_fmt", "yuv420p", "-movflags", "faststart"], "mp4", False),
    ("HEVC with MD5", ["-c:v", "libx265", "-x265-params", "log-level=error:hash=1", "-pix_fmt", "yuv420p", "-movflags",
                       "faststart"], "mp4", True),
    ("ProRes", ["-c:v", "prores_ks", "-profile:v", "3", "-pix_fmt", "yuv422p10", "-movflags", "faststart"], "mov", False),
    ("DNxHR", ["-c:v", "dnxhd", "-profile:v", "dnxhr_hq", "-pix_fmt", "yuv422p", "-movflags", "faststart"], "mov", False),
    ("FFV1 with slice CRC", ["-c:v", "ffv1", "-level", "3", "-slices", "4", "-slicecrc", "1", "-pix_fmt", "yuv420p"], "mkv", True),
    ("AV1", ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "35", "-pix_fmt", "yuv420p"], "mkv", False),
    ("VP9", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-pix_fmt", "yuv420p"], "webm", False),
    ("MPEG-2", ["-c:v", "mpeg2video", "-q:v", "4", "-pix_fmt", "yuv420p"], "ts", False),
    ("MPEG-4 in mp4", ["-c:v", "mpeg4", "-q:v", "4", "-movflags", "faststart"], "mp4", False),
    ("MPEG-4 in avi", ["-c:v", "mpeg4", "-q:v", "4", "-bf", "2"], "avi", False),
    ("MJPEG", ["-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"], "avi", False),
    ("H.264 alone", ["-c:v", "libx264", "-crf", "23", "-pix_fmt", "yuv420p"], "264", False),
    ("HEVC alone", ["-c:v", "libx265", "-x265-params", "log-level=error", "-pix_fmt", "yuv420p"], "265", False),
    ("AV1 alone", ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "35", "-pix_fmt", "yuv420p"], "obu", False),
    ("AV1 in ivf", ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "35", "-pix_fmt", "yuv420p"], "ivf", False),
    ("MPEG-2 alone", ["-c:v", "mpeg2video", "-q:v", "4", "-pix_fmt", "yuv420p"], "m2v", False),
    ("MJPEG alone", ["-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"], "mjpeg", False),
    ("H.264 in flv", ["-c:v", "libx264", "-crf", "23", "-pix_fmt", "yuv420p"], "flv", False),
    ("GIF", [], "gif", False),
]
# Only cut. The sound is not read, and may be what the file ends with.
CUT = [
    ("H.264 and sound in ts", SOUND + ["mp2", "-c:v", "libx264", "-pix_fmt", "yuv420p"], "ts"),
    ("HEVC in ts", ["-c:v", "libx265", "-x265-params", "log-level=error"], "ts"),
    ("H.264 and sound in mkv", SOUND + ["aac", "-c:v", "libx264", "-bf", "4", "-pix_fmt", "yuv420p"], "mkv"),
    ("H.264 in fragments", ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "10", "-movflags", "frag_keyframe+empty_moov"], "mp4"),
    ("MPEG-2 in mxf", ["-c:v", "mpeg2video", "-bf", "2"], "mxf"),
    ("MPEG-2 and sound in mxf", SOUND + ["pcm_s16le", "-ar", "48000", "-c:v", "mpeg2video"], "mxf"),
    ("MPEG-2 and sound in mpg", SOUND + ["mp2", "-c:v", "mpeg2video", "-bf", "2"], "mpg"),
    ("MJPEG and sound in avi", SOUND + ["pcm_s16le", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], "avi"),
]
WAYS = {"bit": lambda data, at, dice: data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1:],
        "bytes": lambda data, at, dice: data[:at] + dice.randbytes(64) + data[at + 64:],
        "zeros": lambda data, at, dice: data[:at] + bytes(4096) + data[at + 4096:]}


def pictures(path):
    """Returns the sums of a file's pictures by their times, as ffmpeg decodes them."""
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "quiet", "-threads", "1", "-copyts", "-i", path, "-map", "0:v",
                           "-fps_mode", "passthrough", "-f", "framemd5", "-"], stdout=subprocess.PIPE, check=False)
    fields = [line.split(",") for line in done.stdout.decode().splitlines() if line and line[0] != "#"]
    return {int(field[2]): field[5].strip() for field in fields}


def scores(program, whole, damaged, options=()):
    """Returns the exit code, what is said, and the scores of the frames; None: failed."""
    done = subprocess.run([program, *CPU, "-q", "--output", "results", *options, whole, damaged], capture_output=True,
                          text=True, timeout=120)
    if done.returncode not in (0, 3, 4):
        raise RuntimeError("exit %d: %s" % (done.returncode, done.stderr))
    frames = {}
    for name in "results", "results.partial":
        if os.path.exists(name):
            with open(name) as file:
                lines = [json.loads(line) for line in file if '"type":"frame"' in line]
            frames.update((line["frame"], line["score"] if line["status"] == "ok" else None) for line in lines)
            os.remove(name)
    return done.returncode, done.stderr, frames


def count_frames(frames, got, sums):
    """Returns what has become of the frames, by name. Only identical ones score 1."""
    count = collections.Counter(frames=len(sums))
    for number, time in enumerate(sorted(sums)):
        score, intact = frames.get(number), got.get(time) == sums[time]
        count["torn"] += not intact
        count["torn and scored"] += score is not None and score != 1
        count["intact, failed"] += intact and score is None
    return count


def outcome(program, whole, damaged, sums):
    """"seen", "unseen" or "harmless", and what has become of the frames."""
    code, _, frames = scores(program, whole, damaged)
    count = count_frames(frames, pictures(damaged), sums)
    count["seen" if code else "unseen" if any(score != 1 for score in frames.values()) else "harmless"] += 1
    return count


def cut_outcome(program, whole, cut, _):
    """What has become of the file: seen, or what is wrong. The cut side is REF: what follows the end of a shorter REF is not read."""
    done = subprocess.run([program, *CPU, "--missing", "end", cut, whole], capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 3, 4):
        raise RuntimeError("exit %d: %s" % (done.returncode, done.stderr))
    if done.returncode == 0:
        return {"unseen": 1}
    return {"torn": 1} if re.search(r"min 0\.", done.stderr) else {"seen": 1}


def damage(data, runs, dice):
    for make in WAYS.values():
        for _ in range(runs):
            at = dice.randrange(len(data) // 2, len(data) - 4096 if len(data) > 16384 else len(data) - 64)
            yield make(data, at, dice)[:len(data)]


def cut(data, ending, runs, dice):
    for _ in range(runs):
        at = dice.randrange(len(data) // 4, len(data))
        yield data[:at + 1 if ending == "ts" and at % 188 == 0 else at]  # nothing tells of whole packets lost


def try_all(program, whole, versions, outcome_of):
    counts, sums = collections.Counter(), pictures(whole)
    damaged = "damaged" + os.path.splitext(whole)[1]
    for version in versions:
        with open(damaged, "wb") as file:
            file.write(version)
        counts.update(outcome_of(program, whole, damaged, sums))
    return counts


def check(program, codec, ending, flipped, runs, dice):
    """Returns the outcomes of damage, and of cuts."""
    whole = "whole." + ending
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *SOURCE, *codec, whole], check=True)
    with open(whole, "rb") as file:
        data = file.read()
    flips = try_all(program, whole, damage(data, flipped, dice), outcome)
    cuts = try_all(program, whole, cut(data, ending, 0 if ending == "265" else runs, dice), cut_outcome)
    return flips, cuts


def main():
    program, runs = os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 12
    dice, wrong = random.Random(18), []
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        print("| file | damaged | not noticed | frames torn | torn and scored | intact, failed | cut | not noticed | scored torn |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, codec, ending, *complete in FILES + CUT:
            flips, cuts = check(program, codec, ending, runs if complete else 0, runs, dice)
            print("| %s | %d | %d | %d | %d | %d | %d | %d | %d |" %
                  (name, flips["seen"] + flips["unseen"], flips["unseen"], flips["torn"], flips["torn and scored"],
                   flips["intact, failed"], runs, cuts["unseen"], cuts["torn"]), flush=True)
            if (any(complete) and (flips["unseen"] or flips["torn and scored"])) or cuts["unseen"] or cuts["torn"]:
                wrong.append(name)
        os.chdir("/")
    print("[%s] damaged video files%s" % ("FAIL" if wrong else "PASS", ": " + ", ".join(wrong) if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    if not need.there("ffmpeg"):
        print("[SKIP] damaged video files: needs ffmpeg")
        sys.exit(0)
    sys.exit(main())
