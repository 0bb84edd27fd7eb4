"""What the package does to its process: memory, threads, fork, imports. And permute() and devices()."""

from __future__ import annotations

import concurrent.futures
import gc
import itertools
import os
import pickle
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
import ssimcu
from ssimcu import _context


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_nothing_leaks(root, photo) -> None:
    path = root / "testdata/dandelion-jpeg-q50.jpg"
    for turn in range(12):
        ssimcu.read(path)
        ssimcu.compare(*photo, map=True, pad=("valid", "zero")[turn % 2])
        ssimcu.permute(photo[0], (2, 0, 1))
        gc.collect()
        if turn == 3:
            before = resident()
    assert resident() - before < 20 << 20  # a picture has 25 MB


def test_a_thousand_calls_take_no_more_memory(tmp_path) -> None:
    ref = np.random.default_rng(1).random((64, 80, 3), np.float32)
    out = np.ascontiguousarray(ref[::-1])
    for turn in range(1200):
        result = ssimcu.compare(ref, out, map=True, threads=1)
        assert pickle.loads(pickle.dumps(result)).score == result.score
        with pytest.raises(ssimcu.Error):
            ssimcu.compare(ref * 2, out, threads=1)
        if turn == 200:
            before = resident()
    assert resident() - before < 4 << 20  # each call has 100 KB of maps


def test_no_call_leaves_work_to_the_collector(photo) -> None:
    """Memory of maps and tiles is free once the result is gone. Only types of arrays, one of each shape, are in cycles."""
    ref, out = (side[:64, :80] for side in photo)
    ssimcu.compare(ref, out, map=True)
    gc.collect()
    gc.disable()
    try:
        for _ in range(100):
            ssimcu.compare(ref, out, map=True)
        assert gc.collect() < 50
    finally:
        gc.enable()


def test_no_framework_is_imported(root) -> None:
    code = """import sys, ssimcu
ssimcu.compare("testdata/dandelion-ref.png", "testdata/dandelion-jpeg-q50.jpg")
print([name for name in ("numpy", "torch", "cupy", "jax", "PIL", "pandas") if name in sys.modules])"""
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=root, check=True, capture_output=True, text=True
    )
    assert shown.stdout.strip() == "[]"


def test_results_travel_to_other_processes(photo) -> None:
    result = ssimcu.compare(*photo, tile=None, metric=["ssim", "psnr"])
    assert repr(pickle.loads(pickle.dumps(result))) == repr(result)


def test_the_package_may_be_an_archive(root, tmp_path) -> None:
    shutil.make_archive(str(tmp_path / "new"), "zip", root / "lib/python", "ssimcu")
    code = "import ssimcu; print(ssimcu.__file__, len(ssimcu.devices()))"
    environment = dict(os.environ, PYTHONPATH=str(tmp_path / "new.zip"))
    shown = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    assert "new.zip" in shown.stdout


def test_threads(photo) -> None:
    ref, out = photo
    wanted = ssimcu.compare(ref, out).score
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        scores = list(pool.map(lambda _: ssimcu.compare(ref, out, threads=1).score, range(64)))
    assert set(scores) == {wanted}


def test_the_gil_is_free(root) -> None:
    """Another thread runs on while a large pair is scored."""
    array = np.zeros((3000, 4000, 3), np.float64)
    started, counts = threading.Event(), [0]

    def count() -> None:
        started.set()
        while not ended.is_set():
            counts[0] += 1

    ended = threading.Event()
    thread = threading.Thread(target=count)
    thread.start()
    started.wait()
    counts[0] = 0
    ssimcu.compare(array, array, threads=1)
    made = counts[0]
    ended.set()
    thread.join()
    assert made > 1000


