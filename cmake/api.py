#!/usr/bin/env python3
"""api.py VERSION OUTPUT.html: makes one page from the public headers, which stay the source: their words,
in their order. The same headers give the same bytes."""
import html
import re
import sys

sys.dont_write_bytecode = True

import headers  # noqa: E402

STYLE = """
:root { --ink: #1d2127; --soft: #59626e; --line: #d9dee5; --code: #f5f7f9; --link: #0b57a4; --paper: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dfe4ea; --soft: #98a3b0; --line: #343b45; --code: #1d232a; --link: #7db8f5; --paper: #14181d }
}
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       display: grid; grid-template-columns: 17rem minmax(0, 46rem); gap: 3rem }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 0 2rem 1.5rem;
      font-size: .85rem; border-right: 1px solid var(--line) }
nav ul { list-style: none; margin: .2rem 0 .8rem; padding: 0 }
nav b { display: block; margin-top: 1.2rem }
nav .section { color: var(--soft) }
main { padding: 1.5rem 1.5rem 6rem 0; overflow-wrap: break-word }
h1 { font-size: 1.9rem; line-height: 1.2 }
h2 { margin-top: 4rem; font: 600 1.4rem ui-monospace, monospace; border-bottom: 2px solid var(--line) }
h3 { margin-top: 2.6rem; font-size: 1.15rem }
h4 { margin: 2.2rem 0 .5rem; font: 600 1rem ui-monospace, monospace }
a { color: var(--link); text-decoration: none }
a:hover { text-decoration: underline }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem;
      overflow-x: auto; font: .82rem/1.5 ui-monospace, monospace }
pre .note { color: var(--soft) }
code { font: .9em ui-monospace, monospace }
p { margin: .7rem 0 }
@media (max-width: 60rem) {
  body { display: block; padding: 0 1rem }
  nav { position: static; height: auto; max-height: 14rem; border: 0; border-bottom: 1px solid var(--line); padding: 1rem 0 }
  main { padding-right: 0 }
}
@media print { nav { display: none } body { display: block } }
"""


def link(text, known):
    """Escapes text and links the names that have a place on the page."""
    def one(match):
        word = match.group()
        return f'<a href="#{known[word]}">{word}</a>' if word in known else word
    return re.sub(r"\b(?:ssimcu|SSIMCU)_\w+", one, html.escape(text, quote=False))


def prose(text, known):
    out = []
    for kind, piece in headers.blocks(text) if text else ():
        if kind == "code":
            out.append(f"<pre>{link(piece, known)}</pre>")
        elif kind == "list":
            out.append("<ul>" + "".join(f"<li>{words(entry, known)}</li>" for entry in piece) + "</ul>")
        else:
            out.append(f"<p>{words(piece, known)}</p>")
    return "\n".join(out)


def words(text, known):
    """Returns a paragraph as HTML. Sets apart a lead-in in capitals, `code`, and Errors."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", link(text, known))
    text = re.sub(r"^([A-Z][A-Z ]+[A-Z])([.,])", r"<strong>\1</strong>\2", text)
    return re.sub(r"(^|[.;)] )Errors?:", r"\1<br><strong>Errors:</strong>", text).replace("<p><br>", "<p>")


def declaration(code, known):
    shown = headers.ATTRIBUTES.sub("", code)
    if "{" not in shown and shown.lstrip()[0] != "#":  # a prototype, aligned for the names removed
        shown = re.sub(r"\n\s+", "\n    ", shown)
    shown = link(shown, known)
    return re.sub(r"/\*.*?\*/", r'<span class="note">\g<0></span>', shown, flags=re.S)


def page(version):
    books = [(path.name, *headers.read(path)) for path in headers.HEADERS]
    known = {}
    for name, _, sections in books:
        for section in sections:
            for item in section.items:
                complain(name, item)
                if item.name:
                    known[item.name] = item.name
                place = item.name or (slug(name, section) if section.title else name)
                known.update({value: place for value in item.enumerators()})
    nav, body = [], []
    for name, story, sections in books:
        nav.append(f'<b><a href="#{name}">{name}</a></b>')
        body.append(f'<h2 id="{name}">{name}</h2>\n{prose(story, known)}')
        for section in sections:
            nav.append(f'<span class="section">{html.escape(section.title)}</span><ul>' if section.title else "<ul>")
            if section.title:
                body.append(f'<h3 id="{slug(name, section)}">{html.escape(section.title)}</h3>')
            for item in section.items:
                if item.name:
                    nav.append(f'<li><a href="#{item.name}">{item.name}</a></li>')
                body.append(entry(item, known))
            nav.append("</ul>")
    return f"""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ssimcu {version}: C library</title>
<style>{STYLE}</style>
<nav>
{chr(10).join(nav)}
</nav>
<main>
<h1>ssimcu {version}: the C library</h1>
{chr(10).join(body)}
</main>
</html>
"""


def complain(name, item):
    """Exits unless a function says what it does, and which errors it has if it has a status to check."""
    if item.is_function and not item.comment:
        sys.exit(f"{name}: {item.name} has no comment")
    if "SSIMCU_MUST_CHECK" in item.code and "Errors:" not in item.comment:
        sys.exit(f"{name}: {item.name} names no errors")


def slug(name, section):
    return f"{name}-{section.title.lower().replace(' ', '-')}"


def entry(item, known):
    head = f'<h4 id="{item.name}">{item.name}</h4>\n' if item.name else ""
    code = f"<pre>{declaration(item.code, known)}</pre>\n" if item.code else ""
    return head + code + prose(item.comment, known)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(page(sys.argv[1]))
