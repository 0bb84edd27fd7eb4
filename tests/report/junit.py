#!/usr/bin/env python3
"""junit.py FILE: reads JUnit XML with an XML parser and prints what it says, a line for each thing. Fails if
the counts of the suite are not those of its cases."""
import sys
import xml.etree.ElementTree as ElementTree


def main():
    suites = ElementTree.parse(sys.argv[1]).getroot()
    assert suites.tag == "testsuites" and len(suites) == 1, suites.tag
    suite = suites[0]
    cases = suite.findall("testcase")
    counts = {"tests": len(cases)}
    for kind in ("failure", "error"):
        counts[kind + "s"] = len(suite.findall("testcase/" + kind))
    said = {name: int(suite.get(name)) for name in counts}
    assert said == counts, f"the suite says {said}, its cases are {counts}"
    print(" ".join(f"{count} {name}" for name, count in counts.items()))
    for case in cases:
        children = (f"{child.tag} {child.get('type')}: {child.get('message')}" for child in case)
        print(case.get("name"), *children)
        for child in case:
            for line in (child.text or "").split("\n")[:-1]:
                print("  " + line)


main()
