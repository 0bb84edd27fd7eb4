"""The loss in float64, which the CPU alone has: by torch.autograd.gradcheck, and to the last digits of float64 autograd."""

from __future__ import annotations

import pytest
import ssimcu
from torch_model import DEVICES, SHAPE, exact, pair, torch

import ssimcu.torch as loss

DOUBLE = torch.float64
SMALL = (2, 2, 12, 13)


def wide_pair(shape=SMALL) -> list[torch.Tensor]:
    out, ref = pair("cpu", shape, DOUBLE)
    return [out.detach().requires_grad_(), ref.requires_grad_()]


def soft_mask(shape=SMALL) -> torch.Tensor:
    mask = torch.rand(shape[0], 1, *shape[-2:], dtype=DOUBLE, generator=torch.Generator().manual_seed(4))
    mask[:, :, :2, :3] = 0
    return mask


@pytest.mark.parametrize("padding", ["same", "valid"])
def test_gradcheck(padding) -> None:
    """By both sides at once, several images and channels."""
    hole = soft_mask()
    hole[1, 0, 0, :2] = 0  # leaves windows whole in VALID, too
    hole[0] = 1
    for call in (
        lambda x, y: loss.l1_ssim(x, y, 0.3, padding=padding, data_range=2),
        lambda x, y: loss.ssim_loss(x, y, padding=padding),
        lambda x, y: loss.fused_ssim(x, y, padding),
        lambda x, y: loss.l1_ssim(x, y, 0.3, hole, "zero", padding),
        lambda x, y: loss.l1_ssim(x, y, 0.3, hole, "mean", padding),
        lambda x, y: loss.l1_ssim(x, y, 0.7, hole, "inside", padding),
    ):
        assert torch.autograd.gradcheck(call, wide_pair())


def test_gradcheck_of_ssim() -> None:
    module = loss.SSIM(data_range=1)
    for call in (module, lambda x, y: loss.ssim(x, y, 1, size_average=False)):
        assert torch.autograd.gradcheck(call, wide_pair())


def test_gradcheck_of_one_side() -> None:
    out, ref = wide_pair((3, 11, 14))
    assert torch.autograd.gradcheck(lambda x: loss.l1_ssim(x, ref.detach()), (out,))
    assert torch.autograd.gradcheck(lambda y: loss.l1_ssim(out.detach(), y), (ref,))


@pytest.mark.parametrize("rule", ["none", "zero", "mean", "inside"])
@pytest.mark.parametrize("padding", ["same", "valid"])
def test_digits(padding, rule) -> None:
    for shape in (SHAPE, (5, 30, 20), (1, 1, 140, 90), (2, 6, 15, 70)):
        mask = None if rule == "none" else torch.ones(shape[-2:], dtype=DOUBLE)
        if mask is not None:
            mask[3:9, -4:] = 0
        given = (0.4, mask, rule if mask is not None else "zero", padding)
        out, ref = wide_pair(shape)
        value = loss.l1_ssim(out, ref, *given)
        value.backward()
        for own, other in ((out, ref), (ref, out)):
            wanted, by = exact(own, other, 0.4, padding, mask, given[2])
            assert value.dtype == own.grad.dtype == DOUBLE
            assert abs(float(value.detach() - wanted)) < 1e-14
            assert float((own.grad - by).abs().max() / by.abs().max()) < 1e-12


def test_beside_other_types() -> None:
    """A side of float64 makes the loss float64, and each gradient has the type of its side."""
    out, ref = wide_pair(SHAPE)
    bytes_of = (ref.detach() * 255).round().to(torch.uint8)
    for other in (bytes_of, ref.detach().float(), ref.detach().half()):
        value = loss.l1_ssim(out, other)
        (by,) = torch.autograd.grad(value, out)
        white = 255.0 if other.dtype == torch.uint8 else 1.0
        wanted, gradient = exact(out, other.double() / white, 0.2)
        assert abs(float(value.detach() - wanted)) < 1e-14
        assert float((by - gradient).abs().max() / gradient.abs().max()) < 1e-12
    single = ref.detach().float().requires_grad_()
    value = loss.l1_ssim(out, single, mask=torch.ones(SHAPE[-2:]))
    first, second = torch.autograd.grad(value * (1 / 3), (out, single))
    assert value.dtype == first.dtype == DOUBLE and second.dtype == torch.float32
    gradient = exact(single, out, 0.2)[1] / 3
    assert float((second - gradient).abs().max() / gradient.abs().max()) < 1e-6
    narrow = loss.l1_ssim(single, out.detach().float(), mask=torch.ones(SHAPE[-2:], dtype=DOUBLE))
    assert narrow.dtype == torch.float32 and abs(float(narrow.detach() - value.detach())) < 1e-6


def test_layouts() -> None:
    whole = torch.rand(2, 4, 60, 70, dtype=DOUBLE)
    for x in (
        whole[:, :3].contiguous(memory_format=torch.channels_last),
        whole[:, 1:, 5:50, 3:60],
        whole[:, :3, ::2, ::2],
        torch.rand(40, 50, 3, dtype=DOUBLE).permute(2, 0, 1),
        torch.rand(2, 30, 20, 12, dtype=DOUBLE).permute(0, 3, 1, 2),  # farther apart than a view has pixels
    ):
        leaf = x.detach().requires_grad_()
        ref = (x * 0.8 + 0.1).flip(-1)
        loss.l1_ssim(leaf, ref).backward()
        gradient = exact(leaf, ref, 0.2)[1]
        assert float((leaf.grad - gradient).abs().max() / gradient.abs().max()) < 1e-12


@pytest.mark.skipif(not loss._OPERATOR, reason="before torch 2.4 there is no operator")
def test_operator() -> None:
    out, ref = wide_pair(SHAPE)
    for given in (
        (out, ref, soft_mask(SHAPE), 1, 0.2, 0.8, 1, 1.0, False, 0, True, True),
        (out, ref.detach().float(), None, 0, -1.0, 0.0, 0, 1.0, True, 1, True, False),
    ):
        torch.library.opcheck(torch.ops.ssimcu.loss.default, given)
    torch._dynamo.reset()
    compiled = torch.compile(loss.l1_ssim, fullgraph=True, backend="aot_eager")
    values = [call(out, ref) for call in (loss.l1_ssim, compiled)]
    gradients = [torch.autograd.grad(value, (out, ref)) for value in values]
    assert torch.equal(*values) and all(torch.allclose(*sides, rtol=1e-14) for sides in zip(*gradients))


def test_refused_on_a_gpu() -> None:
    if "cuda" not in DEVICES:
        pytest.skip("no GPU")
    out, ref = (side.cuda() for side in wide_pair(SHAPE))
    with pytest.raises(ssimcu.Error, match=r"pred: float64 on cuda:0, of which the CPU alone has a loss: give pred.float\(\)"):
        loss.l1_ssim(out, ref)
    with pytest.raises(ssimcu.Error, match="mask: float64"):
        loss.l1_ssim(out.float(), ref.float(), mask=soft_mask(SHAPE).cuda())
