#!/usr/bin/env python3
"""inspect_ladder.py DIRECTORY RESULTS LINES [SHOTS]: the page over a ladder in headless Chromium, wide and narrow, light and dark,
by mouse and by keyboard: a point for each OUT at its bit rate, a plot for each metric, and the deltas of groups as the lines
on standard error have them. SHOTS: a folder for screenshots. 77: there is no Chromium."""
import json
import os
import re
import sys

import browser

SHOWN = "[...document.querySelectorAll('#rates .plotted')].map(e => getComputedStyle(e).display !== 'none')"
CELLS = "[...document.querySelectorAll('#%s tbody tr')].map(r => [...r.cells].map(c => c.textContent.trim()))"


def summary_of(path):
    with open(path) as lines:
        return json.loads(lines.readlines()[-1])


def check_table(page, results):
    rows = {row[0]: row for row in page.run(CELLS % "outs")}
    for name in sorted(os.listdir(results)):
        summary, row = summary_of(f"{results}/{name}"), rows[name[:-len(".jsonl")]]
        assert abs(float(row[4]) - summary["coded"]["bits_per_second"] / 1000) <= 0.051, row
        for at, key in ((5, "mean"), (6, "p5"), (7, "p1"), (8, "min")):
            assert 0 <= summary[key] - float(row[at]) < 1.1e-6, (row, key)
        assert 0 <= summary["tiles"]["min"] - float(row[12]) < 1.1e-6, row
        assert row[9] == str(summary["worst"][0]["frame"]) and row[13] == str(summary["worst_tiles"][0]["frame"]), row
        assert 0 <= summary["metrics"]["psnr"]["p1"] - float(row[16]) < 0.0101, row
    return rows


def check_points(page, results, rows):
    """The points of the plot that is shown, from left to right, are the OUTs by their bit rate."""
    points = page.run("[...document.querySelectorAll('#rates .plotted')].map(p => [...p.querySelectorAll('a')].map("
                      "a => [a.getAttribute('aria-label'), a.querySelector('circle').getBoundingClientRect().x]))")
    assert len(points) == 2, "a plot for each metric"
    for plot in points:
        assert len(plot) == len(rows)
        by_rate = sorted(rows, key=lambda name: float(rows[name][4]))
        assert [label.split(",")[0] for label, _ in plot] == by_rate, plot
    places = [x for _, x in points[0]]
    assert places == sorted(places) and len(set(places)) == len(places), places


def check_groups(page, lines):
    said = [re.sub(r"^ssimcu: ", "", line) for line in open(lines).read().splitlines() if " group " in line]
    rows = page.run(CELLS % "groups")
    assert len(rows) == len(said) == 2, (rows, said)
    for row, line in zip(rows, said):
        assert line.startswith(f"group {row[0]} against ") and f"{row[1].lower()}: {row[2]} of the rate" in line, (row, line)
        assert f", {row[3]} at the same rate" in line and f"one cubic: {row[4]}" in line, (row, line)
        assert not row[8] or line.endswith(row[8]), (row, line)


def check_keys(page):
    """Arrows choose a metric, and a point can be reached and followed without a mouse."""
    page.run("document.querySelector('#rates input').focus()")
    page.key("ArrowRight", 39)
    assert page.run(SHOWN) == [False, True]
    page.key("ArrowLeft", 37)
    assert page.run(SHOWN) == [True, False]
    page.run("document.querySelector('#rates .plotted a').focus()")
    assert page.run("document.activeElement.getAttribute('aria-label')").endswith(
        page.run("document.querySelector('#rates a').getAttribute('aria-label')"))
    page.key("Enter", 13)
    page.wait("Page.loadEventFired")
    assert page.run("location.pathname").endswith("/index.html")


PAIR = "[...document.querySelectorAll('.card')].map(c => ['a', 'b'].map(s => c.querySelector('img.' + s).src.split('/').pop()))"


def check_sides(page, directory, outs):
    """Any two of REF and the OUTs lie one over the other, chosen by the keyboard, in every frame."""
    page.open(f"file://{directory}/side-by-side/index.html", 1600)
    choices = page.run("[...document.querySelectorAll('#side-A option')].map(o => o.textContent)")
    assert choices == ["REF"] + outs, choices
    first = page.run(PAIR)
    frames = [name.split("-")[1] for name, _ in first]
    assert frames == sorted(set(frames)) and first == [[f"frame-{n}-out0.jpg", f"frame-{n}-out1.jpg"] for n in frames], first
    page.run("document.querySelector('#side-B').focus()")
    page.key("ArrowDown", 40)
    assert page.run(PAIR) == [[f"frame-{n}-out0.jpg", f"frame-{n}-out2.jpg"] for n in frames]
    page.run("document.querySelector('#side-A').focus()")
    page.key("ArrowUp", 38)
    assert page.run(PAIR) == [[f"frame-{n}-ref.jpg", f"frame-{n}-out2.jpg"] for n in frames]
    assert page.run("document.querySelector('.card [data-b]').textContent") == outs[2]
    page.run("document.querySelector('.wipe input').focus()")
    page.key("End", 35)
    assert page.run("document.querySelector('.card').style.getPropertyValue('--wipe')") == "100%"
    page.run("document.querySelector('.card').focus()")
    page.key("f", 70)
    assert page.run("document.querySelector('.wipe input').value") == "0"
    page.open(f"file://{directory}/side-by-side/index.html", 1600, scripts=False)
    assert page.run("document.querySelectorAll('.card [data-side]').length") == len(frames) * (1 + len(outs))


def look(page, path, width, dark, picture):
    """Opens a page, which must fit the window and have no complaints, and takes a picture if one is wanted."""
    page.open(f"file://{path}", width, dark)
    assert page.run("document.documentElement.scrollWidth") <= width, width
    assert page.complaints() == [], page.complaints()
    if len(sys.argv) > 4:
        page.picture(f"{sys.argv[4]}/{picture}")


def main():
    directory, results, lines = map(os.path.abspath, sys.argv[1:4])
    with browser.opened() as page:
        for width in (1600, 400):
            for dark in (False, True):
                name = f"{width}{'-dark' if dark else ''}.png"
                look(page, f"{directory}/index.html", width, dark, f"ladder-{name}")
                assert page.run("document.querySelectorAll('script, b b').length") == 0
                look(page, f"{directory}/side-by-side/index.html", width, dark, f"sides-{name}")
                assert page.run("[...document.images].filter(i => i.complete && !i.naturalWidth).length") == 0
        page.open(f"file://{directory}/index.html", 1600)
        rows = check_table(page, results)
        check_points(page, results, rows)
        check_groups(page, lines)
        page.click("#rates label:nth-of-type(2)")
        assert page.run(SHOWN) == [False, True]
        check_keys(page)
        check_sides(page, directory, [*rows])
        print(f"a ladder of {len(rows)} OUTs: looked at")


main()
