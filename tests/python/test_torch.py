"""The numbers of the loss for torch, and their gradients, against autograd in float64 on the CPU, and on a GPU where there is one."""

from __future__ import annotations

import pytest
import ssimcu
from torch_model import DEVICES, SHAPE, close, each_device, exact, pair, torch, windows

import ssimcu.torch as loss


@each_device
@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("shape", [SHAPE, (1, 11, 11), (1, 1, 64, 80), (2, 4, 30, 20), (3, 2, 12, 150)])
def test_loss(device, padding, shape) -> None:
    out, ref = pair(device, shape)
    for weight in (0.2, 1.0, 0.0):
        out.grad = None
        value = loss.l1_ssim(out, ref, weight, padding=padding)
        value.backward()
        close(value, out.grad, exact(out, ref, weight, padding))
    out.grad = None
    score = loss.fused_ssim(out, ref, padding=padding)
    (1 - score).backward()
    close(1 - score, out.grad, exact(out, ref, 1.0, padding))
    assert float(loss.ssim_loss(out, ref, padding=padding).detach()) == pytest.approx(1 - float(score), abs=1e-6)


@each_device
@pytest.mark.parametrize("rule", ["zero", "mean", "inside"])
@pytest.mark.parametrize("padding", ["same", "valid"])
def test_masks(device, rule, padding) -> None:
    out, ref = pair(device)
    hole = torch.ones(SHAPE[-2:], device=device)
    hole[3:9, 30:] = 0
    soft = torch.rand(2, 1, *SHAPE[-2:], generator=torch.Generator().manual_seed(3)).to(device)
    for mask in (hole, hole.bool(), hole[None], soft, (hole * 255).to(torch.uint8)):
        by = mask.double() / (255 if mask.dtype == torch.uint8 else 1)
        out.grad = None
        value = loss.l1_ssim(out, ref, 0.4, mask, rule, padding)
        value.backward()
        close(value, out.grad, exact(out, ref, 0.4, padding, by, rule))


@each_device
@pytest.mark.parametrize("channels", [5, 8, 24])
def test_many_channels(device, channels) -> None:
    out, ref = pair(device, (2, channels, 20, 30))
    mask = torch.rand(2, 1, 20, 30, device=device)
    for given in ({}, {"mask": mask, "mask_rule": "mean"}, {"mask": mask[:1] > 0.1, "mask_rule": "zero"}):
        out.grad = None
        value = loss.l1_ssim(out, ref, **given)
        value.backward()
        rule = given.get("mask_rule", "zero")
        close(value, out.grad, exact(out, ref, 0.2, mask=given.get("mask"), rule=rule))


def test_strides() -> None:
    """What a view can describe is read where it lies, and the rest as a copy."""
    for device in DEVICES:
        whole = torch.rand(2, 4, 60, 70, device=device)
        for name, x in {
            "channels_last": whole[:, :3].contiguous(memory_format=torch.channels_last),
            "slice": whole[:, 1:, 5:50, 3:60],
            "every second": whole[:, :3, ::2, ::2],
            "HWC": torch.rand(40, 50, 3, device=device).permute(2, 0, 1),
            "turned": whole.transpose(2, 3),
            "expanded": whole[:1, :1].expand(2, 3, 60, 70),
            "planes outside": whole.transpose(0, 1)[:2],
            "many, channels_last": torch.rand(2, 30, 20, 6, device=device).permute(0, 3, 1, 2),
            "many, sliced": torch.rand(2, 9, 30, 20, device=device)[:, 2:8],
        }.items():
            leaf = x.detach().requires_grad_()
            ref = (x * 0.8 + 0.1).flip(-1)
            for given in (leaf, ref), (leaf, ref.contiguous()), (leaf, x * 0.5):
                leaf.grad = None
                value = loss.l1_ssim(*given)
                value.backward()
                close(value, leaf.grad, exact(*given, 0.2))
            assert leaf.grad.shape == x.shape, name


