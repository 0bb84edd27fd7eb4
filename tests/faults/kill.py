#!/usr/bin/env python3
"""kill.py [--count N] PROGRAM: kills a batch with SIGKILL at any moment and resumes it, N times (60).
The result must have every byte of a run in one go, with nothing beside it."""

import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"
PAIRS = 150
MOST_KILLS = 4  # of one batch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("program")
    arguments = parser.parse_args()
    chance = random.Random(1)
    kills = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copy(TESTDATA / "rgb8_a.png", folder / "a.png")
        shutil.copy(TESTDATA / "rgb8_b.png", folder / "b.png")
        (folder / "list").write_text("a.png\tb.png\n" * PAIRS)
        run = [str(pathlib.Path(arguments.program).resolve()), "--device", "cpu", "--threads", "2",
               "-q", "--list", "list"]
        quiet = {"cwd": folder, "stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        start = time.monotonic()
        subprocess.run([*run, "--output", "whole.jsonl"], check=True, **quiet)
        seconds = time.monotonic() - start
        whole = (folder / "whole.jsonl").read_bytes()
        names = {path.name for path in folder.iterdir()} | {"r.jsonl"}
        while kills < arguments.count:
            for _ in range(MOST_KILLS):
                with subprocess.Popen([*run, "--resume", "r.jsonl"], **quiet) as process:
                    time.sleep(chance.uniform(0, seconds))
                    process.kill()
                    kills += process.wait() == -9
                if (folder / "r.jsonl").exists() and (folder / "r.jsonl").read_bytes() != whole:
                    bad += 1
                    print(f"kill {kills}: the final name holds something else")
            done = subprocess.run([*run, "--resume", "r.jsonl"], check=False, **quiet)
            left = {path.name for path in folder.iterdir()} - names
            if done.returncode != 0 or left or (folder / "r.jsonl").read_bytes() != whole:
                bad += 1
                print(f"after {kills} kills: exit {done.returncode}, left {sorted(left)}")
            for name in left | {"r.jsonl"}:
                (folder / name).unlink(missing_ok=True)
    print(f"[{'FAIL' if bad else 'PASS'}] kill: {kills} kills, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
