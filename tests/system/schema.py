#!/usr/bin/env python3
"""schema.py FILE...: holds results, and what --json prints of a pair, against docs/results.schema.json.

A file that holds neither is passed over. Prints how many documents were checked and exits with 1 if one does not keep the
schema. With --self-test, documents that must not pass are made of a file's own and must be refused.
"""
import copy
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import need

if not need.there("jsonschema"):
    print("[SKIP] schema::all there is no jsonschema for Python")
    sys.exit(77)
import jsonschema

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
SCHEMA = json.loads((DOCS / "results.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def documents(path):
    """The documents of a file: the lines of results that are whole, or one object."""
    data = pathlib.Path(path).read_bytes()
    if data.startswith((b'{"type":"batch","schema":', b'{"type":"accepted","ssimcu":', b'{"type":"check","schema":')):
        return [json.loads(line) for line in data.split(b"\n")[:-1]]
    if data.startswith(b'{\n  "type": "pair"'):
        return [json.loads(data)]
    return []


def complain(path, number, document):
    names = [branch["$ref"].rsplit("/", 1)[1] for branch in SCHEMA["oneOf"]]
    name = document.get("type") if document.get("type") in names else names[0]
    one = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})
    for error in one.iter_errors(document):
        print(f"FAIL schema {path}, document {number}: {error.json_path}: {error.message[:300]}")
        return
    print(f"FAIL schema {path}, document {number}: it is of no type that the schema knows")


def spoilt(document):
    """Documents that are wrong in one place each."""
    for change in ({"surprise": 1}, {"type": "thing"}, {"score": 1.5}, {"schema": 99}):
        yield {**copy.deepcopy(document), **change}
    for name in document:
        yield {key: value for key, value in document.items() if key != name}


def main():
    VALIDATOR.check_schema(SCHEMA)
    self_test = "--self-test" in sys.argv
    checked = bad = 0
    for path in (a for a in sys.argv[1:] if not a.startswith("--")):
        for number, document in enumerate(documents(path), 1):
            checked += 1
            if not VALIDATOR.is_valid(document):
                complain(path, number, document)
                bad += 1
            elif self_test and sum(not VALIDATOR.is_valid(d) for d in spoilt(document)) < 5:
                print(f"FAIL schema {path}, document {number}: the schema refuses hardly anything")
                bad += 1
    print(f"schema: {checked} documents checked, {bad} do not keep it")
    return 1 if bad or (self_test and checked == 0) else 0


if __name__ == "__main__":
    sys.exit(main())
