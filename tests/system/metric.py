#!/usr/bin/env python3
"""metric.py CC BUILD [LAUNCHER]: a metric that one row adds is told of wherever metrics are.

It configures and builds the program and the libraries in BUILD with SSIMCU_TEST_METRIC, which adds a row for
"mean-difference" to lib/shared/metric_table.h and functions to lib/cpu/metrics.c and lib/plan/metrics.c, and nothing
elsewhere. Then it looks for the metric on the console, in every form of results, in limits, on the page and in Python.
"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME, KEY, TITLE = "mean-difference", "mean_difference", "Mean difference"
REF, OUT = ROOT / "testdata/odd37x23_rgb.png", ROOT / "testdata/odd37x23_yuv420.jpg"
bad = 0


def expect(good, what):
    global bad
    bad += not good
    print(f"[{'PASS' if good else 'FAIL'}] metric::{what}")


def build(compiler, folder, launcher):
    """The kernels alone are optimised, because the compiler takes most of the time."""
    flags = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DSSIMCU_TEST_METRIC=ON"]
    flags += [f"-DSSIMCU_{part}=OFF" for part in ("CUDA", "TESTS", "BENCH", "EXR")]
    flags += [f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}"]
    for command in (["cmake", "-S", ROOT, "-B", folder, *flags],
                    ["cmake", "--build", folder, "--parallel", "2", "--target", "ssimcu_cli", "ssimcu_qa_shared"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(done.stdout)


def run(*arguments, code=0):
    done = subprocess.run([BUILD / "cli/ssimcu", *arguments], capture_output=True, text=True)
    expect(done.returncode == code, f"exit {done.returncode}, expected {code}: {' '.join(map(str, arguments))}")
    return done


def of_a_pair():
    """Its sums are those of PSNR: a channel's value is 1 less the root of the mean square."""
    text = run("--metric", NAME, REF, OUT).stdout
    made = json.loads(run("--metric", f"{NAME},psnr", "--json", REF, OUT).stdout)["metrics"]
    psnr, own = (list(made[key]["channels"].values()) for key in ("psnr", KEY))
    expect(all(math.isclose(1 - 10 ** (-p / 20), c, abs_tol=1e-9) for p, c in zip(psnr, own)), "channels")
    expect(math.isclose(made[KEY]["score"], sum(own) / 3, abs_tol=1e-12), "mean of the channels")
    expect(text == f"{made[KEY]['score']:.9f}\n", "console")
    expect(run("--metric", NAME, REF, REF).stdout == "1.000000000\n", "identical")
    expect(f"|{NAME}" in "".join(run("--help-all").stdout.split()), "help")
    expect(f"ssimcu: {NAME} {text.strip()}" in run("-v", "--metric", NAME, REF, OUT).stderr, "details")
    return made[KEY]["score"]


def of_a_batch(score):
    """Two pairs, of which one is identical: results, limits, verdicts and the page."""
    for side, second in (("ref", REF), ("out", OUT)):
        os.makedirs(side)
        os.symlink(REF, f"{side}/1.png")
        os.symlink(second, f"{side}/2{second.suffix}")
    above, mean = score + 0.001, (1 + score) / 2
    over = f"{NAME}={above:.9f}"
    run("--metric", NAME, "--output", "r.csv", "ref", "out")
    rows = list(csv.DictReader(open("r.csv")))
    expect([round(float(row[KEY]), 6) for row in rows] == [1, round(score, 6)], "CSV")
    expect(all(row[f"{KEY}_{c}"] for row in rows for c in (1, 2, 3)), "channels in CSV")
    done = run("--metric", NAME, "--min-frame", over, "--min-score", f"{NAME}=0.9999", "--output", "r.jsonl",
               "--junit", "r.xml", "--report", "page", "ref", "out", code=1)
    expect(f"1 of 2 frames under --min-frame {NAME}=" in done.stderr, "the frame's limit on the console")
    expect(f"mean {NAME} " in done.stderr, "the run's limit on the console")
    *frames, summary = [json.loads(line) for line in open("r.jsonl")][1:]
    expect([round(f["metrics"][KEY]["score"], 9) for f in frames] == [1, round(score, 9)], "JSON Lines")
    expect(math.isclose(summary["metrics"][KEY]["score"], mean, abs_tol=1e-9), "summary")
    kinds = {reason["kind"] for reason in summary["verdict"]["reasons"]}
    expect(kinds == {f"min_frame_{KEY}", f"min_score_{KEY}"}, f"verdict {kinds}")
    run("--output", "m.jsonl", "merge", "r.jsonl")
    expect(open("m.jsonl").readlines()[1:-1] == open("r.jsonl").readlines()[1:-1], "read back")
    junit = tree.parse("r.xml")
    expect({f.get("type") for f in junit.iter("failure")} == kinds, "failures of JUnit")
    expect(any(p.get("name") == KEY for p in junit.iter("property")), "property of JUnit")
    page = open("page/index.html").read()
    expect(page.count(TITLE) >= 3 and f"{score:.6f}" in page, "page")
    of_a_file(above)


def of_a_file(above):
    rule = {"match": "*", "min_frame": {KEY: above}}
    pathlib.Path("l.json").write_text(json.dumps({"ssimcu_limits": 1, "rules": [rule]}))
    done = run("--metric", NAME, "--limits", "l.json", "ref", "out", code=1)
    expect(f"under min_frame {NAME} of l.json" in done.stderr, "a limit of the file")
    rule["min_frame"] = {KEY: 2}
    pathlib.Path("l.json").write_text(json.dumps({"ssimcu_limits": 1, "rules": [rule]}))
    done = run("--metric", NAME, "--limits", "l.json", "ref", "out", code=4)
    expect("expected a number above 0, at most 1" in done.stderr, "its range")
    rule["min_frame"] = {"none": 1}
    pathlib.Path("l.json").write_text(json.dumps({"ssimcu_limits": 1, "rules": [rule]}))
    done = run("--metric", NAME, "--limits", "l.json", "ref", "out", code=4)
    expect(f"ssimulacra2 and {KEY}" in done.stderr, "all keys are named")


PYTHON = """
import sys, ssimcu
ref, out, score = sys.argv[1], sys.argv[2], float(sys.argv[3])
result = ssimcu.compare(ref, out, metric=("ssim", "{0}"))
assert abs(result.metrics["{0}"] - score) < 1e-12, result.metrics
run = ssimcu.run(ref, out, metric="{0}", limits={{"min_frame": {{"{0}": 1}}}})
assert abs(next(run).metrics["{0}"] - score) < 1e-12 and not run.passed
try:
    ssimcu.compare(ref, out, metric="none")
except ssimcu.Error as error:
    assert "{0}" in str(error)
""".format(NAME)


def of_python(score):
    paths = {"LD_LIBRARY_PATH": ":".join(str(BUILD / part) for part in ("lib", "io", "lib/qa")),
             "PYTHONPATH": str(ROOT / "lib/python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", PYTHON, REF, OUT, repr(score)], env={**os.environ, **paths})
    expect(done.returncode == 0, "Python")


BUILD = pathlib.Path(sys.argv[2]).resolve()
build(sys.argv[1], BUILD, sys.argv[3] if len(sys.argv) > 3 else "")
with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    value = of_a_pair()
    of_a_batch(value)
    of_python(value)
    os.chdir(ROOT)
sys.exit(bad != 0)
