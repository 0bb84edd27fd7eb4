#!/usr/bin/env python3
"""inspect_short.py PAIR VIDEO: the pages of a pair and of a video in headless Chromium. 77: there is none."""
import os
import sys

import browser


def check(page, report, width, dark):
    page.open(f"file://{os.path.abspath(report)}/index.html", width, dark)
    page.run("for (const i of document.images) i.loading = 'eager'")
    lost = page.run("Promise.all([...document.images].map(i => i.complete ? i : new Promise(r => { i.onload = i.onerror = () => r(i) })))"
                    ".then(all => all.filter(i => !i.naturalWidth).map(i => i.src))")
    assert lost == [], lost
    assert page.run("document.documentElement.scrollWidth") <= width
    page.drag(".card .wipe input", 0.02, 0.5)
    assert page.run("document.querySelector('.card.half .wipes') !== null")
    assert page.run("document.querySelectorAll('.card .views figure').length % 4 === 0")
    assert page.complaints() == [], page.complaints()


def check_crops(page, width):
    """Each crop lies below the view that it is of, in one row, until its pixels are enlarged."""
    places = page.run("['views', 'crops'].map(group => [...document.querySelector('.' + group).children]"
                      ".map(figure => figure.getBoundingClientRect()).map(box => [box.left, box.top]))")
    views, crops = places
    assert len(views) == len(crops) == 4, places
    if width > 1200:
        assert [left for left, _ in views] == [left for left, _ in crops], places
        assert len({top for _, top in crops}) == 1, places
    inside = page.run("[...document.querySelectorAll('.crops figure')].every(f => f.scrollWidth <= f.clientWidth)")
    assert inside, "a crop is wider than its place"


def main():
    pair, video = sys.argv[1:]
    with browser.opened() as page:
        for width in (1600, 1400, 1210, 400):
            for dark in (False, True):
                check(page, pair, width, dark)
                check_crops(page, width)
                assert page.run("document.querySelectorAll('.card').length") == 1
                assert page.run("!document.querySelector('#plot, #table, #sheet, nav')")
                assert page.run("document.querySelector('.verdict').textContent").endswith("Scored"), "nothing was judged"
                check(page, video, width, dark)
                assert page.run("document.querySelectorAll('#sheet img').length") == 64
                assert page.run("document.querySelectorAll('.card').length") >= 12
        print("a pair and a video: looked at")


main()
