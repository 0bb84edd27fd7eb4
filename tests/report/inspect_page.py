#!/usr/bin/env python3
"""inspect_page.py REPORT RESULTS [SHOTS]: opens the page of a batch in headless Chromium, at 400 and 1600 pixels, light
and dark, clicks, slides and types, and looks at what the page has become. Its numbers are held against the results
file, boxes against the tiles there. SHOTS: a folder for screenshots. 77: there is no Chromium."""
import json
import os
import re
import sys

import browser

CONTRAST = """(() => {
  const channel = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const colour = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (a, b) => a.slice(0, 3).map((v, i) => v * a[3] + b[i] * (1 - a[3]));
  function ground(e) {
    const layers = [];
    for (; e; e = e.parentElement) {
      const c = colour(getComputedStyle(e).backgroundColor);
      if (c[3] > 0) layers.push(c);
      if (c[3] === 1) break;
    }
    return layers.reverse().reduce((below, c) => over(c, below), [255, 255, 255]);
  }
  let worst = [99, ""], count = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || e.closest("script,title") || !e.getClientRects().length) continue;
    const style = getComputedStyle(e), below = ground(e);
    const text = over(colour(e instanceof SVGElement ? style.fill : style.color), below);
    const a = light(text), b = light(below), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    count++;
    if (ratio < worst[0]) worst = [ratio, e.tagName + "." + e.getAttribute("class") + ": " + walker.currentNode.textContent.slice(0, 40)];
  }
  return [worst[0], worst[1], count];
})()"""


def read_results(path):
    with open(path) as lines:
        rows = [json.loads(line) for line in lines]
    return {row["frame"]: row for row in rows if row["type"] == "frame"}, rows[-1]


def digits(value):
    """Six digits, cut: what is below a limit or below 1 is so on the page."""
    text = "%.9f" % value
    return "0.999999" if value != 1 and text == "1.000000000" else text[:-3]


def excess(row):
    """How much of its limits a frame uses: --min-frame 0.9 and --min-tile 0.6."""
    return max((1 - row["score"]) / 0.1, (1 - row["tile"]["score"]) / 0.4)


def hints(row):
    """Texts of a row's findings that are hints: neither limits, nor its status, nor another depth."""
    return [found["text"] for found in row.get("findings", [])
            if not re.match("(min|max)_|learned|missing|failed|depth", found["kind"])]


def check_numbers(page, frames, summary):
    """What the page says is what the results say."""
    data = json.loads(page.run("document.querySelector('#data').textContent"))
    assert data["frames"] == list(frames), "frames"
    letters = {"missing": "m", "ok": None}
    for i, row in enumerate(frames.values()):
        assert data["scores"][i] == (float(digits(row["score"])) if "score" in row else None), row["frame"]
        assert data["tiles"][i] == (float(digits(row["tile"]["score"])) if "tile" in row else None), row["frame"]
        letter = letters.get(row["status"], "f")
        assert letter is None or data["states"][i] == letter, (row["frame"], data["states"][i])
    assert page.run("document.querySelector('#mean').textContent") == digits(summary["mean"])
    furthest = max(excess(row) for row in frames.values() if "score" in row)
    assert page.run("document.querySelector('#furthest').textContent") == "%.2f" % furthest
    for i, row in enumerate(frames.values()):
        assert data["excess"][i] == (float("%.2f" % excess(row)) if "score" in row else None), row["frame"]
    assert page.run("document.querySelector('[data-frames]').dataset.frames") == str(len(frames))
    text = page.run("document.querySelector('.top').textContent").replace("\u2013", "-")
    for said in ("could not be scored: 220", "missing: 210", "--min-frame 0.9: 90-93, 120, 150-155, 181",
                 "--min-tile 0.6: 60-61, 90-93, 120, 181", "black 90-93; duplicate 181; shift 120; gain 150-155"):
        assert said in text, (said, text)
    assert page.run("document.title") == "Not passed: out - ssimcu report"
    assert "light hdr srgb" in page.run("document.querySelector('.details').textContent")
    broken = page.run("[...document.querySelectorAll('#broken tbody tr')].map(r => [Number(r.dataset.frame), r.textContent])")
    assert [n for n, _ in broken] == [n for n, row in frames.items() if row["status"] != "ok"], broken
    for number, text in broken:
        assert frames[number].get("message", "missing in") in text, text


