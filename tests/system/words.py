#!/usr/bin/env python3
"""words.py [--check] [--list] [ROOT]: measures how plainly the project speaks.

For prose (README, docs, the manual page) it prints the words in a sentence, median and 90th percentile,
and commas. For comments it prints how many begin without a subject, with "of", "that", "as", "where" and
the like, and how many have a sentence of more than 25 words. --list prints each such comment.

--check fails if a document has a median above 17 or a 90th percentile above 32, if more than 3 % of
the product's comments lack a subject, or if a page that everybody reads is too long (MOST_LINES) or has a
sentence of more than 25 words."""
import pathlib
import re
import statistics
import subprocess
import sys

MOST_MEDIAN, MOST_P90, MOST_WITHOUT_SUBJECT, MOST_WORDS = 17, 32, 0.03, 25
DOCUMENTS = ["README.md", "docs/architecture.md", "docs/score.md", "docs/video.md", "docs/library.md", "docs/build.md",
             "docs/farm.md", "docs/calibrate.md", "docs/python.md", "docs/loss.md", "docs/ssim-kernel.md",
             "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md",
             "cli/ssimcu.1", "cli/ssimcu-calibrate.1", "cli/ssimcu-check.1",
             "cli/ssimcu-limits.5", "cli/ssimcu-results.5", "cli/ssimcu-slurm.1"]
# Most lines, and most words as `wc -w` counts them: README, and the first section of CHANGELOG, which is unreleased.
MOST_LINES = {"README.md": (150, 1500), "CHANGELOG.md": (80, 1200), "docs/architecture.md": (200, 1500)}
PRODUCT = ("lib/", "kernels/", "io/", "cli/")
NO_SUBJECT = set("""of that as where to by for with in at on from but and or likewise also so because since if when
    which who whom whose than into under over between behind beside below above after before without within up
    set only""".split())


def comments_of(text):
    """The comments of a C file, each as one line; // lines that follow each other are one."""
    pattern = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*'
    for match in re.finditer(pattern, text, re.S):
        found = match.group(0)
        if found.startswith("/"):
            line = text.count("\n", 0, match.start()) + 1
            plain = re.sub(r"^/\*+|\*+/$|^[ \t]*(//|\*)", " ", found, flags=re.M)
            plain = " ".join(re.sub(r"-{4,}", " ", plain).split())
            if re.search(r"[A-Za-z]{2}", plain):
                yield line, plain


def sentences(text):
    return [s for s in re.split(r"(?<=[.!?:;])\s+(?=[\"'(`A-Z0-9])", text) if re.search(r"[A-Za-z]", s)]


def full_sentences(text):
    return [s for s in re.split(r"(?<=[.!?])[\"')]*\s+", text) if re.search(r"[A-Za-z]", s)]


def words(sentence):
    return len(re.findall(r"[A-Za-z0-9][\w'./%+=-]*", sentence))


def plain_markdown(text):
    """Running text alone: no code, no tables, no headings; links and code spans as their words."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    blocks = []
    for block in re.split(r"\n\s*\n", text):
        block = re.sub(r"^(#|\||!\[|<| {4}).*\n?", "", block, flags=re.M) if not re.match(r"\s*[-*] ", block) else block
        block = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block)
        blocks += re.split(r"^\s*(?:[-*]|\d+\.)\s+", block, flags=re.M)
    return [" ".join(b.split()) for b in blocks if b.strip()]


def plain_man(text):
    blocks, current, skip = [], [], False
    for line in text.splitlines():
        if line.startswith((".nf", ".EX")):
            skip = True
        if line.startswith((".fi", ".EE")):
            skip = False
        if skip:
            continue
        if re.match(r"\.(SH|SS|PP|P|TP|IP|TH|RS|RE|br|TQ|nf|fi|EX|EE|\\\")", line):
            blocks.append(" ".join(current))
            current = []
        else:
            line = re.sub(r"^\.[BIR]{1,2} ", "", line)
            current.append(re.sub(r"\\f.|\\&|\\", "", line.replace("\\-", "-")))
    return [b for b in blocks + [" ".join(current)] if words(b) > 3]


def prose(path):
    text = path.read_text()
    blocks = plain_man(text) if path.suffix in (".1", ".5") else plain_markdown(text)
    found = [s for block in blocks for s in full_sentences(block) if words(s) > 2]
    counts = sorted(words(s) for s in found)
    p90 = counts[min(len(counts) - 1, int(0.9 * len(counts)))]
    return statistics.median(counts), p90, sum(s.count(",") for s in found) / len(found), found


def lengths(root):
    """Says how long the pages of MOST_LINES are. Returns how many are longer than they may be."""
    bad = 0
    for name, (most_lines, most_words) in MOST_LINES.items():
        text = (root / name).read_text()
        if name == "CHANGELOG.md":
            text = re.split(r"^(?=## )", text, flags=re.M)[1]
            bad += sum("(unreleased)" in line for line in (root / name).read_text().splitlines()) > 1
        lines, count = len(text.splitlines()), len(text.split())
        wide = name == "CHANGELOG.md" and any(len(line) > 120 for line in text.splitlines())
        sentences_too_long = [s for s in prose(root / name)[3] if words(s) > MOST_WORDS]
        long = lines > most_lines or count > most_words or wide or len(sentences_too_long) > 0
        bad += long
        print(f"{name}: {lines} lines of {most_lines}, {count} words of {most_words}" + ("  <- too long" if long else ""))
        for sentence in sentences_too_long:
            print(f"    {words(sentence)}: {sentence}")
    return bad


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    rest = [a for a in sys.argv[1:] if not a.startswith("--")]
    root = pathlib.Path(rest[0] if rest else ".")
    bad = lengths(root)
    for name in DOCUMENTS:
        median, p90, commas, found = prose(root / name)
        long = median > MOST_MEDIAN or p90 > MOST_P90
        bad += long
        print(f"{name}: {len(found)} sentences, median {median:g} words, p90 {p90}, commas {commas:.1f}"
              + ("  <- too long" if long else ""))
        if "--list" in options:
            for s in sorted(found, key=words):
                if words(s) > MOST_P90:
                    print(f"    {words(s)}: {s}")
    files = subprocess.run([pathlib.Path(__file__).with_name("files.sh"), root], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.splitlines()
    for modules, what in ((PRODUCT, "product"), (("tests/", "bench/"), "tests and benches")):
        count = without = long = 0
        for name in files:
            if not name.startswith(modules) or not re.search(r"\.(c|h|cu|cuh|cpp|hpp)$", name):
                continue
            if not (root / name).exists():
                continue
            for line, text in comments_of((root / name).read_text(errors="replace")):
                first = re.match(r"[^A-Za-z]*([A-Za-z']+)", text).group(1).lower()
                count += 1
                lacks = first in NO_SUBJECT
                too_long = any(words(s) > MOST_WORDS for s in full_sentences(text))
                without += lacks
                long += too_long
                if "--list" in options and (lacks or too_long):
                    print(f"{name}:{line}: {'no subject' if lacks else 'long'}: {text[:160]}")
        share = without / max(count, 1)
        bad += modules == PRODUCT and share > MOST_WITHOUT_SUBJECT
        print(f"{what}: {count} comments, {without} ({100 * share:.1f} %) without a subject, "
              f"{long} ({100 * long / max(count, 1):.1f} %) with a sentence above {MOST_WORDS} words")
    return 1 if "--check" in options and bad else 0


if __name__ == "__main__":
    sys.exit(main())
