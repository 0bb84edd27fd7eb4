#!/usr/bin/env python3
"""page.py PAGE LIMITS: checks the page of a calibration against its limits, and prints the shots and what was named."""
import html
import json
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
learned = json.load(open(sys.argv[2], encoding="utf-8"))["learned"]
shots = re.findall(r'<tbody><tr><th scope="rowgroup".*?</tbody>', page, re.S)
assert len(shots) == len(learned["shots"]) and "<script" not in page
for shot, learnt in zip(shots, learned["shots"]):
    rows = re.findall(r'"row">(\w+)</th><td class="n">(.*?)</td><td class="n">(.*?)</td>.*? d="(.*?)".*? x1="(.*?)"', shot)
    assert [row[0] for row in rows] == list(learnt["max_excess"])
    for rule, highest, limit, ticks, line in rows:
        highest, limit = float(highest), float(limit)
        assert limit == learnt["max_excess"][rule] and 0 < highest < limit, rule
        last = int(re.findall(r"M(\d+) 4v8", ticks)[-1])
        assert abs(last - 300 * highest / (1.05 * limit)) < 1.5 and abs(float(line) - 300 / 1.05) < 0.1, rule
    print("shot", html.unescape(re.search(r"<bdi>(.*?)</bdi>", shot)[1]))
assert "times a margin of 1.05." in page
black = re.search(r'"row">black</th>(.*?)</tr>', page)[1]
print("black", re.findall(r"(\d+ %) \((\d+) of (\d+)\)", black)[-1])
for line in re.findall(r"<li>(.*?)</li>", page):
    print(html.unescape(line))
