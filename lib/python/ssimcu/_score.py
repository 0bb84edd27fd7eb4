"""Scores two views."""

from __future__ import annotations

from ctypes import byref, c_double, c_float, sizeof
from typing import Any, Optional, Tuple

from . import _c
from ._context import Context
from ._library import Error, Message, check, core, status_name
from ._result import Result

_SCORE, _TILES, _MAP = sizeof(_c.Score), sizeof(_c.Tiles), sizeof(_c.Map)
USUAL_TILE = type("_Usual", (int,), {})(64)  # the default, which is dropped if only PSNR is requested


def score(
    context: Context,
    ref: _c.View,
    out: _c.View,
    names: Tuple[str, ...],
    with_map: bool,
    tile: Optional[int],
    copied: Tuple[str, ...],
) -> Result:
    """Scores two views."""
    library, why = core(), Message()
    made = _c.Score(_SCORE)
    tiles, map_ = grid_of(tile), _c.Map(_MAP) if with_map else None
    at_tiles, at_map = tiles and byref(tiles), map_ and byref(map_)
    a, b = byref(ref), byref(out)
    grid: Any = None
    plane: Any = None
    key = ref.width, ref.height, tile or 0
    if tiles and not map_ and key in context.grids:
        tiles.columns, tiles.rows = context.grids[key]
    elif tiles or map_:
        layout = library.ssimcu_views_layout(context.handle, a, b, at_map, at_tiles, why)
        if tiles and not map_ and go_without(layout, names):
            return score(context, ref, out, names, False, None, copied)
        check(layout, why)
    if tiles:
        context.note_grid(key, tiles.columns, tiles.rows)
        grid = (c_double * tiles.columns * tiles.rows)()
        tiles.data = grid[0]  # the whole grid; a cast would make a reference cycle, which keeps its memory until a collection
    if map_:
        plane = (c_float * map_.width * map_.height * map_.channels)()
        map_.data = plane[0][0]
    status = library.ssimcu_compare_views(context.handle, a, b, byref(made), at_map, at_tiles, why)
    check(status, why)
    return Result(made, names, grid, plane, context.device, copied, context.luma)


def go_without(status: int, names: Tuple[str, ...]) -> bool:
    """Returns whether tiles were refused because the pair is too small for SSIM, but not for another metric."""
    return set(names) != {"ssim"} and status_name(status) == "too small"


def grid_of(tile: Optional[int]) -> Optional[_c.Tiles]:
    """Returns tiles with that side, or None."""
    if not tile:
        return None
    if not isinstance(tile, int) or not 11 <= tile < 1 << 32:
        raise Error(f"tile is {tile!r}, expected a whole number of pixels, 11 or more, or None")
    return _c.Tiles(_TILES, tile, tile)