def test_fork(photo) -> None:
    wanted = ssimcu.compare(*photo).score
    child = os.fork()
    if child == 0:
        fresh = not _context._contexts.things  # so that it has threads of its own
        os._exit(0 if fresh and ssimcu.compare(*photo).score == wanted else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert ssimcu.compare(*photo).score == wanted


def test_permute() -> None:
    rng = np.random.default_rng(5)
    for dtype in ("u1", "f4", "c16", "i8", "f2"):
        for _ in range(20):
            rank = int(rng.integers(1, 6))
            array = rng.integers(0, 100, rng.integers(1, 7, rank)).astype(dtype)
            if rng.random() < 0.5:
                array = array[
                    tuple(slice(None, None, int(s)) for s in rng.choice([1, 2, -1], rank))
                ]
            order = tuple(int(k) for k in rng.permutation(rank))
            wanted = array.transpose(order)
            made = ssimcu.permute(array, order)
            assert made.flags.c_contiguous and made.dtype == wanted.dtype
            assert np.array_equal(made, wanted)
            place = np.empty(wanted.shape, dtype)
            assert ssimcu.permute(array, order, out=place) is place
            assert np.array_equal(place, wanted)
    assert ssimcu.permute(np.zeros((0, 3)), (1, 0)).shape == (3, 0)
    assert ssimcu.permute(np.zeros((2, 3)), (-1, 0)).shape == (3, 2)
    array = np.zeros((4, 5))
    for order, out in (
        ((0, 0), None),
        ((0,), None),
        ((1, 0), np.zeros((4, 5))),
        ((1, 0), np.zeros((5, 4), "f4")),
        ((1, 0), np.zeros((4, 5)).T),
    ):
        with pytest.raises(ssimcu.Error):
            ssimcu.permute(array, order, out=out)
    with pytest.raises(ssimcu.Error):
        ssimcu.permute(np.zeros((2, 2), object), (1, 0))
    with pytest.raises(ssimcu.Error, match="overlap"):
        ssimcu.permute(array, (1, 0), out=array.reshape(5, 4))


def test_permute_of_unusual_strides() -> None:
    """The first, a middle or the last dimension may have one element, or repeat one, whatever its stride."""
    array = np.arange(24, dtype="u2").reshape(2, 3, 4)
    for axis in range(3):
        first = array.take([0], axis)
        repeated = np.broadcast_to(first, array.shape)
        reverse = np.flip(array, axis)[tuple(slice(0, 1) if k == axis else slice(None) for k in range(3))]
        for given in (first, repeated, reverse, np.expand_dims(array, axis)):
            for order in itertools.permutations(range(given.ndim)):
                assert np.array_equal(ssimcu.permute(given, order), given.transpose(order)), (axis, order)


def test_devices() -> None:
    first, *rest = ssimcu.devices()
    assert first.device == "cpu" and first.compute == 0
    assert all(device.device == f"cuda:{k}" for k, device in enumerate(rest))
    if not rest:
        with pytest.raises(ssimcu.Error) as caught:
            ssimcu.compare(np.zeros((40, 40)), np.zeros((40, 40)), device="cuda")
        assert caught.value.status == "device"


def test_a_failed_device_is_left(photo, monkeypatch) -> None:
    """After a failure of the device the next call opens another context."""
    from ssimcu import _library

    wanted = ssimcu.compare(*photo).score
    before = list(_context._contexts.things.values())
    failing = _library.core().ssimcu_compare_views
    monkeypatch.setattr(_library.core(), "ssimcu_compare_views", lambda *_: 7)
    with pytest.raises(ssimcu.Error) as caught:
        ssimcu.compare(*photo)
    assert caught.value.status == "device" and not _context._contexts.things
    monkeypatch.setattr(_library.core(), "ssimcu_compare_views", failing)
    assert ssimcu.compare(*photo).score == wanted
    assert list(_context._contexts.things.values())[0] not in before


@pytest.mark.parametrize("inside", [True, False])
def test_the_module_is_the_command(root, tmp_path, inside) -> None:
    """`python3 -m ssimcu` becomes the program of the package, or else that of the system."""
    package = tmp_path / "ssimcu"
    shutil.copytree(root / "lib/python/ssimcu", package)
    program = (package / "bin" if inside else tmp_path / "path") / "ssimcu"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$0" "$@"\nexit 3\n')
    program.chmod(0o755)
    environment = dict(os.environ, PYTHONPATH=str(tmp_path), PATH=f"{tmp_path / 'path'}:{os.environ['PATH']}")
    command = [sys.executable, "-m", "ssimcu", "a b", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (3, f"{program} a b --json\n")


def test_no_command_becomes_itself(root, tmp_path) -> None:
    script = tmp_path / "ssimcu"
    script.write_text(f"#!{sys.executable}\nfrom ssimcu.__main__ import main\nmain()\n")
    script.chmod(0o755)
    environment = dict(os.environ, PATH=str(tmp_path))
    done = subprocess.run([str(script)], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 1 and "holds no program" in done.stderr
