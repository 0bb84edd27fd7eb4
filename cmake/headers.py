"""Reads a public header as its reader does: the story at the top, sections, and in each the
declarations with the comment above them. The API page, the ABI file and the test of the headers'
code blocks use it.

The headers keep to a few forms. Anything else is an error here rather than a gap there: block
comments only, `/* ---- Title ---- */` before a section, a declaration that ends with `;` at the
start level, one blank line between items.
"""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = [ROOT / path for path in
           ("lib/include/ssimcu.h", "lib/include/ssimcu_permute.h", "lib/include/ssimcu_cuda.h",
            "lib/include/ssimcu_loss.h",
            "io/include/ssimcu_io.h", "lib/qa/include/ssimcu_qa_types.h",
            "lib/qa/include/ssimcu_qa.h", "lib/qa/include/ssimcu_pictures.h")]
SECTION = re.compile(r"/\* -{4} (.+?) -+ \*/")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
ATTRIBUTES = re.compile(r"\bSSIMCU_(API|MUST_CHECK)\s+|\s*SSIMCU_PRINTF\(\d+, \d+\)")


class Item:
    """A comment, a declaration (may be empty), or both."""

    def __init__(self, comment, code):
        self.comment, self.code = comment, code

    @property
    def bare(self):
        """Returns the declaration on one line, without comments and attributes."""
        return re.sub(r"\s+", " ", ATTRIBUTES.sub("", COMMENT.sub(" ", self.code))).strip()

    @property
    def name(self):
        """Returns the name that it declares."""
        text = self.bare
        for form in (r"#define (\w+)", r"struct (\w+);$", r"typedef (?:enum|struct) (\w+)",
                     r"(\w+)\("):
            match = re.match(form, text) or (form == r"(\w+)\(" and re.search(form, text))
            if match:
                return match.group(1)
        return None

    def enumerators(self):
        body = re.search(r"\benum\b[^{]*\{(.*)\}", self.bare)
        return re.findall(r"(\w+) =", body.group(1)) if body else []

    def fields(self):
        """Returns a struct's fields: pairs of a name and a type, such as "double[3]" or "const char *". A struct
        within it counts as one, and a pointer to a function is a "function"."""
        body = re.search(r"\bstruct \w+ \{(.*)\}", self.bare)
        fields = re.sub(r"\{.*?\}", "", body.group(1)) if body else ""
        fields = re.sub(r"\w+ \(\*(\w+)\)\(.*?\)", r"function \1", fields)
        found = []
        for declaration in fields.split(";")[:-1]:
            base, names = re.match(r"\s*((?:const |struct (?=\w+ \W*\w))*\w+)(.*)", declaration).groups()
            for pointer, name, array in re.findall(r"((?:[* ]|const )*)(\w+)((?:\[\w+\])*)\s*(?:,|$)", names):
                found.append((name, f"{base} {pointer.strip()}".strip() + array))
        return found

    @property
    def is_function(self):
        return self.code != "" and not re.match(r"(typedef|enum|struct|#)", self.bare)


class Section:
    def __init__(self, title):
        self.title, self.items = title, []


def plain(comment):
    """Returns a comment's text without its frame."""
    lines = comment[2:-2].split("\n")
    rest = [re.sub(r"^ \* ?", "", line) for line in lines[1:]]
    return "\n".join([lines[0].strip()] + rest).strip("\n ")


def without_machinery(text):
    """Drops guards, includes and attributes for compilers. Public version macros stay."""
    text = re.sub(r"#if(ndef SSIMCU_\w*H\n#define \w+| defined\(__GNUC__\).*?#endif|def __cplusplus.*?#endif)",
                  "", text, flags=re.S)
    text = re.sub(r"#include [^\n]*", "", text)
    if not re.search(r"#endif\s*$", text):
        raise SystemExit("expected the guard's #endif at the end")
    return re.sub(r"#endif\s*$", "", text)


def read(path):
    """Returns (story, [Section])."""
    text = without_machinery(path.read_text())
    story = COMMENT.match(text)
    sections, at = [Section("")], story.end()
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        title = SECTION.match(text, at)
        comment = COMMENT.match(text, at)
        if title:
            sections.append(Section(title.group(1)))
            at = title.end()
            continue
        prose = ""
        if comment:
            prose, at = plain(comment.group()), comment.end()
        if not comment or not text[at:].startswith("\n\n"):
            end = end_of_declaration(path, text, at)
            sections[-1].items.append(Item(prose, text[at:end].strip("\n")))
            at = end
        else:
            sections[-1].items.append(Item(prose, ""))
    return plain(story.group()), [s for s in sections if s.items]


def end_of_declaration(path, text, at):
    at += len(text[at:]) - len(text[at:].lstrip())
    if text.startswith("#define", at):
        return text.index("\n\n", at)
    depth = 0
    blank = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text[at:])
    for i, letter in enumerate(blank):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            line_end = text.index("\n", at + i)
            return line_end if text[at + i + 1:line_end].strip().startswith("/*") else at + i + 1
    raise SystemExit(f"{path}: no end of the declaration {text[at:at + 60]!r}")


def blocks(prose):
    """Splits prose into ('text', paragraph), ('list', [entries]) and ('code', lines), in order."""
    found = []
    for part in re.split(r"\n\s*\n", prose):
        for kind, piece in split_part(part):
            if kind == "code" and found and found[-1][0] == "code":
                found[-1] = ("code", found[-1][1] + "\n\n" + piece)
            else:
                found.append((kind, piece))
    return found


def split_part(part):
    lines = part.split("\n")
    if all(line.startswith("    ") for line in lines):
        return [("code", "\n".join(line[4:] for line in lines))]
    kinds = []
    for line in lines:
        if line.startswith("  - "):
            kinds.append(("list", [line[4:]]))
        elif line.startswith("    ") and kinds and kinds[-1][0] == "list":
            kinds[-1][1][-1] += " " + line.strip()
        elif kinds and kinds[-1][0] == "text":
            kinds[-1] = ("text", kinds[-1][1] + " " + line.strip())
        else:
            kinds.append(("text", line.strip()))
    merged = []
    for kind, piece in kinds:
        if kind == "list" and merged and merged[-1][0] == "list":
            merged[-1][1].extend(piece)
        else:
            merged.append((kind, piece))
    return merged


def prose_of(path):
    """Returns every comment of a header, in order."""
    story, sections = read(path)
    return [story] + [item.comment for section in sections for item in section.items if item.comment]
