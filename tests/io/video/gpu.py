#!/usr/bin/env python3
"""gpu.py make DIR            (needs ffmpeg) makes small video files there, and what ffmpeg decodes of each, as FFV1
gpu.py check PROGRAM DIR   (needs a GPU) compares each file, decoded by NVDEC, with that

FFV1 loses nothing and is decoded by the CPU, so every frame must score exactly 1. The scores of two encodes must be
those that the CPU's decoders give, up to 1e-6, whichever sides NVDEC decodes. The same holds for a region, a part of the
frames, several OUTs, and the engines of all GPUs. What NVDEC cannot decode must be named. There are two steps because
machines with a GPU often lack ffmpeg."""
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = ["-f", "lavfi", "-i", "testsrc2=s=%s:r=25:d=%s"]
X264 = ["-c:v", "libx264", "-crf", "23", "-g", "12"]
X265 = ["-c:v", "libx265", "-crf", "28", "-x265-params", "log-level=error:keyint=12"]

# name, size, seconds, what encodes, ending, whether NVDEC decodes it: 1, 0, None: that depends on the GPU
ROWS = [
    ("h264", "320x180", 0.6, X264 + ["-pix_fmt", "yuv420p"], "mp4", 1),
    ("h264_bframes", "320x180", 0.6, X264 + ["-pix_fmt", "yuv420p", "-bf", "8", "-b_strategy", "0"], "mkv", 1),
    ("h264_open_gop", "320x180", 0.6, X264 + ["-pix_fmt", "yuv420p", "-x264-params", "open-gop=1:keyint=12"], "mov", 1),
    ("h264_16_refs", "320x180", 0.6, X264 + ["-pix_fmt", "yuv420p", "-refs", "16", "-bf", "16", "-b_strategy", "0"], "mp4", None),
    ("h264_cropped", "318x178", 1, X264 + ["-pix_fmt", "yuv420p"], "mp4", 1),
    ("h264_left", "320x180", 0.6, X264 + ["-pix_fmt", "yuv420p", "-bsf:v", "h264_metadata=crop_left=6:crop_top=4"], "mp4", 1),
    ("hevc_left", "320x180", 0.6, X265 + ["-pix_fmt", "yuv420p10", "-bsf:v", "hevc_metadata=crop_left=2:crop_right=6"], "mkv", 1),
    ("h264_interlaced", "320x192", 1, X264 + ["-pix_fmt", "yuv420p", "-flags", "+ilme+ildct"], "mp4", 1),
    ("h264_ts", "320x180", 0.6, X264 + ["-pix_fmt", "yuv420p"], "ts", 1),
    ("h264_one_frame", "320x180", 0.04, X264 + ["-pix_fmt", "yuv420p"], "mp4", 1),
    ("h264_10bit", "320x180", 0.6, X264 + ["-pix_fmt", "yuv420p10"], "mp4", None),
    ("h264_422", "320x180", 0.6, X264 + ["-pix_fmt", "yuv422p"], "mkv", None),
    ("h264_444", "320x180", 0.6, X264 + ["-pix_fmt", "yuv444p"], "mp4", None),
    ("h264_tiny", "32x32", 1, X264 + ["-pix_fmt", "yuv420p"], "mp4", None),
    ("hevc", "320x180", 0.6, X265 + ["-pix_fmt", "yuv420p"], "mp4", 1),
    ("hevc_10bit", "320x180", 0.6, X265 + ["-pix_fmt", "yuv420p10"], "mkv", 1),
    ("hevc_12bit", "320x180", 0.6, X265 + ["-pix_fmt", "yuv420p12"], "mkv", 1),
    ("hevc_odd", "322x182", 1, X265 + ["-pix_fmt", "yuv420p"], "mp4", 1),
    ("hevc_open_gop", "320x180", 1, ["-c:v", "libx265", "-x265-params", "log-level=error:open-gop=1:keyint=12"], "ts", 1),
    ("hevc_444", "320x180", 0.6, X265 + ["-pix_fmt", "yuv444p"], "mkv", None),
    ("hevc_444_10bit", "320x180", 0.6, X265 + ["-pix_fmt", "yuv444p10"], "mkv", None),
    ("hevc_422_10bit", "320x180", 0.6, X265 + ["-pix_fmt", "yuv422p10"], "mkv", None),
    ("vp8", "320x180", 1, ["-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime"], "webm", None),
    ("vp9", "320x180", 1, ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "8"], "webm", 1),
    ("vp9_odd", "319x179", 1, ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "8"], "webm", None),
    ("vp8_odd", "319x179", 1, ["-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime"], "webm", None),
    ("vp9_10bit", "320x180", 1, ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-pix_fmt",
                                 "yuv420p10"], "webm", None),
    ("av1", "320x180", 0.4, ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "40", "-g", "4"], "mkv", None),
    ("mpeg2", "320x192", 1, ["-c:v", "mpeg2video", "-bf", "2", "-q:v", "4"], "ts", 0),
    ("prores", "320x180", 1, ["-c:v", "prores_ks", "-profile:v", "3", "-pix_fmt", "yuv422p10"], "mov", 0),
]


