"""Modules and programs that a test needs: without them it is skipped, or fails if SSIMCU_REQUIRE has their name."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import need


def named(name: str, why: str = "") -> None:
    """Skips or fails the test, or all of a file, where `name` of needs.txt is missing."""
    if need.is_there(name):
        return
    if need.missing(name):
        pytest.fail(need.missing(name), pytrace=False)
    pytest.skip(why or f"there is no {name}", allow_module_level=True)


def module(name: str) -> ModuleType:
    """The module, which may be a part of one."""
    named(name.partition(".")[0])
    return pytest.importorskip(name)
