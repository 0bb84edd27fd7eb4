"""Contexts, which hold a device with its buffers. Each thread keeps its most recent ones, so that the second comparison of a kind opens and
allocates nothing.

A child of fork() drops its parent's contexts and opens new ones, because the parent's threads do
not exist in it.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import operator
import os
import threading
import weakref
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _c
from ._library import Error, call, choice, core, metric_numbers, text_bytes

_KEPT = 4  # contexts, requests, and kinds of pairs per thread
_MOST_GRIDS = 256
Metric = Tuple[str, ...]


class Options(NamedTuple):
    """Options of scoring, as numbers of ssimcu_settings."""

    device: int
    device_index: int
    pad: int
    color: int
    alpha: int
    threads: int
    metrics: int
    compat: int


class Context:
    """A context of the C library, closed with the object."""

    def __init__(self, options: Options) -> None:
        settings = _c.sized(_c.Settings, **options._asdict())
        settings.count_range = options.device == _c.DEVICE["cpu"]
        settings.threads = options.threads or core().ssimcu_cpu_threads()
        self.handle = ctypes.c_void_p()
        call(core().ssimcu_open, ctypes.byref(settings), ctypes.byref(self.handle))
        name: str = core().ssimcu_context_device(self.handle).decode()
        self.device, self.luma = name, options.color != _c.COLOR["rgb"]
        self.grids: dict[Tuple[int, int, int], Tuple[int, int]] = {}  # tiles across and down
        # Not at the exit of the process: threads may still compare, and the system reclaims everything.
        weakref.finalize(self, core().ssimcu_close, ctypes.byref(self.handle)).atexit = False

    def note_grid(self, key: Tuple[int, int, int], columns: int, rows: int) -> None:
        """Stores how many tiles a picture of this width, height and tile has."""
        if len(self.grids) >= _MOST_GRIDS:
            self.grids.clear()
        self.grids[key] = columns, rows


class _Kept(threading.local):
    """The objects that a thread keeps, by their options, the most recent at the end."""

    def __init__(self) -> None:
        self.things: collections.OrderedDict[Any, Any] = collections.OrderedDict()

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        made = self.take(key)
        if made is None:
            made = make()
        self.put(key, made)
        return made

    def take(self, key: Any) -> Any:
        return self.things.pop(key, None)

    def put(self, key: Any, thing: Any) -> None:
        self.things[key] = thing
        if len(self.things) > _KEPT:
            self.things.popitem(last=False)


_contexts = _Kept()
requests = _Kept()
pairs = _Kept()


def forget() -> None:
    """Drops the thread's open objects: in the child of a fork, and after a device failure, which a context repeats forever.
    """
    requests.things.clear()
    pairs.things.clear()
    _contexts.things.clear()


os.register_at_fork(after_in_child=forget)


def context(options: Options) -> Context:
    """Returns this thread's context for these options."""
    made: Context = _contexts.get(options, lambda: Context(options))
    return made


@functools.lru_cache(maxsize=64, typed=True)
def options_of(
    metric: Metric, pad: str, color: str, alpha: str, device: Optional[str], threads: int, compat: Optional[str]
) -> Tuple[Options, Tuple[str, ...]]:
    """Checks the options of a comparison. Returns them and the metrics' names in order."""
    wanted = metrics_of(metric)
    kind, index = parse_device(device)
    number = operator.index(threads) if hasattr(threads, "__index__") else -1
    if not 0 <= number < 1 << 32:
        raise Error(f"threads is {threads!r}, expected a whole number, 0 (all) or more")
    options = Options(
        device=kind,
        device_index=index,
        pad=choice(_c.PAD, pad, "pad"),
        color=choice(_c.COLOR, color, "color"),
        alpha=choice(_c.ALPHA, alpha, "alpha"),
        threads=number,
        metrics=sum(1 << number for number in set(wanted)),
        compat=compat_of(compat),
    )
    _check_compat(compat, options, metric)
    return options, metric


def _check_compat(compat: Optional[str], options: Options, names: Tuple[str, ...]) -> None:
    """Refuses options that the program also refuses with a tool's numbers (lib/qa/options/compat_options.c)."""
    if compat is None:
        return
    alone = compat == "ssimulacra2"
    lacks = [name for name in names if (name == "ssimulacra2") != alone]
    if lacks:
        raise Error(f"compat={compat!r}: the tool has no {lacks[0]}" + (", it needs metric='ssimulacra2'" if alone else ""))
    if options.device == _c.DEVICE["cuda"]:
        raise Error(f"compat={compat!r}: the CPU computes it, and device asks for a GPU")
    if options.pad != _c.PAD["valid"]:
        raise Error(f"compat={compat!r}: the tool has its own windows, pad is for those of ssimcu")
    if alone and options.color != _c.COLOR["rgb"]:
        raise Error(f"compat={compat!r}: scores R, G and B, without color")
    if compat == "vmaf" and options.color == _c.COLOR["rgb"]:
        raise Error(f"compat={compat!r}: of pictures it takes luma, color='y709' or 'y601'")


def names_of(metric: Union[str, Sequence[str]]) -> Tuple[str, ...]:
    """Returns the library's names of one or several metrics. "ms_ssim", as in results, becomes "ms-ssim"."""
    if isinstance(metric, str):
        return (metric.replace("_", "-"),)
    try:
        return tuple([name.replace("_", "-") for name in metric])
    except (TypeError, AttributeError):
        raise Error(f"metric is {metric!r}, expected a name or several") from None


def metrics_of(names: Tuple[str, ...]) -> List[int]:
    """Returns the numbers of one or more metrics."""
    if not names:
        raise Error(f"metric is empty, expected one of {', '.join(metric_numbers())}")
    return [choice(metric_numbers(), name, "metric") for name in names]


def compat_of(name: Optional[str]) -> int:
    """Returns the number of a tool; None is 0."""
    tool: int = 0 if name is None else core().ssimcu_compat_find(text_bytes(name, "compat"))
    if name is not None and not tool:
        raise Error(f"compat is {name!r}, which is no tool that can be reproduced")
    return tool


def parse_device(device: Optional[str]) -> Tuple[int, int]:
    """Parses "cpu", "cuda", "cuda:1" or "auto"; None is the CPU."""
    if device is None:
        return _c.DEVICE["cpu"], 0
    kind, _, index = str(device).partition(":")
    if kind not in _c.DEVICE or (index and not (kind == "cuda" and index.isdecimal() and int(index) < 1 << 31)):
        raise Error(f"device is {device!r}, expected cpu, cuda, cuda:INDEX or auto")
    return _c.DEVICE[kind], int(index or 0)