DAMAGED, COPIES = ["h264.mp4", "hevc.mp4", "vp9.webm"], 12


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def make():
    for name, size, seconds, codec, ending, _ in ROWS:
        path = name + "." + ending
        ffmpeg(*SOURCE[:3], SOURCE[3] % (size, seconds), *codec, path)
        ffmpeg("-flags", "unaligned", "-i", path, "-map", "0:V:0", "-fps_mode", "passthrough", "-c:v", "ffv1", "-level", 3,
               name + ".ffv1.mkv")
    ffmpeg(*SOURCE[:3], SOURCE[3] % ("640x360", 40), "-c:v", "libx264", "-preset", "superfast", "-g", 48, "-pix_fmt",
           "yuv420p", "long.mp4")
    ffmpeg("-i", "long.mp4", *X265[:2], "-preset", "ultrafast", "-x265-params", "log-level=error:keyint=48", "-crf", 34,
           "long_hevc.mkv")
    ffmpeg("-i", "long.mp4", *X265[:2], "-preset", "ultrafast", "-x265-params", "log-level=error:keyint=48", "-crf", 34,
           "-frames:v", 700, "short_hevc.mkv")
    ffmpeg("-i", "long.mp4", "-vf", "hflip=enable='eq(n,20)',drawbox=t=fill:enable='eq(n,30)',"
           "drawbox=64:64:96:64:t=fill:enable='eq(n,40)',loop=3:1:60", *X265[:2], "-x265-params", "log-level=error",
           "-frames:v", 120, "faults_hevc.mkv")
    damage()


