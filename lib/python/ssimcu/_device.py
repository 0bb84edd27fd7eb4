"""Devices and the version."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, NamedTuple

from . import _c
from ._library import call, core

_TOO_OLD = "ssimcu: the library that was found is {}, which is not of the package's version {}"


class Device(NamedTuple):
    """A device that scores. ``device`` is its name for `compare`: "cpu" or "cuda:0"."""

    device: str
    name: str
    memory_bytes: int  # 0: the CPU
    compute: int  # 10 * major + minor compute capability; 0: the CPU

    def as_dict(self) -> Dict[str, Any]:
        """Returns the fields by name, for JSON."""
        return self._asdict()


def devices() -> List[Device]:
    """Returns the usable devices: the CPU, and each CUDA device.

    >>> import ssimcu
    >>> ssimcu.devices()[0].device
    'cpu'
    """
    found = []
    for kind in ("cpu", "cuda"):
        count = ctypes.c_uint32()
        core().ssimcu_device_count(_c.DEVICE[kind], ctypes.byref(count), None)
        for index in range(count.value):
            info = _c.sized(_c.DeviceInfo)
            call(core().ssimcu_device_describe, _c.DEVICE[kind], index, ctypes.byref(info))
            name = kind if kind == "cpu" else f"{kind}:{index}"
            found.append(Device(name, info.name.decode(), info.memory_bytes, info.compute))
    return found


def _version() -> str:
    version: str = core().ssimcu_version().decode()
    if version.rpartition(".")[0] != _c.SOVERSION:
        raise ImportError(_TOO_OLD.format(version, _c.SOVERSION))
    return version


__version__ = _version()