@each_device
def test_types(device) -> None:
    for dtype, share in ((torch.float16, 1e-3), (torch.bfloat16, 5e-3)):
        out, ref = pair(device, dtype=dtype)
        (loss.l1_ssim(out, ref) * 1024).backward()
        value, gradient = exact(out, ref, 0.2)
        assert out.grad.dtype == dtype
        close(loss.l1_ssim(out, ref), out.grad / 1024, (value, gradient), share)
    out, ref = pair(device)
    target = (ref * 255).round().to(torch.uint8)
    value = loss.l1_ssim(out, target)
    value.backward()
    close(value, out.grad, exact(out, target.double() / 255, 0.2))
    out, ref = (side.detach() * 255 for side in pair(device))
    out.requires_grad_()
    value = loss.ssim(out, target)  # from 0 to 255, as the bytes are
    value.backward()
    wanted = exact(out / 255, target.double() / 255, 1.0, "valid")
    close(1 - value, -out.grad * 255, wanted)


@each_device
def test_small_factors_of_halves(device) -> None:
    """A gradient that is no half before it is scaled is one afterwards, which AMP lives of."""
    out, ref = pair(device, (1, 3, 512, 512), torch.float16)
    (loss.l1_ssim(out, ref) * 65536).backward()
    assert (out.grad != 0).float().mean() > 0.99


@each_device
def test_one_value_an_image(device) -> None:
    for shape in (SHAPE, (3, 7, 20, 21)):
        out, ref = pair(device, shape)
        scores = loss.ssim(out, ref, data_range=1, size_average=False)
        assert scores.shape == shape[:1]
        factors = torch.arange(1.0, 1 + shape[0], device=device)
        (scores * factors).sum().backward()
        for n, factor in enumerate(factors):
            value, gradient = exact(out[n], ref[n], 1.0, "valid")
            close(1 - scores[n], -out.grad[n] / factor, (value, gradient))
        out.grad = None
        loss.ssim(out, ref, data_range=1, size_average=False).mean().backward()
        close(torch.tensor(0), -out.grad, (0, exact(out, ref, 1.0, "valid")[1]))
    module = loss.SSIM(data_range=1, channel=3)
    assert float(module(out, ref)) == float(loss.ssim(out, ref, 1))


@each_device
def test_both_sides(device) -> None:
    out, ref = pair(device)
    ref.requires_grad_()
    loss.l1_ssim(out, ref).backward()
    for mine, theirs in ((out, ref), (ref, out)):
        close(loss.l1_ssim(mine, theirs), mine.grad, exact(mine, theirs, 0.2))
    out.grad = ref.grad = None
    loss.ssim_loss(out.detach(), ref).backward()
    close(loss.ssim_loss(out, ref), ref.grad, exact(ref, out, 1.0))


@each_device
def test_backward_twice(device) -> None:
    """The first pass gives its memory away, so the second makes the gradient anew."""
    out, ref = pair(device)
    value = loss.l1_ssim(out, ref) * 3
    first = torch.autograd.grad(value, out, retain_graph=True)[0]
    kept = first.clone()
    second = torch.autograd.grad(value, out, torch.tensor(2.0, device=device), retain_graph=True)[0]
    third = torch.autograd.grad(value, out)[0]
    assert torch.equal(first, kept) and torch.equal(first, third)
    assert torch.allclose(second, 2 * first, rtol=1e-6)
    with pytest.raises(RuntimeError, match="second time"):
        value.backward()
    value = loss.l1_ssim(out, ref)
    (gradient,) = torch.autograd.grad(value, out, create_graph=True)
    with pytest.raises(RuntimeError, match="cannot be differentiated twice"):
        gradient.sum().backward()


@each_device
def test_no_gradient(device) -> None:
    out, ref = pair(device)
    with torch.no_grad():
        assert not loss.l1_ssim(out, ref).requires_grad
    assert not loss.fused_ssim(out, ref, train=False).requires_grad
    assert not loss.l1_ssim(out.detach(), ref).requires_grad
    assert float(loss.fused_ssim(ref, ref)) == 1
    total = loss.fused_ssim(out, ref)
    total += 1  # a loss is no view
    total.backward()
    assert out.grad is not None


