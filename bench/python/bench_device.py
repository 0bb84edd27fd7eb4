#!/usr/bin/env python3
"""bench_device.py REF OUT: times the package on a GPU with a pair of torch's tensors, beside other packages on the same tensors,
and what its calls take above those of the C library. Prints Markdown. A package that is not there is left out.

All calls of a table take turns. A call ends with the score on the host, by the clock of the host. Before each one, 256 MB are
overwritten, so that no samples are left in the L2 cache. The packages of torch get float32 of 1 x 3 x H x W in 0..1, and are held
against ssimcu on the CPU before they are timed; the window is the Gaussian of 11 x 11 everywhere.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import statistics
import sys
import time
from typing import Any, Callable

import bench_python
import numpy as np
import ssimcu
import torch
from ssimcu import _arrays, _c, _cuda, _library

ROUNDS, HOST_ROUNDS, CALLS = 50, 3, 1000
Work = Callable[[], Any]


def timed(work: Work, before: Work = lambda: None) -> float:
    before()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def turns(works: dict[str, Work], rounds: int, before: Work) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(timed(work, before))
    return times


def peers(a: Any, b: Any) -> dict[str, Work]:
    """Returns what to call, by the package's name and version."""

    def torchmetrics(module: Any) -> Work:
        function = importlib.import_module("torchmetrics.functional.image")
        compute = function.structural_similarity_index_measure
        return lambda: compute(b, a, data_range=1.0)

    makers: dict[str, Callable[[Any], Work]] = {
        "torchmetrics": torchmetrics,
        "piq": lambda m: lambda: m.ssim(b, a, data_range=1.0, downsample=False),
        "pytorch_msssim": lambda m: lambda: m.ssim(b, a, data_range=1.0),
        "kornia": lambda m: lambda: m.metrics.ssim(a, b, 11, padding="valid").mean(),
        "fused_ssim": lambda m: lambda: m.fused_ssim(b, a, padding="valid", train=False),
        "fussim": lambda m: lambda: m.fused_ssim(b, a, padding="valid", train=False),
    }
    found: dict[str, Work] = {}
    for name, make in makers.items():
        try:
            work = make(importlib.import_module(name))
            work()
        except Exception as error:  # whatever a package that does not run here raises
            print(f"{name}: left out: {str(error).splitlines()[0][:200]}", file=sys.stderr)
            continue
        found[f"{name} {importlib.metadata.version(name)}"] = lambda work=work: work().item()
    return found


def on_host(ref: Any, out: Any) -> dict[str, Work]:
    """Returns ssimcu and scikit-image on the CPU, with the bytes in host memory."""
    found: dict[str, Work] = {
        f"ssimcu {ssimcu.__version__}, u8 HWC, CPU": lambda: ssimcu.compare(ref, out).score
    }
    try:
        module = importlib.import_module("skimage")
        name = f"scikit-image {importlib.metadata.version('scikit-image')}, u8 HWC, CPU"
        found[name] = bench_python._skimage(module, ref, out)
    except ImportError as error:
        print(f"scikit-image: left out: {error}", file=sys.stderr)
    return found


def table(pairs: dict[str, tuple[Any, Any]], wanted: float, flush: Work) -> None:
    works: dict[str, Work] = {}
    for kind in ("u8 HWC", "f32 CHW"):  # a thread keeps requests for four kinds of pairs
        a, b = pairs[kind]
        for tile in (64, None):
            name = f"ssimcu {ssimcu.__version__}, {kind}" + ("" if tile else ", tile=None")
            works[name] = lambda a=a, b=b, tile=tile: ssimcu.compare(a, b, tile=tile).score
    best = f"ssimcu {ssimcu.__version__}, f32 CHW, tile=None"
    works.update(peers(*(side[None] for side in pairs["f32 CHW"])))
    host = on_host(*(side.cpu().numpy() for side in pairs["u8 HWC"]))
    scores = {name: work() for name, work in {**works, **host}.items()}
    times = {**turns(works, ROUNDS, flush), **turns(host, HOST_ROUNDS, flush)}
    base = statistics.median(times[best])
    print("\n| package, 3840x2160 | ms | least to most | times ssimcu's | score | off by |")
    print("|---|---|---|---|---|---|")
    for name, passed in times.items():
        middle = statistics.median(passed)
        span = f"{min(passed) * 1e3:.2f} to {max(passed) * 1e3:.2f}"
        row = f"{middle * 1e3:.3f} | {span} | {middle / base:.1f} | {scores[name]:.9f}"
        print(f"| {name} | {row} | {abs(scores[name] - wanted):.1e} |")


