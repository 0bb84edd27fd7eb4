#!/usr/bin/env python3
"""record_fields.py ROWS: every fact of a record is wherever results are told of. ROWS is the program that prints the table.

A fact is in docs/results.schema.json, a manual page, the public struct and Python's Record, and has columns of CSV or
a reason for none. A member that the schema has and the table lacks is an error, too.
"""
import ast
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/results.schema.json").read_text())
ABI = (ROOT / "lib/python/ssimcu/lp64.abi").read_text()
SIDES = {"ref", "out"}
# Other names of a fact; None: it has none there, because a merge alone reads it, or a check that goes on.
IN_C = {"ref": "path", "out": "path", "decoded": "by_nvdec", "pending_hints": None, "last": None}
IN_PYTHON = {"tile": "worst", "missing": "kind", "pending_hints": None, "last": None}
STRUCTS = {"light": "light_share", "coded": "coded", "range": "data_range", "diff": "diff", "learned": "learned_excess"}
bad = 0


def expect(good, what):
    global bad
    if not good:
        bad += 1
        print(f"[FAIL] record_fields::{what}")


def resolve(node):
    while "$ref" in node:
        node = SCHEMA["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return node


def in_schema(path):
    node = {"$ref": "#/$defs/frame"}
    for name in path:
        node = resolve(node).get("properties", {}).get(name)
        if node is None:
            return False
    return True


def fields_of(struct):
    body = re.search(rf"^struct ssimcu_{struct}: .*\n((?:  .*\n)*)", ABI + "\n", re.M)[1]
    return set(re.findall(r"^  (\w+):", body, re.M))


def in_struct(path):
    name = IN_C.get(path[0], path[0])
    inner = [part for part in path[1:] if part not in SIDES]
    return name is None or (name in fields_of("record") | fields_of("scored")
                            and all(part in fields_of(STRUCTS[path[0]]) for part in inner))


def attributes():
    tree = ast.parse((ROOT / "lib/python/ssimcu/_run.py").read_text())
    record = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Record")
    return {node.target.id for node in record.body if isinstance(node, ast.AnnAssign)}


def documented():
    """The words in italics of all manual pages."""
    pages = [page.read_text() for page in sorted((ROOT / "cli").glob("*.[15]"))]
    lines = [line for page in pages for line in page.splitlines() if re.match(r"\.(I|IR|RI|BI|IB) ", line)]
    return set(re.findall(r"\w+", " ".join(lines))) if pages else set()


rows = [line.split("\t") for line in subprocess.check_output([sys.argv[1]], text=True).splitlines()]
words, names, columns = documented(), attributes(), []
for fact, csv, reason in rows:
    path = fact.split(".")
    expect(in_schema(path), f"{fact} is not in docs/results.schema.json")
    expect(all(part in words for part in path), f"{fact} is in no manual page")
    expect(in_struct(path), f"{fact} is not in ssimcu_record")
    attribute = IN_PYTHON.get(path[0], path[0])
    expect(attribute is None or attribute in names, f"{fact} is no attribute of Python's Record")
    expect(csv or reason, f"{fact} has neither columns nor a reason for none")
    columns += csv.split(",") if csv else []
expect(len(columns) == len(set(columns)), "two columns of CSV have one name")
told = {fact.split(".")[0] for fact, _, _ in rows}
for name in resolve({"$ref": "#/$defs/frame"})["properties"]:
    expect(name in told or name == "type", f"{name} of docs/results.schema.json has no row")
expect(len(rows) >= 36, "the table has lost rows")
if not bad:
    print(f"[PASS] facts: {len(rows)} facts, {len(columns)} columns")
sys.exit(bad != 0)
