#!/usr/bin/env python3
"""distribution.py ROOT: what others install ssimcu by. script/pack gives the same bytes twice and holds what it should. The
recipes of packaging/ name the version and the address once, and their languages can read them. Every address of the
project begins as that in pyproject.toml, and leads to a file of the tree. Workflows pin what they use, and call scripts
that exist."""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
VERSION = ".".join(re.findall(r"define SSIMCU_VERSION_\w+ (\d+)", (ROOT / "lib/include/ssimcu.h").read_text()))
SOURCE = re.search(r'^Source = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
SITE = re.search(r'^Documentation = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
# How a language says whether it can read a file, and without a package manager.
READERS = {"ssimcu.rb": ("ruby", "-c"), "PKGBUILD": ("bash", "-n"), "package.nix": ("nix-instantiate", "--parse")}


def pack(*arguments, umask=0o022):
    subprocess.run([ROOT / "script/pack", *map(str, arguments)], check=True, umask=umask,
                   env={**os.environ, "SOURCE_DATE_EPOCH": "1795932106"})


def make_wheel(folder, machine, when):
    path = folder / f"ssimcu-{VERSION}-py3-none-manylinux_2_28_{machine}.whl"
    names = ["ssimcu/__init__.py", "ssimcu/py.typed", "ssimcu/lp64.abi", "ssimcu/bin/ssimcu", "ssimcu/lib/libssimcu.so.0.2",
             "ssimcu/lib/ssimcu/ssimcu-decode", "ssimcu.libs/libpng16-0a.so", f"ssimcu-{VERSION}.dist-info/licenses/LICENSE",
             f"ssimcu-{VERSION}.data/data/share/man/man1/ssimcu.1.gz"]
    with zipfile.ZipFile(path, "w") as wheel:
        for name in names if when == 2001 else reversed(names):
            wheel.writestr(zipfile.ZipInfo(name, (when, 1, 1, 0, 0, 0)), name)
    return path


def make_products(folder, when, umask):
    folder.mkdir()
    for machine in "x86_64", "aarch64":
        pack("program", make_wheel(folder, machine, when), folder, umask=umask)
    for verb in ("source", "man", "notes") if (ROOT / ".git").exists() else ("man", "notes"):
        pack(verb, VERSION, folder, umask=umask)
    if not (folder / f"ssimcu-{VERSION}.tar.gz").exists():
        (folder / f"ssimcu-{VERSION}.tar.gz").write_bytes(b"sources")
    pack("recipes", VERSION, folder, umask=umask)
    for wheel in folder.glob("*.whl"):
        wheel.unlink()
    pack("sums", folder, umask=umask)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_products(scratch):
    first = make_products(scratch / "a", 2001, 0o022)
    second = make_products(scratch / "b", 2024, 0o077)
    differ = [name for name in first if first[name] != second.get(name)]
    assert not differ and len(first) == len(second) == 7, differ
    sums = dict(reversed(line.split("  ")) for line in first["SHA256SUMS"].decode().splitlines())
    del first["SHA256SUMS"]
    assert sums == {name: hashlib.sha256(data).hexdigest() for name, data in first.items()}
    with tarfile.open(scratch / f"a/ssimcu-{VERSION}-linux-x86_64.tar.gz") as program:
        modes = {member.name.partition("/")[2]: member.mode for member in program if member.isfile() or member.issym()}
        order = [member.name.split("/") for member in program]
        link = program.getmember(f"ssimcu-{VERSION}-linux-x86_64/bin/ssimcu")
    assert modes["lib/ssimcu/bin/ssimcu"] == modes["lib/ssimcu/lib/ssimcu/ssimcu-decode"] == 0o755 and link.issym(), modes
    assert order == sorted(order), order
    assert set(modes) == {"bin/ssimcu", "lib/ssimcu/bin/ssimcu", "lib/ssimcu/lib/libssimcu.so.0.2", "licenses/LICENSE",
                          "lib/ssimcu/lib/ssimcu/ssimcu-decode", "lib/ssimcu.libs/libpng16-0a.so",
                          "share/man/man1/ssimcu.1.gz"}, modes
    with tarfile.open(scratch / f"a/ssimcu-{VERSION}-man.tar.gz") as pages:
        names = {Path(member.name).name for member in pages if member.isfile()}
        heads = {pages.extractfile(member).read(8) for member in pages if member.isfile()}
    assert heads == {b"\x1f\x8b\x08" + bytes(5)}, heads  # neither a name nor a time
    assert names == {path.name + ".gz" for path in (ROOT / "cli").glob("*.[15]")}, names
    notes = first["release-notes.md"].decode()
    assert notes.strip() and not re.search("^## ", notes, re.M) and notes in (ROOT / "CHANGELOG.md").read_text()
    return scratch / "a"


def test_recipes(scratch, products):
    with tarfile.open(products / f"ssimcu-{VERSION}-recipes.tar.gz") as recipes:
        recipes.extractall(scratch)
    digest = hashlib.sha256((products / f"ssimcu-{VERSION}.tar.gz").read_bytes()).hexdigest()
    templates = sorted((ROOT / "packaging").glob("*/*.in"))
    assert len(templates) == 4, templates
    for template in templates:
        text = template.read_text()
        assert "@SHA256@" in text and VERSION not in text and SOURCE not in text, f"{template} repeats what is one fact"
        made = scratch / f"ssimcu-{VERSION}-recipes" / template.relative_to(ROOT / "packaging").with_suffix("")
        filled = made.read_text()
        assert text.count("@VERSION@") == filled.count(VERSION) and digest in filled and SOURCE in filled, made
        assert not re.search("@[A-Z0-9]+@", filled), made
        reader = READERS.get(made.name)
        if reader and shutil.which(reader[0]):
            read = subprocess.run([*reader, made], capture_output=True, text=True)
            assert read.returncode == 0, read.stderr


def texts():
    listed = subprocess.run([ROOT / "tests/system/files.sh", ROOT], check=True, capture_output=True, text=True).stdout
    for name in listed.splitlines():
        path = ROOT / name
        if path.is_file() and path.resolve() != Path(__file__).resolve() and not name.startswith(("testdata/", "tests/fuzz/corpus/")):
            try:
                yield name, path.read_text()
            except UnicodeDecodeError:
                pass


def test_addresses():
    """An address of the project: SOURCE, or SITE. Whoever moves the project replaces both."""
    project = SOURCE.rpartition("/")[2]
    found = 0
    for name, text in texts():
        for address in re.findall(rf"https://(?:[\w.-]*github\.(?:com|io)|ghcr\.io)/[^\s\"'<>)\]]*\b{project}\b[^\s\"'<>)\]]*", text):
            if "$" in address or "{" in address:
                continue
            found += 1
            assert address.startswith((SOURCE, SITE.rstrip("/"))), f"{name}: {address} is not of {SOURCE}"
            file = re.fullmatch(re.escape(SOURCE) + "/(?:blob|tree)/main/([^#]*)(?:#.*)?", address)
            assert not file or (ROOT / file[1]).exists(), f"{name}: there is no {address}"
    assert found > 10, found


def test_long_description():
    text = (ROOT / re.search('^readme = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]).read_text()
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert links and all(link.startswith("https://") for link in links), links


def test_workflows():
    files = [*(ROOT / ".github/workflows").glob("*.yml"), ROOT / "action.yml"]
    assert len(files) >= 3, files
    for path in files:
        text = path.read_text()
        for used in re.findall(r"uses: *(\S+)", text):
            assert re.fullmatch(r"(\./.*|[\w-]+/[\w./-]+@[0-9a-f]{40})", used), f"{path.name}: {used} is not pinned"
        for called in re.findall(r"(?<![\w.])((?:script|tests|\.ci)/[\w./-]+)", text):
            assert (ROOT / called).exists(), f"{path.name}: there is no {called}"
        assert path.name == "action.yml" or re.search("^permissions:", text, re.M), path.name


def main():
    def passed(name):
        print(f"[PASS] distribution::{name}")

    with tempfile.TemporaryDirectory() as scratch:
        products = test_products(Path(scratch))
        passed("products")
        test_recipes(Path(scratch), products)
        passed("recipes")
    for test in test_addresses, test_long_description, test_workflows:
        test()
        passed(test.__name__.removeprefix("test_"))


if __name__ == "__main__":
    main()