def check_cards(page, frames):
    """Scores of each card, and its box where the tile is."""
    cards = page.run("""[...document.querySelectorAll('.card')].map(card => {
        const rect = card.querySelector('.views .box .over'), image = card.querySelector('.views img');
        return {frame: Number(card.dataset.frame), score: card.dataset.score, tile: card.dataset.tile, place: card.dataset.place,
                text: card.querySelector('.scores').textContent, hints: card.querySelector('header').textContent,
                width: image && image.naturalWidth,
                rect: rect && ['x', 'y', 'width', 'height'].map(name => Number(rect.getAttribute(name)))};
    })""")
    assert len(cards) >= 12, len(cards)
    for card in cards:
        row = frames[card["frame"]]
        tile = row["tile"]
        assert card["score"] == digits(row["score"]) and card["tile"] == digits(tile["score"]), card
        assert card["place"] == "%dx%d+%d+%d" % (tile["width"], tile["height"], tile["x"], tile["y"]), card
        assert all(digits(value) in card["text"] for value in row["channels"].values()), card
        assert all(hint in card["hints"] for hint in hints(row)), card
        times = card["width"] / 320
        wanted = [tile[name] * times for name in ("x", "y", "width", "height")]
        assert all(abs(a - b) < 0.51 for a, b in zip(card["rect"], wanted)), (card, wanted)
    order = [excess(frames[card["frame"]]) for card in cards]
    assert order == sorted(order, reverse=True), "what is furthest beyond its limit comes first"


def check_wipe(page):
    """Half the way, the right part of OUT is covered by nothing, the left one by REF."""
    # What of REF is in the window: that much of its width from the left.
    clip = "getComputedStyle(document.querySelector('.card .wiped')).clipPath"

    def seen():
        return 100 - float(re.fullmatch(r"inset\(0px (?:calc\(100% - )?([0-9.]+)%\)? 0px 0px\)", page.run(clip)).group(1))

    assert seen() == 0, page.run(clip)
    page.drag(".card .wipe input", 0.02, 0.5)
    value = int(page.run("document.querySelector('.card .wipe input').value"))
    assert 35 <= value <= 65, value
    assert seen() == value, page.run(clip)
    assert page.run("document.querySelector('.card.half .wipes') !== null")
    page.run("document.querySelector('.card .wipe input').focus()")
    page.key("ArrowRight", 39)
    assert int(page.run("document.querySelector('.card .wipe input').value")) == value + 1
    assert seen() == value + 1, page.run(clip)


def check_pixels(page, report, width):
    """The worst tile is shown in pixels of the frame itself, each as a square of whole pixels."""
    page.run("document.querySelector('#frame-60').scrollIntoView()")
    crops = page.run("[...document.querySelectorAll('#frame-60 .crops a img')].map(i => ({name: i.getAttribute('src'), natural:"
                     " i.naturalWidth, wide: i.getBoundingClientRect().width, style: getComputedStyle(i).imageRendering}))")
    assert [crop["name"][13:] for crop in crops] == ["crop-ref.png", "crop-out.png", "crop-diff.png", "crop-heat.jpg"], crops
    assert all(crop["natural"] == 176 and crop["style"] == "pixelated" for crop in crops), crops
    assert width < 760 or all(crop["wide"] == 352 for crop in crops), crops
    page.run("document.querySelector('#frame-60').focus()")
    page.key("e", 69)
    for key, code, wide in (("+", 107, 8), ("-", 109, 4), ("-", 109, 2), ("-", 109, 1), ("-", 109, 1)):
        page.key(key, code)
        shown = page.run("document.querySelector('#frame-60 .crops a img').getBoundingClientRect().width")
        assert shown == 176 * wide, (key, shown)
        assert page.run("document.querySelector('#frame-60 .pixels output').textContent") == f"{wide}:1"
    whole = page.run("[...document.querySelectorAll('#frame-60.large .views a img')]"
                     ".every(i => i.getBoundingClientRect().width <= i.naturalWidth)")
    assert whole, "a whole picture is blown up"
    page.key("e", 69)
    assert page.run("document.querySelector('.large') === null")
    boxes = page.run("[...document.querySelectorAll('.crops .over')]"
                     ".every(r => ['width', 'height'].every(name => r.getAttribute(name) === '64.00'))")
    assert boxes, "a tile's box has the tile's pixels"


