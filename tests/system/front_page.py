#!/usr/bin/env python3
"""front_page.py PROGRAM: runs the lines of README.md that begin with "$ ssimcu", in their order, where testdata is.
Each line of output that README shows is printed: "..." stands for the rest of a line or for lines left out, and
numbers agree to 1e-5. Links of README and docs name files that exist, and their headings."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"\d+\.\d+")
PAGES = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md",
         *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").glob("**/*.md")))]


def examples():
    """(command, shown lines) of each line that runs."""
    found = []
    for line in (ROOT / "README.md").read_text().splitlines():
        if line.startswith("    $ "):
            found.append((line[6:], []))
        elif line.startswith("    ") and found and found[-1][1] is not None:
            found[-1][1].append(line[4:])
        else:
            found.append(("", []))
    return [(command, shown) for command, shown in found if command.startswith("ssimcu ")]


def alike(shown, line):
    """Whether a line is the one that README shows."""
    whole = not shown.endswith("...")
    shown = shown.removesuffix("...").rstrip()
    if whole and NUMBER.sub("#", shown) != NUMBER.sub("#", line):
        return False
    if not NUMBER.sub("#", line).startswith(NUMBER.sub("#", shown)):
        return False
    return all(abs(float(a) - float(b)) <= 1e-5 for a, b in zip(NUMBER.findall(shown), NUMBER.findall(line)))


def run_examples(program):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "testdata").symlink_to(ROOT / "testdata")
        (Path(folder) / "bin").mkdir()
        (Path(folder) / "bin/ssimcu").symlink_to(Path(program).resolve())
        path = f"{folder}/bin:{os.environ['PATH']}"
        for command, shown in examples():
            done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "PATH": path})
            lines = (done.stdout + done.stderr).splitlines()
            lacking = [s for s in shown if s != "..." and not any(alike(s, line) for line in lines)]
            wanted = 1 if any("ssimcu: below:" in s or "ssimcu: over:" in s for s in shown) else 0
            if lacking or done.returncode != wanted:
                sys.exit(f"README.md: {command}\nexit {done.returncode}, expected {wanted}\nlacking: {lacking}\n"
                         + "\n".join(lines))
            print(f"[PASS] front_page::{command}")
    return len(examples())


def anchors(path):
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links():
    bad = []
    for name in PAGES:
        page = ROOT / name
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?:", target):
                continue
            file, _, anchor = target.partition("#")
            path = page.parent / file if file else page
            if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
                bad.append(f"{name}: {target}")
    if bad:
        sys.exit("links that lead nowhere:\n" + "\n".join(bad))
    print(f"[PASS] front_page::links of {len(PAGES)} pages")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if run_examples(sys.argv[1]) < 4:
        sys.exit("README.md has lost its examples")
    check_links()


if __name__ == "__main__":
    main()
