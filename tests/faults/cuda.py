#!/usr/bin/env python3
"""cuda.py [--every K] PROGRAM REQUEST: makes the k-th CUDA call fail, for every k until none is left.

PROGRAM is ssimcu on the device of fake_cuda.c. A batch loses every K-th call, other runs more. A run ends
with the right result, or with an error: its exit code, one line that names cuda, and every result that
was finished. `auto` may go to the CPU, and then says so. REQUEST is the program of request.c: what it
prints is right, whatever failed, and it goes on if the device does."""

import argparse
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"
MEMORY, DEVICE = 70, 5
# What fails, its number in cudaError_t, and how a run on that device may end.
ERRORS = [("out of memory", 2, {MEMORY, DEVICE}), ("no device", 100, {DEVICE}),
          ("old driver", 35, {DEVICE}), ("launch failure", 719, {DEVICE}),
          ("device lost", 46, {DEVICE})]
FRAMES = 4


def lines(path):
    text = path.read_text().splitlines() if path.exists() else []
    return {r["frame"]: r for r in map(json.loads, text) if r["type"] == "frame"}


class Sweep:
    def __init__(self, program, folder, every):
        self.program, self.folder, self.every = program, folder, every
        self.short = max(1, every // 6)  # for runs with fewer calls
        self.cases = self.fell_back = 0
        self.bad = []

    def run(self, arguments, fault=None):
        for path in self.folder.glob("new*"):
            path.unlink()
        environment = dict(os.environ, LC_ALL="C", FAKE_CUDA_MARK=str(self.folder / "new.mark"))
        if fault:
            environment |= {"FAKE_CUDA_AT": str(fault[0]), "FAKE_CUDA_ERROR": str(fault[1])}
        try:
            done = subprocess.run([self.program, *arguments], cwd=self.folder, env=environment,
                                  capture_output=True, text=True, timeout=20, check=False)
        except subprocess.TimeoutExpired:
            return None, "", ""
        return done.returncode, done.stdout, done.stderr

    def wrong(self, outcome, right, allowed, batch):
        code, stdout, stderr = outcome
        if code is None or code < 0:
            return "hangs" if code is None else f"crash {code}"
        if "Sanitizer" in stderr:
            return f"a leak or worse, exit {code}: {stderr[-300:]}"
        done = lines(self.folder / "new.jsonl") | lines(self.folder / "new.jsonl.partial")
        for frame, record in done.items():
            if record["status"] != "ok":
                continue
            backend = record["backend"]
            if record["score"] != right[backend]["lines"][frame]["score"]:
                return f"exit {code}: frame {frame} is {record['score']} on {backend}"
        if code == 0:
            on = [name for name, expected in right.items() if stdout == expected["stdout"]]
            if batch:  # each context goes to the CPU by itself: the mean is that of the records, each checked above
                on = {record["backend"] for record in done.values()}
                scores = [record["score"] for record in done.values() if record["status"] == "ok"]
                if len(scores) != FRAMES or stdout != f"{sum(scores) / FRAMES:.9f}\n":
                    return f"exit 0 with {stdout!r} of {scores}"
            if not on:
                return f"exit 0 with {stdout!r}"
            if "cpu" in on:
                self.fell_back += 1
                if "cuda: " not in stderr:
                    return "fell back to the CPU without a word"
            return None
        if code not in allowed and not (batch and code in (3, 4)):
            return f"exit {code}: {stderr[-200:]!r}"
        if "cuda" not in stderr:
            return f"exit {code} without a line on cuda: {stderr[-200:]!r}"
        return None

    def small(self, *arguments):
        """Scores frames without a window of SSIM, for which no launch of it may be queued."""
        metrics = ["--device", "cuda", "--metric", "ssimulacra2,psnr", "--region", "8x10+0+0"]
        code, _, stderr = self.run([*metrics, *arguments])
        self.cases += 1
        if code != 0:
            self.bad.append(f"small {arguments}: exit {code}: {stderr[-200:]!r}")

    def scenario(self, name, arguments, batch):
        right = {}
        for device in ("cpu", "cuda"):
            code, stdout, stderr = self.run(["--device", device, *arguments[2:]])
            assert code == 0, stderr
            right[device] = {"stdout": stdout, "lines": lines(self.folder / "new.jsonl")}
        for what, number, allowed in ERRORS:
            cases = finished = 0
            for k in itertools.count(1, self.every if batch else self.short):
                outcome = self.run(arguments, (k, number))
                if outcome[0] is not None and not (self.folder / "new.mark").exists():
                    break
                cases += 1
                finished += outcome[0] == 0
                wrong = self.wrong(outcome, right, allowed, batch)
                if wrong:
                    self.bad.append(f"{name}: {what} at call {k}: {wrong}")
            self.cases += cases
            print(f"{name:12} {what:15} {cases:4} cases: {finished} finished, {cases - finished} refused",
                  flush=True)


    def requests(self, program):
        """Fails every call of the one program that submits device frames itself."""
        self.program = program
        code, right, stderr = self.run([])
        assert code == 0 and right.count("\n") == 12, stderr
        for what, number, allowed in ERRORS:
            cases = finished = went_on = 0
            for k in itertools.count(1, self.short):
                code, stdout, stderr = self.run([], (k, number))
                if code is not None and not (self.folder / "new.mark").exists():
                    break
                cases += 1
                finished += code == 0
                went_on += code != 0 and stdout == right
                wrong = None
                if code is None or code not in {0, *allowed}:
                    wrong = "hangs" if code is None else f"exit {code}: {stderr[-300:]!r}"
                elif code == 0 and stdout != right:
                    wrong = f"exit 0 with {stdout!r}"
                elif not set(stdout.splitlines()) <= set(right.splitlines()):
                    wrong = f"exit {code} with another score: {stdout!r}"
                elif code and "cuda" not in stderr:
                    wrong = f"exit {code} without a line on cuda: {stderr[-200:]!r}"
                if wrong:
                    self.bad.append(f"request: {what} at call {k}: {wrong}")
            self.cases += cases
            print(f"{'request':12} {what:15} {cases:4} cases: {finished} finished, {cases - finished} refused, "
                  f"{went_on} of them with every score in the end", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("program")
    parser.add_argument("request")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for side, file in (("ref", "rgb8_a.png"), ("out", "rgb8_b.png")):
            (folder / side).mkdir()
            for n in range(1, FRAMES + 1):
                shutil.copy(TESTDATA / file, folder / side / f"{n}.png")
            video = b"".join(b"FRAME\n" + bytes(i * n % (251 if side == "ref" else 241) for i in range(32 * 24 * 3 // 2))
                             for n in range(1, FRAMES + 1))
            (folder / f"{side}.y4m").write_bytes(b"YUV4MPEG2 W32 H24 F25:1 C420jpeg\n" + video)
        sweep = Sweep(os.path.realpath(arguments.program), folder, arguments.every)
        batch = ["ref", "out", "--threads", "2", "--output", "new.jsonl"]
        sweep.small("ref/1.png", "out/1.png")
        sweep.small(*batch)
        sweep.scenario("pair", ["--device", "cuda", "ref/1.png", "out/1.png"], False)
        sweep.scenario("pair map", ["--device", "cuda", "ref/1.png", "out/1.png", "--map", "new.png"],
                       False)
        sweep.scenario("batch", ["--device", "cuda", *batch], True)
        sweep.scenario("batch y4m", ["--device", "cuda", "ref.y4m", "out.y4m", *batch[2:]], True)
        sweep.scenario("batch auto", ["--device", "auto", *batch, "-v"], True)
        sweep.requests(os.path.realpath(arguments.request))
    for line in sweep.bad:
        print(line)
    print(f"[{'FAIL' if sweep.bad else 'PASS'}] faults_cuda: {sweep.cases} cases, "
          f"{sweep.fell_back} fell back, {len(sweep.bad)} wrong")
    return 1 if sweep.bad else 0


if __name__ == "__main__":
    sys.exit(main())
