"""The page's table of other packages: their calls and ours give the numbers that it says. A package that is not there is left out."""

from __future__ import annotations

import re
from typing import Any, Optional

import numpy as np
import needed
import pytest
import ssimcu


def padded(picture: Any) -> Any:
    return np.pad(picture, ((5, 5), (5, 5), (0, 0)), mode="reflect")


def package(name: str) -> Optional[Any]:
    """Returns a module, with the part that the table names; None if it is not there."""
    parts = {"skimage": "skimage.metrics", "torchmetrics": "torchmetrics.image"}
    try:
        __import__(parts.get(name, name))
    except ImportError:
        return None
    module = __import__(name)
    return module if name != "cv2" or hasattr(module, "quality") else None


def tensor(picture: Any) -> Any:
    import torch

    return torch.from_numpy(picture.transpose(2, 0, 1)[None] / 255)


def theirs_of(call: str, photo: Any) -> Optional[float]:
    """Returns what a call of another package gives for the pair; None without the package."""
    name = call.partition(".")[0]
    module = package(name)
    if module is None:
        return None
    a, b = (tensor(side) for side in photo) if name == "torchmetrics" else photo
    return float(np.mean(np.asarray(eval(call, {name: module, "a": a, "b": b}))))


def rows(root: Any) -> list[tuple[str, str, str]]:
    page = (root / "docs/python.md").read_text()
    return re.findall(r"^\| `((?:skimage|cv2|torchmetrics)\..*?)` \| `(compare.*?)` \| (.*) \|$", page, re.M)


def rounds_to(value: float, said: str) -> bool:
    return f"{value:.{len(said.partition('.')[2])}f}" == said


def test_the_table_is_true(root, photo) -> None:
    found = rows(root)
    assert len(found) == 6
    for call, ours, words in found:
        score = float(np.mean(eval(ours, {"compare": ssimcu.compare, "a": photo[0], "b": photo[1]})))
        alike = re.match(r"the same, ([\d.]*\d)", words)
        said = alike.group(1, 1) if alike else re.search(r"([\d.]+) where ours is ([\d.]*\d)", words).groups()
        theirs = theirs_of(call, photo)
        assert rounds_to(score, said[1]), (ours, score)
        assert theirs is None or rounds_to(theirs, said[0]), (call, theirs)
        assert theirs is None or not alike or abs(theirs - score) < 1e-6, (call, theirs, score)


def test_reflected_borders(root, photo) -> None:
    """The recipe for the number of OpenCV and torchmetrics."""
    a, b = photo
    score = ssimcu.compare(padded(a), padded(b)).score
    assert rounds_to(score, "0.9142")
    for call in [row[0] for row in rows(root) if "QualitySSIM" in row[0] or ".StructuralSimilarity" in row[0]]:
        theirs = theirs_of(call, photo)
        assert theirs is None or abs(theirs - score) < 1e-6, (call, theirs, score)


def test_white_elsewhere(photo) -> None:
    """What the page says of floats and of darker pictures."""
    cv2, torchmetrics = package("cv2"), package("torchmetrics")
    for name in ("cv2", "torchmetrics"):
        needed.named(name)
    if cv2 is None:
        pytest.skip("OpenCV has no quality module")
    floats = [(side / 255).astype("f4") for side in photo]
    assert rounds_to(np.mean(cv2.quality.QualitySSIM_compute(*floats)[0][:3]), "0.99998")
    assert rounds_to(cv2.PSNR(photo[0], photo[0]), "361.2")
    a, b = (tensor(side) / 2 for side in photo)
    measure = torchmetrics.image.StructuralSimilarityIndexMeasure
    assert measure()(b, a) < measure(data_range=1.0)(b, a) - 0.01
