"""The pytest plugin, as a project of its own would use it."""

from __future__ import annotations

import itertools

import numpy as np
import needed
import pytest
import ssimcu
from ssimcu import _golden

TEST = """
import numpy as np

def picture(broken=False):
    image = np.add.outer(np.arange(96), 2 * np.arange(128)).astype(np.uint8)
    image = np.stack([image, image[::-1], image[:, ::-1]], axis=2)
    if broken:
        image[16:48, 16:48] = 0
    return image

def test_it(assert_similar):
    assert assert_similar(picture({broken}), "golden/it.png").score > 0.99
"""


@pytest.fixture
def project(pytester, monkeypatch):
    import importlib.metadata

    found = importlib.metadata.entry_points()
    names = found.select(group="pytest11") if hasattr(found, "select") else found["pytest11"]
    if not any(entry.value == "ssimcu.pytest_plugin" for entry in names):  # not installed
        monkeypatch.setenv("PYTEST_PLUGINS", "ssimcu.pytest_plugin")
    return pytester


def test_update_pass_and_fail(project) -> None:
    project.makepyfile(test_it=TEST.format(broken=False))
    missing = project.runpytest_subprocess()
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*it.png is not there; pytest --ssimcu-update writes it*"])
    project.runpytest_subprocess("--ssimcu-update").assert_outcomes(passed=1)
    assert (project.path / "golden/it.png").exists()
    project.runpytest_subprocess().assert_outcomes(passed=1)
    project.makepyfile(test_it=TEST.format(broken=True))
    failed = project.runpytest_subprocess()
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(
        ["*score 0.* is below 0.99; tile *+0+0 is below 0.95*", "*heat *it.heat.png*"]
    )
    heat = [line.split()[-1] for line in failed.outlines if line.strip().startswith(("E", "heat"))]
    assert any(name.endswith("it.heat.png") for name in heat)
    golden = (project.path / "golden/it.png").read_bytes()
    project.runpytest_subprocess("--ssimcu-update").assert_outcomes(passed=1)
    assert (project.path / "golden/it.png").read_bytes() != golden


def test_options(project) -> None:
    project.makepyfile(test_it=TEST.format(broken=False))
    project.runpytest_subprocess("--ssimcu-update")
    project.makepyfile(
        test_it=TEST.format(broken=True).replace(
            '"golden/it.png").score > 0.99',
            '"golden/it.png", min_score={"psnr": 5}, metric="psnr")',
        )
    )
    project.runpytest_subprocess().assert_outcomes(passed=1)


LIMITS = """
def test_limits(assert_similar):
    result = assert_similar(picture(True), "golden/it.png", min_score={{"ssim": 0, "psnr": 0}}, min_tile=0)
    limits = {{"score": result.score, "psnr": result.metrics["psnr"], "tile": result.worst.score}}
    for above in [None, *limits]:
        score, psnr, tile = (np.nextafter(limits[k], 9999) if k == above else limits[k] for k in limits)
        try:
            assert_similar(picture(True), "golden/it.png", min_score={{"ssim": score, "psnr": psnr}}, min_tile=tile)
            failed = ""
        except pytest.fail.Exception as error:
            failed = str(error)
        assert bool(failed) == (above is not None) and failed.startswith(f"it.png: {{above}} " if above else "")
"""


def test_limits_that_are_just_kept(project) -> None:
    """A picture passes at its limits, and fails just above one of them."""
    project.makepyfile(test_it=TEST.format(broken=False))
    project.runpytest_subprocess("--ssimcu-update")
    project.makepyfile(test_it="import pytest\n" + (TEST + LIMITS).format(broken=False))
    project.runpytest_subprocess().assert_outcomes(passed=2)


@pytest.mark.parametrize("option", ["tile=None", "tile=0", 'compat="ffmpeg"'])
def test_a_limit_of_tiles_without_tiles(project, option: str) -> None:
    project.makepyfile(test_it=TEST.format(broken=False))
    project.runpytest_subprocess("--ssimcu-update")
    for limit, outcome in (("min_tile=0.97", {"failed": 1}), ("min_tile=None", {"passed": 1})):
        options = f'"golden/it.png", {limit}, {option})'
        project.makepyfile(test_it=TEST.format(broken=False).replace('"golden/it.png")', options))
        result = project.runpytest_subprocess()
        result.assert_outcomes(**outcome)
        if "failed" in outcome:
            result.stdout.fnmatch_lines(["*Error: min_tile=0.97 needs tiles*"])


