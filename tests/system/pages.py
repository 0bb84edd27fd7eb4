#!/usr/bin/env python3
"""pages.py PROGRAMS SSIMCU: runs the programs of docs/tasks, which are built in PROGRAMS, and holds what they
print against what the program ssimcu prints.

pages.py --write FOLDER: writes the code blocks of docs/tasks as files. A block's first comment names its
program."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "testdata"


def blocks():
    """(name, ending, code) of each code block."""
    for page in sorted((ROOT / "docs/tasks").glob("*.md")):
        for ending, code in re.findall(r"^```(\w*)\n(.*?)^```\n", page.read_text(), re.S | re.M):
            named = re.match(r"/\* (\w+) ", code)
            if ending not in ("c", "cpp") or not named:
                sys.exit(f"{page.name}: a block is not a program in C or C++ that its first line names")
            yield named[1], ending, code


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, ending, code in blocks():
        path = folder / f"{name}.{ending}"
        if not path.exists() or path.read_text() != code:
            path.write_text(code)


def run(expected, *command):
    """Runs a command, which must end with this exit code, and returns both of its outputs."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != expected:
        sys.exit(f"{command}: exit {done.returncode}, not {expected}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def check(good, *what):
    if not good:
        sys.exit(" ".join(str(part) for part in what))


def near(a, b):
    return abs(float(a) - float(b)) <= 1e-6  # a GPU may compute one of them


def make(folder):
    """Makes directories of four frames, of which the third differs, and two videos."""
    for side in "ref", "out":
        (folder / side).mkdir()
        for frame in range(1, 5):
            bad = side == "out" and frame == 3
            shutil.copy(DATA / ("rgb8_b.png" if bad else "rgb8_a.png"), folder / side / f"f.{frame}.png")
    for name, factor in ("a.y4m", 1), ("b.y4m", 3):
        with open(folder / name, "wb") as file:
            file.write(b"YUV4MPEG2 W48 H32 C420jpeg\n")
            for frame in range(5):
                file.write(b"FRAME\n" + bytes((i * factor + frame) % 251 for i in range(48 * 32 * 3 // 2)))


PAIRS = ("rgb8_a.png", "rgb8_b.png"), ("rgb8_a.tif", "rgb8_b.tif"), ("light.exr", "rgb16_b.png")


def readable(ssimcu):
    """(REF, OUT, score) of each pair whose formats this build reads."""
    for ref, out in PAIRS:
        done = subprocess.run([ssimcu, DATA / ref, DATA / out], capture_output=True, text=True)
        if done.returncode == 0:
            yield DATA / ref, DATA / out, done.stdout.strip()


def gate(programs, ssimcu):
    said, _ = run(0, programs / "gate", "ref", "out", 0.1)
    check(said == run(0, ssimcu, "ref", "out")[0], "gate prints", said)
    run(1, programs / "gate", "ref", "out", 0.9)
    run(2, programs / "gate", "ref", "out", 7)
    run(2, programs / "gate")
    for ref, out, score in readable(ssimcu):
        check(run(0, programs / "gate", ref, out, -0.9)[0].strip() == score, "gate", ref)
    said, _ = run(1, programs / "gate", "a.y4m", "b.y4m", 0.9)
    check(said == run(0, ssimcu, "a.y4m", "b.y4m")[0], "gate, video", said)
    os.rename("out/f.1.png", "gone.png")
    run(3, programs / "gate", "ref", "out", 0.1)
    os.rename("gone.png", "out/f.1.png")
    _, why = run(4, programs / "gate", "ref", "none", 0.1)
    check("none" in why, why)


def last(path):
    return json.loads(Path(path).read_text().splitlines()[-1])


def nightly(programs, ssimcu):
    for night in "one", "two", "three":
        os.mkdir(night)
    said, _ = run(1, programs / "nightly", "ref", "out", "one")
    check("4 frames are new" in said and ": 1 of 4 frames" in said, said)
    check("<failure" in Path("one/junit.xml").read_text(), "JUnit")
    check(Path("one/report/index.html").exists(), "report")
    run(1, ssimcu, "-q", "--min-tile", 0.9, "--output", "own.jsonl", "ref", "out")
    check(last("one/scores.jsonl") == last("own.jsonl"), "the results' last line is the program's")
    check("0 frames are new" in run(1, programs / "nightly", "ref", "out", "one")[0], "the second call")
    shutil.copy(DATA / "rgb8_a.png", "out/f.3.png")
    shutil.copy(DATA / "rgb8_b.png", "out/f.4.png")
    said, _ = run(1, programs / "nightly", "ref", "out", "two", "own.jsonl")
    check("--max-drop" in said, said)
    shutil.copy(DATA / "rgb8_a.png", "out/f.4.png")
    check("4 frames are new" in run(0, programs / "nightly", "ref", "out", "three")[0], "a good night")
    nightly_stopped(programs)


def stop_job(command, partial):
    """Starts a job and stops it once it has scored something. Returns its exit code and output."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
        while job.poll() is None and not (partial.exists() and partial.read_text().count("\n") > 2):
            time.sleep(0.01)
        job.send_signal(signal.SIGTERM)
        said = job.communicate(timeout=60)[0]
    return job.returncode, said


def nightly_stopped(programs):
    """Stops a job and lets another call go on. If the job was too quick, there are more frames."""
    for frames in 2000, 8000, 32000:
        folder = Path(f"stop{frames}")
        for side in "ref", "out":
            (folder / side).mkdir(parents=True)
            for frame in range(frames):
                os.symlink(DATA / "rgb8_a.png", folder / side / f"{frame}.png")
        command = [programs / "nightly", folder / "ref", folder / "out", folder]
        code, said = stop_job(command, folder / "scores.jsonl.partial")
        if code != 0:
            break
    new = int(said.split()[0])
    check(code == 143 and 0 < new < frames and "INCOMPLETE" in said, code, said)
    said, _ = run(0, *command)
    check(int(said.split()[0]) == frames - new, new, said)
    check(last(folder / "scores.jsonl")["verdict"]["passed"], "the whole night")


def heat_map(programs, ssimcu):
    said, _ = run(0, programs / "heat_map", DATA / "rgb8_a.png", DATA / "rgb8_b.png", "map.png")
    own = json.loads(run(0, ssimcu, "--json", DATA / "rgb8_a.png", DATA / "rgb8_b.png")[0])
    score, tile, _, place = said.split()
    check(near(score, own["score"]) and near(tile, own["tile"]["score"]), said, own)
    check(place == f'{own["tile"]["x"]},{own["tile"]["y"]}', said, own)
    check(Path("map.png").read_bytes()[16:24] == bytes([0, 0, 0, 86, 0, 0, 0, 54]), "the map's size")
    run(0, programs / "heat_map", DATA / "rgb8_a.png", DATA / "rgb8_a.png", "same.png")
    check(len(Path("same.png").read_bytes()) < 500, "a map of equal pictures is black")
    said, _ = run(0, programs / "heat_map", "a.y4m", "b.y4m", "map.png")
    own = json.loads(run(0, ssimcu, "--json", "--frames", 0, "a.y4m", "b.y4m")[0].splitlines()[1])
    check(near(said.split()[0], own["score"]), said, own)
    _, why = run(1, programs / "heat_map", "gone.png", "gone.png", "map.png")
    check("gone.png" in why, why)


def video_scores(programs, ssimcu):
    said, why = run(0, programs / "video_scores", "a.y4m", "b.y4m")
    check("not on the GPU" in why, why)
    lines = run(0, ssimcu, "--json", "a.y4m", "b.y4m")[0].splitlines()[1:-1]
    own = [(record["frame"], record["score"]) for record in map(json.loads, lines)]
    mine = [line.split() for line in said.splitlines()]
    check(len(mine) == 5 and [int(frame) for frame, _ in mine] == [frame for frame, _ in own], said)
    check(all(near(a, b) for (_, a), (_, b) in zip(mine, own)), said, own)
    _, why = run(1, programs / "video_scores", "a.y4m", "gone.y4m")
    check("gone.y4m" in why, why)


def render_scores(programs, ssimcu):
    for ref, out, score in readable(ssimcu):
        said, _ = run(0, programs / "render_scores", ref, out)
        check(near(said, score), "render_scores", ref, said)
    _, why = run(1, programs / "render_scores", "gone.png", "gone.png")
    check("gone.png" in why, why)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--write":
        return write(Path(sys.argv[2]))
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    programs, ssimcu = (Path(path).resolve() for path in sys.argv[1:])
    for name, ending, code in blocks():
        if not (programs / name).exists() and ("cuda_runtime" in code or ending == "cpp"):
            print(f"[SKIP] pages::{name}: this build has no compiler for it")
            continue
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder))
            os.chdir(folder)
            globals()[name](programs, ssimcu)
            os.chdir("/")
        print(f"[PASS] pages::{name}")


if __name__ == "__main__":
    main()
