"""Random calls of the loss for torch against autograd in float64, and a climb from the worst of them. SSIMCU_SEARCH is the number of
calls; 300 and more have frames up to 4K. `-s` shows how many there were and the worst."""

from __future__ import annotations

import math
import os
import random
from typing import NamedTuple

from torch_model import each_device, model, torch

import ssimcu.torch as loss

CASES = int(os.environ.get("SSIMCU_SEARCH", "40"))
LIMITS = {"cpu": (2e-7, 2e-7), "cuda": (1e-6, 1e-5)}  # of the loss; of the gradient, as a part of its largest element
TYPES = [torch.float32, torch.float16, torch.bfloat16, torch.uint8]
ROUNDING = {torch.float32: 2**-23, torch.float16: 2**-11, torch.bfloat16: 2**-8}
LARGE = [(2160, 3840), (1080, 1920), (840, 1297), (4096, 33), (17, 7680)]


class Case(NamedTuple):
    shape: tuple[int, int, int, int]
    types: tuple[torch.dtype, torch.dtype]
    layouts: tuple[str, str]
    rule: str  # "": no mask
    mask_type: torch.dtype
    padding: str
    weight: float
    white: float
    wants: tuple[bool, bool]
    content: str
    level: float
    noise: float
    seed: int


def draw(rng: random.Random, number: int) -> Case:
    height, width = (int(11 * 20 ** rng.random() ** 2) for _ in range(2))
    frames, channels = rng.choice([1, 1, 2, 3]), rng.choice([1, 2, 3, 3, 4, 6])
    if CASES >= 300 and number % 12 == 0:
        (height, width), frames, channels = LARGE[number // 12 % len(LARGE)], 1, 1
    types = (rng.choice(TYPES[:3]), rng.choice(TYPES))
    layouts = rng.choices(["dense", "channels_last", "slice", "HWC", "every second"], k=2)
    white = rng.choice([1.0, 255.0, 0.7]) if torch.uint8 not in types else rng.choice([1.0, 255.0])
    return Case(
        (frames, channels, height, width),
        types,
        (layouts[0], layouts[1]),
        rng.choice(["", "zero", "mean", "inside"]),
        rng.choice([torch.bool, torch.uint8, torch.float32, torch.float16]),
        rng.choice(["same", "valid"]),
        rng.choice([0.0, 0.2, 1.0, rng.random()]),
        white,
        rng.choice([(True, False), (True, types[1] != torch.uint8)]),
        rng.choice(["noise", "waves", "flat", "opposite", "blocks", "shifted", "alike"]),
        rng.random(),
        10 ** -rng.uniform(0.3, 5),
        rng.randrange(1 << 30),
    )


def contents(case: Case, rng: torch.Generator) -> list[torch.Tensor]:
    """Two pictures from 0 to 1, in float64."""
    shape, double = case.shape, torch.float64
    noise = [case.noise * (torch.rand(shape, dtype=double, generator=rng) - 0.5) for _ in range(2)]
    across = torch.arange(shape[-1], dtype=double)
    down = torch.arange(shape[-2], dtype=double)[:, None]
    if case.content == "noise":
        return [torch.rand(shape, dtype=double, generator=rng) for _ in range(2)]
    if case.content == "opposite":
        return [(case.level + sign * noise[0]).clamp(0, 1) for sign in (1, -1)]
    base = torch.full(shape, case.level, dtype=double)
    if case.content == "waves":
        base = base * (0.5 + 0.4 * torch.sin(across * case.level) * torch.cos(0.3 * down))
    if case.content in ("blocks", "shifted"):
        base = base * (0.2 + 0.8 * (((across // 9) + (down // 7)) % 2))
    other = base * 0.6 + 0.3 if case.content == "shifted" else base
    if case.content == "shifted":
        return [base, other]  # flat parts of the other in another light
    return [(side + own).clamp(0, 1) for side, own in zip((base, other), noise)]


def lay_out(x: torch.Tensor, layout: str) -> torch.Tensor:
    """Returns the same samples elsewhere in memory."""
    if layout == "channels_last":
        return x.contiguous(memory_format=torch.channels_last)
    if layout == "HWC":
        return x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
    frames, channels, height, width = x.shape
    if layout == "slice":
        made = torch.zeros(frames, channels + 1, height + 3, width + 5, dtype=x.dtype, device=x.device)[:, 1:, 2:-1, 4:-1]
    elif layout == "every second":
        made = torch.zeros(frames, channels, height, 2 * width, dtype=x.dtype, device=x.device)[..., ::2]
    else:
        return x
    made.copy_(x)
    return made


def sides_of(case: Case, device: str) -> list[torch.Tensor]:
    rng = torch.Generator().manual_seed(case.seed)
    made = []
    for k, x in enumerate(contents(case, rng)):
        byte = case.types[k] == torch.uint8
        x = (x * 255).round() if byte else x * case.white
        x = lay_out(x.to(device, case.types[k]), case.layouts[k])
        made.append(x.detach().requires_grad_(case.wants[k]))
    return made


def mask_of(case: Case, device: str) -> torch.Tensor | None:
    if not case.rule:
        return None
    height, width = case.shape[-2:]
    mask = torch.ones(height, width)
    mask[height // 3 : height // 2, : width // 4] = 0
    if case.mask_type != torch.bool:
        mask[height // 2 :, width // 2 :] = 0.75
    mask = mask * (255 if case.mask_type == torch.uint8 else 1)
    return mask.to(device, case.mask_type)


def error_of(case: Case, device: str) -> tuple[float, float]:
    """How far the loss is off, and the gradient before it is rounded, as a part of its largest element."""
    sides, mask = sides_of(case, device), mask_of(case, device)
    value = loss.l1_ssim(*sides, case.weight, mask, case.rule or "zero", case.padding, case.white)
    wide = []
    for side in sides:
        white = 255.0 if side.dtype == torch.uint8 else case.white
        wide.append((side.detach().double() / white).requires_grad_(side.requires_grad))
    part = None if mask is None else mask.double() / (255 if mask.dtype == torch.uint8 else 1)
    exact = model(*wide, case.weight, case.padding, part, case.rule or "zero")
    own = [k for k in range(2) if case.wants[k]]
    wanted = torch.autograd.grad(exact, [wide[k] for k in own])
    if torch.equal(*wide):  # ours is 0 exactly, and the model's are its rounding
        wanted = [torch.zeros_like(by) for by in wanted]
    largest = max(float(by.abs().max()) for by in wanted)
    factor = 2.0 ** -math.frexp(largest)[1] if largest else 1.0  # halves have digits then
    got = torch.autograd.grad(value * (factor * case.white), [sides[k] for k in own])
    kink = (wide[0] - wide[1]).abs().detach() < 1e-6 if case.types[0] != case.types[1] else None
    worst = 0.0
    for k, by, theirs in zip(own, got, wanted):
        far = (by.double() / factor - theirs).abs() - theirs.abs() * ROUNDING[case.types[k]]
        far = far if kink is None else far.masked_fill(kink, 0)
        most = float(far.max()) / (largest or 1)
        worst = most if not most <= worst else worst  # NaN is the worst
    # A GPU has samples as floats, whose rounding is a part of what they differ by.
    floats = 0.0 if device == "cpu" or case.content == "noise" else 1e-7 / case.noise
    return abs(float(value.detach().double() - exact.detach())), worst - floats


def climb(rng: random.Random, device: str, case: Case, steps: int) -> tuple[float, Case]:
    """Goes on from a case to others like it while the gradient errs more."""
    worst = error_of(case, device)[1]
    for _ in range(steps):
        moved = case._replace(
            level=min(1.0, max(0.0, case.level + rng.gauss(0, 0.1))),
            noise=min(1.0, case.noise * 2 ** rng.gauss(0, 1)),
            seed=rng.randrange(1 << 30),
        )
        error = error_of(moved, device)[1]
        if error > worst:
            worst, case = error, moved
    return worst, case


@each_device
def test_random(device) -> None:
    rng = random.Random(60)
    cases = [draw(rng, number) for number in range(CASES)]
    errors = [error_of(case, device) for case in cases]
    by_loss, by_gradient = (max(range(CASES), key=lambda n, k=k: errors[n][k]) for k in (0, 1))
    small = [n for n in range(CASES) if math.prod(cases[n].shape) < 1 << 16]
    starts = sorted(small, key=lambda n: errors[n][1])[-3:]
    climbed, worst = max((climb(rng, device, cases[n], CASES // 3) for n in starts), key=lambda pair: pair[0])
    print(f"{device}, {CASES} calls: loss off by {errors[by_loss][0]:.1e}, gradient by {errors[by_gradient][1]:.1e}")
    print(f"  {cases[by_gradient]}\n  after a climb of {3 * (CASES // 3)} steps: {climbed:.1e}\n  {worst}")
    assert errors[by_loss][0] <= LIMITS[device][0], cases[by_loss]
    assert errors[by_gradient][1] <= LIMITS[device][1], cases[by_gradient]
    assert climbed <= LIMITS[device][1], worst
