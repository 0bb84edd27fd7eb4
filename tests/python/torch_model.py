"""The loss by its definition in float64 autograd, which the tests of `ssimcu.torch` hold it against, and the pairs that they take."""

from __future__ import annotations

import needed
import pytest
import ssimcu

torch = needed.module("torch")
from torch.nn import functional  # noqa: E402

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() and len(ssimcu.devices()) > 1 else [])
SHAPE = (2, 3, 29, 41)
each_device = pytest.mark.parametrize("device", DEVICES)


def pair(device: str, shape=SHAPE, dtype=torch.float32) -> list[torch.Tensor]:
    rng = torch.Generator().manual_seed(sum(shape))
    ref = torch.rand(shape, generator=rng)
    out = (0.7 * ref + 0.3 * torch.rand(shape, generator=rng)).to(device, dtype)
    return [out.requires_grad_(), ref.to(device, dtype)]


def windows(x: torch.Tensor, pad: int) -> torch.Tensor:
    at = torch.arange(-5, 6, dtype=torch.float64, device=x.device)
    line = torch.exp(-(at**2) / (2 * 1.5**2))
    line = (line / line.sum()).to(x.dtype)
    channels = x.shape[1]
    x = functional.conv2d(x, line.view(1, 1, -1, 1).repeat(channels, 1, 1, 1), padding=(pad, 0), groups=channels)
    return functional.conv2d(x, line.view(1, 1, 1, -1).repeat(channels, 1, 1, 1), padding=(0, pad), groups=channels)


def ssim_map(x: torch.Tensor, y: torch.Tensor, pad: int) -> torch.Tensor:
    a, b = windows(x, pad), windows(y, pad)
    aa, bb, ab = windows(x * x, pad) - a * a, windows(y * y, pad) - b * b, windows(x * y, pad) - a * b
    return (2 * a * b + 1e-4) * (2 * ab + 9e-4) / ((a * a + b * b + 1e-4) * (aa + bb + 9e-4))


def weighted(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    weight = weight.expand_as(x)
    total = weight.sum()
    return (x * weight).sum() / (total if total > 0 else 1)


def model(out, ref, weight: float, padding: str = "same", mask=None, rule: str = "zero") -> torch.Tensor:
    """The loss by its definition, of float64 from 0 to 1."""
    pad = 5 if padding == "same" else 0
    if out.dim() == 3:
        out, ref = out[None], ref[None]
    if mask is not None:
        mask = mask.double().reshape(-1, 1, *out.shape[-2:])
        if rule == "zero":
            out, ref = out * mask, ref * mask
    score, far = ssim_map(out, ref, pad), (out - ref).abs()
    if mask is None or rule == "zero":
        return (1 - weight) * far.mean() + weight * (1 - score.mean())
    if rule == "mean":
        centres = mask if pad else mask[..., 5:-5, 5:-5]
        return (1 - weight) * weighted(far, mask) + weight * weighted(1 - score, centres)
    inside = (mask != 0).double()
    whole = -functional.max_pool2d(-inside, 11, 1, pad)  # what is outside of the frame counts as inside
    return (1 - weight) * weighted(far, inside) + weight * weighted(1 - score, whole)


def exact(out, ref, *given, **more) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss and the gradient of OUT."""
    out = out.detach().double().requires_grad_()
    value = model(out, ref.detach().double(), *given, **more)
    return value.detach(), torch.autograd.grad(value, out)[0]


def close(value, gradient, wanted, share: float = 1e-5) -> None:
    assert abs(float(value.detach()) - float(wanted[0])) < 2e-6
    far = (gradient.double() - wanted[1]).abs().max() / wanted[1].abs().max()
    assert far < share, float(far)
