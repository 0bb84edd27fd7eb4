#!/usr/bin/env python3
"""inspect_check.py CHECKED [FOLDER]: the page of a check in headless Chromium, which may write pictures of it to FOLDER. 77: there
is none."""
import os
import sys

import browser


def check(page, report, width, dark):
    page.open(f"file://{os.path.abspath(report)}/index.html", width, dark, scripts=True)
    page.run("for (const i of document.images) i.loading = 'eager'")
    lost = page.run("Promise.all([...document.images].map(i => i.complete ? i : new Promise(r => { i.onload = i.onerror = () => r(i) })))"
                    ".then(all => all.filter(i => !i.naturalWidth).map(i => i.src))")
    assert lost == [], lost
    assert page.run("document.documentElement.scrollWidth") <= width, "wider than the window"
    assert page.run("document.scripts.length") == 0
    # What lies beside each other is seen beside each other, and enlarged pixels stay pixels.
    rows = page.run("[...document.querySelectorAll('.crops')].map(c => new Set([...c.children].map("
                    "f => f.getBoundingClientRect().top)).size)")
    assert rows and set(rows) == {1}, rows
    assert page.run("[...document.images].every(i => getComputedStyle(i).imageRendering === 'pixelated')")
    assert page.run("[...document.querySelectorAll('.box')].every(b => { const s = b.getBoundingClientRect(), "
                    "i = b.parentNode.querySelector('img').getBoundingClientRect();"
                    "return Math.abs(s.width - i.width) < 2 && Math.abs(s.height - i.height) < 2; })"), "a box beside its picture"
    assert page.complaints() == [], page.complaints()


def main():
    with browser.opened() as page:
        for width in (1400, 400):
            for dark in (False, True):
                check(page, sys.argv[1], width, dark)
                if len(sys.argv) > 2:
                    page.picture(f"{sys.argv[2]}/check-{width}{'-dark' if dark else ''}.png")
        kinds = page.run("[...document.querySelectorAll('#failing .why li')].map(l => l.textContent.split(':')[0])")
        assert "missing" in kinds and "unreadable" in kinds, kinds
        figures = page.run("[...document.querySelectorAll('.card')].map(c => [c.dataset.state, "
                           "[...c.querySelectorAll('.crops')].map(g => g.children.length)])")
        shown = {"missing": [2], "failed": []}
        assert all(counts == shown.get(state, [3] * max(1, len(counts))) for state, counts in figures), figures
        print(f"a check: looked at, {len(figures)} frames")


main()
