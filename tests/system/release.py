#!/usr/bin/env python3
"""release.py ROOT: which versions script/release takes, what it writes into header and CHANGELOG.md, and what the list of
what is in a release holds. It builds nothing."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import need

ROOT = Path(sys.argv[1])
NEEDED = ["script/release", "script/sbom.py", "lib/include/ssimcu.h", "CHANGELOG.md", "LICENSE",
          "cmake/debian/copyright.in", "cmake/debian/copyright-cuda"]
CONTROL = "Package: ssimcu\nVersion: 9.8.7-1\nArchitecture: all\nMaintainer: a <a@b>\nDescription: a\n"


def run(*command):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def copy(tree):
    for name in NEEDED:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)


def check_document(document, version):
    """What the specification asks of each element, and that relations are between elements that are there."""
    assert (document["spdxVersion"], document["dataLicense"]) == ("SPDX-2.3", "CC0-1.0")
    assert document["SPDXID"] == "SPDXRef-DOCUMENT" and document["name"] and document["creationInfo"]["creators"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"])
    assert re.fullmatch(r"https://[^#\s]+", document["documentNamespace"])
    ids = {"SPDXRef-DOCUMENT"}
    for package in document["packages"]:
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]) and package["SPDXID"] not in ids, package
        assert package["name"] and package["downloadLocation"] and package["filesAnalyzed"] is False, package
        ids.add(package["SPDXID"])
    known = {text["licenseId"] for text in document["hasExtractedLicensingInfos"] if text["extractedText"]}
    assert set(re.findall(r"LicenseRef-[\w.-]+", json.dumps(document["packages"]))) == known
    for relation in document["relationships"]:
        assert relation["spdxElementId"] in ids and relation["relatedSpdxElement"] in ids, relation
    assert {relation["relatedSpdxElement"] for relation in document["relationships"]} == ids - {"SPDXRef-DOCUMENT"}
    assert document["packages"][0]["versionInfo"] == version


def test_versions(tree, present):
    made = run(tree / "script/release", "--check", present)
    assert made.returncode == 0, made.stderr
    check_document(json.loads(made.stdout), present)
    for version, why in (("1.2", "such as"), ("1.2.3a", "such as"), ("01.2.3", "such as"), ("", "such as"),
                         ("0.0.1", "is older"), ("999.0.0", "no section")):
        made = run(tree / "script/release", "--check", version)
        assert made.returncode == 1 and why in made.stderr and not made.stdout, (version, made)


def test_what_is_needed(tree):
    (tree / "deb/DEBIAN").mkdir(parents=True)
    (tree / "deb/DEBIAN/control").write_text(CONTROL + "Depends: libssimcu9.8 (= 1) | b, dpkg (>= 1.0), no-such (>= 1) | c\n")
    assert run("dpkg-deb", "-b", tree / "deb", tree / "a.deb").returncode == 0
    (tree / "changelog").write_text("zimg (3:3.0.4+ds1-1) bookworm; urgency=medium\n")
    made = run(tree / "script/sbom.py", "9.8.7", tree / "a.json", tree / "a.deb", tree / "changelog")
    assert made.returncode == 0, made.stderr
    document = json.loads((tree / "a.json").read_text())
    check_document(document, "9.8.7")
    packages = {package["name"]: package for package in document["packages"]}
    assert set(packages) == {"ssimcu", "stb", "CUDA runtime", "dpkg", "no-such", "zimg"}, packages
    assert "externalRefs" not in packages["no-such"] and packages["dpkg"]["versionInfo"]
    assert packages["zimg"]["externalRefs"][0]["referenceLocator"] == "pkg:deb/debian/zimg@3%3A3.0.4%2Bds1-1?arch=source"
    (tree / "cmake/debian/copyright.in").write_text("a\n" + ("-" * 79 + "\nb\n") * 2)
    assert "2 sections" in run(tree / "script/sbom.py", "9.8.7", tree / "a.json").stderr


def test_sets_the_version(tree):
    """The first call writes the version and the day, and builds nothing. What is not committed is refused."""
    log = tree / "CHANGELOG.md"
    log.write_text("# Changelog\n\n## 98.7.6 (unreleased)\n\n" + log.read_text())
    before = (tree / "lib/include/ssimcu.h").read_text()
    git = ["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b"]
    run(*git, "init", "-q")
    run(*git, "add", ".")
    made = run(tree / "script/release", "98.7.6")
    assert made.returncode and (tree / "lib/include/ssimcu.h").read_text() == before, made.stderr
    assert run(*git, "commit", "-qm", "a: b").returncode == 0
    made = run(tree / "script/release", "98.7.6")
    assert made.returncode == 1 and "git commit -am 'release: 98.7.6'" in made.stderr, made.stderr
    now = (tree / "lib/include/ssimcu.h").read_text()
    assert re.findall(r"define SSIMCU_VERSION_[MP]\w+ (\d+)", now) == ["98", "7", "6"]
    assert re.sub(r"(VERSION_[MP]\w+) \d+", r"\1", now) == re.sub(r"(VERSION_[MP]\w+) \d+", r"\1", before)
    assert re.search(r"^## 98\.7\.6 \(\d{4}-\d\d-\d\d\)$", log.read_text(), re.M)
    made = run(tree / "script/release", "98.7.6")
    assert made.returncode == 1 and "not what is committed" in made.stderr and not (tree / "build").exists(), made


def main():
    header = (ROOT / "lib/include/ssimcu.h").read_text()
    present = ".".join(re.findall(r"define SSIMCU_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
    for test, tool, *arguments in ((test_versions, None, present), (test_what_is_needed, "dpkg-deb"),
                                   (test_sets_the_version, "git")):
        if tool and not need.there(tool):
            print(f"[SKIP] release::{test.__name__} no {tool}")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            copy(Path(scratch))
            test(Path(scratch), *arguments)
        print(f"[PASS] release::{test.__name__}")


if __name__ == "__main__":
    main()
