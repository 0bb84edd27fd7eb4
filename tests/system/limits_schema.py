#!/usr/bin/env python3
"""limits_schema.py PROGRAM: holds files of limits against docs/limits.schema.json, and the schema against the program.

What calibrate writes keeps the schema. A file is edited in one place at a time: what the schema refuses the program refuses,
and the other way round, except where a schema cannot say what is wrong.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import need

if not need.there("jsonschema"):
    print("[SKIP] limits_schema::all there is no jsonschema for Python")
    sys.exit(77)
import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/limits.schema.json").read_text())
RESULTS = json.loads((ROOT / "docs/results.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
CONTRACT = jsonschema.Draft202012Validator({"$ref": "#/$defs/contract", "$defs": RESULTS["$defs"]})
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
GONE = object()
NAMED = re.findall(r'\nFINDING\w*\(\w+, "([^"]+)"(.*?)(?=\nFINDING|\n#|$)', (ROOT / "lib/qa/record/findings.def").read_text(), re.S)
NAMED = [row for row in NAMED if row[0] != "test-finding"]
KINDS = [name for name, row in NAMED if re.search(r"FINDING_BY_(PAIR|FRAMES|LEARNED)", row)]
TABLE = (ROOT / "lib/shared/metric_table.h").read_text().replace("\\\n", " ")
METRICS = re.findall(r'(?:ROW\(\w+, "[^"]*", |\.key = )"(\w+)".*?\.above = (\S+),\s+\.most = (\S+),', TABLE, re.S)
METRICS = METRICS[-1:] + METRICS[:-2]  # SSIM, which stands last, the others, and not that of tests
# Each edit: the way to a member, its new value, and whether it is refused then.
EDITS = [
    ("ssimcu_limits", GONE, True), ("ssimcu_limits", 2, True), ("ssimcu_limits", "1", True),
    ("more", 1, True), ("$schema", "limits.schema.json", True),
    ("rules", GONE, False), ("rules", [], False), ("rules", {}, True), ("learned", GONE, False), ("learned", [], True),
    ("rules 0", 7, True), ("rules 0", {}, True), ("rules 0", {"match": "*"}, True), ("rules 0", {"min_tile": 0.5}, True),
    ("rules 0", {"match": "*", "may_be_missing": False}, False), ("rules 0", {"frames": "7", "ignore": [[0, 0, 1, 1]]}, False),
    ("rules 0 match", "", True), ("rules 0 match", 1, True), ("rules 0 match", GONE, False), ("rules 0 frames", GONE, False),
    ("rules 0 frames", "sh030/1-9x2,12", False), ("rules 0 frames", "", True), ("rules 0 frames", "a", True),
    ("rules 0 frames", "1-", True), ("rules 0 frames", "1,,2", True), ("rules 0 frames", "1-9x0", True), ("rules 0 frames", 7, True),
    ("rules 0 min_frame", -1, True), ("rules 0 min_frame", 1, False), ("rules 0 min_frame", 1.001, True),
    ("rules 0 min_frame", {}, True), ("rules 0 min_frame", [0.5], True), ("rules 0 min_frame", {"ssim": 0.5}, False),
    ("rules 0 min_frame", {"psnr": 38, "ms_ssim": 1, "ssimulacra2": -99}, False), ("rules 0 min_frame", {"vmaf": 90}, True),
    ("rules 0 min_frame", {"psnr": 0}, True), ("rules 0 min_frame", {"psnr": 200.5}, True),
    ("rules 0 min_frame", {"psnr": None}, True), ("rules 0 min_frame", {"ssim": 1.001}, True),
    ("rules 0 min_frame", {"ms_ssim": 0}, True), ("rules 0 min_frame", {"ms_ssim": 1.1}, True),
    ("rules 0 min_frame", {"ssimulacra2": -100}, True), ("rules 0 min_frame", {"ssimulacra2": 100.5}, True),
    ("rules 0 min_tile", -0.999, False), ("rules 0 min_tile", "0.5", True), ("rules 0 min_tiles", 0.5, True),
    ("rules 0 max_drop", 0, False), ("rules 0 max_drop", 2, True), ("rules 0 max_drop", -0.1, True),
    ("rules 0 max_tile_drop", 1.999, False), ("rules 0 max_tile_drop", True, True),
    ("rules 0 max_level_shift", 255, False), ("rules 0 max_level_shift", 255.5, True), ("rules 0 max_level_shift", -1, True),
    ("rules 0 max_diff_ratio", 1, False), ("rules 0 max_diff_ratio", 1.5, True), ("rules 0 max_diff_ratio", -1, True),
    ("rules 0 max_diff_cluster", 4000, False), ("rules 0 max_diff_cluster", -1, True), ("rules 0 max_diff_cluster", "9", True),
    ("rules 0 compare", "exact", False), ("rules 0 compare", "values", False), ("rules 0 compare", "ids", True),
    ("rules 0 compare", 1, True), ("rules 0 range", [-1, 100], False), ("rules 0 range", [0], True),
    ("rules 0 range", [0, 1, 2], True), ("rules 0 range", ["0", 1], True), ("rules 0 range", [0, 1e31], True),
    ("rules 0 fail_on", ",".join(KINDS), False), ("rules 0 fail_on", "stuk", True), ("rules 0 fail_on", "", True),
    ("rules 0 fail_on", "duplicate,", True), ("rules 0 fail_on", "duplicate frame", True), ("rules 0 fail_on", 1, True),
    ("rules 0 fail_on", "all", False), ("rules 0 fail_on", "none", False), ("rules 0 fail_on", "none,duplicate", True),
    ("rules 0 fail_on", "flat-area", True), ("rules 0 fail_on_hint", "duplicate", True),
    ("rules 0 may_be_missing", 1, True), ("rules 0 ignore", [], True), ("rules 0 ignore", [0, 0, 9, 9], True),
    ("rules 0 ignore", [[0, 0, 9]], True), ("rules 0 ignore", [[0, 0, 9, 9, 9]], True), ("rules 0 ignore", [[0, 0, 9, 0]], True),
    ("rules 0 ignore", [[0, -1, 9, 9]], True), ("rules 0 ignore", [[0, 0, 9, 9.5]], True),
    ("rules 0 ignore", [[16777216, 0, 9, 16777216]], False), ("rules 0 ignore", [[16777217, 0, 9, 9]], True),
    ("rules 0 ignore_mask", "", True), ("rules 0 ignore_mask", 1, True), ("rules 0 ignore_mask", "mask.png", False),
    ("learned file", GONE, True), ("learned file", "", True), ("learned tile", GONE, True), ("learned tile", 20, True),
    ("learned tile", 34, True), ("learned tile", "32", True), ("learned tile", 65540, True), ("learned contract", GONE, True),
    ("learned contract", "rgb", True), ("learned runs", 0, True), ("learned runs", 1.5, True), ("learned runs", GONE, False),
    ("learned frames", 0, True), ("learned frames", GONE, False), ("learned false_alarms", 0, True), ("learned false_alarms", 1, True),
    ("learned false_alarms", GONE, False), ("learned run", 8, True), ("learned shots", GONE, True), ("learned shots", [], True),
    ("learned shots", {}, True), ("learned shots 0", 7, True), ("learned shots 0 match", GONE, True), ("learned shots 0 match", "", True),
    ("learned shots 0 frames", "1", True), ("learned shots 0 max_excess", GONE, True), ("learned shots 0 max_excess", 6, True),
    ("learned shots 0 max_excess", {}, True), ("learned shots 0 max_excess", {"dark": 0.001}, False),
    ("learned shots 0 max_excess dark", 0, True), ("learned shots 0 max_excess dark", "6", True),
    ("learned shots 0 max_excess dork", 6, True),
]
# What a schema cannot say, as text.
ONLY_THE_PROGRAM = [('"frames": "1-9"', '"frames": "9-1"'), ('"ssimcu_limits": 1,', '"ssimcu_limits": 1.0,'),
                    ('"min_tile": 0.5', '"min_tile": 0.5, "min_tile": 0.6'), ('"tile": 32', '"tile": 32.0'),
                    ('"min_tile": 0.5', '"ignore_mask": "no.png"')]
bad = 0


def complain(what):
    global bad
    bad += 1
    print(f"[FAIL] limits_schema::{what}")


def edited(document, way, value):
    copy = at = json.loads(json.dumps(document))
    *before, last = (int(name) if name.isdigit() else name for name in way.split())
    for name in before:
        at = at[name]
    if value is not GONE:
        at[last] = value
    elif isinstance(at, dict):
        at.pop(last, None)
    return copy


def refused(folder, text):
    """Whether the program refuses the text as a file of limits. All it says then is one line that names the file."""
    (folder / "edited.json").write_text(text)
    made = subprocess.run([PROGRAM, "-q", "--metric", "ssim,psnr,ms-ssim,ssimulacra2", "--baseline", "none",
                           "--limits", "edited.json", "ref.png", "ref.png"], cwd=folder, capture_output=True, text=True)
    return made.returncode == 4 and made.stderr.startswith("ssimcu: edited.json: ") and made.stderr.count("\n") == 1


def check_metrics():
    """Holds what both schemas say of metrics against the library's table."""
    least = SCHEMA["$defs"]["rule"]["properties"]["min_frame"]["anyOf"][1]["properties"]
    if [(key, str(of["exclusiveMinimum"]), str(of["maximum"])) for key, of in least.items()] != METRICS:
        complain("metrics: min_frame has other metrics, or other ranges, than metric_table.h")
    keys, parts = [key for key, *_ in METRICS], RESULTS["$defs"]
    if parts["contract"]["properties"]["metrics"]["items"]["enum"] != keys:
        complain("metrics: the contract has other ones than metric_table.h")
    for part in ("metrics", "metrics_of_all"):
        if list(parts[part]["properties"]) != keys[1:]:
            complain(f"metrics: {part} of results has other ones than metric_table.h")
    if not set(keys[1:]) <= set(parts["summary"]["properties"]["worst"]["items"]["properties"]):
        complain("metrics: worst of results lacks one of metric_table.h")
    kinds, others = parts["finding_kind"]["enum"], [name for name, _ in NAMED]
    if not {f"min_frame_{key}" for key in keys[1:]} <= set(kinds) or kinds[-len(others):] != others:
        complain("kinds of findings: results have others than metric_table.h and findings.def")


