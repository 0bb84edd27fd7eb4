#!/usr/bin/env python3
"""names.py REPORT RESULTS: a page of files with hostile names shows them and does nothing else; its links stay in
its folder. 77: there is no Chromium."""
import json
import os
import re
import sys

import browser


def shown(name):
    """As the program shows text from outside."""
    text = "".join("\\n" if c == "\n" else "\\x%02X" % ord(c) if ord(c) < 32 or ord(c) == 127 else c for c in name)
    return text


def main():
    report = os.path.abspath(sys.argv[1])
    with open(sys.argv[2]) as lines:
        rows = [json.loads(line) for line in lines]
    frames = [row for row in rows if row["type"] == "frame"]
    with browser.opened() as page:
        page.open(f"file://{report}/index.html", 1600)
        texts = page.run("[...document.querySelectorAll('bdi')].map(e => e.textContent)")
        links = page.run("[...document.querySelectorAll('a')].map(e => e.getAttribute('href'))")
        for row in frames:
            for side in ("ref", "out"):
                path = row[side]["path"]
                assert shown(path) in texts, (shown(path), texts)
            assert shown(row["shot"]) in texts, (row["shot"], texts)
        assert all(re.fullmatch(r"#[a-z0-9-]+|frame-[0-9]+-[a-z-]+\.(jpg|png)", link) for link in links), links
        assert page.run("document.querySelectorAll('script').length") == 3
        assert page.run("document.querySelectorAll('[onload], [onerror], b b, iframe, object').length") == 0
        assert page.run("[...document.images].every(i => /^frame-[0-9]+-/.test(i.getAttribute('src')))")
        assert page.run("document.querySelectorAll('.band').length") == 2, "bands of shots"
        assert len(page.run("[...document.querySelectorAll('#shots tbody tr')].map(r => r.textContent)")) == 2
        assert page.complaints() == [], page.complaints()
        page.open(f"file://{report}/index.html", 400)
        narrow = page.run("Math.min(...[...document.querySelectorAll('#shots tbody th')].map(e => e.getBoundingClientRect().width))")
        assert narrow >= 90, f"a shot's name has {narrow} pixels"
        # What would be injected could neither run nor load.
        page.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hit = 1\">"
                 "<img src=\"http://127.0.0.1:9/x.png\">')")
        page.run("new Promise(done => setTimeout(done, 300))")
        assert page.run("window.hit === undefined")
        said = " ".join(page.complaints())
        assert "Content Security Policy" in said, said
        print("hostile names: shown, and nothing else")


main()
