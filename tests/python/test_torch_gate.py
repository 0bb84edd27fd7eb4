"""What the gate of the loss and of compare() lets through: memory that has a tensor's values, and options that are numbers."""

from __future__ import annotations

import numpy as np
import pytest
import ssimcu
from torch_model import DEVICES, SHAPE, close, each_device, exact, pair, torch

import ssimcu.torch as loss
from ssimcu import _loss

CALLS = {
    "img1 img2": loss.fused_ssim,
    "pred target": loss.l1_ssim,
    "pred target ": loss.ssim_loss,
    "X Y": loss.ssim,
    "X Y ": loss.SSIM(data_range=1),
}


def hidden(x: torch.Tensor) -> torch.Tensor:
    """The same values, which torch has by negating memory."""
    made = torch.complex(torch.zeros_like(x), -x.detach()).conj().imag
    assert made.is_neg() and torch.equal(made, x)
    return made


@each_device
def test_lazy_negation(device) -> None:
    out, ref = pair(device)
    mask = torch.ones(SHAPE[-2:], device=device)
    mask[3:9, 30:] = 0
    wanted = exact(out, ref, 0.2, mask=mask)
    for sides in ((hidden(out), ref), (out, hidden(ref)), (hidden(out), hidden(ref))):
        leaf = sides[0].detach().requires_grad_()
        value = loss.l1_ssim(leaf, sides[1], mask=hidden(mask))
        (by,) = torch.autograd.grad(value, leaf, hidden(torch.tensor(3.0, device=device)))
        close(value, by / 3, wanted)
        with torch.no_grad():
            assert abs(float(loss.l1_ssim(leaf, sides[1], mask=hidden(mask)) - wanted[0])) < 2e-6


def test_compare_of_lazy_negation() -> None:
    ref, out = (side.detach()[0] for side in pair("cpu"))
    wanted = ssimcu.compare(ref, out)
    for a, b, name in ((hidden(ref), out, "ref"), (ref, hidden(out), "out")):
        result = ssimcu.compare(a, b)
        assert result.score == wanted.score and result.copied == (f"{name}: torch negates it when it is read",)
    with pytest.raises(ssimcu.Error, match="below 0"):
        ssimcu.compare(ref, -hidden(ref))


def odd_tensors() -> dict[str, torch.Tensor]:
    plane = torch.rand(3, 20, 30)
    return {
        "layout sparse_coo": plane.to_sparse(),
        "layout mkldnn": plane[None].to_mkldnn(),
        "layout nested": torch.nested.nested_tensor([plane, plane]),
        "meta": plane.to("meta"),
    }


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested")
@pytest.mark.parametrize("kind", odd_tensors())
def test_what_has_no_plain_memory(kind) -> None:
    odd, whole = odd_tensors()[kind], torch.rand(3, 20, 30)
    for names, call in CALLS.items():
        for slot, name in enumerate(names.split()):
            sides = [whole, whole]
            sides[slot] = odd
            with pytest.raises(ssimcu.Error, match=f"{name}: .*{kind}"):
                call(*sides)
    for sides, name in (((odd, whole), "ref"), ((whole, odd), "out")):
        with pytest.raises(ssimcu.Error, match=f"{name}: .*{kind}"):
            ssimcu.compare(*sides)
    if kind == "layout sparse_coo":
        with pytest.raises(ssimcu.Error, match="mask: a tensor of layout sparse_coo"):
            loss.l1_ssim(whole, whole, mask=whole[0].to_sparse())


def test_compare_refuses_what_is_differentiated() -> None:
    x = torch.rand(3, 20, 30)
    with pytest.raises(ssimcu.Error, match="ref: a tensor that requires grad"):
        ssimcu.compare(x.clone().requires_grad_(), x)
    with torch.autograd.forward_ad.dual_level():
        with pytest.raises(ssimcu.Error, match="out: it has a tangent"):
            ssimcu.compare(x, torch.autograd.forward_ad.make_dual(x, x))


class OtherDevice:
    """An array of a device that DLPack does not know."""

    def __dlpack_device__(self):
        raise BufferError("no such device")

    def __dlpack__(self, **_):
        raise AssertionError


def test_other_devices() -> None:
    image = np.zeros((20, 30), np.float32)
    for sides, name in (((OtherDevice(), image), "ref"), ((image, OtherDevice()), "out")):
        with pytest.raises(ssimcu.Error, match=f"{name}: its __dlpack_device__ fails: no such device"):
            ssimcu.compare(*sides)


