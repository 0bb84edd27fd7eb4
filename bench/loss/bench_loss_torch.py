#!/usr/bin/env python3
"""bench_loss_torch.py [--runs N] [--check]: times a step of training's loss, forward and backward through autograd, beside what
others do on the same tensors. Prints Markdown. A package that is not there is left out.

All losses of a row are held against float64 first, each by the padding that it has. `--check` ends there. A step is the loss of two
pictures in 0..1 and its gradient by the first. Events of CUDA stand around it, L2 is overwritten before it, and the step is queued by
then, as in a loop that the GPU holds up. The last column but one is where Python holds it up: what a step of 64 x 64 pixels takes.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import sys
import time
from pathlib import Path
from typing import Callable

import torch
import torch.nn.functional as F
from ssimcu.torch import fused_ssim, l1_ssim

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from torch_timer import Timer

WEIGHT = 0.2  # of SSIM beside L1, as 3D Gaussian splatting has it
C1, C2 = 0.01**2, 0.03**2
SIZES = {"4K": (1, 3, 2160, 3840), "1080p": (1, 3, 1080, 1920), "1297 x 840": (1, 3, 840, 1297), "8 x 1080p": (8, 3, 1080, 1920)}
LOSS_LIMIT, GRADIENT_LIMIT = 2e-6, 1e-5
FILLS = 12  # of 256 MB before a step: about a millisecond, which Python needs less of
PEER_LIMIT = 1e-3  # of others: floats without an origin
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def window(like: torch.Tensor) -> torch.Tensor:
    weights = torch.exp(-((torch.arange(11, dtype=torch.float64, device=like.device) - 5) ** 2) / (2 * 1.5**2))
    return (weights / weights.sum()).to(like.dtype)


def conv_ssim(x: torch.Tensor, y: torch.Tensor, padding: int) -> torch.Tensor:
    """The mean of SSIM by grouped convolutions, as pytorch-msssim makes it."""
    g, channels = window(x), x.shape[1]
    down, across = (g.view(1, 1, *shape).expand(channels, 1, *shape) for shape in ((11, 1), (1, 11)))

    def mean(v: torch.Tensor) -> torch.Tensor:
        v = F.conv2d(v, across, padding=(0, padding), groups=channels)
        return F.conv2d(v, down, padding=(padding, 0), groups=channels)

    a, b = mean(x), mean(y)
    contrast = (2 * (mean(x * y) - a * b) + C2) / (mean(x * x) - a * a + mean(y * y) - b * b + C2)
    return ((2 * a * b + C1) / (a * a + b * b + C1) * contrast).mean()


def with_l1(ssim: Loss) -> Loss:
    return lambda x, y: (1 - WEIGHT) * (x - y).abs().mean() + WEIGHT * (1 - ssim(x, y))


def peers() -> dict[str, Loss]:
    """Returns means of SSIM with padding by zeros, by the package's name."""
    found: dict[str, Loss] = {"conv2d": lambda x, y: conv_ssim(x, y, 5)}
    for name in ("fused_ssim", "fussim"):
        try:
            module = importlib.import_module(name)
            module.fused_ssim(torch.rand(1, 3, 32, 32, device="cuda"), torch.rand(1, 3, 32, 32, device="cuda"))
            found[name] = module.fused_ssim
        except Exception as error:  # what is there may refuse this torch
            print(f"{name}: left out: {str(error).splitlines()[0]}", file=sys.stderr)
    return found


