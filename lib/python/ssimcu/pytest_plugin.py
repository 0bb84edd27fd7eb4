"""A fixture for those who test what makes pictures:

    def test_sphere(assert_similar):
        assert_similar(render("sphere.scene"), "golden/sphere.png", min_tile=0.97)

``pytest --ssimcu-update`` writes the golden pictures from what the tests made.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Optional, Union

import pytest

_Golden = Union[str, "os.PathLike[str]"]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ssimcu")
    text = "write the golden pictures of assert_similar from what the tests made"
    group.addoption("--ssimcu-update", action="store_true", help=text)


@pytest.fixture
def assert_similar(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Any]:
    """Returns ``assert_similar(actual, golden, *, min_score, min_tile, **options)``.

    ``actual`` is what `ssimcu.compare` takes, and ``golden`` the path of a picture, from the test's
    folder. The test fails if SSIM is below ``min_score`` (0.99), or that of a tile below
    ``min_tile`` (0.95; None: no limit, which what has no tiles needs). It then leaves picture and
    heat map in the test's temporary folder. ``options`` are those of `ssimcu.compare`. The
    `ssimcu.Result` is returned.
    """
    folder, update = request.path.parent, request.config.getoption("--ssimcu-update")

    def check(
        actual: Any,
        golden: _Golden,
        *,
        min_score: float = 0.99,
        min_tile: Optional[float] = 0.95,
        **options: Any,
    ) -> Any:
        __tracebackhide__ = True
        path = folder / golden
        if update:
            _write(path, actual)
        if not path.exists():
            pytest.fail(f"{path} is not there; pytest --ssimcu-update writes it")
        return _compare(path, actual, min_score, min_tile, options, tmp_path)

    return check


def _write(path: Path, actual: Any) -> None:
    from ._files import is_path, write_png

    if is_path(actual):
        from . import read

        actual = read(actual)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_png(path, actual)


def _compare(
    path: Path, actual: Any, min_score: float, min_tile: Optional[float], options: Any, left: Path
) -> Any:
    __tracebackhide__ = True
    from . import Error, compare

    options.setdefault("tile", 64)  # also of PSNR: a failure shows them
    result = compare(path, actual, **options)
    # The tool of compat= has no tiles: those of the result are SSIM's, as another number.
    if min_tile is not None and (options.get("compat") or not result.worst):
        raise Error(f"min_tile={min_tile} needs tiles, and there are none: give min_tile=None")
    wrong = []
    if not result.score >= min_score:
        wrong.append(f"score {result.score:.9f} is below {min_score}")
    if min_tile is not None and result.worst and not result.worst.score >= min_tile:
        wrong.append(f"tile {result.worst} is below {min_tile}")
    if wrong:
        pytest.fail(f"{path.name}: {'; '.join(wrong)}{_leave(path, actual, result, left)}")
    return result


def _leave(path: Path, actual: Any, result: Any, left: Path) -> str:
    """Leaves pictures of a failure. Returns where."""
    from . import Error
    from ._files import is_path, write_png

    heat = left / f"{path.stem}.heat.png"
    write_png(heat, result.heat())
    lines = f"\n  golden {path}\n  heat   {heat}"
    if is_path(actual):
        return f"{lines}\n  actual {actual}"
    try:
        write_png(left / path.name, actual)
    except (Error, TypeError):
        return lines  # no picture of 8 bits
    return f"{lines}\n  actual {left / path.name}"
