#!/usr/bin/env python3
"""fit.py [--steps N] [--gaussians N] [--size N] [--device cpu|cuda] [--output FILE]: fits Gaussians in the plane to a photo of
testdata by 0.8 L1 + 0.2 (1 - SSIM), once with ssimcu.torch and once with autograd in float64. It writes both curves of the
loss as CSV. They agree as far as float32 does: the same small steps, and sums in another order."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import ssimcu
import torch
import torch.nn.functional as functional

PHOTO = Path(__file__).resolve().parents[2] / "testdata/dandelion-ref.png"


def target_of(size: int, device: str) -> torch.Tensor:
    """A crop of the photo, made smaller: 1 x 3 x size x size from 0 to 1."""
    photo = torch.from_numpy(ssimcu.read(PHOTO)).permute(2, 0, 1)[None, :, 200:1800, 1200:2800]
    return functional.interpolate(photo.float() / 255, (size, size), mode="area").to(device)


class Gaussians(torch.nn.Module):
    """Spots with a place, a size, an angle and a colour, which are added up."""

    def __init__(self, count: int, device: str) -> None:
        super().__init__()
        rng = torch.Generator().manual_seed(5)
        start = torch.rand(count, 8, generator=rng, dtype=torch.float64)
        start[:, 2:4] = -2.2 + 0.5 * start[:, 2:4]  # logarithms of sizes
        start[:, 4] *= 3.14159
        start[:, 5:] *= 0.3
        self.spots = torch.nn.Parameter(start.to(device))

    def forward(self, size: int) -> torch.Tensor:
        line = (torch.arange(size, device=self.spots.device, dtype=self.spots.dtype) + 0.5) / size
        x, y, wide, high, angle = (part[:, None, None] for part in self.spots[:, :5].unbind(1))
        across, down = line[None, None, :] - x, line[None, :, None] - y
        u = (across * angle.cos() + down * angle.sin()) / wide.exp()
        v = (down * angle.cos() - across * angle.sin()) / high.exp()
        return torch.einsum("nhw,nc->chw", torch.exp(-0.5 * (u * u + v * v)), self.spots[:, 5:])[None]


def blur(x: torch.Tensor) -> torch.Tensor:
    at = torch.arange(-5, 6, dtype=x.dtype, device=x.device)
    line = torch.exp(-(at**2) / 4.5)
    line = (line / line.sum()).repeat(3, 1)
    x = functional.conv2d(x, line[:, None, :, None], padding=(5, 0), groups=3)
    return functional.conv2d(x, line[:, None, None, :], padding=(0, 5), groups=3)


def loss_of_torch(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    a, b = blur(x), blur(y)
    aa, bb, ab = blur(x * x) - a * a, blur(y * y) - b * b, blur(x * y) - a * b
    score = (2 * a * b + 1e-4) * (2 * ab + 9e-4) / ((a * a + b * b + 1e-4) * (aa + bb + 9e-4))
    return 0.8 * (x - y).abs().mean() + 0.2 * (1 - score.mean())


def train(way: str, steps: int, gaussians: int, size: int, device: str) -> list[float]:
    """Returns the loss of each step. The picture is drawn in float64 by both, so that the loss alone differs."""
    import ssimcu.torch

    target, model = target_of(size, device), Gaussians(gaussians, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    curve = []
    for _ in range(steps):
        optimizer.zero_grad()
        drawn = model(size)
        if way == "ssimcu":
            loss = ssimcu.torch.l1_ssim(drawn.float(), target)
        else:
            loss = loss_of_torch(drawn, target.double())
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    return curve


def main() -> int:
    parser = argparse.ArgumentParser(description="Fits Gaussians to a photo with two losses.")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--gaussians", type=int, default=300)
    parser.add_argument("--size", type=int, default=96)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--output", type=Path, default=Path("fit.csv"))
    given = parser.parse_args()
    curves = {}
    for way in ("ssimcu", "float64"):
        start = time.perf_counter()
        curves[way] = train(way, given.steps, given.gaussians, given.size, given.device)
        print(f"{way:8} {time.perf_counter() - start:6.1f} s, {curves[way][0]:.6f} -> {curves[way][-1]:.6f}")
    rows = zip(curves["ssimcu"], curves["float64"])
    text = "".join(f"{step},{ours:.9g},{exact:.9g}\n" for step, (ours, exact) in enumerate(rows))
    given.output.write_text("step,ssimcu,float64\n" + text)
    apart = max(abs(ours - exact) for ours, exact in zip(*curves.values()))
    print(f"apart by {apart:.2e} at most, both curves in {given.output}")
    return 0 if apart < 1e-2 else 1


if __name__ == "__main__":
    sys.exit(main())
