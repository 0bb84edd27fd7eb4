"""The pytest plugin, as a project of its own would use it."""

from __future__ import annotations

import pytest

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
            '"golden/it.png", min_score=-1, min_tile=None, metric="psnr")',
        )
    )
    project.runpytest_subprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize("option", ["tile=None", "tile=0", 'compat="skimage"'])
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
