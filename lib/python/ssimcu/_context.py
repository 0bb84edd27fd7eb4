"""Contexts, which hold a device with its buffers. Each thread keeps those that it used last, so
that the second comparison of a kind opens and allocates nothing.

A child of fork() forgets its parent's contexts and opens its own, because threads of the parent do
not exist in it.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import os
import threading
import weakref
from typing import Any, Callable, List, NamedTuple, Optional, Tuple, Union

from . import _c
from ._library import Error, Message, check, choice, core, metric_numbers

_KEPT = 4  # contexts, and requests, of a thread
_MOST_GRIDS = 256
Metric = Union[str, Tuple[str, ...]]


class Options(NamedTuple):
    """How pairs are scored, in the numbers of ssimcu_settings."""

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
        settings.threads = options.threads or core().ssimcu_cpu_threads()
        self.handle, why = ctypes.c_void_p(), Message()
        check(core().ssimcu_open(ctypes.byref(settings), ctypes.byref(self.handle), why), why)
        name: str = core().ssimcu_context_device(self.handle).decode()
        self.device = name
        self.grids: dict[Tuple[int, int, int], Tuple[int, int]] = {}  # tiles across and down
        # At the end of the process threads may still compare, and the system takes all back.
        weakref.finalize(self, core().ssimcu_close, ctypes.byref(self.handle)).atexit = False

    def note_grid(self, key: Tuple[int, int, int], columns: int, rows: int) -> None:
        """Remembers how many tiles a picture of this width, height and tile has."""
        if len(self.grids) >= _MOST_GRIDS:
            self.grids.clear()
        self.grids[key] = columns, rows


class _Kept(threading.local):
    """What a thread keeps, by what it was made for, the last one used at the end."""

    def __init__(self) -> None:
        self.things: collections.OrderedDict[Any, Any] = collections.OrderedDict()

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        things = self.things
        made = things.get(key)
        if made is None:
            made = things[key] = make()
            if len(things) > _KEPT:
                things.popitem(last=False)
        else:
            things.move_to_end(key)
        return made


_contexts = _Kept()
requests = _Kept()


def forget() -> None:
    """Drops what the thread has open: in the child of a fork, and after a failure of the device,
    which a context answers with that failure for ever.
    """
    requests.things.clear()
    _contexts.things.clear()


os.register_at_fork(after_in_child=forget)


def context(options: Options) -> Context:
    """Returns this thread's context for these options."""
    made: Context = _contexts.get(options, lambda: Context(options))
    return made


@functools.lru_cache(maxsize=64)
def options_of(
    metric: Metric,
    pad: str,
    color: str,
    alpha: str,
    device: Optional[str],
    threads: int,
    compat: Optional[str],
) -> Tuple[Options, Tuple[str, ...]]:
    """Checks the options of a comparison. Returns them and the metrics' names in their order."""
    names = (metric,) if isinstance(metric, str) else metric
    wanted = metrics_of(names)
    kind, index = parse_device(device)
    if threads < 0:
        raise Error(f"threads is {threads}, expected 0 (all) or more")
    options = Options(
        device=kind,
        device_index=index,
        pad=choice(_c.PAD, pad, "pad"),
        color=choice(_c.COLOR, color, "color"),
        alpha=choice(_c.ALPHA, alpha, "alpha"),
        threads=threads,
        metrics=sum(1 << number for number in set(wanted)),
        compat=compat_of(compat),
    )
    return options, names


def metrics_of(names: Tuple[str, ...]) -> List[int]:
    """Returns the numbers of metrics, of which there is one or more."""
    if not names:
        raise Error(f"metric is empty, expected one of {', '.join(metric_numbers())}")
    return [choice(metric_numbers(), name, "metric") for name in names]


def compat_of(name: Optional[str]) -> int:
    """Returns the number of a tool; None is 0."""
    tool: int = 0 if name is None else core().ssimcu_compat_find(str(name).encode())
    if name is not None and not tool:
        raise Error(f"compat is {name!r}, which is no tool that can be reproduced")
    return tool


def parse_device(device: Optional[str]) -> Tuple[int, int]:
    """Reads "cpu", "cuda", "cuda:1" or "auto"; None is the CPU."""
    if device is None:
        return _c.DEVICE["cpu"], 0
    kind, _, index = str(device).partition(":")
    if kind not in _c.DEVICE or (index and not (kind == "cuda" and index.isdecimal())):
        raise Error(f"device is {device!r}, expected cpu, cuda, cuda:INDEX or auto")
    return _c.DEVICE[kind], int(index or 0)
