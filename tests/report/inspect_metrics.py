#!/usr/bin/env python3
"""inspect_metrics.py REPORT RESULTS [SHOTS]: opens the page of a batch with several metrics in headless Chromium, at 400 and 1600
pixels, light and dark, and chooses each metric of the plot, without scripts too. The numbers of the page are held against the
results file. SHOTS: a folder for screenshots. 77: there is no Chromium."""
import json
import os
import sys

import browser
import inspect_page

SHOWN = "[...document.querySelectorAll('.plotted')].map(e => getComputedStyle(e).display !== 'none')"
KEYS = {"excess": None, "SSIM": None, "PSNR": "psnr", "MS-SSIM": "ms_ssim", "SSIMULACRA2": "ssimulacra2"}


def value(row, title):
    """What is lowest where it is worst."""
    if title == "excess":
        return -(100 - row["metrics"]["ssimulacra2"]["score"]) / 30
    score = row["score"] if title == "SSIM" else row["metrics"][KEYS[title]]["score"]
    return float("inf") if score is None else score


def check_choice(page, titles):
    """Each button shows its plot alone, and the first is chosen at first."""
    assert page.run("[...document.querySelectorAll('.plots label')].map(e => e.textContent)") == ["Limits", *titles[1:]]
    assert page.run(SHOWN) == [i == 0 for i in range(len(titles))]
    for i in range(len(titles) - 1, -1, -1):
        page.click(f".plots label:nth-of-type({i + 1})")
        assert page.run(SHOWN) == [k == i for k in range(len(titles))], titles[i]


def check_tips(page, frames, titles):
    """A plot tells the values of the frame that is worst there."""
    numbers = list(frames)
    for i, title in enumerate(titles):
        page.click(f".plots label:nth-of-type({i + 1})")
        worst = min(numbers, key=lambda n: value(frames[n], title))
        plot = f".plotted:nth-of-type({i + 1})"
        page.mouse("mouseMoved", page.place(plot + " .curves", (numbers.index(worst) + 0.5) / len(numbers), 0.3))
        tip = page.run(f"document.querySelector('{plot} .tip').textContent")
        for other in titles[1:]:
            number = value(frames[worst], other)
            text = "inf" if number == float("inf") else "%d." % number
            assert f"{other} {text}" in tip or abs(number) < 1, (title, other, tip)
        assert f"frame {worst}\n" in tip, (title, tip)


def check_table(page, frames, titles):
    heads = page.run("[...document.querySelectorAll('#rows thead th')].map(e => e.textContent)")
    assert heads[1:1 + len(titles)] == titles, heads
    for row in page.run("[...document.querySelectorAll('#rows tbody tr')].map(r => [...r.cells].map(c => c.textContent))"):
        for title, cell in zip(titles, row[1:]):
            assert abs(float(cell) - value(frames[int(row[0])], title)) < 0.01 or float(cell) == value(frames[int(row[0])], title), row


def main():
    report, results = os.path.abspath(sys.argv[1]), sys.argv[2]
    shots = sys.argv[3] if len(sys.argv) > 3 else None
    frames, summary = inspect_page.read_results(results)
    with browser.opened() as page:
        for width in (1600, 400):
            for dark in (False, True):
                page.open(f"file://{report}/index.html", width, dark)
                titles = page.run("[...document.querySelectorAll('.curves')].map(e => e.dataset.metric)")
                assert sorted(titles) == sorted(KEYS), titles
                ratio = inspect_page.check_layout(page, width)
                check_choice(page, titles)
                check_tips(page, frames, titles)
                check_table(page, frames, titles[1:])
                data = json.loads(page.run("document.querySelector('#data').textContent"))
                assert all(len(data["metrics"][title]) == len(frames) for title in titles[1:] if title != "SSIM")
                for title in titles[1:]:
                    if title == "SSIM":
                        continue
                    shown = float(page.run(f"document.querySelector('[data-metric={KEYS[title]}]').textContent"))
                    assert abs(shown - summary["metrics"][KEYS[title]]["score"]) < 0.01, title
                worst = -min(value(row, "excess") for row in frames.values())
                assert abs(float(page.run("document.querySelector('#furthest').textContent")) - worst) < 0.01
                assert page.complaints() == [], page.complaints()
                if shots:
                    page.picture(f"{shots}/metrics-{width}-{'dark' if dark else 'light'}.png")
                print(f"{width} pixels, {'dark' if dark else 'light'}: least contrast {ratio:.2f}")
        page.open(f"file://{report}/index.html", 1600, False, scripts=False)
        check_choice(page, titles)


if __name__ == "__main__":
    main()
