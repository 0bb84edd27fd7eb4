"""What the tests of the package share."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
pytest_plugins = ("pytester",)


def pytest_terminal_summary(terminalreporter) -> None:
    """Prints what script/test counts: each test that failed or was skipped, and how many passed. A file that was skipped
    as a whole counts with each of its tests."""
    stats = terminalreporter.stats
    terminalreporter.ensure_newline()
    for report in stats.get("skipped", []):
        path, _, name = report.nodeid.partition("::")
        names = [name] if name else re.findall(r"^def (test_\w+)", (terminalreporter.config.rootpath / path).read_text(), re.M)
        reason = report.longrepr[2].partition("Skipped: ")[2] if isinstance(report.longrepr, tuple) else report.longrepr
        for each in names:
            terminalreporter.write_line(f"[SKIP] python::{Path(path).name}::{each.replace(' ', '_')} {reason}")
    for report in stats.get("failed", []) + stats.get("error", []):
        terminalreporter.write_line(f"[FAIL] python::{report.nodeid.replace(' ', '_')}")
    terminalreporter.write_line(f"python tests: {len(stats.get('passed', []))} passed")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def photo() -> tuple[np.ndarray, np.ndarray]:
    """Two crops, of the photo and of its JPEG."""
    import ssimcu

    ref = ssimcu.read(ROOT / "testdata/dandelion-ref.png")
    out = ssimcu.read(ROOT / "testdata/dandelion-jpeg-q50.jpg")
    return ref[800:1160, 1200:1840].copy(), out[800:1160, 1200:1840].copy()
