#!/usr/bin/env python3
"""sbom.py VERSION OUTPUT [FILE...]: writes what ssimcu is made of, as SPDX 2.3.

What the sources contain is in cmake/debian. A FILE that is a Debian package says what that package needs, in the version
that is installed here. Any other FILE is the debian/changelog of a source from which script/wheel made a library."""
import json
import os
import platform
import re
import subprocess
import sys
import time
import urllib.parse
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
AUTHORS = "Organization: The ssimcu authors"
# What each section of the copyright files is about.
CONTAINED = {"copyright.in": [("stb", "MIT OR Unlicense")], "copyright-cuda": [("CUDA runtime", "LicenseRef-CUDA")]}


def package(name, kind="part", version=None, purl="", **fields):
    """A package of SPDX, about whose files nothing is said."""
    made = {"name": name, "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", f"{kind}-{name}"),
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, **fields}
    if version:
        made["versionInfo"] = version
    if purl:
        locator = purl.format(urllib.parse.quote(name), urllib.parse.quote(version, safe=""))
        made["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                 "referenceLocator": locator}]
    return made


def copyright_of(text):
    return "\n".join(re.findall(r"^Copyright .*", text, re.M))


def contained():
    """What the sources hold of others, and the texts of licences that SPDX does not know."""
    parts, texts = [], []
    for file, rows in CONTAINED.items():
        sections = re.split(r"^-{20,}$", (ROOT / "cmake/debian" / file).read_text(), flags=re.M)[1:]
        for (name, licence), section in zip(rows, sections):
            parts.append(package(name, licenseDeclared=licence, copyrightText=copyright_of(section)))
            if licence.startswith("LicenseRef-"):
                texts.append({"licenseId": licence, "name": name, "extractedText": " ".join(section.split())})
        if len(rows) != len(sections):
            sys.exit(f"sbom: {file} has {len(sections)} sections, and {len(rows)} of them are known")
    return parts, texts


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.strip()


def needed(debs):
    """The packages of others that these packages depend on, of alternatives the first."""
    system = platform.freedesktop_os_release()["ID"]
    fields = [output_of("dpkg-deb", "-f", deb, "Depends") for deb in debs]
    names = {re.match(r"[a-z0-9.+-]+", part)[0] for field in fields for part in re.split(r",\s*", field) if part}
    for name in sorted(name for name in names if not re.match(r"(lib|python3-)?ssimcu", name)):
        version = output_of("dpkg-query", "-W", "-f", "${Version}", name)
        yield package(name, "deb", version, f"pkg:deb/{system}/{{}}@{{}}" if version else "")


def bundled(changelogs):
    for file in changelogs:
        name, version = re.match(r"(\S+) \((\S+)\)", Path(file).read_text()).groups()
        yield package(name, "source", version, "pkg:deb/debian/{}@{}?arch=source", comment="in the wheel")


def main():
    version, output, *files = sys.argv[1:]
    whole = package("ssimcu", "product", version, supplier=AUTHORS, licenseDeclared="MIT",
                    copyrightText=copyright_of((ROOT / "LICENSE").read_text()))
    held, texts = contained()
    held += bundled(file for file in files if not file.endswith(".deb"))
    needs = list(needed([file for file in files if file.endswith(".deb")]))
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", whole)]
    relations += [(whole["SPDXID"], "CONTAINS", part) for part in held]
    relations += [(whole["SPDXID"], "DEPENDS_ON", part) for part in needs]
    made = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"ssimcu-{version}",
                "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", made), "creators": [AUTHORS, "Tool: sbom.py"]},
                "packages": [whole, *held, *needs], "hasExtractedLicensingInfos": texts,
                "relationships": [{"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": part["SPDXID"]}
                                  for of, kind, part in relations]}
    name = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document))
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/ssimcu-{version}-{name}"
    Path(output).write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
