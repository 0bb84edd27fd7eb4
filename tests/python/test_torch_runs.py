"""The loss under what torch does with a function: compile, checkpoints, DDP, CUDA graphs, a training."""

from __future__ import annotations

import threading

import pytest
from torch_model import DEVICES, SHAPE, close, each_device, exact, pair, torch

import ssimcu.torch as loss

needs_operator = pytest.mark.skipif(not loss._OPERATOR, reason="before torch 2.4 there is no operator")


@each_device
@needs_operator
def test_operator(device) -> None:
    out, ref = pair(device)
    mask = torch.ones(1, 1, *SHAPE[-2:], device=device)
    both = out, ref.clone().requires_grad_()
    half = [side.detach().half() for side in both]
    tests = ["test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"]
    for given in (
        (out, ref, None, 1, 0.2, 0.8, 0, 1.0, False, 0, True, False),
        (*both, mask, 0, 1.0, 0.0, 1, 1.0, False, 0, True, True),
        (*both, None, 0, -1.0, 0.0, 0, 1.0, True, 1, True, True),
        (half[0].requires_grad_(), half[1], None, 1, 0.2, 0.8, 0, 1.0, False, 0, True, False),
        (out.detach(), ref, None, 1, 0.2, 0.8, 0, 1.0, False, 0, False, False),
    ):
        torch.library.opcheck(torch.ops.ssimcu.loss.default, given, test_utils=tests)


@each_device
@needs_operator
@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(device, dynamic) -> None:
    torch._dynamo.reset()
    out, ref = pair(device)
    mask = torch.ones(SHAPE[-2:], device=device)
    compiler = "inductor" if device == "cuda" else "aot_eager"

    def step(x, y):
        x = x * 1.5
        first = loss.l1_ssim(x, y, mask=mask, mask_rule="mean") + loss.fused_ssim(x, y)
        return first + loss.ssim(x, y, 1, size_average=False).sum() + loss.SSIM(1)(x, y)

    compiled = torch.compile(step, fullgraph=True, backend=compiler, dynamic=dynamic)
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            values = [work(out, ref) for work in (step, compiled)]
        assert torch.allclose(*values) and values[1].requires_grad == grad
        if grad:
            gradients = [torch.autograd.grad(value, out)[0] for value in values]
            assert torch.allclose(*gradients, rtol=1e-5, atol=1e-9)


@each_device
def test_checkpoint(device) -> None:
    out, ref = pair(device)
    wanted = torch.autograd.grad(loss.l1_ssim(out * 0.9, ref), out)[0]
    for reentrant in (False, True):
        value = torch.utils.checkpoint.checkpoint(
            lambda x: loss.l1_ssim(x * 0.9, ref), out, use_reentrant=reentrant
        )
        assert torch.equal(torch.autograd.grad(value, out)[0] if not reentrant else wanted, wanted)
        if reentrant:
            out.grad = None
            value.backward()
            assert torch.equal(out.grad, wanted)


def test_ddp(tmp_path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("a torch without torch.distributed")
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/meet", rank=0, world_size=1)
    try:
        torch.manual_seed(2)
        plain = torch.nn.Conv2d(3, 3, 3, padding=1)
        wrapped = torch.nn.parallel.DistributedDataParallel(plain)
        image, ref = (side.detach() for side in pair("cpu"))
        loss.l1_ssim(wrapped(image), ref).backward()
        found = plain.weight.grad.clone()
        plain.zero_grad()
        loss.l1_ssim(plain(image), ref).backward()
        assert torch.allclose(found, plain.weight.grad)
    finally:
        torch.distributed.destroy_process_group()


@each_device
def test_threads(device) -> None:
    out, ref = pair(device)
    wanted = torch.autograd.grad(loss.l1_ssim(out, ref), out)[0]
    right = []

    def work() -> None:
        for _ in range(20):
            mine = out.detach().clone().requires_grad_()
            loss.l1_ssim(mine, ref).backward()
            right.append(torch.equal(mine.grad, wanted))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(right) == 80 and all(right)


def test_cuda_graph() -> None:
    if "cuda" not in DEVICES:
        pytest.skip("no GPU")
    out, ref = (side.detach() for side in pair("cuda"))
    out.requires_grad_()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            out.grad = None
            loss.l1_ssim(out, ref).backward()
    torch.cuda.current_stream().wait_stream(side)
    out.grad = None
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        value = loss.l1_ssim(out, ref)
        value.backward()
    ref.copy_(torch.rand_like(ref))
    graph.replay()
    close(value, out.grad, exact(out, ref, 0.2))


def test_fit(root) -> None:
    """A small training ends where that with float64 autograd does."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("fit", root / "bench/loss/fit.py")
    fit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fit)
    ours, exactly = (fit.train(way, steps=25, gaussians=60, size=48, device="cpu") for way in ("ssimcu", "float64"))
    assert exactly[-1] < 0.8 * exactly[0]
    assert max(abs(a - b) for a, b in zip(ours, exactly)) < 1e-3
