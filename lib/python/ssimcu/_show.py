"""Results as pictures and as HTML, for notebooks and reports of tests."""

from __future__ import annotations

import base64
import ctypes
import functools
import html as html_
from typing import TYPE_CHECKING, Any

from ._arrays import numpy_for
from ._library import Error, core

if TYPE_CHECKING:
    from ._result import Result

_WIDEST = 640  # maximum width of a picture in a notebook


@functools.lru_cache(maxsize=None)
def _colours() -> Any:
    """Returns the 256 colours of heat, from best to worst."""
    numpy = numpy_for("a heat map")
    rows = []
    for step in range(256):
        rgb = (ctypes.c_uint8 * 3)()
        core().ssimcu_heat_color(step / 255, ctypes.byref(rgb))
        rows.append(tuple(rgb))
    return numpy.array(rows, numpy.uint8)


def heat(result: Result) -> Any:
    """Returns the picture of Result.heat."""
    numpy = numpy_for("a heat map")
    if result.pairs:
        raise Error("a batch has no single picture; take one of its pairs")
    shown = result.map.mean(axis=0) if result.map is not None else result.tiles
    if shown is None:
        raise Error("there is neither a map nor tiles to show; compare with map=True")
    low, high = float(shown.min()), float(shown.max())
    worse = (high - shown) / (high - low) if high > low else numpy.zeros(shown.shape)
    return _colours()[numpy.rint(worse * 255).astype(numpy.uint8)]


def html(result: Result) -> str:
    """Returns a table of the numbers, with the heat map below."""
    rows = [(name, f"{value:.9f}") for name, value in result.metrics.items()]
    if len(result.channels) > 1:
        rows.append(("channels", ", ".join(f"{value:.6f}" for value in result.channels)))
    if result.worst:
        rows.append(("worst tile", str(result.worst)))
    if result.pairs:
        rows.append(("pairs", str(len(result.pairs))))
    rows += [("copied", line) for line in result.copied]
    rows += [("colours", result.colours)] if result.colours else []
    cells = "".join(f"<tr><th>{html_.escape(name)}</th><td>{html_.escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>{_picture(result)}"


def _picture(result: Result) -> str:
    from . import _golden

    try:
        image = heat(result)
    except Error:
        return ""
    step = -(-image.shape[1] // _WIDEST)
    data = base64.b64encode(_golden.png(image[::step, ::step])).decode()
    width = min(_WIDEST, max(image.shape[1], 320))
    style = f"width:{width}px;image-rendering:pixelated"
    return f'<img alt="heat map" style="{style}" src="data:image/png;base64,{data}">'
