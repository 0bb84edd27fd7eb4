#!/usr/bin/env python3
"""site.py OUT: what script/site runs. Links between pages stay as they are but for their endings. A link to any other file
of the tree leads to the project's repository. Anchors are those that GitHub makes."""
import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[1]
SOURCE = re.search(r'^Source = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
VERSION = ".".join(re.findall(r"define SSIMCU_VERSION_\w+ (\d+)", (ROOT / "lib/include/ssimcu.h").read_text()))
PAGES = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "docs/tasks/*.md", "bench/results/*.md", "cli/*.[15]"]
LEFT_OUT = ["docs/pypi.md"]  # README says the same
COPIED = ["docs/*.png", "docs/*.json", "docs/farm/*.svg", "docs/sample-report/*", "bench/results/*.svg", "bench/results/*.png"]
MENU = [("ssimcu", "README.md"), ("Scores", "docs/score.md"), ("Limits", "docs/calibrate.md"), ("Video", "docs/video.md"),
        ("Farms", "docs/farm.md"), ("Python", "docs/python.md"), ("Loss", "docs/loss.md"), ("C", "docs/library.md"),
        ("Manual", "cli/ssimcu.1"), ("Sample report", "docs/sample-report/index.html"), ("Security", "SECURITY.md")]


def files(patterns):
    return [path.relative_to(ROOT).as_posix() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def address(source):
    """Where a page or a file of the tree is on the site."""
    if source == "README.md":
        return "index.html"
    return re.sub(r"\.md$", ".html", re.sub(r"\.([15])$", r".\1.html", source))


def to(place, source):
    """The relative link from a page to another page or file."""
    return os.path.relpath(address(source), os.path.dirname(place) or ".")


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def rewrite(body, source, known):
    """A page's HTML with links that work on the site."""
    body = re.sub(r'<a href="[^"]*"><img src="https:[^>]*></a>\s*', "", body)  # badges, which others serve
    site = re.search(r'^Documentation = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    body = body.replace(f'="{site}', f'="{os.path.relpath(".", os.path.dirname(source) or ".")}/')

    def link(match):
        target, mark, part = html.unescape(match[2]).partition("#")
        if re.match("[a-z]+:", target) or not target:
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(source), target))
        if path in known:
            target = to(address(source), path)
        else:
            target = f"{SOURCE}/{'tree' if (ROOT / path).is_dir() else 'blob'}/main/{path}"
        return f'{match[1]}="{html.escape(target + mark + part)}"'
    # A line may end after a hyphen, but not between the two of an option.
    body = re.sub(r"(<(?:code|b)>)(--[\w-]+)(?=[^\n<]*</)", r'\1<span class="option">\2</span>', body)
    return re.sub(r'\b(href|src)="([^"]*)"', link, body)


def from_markdown(path):
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = parser.parse(path.read_text())
    title = path.name
    for token, inside in zip(tokens, tokens[1:]):
        if token.type == "heading_open":
            text = "".join(part.content for part in inside.children)
            token.attrSet("id", anchor(text))
            title = text if token.tag == "h1" else title
    body = parser.renderer.render(tokens, parser.options, {})
    return title, body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def from_manual(path):
    body = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    # Lines of examples have breaks and line ends, of which HTML shows both; what follows an example is an empty one.
    body = re.sub("<pre>.*?</pre>", lambda match: match[0].replace("<br/>\n", ""), body, flags=re.S).replace("<pre></pre>\n", "")
    pages = {page.name: page.name + ".html" for page in (ROOT / "cli").glob("*.[15]")}
    for name in pages:
        body = re.sub(rf"<b>{re.escape(name[:-2])}</b>\({name[-1]}\)", f'<a href="{name}"><b>{name[:-2]}</b>({name[-1]})</a>', body)
    return f"{path.name[:-2]}({path.name[-1]})", f'<div class="manual">{body}</div>'


def write(out, source, title, body):
    place = address(source)
    menu = "\n".join(f'<a href="{to(place, target)}"{" aria-current=page" if target == source else ""}>{name}</a>' for name, target in MENU)
    page = (ROOT / "docs/site/page.html").read_text()
    values = {"title": html.escape(title), "style": to(place, "docs/site/style.css"), "menu": menu, "body": body, "version": VERSION,
              "source": f"{SOURCE}/blob/main/{source}", "home": SOURCE}
    page = re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], page)
    (out / place).parent.mkdir(parents=True, exist_ok=True)
    (out / place).write_text(page)


def main():
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    pages = [page for page in files(PAGES) if page not in LEFT_OUT]
    copied = [file for file in files(COPIED + ["docs/site/style.css"])]
    known = {*pages, *copied}
    for file in copied:
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, out / file)
    for source in pages:
        title, body = from_markdown(ROOT / source) if source.endswith(".md") else from_manual(ROOT / source)
        write(out, source, title, rewrite(body, source, known))
    api = out / "docs/api.html"
    subprocess.run([sys.executable, ROOT / "cmake/api.py", VERSION, api], check=True)
    api.write_text(api.read_text().replace("<nav>", '<nav><a href="../index.html">ssimcu</a>', 1))
    print(f"site: {len(pages) + 1} pages and {len(copied)} other files in {out}")


if __name__ == "__main__":
    main()
