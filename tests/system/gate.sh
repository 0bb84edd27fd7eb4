#!/bin/bash
# gate.sh PROGRAM GATE_FRAMES: uses the program as a gate in a render farm. Five frames among 45 have a
# local fault that their mean hardly shows. The worst tile tells each of them from the clean ones, and
# where the fault is.
set -eu
export LC_ALL=C
program=$(realpath "$1") frames=$(realpath "$2")
# shellcheck source=tests/support/need.sh
. "$(dirname "$0")/../support/need.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$frames" . >faults

fail() { echo "gate: $1" >&2; exit 1; }
code=0
"$program" --min-frame 0.985 ref out >mean 2>log || { cat log >&2; fail "the means alone tell them apart: this proves nothing"; }
"$program" --min-tile 0.97 --output r.jsonl --junit r.xml --progress openjd ref out >mean 2>log || code=$?
[ $code = 1 ] || { cat log >&2; fail "exit $code, expected 1"; }
grep -q '^ssimcu: below: 5 of 45 frames under --min-tile 0.97: 41 42 43 44 45; lowest ' log || { cat log >&2; fail "no such line"; }
grep -q '^openjd_fail: 5 of 45 frames outside the limits' log || fail "no openjd_fail line"
if ! has python3; then
    echo "gate: no python3, the rectangles and the JUnit file were not looked at"
    exit 0
fi
python3 - <<'END'
import json
import sys
import xml.etree.ElementTree as tree

faults = {int(f[0]): (f[1], *map(int, f[2:])) for f in map(str.split, open("faults"))}
lines = [json.loads(line) for line in open("r.jsonl")]
scores = {line["frame"]: line for line in lines if line["type"] == "frame"}
summary = lines[-1]
clean = [s for n, s in scores.items() if n not in faults]
print("clean: mean %.6f to %.6f, worst tile %.6f" % (min(s["score"] for s in clean), max(s["score"] for s in clean),
                                                      min(s["tile"]["score"] for s in clean)))
assert len(clean) == 40 and min(s["tile"]["score"] for s in clean) >= 0.97
for n, (name, x, y, width, height) in faults.items():
    tile = scores[n]["tile"]
    print("%-10s mean %.6f, worst tile %.6f at %dx%d+%d+%d" %
          (name, scores[n]["score"], tile["score"], tile["width"], tile["height"], tile["x"], tile["y"]))
    assert tile["score"] < 0.97
    assert tile["x"] < x + width and x < tile["x"] + tile["width"], name
    assert tile["y"] < y + height and y < tile["y"] + tile["height"], name
verdict = summary["verdict"]
assert summary["below"] == 5 and verdict["passed"] is False
assert [r["kind"] for r in verdict["reasons"]] == ["min_tile"]
assert verdict["reasons"][0]["frames"] == sorted(faults)
assert [f["frame"] for f in verdict["frames"]] == sorted(faults)
assert {w["frame"] for w in summary["worst_tiles"]} == set(faults)

suite = tree.parse("r.xml").getroot().find("testsuite")
cases = suite.findall("testcase")
assert int(suite.get("tests")) == len(cases) == 46 and int(suite.get("failures")) == 6
failed = {c.get("name"): c.find("failure").get("message") for c in cases[1:] if c.find("failure") is not None}
assert sorted(failed) == ["frame %d" % n for n in sorted(faults)]
assert all("under --min-tile 0.97" in message for message in failed.values())
tiles = sorted(s["tile"]["score"] for s in scores.values())
at = (len(tiles) - 1) * 0.05
low = tiles[int(at)] + (tiles[int(at) + 1] - tiles[int(at)]) * (at - int(at))
assert summary["tiles"]["min"] == tiles[0] and abs(summary["tiles"]["p5"] - low) < 1e-12
END
