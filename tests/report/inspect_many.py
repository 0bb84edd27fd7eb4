#!/usr/bin/env python3
"""inspect_many.py PROGRAM RESULTS: the pages of 10 and of 2000 results whose first line is that of RESULTS, in headless
Chromium: what is wrong with one frame is found in the plot, however many lie in its column. 77: there is none."""
import json
import os
import subprocess
import sys

import browser

LOW = 30  # thousandths of the way: this frame's tile is the lowest, but not its score


def write(path, head, count):
    with open(path, "w") as to:
        to.write(head)
        for i in range(1, count + 1):
            score = 0.99 - i % 7 * 0.001
            row = {"type": "frame", "frame": i, "status": "ok", "score": score, "channels": {c: score for c in "rgb"},
                   "tile": {"score": score - 0.01, "x": 0, "y": 0, "width": 64, "height": 64}, "bits": 8,
                   "background": None, "backend": "cpu", "ref": {"path": "r", "bytes": 1, "mtime": "1.0"},
                   "out": {"path": "o", "bytes": 1, "mtime": "1.0"}}
            if i == count * LOW // 100:
                row["score"], row["tile"]["score"] = 0.9899, 0.3
            to.write(json.dumps(row) + "\n")


def main():
    program, results = sys.argv[1:]
    with open(results) as lines:
        head = lines.readline()
    with browser.opened() as page:
        for count in (10, 2000):
            write("many.jsonl", head, count)
            subprocess.run([program, "-q", "--min-tile", "0.5", "--report", f"many{count}", "merge", "many.jsonl"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            low = count * LOW // 100
            for width in (1600, 400):
                page.open(f"file://{os.getcwd()}/many{count}/index.html", width)
                page.mouse("mouseMoved", page.place("#curves", (low - 0.5) / count, 0.3))
                tip = page.run("document.querySelector('#tip').textContent")
                assert tip.split("\n")[0] == f"frame {low}" and "worst tile 0.3" in tip, tip
                page.click("#curves", (low - 0.5) / count, 0.3)
                assert page.run("location.hash") == f"#frame-{low}", page.run("location.hash")
                points = page.run("Math.max(...[...document.querySelectorAll('.curve')]"
                                  ".map(c => c.getAttribute('d').match(/[ML]/g).length))")
                assert points == (10 if count == 10 else 1200), points
                assert page.complaints() == [], page.complaints()
        print("10 and 2000 frames: the lowest tile is found in the plot")


main()
