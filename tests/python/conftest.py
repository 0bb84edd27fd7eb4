"""What the tests of the package share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
pytest_plugins = ("pytester",)


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