def test_numbers() -> None:
    """Weights and ranges are numbers, of Python, numpy or torch; one that learns is refused by its name."""
    out, ref = pair("cpu")
    wanted = float(loss.l1_ssim(out, ref, 0.25).detach())
    for weight in (np.float32(0.25), np.array(0.25), torch.tensor(0.25), torch.tensor([0.25])):
        assert float(loss.l1_ssim(out, ref, weight).detach()) == wanted
    learns = torch.nn.Parameter(torch.tensor(0.25))
    for value in ("0.2", None, True, b"1", [0.2, 0.3], torch.rand(2), 1j, learns):
        with pytest.raises(ssimcu.Error, match="weight"):
            loss.l1_ssim(out, ref, value)
        with pytest.raises(ssimcu.Error, match="data_range"):
            loss.l1_ssim(out, ref, data_range=value)
        with pytest.raises(ssimcu.Error, match="data_range"):
            loss.ssim(out, ref, value)
        with pytest.raises(ssimcu.Error, match="data_range"):
            loss.SSIM(value)
    for wrong in (float("nan"), -0.1, 1.1):
        with pytest.raises(ssimcu.Error, match="weight is .*, expected 0 to 1"):
            loss.l1_ssim(out, ref, wrong)
    for transform in (torch.func.grad, lambda f: lambda w: torch.func.jvp(f, (w,), (w,)), torch.func.vmap):
        given = torch.tensor([0.2, 0.3]) if transform is torch.func.vmap else torch.tensor(0.2)
        with pytest.raises(ssimcu.Error, match="weight"):
            transform(lambda w: loss.l1_ssim(ref, ref * 0.5, w))(given)
    with torch.autograd.forward_ad.dual_level():
        with pytest.raises(ssimcu.Error, match="weight: it has a tangent"):
            loss.l1_ssim(out, ref, torch.autograd.forward_ad.make_dual(torch.tensor(0.2), torch.tensor(1.0)))


def test_masks_that_are_differentiated() -> None:
    out, ref = pair("cpu")
    mask = torch.rand(SHAPE[-2:])
    with torch.autograd.forward_ad.dual_level():
        with pytest.raises(ssimcu.Error, match="mask: it has a tangent"):
            loss.l1_ssim(out, ref, mask=torch.autograd.forward_ad.make_dual(mask, mask))
    with pytest.raises(ssimcu.Error, match="mask: it requires a gradient"):
        torch.func.grad(lambda m: loss.l1_ssim(out.detach(), ref, mask=m))(mask)


@each_device
@pytest.mark.parametrize("rule", ["zero", "mean", "inside"])
def test_a_mask_of_bytes_that_is_bool(device, rule) -> None:
    """A GPU is not waited for, so there the loss is NaN. One that is 0, or more than 1 anywhere, is of bytes."""
    out, ref = pair(device)
    for place in ((0, 0), (14, 20), (-1, -1)):
        mask = torch.zeros(SHAPE[-2:], dtype=torch.uint8, device=device)
        assert torch.isfinite(loss.l1_ssim(out, ref, mask=mask, mask_rule=rule))
        mask[place] = 1
        for given in (mask, mask.expand(SHAPE[0], 1, -1, -1)):
            if device == "cpu":
                with pytest.raises(ssimcu.Error, match=r"mask: uint8 from 0 to 1, .*mask.bool\(\)"):
                    loss.l1_ssim(out, ref, mask=given, mask_rule=rule)
            else:
                assert torch.isnan(loss.l1_ssim(out, ref, mask=given, mask_rule=rule))
        assert torch.isfinite(loss.l1_ssim(out, ref, mask=mask.bool(), mask_rule=rule))
        mask[0, 5] = 2
        assert torch.isfinite(loss.l1_ssim(out, ref, mask=mask, mask_rule=rule))


@pytest.mark.skipif(not loss._OPERATOR, reason="before torch 2.4 there is no operator")
def test_a_mask_of_bytes_that_is_bool_compiled() -> None:
    torch._dynamo.reset()
    out, ref = pair("cpu")
    compiled = torch.compile(lambda x, y, m: loss.l1_ssim(x, y, mask=m), backend="aot_eager", fullgraph=True)
    with pytest.raises(ssimcu.Error, match="mask: uint8 from 0 to 1"):
        compiled(out, ref, torch.ones(SHAPE[-2:], dtype=torch.uint8))


@each_device
def test_every_error_has_its_own_text(device) -> None:
    for height, width in ((10, 10), (9, 50), (40, 7), (10, 10), (3, 3)):
        x = torch.rand(1, 3, height, width, device=device)
        with pytest.raises(ssimcu.Error, match=f"^{width}x{height} pixels"):
            loss.ssim(x, x)
    x = torch.rand(1, 3, 20, 20, device=device)
    assert float(loss.ssim(x, x)) == 1


def test_threads_are_looked_at_each_time(monkeypatch) -> None:
    out, ref = pair("cpu")
    made = []
    worker = _loss._Worker
    monkeypatch.setattr(_loss, "_Worker", lambda device, threads: made.append(threads) or worker(device, threads))
    _loss._idle.clear()
    before = torch.get_num_threads()
    try:
        for threads in (2, 1, 3, 1, 2):
            torch.set_num_threads(threads)
            loss.l1_ssim(out, ref).backward()
    finally:
        torch.set_num_threads(before)
    assert made == [2, 1, 3]
    assert DEVICES[0] == "cpu"
