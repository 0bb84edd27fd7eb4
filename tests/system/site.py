#!/usr/bin/env python3
"""site.py ROOT [FOLDER]: makes the site by script/site. Each of its links leads to a file and a heading of the site, or to a
file of the tree. Chromium opens each page at 1,400 and at 400 pixels: nothing is wider than the window but what scrolls,
and nothing is fetched or complained about. Each page leads to the first. FOLDER gets pictures of some pages."""
import os
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
SOURCE = re.search(r'^Source = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
SHOWN = ("index", "docs/score", "docs/python", "cli/ssimcu.1", "docs/sample-report/index")


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids |= {given.get("id"), given.get("name")}
        self.links += [given[name] for name in ("href", "src") if given.get(name)]


def check_links(site):
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    bad, count = [], 0
    for path, page in pages.items():
        if "sample-report" in path.parts:
            continue  # tests/report looks at a report's own links
        home = os.path.relpath(site.resolve() / "index.html", path.parent)
        assert home in page.links, f"{path} has no link to the first page"
        assert not re.search("<pre>[^<]*<br|<pre></pre>", path.read_text()), f"{path} has an example with empty lines"
        for link in page.links:
            count += 1
            target, _, part = link.partition("#")
            ours = re.fullmatch(re.escape(SOURCE) + "/(?:blob|tree)/main/(.*)", target)
            file = path if not target else (path.parent / target).resolve()
            if re.match("[a-z]+:", target):
                good = not ours or (ROOT / ours[1]).exists()
            else:
                good = file.is_file() and (not part or file not in pages or part in pages[file].ids)
            if not good:
                bad.append(f"{path.relative_to(site.resolve())}: {link}")
    assert not bad, "links that lead nowhere:\n" + "\n".join(bad)
    print(f"[PASS] site::{count} links of {len(pages)} pages")
    return sorted(pages)


def open_pages(site, pages, pictures):
    sys.path.insert(0, str(ROOT / "tests/report"))
    import browser
    with browser.opened() as window:
        for width in 1400, 400:
            for path in pages:
                name = path.relative_to(site.resolve()).with_suffix("").as_posix()
                window.open(path.as_uri(), width)
                wide = window.run("document.documentElement.scrollWidth")
                assert wide <= width, f"{name} is {wide} pixels wide in a window of {width}"
                missing = window.run("[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)")
                assert not missing and not window.complaints(), (name, missing, window.complaints())
                if pictures and name in SHOWN:
                    window.picture(f"{pictures}/{name.replace('/', '-')}-{width}.png", whole=False)
    print(f"[PASS] site::{len(pages)} pages at two widths")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / "site"
        made = subprocess.run([ROOT / "script/site", site], capture_output=True, text=True)
        if re.search("no mandoc|pip|ensurepip", made.stderr):
            print("[SKIP] site neither mandoc and markdown-it-py, nor an index of packages")
            sys.exit(77)
        assert made.returncode == 0, made.stderr
        open_pages(site, check_links(site), sys.argv[2] if len(sys.argv) > 2 else None)


if __name__ == "__main__":
    main()
