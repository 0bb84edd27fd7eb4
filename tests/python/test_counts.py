"""What the suite prints for script/test: each test that failed or was skipped, and how many passed."""

from __future__ import annotations

import sys

import pytest

TESTS = """
import needed
import pytest

def test_first(): pass
@pytest.mark.parametrize("n", [1, 2])
def test_passes(n): pass
def test_fails(): assert 0
@pytest.fixture
def broken(): raise ValueError
def test_error(broken): pass
@pytest.mark.skip(reason="not today")
def test_marked(): pass
def test_lacks(monkeypatch):
    monkeypatch.setattr(needed.need, "is_there", lambda name: name != "torch")
    needed.module("json")
    needed.module("torch.nn")
"""
FILE = """
import needed
needed.need.is_there = lambda name: False
torch = needed.module("torch")
def test_one(): pass
@torch.no_grad()
def test_two(): pass
"""


@pytest.mark.parametrize("required, last", [
    ("", "[SKIP] python::test_lacks.py::test_two there is no torch"),
    ("zsh torch", "[FAIL] python::test_lacks.py"),
])
def test_each_test_counts(root, pytester, monkeypatch, required: str, last: str) -> None:
    monkeypatch.setenv("SSIMCU_REQUIRE", required)
    monkeypatch.setenv("PYTHONPATH", ":".join([str(root / "tests/python"), *filter(None, sys.path)]))
    pytester.makeconftest((root / "tests/python/conftest.py").read_text())
    pytester.makepyfile(test_all=TESTS, test_lacks=FILE)
    lines = pytester.runpytest_subprocess("-q", "--continue-on-collection-errors").stdout.lines
    lacks = "[FAIL] python::test_all.py::test_lacks" if required else "[SKIP] python::test_all.py::test_lacks there is no torch"
    counted = [line for line in lines if line.startswith(("[SKIP]", "[FAIL]", "python tests"))]
    wanted = ["[SKIP] python::test_all.py::test_marked not today", "[FAIL] python::test_all.py::test_fails",
              "[FAIL] python::test_all.py::test_error", lacks, last, "python tests: 3 passed"]
    if not required:
        wanted.append("[SKIP] python::test_lacks.py::test_one there is no torch")
    assert sorted(counted) == sorted(wanted)
    assert not required or "torch is required (SSIMCU_REQUIRE), but it is not here" in lines


def test_unknown_names_fail(root, pytester, monkeypatch) -> None:
    monkeypatch.setenv("SSIMCU_REQUIRE", "zsh tourch")
    monkeypatch.setenv("PYTHONPATH", ":".join([str(root / "tests/python"), *filter(None, sys.path)]))
    pytester.makepyfile(test_all=TESTS)
    run = pytester.runpytest_subprocess()
    assert run.ret and "[FAIL] SSIMCU_REQUIRE: no test needs tourch" in run.stdout.str()
