"""A fixture for tests of programs that make pictures:

    def test_sphere(assert_similar):
        assert_similar(render("sphere.scene"), "golden/sphere.png", min_tile=0.97)

``pytest --ssimcu-update`` writes the golden pictures from the results of the tests.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

import pytest

from . import _context, _golden
from ._compare import compare
from ._library import Error
from ._result import Batch

_Path = Union[str, "os.PathLike[str]"]
_Limit = Union[None, float, Mapping[str, float]]
_DEFAULT = object()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ssimcu")
    text = "write the golden pictures of assert_similar from what the tests made"
    group.addoption("--ssimcu-update", action="store_true", help=text)


@pytest.fixture
def assert_similar(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Any]:
    """Returns ``assert_similar(actual, golden, *, min_score, min_tile, **options)``.

    ``actual`` is an argument of `ssimcu.compare`, and ``golden`` the path of a picture, relative to
    the test's folder. The test fails if SSIM is below ``min_score`` (0.99), or if a tile's is below
    ``min_tile`` (0.95). If there are no tiles, ``min_tile`` must be None. Limits on other metrics
    are named: ``metric="psnr", min_score={"psnr": 30}``. Without "ssim" among them, tiles are
    judged only if ``min_tile`` is given. A failed test leaves the picture and a heat map in its
    temporary folder. ``options`` are those of `ssimcu.compare`. Returns the `ssimcu.Result`.

    Integers are written as PNG, floats as PNG of 16 bits, and floats of linear light
    (``linear=True``) as TIFF. A file given as actual is copied if it has golden's extension. Each
    picture of a batch is a file: x.0.png, x.1.png.
    """
    folder, update = request.path.parent, request.config.getoption("--ssimcu-update")

    def check(
        actual: Any,
        golden: _Path,
        *,
        min_score: _Limit = None,
        min_tile: Union[None, float, object] = _DEFAULT,
        **options: Any,
    ) -> Any:
        __tracebackhide__ = True
        path, limits = folder / golden, _Limits(min_score, min_tile, options)
        linear = options.get("linear", False)
        made = _golden.Pictures(actual, options.get("layout"), options.get("data_range"), linear)
        if update:
            made.write(path)
        _check_files(made, path)
        result, wrong = _compare(made, path, actual, limits, options)
        if wrong:
            pytest.fail(f"{path.name}: {'; '.join(wrong)}{_leave(made, path, result, tmp_path)}")
        return result

    return check


class _Limits:
    """The limits, and the metrics that they need."""

    def __init__(self, score: _Limit, tile: Any, options: Dict[str, Any]) -> None:
        asked = _context.names_of(options.pop("metric", "ssim"))
        if isinstance(score, Mapping):
            self.score = {_context.names_of(name)[0]: float(limit) for name, limit in score.items()}
        elif "ssim" in asked or score is not None:
            self.score = {"ssim": 0.99 if score is None else float(score)}
        else:
            self.score = {}
        unjudged = [name for name in asked if name != "ssim" and name not in self.score]
        if unjudged and not self.score.keys() & set(asked):
            raise Error(f"metric {unjudged[0]!r} has no limit, and min_score= is SSIM's: give min_score={{{unjudged[0]!r}: ...}}")
        judges_ssim = "ssim" in asked or "ssim" in self.score
        self.tile: Optional[float] = (0.95 if judges_ssim else None) if tile is _DEFAULT else tile
        wanted = [*asked, *self.score, *(["ssim"] if self.tile is not None else [])]
        options["metric"] = tuple(dict.fromkeys(wanted))

    def judge(self, result: Any) -> List[str]:
        """Returns the values below a limit."""
        worst = result.worst
        if self.tile is not None and not worst:  # also with a tool's numbers (compat=)
            raise Error(f"min_tile={self.tile} needs tiles, and there are none: give min_tile=None")
        wrong = []
        for name, limit in self.score.items():
            if not result.metrics[name] >= limit:
                wrong.append(f"{'score' if name == 'ssim' else name} {result.metrics[name]:.9f} is below {limit}")
        if self.tile is not None and not worst.score >= self.tile:
            wrong.append(f"tile {worst} is below {self.tile}")
        return wrong


def _check_files(made: _golden.Pictures, path: Path) -> None:
    __tracebackhide__ = True
    for each in made.paths(path):
        if not each.exists():
            pytest.fail(f"{each} is not there; pytest --ssimcu-update writes it")
    more = _golden.numbered(path, len(made.arrays))
    if made.is_batch and more.exists():
        pytest.fail(f"{more} is there, but the batch has {len(made.arrays)} pictures: remove it, or make as many")


def _compare(
    made: _golden.Pictures, path: Path, actual: Any, limits: _Limits, options: Dict[str, Any]
) -> Tuple[Any, List[str]]:
    """Compares each picture with its file. Returns the result and the failures."""
    if not options.get("compat"):
        options = {"tile": 64, **options}  # even if only PSNR is requested, because a failure shows them
    if made.floats and not made.linear and options.get("data_range") and path.suffix.lower() == ".png":
        options = {**options, "data_range": (65535, made.white)}
    if not made.is_batch:
        result: Any = compare(path, actual, **options)
        return result, limits.judge(result)
    options.pop("layout", None)
    pairs = [compare(each, array, layout="HWC", **options) for each, array in zip(made.paths(path), made.arrays)]
    wrong = [f"picture {n}: {line}" for n, pair in enumerate(pairs) for line in limits.judge(pair)]
    return Batch(tuple(pairs)), wrong


def _leave(made: _golden.Pictures, path: Path, result: Any, left: Path) -> str:
    """Writes the pictures of a failure. Returns their place."""
    lines = f"\n  golden {path}"
    try:
        worst = min(result.pairs, key=lambda pair: pair.score) if made.is_batch else result
        heat = left / f"{path.stem}.heat.png"
        heat.write_bytes(_golden.png(worst.heat()))
        lines += f"\n  heat   {heat}"
    except Error as error:  # no tiles
        lines += f"\n  heat   none: {error}"
    if made.path:
        return f"{lines}\n  actual {made.path}"
    try:
        made.write(left / path.name)
    except Error as error:
        return f"{lines}\n  actual not written: {error}"
    return f"{lines}\n  actual {left / path.name}"
