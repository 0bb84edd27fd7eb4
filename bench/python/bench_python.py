#!/usr/bin/env python3
"""bench_python.py REF OUT: times ssimcu.compare on a pair beside other packages on the same arrays, in turns, and what a
call takes above the call of the C library. Prints Markdown. A package that is not there is left out.

All get what they like best: scikit-image and OpenCV the bytes, packages of torch float32 of 1 x 3 x H x W that lie ready. The
window is the Gaussian of 11 x 11 everywhere, so the scores agree, but for torchmetrics, which counts other windows at the border.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import statistics
import sys
import time
from typing import Any, Callable

import numpy as np
import ssimcu
from ssimcu import _arrays, _c, _context, _library, _score, _views

ROUNDS, CALLS = 5, 5000


def timed(work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    work()
    return clock() - start


def peers(ref: Any, out: Any) -> dict[str, Callable[[], float]]:
    """Returns what to call, by the package's name and version."""
    found: dict[str, Callable[[], float]] = {}
    cores = os.cpu_count()
    found[f"ssimcu {ssimcu.__version__}, {cores} threads"] = lambda: ssimcu.compare(ref, out).score
    found["ssimcu, 1 thread"] = lambda: ssimcu.compare(ref, out, threads=1).score
    for name, make in (
        ("skimage", _skimage),
        ("cv2", _opencv),
        ("torchmetrics", _torchmetrics),
        ("piq", _piq),
        ("pytorch_msssim", _msssim),
    ):
        try:
            module = importlib.import_module(name)
            work = make(module, ref, out)
        except (ImportError, AttributeError) as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        version = importlib.import_module("importlib.metadata").version
        label = {"skimage": "scikit-image", "cv2": "opencv-contrib-python-headless"}.get(name, name)
        found[f"{label} {version(label)}"] = work
    return found


def _skimage(module: Any, ref: Any, out: Any) -> Callable[[], float]:
    from skimage.metrics import structural_similarity

    options = dict(
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        data_range=255,
        channel_axis=2,
    )
    return lambda: float(structural_similarity(ref, out, **options))


def _opencv(module: Any, ref: Any, out: Any) -> Callable[[], float]:
    compute = module.quality.QualitySSIM_compute
    return lambda: float(np.mean(compute(ref, out)[0][:3]))


def _tensors(ref: Any, out: Any) -> tuple[Any, Any]:
    import torch

    pair = (
        torch.from_numpy(side.transpose(2, 0, 1).copy())[None].float() / 255 for side in (ref, out)
    )
    return tuple(pair)  # type: ignore[return-value]


def _torchmetrics(module: Any, ref: Any, out: Any) -> Callable[[], float]:
    from torchmetrics.functional.image import structural_similarity_index_measure

    a, b = _tensors(ref, out)
    return lambda: float(structural_similarity_index_measure(b, a, data_range=1.0))


def _piq(module: Any, ref: Any, out: Any) -> Callable[[], float]:
    a, b = _tensors(ref, out)
    return lambda: float(module.ssim(b, a, data_range=1.0, downsample=False))


def _msssim(module: Any, ref: Any, out: Any) -> Callable[[], float]:
    a, b = _tensors(ref, out)
    return lambda: float(module.ssim(b, a, data_range=1.0))


def table(ref: Any, out: Any) -> None:
    works = peers(ref, out)
    times: dict[str, list[float]] = {name: [] for name in works}
    scores = {name: work() for name, work in works.items()}
    for _ in range(ROUNDS):
        for name, work in works.items():
            times[name].append(timed(work))
    best = statistics.median(next(iter(times.values())))
    print(
        f"\n| {ref.shape[1]}x{ref.shape[0]} | ms | least to most | times ssimcu's | score |\n|---|---|---|---|---|"
    )
    for name, passed in times.items():
        middle = statistics.median(passed)
        span = f"{min(passed) * 1e3:.0f} to {max(passed) * 1e3:.0f}"
        print(
            f"| {name} | {middle * 1e3:.1f} | {span} | {middle / best:.1f} | {scores[name]:.9f} |"
        )


def call_of(ref: Any, out: Any) -> tuple[Any, tuple[Any, ...]]:
    """Returns the C function that compare() calls, and its arguments: one thread, with tiles."""
    context = _context.context(
        _context.options_of(("ssim",), "valid", "rgb", "worst", None, 1, None)[0]
    )
    views = [
        _views.views(_arrays.samples(side, ""), None, 0, "", "cpu")[0][0] for side in (ref, out)
    ]
    tiles, score, why = _score.grid_of(64), _c.Score(ctypes.sizeof(_c.Score)), _library.Message()
    assert tiles
    library = _library.core()
    a, b = (ctypes.byref(view) for view in views)
    _library.check(library.ssimcu_views_layout(context.handle, a, b, None, tiles, why), why)
    grid = (ctypes.c_double * tiles.columns * tiles.rows)()
    tiles.data = ctypes.cast(grid, ctypes.POINTER(ctypes.c_double))
    arguments = (context.handle, a, b, ctypes.byref(score), None, ctypes.byref(tiles), why)
    arguments[0].kept = views, grid  # they live as long as the arguments
    return library.ssimcu_compare_views, arguments


def overhead(ref: Any, out: Any, stubbed: bool) -> None:
    """Times compare() and the C call alone, in turns, by the thread's clock. A 4K pair takes too long for a difference
    of microseconds to be seen. There a C function that does nothing (sched_yield) takes the place of the scoring, in both."""
    function, arguments = call_of(ref, out)
    library = _library.core()
    if stubbed:
        stub = ctypes.CDLL(None).sched_yield
        stub.restype, stub.argtypes = function.restype, function.argtypes
        library.ssimcu_compare_views = stub
    called = library.ssimcu_compare_views
    pairs = []
    for _ in range(CALLS):
        alone = timed(lambda: called(*arguments), time.thread_time)
        pairs.append((alone, timed(lambda: ssimcu.compare(ref, out, threads=1), time.thread_time)))
    library.ssimcu_compare_views = function
    alone, whole = (statistics.median(column) * 1e6 for column in zip(*pairs))
    apart = statistics.median(w - c for c, w in pairs) * 1e6
    name = f"{ref.shape[1]}x{ref.shape[0]}" + (", without the scoring" if stubbed else "")
    print(f"| {name} | {alone:.1f} | {whole:.1f} | {apart:.1f} |")


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ref, out = (ssimcu.read(path) for path in sys.argv[1:])
    print(ssimcu.devices()[0].name, "; Python", sys.version.split()[0], "; numpy", np.__version__)
    print("\n| pair | C call, us | compare, us | median difference, us |\n|---|---|---|---|")
    for side in (16, 64, 256):
        overhead(ref[:side, :side].copy(), out[:side, :side].copy(), False)
    overhead(ref, out, True)
    table(ref, out)


if __name__ == "__main__":
    main()