def check_keys(page):
    """From card to card and back, REF in the place of OUT and back, without a mouse."""
    ids = page.run("[...document.querySelectorAll('.card')].map(card => card.id)")

    def focus():
        return page.run("document.activeElement.id")

    def value():
        return page.run("document.activeElement.querySelector('.wipe input').value")

    page.run("document.activeElement.blur(); window.scrollTo(0, 0)")
    for key, code, wanted in (("n", 78, ids[0]), ("n", 78, ids[1]), ("N", 78, ids[2]), ("p", 80, ids[1])):
        page.key(key, code)
        top = page.run(f"document.getElementById('{wanted}').getBoundingClientRect().top")
        assert focus() == wanted and 0 <= top < 40, (key, focus(), top)
    seen = "getComputedStyle(document.activeElement.querySelector('.crops .wiped')).clipPath"
    page.key("f", 70)
    assert value() == "100" and page.run(seen) in ("inset(0px calc(0%) 0px 0px)", "inset(0px)", "inset(0px 0% 0px 0px)"), page.run(seen)
    assert page.run("document.activeElement.querySelector('.flicker').getAttribute('aria-pressed')") == "true"
    page.key("f", 70)
    assert value() == "0", value()
    page.key("ArrowRight", 39)
    assert value() == "5", value()
    page.key("ArrowLeft", 37)
    page.run("document.querySelector('#search')?.focus()")
    page.key("n", 78)
    assert focus() == "search", "a letter that is typed moves nothing"
    page.run("document.activeElement.blur()")


def check_jumps(page, report, width, dark):
    """A jump over thousands of pixels is over with the next picture of the page, for those who like motion, too."""
    page.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "no-preference"}])
    page.run("window.scrollTo(0, 0)")
    top = page.run("new Promise(done => { document.querySelector('nav a[href=\"#table\"]').click();"
                   "requestAnimationFrame(() => requestAnimationFrame(() => done([scrollY, document.querySelector('#table')"
                   ".getBoundingClientRect().top, document.documentElement.scrollHeight - innerHeight]))) })")
    assert abs(top[1]) < 40 or abs(top[0] - top[2]) < 2, top


def check_plot(page, frames):
    """Pointing tells the frame, clicking goes there; so do the keys."""
    numbers = list(frames)
    at = page.place("#curves", (numbers.index(91) + 0.5) / len(numbers), 0.3)
    page.mouse("mouseMoved", at)
    tip = page.run("document.querySelector('#tip').hidden ? '' : document.querySelector('#tip').textContent")
    shown = int(tip.split("\n")[0].split()[1])
    assert abs(shown - 91) <= 3 and digits(frames[shown]["score"]) in tip, tip
    assert digits(frames[shown]["tile"]["score"]) in tip, tip
    assert tip.endswith("\nblack"), tip
    page.click("#curves", (numbers.index(91) + 0.5) / len(numbers), 0.3)
    assert page.run("location.hash") in (f"#frame-{shown}", f"#row-{shown}"), page.run("location.hash")
    page.run("document.querySelector('.area').focus(); document.querySelector('.area').scrollIntoView()")
    for key, code in (("Home", 36), ("ArrowRight", 39), ("ArrowRight", 39)):
        page.key(key, code)
    tip = page.run("document.querySelector('#tip').textContent")
    assert tip.startswith("frame 3\n"), tip
    page.key("Enter", 13)
    assert page.run("location.hash") in ("#frame-3", "#row-3")
    marks = page.run("[...document.querySelectorAll('#curves a')].map(a => a.getAttribute('aria-label'))")
    assert any("210, missing" in mark for mark in marks) and any("220, failed" in mark for mark in marks), marks
    assert page.run("[...document.querySelectorAll('#curves a')].every(a => a.tabIndex === -1)"), "the tab key stops at marks"
    for frame, row in frames.items():
        assert (f"frame {frame}, hinted" in marks) == bool(hints(row)), (frame, marks)
    counts = page.run("[...document.querySelectorAll('.bin')].reduce((n, b) => n + Number(b.dataset.count), 0)")
    assert counts == 2 * sum("score" in row for row in frames.values()), counts  # of the limits and of the score


def check_sheet(page, frames):
    """Two frames share a cell: what is wrong with one of them is seen."""
    cells = page.run("[...document.querySelectorAll('#sheet li')].map(cell => [Number(cell.dataset.frame), cell.className])")
    assert len(cells) == 120, len(cells)
    wrong = {n: row for n, row in frames.items() if row["status"] != "ok" or hints(row) or row["tile"]["score"] < 0.6}
    for (frame, name), first in zip(cells, range(1, 240, 2)):
        assert frame in (first, first + 1) and (frame in wrong) == bool({first, first + 1} & set(wrong)), (frame, name)
        assert (name.split()[-1] == "good") == (frame not in wrong), (frame, name)


