#!/usr/bin/env python3
"""inspect_outs.py DIRECTORY: the page over the reports of several OUTs in headless Chromium: its links lead to their
pages, its numbers are theirs, and it runs no script. 77: there is no Chromium."""
import os
import sys

import browser


def main():
    directory = os.path.abspath(sys.argv[1])
    with browser.opened() as page:
        for width in (1600, 400):
            for dark in (False, True):
                page.open(f"file://{directory}/index.html", width, dark)
                assert page.run("document.documentElement.scrollWidth") <= width
                assert page.run("document.querySelectorAll('script, b b').length") == 0
                assert page.run("document.querySelectorAll('.plot .curve').length") == 4, "two OUTs, two plots"
                assert page.complaints() == [], page.complaints()
        rows = page.run("[...document.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent.trim()))")
        links = page.run("[...document.querySelectorAll('tbody a')].map(a => [a.textContent, a.href])")
        assert [row[0] for row in rows] == ["out.y4m", "same.y4m", "<b>cut.y4m"], rows
        assert "Not passed" in rows[0][1] and "Passed" in rows[1][1] and rows[2][1].startswith("No result: "), rows
        assert rows[1][5:9] + [rows[1][12]] == ["1.000000"] * 5, rows
        assert [name for name, _ in links] == ["out.y4m", "same.y4m"], links
        assert "2 of 3 not passed" in page.run("document.querySelector('.verdict').textContent")
        for name, link in links:
            page.open(link, 1600)
            assert page.run("document.querySelector('h1 bdi').textContent") == name
            row = next(row for row in rows if row[0] == name)
            mean, furthest = page.run("['mean', 'furthest'].map(id => document.getElementById(id).textContent)")
            assert row[5] == mean and abs((1 - float(row[12])) / 0.4 - float(furthest)) < 0.006, (row, mean, furthest)
        print("several OUTs: looked at")


main()
