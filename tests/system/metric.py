#!/usr/bin/env python3
"""metric.py CC BUILD [LAUNCHER]: a metric, a finding and an output that one row each adds are told of wherever such are.

It configures and builds the program and the libraries in BUILD with SSIMCU_TEST_ROWS, which adds a row for
"mean-difference" to lib/shared/metric_table.h and functions to lib/cpu/metrics.c and lib/plan/metrics.c, and nothing
elsewhere. Then it looks for the metric on the console, in every form of results, in limits, on the page and in Python.
The same build has a row more in findings.def, with its detector, and in outputs.c: both are looked for in the same places,
of runs and of checks.
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
    flags = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DSSIMCU_TEST_ROWS=ON"]
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
    run("--min-frame", over, "--min-score", f"{NAME}=0.9999", "--output", "m.jsonl", "merge", "r.jsonl", code=1)
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
    for what, text in (("metric", PYTHON), ("finding", FOUND)):
        done = subprocess.run([sys.executable, "-c", text, REF, OUT, repr(score)], env={**os.environ, **paths})
        expect(done.returncode == 0, f"Python: {what}")


FINDING, SAID = "test-finding", "seven of a test build"


def outputs(verb):
    """The arguments of every output, and of the one that the test build adds."""
    return ["--output", f"{verb}.jsonl", "--junit", f"{verb}.xml", "--markdown", f"{verb}.md", "--report", f"{verb}-page",
            "--test-output", f"{verb}.test"]


def of_findings():
    """The finding fails a check, and a run that is asked for it; each output of both has it."""
    for verb, words in (("check", ["check", "ref"]), ("run", ["--fail-on", FINDING, "ref", "out"])):
        done = run(*words[:2] * (verb == "run"), *outputs(verb), *words[2 * (verb == "run"):], code=1)
        expect(FINDING in done.stdout + done.stderr, f"{verb}: finding on the console")
        *frames, summary = [json.loads(line) for line in open(f"{verb}.jsonl")][1:]
        found = [f for frame in frames for f in frame["findings"] if f["kind"] == FINDING]
        place = {"x": 1, "y": 2, "width": 4, "height": 8}
        expect(len(found) == len(frames) and all(f == {"kind": FINDING, "fails": True, "value": 7.0, **place, "text": SAID} for f in found),
               f"{verb}: finding in JSON")
        expect(summary["findings"][FINDING] == len(frames) and FINDING in {r["kind"] for r in summary["verdict"]["reasons"]},
               f"{verb}: finding in the verdict")
        failures = [f for f in tree.parse(f"{verb}.xml").iter("failure") if f.get("type") == FINDING]
        expect(len(failures) == len(frames) and all(SAID in f.get("message") for f in failures), f"{verb}: finding in JUnit")
        for file in (f"{verb}.md", f"{verb}-page/index.html"):
            expect(SAID in open(file).read(), f"{verb}: finding in {file}")
        run("--csv", *words, code=1)
        rows = list(csv.DictReader(run("--csv", *words, code=1).stdout.splitlines()))
        expect(all(row["fails"] == FINDING and SAID in row["findings"] for row in rows), f"{verb}: finding in CSV")
        expect(open(f"{verb}.test").read() == "exit 1\n", f"{verb}: the output that a row adds")
        run("--output", f"{verb}-m.jsonl", "merge", f"{verb}.jsonl", "--test-output", "m.test", *words[:2] * (verb == "run"), code=1)
        expect(open(f"{verb}-m.jsonl").readlines()[1:-1] == open(f"{verb}.jsonl").readlines()[1:-1], f"{verb}: read back")
        expect(open("m.test").read() == "exit 1\n", f"{verb}: the output of a merge")
    done = run("check", "--junit", "gone.xml", "--test-output", "gone.test", "nothing-there", code=4)
    text = run("--help-all").stdout
    expect(FINDING in text and "--test-output" in text, "help")
    expect("--test-output -" in run("--test-output", "-", "ref", "out", code=2).stderr, "an output named -")


FOUND = """
import sys, ssimcu
found = next(ssimcu.run(sys.argv[1], sys.argv[2])).findings
assert [(f.kind, f.fails, f.value) for f in found if f.kind == "{0}"] == [("{0}", False, 7)], found
checked = ssimcu.check(sys.argv[1])
assert not checked.passed and [f.text for f in checked.findings] == ["{1}"], checked
""".format(FINDING, SAID)


BUILD = pathlib.Path(sys.argv[2]).resolve()
build(sys.argv[1], BUILD, sys.argv[3] if len(sys.argv) > 3 else "")
with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    value = of_a_pair()
    of_a_batch(value)
    of_findings()
    of_python(value)
    os.chdir(ROOT)
sys.exit(bad != 0)
