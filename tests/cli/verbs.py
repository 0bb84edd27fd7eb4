#!/usr/bin/env python3
"""verbs.py PROGRAM: no option is passed over. Each option of --help-all is given to each verb. Either the
program refuses it with exit code 2, or something is other than without it: what is printed, a file that is
written, or the exit code. Each goes with a verb. FREE names what may change nothing, and why."""
import concurrent.futures
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

program = str(Path(sys.argv[1]).resolve())
T = Path(__file__).resolve().parents[2] / "testdata"
work = Path(tempfile.mkdtemp())

# A value that says something else than the default, and the options that it needs beside it.
VALUES = {
    "output": "given.out", "map": "map.png", "map-style": "heat", "report": "page", "report-frames": "0",
    "group": "a=o.y4m,p.y4m", "junit": "j.xml", "markdown": "n.md", "rerender": "l.txt",
    "junit-cases": "shot", "worst": "0", "list": "{w}/list",
    "frames": "2", "offset": "1", "missing": "skip", "region": "32x32+0+0", "size": "64x64", "format": "gray",
    "range": "full", "matrix": "bt709", "stream": "1", "scale": "96x96", "scaler": "lanczos", "layer": "diffuse", "layers": "all",
    "channels": "R", "metric": "psnr", "compat": "ffmpeg", "color": "y709", "pad": "zero", "alpha": "black",
    "tile": "24", "hdr": "pu21", "exposure": "1", "white": "300", "nan": "zero", "min-score": "0.9999999",
    "min-frame": "0.9999999", "min-tile": "0.9999999", "max-level-shift": "0.0001", "max-diff-ratio": "0", "max-diff-cluster": "0",
    "diff-threshold": "0.9", "limits": "{w}/limits.json",
    "or": "{w}/alt", "baseline": "{w}/better.jsonl", "max-drop": "0.0001", "max-tile-drop": "0.0001",
    "max-bad": "100", "false-alarms": "0.1", "resume": "{w}/given.jsonl", "shard": "1/2",
    "memory": "64M", "progress": "openjd", "into": "into", "even-if": "black", "device": "cpu", "decode": "cpu", "threads": "1",
    "max-pixels": "16", "stale": "warn", "fail-on": "none",
}
NEEDS = {
    "map-style": ["--map", "map.png"], "report-frames": ["--report", "page"], "junit-cases": ["--junit", "j.xml"],
    "group": ["--report", "page"], "scaler": ["--scale", "96x96"], "size": ["--format", "gray"],
    "format": ["--size", "64x64"], "max-bad": ["--min-frame", "0.9999999"], "or": ["--min-frame", "0.9999999"],
    "baseline": ["--max-drop", "0.0001"], "max-drop": ["--baseline", "{w}/better.jsonl"],
    "max-tile-drop": ["--baseline", "{w}/better.jsonl"],
    "diff-threshold": ["--max-diff-ratio", "0"], "white": ["--hdr", "pu21"], "exposure": ["--hdr", "srgb"],
    "max-pixels": ["--report", "page"],
}
# What may change nothing: an option with each verb, or with one, and why.
MACHINE = "says how fast, not what: the same numbers come out"
FREE = {
    "threads": MACHINE, "memory": MACHINE, "decode": MACHINE, "device": MACHINE + ", and there may be no GPU",
    "verbose": "says more only where there is more to say",
    "nan": "counts where a sample is not finite",
    "stale": "counts where REF is another one than that of the learned limits",
    **{("fail-on", verb): "counts where a frame has such a hint" for verb in ("pair", "directories", "list", "video")},
    ("group", "video"): "counts where containers say how many bytes a frame has, which y4m does not",
    ("missing", "pair"): "says what to do in batches, and may be said of what turns out to be two pictures",
    ("list", "list"): "is the verb itself",
    ("output", "calibrate"): "is there already, because there is no calibration without it",
    ("into", "accept"): "is there already, because nothing is accepted without it",
}
REF = "{w}/ref {w}/out"
VERBS = {
    "pair": ["{t}/rgba_alpha.png {t}/rgba_alpha_b.png", "--output r.jsonl {w}/eref/1.exr {w}/eout/1.exr"],
    "directories": [REF, "{w}/eref {w}/eout", "--recursive {w}/tree {w}/tree2"],
    "list": ["--list {w}/list", "--list {w}/elist"],
    "video": ["{w}/r.y4m {w}/o.y4m", "{w}/r.y4m {w}/o.y4m {w}/p.y4m --output d"],
    "merge": ["merge {w}/a.jsonl", "--output r.jsonl merge {w}/a.jsonl", "merge {w}/e.jsonl"],
    "calibrate": ["calibrate --output l.json {t}/renders/ref {t}/renders/run1 {t}/renders/run2 {t}/renders/run3 {t}/renders/run4"],
    "accept": ["accept {w}/a.jsonl --into new"],
    "check": ["check {w}/gaps", "check {w}/n.exr", "check {w}/tree"],
}
FORMS = {(option, "video"): ["{w}/r.gray {w}/o.gray"] for option in ("size", "format")}
FORMS |= {("even-if", "accept"): ["accept {w}/black.jsonl --into new"]}
FORMS |= {(option, "check"): ["check {w}/r.gray"] for option in ("size", "format")}
FORMS[("fail-on", "merge")] = ["merge {w}/c.jsonl"]
FORMS[("stream", "check")] = ["check {w}/r.y4m"]