def check_table(page, frames):
    def shown():
        return page.run("[...document.querySelectorAll('#rows tbody tr')].filter(r => !r.hidden)"
                        ".map(r => Number(r.id.split('-')[1]))")
    assert shown() == list(frames)
    page.click("[data-filter=missing]")
    assert shown() == [n for n, row in frames.items() if row["status"] == "missing"], shown()
    page.click("[data-filter=hinted]")
    hinted = shown()
    assert hinted and all(hints(frames[n]) for n in hinted), hinted
    page.click("[data-filter=all]")
    page.click("#search")
    for letter in "gain":
        page.call("Input.insertText", text=letter)
    assert shown() and all("gain" in " ".join(hints(frames[n])) for n in shown()), shown()
    page.click("[data-filter=all]")
    page.click("#rows thead th:nth-child(2) button")
    scored = sorted(digits(row["score"]) for row in frames.values() if "score" in row)
    assert [digits(frames[n]["score"]) for n in shown() if "score" in frames[n]] == scored, shown()[:9]
    assert page.run("document.querySelector('#rows thead th:nth-child(2)').getAttribute('aria-sort')") == "ascending"
    page.click("#rows thead th:nth-child(2) button")
    assert "score" in frames[shown()[0]] and digits(frames[shown()[0]]["score"]) == scored[-1]
    page.click("#rows thead th:nth-child(1) button")
    assert shown() == list(frames)


def check_layout(page, width):
    """Nothing is wider than the window, every picture is there, every text can be read, links lead somewhere."""
    wide = page.run("document.documentElement.scrollWidth")
    assert wide <= width, f"{wide} pixels wide in a window of {width}"
    page.run("for (const i of document.images) i.loading = 'eager'")
    lost = page.run("Promise.all([...document.images].map(i => i.complete ? i : new Promise(r => { i.onload = i.onerror = () => r(i) })))"
                    ".then(all => all.filter(i => !i.naturalWidth || (i.naturalWidth * (i.closest('.crops')?.dataset.times ?? 1)"
                    " != i.getAttribute('width'))).map(i => i.src))")
    assert lost == [], lost
    ways = page.run("[...document.querySelectorAll('a[href]:not([href^=\"#\"])')].map(a => a.getAttribute('href'))")
    assert all(re.fullmatch(r"frame-[0-9]+-[a-z-]+\.(jpg|png)", way) for way in ways), "a folder that travels alone has it all"
    ratio, what, count = page.run(CONTRAST)
    assert ratio >= 4.5 and count > 100, (ratio, what, count)
    dead = page.run("[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href'))"
                    ".filter(h => !document.getElementById(h.slice(1)))")
    assert dead == [], dead
    assert page.run("[...document.images].every(i => i.hasAttribute('alt'))")
    assert page.run("[...document.querySelectorAll('.stack a')].every(a => a.getAttribute('href') === a.firstChild.getAttribute('src'))")
    twice = page.run("(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
                     "return ids.filter((id, i) => ids.indexOf(id) != i); })()")
    assert twice == [], twice
    return ratio


def main():
    report, results = os.path.abspath(sys.argv[1]), sys.argv[2]
    shots = sys.argv[3] if len(sys.argv) > 3 else None
    frames, summary = read_results(results)
    with browser.opened() as page:
        for width in (1600, 400):
            for dark in (False, True):
                page.open(f"file://{report}/index.html", width, dark)
                ratio = check_layout(page, width)
                check_numbers(page, frames, summary)
                check_cards(page, frames)
                check_wipe(page)
                check_pixels(page, report, width)
                check_keys(page)
                check_jumps(page, report, width, dark)
                check_plot(page, frames)
                check_sheet(page, frames)
                check_table(page, frames)
                assert page.complaints() == [], page.complaints()
                if shots:
                    page.open(f"file://{report}/index.html", width, dark)
                    page.run("for (const i of document.images) i.loading = 'eager'")
                    page.picture(f"{shots}/{width}-{'dark' if dark else 'light'}.png")
                print(f"{width} pixels, {'dark' if dark else 'light'}: least contrast {ratio:.2f}")
        page.open(f"file://{report}/index.html", 1600, True)
        page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        ground = page.run("getComputedStyle(document.body).backgroundColor")
        ratio, what, _ = page.run(CONTRAST)
        assert ground == "rgb(255, 255, 255)" and ratio >= 4.5, (ground, ratio, what)
        print(f"printed where the screen is dark: least contrast {ratio:.2f}")
        page.call("Emulation.setEmulatedMedia", media="")
        page.open(f"file://{report}/index.html", 1600, False, scripts=False)
        hidden = page.run("[...document.querySelectorAll('.js')].every(e => getComputedStyle(e).display === 'none')")
        rows = page.run("document.querySelectorAll('#rows tbody tr').length")
        assert hidden and rows == len(frames), (hidden, rows)
        assert page.complaints() == [], page.complaints()
        print("without script: readable")


if __name__ == "__main__":
    main()
