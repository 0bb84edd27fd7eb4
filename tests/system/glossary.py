#!/usr/bin/env python3
"""glossary.py PROGRAM [ROOT]: finds words that the glossary has replaced, in all that a user types or reads.

Names are options, kinds of findings, keys of JSON, columns of CSV, identifiers of public headers and of Python, and
names of files. Text is README, documents, manual pages, --help-all, descriptions of the schemas and comments of public
headers. CHANGELOG's table of renames has the old names on purpose."""
import json
import pathlib
import re
import subprocess
import sys

PROGRAM = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")

# Old name, as a regular expression over a whole name -> new name.
NAMES = {
    r"(.*[_-])?max[_-]shift|frame[_-]shift|(ssimcu_)?tile_shift|shift_(levels|channel|x|y|width|height)": "level shift",
    r"differ[_-]above": "diff_threshold", r"max[_-]differing|(.*_)?differing(_.*)?": "diff, max_diff_ratio",
    r"(.*[_-])?blobs?": "diff cluster", r"fail[_-]on[_-]hint": "fail_on", r"hints|faults": "findings",
    r"(.*_)?parts?|sequences?": "shot", r"stuck": "duplicate", r"swapped": "channel-swap, frame-order",
    r"elsewhere": "foreign-frame", r"bands?": "garbage", r"blocks?": "flat-area",
    r"flat": "solid", r"(.*_)?floors?(_.*)?": "learned", r"(.*_)?looks?": "variant, pending_hints",
    r"(.*_)?(seen|stranger|habits?|unlike|alone|tells|doubts|teach|lent|lends?|lanes?|stretch(es)?|apart|draft|earlier)(_.*)?":
        "see CHANGELOG", r"trials?|damage|account|slopes|walk|arrows|facts|say|house|rooms?": "see CHANGELOG"}
KINDS = {"size": "dimensions", "format": "pixel-format", "layers": "missing-layer", "pixel": "outlier-pixel",
         "frame": "frame-offset"}
# Old words of text.
TEXT = {
    r"floors?": "learned limit", r"stuck": "duplicate", r"blobs?": "cluster", r"strangers?": "outlier", r"habits?": "recurring",
    r"(?<!there )(is|are) none": "a sentence with a verb", r"said of": "a subject and a verb",
    r"of (its|their) limits?:": "N x its limit", r"teach(es)?": "train", r"lent|lends": "borrowed",
    r"rooms": "modules", r"swapped (r b|u v)": "channel-swap", r"part black": "black-area"}
# Where an old word has another meaning, and which.
EXCEPTIONS = [
    (r"(.*_)?damage(_.*)?|damaged(_.*)?", r"file|header", "a damaged file or stream, not an injected fault"),
    (r"(image_)?sequence", r"file|header", "numbered files"),
    (r"lanes?(_.*)?", r"file", "a lane of a warp or a vector"),
    (r"hints|faults", r"file", "detectors of hints, and tests that inject faults; keys have neither name"),
]
bad = 0


def fail(where, word, better):
    global bad
    bad += 1
    print(f"[FAIL] glossary::{where}: {word}: now {better}")


def excepted(word, where):
    return any(re.fullmatch(old, word) and re.match(place, where) for old, place, _ in EXCEPTIONS)


def name(word, where):
    for old, better in NAMES.items():
        if re.fullmatch(old, word) and not excepted(word, where):
            fail(where, word, better)
            return


def text(content, where):
    content = re.sub(r"https?://\S+", "", content)  # others choose the words of an address
    for old, better in TEXT.items():
        for found in re.finditer(rf"(?<![\w-])(?i:(?=\S){old})(?![\w-])", content):
            if found[0].endswith("None"):  # Python's
                continue
            line = content.count("\n", 0, found.start()) + 1
            fail(f"{where}:{line}", found[0], better)


def keys(node):
    if isinstance(node, dict):
        yield from node.get("properties", ())
        for value in node.values():
            yield from keys(value)
    elif isinstance(node, list):
        for value in node:
            yield from keys(value)


def descriptions(node):
    if isinstance(node, dict):
        yield from (node[k] for k in ("description", "title") if isinstance(node.get(k), str))
        for value in node.values():
            yield from descriptions(value)
    elif isinstance(node, list):
        for value in node:
            yield from descriptions(value)


def main():
    shown = subprocess.run([PROGRAM, "--help-all"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for option in re.findall(r"--([a-z0-9-]+)", shown):
        name(option, "option")
    text(shown, "--help-all")
    for path in ("docs/results.schema.json", "docs/limits.schema.json"):
        schema = json.loads((ROOT / path).read_text())
        for key in sorted(set(keys(schema))):
            name(key, "key of " + path)
        text("\n".join(descriptions(schema)), path)
    for kind in json.loads((ROOT / "docs/results.schema.json").read_text())["$defs"]["finding_kind"]["enum"]:
        name(kind, "kind")
        if kind in KINDS:
            fail("kind", kind, KINDS[kind])
    columns = subprocess.run([PROGRAM, "--csv", "-q", *[ROOT / "testdata/renders/ref"] * 2], stdout=subprocess.PIPE, text=True)
    for column in columns.stdout.split("\n")[0].split(","):
        name(column, "key, a column of CSV")
    tracked = subprocess.run([ROOT / "tests/system/files.sh", ROOT], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    for path in tracked:
        # The name of a case is a sentence.
        if path.startswith(("lib/", "io/", "cli/", "kernels/", "tests/", "docs/")) and not re.search(r"corpus|\.case$", path):
            for piece in re.split(r"[/.]", path):
                name(piece, f"file {path}")
    for path in tracked:
        if re.search(r"include/ssimcu.*\.h(pp)?$", path) or re.fullmatch(r"lib/python/ssimcu/\w+\.py", path):
            content = (ROOT / path).read_text()
            text(content, path)
            public = content if path.endswith(".h") else "" if path.endswith("hpp") else content
            for word in sorted(set(re.findall(r"\b[a-z][a-z0-9_]*_[a-z0-9_]+\b", public))):
                name(word, f"header {path}")
        elif re.search(r"^(README|CONTRIBUTING|SECURITY)\.md$|^docs/.*\.md$|^cli/.*\.[15]$", path):
            content = (ROOT / path).read_text().replace("\\", "")
            if path == "CONTRIBUTING.md":  # its examples of wording
                content = re.sub(r"^(\| \"|- Avoid ).*", "", content, flags=re.M)
            text(content, path)
    changes = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1]
    text(re.sub(r"^\|.*\n", "", changes, flags=re.M), "CHANGELOG.md")
    print(f"glossary: {bad} old words")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
