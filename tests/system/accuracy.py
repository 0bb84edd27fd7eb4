#!/usr/bin/env python3
"""accuracy.py TESTS ROOT [--write]: runs the searches for the worst content, whose programs are in TESTS, and compares the bounds
that they check with those in docs/accuracy.md. --write puts bounds and worst errors into its table; SSIMCU_SEARCH is the number of
draws then. An error in the table stays until a search finds a worse one."""

import os
import re
import subprocess
import sys
from pathlib import Path

SEARCHES = ["ssim_search", "tiles_search", "metrics_search", "loss_search"]
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (\S+) \| (.*?) \| (.*?) \|$", re.MULTILINE)
DEVICES = ["CPU", "GPU"]


def searched(tests, draws):
    """The bound and the worst error with its samples of each number, kind and device."""
    found = {}
    for name in SEARCHES:
        ran = subprocess.run([f"{tests}/test_{name}"], env={**os.environ, "SSIMCU_SEARCH": draws}, capture_output=True, text=True)
        for line in ran.stdout.splitlines():
            if line.startswith("worst\t"):
                _, number, kind, device, samples, worst, bound, *_ = line.split("\t")
                row = found.setdefault((number, kind), {"bound": 0.0})
                row["bound"] = max(row["bound"], float(bound))
                row[device] = max(row.get(device, (-1.0, "")), (float(worst), samples))
        if ran.returncode:
            sys.exit(f"[FAIL] accuracy: test_{name} ended with {ran.returncode}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    return found


def main():
    tests, page = sys.argv[1], Path(sys.argv[2], "docs/accuracy.md")
    write = "--write" in sys.argv
    text = page.read_text()
    stated = {(row[1], row[2]): row for row in ROW.finditer(text) if row[1] not in ("number", "---")}
    found = searched(tests, os.environ.get("SSIMCU_SEARCH", "300") if write else "1")
    if not write:
        # A GPU has its own bounds for tiles, so without one its rows are not searched.
        wrong = [key for key, row in found.items() if key not in stated or float(stated[key][3]) != row["bound"]]
        if any("GPU" in row for row in found.values()):
            wrong += [key for key in stated if key not in found]
        for key in wrong:
            print(f"docs/accuracy.md: {' | '.join(key)}: the tests check {found.get(key, {}).get('bound', 'nothing')}")
        print(f"[{'FAIL' if wrong else 'PASS'}] accuracy: {len(found)} bounds, {len(wrong)} unlike the page's")
        return bool(wrong)
    rows = []
    for key in [*stated, *(key for key in found if key not in stated)]:
        seen = [stated[key][4 + k] if key in stated else "" for k in range(2)]
        row = found.get(key, {"bound": float(stated[key][3]) if key in stated else 0})
        for k, device in enumerate(DEVICES):
            known = seen[k].split(" ")[0]
            if device in row and (known in ("", "-") or row[device][0] > float(known)):
                seen[k] = f"{row[device][0]:.2g} ({row[device][1]})"
        rows.append(f"| {key[0]} | {key[1]} | {row['bound']:g} | {seen[0]} | {seen[1]} |")
    head, rest = text.split("|---|---|---|---|---|\n")
    page.write_text(head + "|---|---|---|---|---|\n" + "\n".join(rows) + "\n" + rest[rest.index("\n\n") + 1 :])
    return 0


if __name__ == "__main__":
    sys.exit(main())