def like_fused_ssim(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What the package fused-ssim does, in float32. Returns the mean and which windows pass 1."""
    zero = torch.zeros(())
    a, b = windows(x, 5), windows(y, 5)
    aa, bb = (torch.maximum(windows(v * v, 5) - m * m, zero) for v, m in ((x, a), (y, b)))
    s = (2 * a * b + 1e-4) * (2 * (windows(x * y, 5) - a * b) + 9e-4) / ((a * a + b * b + 1e-4) * (aa + bb + 9e-4))
    return s.clamp(-1, 1).mean(), s > 1


def test_beside_fused_ssim(photo) -> None:
    """Its clamps change nothing until noise is that of its own floats."""
    ref = torch.from_numpy(photo[0]).permute(2, 0, 1)[None, :, :120, :160] / 255
    noise = torch.randn(ref.shape, generator=torch.Generator().manual_seed(2))
    for amount, share, clamped in ((0.1, 2e-4, False), (0.01, 2e-4, False), (0.001, 5e-4, False), (1e-4, 1, True)):
        x = (ref + amount * noise).requires_grad_()
        theirs, over = like_fused_ssim(x, ref)
        ours = loss.fused_ssim(x, ref)
        wanted, got = (torch.autograd.grad(value, x)[0] for value in (theirs, ours))
        assert abs(float(theirs.detach() - ours.detach())) < 5e-6
        far = float((got - wanted).abs().max() / got.abs().max())
        assert bool(over.float().mean() > 0.1) == clamped
        assert far < share and (far > 0.1) == clamped, (amount, far)


def test_refused() -> None:
    out, ref = pair("cpu")
    for says, call in {
        "target: samples of type torch.int32": lambda: loss.l1_ssim(out, ref.int()),
        r"img2: shape \(29, 41\)": lambda: loss.fused_ssim(out, ref[0, 0]),
        r"X has the shape \(2, 3, 29, 41\), and Y \(2, 3, 29, 40\)": lambda: loss.ssim(out, ref[..., 1:]),
        "11": lambda: loss.ssim(out[..., :10], ref[..., :10]),
        "padding is 'reflect', expected one of same, valid": lambda: loss.fused_ssim(out, ref, "reflect"),
        "mask_rule is 'all', expected one of zero, mean, inside": lambda: loss.l1_ssim(out, ref, mask_rule="all"),
        "weight is 2": lambda: loss.l1_ssim(out, ref, 2),
        "data_range is 0": lambda: loss.ssim(out, ref, 0),
        "win_size is 7, expected 11": lambda: loss.ssim(out, ref, win_size=7),
        "win_sigma is 2": lambda: loss.SSIM(win_sigma=2),
        "win is": lambda: loss.ssim(out, ref, win=torch.ones(3, 1, 11)),
        "K is": lambda: loss.ssim(out, ref, K=(0.01, 0.4)),
        "nonnegative_ssim is True": lambda: loss.SSIM(nonnegative_ssim=True),
        "spatial_dims is 3": lambda: loss.SSIM(spatial_dims=3),
        "mask: shape": lambda: loss.l1_ssim(out, ref, mask=ref),
        "mask: it requires": lambda: loss.l1_ssim(out, ref, mask=out[:, :1]),
        "mask: samples of type": lambda: loss.l1_ssim(out, ref, mask=ref[0, 0].long()),
        "img1: on meta": lambda: loss.fused_ssim(out.to("meta"), ref),
    }.items():
        with pytest.raises(ssimcu.Error, match=says):
            call()
    with pytest.raises(TypeError, match="img2 is a list"):
        loss.fused_ssim(out, [1])
    if "cuda" in DEVICES:
        with pytest.raises(ssimcu.Error, match="img1 is on cuda:0, and img2 on cpu"):
            loss.fused_ssim(out.cuda(), ref)
