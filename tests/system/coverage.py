#!/usr/bin/env python3
"""coverage.py BUILD: prints what share of the lines of lib, io and cli has run, by the counts that a build
with --coverage left. A line of a header counts once, wherever it was compiled. Fails below LEAST per cent."""

import collections
import json
import pathlib
import subprocess
import sys

LEAST = 88  # 90 to 92 with oiiotool, without which 19 cases of EXR are skipped
MODULES = ("lib", "io", "cli")
# What runs only in a worker, or with one.
APART = ("io/worker/", "io/decode/", "io/image/exr_worker", "io/video/remote/remote", "io/video/av/shared")
# What runs only on some CPUs.
AVX512 = ("lib/cpu/ssim_avx512", "io/image/png/unfilter_avx512")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    apart = APART if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text() else APART + AVX512
    top = pathlib.Path(__file__).resolve().parents[2]
    notes = [str(path) for module in MODULES for path in (build / module).rglob("*.gcno")]
    done = subprocess.run(["gcov", "--json-format", "--stdout", *notes], check=True, cwd=build,
                          capture_output=True, text=True)
    ran = collections.defaultdict(lambda: collections.defaultdict(int))
    for report in map(json.loads, done.stdout.splitlines()):
        for file in report["files"]:
            path = (build / file["file"]).resolve()
            if not path.is_relative_to(top) or path.relative_to(top).parts[0] not in MODULES:
                continue
            if str(path.relative_to(top)).startswith(apart):
                continue
            for line in file["lines"]:
                ran[path.relative_to(top)][line["line_number"]] += line["count"]
    bad = False
    for module in MODULES:
        files = {path: lines for path, lines in ran.items() if path.parts[0] == module}
        total = sum(map(len, files.values()))
        hit = sum(count > 0 for lines in files.values() for count in lines.values())
        least = sorted((sum(c > 0 for c in lines.values()) / len(lines), path)
                       for path, lines in files.items() if lines)[:3]
        share = 100 * hit / total if total else 0
        bad |= share < LEAST
        print(f"{module}: {share:.1f} % of {total} lines; least: "
              + ", ".join(f"{path} {100 * part:.0f} %" for part, path in least))
    print(f"[{'FAIL' if bad else 'PASS'}] coverage: {LEAST} % or more of each module")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