def step(loss: Loss, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.grad = None
    value = loss(x, y)
    value.backward()
    return value.detach()


def check(name: str, loss: Loss, exact: Loss, x: torch.Tensor, y: torch.Tensor, limits: tuple[float, float]) -> None:
    wide = x.detach().double().requires_grad_()
    white = 255.0 if y.dtype == torch.uint8 else 1.0
    floats = torch.div(y.float(), torch.full_like(x, white, dtype=torch.float32))  # rounded: |d| has its kinks there
    want = step(exact, wide, floats.detach().double())
    got = step(loss, x, y)
    error = abs(got.double() - want).item()
    slope = ((x.grad.double() - wide.grad).abs().max() / wide.grad.abs().max()).item()
    if not (error <= limits[0] and slope <= limits[1]):
        sys.exit(f"{name}: loss off by {error:.1e}, gradient by {slope:.1e} of the largest")


def losses(found: dict[str, Loss]) -> dict[str, tuple[Loss, Loss, str, bool]]:
    """Returns by name: the loss, the same in float64, the type of x and y, whether it is ours."""

    def exact(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return conv_ssim(x, y, 5)

    def ours_l1(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return l1_ssim(x, y, weight=WEIGHT)

    def square(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (x - y).square().mean()

    def lost(ssim: Loss) -> Loss:
        return lambda x, y: 1 - ssim(x, y)

    exact_l1 = with_l1(exact)
    rows: dict[str, tuple[Loss, Loss, str, bool]] = {
        "ssimcu, SSIM": (lost(fused_ssim), lost(exact), "f32", True),
        "ssimcu, SSIM + L1": (ours_l1, exact_l1, "f32", True),
        "ssimcu, SSIM + L1, target of bytes": (ours_l1, exact_l1, "u8", True),
        "ssimcu, SSIM + L1, f16": (ours_l1, exact_l1, "f16", True),
    }
    rows["torch: (x - y).square().mean()"] = (square, square, "f32", True)
    for name, ssim in found.items():
        rows[f"{name}, SSIM"] = (lost(ssim), lost(exact), "f32", False)
        rows[f"{name}, SSIM + L1"] = (with_l1(ssim), exact_l1, "f32", False)
    return rows


def tensors(shape: tuple[int, ...], kind: str, device: str = "cuda") -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.rand(shape, device=device)
    y = (x + 0.1 * torch.randn_like(x)).clamp(0, 1)
    if kind == "u8":
        return x.requires_grad_(), (y * 255).round().byte()
    dtype = torch.float16 if kind == "f16" else torch.float32
    return x.to(dtype).requires_grad_(), y.to(dtype)


def limits(kind: str, ours: bool) -> tuple[float, float]:
    if kind == "f16":
        return (LOSS_LIMIT, 1.0)  # elements of a gradient of large frames are rounded to 0
    return (LOSS_LIMIT, GRADIENT_LIMIT) if ours else (PEER_LIMIT, PEER_LIMIT)


def host_time(loss: Loss, kind: str, steps: int) -> float:
    """Returns us of a step that is too small to keep a GPU busy."""
    x, y = tensors((1, 3, 64, 64), kind)
    times = []
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(steps):
            step(loss, x, y)
        times.append(1e6 * (time.perf_counter() - start) / steps)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rows, timer = losses(peers()), Timer(options.runs, FILLS)
    if not options.check:
        print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {datetime.date.today()}, median (least) us of {options.runs}\n")
        heads = ["loss and gradient", *SIZES, "Python, 64 x 64", "memory beside the tensors at 4K, MB"]
        print(f"| {' | '.join(heads)} |\n|" + "---|" * len(heads))
    for name, (loss, exact, kind, ours) in rows.items():
        cells, memory = [], 0.0
        for size, shape in SIZES.items():
            x, y = tensors(shape, kind)
            check(f"{name}, {size}", loss, exact, x, y, limits(kind, ours))
            if options.check:
                continue
            torch.cuda.empty_cache()
            x.grad = None
            before = torch.cuda.memory_allocated()
            torch.cuda.reset_peak_memory_stats()
            step(loss, x, y)
            if size == "4K":
                memory = (torch.cuda.max_memory_allocated() - before) / 1e6
            median, least, _ = timer.measure(0, lambda: step(loss, x, y))
            cells.append(f"{median:.0f} ({least:.0f})")
        if not options.check:
            cells.append(f"{host_time(loss, kind, 10 * options.runs):.0f}")
            print(f"| {name} | " + " | ".join(cells) + f" | {memory:.0f} |", flush=True)
    print(f"check: {len(rows) * len(SIZES)} passed, 0 wrong", file=sys.stderr)


if __name__ == "__main__":
    main()