PROJECT = """
import io
import numpy as np
import pytest
from PIL import Image

rng = np.random.default_rng(1)
GREY = np.add.outer(np.arange(96), 2 * np.arange(128)).astype(np.uint8)
RGB = np.stack([GREY, GREY[::-1], GREY[:, ::-1]], axis=2)
RGBA = np.dstack([RGB, GREY | 128])
FLOAT = (RGB / 255).astype(np.float32)
Image.fromarray(RGB).save("made.jpg", quality=50)

KINDS = {
    "grey.png": (GREY, {}),
    "rgb.png": (RGB, {}),
    "rgba.png": (RGBA, {}),
    "sixteen.png": (RGB.astype(np.uint16) * 257 + 7, {}),
    "ten.png": (RGB.astype(np.uint16) * 4, {"data_range": 1023}),
    "float.png": (FLOAT, {}),
    "half.png": (FLOAT.astype("f2"), {}),
    "double255.png": (FLOAT * 255.0, {"data_range": 255}),
    "light.tif": (FLOAT * 3, {"linear": True}),
    "grey-light.tiff": (FLOAT[..., 0] * 3, {"linear": True}),
    "chw.png": (np.ascontiguousarray(FLOAT.transpose(2, 0, 1)), {"layout": "CHW"}),
    "batch.png": (np.stack([RGB, RGB[::-1]]), {}),
    "copy.jpg": ("made.jpg", {}),
    "decoded.png": ("made.jpg", {}),
    "pil.png": (Image.fromarray(RGB), {}),
}

@pytest.mark.parametrize("name", KINDS)
def test_kind(assert_similar, name):
    made, options = KINDS[name]
    assert assert_similar(made, f"golden/{name}", min_score=0.99999999, **options).score > 0.99999999
"""

FAILS = """
from test_kinds import *

SPOT = RGB.copy()
SPOT[16:48, 16:48] = 0
WAYS = {
    "missing": (RGB, "new.png", {}),
    "score": (255 - RGB, "rgb.png", {}),
    "tile": (SPOT, "rgb.png", {"min_score": -1}),
    "psnr": (255 - RGB, "rgb.png", {"metric": "psnr", "min_score": {"psnr": 30}}),
    "unjudged": (255 - RGB, "rgb.png", {"metric": "psnr"}),
    "number": (255 - RGB, "rgb.png", {"metric": "psnr", "min_score": 0.5}),
    "no tiles": (SPOT, "rgb.png", {"tile": None, "min_tile": None}),
    "no tiles judged": (RGB, "rgb.png", {"tile": None}),
    "size": (RGB[:90], "rgb.png", {}),
    "range": (FLOAT * 255, "float.png", {}),
    "sixteen": (RGB[::-1].astype(np.uint16) * 257, "sixteen.png", {}),
    "light": (FLOAT[::-1] * 3, "light.tif", {"linear": True}),
    "batch": (np.stack([RGB, SPOT]), "batch.png", {}),
    "fewer": (np.stack([RGB]), "batch.png", {}),
    "more": (np.stack([RGB, RGB[::-1], RGB]), "batch.png", {}),
    "damaged": (RGB, "damaged.png", {}),
}

@pytest.mark.parametrize("name", WAYS)
def test_way(assert_similar, name):
    made, golden, options = WAYS[name]
    assert_similar(made, f"golden/{golden}", **options)
"""

WORDS = {
    "missing": ["*new.png is not there; pytest --ssimcu-update writes it*"],
    "score": ["*rgb.png: score 0.* is below 0.99; tile * is below 0.95*", "*actual *rgb.png*"],
    "tile": ["*rgb.png: tile * is below 0.95*", "*heat *rgb.heat.png*"],
    "psnr": ["*rgb.png: psnr * is below 30*"],
    "unjudged": ["*metric 'psnr' has no limit, and min_score= is SSIM's: give min_score={'psnr': *"],
    "number": ["*metric 'psnr' has no limit*"],
    "no tiles": ["*rgb.png: score * is below 0.99*", "*heat   none:*"],
    "no tiles judged": ["*min_tile=0.95 needs tiles*"],
    "size": ["*128x96*128x90*"],
    "range": ["*out: a sample of * is above data_range 1*"],
    "sixteen": ["*sixteen.png: score * is below*"],
    "light": ["*light.tif: score * is below*", "*actual *light.tif*"],
    "batch": ["*batch.png: picture 1: score*"],
    "fewer": ["*batch.1.png is there, but the batch has 1 pictures*"],
    "more": ["*batch.2.png is not there*"],
    "damaged": ["*damaged.png*"],
}


