#!/usr/bin/env python3
"""device.py: the package on a GPU: tensors of every type against the CPU, the order of work on streams, what a submission
waits for and allocates, threads, fork. Exit code 77: no GPU. It needs no other package.

The work before a submission takes long and writes the right pictures at its end; the work behind overwrites them at once.
So a submission that does not wait for what is before it, or lets what is behind it run first, gives another score. That
this test would see it is tried as well: a submission on another stream must give another score."""

from __future__ import annotations

import os
import random
import sys
import threading
import time

import ssimcu
from ssimcu import _cuda
from tensors import Dlpack, Driver, Interface, encode, on_host

HEIGHT, WIDTH = 720, 1280
SHAPES = {"HWC": (HEIGHT, WIDTH, 3), "CHW": (3, HEIGHT, WIDTH), "NCHW": (2, 3, HEIGHT // 2, WIDTH)}
COARSE = bytes(v & 0xF0 for v in range(256))
GIB = 1 << 30


def pictures(seed: int = 1) -> tuple[bytes, bytes]:
    rng = random.Random(seed)
    smooth = bytes((x * 255 // WIDTH + y // 3) & 255 for y in range(HEIGHT) for x in range(WIDTH))
    ref = b"".join(smooth[k:] + smooth[:k] for k in rng.sample(range(WIDTH), 3))
    out = bytearray(ref.translate(COARSE))
    out[5000:400000] = rng.randbytes(395000)
    return ref, bytes(out)


def expect(what: str, holds: bool, note: object = "") -> None:
    print(f"{'ok  ' if holds else 'FAIL'} {what} {note}", flush=True)
    if not holds:
        expect.failed += 1  # type: ignore[attr-defined]


expect.failed = 0  # type: ignore[attr-defined]


def error_of(work) -> str:
    try:
        work()
    except ssimcu.Error as error:
        return f"{error.status}: {error}"
    return "none"


def check_types(driver: Driver, ref: bytes, out: bytes) -> None:
    for kind in ("u8", "u16", "f16", "f32", "bf16"):
        for layout, shape in SHAPES.items():
            data = [encode(side, kind) for side in (ref, out)]
            places = [driver.alloc(len(side)) for side in data]
            for place, side in zip(places, data):
                driver.upload(place, side)
            host = ssimcu.compare(*(on_host(side, shape, kind) for side in data), layout=layout)
            device = ssimcu.compare(*(Dlpack(p, shape, kind) for p in places), layout=layout)
            same = (
                abs(device.score - host.score) < 1e-6
                and abs(device.worst.score - host.worst.score) < 1e-5
            )
            same = same and len(device.pairs) == len(host.pairs) and device.copied == ()
            expect(
                f"{kind} {layout}",
                same and device.device == "cuda:0",
                f"{device.score:.9f} {host.score:.9f}",
            )
            if kind == "f32":
                mapped = ssimcu.compare(
                    *(Dlpack(p, shape, kind) for p in places), layout=layout, map=True
                )
                first = (mapped.pairs or (mapped,))[0].map
                theirs = (
                    ssimcu.compare(
                        *(on_host(s, shape, kind) for s in data), layout=layout, map=True
                    ).pairs
                    or (
                        ssimcu.compare(
                            *(on_host(s, shape, kind) for s in data), layout=layout, map=True
                        ),
                    )
                )[0].map
                apart = max(
                    abs(first[c, y, x] - theirs[c, y, x])
                    for c in range(3)
                    for y in range(0, 300, 37)
                    for x in range(0, 1200, 91)
                )
                expect(f"{kind} {layout} map", apart < 5e-5, apart)
            for place in places:
                driver.free(place)


class Scene:
    """A pair on the device that is written late and overwritten early."""

    def __init__(self, driver: Driver, ref: bytes, out: bytes) -> None:
        self.driver, self.size = driver, len(ref)
        self.source = [driver.alloc(self.size) for _ in "ab"]
        self.place = [driver.alloc(self.size) for _ in "ab"]
        for place, side in zip(self.source, (ref, out)):
            driver.upload(place, side)
        self.scratch = driver.alloc(GIB)
        self.shape = SHAPES["HWC"]
        self.wanted = ssimcu.compare(*(Dlpack(p, self.shape, "u8") for p in self.source)).score

    def prepare(self, stream: int, other: int | None = None) -> None:
        """Queues much work, then the writing of the pair (of OUT on another stream, if there is one)."""
        for place in self.place:
            self.driver.fill(place, self.size, 77, stream)
        self.driver.wait(stream)
        for line in {stream, stream if other is None else other}:
            for _ in range(150):
                self.driver.fill(self.scratch, GIB, 1, line)
        self.driver.copy(self.place[0], self.source[0], self.size, stream)
        self.driver.copy(
            self.place[1], self.source[1], self.size, stream if other is None else other
        )

    def overwrite(self, stream: int) -> None:
        self.driver.fill(self.place[0], self.size, 0, stream)


def submit(scene: Scene, request, ref, out, line: int, behind: int, **given):
    """Submits; returns the score, microseconds, whether it was ready at once, and bytes that it allocated."""
    free = scene.driver.free_bytes()
    start = time.perf_counter()
    request.submit(ref, out, **given)
    passed = time.perf_counter() - start
    ready = request.ready()
    allocated = free - scene.driver.free_bytes()
    scene.overwrite(behind)
    score = request.result().score
    scene.driver.wait(line)
    return score, passed * 1e6, ready, allocated


def check_order(driver: Driver, scene: Scene) -> None:
    stream, other = driver.stream(), driver.stream()
    place, shape = scene.place, scene.shape
    plain = [Dlpack(p, shape, "u8") for p in place]
    request = ssimcu.Request(*plain)
    ways = {
        "a stream that is given": (plain, dict(stream=stream)),
        "the stream of the array interface": (
            [Interface(p, shape, "u8", stream) for p in place],
            {},
        ),
    }
    for name, (pair, given) in ways.items():
        scene.prepare(stream)
        score, us, ready, allocated = submit(scene, request, *pair, stream, stream, **given)
        note = f"{score:.9f}, {us:.0f} us, ready {ready}, allocated {allocated}"
        expect(
            f"order: {name}",
            score == scene.wanted and not ready and allocated == 0 and us < 5000,
            note,
        )
    expect(
        "DLPack is told the stream",
        all(side.asked[-1] == stream for side in plain),
        [p.asked for p in plain],
    )
    scene.prepare(stream)
    score = submit(scene, request, *plain, stream, stream, stream=other)[0]
    expect("this test sees a missing dependency", score != scene.wanted, f"{score:.9f}")
    scene.prepare(stream, other)
    pair = [Interface(place[0], shape, "u8", stream), Interface(place[1], shape, "u8", other)]
    score, us, ready, _ = submit(scene, request, *pair, stream, stream)
    expect(
        "order: OUT on another stream",
        score == scene.wanted and not ready and us < 5000,
        f"{score:.9f}, {us:.0f} us",
    )
    follow, _cuda.Stream.follow = _cuda.Stream.follow, lambda self, other: None
    scene.prepare(stream, other)
    score = submit(scene, request, *pair, stream, stream)[0]
    driver.wait(other)
    _cuda.Stream.follow = follow
    expect("this test sees a missing event", score != scene.wanted, f"{score:.9f}")
    scene.prepare(stream)
    result = ssimcu.compare(
        *(Interface(p, shape, "u8", stream) for p in place), map=True, metric=("ssim", "psnr")
    )
    expect(
        "compare waits for the stream",
        abs(result.score - scene.wanted) < 1e-6 and result.map is not None,
        result,
    )
    request.close()


def check_errors(scene: Scene, ref: bytes) -> None:
    a, shape = scene.source[0], scene.shape
    tensor, host = Dlpack(a, shape, "u8"), on_host(ref, shape, "u8")
    steps = (WIDTH * 3, 3, 1)
    cases = {
        "mismatch": lambda: ssimcu.compare(tensor, host),
        "unsupported: out: its pixels lie 3840 bytes apart": lambda: ssimcu.compare(
            tensor, Dlpack(a, (WIDTH, HEIGHT, 3), "u8", strides=(3, WIDTH * 3, 1)), layout="HWC"
        ),
        "unsupported: out: its rows overlap": lambda: ssimcu.compare(
            tensor, Dlpack(a, shape, "u8", strides=(0, 3, 1))
        ),
        "unsupported: ref: samples of type <V2": lambda: ssimcu.compare(
            Interface(a, (100, 100), "bf16"), Interface(a, (100, 100), "bf16")
        ),
        "mismatch: device is 'cpu'": lambda: ssimcu.compare(tensor, tensor, device="cpu"),
        "too small": lambda: ssimcu.compare(Dlpack(a, (10, 10), "u8"), Dlpack(a, (10, 10), "u8")),
        "device": lambda: ssimcu.Request(host, host),
    }
    for says, work in cases.items():
        found = error_of(work)
        expect(f"error: {says}", found.startswith(says), found)
    request = ssimcu.Request(tensor, tensor)
    expect(
        "error: not submitted",
        error_of(request.result).startswith("argument"),
        error_of(request.result),
    )
    small = Dlpack(a, (100, 100, 3), "u8")
    found = error_of(lambda: request.submit(small, small))
    expect("error: another shape", found.startswith("argument"), found)
    same = Dlpack(a, shape, "u8", strides=steps)
    expect("identical is 1", ssimcu.compare(tensor, same).score == 1)


def check_threads_and_fork(driver: Driver, scene: Scene) -> None:
    wrong = []

    def work() -> None:
        driver("cuCtxSetCurrent", driver.context)
        stream = driver.stream()
        pair = [Dlpack(p, scene.shape, "u8") for p in scene.source]
        with ssimcu.Request(*pair) as request:
            for _ in range(50):
                request.submit(*pair, stream=stream)
                wrong.append(request.result().score != scene.wanted)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    expect("four threads", len(wrong) == 200 and not any(wrong))
    pair = [Dlpack(p, scene.shape, "u8") for p in scene.source]
    child = os.fork()
    if child == 0:
        host = on_host(bytes(300 * 300), (300, 300), "u8")
        found = error_of(lambda: ssimcu.compare(*pair))
        os._exit(0 if found.startswith("device") and ssimcu.compare(host, host).score == 1 else 1)
    expect("a child of fork: an error on the GPU, a score on the CPU", os.waitpid(child, 0)[1] == 0)
    expect("the parent goes on", ssimcu.compare(*pair).score == scene.wanted)


def check_permute(driver: Driver, scene: Scene, ref: bytes) -> None:
    to, stream = driver.alloc(scene.size), driver.stream()
    driver.fill(to, scene.size, 0, stream)
    source, out = Dlpack(scene.source[0], scene.shape, "u8"), Dlpack(to, SHAPES["CHW"], "u8")
    ssimcu.permute(source, (2, 0, 1), out=out, stream=stream)
    driver.wait(stream)
    expect("permute", driver.download(to, scene.size) == b"".join(ref[c::3] for c in range(3)))


def main() -> int:
    if len(ssimcu.devices()) < 2:
        print("device: no GPU, skipped")
        return 77
    driver = Driver()
    print(ssimcu.devices()[1], "Python", sys.version.split()[0])
    ref, out = pictures()
    scene = Scene(driver, ref, out)
    check_types(driver, ref, out)
    check_order(driver, scene)
    check_errors(scene, ref)
    check_permute(driver, scene, ref)
    check_threads_and_fork(driver, scene)
    return 1 if expect.failed else 0


if __name__ == "__main__":
    sys.exit(main())