def ssimcu(*words, cwd=work):
    return subprocess.run([program, *words], cwd=cwd, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)


def y4m(name, add, frames):
    with open(work / f"{name}.y4m", "wb") as file, open(work / f"{name}.gray", "wb") as raw:
        file.write(b"YUV4MPEG2 W64 H64 F25:1 C420jpeg\n")
        for n in range(frames):
            luma = bytes((x * 3 + y * 5 + n * 7 + add * (x // 8 % 2)) % 200 + 20 for y in range(64) for x in range(64))
            raw.write(luma)
            file.write(b"FRAME\n" + luma + bytes([120 + add]) * 2048)


def text(word):
    return word.encode() + b"\0"


def attribute(key, kind, data):
    return text(key) + text(kind) + struct.pack("<I", len(data)) + data


def exr(name, factor, first=None):
    """An EXR of floats without compression: R, G, B, Z and a layer. `first`: the first sample of G."""
    names = ["B", "G", "R", "Z", "diffuse.B", "diffuse.G", "diffuse.R"]
    side = 64
    channels = b"".join(text(n) + struct.pack("<iiii", 2, 0, 1, 1) for n in names) + b"\0"
    box = struct.pack("<iiii", 0, 0, side - 1, side - 1)
    head = b"v/1\x01\x02\0\0\0" + attribute("channels", "chlist", channels)
    head += attribute("compression", "compression", b"\0") + attribute("dataWindow", "box2i", box)
    head += attribute("displayWindow", "box2i", box) + attribute("lineOrder", "lineOrder", b"\0")
    head += attribute("pixelAspectRatio", "float", struct.pack("<f", 1))
    head += attribute("screenWindowCenter", "v2f", struct.pack("<ff", 0, 0))
    head += attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
    row = 4 * side * len(names)
    table = b"".join(struct.pack("<Q", len(head) + 8 * side + y * (row + 8)) for y in range(side))
    rows = b""
    for y in range(side):
        rows += struct.pack("<iI", y, row)
        for c in range(len(names)):
            line = [(1 + factor * (x // 8 % 2)) * ((x * 3 + y * 5 + 17 * c) % 90) / 60 for x in range(side)]
            line[0] = first if first is not None and y == 0 and names[c] == "G" else line[0]
            rows += struct.pack(f"<{side}f", *line)
    (work / name).write_bytes(head + table + rows)


def fixtures():
    """Files of every kind that a verb takes, in the folder of the test."""
    for name in ("ref", "out", "alt", "eref", "eout", "tree/s", "tree2/s", "gaps"):
        (work / name).mkdir(parents=True)
    for n in range(1, 4):
        for folder in ("ref", "tree/s"):
            shutil.copy(T / "rgba_alpha.png", work / folder / f"{n}.png")
        for folder in ("out", "tree2/s", "alt"):
            shutil.copy(T / ("rgba_alpha_b.png" if n < 3 and folder != "alt" else "rgba_alpha.png"), work / folder)
            os.rename(next(p for p in (work / folder).iterdir() if p.name.startswith("rgba")), work / folder / f"{n}.png")
    shutil.copy(T / "rgba_alpha.png", work / "ref" / "4.png") # OUT lacks it
    for n in (1, 2, 3, 4, 6):
        shutil.copy(work / "ref" / "1.png", work / "gaps" / f"{n}.png")
    exr("n.exr", 0, first=float("nan"))
    for n in (1, 2):
        exr(f"eref/{n}.exr", 0), exr(f"eout/{n}.exr", 0.1)
    for name, add in (("r", 0), ("o", 9), ("p", 20)):
        y4m(name, add, 3 if name == "p" else 4) # OUT lacks one
    (work / "list").write_text("".join(f"{work}/ref/{n}.png\t{work}/out/{n}.png\n" for n in (1, 2, 3, 4)))
    (work / "elist").write_text("".join(f"{work}/eref/{n}.exr\t{work}/eout/{n}.exr\n" for n in (1, 2)))
    (work / "limits.json").write_text('{"ssimcu_limits": 1, "rules": [{"match": "*", "min_frame": 0.9999999}]}')
    (work / "ignore.json").write_text('{"ssimcu_limits": 1, "rules": [{"match": "*", "ignore": [[0, 0, 9, 9]]}]}')
    for name, words in (("a", "{w}/ref {w}/out"), ("e", "{w}/eref {w}/eout"), ("better", "{w}/ref {w}/ref")):
        ssimcu("-q", "--output", f"{name}.jsonl", *filled(words.split()))
    ssimcu("-q", "--output", "c.jsonl", "check", *filled(["{w}/gaps"]))
    lines = re.sub(r',"findings":\[[^]]*\](?=[,}])', "", (work / "a.jsonl").read_text())
    black = '"findings":[{"kind":"black","fails":false,"text":"black"}]'
    (work / "black.jsonl").write_text(lines.replace('"ref":{"path"', black + ',"ref":{"path"'))


# ---- Each option with each verb ----------------------------------------------------------------------


def filled(words):
    return [word.format(w=work, t=T) for word in words]


def outcome(words):
    """All that a run shows: its exit code, what it prints, and the files that it leaves."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        run = ssimcu(*filled(words), cwd=folder)
        shown = {"exit": run.returncode, "stdout": run.stdout, "stderr": run.stderr}
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                text = re.sub(rb' time(stamp)?="[^"]*"', b"", path.read_bytes())
                shown[str(path.relative_to(folder))] = hashlib.sha1(text).hexdigest()
        return shown


def judge(option, flag, verb):
    """Returns what an option does with a verb: refused, changes, or passed over; and the last line that did."""
    given = [f"--{option}"] + ([] if flag else [VALUES[option]])
    best = "passed over", ""
    for form in FORMS.get((option, verb), VERBS[verb]):
        for needs in ([], NEEDS[option]) if option in NEEDS else ([],):
            plain, with_it = needs + form.split(), needs + given + form.split()
            now = outcome(with_it)
            if now["exit"] == 2:
                best = ("refused", "") if best[0] == "passed over" and not best[1] else best
                continue
            before, again = outcome(plain), outcome(plain)
            steady = [key for key in before if before[key] == again.get(key)]
            if now.keys() != before.keys() or any(now[key] != before[key] for key in steady):
                return "changes", ""
            best = "passed over", " ".join(filled(with_it))
    return best


def main():
    fixtures()
    text = ssimcu("--help-all").stdout.decode()
    options = re.findall(r"^  (?:-., |    )--([a-z-]+)( \S)?", text, re.M)
    options = [(name, not value) for name, value in options if name not in ("help", "help-all", "version", "list-devices")]
    wrong, counts, useful = 0, {}, set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {(name, verb): pool.submit(judge, name, flag, verb) for name, flag in options for verb in VERBS}
        for (name, verb), job in jobs.items():
            what, line = job.result()
            free = FREE.get(name) or FREE.get((name, verb))
            if what == "passed over" and free:
                what = "free"
            if what in ("changes", "free"):
                useful.add(name)
            counts[verb, what] = counts.get((verb, what), 0) + 1
            if what == "passed over":
                print(f"verbs: --{name} is passed over by {verb}: ssimcu {line.replace(str(work), '.')}")
                wrong += 1
    for name, _ in options:
        if name not in useful:
            print(f"verbs: --{name} goes with no verb")
            wrong += 1
    for verb in VERBS:
        words = ", ".join(f"{counts.get((verb, what), 0)} {what}" for what in ("refused", "changes", "free", "passed over"))
        print(f"{verb}: {len(options)} options: {words}")
    return 1 if wrong else 0


try:
    code = main()
finally:
    shutil.rmtree(work)
sys.exit(code)