def main():
    check_metrics()
    VALIDATOR.check_schema(SCHEMA)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        renders = ROOT / "testdata/renders"
        subprocess.run([PROGRAM, "-q", "calibrate", "--output", folder / "limits.json", renders / "ref",
                        *sorted(renders.glob("run*"))], check=True, capture_output=True)
        (folder / "ref.png").write_bytes((renders / "ref/0001.png").read_bytes())
        (folder / "mask.png").write_bytes((ROOT / "testdata/grey8_a.png").read_bytes())
        document = json.loads((folder / "limits.json").read_text())
        for error in [*VALIDATOR.iter_errors(document), *CONTRACT.iter_errors(document["learned"]["contract"])]:
            complain(f"calibrate: {error.json_path}: {error.message[:200]}")
        document["rules"] = [{"match": "sh*", "frames": "1-9", "min_tile": 0.5}]
        for way, value, wrong in EDITS:
            text = edited(document, way, value)
            if VALIDATOR.is_valid(text) == wrong:
                complain(f"edit: the schema {'takes' if wrong else 'refuses'} {way} = {value}")
            if refused(folder, json.dumps(text)) != wrong:
                complain(f"edit: the program {'takes' if wrong else 'refuses'} {way} = {value}")
        whole = json.dumps(document)
        for before, after in ONLY_THE_PROGRAM:
            text = whole.replace(before, after, 1)
            if text == whole or not VALIDATOR.is_valid(json.loads(text)) or not refused(folder, text):
                complain(f"program: {after}")
    print(f"limits schema: {len(EDITS) + len(ONLY_THE_PROGRAM) + 1} files, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
