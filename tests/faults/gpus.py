#!/usr/bin/env python3
"""gpus.py PROGRAM MODULE_FOLDER REAL_FOLDER: video that is decoded on the engines of several GPUs. PROGRAM is ssimcu on
the devices of fake_cuda.c, whose scores are no real ones, and the first folder has the module of fake_nvdec.c, the
second the real one. The program ends at once if a device reads a frame of another. Every device must score its part,
and the results must be those of one device and one reader: of two files, of a ladder whose OUTs end early or cannot
be compared, of some frames, of shares, and of a run that goes on."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import need

X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "24", "-pix_fmt", "yuv420p"]
DEVICES = [n for n in (2, 3) if n <= len(os.sched_getaffinity(0))] or [2]  # each needs a thread
THREADS = ["--threads", "28"]  # at most as many as there are cores


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def make():
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=24", *X264, "ref.mp4")
    ffmpeg("-i", "ref.mp4", *X264, "-crf", 40, "out.mkv")
    ffmpeg("-i", "ref.mp4", *X264, "-crf", 40, "-frames:v", 491, "short.mp4")
    ffmpeg("-i", "ref.mp4", *X264, "-vf", "scale=96:48", "wide.mp4")
    deep = [*X264[:-1], "yuv420p10le"]
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x180:r=24:d=1", "-vf", "noise=alls=20", *deep, "deep.mp4")
    ffmpeg("-i", "deep.mp4", *X264, "shallow.mp4")
    ffmpeg("-i", "deep.mp4", *X264, "-vf", "scale=160:90", "half.mp4")
    ffmpeg("-i", "deep.mp4", *deep, "-vf", "scale=212:120", "odd.mp4")


class Check:
    def __init__(self, program, modules, real):
        self.program, self.failed = program, 0
        self.environment = dict(os.environ, LD_LIBRARY_PATH=modules)
        self.real = dict(os.environ, LD_LIBRARY_PATH=real)

    def run(self, devices, readers, name, *arguments):
        """Returns the records of each file, the exit code, and how often each device has read."""
        if sum(not name.startswith("-") and "." in name for name in arguments) > 2:  # a file for each OUT
            name += ".d/"
        shutil.rmtree(name, ignore_errors=True)
        environment = dict(self.environment, FAKE_CUDA_DEVICES=str(devices), FAKE_CUDA_COUNTS="counts")
        pathlib.Path("counts").unlink(missing_ok=True)
        threads = THREADS if readers else ["--threads", "1"]
        device = "all" if devices > 1 else "cuda"
        done = subprocess.run([self.program, "-q", "-v", "--device", device, "--decode", "cuda", *threads, "--output",
                               name, *arguments], env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode not in (0, 3):
            sys.exit("gpus: %s: exit %d: %s" % (arguments, done.returncode, done.stderr[-600:]))
        *counts, pins = [int(line) for line in open("counts")]
        if pins > 0:
            sys.exit("gpus: %s: host memory was pinned %d times for frames of devices" % (arguments, pins))
        files = sorted(pathlib.Path(name).rglob("*.jsonl")) if os.path.isdir(name) else [pathlib.Path(name)]
        return {file.name: self.records(file) for file in files if file != pathlib.Path(name)} or {
            "": self.records(pathlib.Path(name))}, done, counts

    @staticmethod
    def records(path):
        """Returns the lines of frames, without what depends on time."""
        frames = [line for line in map(json.loads, open(path)) if line["type"] == "frame"]
        for frame in frames:
            frame.pop("seconds", None)
        return frames

    def same(self, what, count, *arguments):
        # A share is a segment of two or three stretches, which one device may take alone.
        one, done_one, _ = self.run(1, False, "one", *arguments)
        for devices in DEVICES:
            all_, done, counts = self.run(devices, True, "all", *arguments)
            readers = [line for line in done.stderr.splitlines() if " readers" in line]
            got = sum(map(len, all_.values()))
            wrong = ""
            if got != count:
                wrong = "%d records" % got
            elif [*all_.values()] != [*one.values()] or done.returncode != done_one.returncode:
                wrong = "not the records of one reader"
            elif min(counts) == 0 and "--shard" not in arguments and len(os.sched_getaffinity(0)) >= devices:
                wrong = "a device was idle"
            print("[%s] gpus: %s on %d: reads %s; %s%s" % ("FAIL" if wrong else "PASS", what, devices, counts,
                                                                readers[-1:], wrong and ": " + wrong))
            self.failed += bool(wrong)

    def fits(self, what, *arguments):
        """What the device scales and widens gives the records of frames that the CPU has scaled and widened."""
        got = {}
        for decode in "cpu", "cuda":
            done = subprocess.run([self.program, "-q", "--device", "cuda", "--decode", decode, "--output", decode,
                                   *arguments], env=self.environment if decode == "cuda" else self.real,
                                  capture_output=True, text=True, timeout=120)
            got[decode] = self.records(decode) if done.returncode == 0 else done.stderr[-300:]
        good = all(isinstance(records, list) and len(records) == 24 for records in got.values())
        for a, b in zip(got["cpu"], got["cuda"]) if good else []:
            apart = [abs(x - y) for x, y in zip([a.pop("score"), *a.pop("channels").values()],
                                                [b.pop("score"), *b.pop("channels").values()])]
            by_nvdec = b.pop("decoded") == {"ref": "nvdec", "out": "nvdec"}
            good = good and by_nvdec and max(apart) < 1e-6 and a == b
        print("[%s] gpus: %s%s" % ("PASS" if good else "FAIL", what, "" if good else ": %.900s" % got))
        self.failed += not good

    def resumes(self):
        """A run that goes on scores what the first lacks, and ends with the same records."""
        whole, _, _ = self.run(2, True, "all", "ref.mp4", "out.mkv")
        lines = open("all").read().splitlines()
        kept = [line for i, line in enumerate(lines) if i == 0 or i % 5 == 3 or 40 < i < 290]
        pathlib.Path("part").write_text("\n".join(kept) + "\n")
        environment = dict(self.environment, FAKE_CUDA_DEVICES="2")
        done = subprocess.run([self.program, "-q", "--device", "all", "--decode", "cuda", *THREADS, "--resume", "part",
                               "ref.mp4", "out.mkv"], env=environment, capture_output=True, text=True, timeout=120)
        good = done.returncode == 0 and [r["score"] for r in self.records("part")] == [r["score"] for r in whole[""]]
        print("[%s] gpus: a run that goes on%s" % ("PASS" if good else "FAIL", "" if good else ": " + done.stderr[-500:]))
        self.failed += not good


def main():
    check = Check(os.path.realpath(sys.argv[1]), *sys.argv[2:])
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make()
        check.same("two files", 600, "ref.mp4", "out.mkv")
        check.same("a longer side", 600, "ref.mp4", "short.mp4")
        check.same("an offset", 590, "--offset", "10", "--missing", "end", "ref.mp4", "out.mkv")
        check.same("some frames", 300, "--frames", "100-399", "ref.mp4", "out.mkv")
        check.same("frames beyond the end", 69, "--frames", "1-600x9,700,800", "ref.mp4", "out.mkv")
        check.same("a share", 200, "--shard", "2/3", "ref.mp4", "out.mkv")
        check.same("a ladder", 1800, "ref.mp4", "out.mkv", "short.mp4", "ref.mp4")
        check.same("a ladder that ends early", 1091, "--missing", "end", "ref.mp4", "out.mkv", "short.mp4")
        check.same("some frames of a ladder", 300, "--frames", "1-600x4", "ref.mp4", "out.mkv", "wide.mp4", "short.mp4")
        check.resumes()
        check.fits("8 bits are widened", "deep.mp4", "shallow.mp4")
        check.fits("OUT is scaled", "--scale", "ref", "shallow.mp4", "half.mp4")
        check.fits("OUT is scaled and widened", "--scale", "ref", "--scaler", "lanczos", "deep.mp4", "half.mp4")
        check.fits("REF is scaled", "--scale", "out", "--scaler", "spline36", "deep.mp4", "odd.mp4")
        check.fits("a region of both, scaled", "--scale", "200x100", "--region", "64x32+8+10", "deep.mp4", "odd.mp4")
        os.chdir("/")
    return check.failed > 0


if __name__ == "__main__":
    if not need.there("ffmpeg"):
        print("[SKIP] gpus: needs ffmpeg")
        sys.exit(0)
    sys.exit(main())