def damage():
    """Copies of three files, 64 random bytes of each replaced in a place of its own."""
    chance = random.Random(18)
    for name in DAMAGED:
        with open(name, "rb") as file:
            whole = file.read()
        for i in range(COPIES):
            place = chance.randrange(len(whole) // 10, len(whole) * 9 // 10)
            with open("damaged%d_%s" % (i, name), "wb") as file:
                file.write(whole[:place] + chance.randbytes(64) + whole[place + 64:])


class Program:
    def __init__(self, path):
        self.path = path
        self.failed = 0

    def run(self, *arguments):
        """Returns the records by frame; of several OUTs, by the name of their file and frame."""
        outs = sum(not argument.startswith("-") and argument[-4:] in (".mp4", ".mkv") for argument in arguments) - 1
        scratch = tempfile.mkdtemp()
        output = scratch + ("/r/" if outs > 1 else "/r.jsonl")
        done = subprocess.run([self.path, "-v", "--output", output, *arguments], capture_output=True, text=True, timeout=300)
        records = {}
        if done.returncode == 0 or (outs > 1 and done.returncode == 3):
            for path in sorted(glob.glob(scratch + "/**/*.jsonl", recursive=True)):
                with open(path) as file:
                    for record in map(json.loads, file):
                        if record["type"] == "frame":
                            at = record["frame"]
                            records[(os.path.basename(path), at) if outs > 1 else at] = record
        shutil.rmtree(scratch)
        return records, done

    def gpus(self):
        said = subprocess.run([self.path, "--list-devices"], capture_output=True, text=True)
        return len(re.findall(r"cuda:\d", said.stdout + said.stderr))

    def report(self, what, wrong):
        print("[%s] nvdec: %s%s" % ("FAIL" if wrong else "PASS", what, ": " + wrong if wrong else ""), flush=True)
        self.failed += bool(wrong)

    def same(self, what, expected_decoders, *arguments):
        """As the CPU's decoders, up to 1e-6, by one GPU and by all."""
        cpu, _ = self.run("--decode", "cpu", *arguments)
        if self.gpus() > 1:
            self.same_on(what + ", all GPUs", expected_decoders, cpu, "--device", "all", *arguments)
        return self.same_on(what, expected_decoders, cpu, *arguments)

    def same_on(self, what, expected_decoders, cpu, *arguments):
        gpu, done = self.run("--decode", "cuda", *arguments)
        if not cpu or list(cpu) != list(gpu):
            return self.report(what, "%d records, %d by the CPU: %s" % (len(gpu), len(cpu), done.stderr.strip()[-500:]))
        off = max(abs(gpu[n]["score"] - cpu[n]["score"]) for n in cpu if cpu[n]["status"] == "ok")
        decoders = {tuple(gpu[n].get("decoded", {}).values()) for n in gpu if gpu[n]["status"] == "ok"}
        stayed = [line for line in done.stderr.splitlines() if "stayed" in line or "pairs in" in line]
        hints = {n: (cpu[n].get("findings"), gpu[n].get("findings"), cpu[n].get("pending_hints") == gpu[n].get("pending_hints"))
                 for n in cpu}
        others = [n for n in cpu if hints[n][0] != hints[n][1] or not hints[n][2]]
        wrong = ""
        if others:
            wrong = "other hints: %s" % [(n, hints[n]) for n in others[:3]]
        elif off > 1e-6:
            wrong = "%g away" % off
        elif decoders != {expected_decoders}:
            wrong = "decoded by %s" % decoders
        elif any(gpu[n]["status"] != cpu[n]["status"] for n in cpu):
            wrong = "other records"
        self.report("%s: %d frames, %.1e away; %s" % (what, len(gpu), off, "; ".join(stayed)[-300:]), wrong)
        return [found["text"] for n in gpu for found in gpu[n].get("findings", []) if gpu[n]["status"] == "ok"]


def check_one(program, row):
    name, _, _, _, ending, can = row
    records, done = program.run("--decode", "cuda", name + ".ffv1.mkv", name + "." + ending)
    said = [line for line in done.stderr.splitlines() if "decode" in line]
    if not records:
        wrong = "" if can != 1 and done.returncode == 4 and "--decode cuda: " in done.stderr else "exit %d: %s" % (
            done.returncode, done.stderr.strip()[-400:])
        return program.report("%s is refused: %s" % (name, said[-1:]), wrong)
    bad = [n for n in records if records[n]["score"] != 1]
    wrong = "frames %s differ" % bad[:5] if bad else ""
    if {tuple(r["decoded"].values()) for r in records.values()} != {("cpu", "nvdec")}:
        wrong = "decoded by others"
    program.report("%s: %d frames are what ffmpeg decodes" % (name, len(records)), wrong if can != 0 else "not refused")


def count_seen(program, name, decode):
    """Of the damaged copies, how many do not pass."""
    seen = 0
    for i in range(COPIES):
        records, done = program.run("--decode", decode, name, "damaged%d_%s" % (i, name))
        if done.returncode < 0 or done.returncode > 5:
            program.report("%s, copy %d, by %s" % (name, i, decode), "exit %d" % done.returncode)
        seen += done.returncode != 0
    return seen


def check(path):
    program = Program(path)
    for name in DAMAGED:
        cpu, gpu = count_seen(program, name, "cpu"), count_seen(program, name, "auto")
        print("nvdec: %s: of %d damaged copies the CPU refuses %d, NVDEC %d" % (name, COPIES, cpu, gpu))
    for row in ROWS:
        check_one(program, row)
    both = ("nvdec", "nvdec")
    program.same("two files", both, "long.mp4", "long_hevc.mkv")
    program.same("one thread", both, "--threads", "1", "long.mp4", "long_hevc.mkv")
    program.same("a region", both, "--region", "200x100+64+32", "long.mp4", "long_hevc.mkv")
    program.same("some frames", both, "--frames", "10-60x7,700-720,990", "long.mp4", "long_hevc.mkv")
    program.same("an offset", both, "--offset", "-30", "--missing", "end", "long.mp4", "long_hevc.mkv")
    program.same("a share", both, "--shard", "2/3", "long.mp4", "long_hevc.mkv")
    hints = program.same("faults", both, "--missing", "end", "long.mp4", "faults_hevc.mkv")
    kinds = {re.sub(r" \d+x\d+\+\d+\+\d+$", "", hint) for hint in hints}
    due = {"flipped left right", "black", "black-area", "duplicate", "frame-offset -3"}
    program.report("their hints: %s" % sorted(set(hints)), "" if due == kinds else "others")
    program.same("a shorter side", both, "--missing", "end", "long.mp4", "short_hevc.mkv")
    program.same("a ladder", both, "long.mp4", "long_hevc.mkv", "short_hevc.mkv", "long.mp4")
    program.same("some frames of a ladder", both, "--frames", "30-500,700-1100x9", "long.mp4", "long_hevc.mkv",
                 "short_hevc.mkv")
    program.same("a share of a ladder", both, "--shard", "2/3", "long.mp4", "long_hevc.mkv", "short_hevc.mkv")
    program.same("10 bits", both, "hevc_10bit.mkv", "hevc_10bit.mkv")
    program.same("8 bits against 10", both, "--missing", "end", "hevc_10bit.mkv", "hevc.mp4")
    for name, scale in ("REF's size", ["ref"]), ("OUT's size", ["out", "--scaler", "lanczos"]), ("a size", ["200x100"]):
        program.same("two sizes at " + name, both, "--missing", "end", "--scale", *scale, "long.mp4", "hevc_10bit.mkv")
    program.same("a region of two sizes", both, "--missing", "end", "--scale", "ref", "--region", "64x32+20+10",
                 "hevc_10bit.mkv", "long_hevc.mkv")
    program.same("no tiles", both, "--tile", "0", "long.mp4", "long_hevc.mkv")
    gate, done = program.run("--min-score", "0", "long.mp4", "long_hevc.mkv")
    program.report("a gate is decoded by the CPU", "" if gate and "decoded" not in gate[0] else done.stderr[-300:])
    auto, done = program.run("long.mp4", "long_hevc.mkv")
    program.report("auto is NVDEC", "" if auto and auto[0].get("decoded") else done.stderr[-300:])
    print("nvdec: %d wrong" % program.failed)
    return program.failed > 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"] and len(sys.argv) == 3:
        os.makedirs(sys.argv[2], exist_ok=True)
        os.chdir(sys.argv[2])
        make()
    elif sys.argv[1:2] == ["check"] and len(sys.argv) == 4:
        program = os.path.realpath(sys.argv[2])
        os.chdir(sys.argv[3])
        sys.stdout.reconfigure(line_buffering=True)  # it takes minutes
        sys.exit(check(program))
    else:
        sys.exit(__doc__)
