"""A pair of arrays like one that the thread has scored before: its views are aimed at the new samples.

To look at two arrays and to make views of them takes longer than to score small pictures. What is kept
is taken out while it is used, so that a signal handler that compares, too, cannot aim it elsewhere.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, Optional, Sequence, Tuple

from . import _c, _context, _range
from ._arrays import Samples
from ._result import Result
from ._score import score

_ALIGNMENT = 8  # of the largest sample


class Aim(NamedTuple):
    """All that a call says of a pair but where the samples lie, and where they lie."""

    key: Tuple[Any, ...]
    ref: int
    out: int


class _Pair(NamedTuple):
    context: _context.Context
    ref: _c.View
    out: _c.View
    names: Tuple[str, ...]
    tile: Optional[int]
    ranged: Tuple[int, ...]  # slots of the sides whose range the library counts


def is_kept(data_range: Any) -> bool:
    """Whether a range is None or plain numbers, which equal what they equalled before: True is no 1, and a tensor changes."""
    pair = data_range if type(data_range) is tuple else (data_range,)
    return all(value is None or type(value) in (int, float) for value in pair)


def aim_of(ref: Any, out: Any, options: Tuple[Any, ...]) -> Optional[Aim]:
    """Returns the aim of two arrays of numpy's; None of what is looked at anew each time."""
    numpy = sys.modules.get("numpy")
    if numpy is None or type(ref) is not numpy.ndarray or type(out) is not numpy.ndarray:
        return None
    a, b = ref.__array_interface__, out.__array_interface__
    p, q = a["data"][0], b["data"][0]
    if (p | q) % _ALIGNMENT:
        return None
    key = (ref.dtype, a["shape"], a["strides"], out.dtype, b["shape"], b["strides"], options)
    try:
        hash(key)
    except TypeError:  # an option that is not what it should be, as the longer way says
        return None
    return Aim(key, p, q)


def score_again(aim: Aim) -> Optional[Result]:
    """Scores a pair like one that was kept. None: there is none, or samples are outside their range,
    which the longer way says."""
    pair: Optional[_Pair] = _context.pairs.take(aim.key)
    if pair is None:
        return None
    pair.ref.data[0], pair.out.data[0] = aim.ref, aim.out
    result = score(pair.context, pair.ref, pair.out, pair.names, False, pair.tile, ())
    if any(result._score.light[slot].clamped for slot in pair.ranged):
        return None
    _context.pairs.put(aim.key, pair)
    return result


def keep(
    aim: Aim,
    context: _context.Context,
    views: Tuple[_c.View, _c.View],
    samples: Sequence[Samples],
    names: Tuple[str, ...],
    tile: Optional[int],
) -> None:
    """Keeps a pair that the CPU has scored where it lies."""
    ranged = tuple(slot for slot in range(2) if _range.is_ranged(samples[slot]))
    if not any(view.data[1] for view in views):
        _context.pairs.put(aim.key, _Pair(context, *views, names, tile, ranged))
