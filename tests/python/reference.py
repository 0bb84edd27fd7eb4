"""SSIM in float64, as ssimcu.h defines it: what the tests hold the library against."""

from __future__ import annotations

from typing import Any

import numpy as np

_RADIUS = 5
_WEIGHTS = np.exp(-0.5 * (np.arange(-_RADIUS, _RADIUS + 1) / 1.5) ** 2)
_WEIGHTS /= _WEIGHTS.sum()


def _blur(plane: Any) -> Any:
    """The mean under each window that lies inside."""
    height, width = plane.shape
    rows = sum(w * plane[k : height - 10 + k] for k, w in enumerate(_WEIGHTS))
    return sum(w * rows[:, k : width - 10 + k] for k, w in enumerate(_WEIGHTS))


def ssim_map(ref: Any, out: Any, peak: float) -> Any:
    """The map of one channel."""
    x, y = ref.astype(np.float64), out.astype(np.float64)
    c1, c2 = (0.01 * peak) ** 2, (0.03 * peak) ** 2
    mx, my = _blur(x), _blur(y)
    vx, vy, cov = _blur(x * x) - mx * mx, _blur(y * y) - my * my, _blur(x * y) - mx * my
    return (2 * mx * my + c1) * (2 * cov + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2))


def ssim(ref: Any, out: Any, peak: float) -> float:
    """The score of H x W or H x W x C."""
    ref, out = np.atleast_3d(ref), np.atleast_3d(out)
    maps = [ssim_map(ref[..., c], out[..., c], peak).mean() for c in range(ref.shape[2])]
    return float(np.mean(maps))