def test_pictures_of_all_kinds(project) -> None:
    """They are written, pass, and fail for known reasons."""
    needed.module("PIL")
    project.makepyfile(test_kinds=PROJECT)
    project.runpytest_subprocess("--ssimcu-update", "-k", "kind").assert_outcomes(passed=15)
    golden = project.path / "golden"
    assert (golden / "copy.jpg").read_bytes() == (project.path / "made.jpg").read_bytes()
    starts = {path.name: path.read_bytes()[:4] for path in golden.iterdir()}
    assert len(starts) == 16 and not [name for name in starts if name.startswith(".")]
    for name, start in starts.items():
        wanted = {"jpg": b"\xff\xd8\xff", "png": b"\x89PNG"}.get(name.rpartition(".")[2], b"II*\0")
        assert start.startswith(wanted), name
    project.runpytest_subprocess().assert_outcomes(passed=15)
    (golden / "damaged.png").write_text("no picture")
    project.makepyfile(test_fails=FAILS)
    failed = project.runpytest_subprocess("test_fails.py", "-k", "way")
    failed.assert_outcomes(failed=len(WORDS))
    text = failed.stdout.str()
    for name, lines in WORDS.items():
        part = text[text.index(f" test_way[{name}] _") :]
        shown = pytest.LineMatcher(part[: part.find("\n_____", 99)].split("\n"))
        shown.fnmatch_lines(lines)


@pytest.mark.parametrize("made, name, says", [
    ("RGB", "a.jpg", "golden pictures of this kind end in .png"),
    ("RGB", "a", "golden pictures of this kind end in .png"),
    ("FLOAT", "a.tif", "end in .png; floats of linear light, linear=True, are .tif"),
    ("FLOAT * 255", "a.png", "outside 0 to data_range 1"),
])
def test_what_is_not_written(project, made: str, name: str, says: str) -> None:
    needed.module("PIL")
    source = PROJECT[: PROJECT.index("KINDS =")]
    project.makepyfile(test_it=f"{source}\ndef test_it(assert_similar):\n    assert_similar({made}, 'golden/{name}')\n")
    failed = project.runpytest_subprocess("--ssimcu-update")
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines([f"*{says}*"])
    assert not list(project.path.glob("golden/*"))


def test_workers(project) -> None:
    """Several processes write the same pictures."""
    needed.module("xdist")
    needed.module("PIL")
    project.makepyfile(test_kinds=PROJECT, test_other=PROJECT)
    for options in (["--ssimcu-update"], []):
        project.runpytest_subprocess("-n", "2", *options).assert_outcomes(passed=30)


@pytest.mark.parametrize("white", [1, 255])
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_floats_become_the_nearest_of_65536(tmp_path, kind: str, white: int) -> None:
    """At the first, a middle and the last step, row, column and channel."""
    height, width, channels = shape = (5, 7, 3)
    places = list(itertools.product((0, 2, height - 1), (0, 3, width - 1), range(channels)))
    parts = (-0.4, 0, 0.25, 0.45, 0.55, 0.75)
    wanted = np.full(shape, 1000, "u2")
    for turn, (step, part) in enumerate(itertools.product((0, 1, 32767, 65534, 65535), parts)):
        if step == 65535 and part > 0.5:
            continue  # beyond white
        given = wanted.astype("f8")
        for n, place in enumerate(places):  # every second place, so that each has a neighbour
            given[place] = step + part if n % 2 == turn % 2 else 1000
        path = tmp_path / f"{turn}.png"
        made = (given * (white / 65535)).astype(kind)
        _golden.Pictures(made, None, white, False).write(path)
        nearest = np.floor(given + 0.5).clip(0, 65535).astype("u2")
        assert (ssimcu.read(path) == nearest).all(), (step, part)


@pytest.mark.parametrize("channels", (1, 2, 3, 4))
def test_tiff_of_light(tmp_path, channels: int) -> None:
    """Samples come back as they were, and the last of two or four is alpha by which no colour was multiplied."""
    light = np.random.default_rng(channels).random((6, 5, channels), np.float32)
    (tmp_path / "a.tif").write_bytes(_golden.tiff(light))
    assert np.array_equal(ssimcu.read(tmp_path / "a.tif").reshape(light.shape), light)
    image = needed.module("PIL.TiffImagePlugin")
    with open(tmp_path / "a.tif", "rb") as file:
        tags = image.ImageFileDirectory_v2(file.read(8))
        file.seek(8)
        tags.load(file)
    assert tags.get(338) == ((2,) if channels in (2, 4) else None)


@pytest.mark.parametrize("white", (1, 255))
def test_floats_just_outside(tmp_path, white: int) -> None:
    """Rounding may take a sample less than a step below 0 or above white."""
    for step, written in ((-1.5, False), (-0.9, True), (65535.9, True), (65536.5, False)):
        for place in ((0, 0, 0), (2, 3, 1), (4, 6, 2)):  # the first, a middle and the last sample
            made = np.full((5, 7, 3), white / 2)
            made[place] = step * white / 65535
            pictures = _golden.Pictures(made, None, white, False)
            if written:
                pictures.write(tmp_path / "a.png")
                continue
            with pytest.raises(ssimcu.Error, match="outside 0 to"):
                pictures.write(tmp_path / "b.png")
    assert not (tmp_path / "b.png").exists()