def calls_of(request: ssimcu.Request, a: Any, b: Any) -> tuple[Work, Work]:
    """Returns the C calls that submit() and result() make, with their arguments ready."""
    stream = torch.cuda.current_stream().cuda_stream
    line = _cuda.Stream(stream)
    pair, _, _ = request._pair(*(_arrays.samples(side, "", line) for side in (a, b)))
    why, score = _library.Message(), _c.Score(ctypes.sizeof(_c.Score))
    library, tiles = _library.core(), request._tiles
    views = [ctypes.byref(view) for view in pair]
    if tiles:
        grid = request._grid()
        tiles.data = ctypes.cast(grid, ctypes.POINTER(ctypes.c_double))
        calls_of.kept = grid  # type: ignore[attr-defined]

    def submit() -> None:
        status = library.ssimcu_request_submit(request._handle, *views, stream, why)
        assert status == 0, why.value

    def result() -> None:
        place = tiles and ctypes.byref(tiles)
        status = library.ssimcu_request_score(request._handle, 0, ctypes.byref(score), place, why)
        assert status == 0, why.value

    return submit, result


def overhead(pairs: dict[str, tuple[Any, Any]]) -> None:
    print("\n| 3840x2160 | submit: C, us | Request, us | more | with the score: C, us |", end="")
    print(" Request, us | more | compare, us | more |\n|---|---|---|---|---|---|---|---|---|")
    for kind, (a, b) in pairs.items():
        request = ssimcu.Request(a, b)
        submit, result = calls_of(request, a, b)
        rows = []
        for _ in range(CALLS):
            row = [timed(submit), timed(result)]
            row += [timed(lambda: request.submit(a, b)), timed(request.result)]
            rows.append(row + [timed(lambda: ssimcu.compare(a, b))])
        c, c_rest, ours, rest, whole = (np.array(column) * 1e6 for column in zip(*rows))
        medians = [c, ours, ours - c, c + c_rest, ours + rest, ours + rest - c - c_rest]
        medians += [whole, whole - c - c_rest]
        print(f"| {kind} | " + " | ".join(f"{np.median(column):.1f}" for column in medians) + " |")


def rates(pairs: dict[str, tuple[Any, Any]]) -> None:
    print("\n| 3840x2160, eight requests on one stream | pairs/s | with tile=None |\n|---|---|---|")
    for kind, (a, b) in pairs.items():
        row = []
        for tile in (64, None):
            requests = [ssimcu.Request(a, b, tile=tile) for _ in range(8)]
            passed = []
            for _ in range(25):
                start = time.perf_counter()
                for request in requests:
                    request.submit(a, b)
                for request in requests:
                    request.result()
                passed.append(time.perf_counter() - start)
            row.append(f"{8 / statistics.median(passed):.0f}")
        print(f"| {kind} | {row[0]} | {row[1]} |")


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ref, out = (torch.from_numpy(ssimcu.read(path)) for path in sys.argv[1:])
    print(
        ssimcu.devices()[1].name, "; Python", sys.version.split()[0], "; torch", torch.__version__
    )
    planes = [(side.permute(2, 0, 1).contiguous().float() / 255) for side in (ref, out)]
    pairs = {"u8 HWC": (ref.cuda(), out.cuda()), "f32 CHW": tuple(s.cuda() for s in planes)}
    for kind, type_ in (("f16", torch.float16), ("bf16", torch.bfloat16)):
        pairs[f"{kind} CHW"] = tuple(side.to(type_).cuda() for side in planes)
    scratch = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")

    def flush() -> None:
        scratch.fill_(1)
        torch.cuda.synchronize()

    overhead(pairs)
    rates(pairs)
    table(pairs, ssimcu.compare(*(side.numpy() for side in planes)).score, flush)


if __name__ == "__main__":
    main()
